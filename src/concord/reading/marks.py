"""Words that state an answer: where a reply says "my answer is", in which language, and what is no answer."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from concord.reading.text import Piece, lines_of, sentences_of
from concord.reading.words import any_of

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LEFT = r"(?<![A-Za-z0-9_\u00c0-\u04ff-])"
_RIGHT = rf"(?:(?<=[{_CJK}])|(?!\w))"
"""The end of a word; scripts without blanks have none."""
_BLANK = rf"(?:\s{{1,3}}|(?<=[{_CJK}]))"
_GAP = r"[\s*_\"'(\[]{0,12}"
"""What may be between a mark and the answer."""


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of marks, made once."""

    heading: re.Pattern[str]
    """A name of an answer and a colon at the start of a line."""
    stated: re.Pattern[str]
    """A name of an answer and "is", anywhere in a sentence."""
    first_person: re.Pattern[str]
    would: re.Pattern[str]
    """In the first person without a verb of choosing: what follows may be the words of an option."""
    imperative: re.Pattern[str]
    """A sentence that tells what to choose."""
    corrected: re.Pattern[str]
    denied: re.Pattern[str]
    denied_before: re.Pattern[str]
    """Right before a statement: "no elijo A"."""
    hypothetical: re.Pattern[str]
    allowed_if: re.Pattern[str]
    reported: re.Pattern[str]
    refusal: re.Pattern[str]


@cache
def patterns() -> _Patterns:
    """Return all patterns; each is linear in the length of a sentence."""
    before, after = any_of("before_names"), any_of("after_names")
    own = rf"(?:(?:{before}){_BLANK}){{0,4}}(?:{any_of('names')})(?:\s{{1,3}}(?:{after})){{0,2}}"
    flags = re.IGNORECASE
    return _Patterns(
        heading=re.compile(
            rf"^[\s>*_#\-\d.)\"']{{0,12}}(?:(?:{any_of('so')})[\s,]{{1,3}})?{own}[\s*_\"']{{0,6}}(?:[:=>]|"
            rf"\s-\s)+[\s*_\"']{{0,6}}",
            flags,
        ),
        stated=re.compile(
            rf"{_LEFT}{own}[\s*_\"']{{0,4}}(?:{any_of('links')}){_RIGHT}(?:\s(?:{any_of('maybe')})"
            rf"(?!\w))?[\s*_\":']{{0,6}}",
            flags,
        ),
        imperative=re.compile(
            rf"^[\s*_\"'>-]{{0,6}}(?:{any_of('imperatives')})(?!\w)[\s*_\":']{{0,6}}", flags
        ),
        first_person=re.compile(rf"{_LEFT}(?:{any_of('first_person')}){_RIGHT}[\s*_\":']{{0,6}}", flags),
        would=re.compile(rf"{_LEFT}(?:{any_of('would')})(?![\w'])[\s*_\":']{{0,6}}", flags),
        corrected=re.compile(rf"{_LEFT}(?:{any_of('corrected')})(?![\w])[\s,:;*_.-]{{0,6}}", flags),
        denied=re.compile(
            rf"^[\s*_\"'(]{{0,6}}(?:(?:{any_of('maybe')})\s{{1,3}}){{0,2}}(?:{any_of('denied')}){_RIGHT}",
            flags,
        ),
        denied_before=re.compile(rf"{_LEFT}(?:{any_of('denied_before')})[\s*_\"']{{0,3}}$", flags),
        hypothetical=re.compile(rf"{_LEFT}(?:{any_of('hypothetical')})(?![\w])", flags),
        allowed_if=re.compile(rf"{_LEFT}(?:{any_of('allowed_if')})(?![\w])", flags),
        reported=re.compile(rf"{_LEFT}(?:{any_of('reported')})(?![\w])", flags),
        refusal=re.compile(rf"(?:{any_of('refusals')})", flags),
    )


_MOST_LINES = 2000
"""Lines of a reply, from its end, in which an answer may be stated."""
_LOOKED_AT = 4000
"""Characters at either end of a reply in which it may decline."""


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """A place where an answer is stated: what follows it on its line, and in the line after an empty one."""

    content: Piece
    in_person: bool = False
    """In the first person: "I would choose"."""
    in_words: bool = False
    """Only the words of an option are an answer here."""


def marks_of(text: str) -> Iterator[AnswerMark]:
    """Return the marks of a reply from the last to the first; denied and hypothetical ones are none."""
    lines = lines_of(text)[-_MOST_LINES:]
    for i in range(len(lines) - 1, -1, -1):
        line = lines[i]
        heading = patterns().heading.match(line.text)
        if heading is not None:
            rest = Piece(line.text[heading.end() :], line.start + heading.end()).trimmed()
            if not rest.text.strip(" *_\"'") and i + 1 < len(lines):
                rest = lines[i + 1]
            inner = list(_in_line(rest))
            if inner and inner[-1].in_person is False:
                yield inner[-1]
            elif patterns().denied.match(rest.text) is None:
                yield AnswerMark(rest)
            continue
        yield from reversed(list(_in_line(line)))


def _in_line(line: Piece) -> Iterator[AnswerMark]:
    held = patterns()
    for sentence in sentences_of(line):
        if sentence.text.rstrip("\"')*_ ").endswith("?"):
            continue
        found = []
        for begin in (0, sentence.text.rfind(": ", 0, sentence.text.rfind(":")) + 1):
            heading = held.heading.match(sentence.text[begin:])
            if heading is not None:
                at = begin + heading.end()
                if held.denied.match(sentence.text[at:]) is None:
                    found.append(AnswerMark(Piece(sentence.text[at:], sentence.start + at)))
        for pattern in (held.would, held.stated, held.first_person, held.imperative, held.corrected):
            for match in pattern.finditer(sentence.text):
                if _is_statement(sentence.text, match):
                    content = Piece(sentence.text[match.end() :], sentence.start + match.end())
                    found.append(AnswerMark(content, pattern is not held.stated, pattern is held.would))
        yield from sorted(found, key=lambda mark: mark.content.start)


_UNLIKE = re.compile(r"\bunlike [^,.;:]{1,60},", re.IGNORECASE)


def _is_statement(sentence: str, match: re.Match[str]) -> bool:
    """Whether a mark in a sentence is meant: not denied, supposed, or said of others."""
    held = patterns()
    if held.denied.match(sentence[match.end() :]) is not None:
        return False
    before = _UNLIKE.sub("", sentence[: match.start()])
    if held.denied_before.search(before[-20:]) is not None:
        return False
    clause = re.split(r"[;:]|,\s(?=but\b|yet\b|however\b|aber\b|mais\b|pero\b|mas\b|ma\b)", before)[-1]
    supposed = held.hypothetical.search(clause)
    if supposed is not None and held.allowed_if.search(clause) is None:
        return False
    return held.reported.search(clause) is None


def refuses(text: str) -> bool:
    """Whether a reply declines to answer."""
    ends = text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    return patterns().refusal.search(ends.casefold()) is not None
