"""Typography to plain characters, and plain characters to tokens, each knowing where it came from."""

import re
import unicodedata
from itertools import groupby
from typing import NamedTuple

# Soft hyphens included: copied from a PDF, one can be a minus sign, and r = .31 is not r = -.31.
_DASHES = "\u002d\u00ad\u0096\u02d7\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2796\ufe58\ufe63\uff0d"
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
_DIGITS = frozenset("0123456789.")
_MARKUP = frozenset("*_`$\\{}")
_PLAIN_TAGS = frozenset({"<font", "<wide", "<narrow", "<sub", "<noBreak", "<compat"})
_ENTITIES = {
    "&lt;": "<",
    "&gt;": ">",
    "&le;": "≤",
    "&ge;": "≥",
    "&minus;": "-",
    "&nbsp;": " ",
    "&thinsp;": " ",
}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SPECIAL = re.compile(
    r"(?P<entity>&(?:lt|gt|le|ge|minus|nbsp|thinsp);)"
    r"|(?P<tag></?(?:i|em|b|strong|sub|sup)>)"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+)",
    re.IGNORECASE,
)
Placed = tuple[int, int, str]


class Plain(NamedTuple):
    """A text in plain characters, and where each of them was in the original."""

    text: str
    original: str
    starts: list[int]
    """One more than there are characters: the last is the end."""
    ends: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the original of a stretch of plain characters."""
        return self.starts[start], self.ends[end - 1]

    def printed(self, start: int, end: int) -> str:
        """Return a stretch of plain characters as it was printed."""
        first, last = self.span(start, end)
        return self.original[first:last]


class Token(NamedTuple):
    """A piece of plain text: ``number``, ``word``, ``squared``, ``relation`` or one other character."""

    kind: str
    text: str
    start: int
    end: int


def _plain_character(character: str) -> str:
    """Return one character without its typography; what has no plain twin stays as it is."""
    if " " <= character <= "~":
        return character
    if character in _DASHES:
        return "-"
    if character in _ZERO_WIDTH:
        return ""
    if character.isspace():
        return " "
    tag, _, code = unicodedata.decomposition(character).partition("> ")
    return _plain_character(chr(int(code, 16))) if tag in _PLAIN_TAGS and " " not in code else character


def _resolve(special: re.Match[str]) -> str:
    """Return the plain form of an entity, a tag or a run of raised digits."""
    found = special.group()
    if special.lastgroup == "entity":
        return _ENTITIES[found.lower()]
    if special.lastgroup == "tag":
        return "^" if found.lower() == "<sup>" else ""
    return "^" + found.translate(_RAISED)


def _characters(text: str) -> list[Placed]:
    """Return every plain character with its place in the original."""
    placed: list[Placed] = []
    at = 0
    for special in _SPECIAL.finditer(text):
        placed += [(i, i + 1, c) for i in range(at, special.start()) for c in _plain_character(text[i])]
        placed += [(special.start(), special.end(), c) for c in _resolve(special)]
        at = special.end()
    placed += [(i, i + 1, c) for i in range(at, len(text)) for c in _plain_character(text[i])]
    return placed


def _without_markup(placed: list[Placed]) -> list[Placed]:
    """Drop emphasis, but not inside a number or between spaces: ``4*2`` is not 42 nor ``1.2 * 10`` 1.210."""
    kept: list[Placed] = []
    runs = [(is_markup, list(run)) for is_markup, run in groupby(placed, lambda item: item[2] in _MARKUP)]
    for index, (is_markup, run) in enumerate(runs):
        before = kept[-1][2] if kept else ""
        after = runs[index + 1][1][0][2] if index + 1 < len(runs) else ""
        between = (before in _DIGITS and after in _DIGITS) or (before == " " and after == " ")
        if not is_markup or between:
            kept += run
    return kept


def plain(text: str) -> Plain:
    """Return a text in plain characters: one kind of space, minus and digit, no emphasis, no tags.

    Examples
    --------
    >>> plain("*r*(48) = −.31, p < 10⁻⁵").text
    'r(48) = -.31, p < 10^-5'
    """
    kept = _without_markup(_characters(text))
    starts = [*(start for start, _, _ in kept), len(text)]
    return Plain("".join(character for _, _, character in kept), text, starts, [end for _, end, _ in kept])


_TOKEN = re.compile(
    r"""
    (?P<number>10\ ?\^\ ?[+-]?[0-9]+
      | (?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)
        (?:[eE][+-]?[0-9]+(?!\w) | \ {0,2}(?:[x×·⋅*]|times)\ {0,2}10\ ?(?:\^\ ?[+-]?|[+-])\ ?[0-9]+)?)
    | (?P<squared>[^\W\d_]{1,8}\ ?\^\ ?2(?![0-9.])[^\W\d_]{0,3})
    | (?P<word>(?:[dD]\.\ ?[fF]|[nN]\.\ ?[sS])(?:\.|\b) | [^\W\d_][^\W_]*(?:['’][^\W\d_]*)?)
    | (?P<relation><=|>=|<<|>>|[=<>≤≥⩽⩾≦≧])
    | (?P<space>\s+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(text: str) -> list[Token]:
    """Cut plain text into tokens, spaces left out.

    Examples
    --------
    >>> [token.text for token in tokens("chi^2(2, N = 120) = 9.4")]
    ['chi^2', '(', '2', ',', 'N', '=', '120', ')', '=', '9.4']
    """
    found = []
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind != "space":
            found.append(Token(kind, match.group(), match.start(), match.end()))
    return found


class PrintedNumber(NamedTuple):
    """A printed number: its value and the decimal place of its last printed digit."""

    value: float
    decimals: int


MAX_DIGITS = 40
_MAX_EXPONENT = 300
_PARTS = re.compile(
    r"(?P<mantissa>[0-9.]+?)(?:[eE](?P<e>[+-]?[0-9]+)|[^0-9.eE]+10[ ^]*(?P<x>[+-]? ?[0-9]+))?$"
)
_POWER = re.compile(r"(?P<mantissa>1)0[ ]?\^[ ]?(?P<e>[+-]?[0-9]+)(?P<x>)$")


def read_number(text: str, *, negative: bool = False) -> PrintedNumber | None:
    """Read a number token; ``None`` when it is too long or too large to be a printed statistic.

    Examples
    --------
    >>> read_number("1.2 x 10-5")
    PrintedNumber(value=1.2e-05, decimals=6)
    """
    parts = (_POWER.match(text) or _PARTS.match(text)) if len(text) <= MAX_DIGITS else None
    if parts is None:
        return None
    exponent = int(((parts["e"] or "") + (parts["x"] or "")).replace(" ", "") or "0")
    if abs(exponent) > _MAX_EXPONENT:
        return None
    value = float(f"{'-' if negative else ''}{parts['mantissa']}e{exponent}")
    return PrintedNumber(value, len(parts["mantissa"].partition(".")[2]) - exponent)
