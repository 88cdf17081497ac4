"""A reply into reasoning and answer, and the reasoning into steps.

Nothing here lower-cases the text to search in it: a few characters change their length when lower-cased,
and offsets found there would cut the original in the wrong place.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from concord.reading.forms import reasoning_of
from concord.reading.marks import stated_from
from concord.reading.names import decomposed
from concord.reading.records import Reading
from concord.reading.text import split_thinking

_TAG = r"(?:redacted_reasoning|reasoning|thinking|think)"
_ANY_CASE = re.IGNORECASE | re.ASCII
_OPEN = re.compile(f"<{_TAG}>", _ANY_CASE)
_CLOSE = re.compile(f"</{_TAG}>", _ANY_CASE)
_REASONING = re.compile(
    r"(?<![^\W\d_])(?:reasoning|rationale|analysis|begr[uü]ndung|razonamiento|raisonnement|analyse|justification|"
    r"推理|分析|理由|推論|추론|근거)[*_]{0,3}[ \t]{0,3}[:：][*_]{0,3}",
    re.IGNORECASE,
)
"""What opens the reasoning, in the languages of the bundled sets."""

_SOURCE_REASONING = re.compile("REASONING:", _ANY_CASE)
_SOURCE_DIAGNOSIS = re.compile("DIAGNOSIS:", _ANY_CASE)
_SOURCE_LINE = re.compile(r"^[ \t]{0,12}(?:diagnosis|answer|conclusion):", _ANY_CASE | re.MULTILINE)

MIN_REASONING_TOKENS = 20
"""Reasoning with fewer whitespace tokens has no steps."""
MIN_STEP_CHARACTERS = 20
"""A step is longer than this."""
_CUT = re.compile(r"[.!?]\s+")
_MARKUP = " \t\r\n\f\v*_#"


@dataclass(frozen=True, slots=True)
class Split:
    """The two parts of a reply."""

    reasoning: str
    answer: str
    thought: bool
    """A thinking block, or a separate thinking field, that holds something."""
    marked: bool
    """Something says where the answer starts; otherwise the reasoning is the whole text."""
    lead: int = 0
    """Whitespace tokens between the end of a block, or the start of the reply, and the answer's mark."""
    rest: str = ""
    """What follows the thinking, or the whole reply."""


@dataclass(frozen=True, slots=True)
class _Block:
    """What thinking tags say about a text, for the research code."""

    inside: str | None
    rest: str | None
    """``None`` when an unclosed block swallowed the answer."""


def _block(text: str) -> _Block:
    """Find the first closed block, a lone closing tag, or an unclosed block, as the research code does."""
    opening = _OPEN.search(text)
    closing = _CLOSE.search(text, opening.end()) if opening else None
    if opening and closing:
        return _Block(text[opening.end() : closing.start()], text[closing.end() :])
    lone = _CLOSE.search(text)
    if lone:
        return _Block(text[: lone.start()], text[lone.end() :])
    if opening:
        before = text[: opening.start()]
        inside = text[opening.end() :]
        return _Block(f"{before}\n{inside}" if before.strip() else inside, None)
    return _Block(None, text)


def split_reply(response: str, reading: Reading, thinking: str | None = None) -> Split:
    """Split a reply where its answer was read.

    Parameters
    ----------
    response
        The reply as recorded.
    reading
        What was read in it.
    thinking
        Reasoning that was recorded apart from it.

    Examples
    --------
    >>> from concord.reading import read_reply
    >>> reply = "<think>Low mood.</think> **Answer:** MDD"
    >>> found = split_reply(reply, read_reply(reply, labels=["MDD"]))
    >>> found.reasoning, found.answer, found.thought
    ('Low mood.', 'MDD', True)
    >>> reply = "REASONING: Low mood. DIAGNOSIS: MDD"
    >>> split_reply(reply, read_reply(reply, labels=["MDD"])).reasoning
    'Low mood.'
    """
    inside, rest = split_thinking(response)
    hidden = [part for part in (thinking, inside) if part is not None and part.strip()]
    if rest is None:
        return Split("\n".join(hidden), "", bool(hidden), marked=True)
    if reading.where is None:
        return Split(_joined(hidden) if hidden else response, "", bool(hidden), bool(hidden), rest=rest)
    start, end = reading.where
    told = reasoning_of(rest)  # where a reply is an object, it is a field of it
    before = (split_thinking(response[: stated_from(response, start)])[1] or "") if told is None else told
    visible = _after_reasoning(before, _REASONING)
    parts = [*hidden, visible] if _trimmed(visible) else hidden
    answer = str(reading.value) if reading.how == "structured" else response[start:end]
    return Split(_joined(parts), answer, bool(hidden), True, len(_trimmed(before).split()), rest)


def _joined(parts: list[str]) -> str:
    """Pieces of reasoning as one text, without the Markdown that was around the markers."""
    return "\n".join(_trimmed(part) for part in parts)


def _trimmed(text: str) -> str:
    """Return a part without the whitespace, emphasis, headings and quote marks at its edges."""
    return text.lstrip(_MARKUP + ">").rstrip(_MARKUP)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern."""
    return next(iter(deque(pattern.finditer(text), maxlen=1)), None)


def _after_reasoning(text: str, pattern: re.Pattern[str]) -> str:
    """Return the text after its first reasoning marker, or all of it."""
    marker = pattern.search(text)
    return text if marker is None else text[marker.end() :]


def split_reply_source(response: str, thinking: str | None = None) -> Split:
    """Split a reply for silent bias as the research code does."""
    # After a closed block the whole rest is the answer; without tags the sections, else a line that starts
    # with ``Diagnosis:``, ``Answer:`` or ``Conclusion:``, else both parts are the whole text. The sections
    # are those of `split_reply`: the last ``DIAGNOSIS:``, anywhere and in any case, opens the answer, with or
    # without a ``REASONING:`` before it; a line that starts with ``Diagnosis:`` is then found as a section.
    block = _block(response)
    if block.rest is None:
        return Split(str(block.inside), "", True, marked=True)
    if block.inside is not None:
        return Split(block.inside, block.rest, bool(block.inside.strip()), marked=True)
    if thinking is not None and thinking.strip():
        return Split(thinking, response, thought=True, marked=True)
    marker = _last(_SOURCE_DIAGNOSIS, response)
    if marker is None:
        marker = _SOURCE_LINE.search(response)
    if marker is None:
        return Split(response, response, thought=False, marked=False)
    reasoning = _after_reasoning(response[: marker.start()], _SOURCE_REASONING)
    return Split(reasoning, response[marker.end() :], thought=False, marked=True)


def steps_text_source(response: str) -> str:
    """Return the text the research code takes steps from.

    From the first ``REASONING:`` to the first ``DIAGNOSIS:`` when they occur in that order, otherwise the
    whole text; thinking tags are not treated specially.

    Examples
    --------
    >>> steps_text_source("Reasoning: a. Diagnosis: b. Diagnosis: c")
    ' a. '
    >>> steps_text_source("Diagnosis: b. Reasoning: a.")
    'Diagnosis: b. Reasoning: a.'
    """
    start = _SOURCE_REASONING.search(response)
    end = _SOURCE_DIAGNOSIS.search(response)
    if start is None or end is None or end.start() < start.end():
        return response
    return response[start.end() : end.start()]


def reasoning_steps(text: str) -> list[str]:
    """Cut reasoning into steps.

    Fewer than 20 whitespace tokens: no steps. Cut at every full stop, exclamation or question mark that is
    followed by whitespace, mark and whitespace dropped; trimmed pieces longer than 20 characters are kept.

    Parameters
    ----------
    text
        The reasoning.

    Examples
    --------
    >>> reasoning_steps("Too short to hold steps.")
    []
    >>> words = "low mood every day and no joy in anything"
    >>> reasoning_steps(f"{words}. Yes! {words}, {words}.")[0]
    'low mood every day and no joy in anything'
    """
    if len(text.split()) < MIN_REASONING_TOKENS:
        return []
    pieces = (piece.strip() for piece in _CUT.split(text))
    return [piece for piece in pieces if len(piece) > MIN_STEP_CHARACTERS]


# Whitespace that hardly any text holds: normalising keeps it.
_BETWEEN = "\x1e"
_NOT_WORD = re.compile(r"[^\w\s-]")
# The same for ASCII, whose characters have no marks, in one table.
_ASCII = bytes(ord(_NOT_WORD.sub(" ", chr(code).lower())) for code in range(128)) + bytes(range(128, 256))
_MARKS = ("M",)


def tokens(text: str, *, rules: str = "standard") -> list[str]:
    """Tokens of a text as Step-F1 compares them."""
    # NFKD, combining marks dropped (``rules="source"``: replaced by spaces), lower case, everything but
    # letters, digits, ``_``, whitespace and ``-`` replaced by a space, cut at whitespace.
    return _flat(text, rules).split()


def _flat(text: str, rules: str) -> str:
    """Return a normalised text, its whitespace not yet folded."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII).decode("ascii")
    flat = decomposed(text, _MARKS, " " if rules == "source" else "")
    return _NOT_WORD.sub(" ", flat.lower())


def token_sets(texts: Sequence[str], *, rules: str = "standard") -> list[set[str]]:
    """Token sets of several texts, normalised in one go."""
    joined = _BETWEEN.join(texts)
    if joined.count(_BETWEEN) != len(texts) - 1:
        return [set(tokens(text, rules=rules)) for text in texts]
    return [set(part.split()) for part in _flat(joined, rules).split(_BETWEEN)]


def normalise(text: str, *, rules: str = "standard") -> str:
    """Return the text that :func:`tokens` cuts, with single spaces.

    Examples
    --------
    >>> normalise("  Persistent   LOW mood. ")
    'persistent low mood'
    """
    return " ".join(tokens(text, rules=rules))
