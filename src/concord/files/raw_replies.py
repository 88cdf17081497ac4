"""Replies as other programs and providers record them: one shape, whatever fields hold text and thinking."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.files.grids import names_of, plain_title

TEXT_NAMES = names_of("replies")["response"]
"""Fields that hold a reply, the surest first; nested ones are followed."""
_THOUGHT = re.compile(r"thinking|thought|reasoning(?:_content|_text)?")
_BODIES = ("summary", "content", "text")
_STOP = ("stop_reason", "finish_reason", "finishReason")
_CUT = {"max_tokens", "max_output_tokens", "length", "model_length", "token_limit"}
_SPEAKERS = ("assistant", "model", "ai")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class RawReply:
    """What a recorded line holds of a reply; ``text`` is ``None`` where it holds none."""

    text: str | None = None
    thinking: str | None = None
    stop_reason: str | None = None
    error: str | None = None


def raw_reply(held: object, *, deep: int = 0) -> RawReply | None:
    """Return the reply in a value of a recorded line: text, parts, messages, choices; ``None`` without one.

    Of messages the last one of the assistant counts, of choices the only one; parts of text are put together,
    parts of thinking are kept apart. Several replies in one value are an error, never the first of them.
    """
    if isinstance(held, str):
        return RawReply(held)
    if deep > _DEEPEST:
        return None
    if isinstance(held, Mapping):
        return _of_object(held, deep)
    if isinstance(held, Sequence) and not isinstance(held, bytes):
        return _of_list(held, deep)
    return None


def reply_text(cell: object) -> object:
    """Return the text of a reply that a cell holds as messages, choices or parts; any other cell as it is."""
    if isinstance(cell, str) and cell.lstrip()[:2] in ("[{", '{"'):
        try:
            held = json.loads(cell)
        except ValueError:
            return cell
        found = raw_reply(held)
        return cell if found is None or found.text is None else found.text
    if not isinstance(cell, list | dict):
        return cell
    found = raw_reply(cell)
    return None if found is None else found.text


def _of_object(held: Mapping[str, Any], deep: int) -> RawReply | None:
    """Return the reply of an object: a message, a choice, a body, or a whole line."""
    error = _why_none(held)
    if error is not None:
        return RawReply(error=error)
    titles: dict[str, str] = {}
    for title in held:
        titles.setdefault(plain_title(str(title)), title)
    found = None
    for name in TEXT_NAMES:
        if name in titles and (found := raw_reply(held[titles[name]], deep=deep + 1)) is not None:
            break
    refusal = held.get("refusal")
    if (found is None or found.text == "") and isinstance(refusal, str) and refusal.strip():
        found = RawReply(refusal)
    if found is None and isinstance(held.get("body"), Mapping):
        found = raw_reply(held["body"], deep=deep + 1)
    if found is None and "parts" in held:  # of Gemini
        found = raw_reply(held["parts"], deep=deep + 1)
    thoughts = [held[one] for one in held if held[one] and _THOUGHT.fullmatch(str(one))]
    thought = raw_reply(thoughts[0], deep=deep + 1) if thoughts else None
    stopped = next((str(held[one]) for one in _STOP if held.get(one) is not None), None)
    details = held.get("incomplete_details")
    if isinstance(details, Mapping) and details.get("reason") is not None:
        stopped = str(details["reason"])
    if found is None:
        return None if thought is None and stopped is None else RawReply(None, _text(thought), _stop(stopped))
    return replace(
        found,
        thinking=found.thinking if found.thinking is not None else _text(thought),
        stop_reason=found.stop_reason if found.stop_reason is not None else _stop(stopped),
    )


def _text(one: RawReply | None) -> str | None:
    return None if one is None else one.text


def _stop(reason: str | None) -> str | None:
    """Return a reason with one word for replies that were cut."""
    return "length" if reason is not None and reason.casefold() in _CUT else reason


def _why_none(held: Mapping[str, Any]) -> str | None:
    """Return why there is no reply, where an object says so."""
    status = held.get("status_code")
    if isinstance(status, int) and status != 200:
        return f"status {status}"
    if held.get("status") in ("failed", "cancelled") or held.get("type") in (
        "errored",
        "expired",
        "canceled",
    ):
        return f"the batch says {held['type'] if 'type' in held else held['status']}"
    error = held.get("error")
    if error in (None, False, "", {}):
        return None
    return str(error.get("message", error) if isinstance(error, Mapping) else error)


def _of_list(held: Sequence[Any], deep: int) -> RawReply | None:
    """Return the reply of a list: parts of one message, messages, choices, or one text."""
    objects = [one for one in held if isinstance(one, Mapping)]
    whole = len(objects) == len(held) > 0
    if whole and all("type" in one or ("text" in one and not _is_choice(one)) for one in objects):
        return _of_parts(objects, deep)
    if any("role" in one for one in objects):
        said = [one for one in objects if one.get("role") in _SPEAKERS]
        return raw_reply(said[-1], deep=deep + 1) if said else None
    if len(held) == 1:
        return raw_reply(held[0], deep=deep + 1)
    if len(held) > 1:
        return RawReply(error=f"{len(held)} replies in one value; give each a line of its own")
    return None


def _is_choice(one: Mapping[str, Any]) -> bool:
    return "index" in one or any(name in one for name in _STOP)


def _of_parts(parts: Sequence[Mapping[str, Any]], deep: int) -> RawReply | None:
    """Put the parts of a message, or the items of an output, together; thinking stays apart."""
    texts, thoughts, stops = [], [], []
    for part in parts:
        kind = str(part.get("type", "text"))
        if _THOUGHT.fullmatch(kind) or part.get("thought") is True:
            named = sorted(part, key=lambda name: _THOUGHT.fullmatch(name) is None)
            held = [part[one] for one in named if one in _BODIES or _THOUGHT.fullmatch(one)]
            found = next((raw_reply(one, deep=deep + 1) for one in held if one and one is not True), None)
            thoughts += [found.text] if found is not None and found.text is not None else []
        elif kind.endswith(("text", "refusal", "message")) and part.get("role", "model") in _SPEAKERS:
            found = raw_reply(part.get("refusal") if kind == "refusal" else _body(part), deep=deep + 1)
            if found is not None:
                texts += [] if found.text is None else [found.text]
                thoughts += [] if found.thinking is None else [found.thinking]
                stops += [] if found.stop_reason is None else [found.stop_reason]
    if not texts and not thoughts:
        return None
    return RawReply(
        "".join(texts) if texts else "",
        "\n".join(thoughts) if thoughts else None,
        stops[-1] if stops else None,
    )


def _body(part: Mapping[str, Any]) -> object:
    """Return the text of a part, or the content of a message among outputs."""
    return part["text"] if "text" in part else part.get("content")
