"""Batches: many calls as one file, answered within a day, usually at half the price.

What is about to be sent is written down first, under a name that goes along, then the provider's id of the
batch. A run that is killed at any point finds its batches again by id, or by that name: nothing is sent
twice, nothing that is paid is lost. Inspect's own batch mode makes new ids for every request and keeps none.
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol

from concord.asking.connection import Redactor
from concord.asking.inspect.received import ToldError
from concord.asking.journal import Journal, read_lines
from concord.errors import OptionError
from concord.number_words import number
from concord.records import Trial

BATCHES = "batches.jsonl"
SIZE = 5_000
"""Requests of a batch at most, where nothing is chosen."""
QUIET = 1.0
"""Seconds without another request after which what was gathered is sent."""
_FIRST, _LONGEST, _SLOWER = 1.0, 60.0, 1.5
"""Seconds between looks at a batch: the first, the longest, and by how much they grow."""
_LOOKS, _YOUNG = 3, 60.0
"""A batch whose sending was cut off is looked for so often, if that was less than so many seconds ago."""
_MARK = "concord"
_NOT_SENT = ("extra_headers", "extra_query", "extra_body", "timeout", "stream")
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""Statuses of the kinds of errors that Anthropic names in results."""


class Provider(Protocol):
    """What a provider of batches does."""

    async def prepare(self, name: str, requests: Mapping[str, Any]) -> Any:
        """Make ready what a batch is made of; nothing is paid for it yet."""

    async def send(self, name: str, prepared: Any) -> str:
        """Send a batch and return its id."""

    async def find(self, name: str, ids: Iterable[str], since: float) -> str | None:
        """Look for a batch whose id did not arrive."""

    async def results(self, batch: str) -> dict[str, Any] | None:
        """Return raw replies, or errors, by request; None while the batch goes on."""


class OpenAIBatches:
    """Batches of OpenAI, and of servers that have the same endpoints."""

    def __init__(self, client: Any, protocol: str) -> None:
        self._client, self._protocol = client, protocol

    async def prepare(self, name: str, requests: Mapping[str, Any]) -> Any:
        """Upload the requests as lines."""
        common = {"method": "POST", "url": self._protocol}
        lines = (json.dumps({"custom_id": one, **common, "body": body}) for one, body in requests.items())
        data = "".join(f"{line}\n" for line in lines).encode()
        return (await self._client.files.create(file=(f"{name}.jsonl", data), purpose="batch")).id

    async def send(self, name: str, prepared: Any) -> str:
        """Make a batch of an uploaded file; its name goes along."""
        window, marked = "24h", {_MARK: name}
        made = await self._client.batches.create(
            input_file_id=prepared, endpoint=self._protocol, completion_window=window, metadata=marked
        )
        return str(made.id)

    async def find(self, name: str, ids: Iterable[str], since: float) -> str | None:
        """Look for the name, which goes along with a batch; the newest are listed first."""
        async for one in self._client.batches.list(limit=100):
            if isinstance(one.metadata, Mapping) and one.metadata.get(_MARK) == name:
                return str(one.id)
            if isinstance(one.created_at, int) and one.created_at < since - 3600:
                break
        return None

    async def results(self, batch: str) -> dict[str, Any] | None:
        """Read the files of replies and of errors, once the batch has ended."""
        state = await self._client.batches.retrieve(batch)
        if state.status not in ("completed", "failed", "expired", "cancelled"):
            return None
        found: dict[str, Any] = {}
        for file in (state.output_file_id, state.error_file_id):
            if file is not None:
                content = await self._client.files.content(file)
                lines = (await content.aread()).decode("utf-8").split("\n")
                found |= dict(self._result(line) for line in lines if line.strip())
        told = getattr(state.errors, "data", None)
        if state.status == "failed" and not found:
            words = "; ".join(str(one.message) for one in told) if told else "the batch failed"
            found[""] = ToldError({"message": words}, 400)
        return found

    def _result(self, line: str) -> tuple[str, Any]:
        row = json.loads(line)
        name, answer, error = str(row["custom_id"]), row.get("response"), row.get("error")
        if error or not isinstance(answer, dict):
            code = str(error.get("code")) if isinstance(error, dict) else ""
            expired = code == "batch_expired"
            return name, ToldError(error, 408 if expired else int(code) if code.isdecimal() else 500)
        status, body = answer.get("status_code"), answer.get("body")
        if status != 200 or not isinstance(body, dict):
            return name, _refusal(body, status)
        reply = _reply_type(self._protocol).construct(**body)
        reply._request_id = answer.get("request_id")
        return name, reply


def _reply_type(protocol: str) -> Any:
    """Return the client's own type of a reply, filled as the client does: whatever its fields are."""
    if protocol.endswith("responses"):
        from openai.types.responses import Response

        return Response
    from openai.types.chat import ChatCompletion

    return ChatCompletion


def _refusal(body: Any, status: Any) -> Exception:
    """Return the error of one request, as the client raises it where Inspect looks for its kind."""
    told = body.get("error", body) if isinstance(body, dict) else body
    if status != 400:
        return ToldError(told, status if isinstance(status, int) else 500)
    from openai import BadRequestError

    response: Any = SimpleNamespace(request=None, status_code=400, headers={})
    return BadRequestError(str(told), response=response, body=told)


class AnthropicBatches:
    """Batches of Anthropic, whose lists show no names: one that was cut off is known by its requests."""

    def __init__(self, client: Any) -> None:
        self._batches = client.messages.batches

    async def prepare(self, name: str, requests: Mapping[str, Any]) -> Any:
        """Return the requests, which are sent all at once."""
        return [{"custom_id": one, "params": body} for one, body in requests.items()]

    async def send(self, name: str, prepared: Any) -> str:
        """Send all requests."""
        return str((await self._batches.create(requests=prepared)).id)

    async def find(self, name: str, ids: Iterable[str], since: float) -> str | None:
        """Look at batches of as many requests that are as young, and wait for theirs to be seen."""
        wanted = set(ids)
        async for one in self._batches.list(limit=100):
            if one.created_at.timestamp() < since - 60:
                break
            counts = one.request_counts
            states = ("processing", "succeeded", "errored", "canceled", "expired")
            if sum(getattr(counts, state) for state in states) != len(wanted):
                continue
            while (found := await self.results(one.id)) is None:
                await asyncio.sleep(_LONGEST)
            if found.keys() & wanted:
                return str(one.id)
        return None

    async def results(self, batch: str) -> dict[str, Any] | None:
        """Read the results, once the batch has ended."""
        state = await self._batches.retrieve(batch)
        if state.processing_status != "ended":
            return None
        found: dict[str, Any] = {}
        async for one in await self._batches.results(batch):
            kind = one.result.type
            if kind == "succeeded":
                found[one.custom_id] = one.result.message
            elif kind == "errored":
                error = one.result.error.error
                found[one.custom_id] = ToldError({"message": error.message}, _STATUS.get(error.type, 500))
            else:
                found[one.custom_id] = ToldError({"message": f"the request was {kind}"}, 408)
        return found


def check_batches(model: Any, name: str) -> None:
    """Refuse a provider that has no batches which can be found again."""
    if not _has_batches(getattr(model.api, "client", None)):
        raise OptionError(
            f"--batch: the provider of {name} has no batches that can be found again by their ids (those of "
            "OpenAI and Anthropic, and of servers with OpenAI's endpoints, can); ask without it"
        )


def _has_batches(client: Any) -> bool:
    openai = hasattr(client, "batches") and hasattr(client, "files")
    return openai or hasattr(getattr(client, "messages", None), "batches")


def name_of(protocol: str, trial: Trial, body: Any) -> str:
    """Return the name of a request: the same for the same trial and words, in every session."""
    held = json.dumps([protocol, *trial.name, body], sort_keys=True, default=str)
    return hashlib.sha256(held.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def body_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a client would send as the body of a call."""
    absent = ("NotGiven", "Omit")
    held = {k: v for k, v in options.items() if k not in _NOT_SENT and type(v).__name__ not in absent}
    more = options.get("extra_body")
    return {**held, **more} if isinstance(more, Mapping) else held


class _Batch:
    """A batch on its way: its requests, and those whose results nobody has taken yet."""

    def __init__(self, name: str, ids: Iterable[str], begun: float) -> None:
        self.name, self.ids, self.begun = name, frozenset(ids), begun
        self.left = set(self.ids)
        self.results: dict[str, Any] | None = None
        self.known, self.protocol, self.watched = "", "", False


class Batcher:
    """Gathers calls into batches, and waits for their results."""

    def __init__(
        self,
        client: Any,
        path: Path,
        *,
        redactor: Redactor,
        size: int = SIZE,
        tell: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._client, self._size, self._tell, self._redactor = client, size, tell, redactor
        self._providers: dict[str, Provider] = {}
        self._known = _read(path / BATCHES)
        self._journal = Journal(path / BATCHES)
        self._at: dict[str, _Batch] = {}
        """Which batch a request is in."""
        self._gathered: dict[str, dict[str, Any]] = {}
        """What is to be sent, by protocol."""
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._resuming: asyncio.Task[None] | None = None
        self._latest = 0.0
        self._batches: list[_Batch] = []

    async def ask(self, protocol: str, trial: Trial, options: Mapping[str, Any]) -> Any:
        """Let a call be part of a batch; return its raw reply, or raise its error."""
        if self._resuming is None or (self._resuming.done() and self._resuming.exception() is not None):
            self._resuming = asyncio.create_task(self._resume(protocol))
        await asyncio.shield(self._resuming)
        body = body_of(options)
        name = name_of(protocol, trial, body)
        future = asyncio.get_running_loop().create_future()
        self._waiting[name] = future
        batch = self._at.get(name)
        if batch is None:
            gathered = self._gathered.setdefault(protocol, {})
            gathered[name] = body
            self._latest = time.monotonic()
            if len(gathered) == 1:
                self._begin(self._gather(protocol))
        elif batch.results is not None:
            self._hand_over(batch)
        elif not batch.watched:  # one whose replies are all stored is not looked at again
            self._begin_watch(batch)
        try:
            return await future
        finally:
            self._waiting.pop(name, None)

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _provider(self, protocol: str) -> Provider:
        if protocol not in self._providers:
            openai = hasattr(self._client, "batches")
            made = OpenAIBatches(self._client, protocol) if openai else AnthropicBatches(self._client)
            self._providers[protocol] = made
        return self._providers[protocol]

    def _note(self, name: str, **told: Any) -> None:
        self._journal.append(self._redactor.value({"key": name, **told}))

    async def _resume(self, protocol: str) -> None:
        """Go on with the batches that an earlier session has sent, or was about to."""
        for name, told in self._known.items():
            if told.get("done") or told.get("followed"):
                continue
            batch = _Batch(name, map(str, told.get("ids", ())), float(told.get("begun", 0.0)))
            known = told.get("id")
            if known is None:
                known = await self._find(self._provider(str(told.get("protocol", protocol))), batch)
                if known is None:
                    self._note(name, done=True, sent=False)
            told["followed"] = True
            if known is not None:
                self._follow(str(told.get("protocol", protocol)), batch, str(known))

    async def _find(self, provider: Provider, batch: _Batch) -> str | None:
        """Look for a batch whose sending was cut off; where there is none, it was not sent."""
        young = time.time() - batch.begun < _YOUNG
        for look in range(_LOOKS if young else 1):
            if look:
                await asyncio.sleep(2 * _FIRST)
            found = await provider.find(batch.name, batch.ids, batch.begun)
            if found is not None:
                self._note(batch.name, id=found)
                return found
        return None

    async def _gather(self, protocol: str) -> None:
        """Wait until nothing more comes, then send."""
        gathered = self._gathered[protocol]
        while len(gathered) < self._size and time.monotonic() - self._latest < QUIET:
            await asyncio.sleep(QUIET / 4)
        self._gathered.pop(protocol)
        begun = time.time()
        name = hashlib.sha256(f"{begun} {sorted(gathered)}".encode()).hexdigest()[:32]
        batch = _Batch(name, gathered, begun)
        self._note(
            name, begun=begun, at=datetime.now(UTC).isoformat(), protocol=protocol, ids=sorted(gathered)
        )
        try:
            known = await self._send(self._provider(protocol), batch, gathered)
        except Exception as error:  # noqa: BLE001 - clients raise what they like; every call is told
            self._note(name, done=True, sent=False)
            self._fail(batch, error)
            return
        self._tell(f"batch {known}: {len(gathered):,} requests are sent")
        self._follow(protocol, batch, known)
        self._begin_watch(batch)

    async def _send(self, provider: Provider, batch: _Batch, requests: Mapping[str, Any]) -> str:
        """Send a batch; one whose answer is lost may be there all the same, and is looked for."""
        prepared = await provider.prepare(batch.name, requests)
        try:
            known = await provider.send(batch.name, prepared)
        except Exception as error:
            if getattr(error, "status_code", None) is not None:
                raise  # the server has said no
            lost, wait = error, _FIRST
        else:
            self._note(batch.name, id=known)
            return known
        while True:
            try:
                found = await self._find(provider, batch)
            except Exception as fault:  # noqa: BLE001 - until it is known, nothing is sent again
                self._tell(f"whether a batch was sent is not known yet: {fault}")
                await asyncio.sleep(wait)
                wait = min(wait * _SLOWER, _LONGEST)
                continue
            if found is None:
                raise lost
            return found

    def _follow(self, protocol: str, batch: _Batch, known: str) -> None:
        batch.protocol, batch.known = protocol, known
        self._batches.append(batch)
        for name in batch.ids:
            self._at[name] = batch

    def _begin_watch(self, batch: _Batch) -> None:
        batch.watched = True
        self._begin(self._watch(self._provider(batch.protocol), batch, batch.known))

    async def _watch(self, provider: Provider, batch: _Batch, known: str) -> None:
        """Look at a batch until it has ended."""
        wait, results = _FIRST, None
        while results is None:
            try:
                results = await provider.results(known)
            except Exception as error:  # noqa: BLE001 - see above
                status = getattr(error, "status_code", None)
                if isinstance(status, int) and 400 <= status < 500 and status not in (408, 409, 425, 429):
                    self._note(batch.name, done=True)
                    self._fail(batch, error)
                    return
            if results is None:
                self._tell(f"batch {known}: not ready; it is looked at again in {number(wait, 0)} s")
                await asyncio.sleep(wait)
                wait = min(wait * _SLOWER, _LONGEST)
        batch.results = results
        self._hand_over(batch)

    def _hand_over(self, batch: _Batch) -> None:
        """Hand results to whoever waits for them; others are kept until they are asked for."""
        assert batch.results is not None
        every = batch.results.get("")
        missing = ToldError({"message": "the batch ended without this request"}, 408)
        for name in [name for name in batch.left if name in self._waiting]:
            self._settle(batch, name, batch.results.get(name, missing if every is None else every))

    def _fail(self, batch: _Batch, error: Exception) -> None:
        for name in [name for name in batch.left if name in self._waiting]:
            self._settle(batch, name, error)

    def _settle(self, batch: _Batch, name: str, result: Any) -> None:
        batch.left.discard(name)
        self._at.pop(name, None)
        future = self._waiting[name]
        if future.done():
            return
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)

    def close(self, *, finished: bool) -> None:
        """Let go of the file; once every reply is stored, nothing of a batch is needed any more."""
        for batch in self._batches:
            if finished:
                self._note(batch.name, done=True)
        self._journal.close()


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return what is known of each batch, in the order in which they were begun."""
    found: dict[str, dict[str, Any]] = {}
    for line in read_lines(path):
        found.setdefault(str(line.row["key"]), {}).update(line.row)
    return found
