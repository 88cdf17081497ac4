"""The one strict reading of raw replies: a small record, before Inspect or anything else sees a reply.

An answer that tells an error, or that the server broke off, is raised as what it is. Of what is left, fields
that are absent or not of their kind are put in order, and who answered is told to whoever asked.
"""

import functools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

_BROKEN = frozenset(
    ("error", "abort", "aborted", "failed", "cancelled", "canceled", "insufficient_system_resource")
)
_CUT = frozenset(("max_tokens", "max_output_tokens", "max_length", "token_limit"))
_TOKENS = ("prompt_tokens", "completion_tokens", "total_tokens")
_DETAILS = ("prompt_tokens_details", "completion_tokens_details")
_NAME = 200
"""Letters of a name that a server gives at most."""


class ToldError(Exception):
    """An error that a server tells in an answer that calls itself good."""

    def __init__(self, body: Any, status: int | None) -> None:
        super().__init__("the answer is an error")
        self.body, self.status_code = body, status


class BrokenOffError(Exception):
    """The server says that it did not finish the reply."""


@dataclass(frozen=True, slots=True)
class Received:
    """A raw reply as it is read; ``None`` where the server does not say."""

    model: str | None = None
    """Who answered."""
    fingerprint: str | None = None
    """What the model ran on, as the provider names it."""
    request_id: str | None = None
    finish: str | None = None
    """Why the reply ended, in the words of the protocol."""
    text: str | None = None
    """The reply; one of several parts as one text."""
    usage: bool = False
    """Whether all its numbers of tokens are such."""
    details: tuple[bool, bool] = (False, False)
    """Whether the parts of the tokens read and written are numbers."""
    logprobs: bool = False
    """Whether log probabilities were asked for and have the form of the protocol."""

    def who(self) -> dict[str, str]:
        """Return who answered, as far as that is known, in the fields of a stored line."""
        told = {"model": self.model, "fingerprint": self.fingerprint, "request_id": self.request_id}
        return {name: value for name, value in told.items() if value is not None}


def read_raw(completion: Any, *, logprobs: bool = False) -> Received:
    """Read a raw reply of the chat protocol, or what is like one.

    Raises
    ------
    ToldError, BrokenOffError
        It is none.
    """
    choice = _choice(completion)
    error = getattr(completion, "error", None)
    if error and choice is None:
        raise ToldError(error, _status(completion, error))
    reason = getattr(choice, "finish_reason", None)
    if isinstance(reason, str) and reason.casefold() in _BROKEN:
        raise BrokenOffError(f"the server ended the reply with {reason!r}")
    usage = getattr(completion, "usage", None)
    content = getattr(getattr(choice, "message", None), "content", None)
    return Received(
        _name(getattr(completion, "model", None)),
        _name(getattr(completion, "system_fingerprint", None)),
        _name(getattr(completion, "_request_id", None)),
        "length" if str(reason).casefold() in _CUT else reason,
        "".join(map(_text, content)) if isinstance(content, list) else content,
        all(_is_count(getattr(usage, name, None)) for name in _TOKENS),
        (_are_counts(usage, _DETAILS[0]), _are_counts(usage, _DETAILS[1])),
        logprobs and _are_logprobs(getattr(choice, "logprobs", None)),
    )


def put_in_order(completion: Any, received: Received, asked: str) -> Any:
    """Write what was read back into the raw reply, for readers that expect the protocol."""
    if not isinstance(getattr(completion, "model", ""), str):
        completion.model = asked
    usage, choice = getattr(completion, "usage", None), _choice(completion)
    if usage is not None and not received.usage:
        completion.usage = None
    for name, known in zip(_DETAILS, received.details, strict=True):
        if getattr(usage, name, None) is not None and not known:
            setattr(usage, name, None)
    if choice is not None:
        completion.choices = completion.choices[:1]
        if isinstance(getattr(getattr(choice, "message", None), "content", None), list):
            choice.message.content = received.text
        if received.finish == "length":
            choice.finish_reason = received.finish
        if getattr(choice, "logprobs", None) is not None and not received.logprobs:
            choice.logprobs = None
    return completion


_HEARS: ContextVar[list[Received] | None] = ContextVar("hears", default=None)


Sends = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
"""What sends a call in the place of the client: the protocol and the client's options to a raw reply."""
_SENDS: ContextVar[Sends | None] = ContextVar("sends", default=None)


@contextmanager
def hearing(sends: Sends | None = None) -> Iterator[list[Received]]:
    """Hear of the raw replies of a call, which something else may send than the client."""
    heard: list[Received] = []
    token, before = _HEARS.set(heard), _SENDS.set(sends)
    try:
        yield heard
    finally:
        _HEARS.reset(token)
        _SENDS.reset(before)


def read_strictly(model: Any) -> None:
    """Let every raw reply of a model's client be read here first."""
    client: Any = getattr(model.api, "client", None)
    chat: Any = getattr(getattr(client, "chat", None), "completions", None)
    others = ((name, getattr(client, name, None)) for name in ("responses", "messages"))
    place: Any
    for name, place in (("chat/completions", chat), *others):
        create = getattr(place, "create", None)
        if create is not None:
            place.create = _heard(create, f"/v1/{name}", strict=place is chat)


def _heard(create: Any, protocol: str, *, strict: bool) -> Any:
    @functools.wraps(create)
    async def heard(*args: Any, **options: Any) -> Any:
        sends = _SENDS.get()
        found = await (create(*args, **options) if sends is None else sends(protocol, options))
        if options.get("stream"):
            return found
        received = read_raw(found, logprobs=bool(options.get("logprobs"))) if strict else _who_alone(found)
        hears = _HEARS.get()
        if hears is not None:
            hears.append(received)
        return put_in_order(found, received, str(options.get("model", ""))) if strict else found

    return heard


def _who_alone(found: Any) -> Received:
    """Return who answered in another protocol than chat; Inspect reads the rest of it."""
    return Received(_name(getattr(found, "model", None)), None, _name(getattr(found, "_request_id", None)))


def _choice(completion: Any) -> Any:
    """Return the reply that was asked for, where there is one."""
    choices = getattr(completion, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None


def _status(completion: Any, error: Any) -> int | None:
    """Return the status that an error in an answer names."""
    code = error.get("code", error.get("status")) if isinstance(error, dict) else None
    number = str(getattr(completion, "code", None) if code is None else code)
    return int(number) if number.isdecimal() and len(number) == 3 else None


def _name(told: Any) -> str | None:
    """Return a name that a server gives; what is no text, or blank, is none."""
    return told.strip()[:_NAME] if isinstance(told, str) and told.strip() else None


def _are_logprobs(found: Any) -> bool:
    """Whether log probabilities have the form of the protocol."""
    content = getattr(found, "content", None)
    return isinstance(content, list) and all(
        isinstance(getattr(one, "token", None), str)
        and isinstance(getattr(one, "logprob", None), int | float)
        for one in content
    )


def _is_count(n: Any) -> bool:
    return type(n) is int and n >= 0


def _are_counts(usage: Any, name: str) -> bool:
    """Whether the parts of a count of tokens are numbers; some servers leave some out."""
    held = getattr(getattr(usage, name, None), "__dict__", None)
    return held is not None and all(n is None or _is_count(n) for n in held.values())


def _text(part: Any) -> str:
    found = part.get("text") if isinstance(part, dict) else getattr(part, "text", part)
    return found if isinstance(found, str) else ""
