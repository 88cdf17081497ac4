"""The one strict reading of raw replies: a small record, before Inspect or anything else sees a reply.

An answer that tells an error, or that the server broke off, is raised as what it is. Of what is left, fields
that are absent or not of their kind are put in order, and who answered is told to whoever asked. What Inspect
makes of it is read below: an answer with its outcome, or why there is none.
"""

import functools
import json
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from inspect_ai.model import ContentReasoning, ContentText, ModelOutput
from pydantic import BaseModel

from concord.asking.inspect.private import TooLongError, asks_to_retry, retry_after
from concord.asking.journal import SERVED
from concord.asking.replies import outcome_of, says_overflow, says_quota
from concord.files import limits
from concord.files.gate import kept_of
from concord.records import Answer, AskOutcome, Usage

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


class NoReplyError(Exception):
    """An answer that calls itself good, and has no place for a reply."""


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
    """Read a raw reply of the chat protocol, or what is like one."""
    choice = _choice(completion)
    error = getattr(completion, "error", None)
    if error and choice is None:
        raise ToldError(error, _status(completion, error))
    if isinstance(completion, BaseModel) and _lacks_reply(completion, choice):
        told = _reason(completion.model_extra)
        raise NoReplyError("the server's answer holds no reply" + ("" if told is None else f": {told}"))
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
        content if content is None or isinstance(content, str) else _one_text(content),
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
        if getattr(getattr(choice, "message", None), "content", None) is not None:
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
        sent = _as_it_is(options) if strict and not options.get("stream") else options
        found = await (create(*args, **sent) if sends is None else sends(protocol, options))
        if options.get("stream"):
            return found
        received = read_raw(found, logprobs=bool(options.get("logprobs"))) if strict else _who_alone(found)
        hears = _HEARS.get()
        if hears is not None:
            hears.append(received)
        return put_in_order(found, received, str(options.get("model", ""))) if strict else found

    return heard


_PLAIN = (str, int, float, list, dict)


def _as_it_is(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that the client sends as they are: it walks through all others, level by level."""
    if not isinstance(options.get("messages"), list):
        return dict(options)
    kept = ("model", "extra_body", "extra_headers", "extra_query", "timeout")
    body = {name: value for name, value in options.items() if type(value) in _PLAIN and name not in kept}
    named = {name: value for name, value in options.items() if name not in body}
    more = options.get("extra_body")
    return {**named, "messages": (), "extra_body": {**body, **({} if more is None else more)}}


def _who_alone(found: Any) -> Received:
    """Return who answered in another protocol than chat; Inspect reads the rest of it."""
    return Received(_name(getattr(found, "model", None)), None, _name(getattr(found, "_request_id", None)))


def _lacks_reply(completion: Any, choice: Any) -> bool:
    """Whether an answer has no place for a reply; a list of none is an empty reply."""
    none = isinstance(getattr(completion, "choices", None), list) and not completion.choices
    return not none and getattr(choice, "message", None) is None


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


def _one_text(content: Any) -> str:
    """Return a reply that is no text as one: its parts, the text of an object, a number."""
    if isinstance(content, list):
        return "".join(map(_text, content))
    return str(content) if type(content) in (int, float) else _text(content)


def _text(part: Any) -> str:
    found = part.get("text") if isinstance(part, dict) else getattr(part, "text", part)
    return found if isinstance(found, str) else ""


_WORDS = 500
_PASSING = frozenset((202, 408, 409, 425, *range(500, 600)))
"""Statuses that another attempt may not meet."""


class FaultKind(StrEnum):
    """What a failed call says about the next one."""

    PASSING = "passing"
    """Worth another attempt: a server error, a dropped connection, no answer in time."""
    BUSY = "busy"
    """Worth another attempt after a while: a limit of calls or tokens per minute."""
    REFUSED = "refused"
    """A model or an address that is not there, or not for this key."""
    ACCOUNT = "account"
    """A wrong key or an empty account: every other call ends the same way."""
    OVERFLOW = "overflow"
    """The prompt does not fit."""
    TOO_LONG = "too long"
    """The answer is longer than is received."""
    OTHER = "other"
    """This call cannot be answered; others may."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call without a reply."""

    kind: FaultKind
    words: str
    """The provider's own reason first."""
    wait: float | None = None
    """Seconds that the server asked to wait."""

    @property
    def passes(self) -> bool:
        """Whether another attempt is worth while."""
        return self.kind in (FaultKind.PASSING, FaultKind.BUSY)


def fault_of(error: BaseException, model: Any) -> FailedCall:
    """Read a provider's error."""
    cause = _cause(error)
    status, words = _status_of(cause), _words(cause)
    for told in (cause, cause.__cause__):
        if isinstance(told, TooLongError):
            return FailedCall(FaultKind.TOO_LONG, str(told))
    if status == 402 or (status in (None, 403, 429) and says_quota(words)):
        return FailedCall(FaultKind.ACCOUNT, words)
    if says_overflow(words) and status in (None, 400, 413, 422, 500):
        return FailedCall(FaultKind.OVERFLOW, words)
    if status == 401 or type(cause).__name__ == "AuthenticationError":
        return FailedCall(FaultKind.ACCOUNT, words)
    if status in (403, 404) or type(cause).__name__ in ("PermissionDeniedError", "NotFoundError"):
        return FailedCall(FaultKind.REFUSED, words)
    if status == 429:
        return FailedCall(FaultKind.BUSY, words, retry_after(cause))
    if type(cause).__name__ == "AttemptTimeoutError":
        return FailedCall(FaultKind.PASSING, "no answer in the time that --timeout allows")
    if status in _PASSING or isinstance(cause, BrokenOffError) or asks_to_retry(model, cause):
        return FailedCall(FaultKind.PASSING, words, retry_after(cause))
    cut = isinstance(cause, json.JSONDecodeError) and cause.doc.lstrip()[:1] in ("", "{")
    return FailedCall(FaultKind.PASSING if cut else FaultKind.OTHER, words)


def _cause(error: BaseException) -> BaseException:
    """Return the provider's own error behind those that wrap it."""
    while type(error).__name__ in ("RetryError", "ModelGenerateError") and error.__cause__ is not None:
        error = error.__cause__
    return error


def _status_of(error: BaseException) -> int | None:
    found = getattr(error, "status_code", None)
    return found if isinstance(found, int) else None


def _words(error: BaseException) -> str:
    """Say what went wrong: the provider's reason, its status, and the kind of error; not too long."""
    status = _status_of(error)
    kind = type(error).__name__ if status is None else f"HTTP {status}"
    if isinstance(error, UnicodeDecodeError | RecursionError):
        kind = "the answer is no JSON"
    told = _reason(getattr(error, "body", None))
    if told is None and isinstance(error, json.JSONDecodeError):
        kind, told = "an empty answer", "the server sent nothing"
        if error.doc.strip():
            kind = "the answer is no JSON"
            told = f"it begins {error.doc[:60]!r}; is this the address of an OpenAI-compatible server?"
    text = str(getattr(error, "message", error)) if told is None else told
    below = error.__cause__  # a client says "Connection error." where TLS or the protocol failed
    if status is None and told is None and below is not None and (words := _deepest(below)).strip():
        text = f"{text.rstrip('.')}: {words}"
    return f"{kind}: {' '.join(text.split())}"[:_WORDS]


def _deepest(error: BaseException) -> str:
    """Return the words of the first error of a chain that has any."""
    found = str(error)
    while error.__cause__ is not None or error.__context__ is not None:
        below = error.__cause__ if error.__cause__ is not None else error.__context__
        assert below is not None
        found, error = (str(below) if str(below).strip() else found), below
    return found


def _reason(body: Any) -> str | None:
    """Return the reason in what a server sent with an error, in whichever form: text, object, list."""
    if isinstance(body, str):
        return body if body.strip() else None
    if isinstance(body, list):
        return "; ".join(found for part in body if (found := _reason(part)) is not None) or None
    if not isinstance(body, dict):
        return None
    for name in ("message", "msg", "detail", "error"):
        found = _reason(body.get(name))
        if found is not None:
            place = body.get("loc")  # FastAPI names the field apart from what is wrong with it
            return f"{'.'.join(map(str, place))}: {found}" if isinstance(place, list) else found
    return None


def answer_of(output: ModelOutput, seconds: float | None, heard: Sequence[Received] = ()) -> Answer:
    """Read what came back: the text, the thinking apart from it, which outcome that is, and who answered."""
    usage, served = _usage(output), _served(output, heard)
    if output.empty:
        return Answer(AskOutcome.EMPTY, "", None, None, output.error, usage, seconds, served)
    stop, text, thinking = str(output.stop_reason), output.completion, _thinking(output)
    # Inspect puts a provider's error that is an outcome into the text, and then there is no usage.
    error = output.error is not None or (output.usage is None and says_overflow(text))
    # What is longer is called so below, whatever its end would say.
    outcome = outcome_of(stop, text[: limits.REPLY_CHARACTERS], error=error)
    answer = Answer(
        outcome, text, thinking, stop, output.error, usage, seconds, (*_logprobs(output), *served)
    )
    if (refusal := _refusal_told(output)) is not None:
        # The model's words are no answer; where they stand in a field of their own, they are a reason.
        return replace(answer, outcome=AskOutcome.FILTERED, response="", error=refusal, more=served)
    return _not_too_long(answer, served)


def _refusal_told(output: ModelOutput) -> str | None:
    """Return the refusal that a provider gives in a field of its own instead of a reply."""
    content = output.message.content
    if isinstance(content, str) or str(output.stop_reason) == "content_filter":
        return None
    told = [part.text for part in content if isinstance(part, ContentText) and part.refusal and part.text]
    return f"the model refuses: {' '.join(' '.join(told).split())}"[:_WORDS] if told else None


def _not_too_long(answer: Answer, served: tuple[tuple[str, object], ...]) -> Answer:
    """Return an answer as it is stored: of one that is too long the beginning, with its length."""
    if (cut := kept_of(answer.response, answer.thinking)) is None:
        return answer
    length, beginning, thinking = cut
    told = (
        f"the reply has {length:,} characters, expected at most {limits.REPLY_CHARACTERS:,}; its first "
        f"{limits.REPLY_KEPT:,} are kept"
    )
    return replace(
        answer, outcome=AskOutcome.TOO_LONG, response=beginning, thinking=thinking, error=told, more=served
    )


def _thinking(output: ModelOutput) -> str | None:
    content = output.message.content
    if isinstance(content, str):
        return None
    thoughts = [
        part.reasoning for part in content if isinstance(part, ContentReasoning) and not part.redacted
    ]
    return "\n".join(thoughts) if thoughts else None


def _served(output: ModelOutput, heard: Sequence[Received]) -> tuple[tuple[str, object], ...]:
    """Return who answered: as the raw reply says, or, where there was none to be seen, as Inspect does."""
    who = heard[-1].who() if heard else {"model": output.model} if output.model else {}
    return ((SERVED, who),) if who else ()


def _usage(output: ModelOutput) -> Usage:
    """Return the tokens; what is no number of tokens is not known."""
    usage: Any = output.usage
    if usage is None:
        return Usage()
    # Inspect counts those tokens of the input apart that the provider had in its cache.
    cached, stored = usage.input_tokens_cache_read, usage.input_tokens_cache_write
    tokens_in = sum(part for part in (usage.input_tokens, cached, stored) if part is not None)
    tokens = (tokens_in, usage.output_tokens, cached, stored, usage.reasoning_tokens)
    return Usage(*(n if isinstance(n, int) and n >= 0 else None for n in tokens))


def _logprobs(output: ModelOutput) -> tuple[tuple[str, object], ...]:
    found = output.choices[0].logprobs
    if found is None:
        return ()
    told = [[one.token, one.logprob if math.isfinite(one.logprob) else None] for one in found.content]
    return (("logprobs", told),)
