"""Everything that Concord uses of Inspect's insides, in one place.

`pyproject.toml` names the versions that this was written for, and a test fails by name when one of the parts
moves.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from inspect_ai._eval import registry as task_registry
from inspect_ai._util import entrypoints, registry
from inspect_ai._util.http import parse_retry_after_from_exception
from inspect_ai.model._model import use_model_event_sink
from tenacity import wait_none

from concord.files import limits

PACKAGE = "concord"


def name_our_objects() -> None:
    """Let Inspect call Concord's tasks `concord/...` however Concord was installed."""
    # Inspect finds an editable install only where distribution and package have the same name; ours are
    # `concord-eval` and `concord`.
    for module in (registry, task_registry):
        found = module.get_installed_package_name
        if getattr(found, "names_concord", False):
            continue
        module.get_installed_package_name = _naming_ours(found)


@contextmanager
def without_our_tasks() -> Iterator[None]:
    """Let Inspect find a model without loading Concord's tasks and all their scorers, about a second."""
    # Inspect forgets afterwards that it has looked for packages: whoever asks it for a task finds ours then.
    found = entrypoints.entry_points

    def others(**which: Any) -> Any:
        return [one for one in found(**which) if one.name != PACKAGE]

    if entrypoints._inspect_ai_eps_loaded_all:
        yield
        return
    entrypoints.entry_points = others
    try:
        yield
    finally:
        entrypoints.entry_points = found
        entrypoints.clear_entry_points_state()


def _naming_ours(found: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
    @functools.wraps(found)
    def named(of: Any) -> str | None:
        ours = str(getattr(of, "__module__", "")).split(".")[0] == PACKAGE
        return PACKAGE if ours else found(of)

    named.names_concord = True  # type: ignore[attr-defined]
    return named


class _Forgetful:
    """Takes the events of calls and keeps none: outside an evaluation Inspect's transcript only grows."""

    def on_pending(self, event: object) -> None:
        """Forget a call that begins."""

    def on_complete(self, event: object) -> None:
        """Forget a call that ended."""


@contextmanager
def without_transcript() -> Iterator[None]:
    """Ask without Inspect's transcript, whose memory would grow with every call."""
    with use_model_event_sink(_Forgetful()):
        yield


def retry_after(error: BaseException) -> float | None:
    """Return the seconds that a server asked to wait, where its error says so."""
    return parse_retry_after_from_exception(error) if isinstance(error, Exception) else None


def asks_to_retry(model: Any, error: BaseException) -> bool:
    """Whether Inspect takes an error for one that another attempt may not meet."""
    return bool(model.should_retry(error))


def retry_nowhere_else(model: Any) -> None:
    """Switch off the retries of a provider's own client: Concord retries, and one layer is enough."""
    client: Any = getattr(model.api, "client", None)
    if isinstance(getattr(client, "max_retries", None), int):
        client.max_retries = 0
    # Without retries nothing is waited for; the usual wait warns of itself at every call.
    model.api.retry_wait = wait_none


def stay_at_origin(model: Any) -> None:
    """Send nothing to another address than the client's own, redirected or not: the key goes along."""
    client: Any = getattr(model.api, "client", None)
    inner: Any
    inner, base = getattr(client, "_client", None), getattr(client, "base_url", None)
    hooks = getattr(inner, "event_hooks", None)
    if base is None or not isinstance(hooks, dict):
        return

    async def check(request: Any) -> None:
        if (request.url.scheme, request.url.host, request.url.port) != (base.scheme, base.host, base.port):
            raise RedirectedError(f"the server redirects to {request.url.host}, which is not asked")

    inner.event_hooks = {**hooks, "request": [*hooks.get("request", []), check]}


def receive_no_more(model: Any, longest: int = limits.REPLY_BYTES) -> None:
    """Receive an answer up to a length, unpacked: a server may send without end."""
    client: Any = getattr(model.api, "client", None)
    inner: Any = getattr(client, "_client", None)
    hooks = getattr(inner, "event_hooks", None)
    if not isinstance(hooks, dict):
        return

    async def bound(response: Any) -> None:
        make = getattr(response, "_get_content_decoder", None)
        if make is not None:
            path = str(getattr(getattr(response, "url", None), "path", ""))
            of_many = "/files" in path or "/batches" in path
            response._decoder = _Bounded(make(), longest * _REPLIES if of_many else longest)

    inner.event_hooks = {**hooks, "response": [*hooks.get("response", []), bound]}


_REPLIES = 32
"""So many of the longest answers may the results of a batch be."""


class _Bounded:
    """Unpacks what is received, up to a length."""

    def __init__(self, decoder: Any, longest: int) -> None:
        self._decoder, self._longest, self._received = decoder, longest, 0

    def decode(self, data: bytes) -> Any:
        """Return the next part, or parts."""
        return self._all(self._decoder.decode(data))

    def flush(self) -> Any:
        """Return the last part, or parts."""
        return self._all(self._decoder.flush())

    def _all(self, found: Any) -> Any:
        # Releases of the client differ: bytes, or parts of them so that a bomb is unpacked bit by bit.
        return self._counted(found) if isinstance(found, bytes) else map(self._counted, found)

    def _counted(self, part: bytes) -> bytes:
        self._received += len(part)
        if self._received > self._longest:
            raise TooLongError(f"the answer is longer than {self._longest:,} bytes; nothing of it is kept")
        return part


class TooLongError(Exception):
    """A server's answer is longer than is received."""


class RedirectedError(Exception):
    """A server sends its callers elsewhere; nothing was sent there."""
