"""Typography to plain characters, and plain characters to tokens, each knowing where it came from."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from concord.people.apa.records import RELATIONS, Kind, PRelation, Relation

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
    """Return a text in plain characters: one kind of space, minus and digit, no emphasis, no tags."""
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
    """Cut plain text into tokens, spaces left out."""
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
    r"(?P<mantissa>[0-9.]{1,60}?)(?:[eE](?P<e>[+-]?[0-9]{1,9})|"
    r"[^0-9.eE]{1,9}10[ ^]{0,9}(?P<x>[+-]? ?[0-9]{1,9}))?$"
)
_POWER = re.compile(r"(?P<mantissa>1)0[ ]?\^[ ]?(?P<e>[+-]?[0-9]+)(?P<x>)$")


def read_number(text: str, *, negative: bool = False) -> PrintedNumber | None:
    """Read a number token; ``None`` when it is too long or too large to be a printed statistic."""
    parts = (_POWER.match(text) or _PARTS.match(text)) if len(text) <= MAX_DIGITS else None
    if parts is None:
        return None
    exponent = int(((parts["e"] or "") + (parts["x"] or "")).replace(" ", "") or "0")
    if abs(exponent) > _MAX_EXPONENT:
        return None
    value = float(f"{'-' if negative else ''}{parts['mantissa']}e{exponent}")
    return PrintedNumber(value, len(parts["mantissa"].partition(".")[2]) - exponent)


_END = Token("end", "", -1, -1)
_FARTHEST = 32


class Fault(Exception):
    """Reading stopped at a position of the plain text; outside the grammar it becomes an `ApaError`.

    ``certain`` is false where a running text may mean something else altogether.
    """

    def __init__(self, position: int, expected: str, *, certain: bool = True) -> None:
        super().__init__(expected)
        self.position, self.expected, self.certain = position, expected, certain


class Cursor:
    """Tokens of a plain text and how many of them have been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0
        self._padded = [*self.tokens, *[_END] * _FARTHEST]

    def peek(self, ahead: int = 0) -> Token:
        """Return a token that is not read yet, or the end; nobody looks farther ahead than 31."""
        return self._padded[self.at + ahead]

    def is_word(self, ahead: int, words: Iterable[str]) -> bool:
        """Say whether a token is one of some words, in any case."""
        token = self.peek(ahead)
        return token.kind == "word" and token.text.lower() in words

    def is_mark(self, ahead: int, marks: str) -> bool:
        """Say whether a token is one of some single characters."""
        token = self.peek(ahead)
        return token.kind == "other" and token.text in marks

    def relation(self, ahead: int = 0) -> Relation | None:
        """Return the relation that a token stands for, if it is one."""
        token = self.peek(ahead)
        return RELATIONS[token.text] if token.kind == "relation" else None

    def digits(self, ahead: int) -> str:
        """Return a token of digits alone, at most 15, or nothing."""
        token = self.peek(ahead)
        return token.text if token.kind == "number" and token.text.isdigit() and len(token.text) <= 15 else ""

    def touches(self, ahead: int) -> bool:
        """Say whether a token follows the one before it without a space."""
        token = self.peek(ahead)
        return token is not _END and token.start == self.peek(ahead - 1).end

    def place(self) -> int:
        """Return the position of the next token, or of the end."""
        return len(self.text) if self.peek() is _END else self.peek().start

    def span(self, first: int) -> tuple[int, int]:
        """Return the place of the tokens from an index up to here."""
        return self.tokens[first].start, self.tokens[self.at - 1].end

    def signed(self, ahead: int = 0) -> int:
        """Return how many tokens a signed number takes there: 0 where there is none."""
        if self.peek(ahead).kind == "number":
            return 1
        return 2 if self.is_mark(ahead, "+-") and self.peek(ahead + 1).kind == "number" else 0


def number(cursor: Cursor, what: str) -> PrintedNumber:
    """Read a signed number that is clear of what follows it."""
    size = cursor.signed()
    if not size and cursor.is_mark(0, ",") and cursor.peek(1).kind == "number":
        raise Fault(cursor.place(), f"a number for {what} with a decimal point (a comma is not guessed)")
    if not size:
        raise Fault(cursor.place(), f"a number for {what}", certain=False)
    negative = size == 2 and cursor.peek().text == "-"
    cursor.at += size - 1
    _refuse_lost_point(cursor, what)
    digits = _thousands_with_point(cursor)
    found = read_number(cursor.peek().text if digits is None else digits, negative=negative)
    if found is None:
        raise Fault(cursor.place(), f"a number for {what} within 1e±300 and {MAX_DIGITS} characters")
    _stands_clear(cursor, what)
    cursor.at += 1
    return found


def _thousands_with_point(cursor: Cursor) -> str | None:
    """Step over 1,234.5: with a point after a group of three digits the comma can only mean thousands."""
    head, tail = cursor.digits(0), cursor.peek(2).text
    glued = cursor.is_mark(1, ",") and cursor.touches(1) and cursor.touches(2)
    if not (glued and 1 <= len(head) <= 3 and tail[:3].isascii() and tail[:3].isdigit() and tail[3:4] == "."):
        return None
    cursor.at += 2
    return head + tail


def _refuse_lost_point(cursor: Cursor, what: str) -> None:
    """Refuse 001, which may have been .001 before it lost its point."""
    digits = cursor.digits(0)
    if len(digits) > 1 and digits[0] == "0":
        raise Fault(cursor.place(), f"a decimal point in {what}, found {digits}")


def _has_digits(token: Token) -> bool:
    """Say whether a word or number holds a digit of any script."""
    return token.kind == "number" or any(character.isnumeric() for character in token.text)


def _stands_clear(cursor: Cursor, what: str) -> None:
    """Refuse a number that runs into something that could change it."""
    token, after, beyond = cursor.peek(), cursor.peek(1), cursor.peek(2)
    if not cursor.touches(1):
        return
    if after.text == "%":
        raise Fault(token.start, f"a plain number for {what}, not a percentage")
    glued = cursor.touches(2) and beyond.kind == "number"
    if after.text == "," and glued and not ("." in token.text and cursor.peek(3).text == "%"):
        other = token.text + beyond.text if len(beyond.text) == 3 else "two numbers"
        meant = f"{token.text},{beyond.text} could be {token.text}.{beyond.text} or {other}"
        raise Fault(token.start, f"a decimal point in {what} ({meant}, and a comma is not guessed)")
    runs_on = _has_digits(after) or (after.text == "." and cursor.touches(2) and _has_digits(beyond))
    if runs_on or (glued and after.text in {"/", "^", "-", "*"}):
        raise Fault(token.start, f"one plain number for {what}")


def whole(cursor: Cursor, what: str) -> PrintedNumber:
    """Read a whole number, with thousands separators if it has them: 1,332."""
    digits = cursor.digits(0)
    if not digits or (len(digits) > 1 and digits[0] == "0"):
        raise Fault(cursor.place(), f"a whole number for {what}", certain=False)
    grouped = len(digits) <= 3 and digits != "0"
    while grouped and len(digits) <= 12 and _next_is_group(cursor):
        digits += cursor.peek(2).text
        cursor.at += 2
    _stands_clear(cursor, what)
    cursor.at += 1
    return PrintedNumber(float(digits), 0)


def _next_is_group(cursor: Cursor) -> bool:
    """Say whether a comma and exactly three digits follow without a space."""
    return cursor.is_mark(1, ",") and cursor.touches(1) and cursor.touches(2) and len(cursor.digits(2)) == 3


Role = Literal[
    "statistic", "p", "ns", "n", "n1", "n2", "df", "df1", "df2", "k", "p0", "z", "se", "ci", "counts",
    "fraction", "binomial", "sign", "tail", "ignored", "word", "number", "stop", "mark",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """Something understood, or a word or number that was not, and its place in the plain text."""

    role: Role
    start: int
    end: int
    label: str = ""
    kind: Kind | None = None
    relation: PRelation | None = None
    numbers: tuple[PrintedNumber, ...] = ()
    inside: tuple["Item", ...] = ()
    """What was in the parentheses of a statistic or of a p."""


def item(role: Role, cursor: Cursor, first: int, *numbers: PrintedNumber) -> Item:
    """Make an item of the tokens from an index up to the cursor."""
    start, end = cursor.span(first)
    return Item(role, start, end, numbers=numbers)
