"""A place in the tokens of a text, and the reading of numbers there."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from concord.people.apa.text import MAX_DIGITS, PrintedNumber, Token, read_number, tokens
from concord.people.apa.words import RELATIONS, Kind, PRelation, Relation

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
