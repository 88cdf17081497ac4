"""A reply into reasoning and answer, and the reasoning into steps.

Nothing here lower-cases the text to search in it: a few characters change their length when lower-cased,
and offsets found there would cut the original in the wrong place.
"""

import re
from collections import deque
from dataclasses import dataclass

from concord.reading.forms import reasoning_of
from concord.reasoning.words import phrases
from concord.reasoning.words.answer import How, Names, cleaned, find_answer

_TAG = r"(?:redacted_reasoning|reasoning|thinking|think)"
_ANY_CASE = re.IGNORECASE | re.ASCII
_OPEN = re.compile(f"<{_TAG}>", _ANY_CASE)
_CLOSE = re.compile(f"</{_TAG}>", _ANY_CASE)

_FINAL_CHANNEL = re.compile(r"<\|channel\|>final(?:<\|message\|>)?", re.ASCII)
_CHANNEL = re.compile(r"<\|[a-z_]{1,20}\|>(?:analysis|commentary|assistant)?", re.ASCII)
# What may belong to a marker before the word that it is known by.
_QUALIFIERS = re.compile(
    r"(?:[\s#*_【\[]|(?<=\s)>|(?<![^\W_])(?:the|my|his|her|final|single|most|likely|probable|likeliest|primary|main|principal|"
    r"top|overall|best|clinical|is|so|therefore|thus|hence|die|meine|endgültige|wahrscheinlichste|finale|"
    r"el|mi|su|最终|最終|最可能的?|最も可能性の高い|최종|가장 가능성이? 높은))*\Z",
    re.IGNORECASE,
)

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
    unclosed: bool
    """A thinking block was opened and never closed."""
    marked: bool
    """A marker or a block says where the answer starts; otherwise both parts are the whole text."""
    lead: int = 0
    """Whitespace tokens between the end of a block, or the start of the reply, and the answer's marker."""
    how: How = How.NONE
    """How the answer was found."""
    rest: str = ""
    """What follows a thinking block, or the whole reply."""


@dataclass(frozen=True, slots=True)
class _Block:
    """What thinking tags say about a text."""

    inside: str | None
    rest: str | None
    """``None`` when an unclosed block swallowed the answer."""
    unclosed: bool


def _block(text: str) -> _Block:
    """Find the first closed block, a lone closing tag, or an unclosed block."""
    opening = _OPEN.search(text)
    closing = _CLOSE.search(text, opening.end()) if opening else None
    if opening and closing:
        rest = text[closing.end() :]
        return _Block(text[opening.end() : closing.start()], rest, _left_open(rest))
    lone = _CLOSE.search(text)
    if lone:
        rest = text[lone.end() :]
        return _Block(text[: lone.start()], rest, _left_open(rest))
    if opening:
        before = text[: opening.start()]
        inside = text[opening.end() :]
        return _Block(f"{before}\n{inside}" if before.strip() else inside, None, True)
    return _Block(None, text, False)


def _left_open(text: str) -> bool:
    """Whether the last opening tag of a text has no closing tag after it."""
    last = _last(_OPEN, text)
    return last is not None and _CLOSE.search(text, last.end()) is None


def split_reply(response: str, thinking: str | None = None, names: Names = lambda text: 0) -> Split:
    """Split a reply by the rules of Concord.

    Parameters
    ----------
    response
        The reply as recorded.
    thinking
        Reasoning that was recorded apart from it.
    names
        How many known diagnoses a text puts forward; without it only what is marked is found.

    Examples
    --------
    >>> found = split_reply("<think>Low mood.</think> **Answer:** MDD")
    >>> found.reasoning, found.answer, found.thought, str(found.how)
    ('Low mood.', 'MDD', True, 'marker')
    >>> split_reply("REASONING: Low mood. DIAGNOSIS: MDD").reasoning
    'Low mood.'
    """
    block = _block(_final_channel(response))
    hidden = [part for part in (thinking, block.inside) if part is not None and part.strip()]
    thought = bool(hidden)
    if block.rest is None:
        return Split("\n".join(hidden), "", thought, unclosed=True, marked=True)
    rest = cleaned(block.rest)
    answer = find_answer(rest, names)
    if answer.how in (How.STRUCTURED, How.MARKER, How.BLANK):
        told = reasoning_of(rest)  # where a reply is an object, it is a field of it
        before = _before_marker(rest, answer.start) if told is None else told
        visible = _after_reasoning(before, phrases.REASONING)
        parts = [*hidden, visible] if _trimmed(visible) else hidden
        lead = len(_trimmed(before).split())
        return Split(
            _joined(parts), answer.text, thought, block.unclosed, True, lead=lead, how=answer.how, rest=rest
        )
    after_block = thought or block.inside is not None
    reasoning = _joined(hidden) if after_block else response
    return Split(reasoning, answer.text, thought, block.unclosed, after_block, how=answer.how, rest=rest)


def _before_marker(text: str, start: int) -> str:
    """Return the text before a marker, without words such as "final" that belong to the marker."""
    near = max(0, start - 120)  # searched from every place: only near ones, or a hostile text takes hours
    return text[:near] + _QUALIFIERS.sub("", text[near:start])


def _final_channel(text: str) -> str:
    """Put a reply in channels of its own, as some models write them, into thinking tags."""
    final = _last(_FINAL_CHANNEL, text)
    if final is None:
        return text
    return f"<think>{_CHANNEL.sub(' ', text[: final.start()])}</think>{text[final.end() :]}"


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
    """Split a reply for silent bias as the research code does.

    After a closed block the whole rest is the answer; without tags the sections, else a line that starts
    with ``Diagnosis:``, ``Answer:`` or ``Conclusion:``, else both parts are the whole text. The sections are
    those of `split_reply`: the last ``DIAGNOSIS:``, anywhere and in any case, opens the answer, with or
    without a ``REASONING:`` before it; a line that starts with ``Diagnosis:`` is then found as a section.

    Examples
    --------
    >>> split_reply_source("<think>a</think> DIAGNOSIS: b").answer
    ' DIAGNOSIS: b'
    """
    block = _block(response)
    if block.rest is None:
        return Split(str(block.inside), "", True, unclosed=True, marked=True)
    if block.inside is not None:
        return Split(block.inside, block.rest, bool(block.inside.strip()), block.unclosed, marked=True)
    if thinking is not None and thinking.strip():
        return Split(thinking, response, thought=True, unclosed=False, marked=True)
    marker = _last(_SOURCE_DIAGNOSIS, response)
    if marker is None:
        marker = _SOURCE_LINE.search(response)
    if marker is None:
        return Split(response, response, thought=False, unclosed=False, marked=False)
    reasoning = _after_reasoning(response[: marker.start()], _SOURCE_REASONING)
    return Split(reasoning, response[marker.end() :], thought=False, unclosed=False, marked=True)


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
