"""Counts out of a total, and the names of the tests they belong to."""

from concord.people.apa.cursor import Cursor, Fault, Item, item, number, whole
from concord.people.apa.text import PrintedNumber
from concord.people.apa.words import P0_WORDS


def read_null_rate(cursor: Cursor) -> Item | None:
    """Read ``p0 = .5`` or ``p0 = 1/3``."""
    first = cursor.at
    if not cursor.is_word(0, P0_WORDS) or cursor.relation(1) != "=":
        return None
    cursor.at += 2
    start = cursor.place()
    part = read_fraction(cursor)
    top, bottom = (number(cursor, "p0"), PrintedNumber(1.0, 0)) if part is None else part.numbers
    rate = PrintedNumber(top.value / bottom.value, top.decimals)
    if not 0 < rate.value < 1:
        raise Fault(start, "p0 between 0 and 1", certain=False)
    return item("p0", cursor, first, rate)


def read_fraction(cursor: Cursor) -> Item | None:
    """Read ``75/92``."""
    first = cursor.at
    parts = cursor.digits(0), cursor.digits(2)
    if not (cursor.is_mark(1, "/") and all(parts)):
        return None
    cursor.at += 3
    top, bottom = (PrintedNumber(float(part), 0) for part in parts)
    if bottom.value == 0 or top.value > bottom.value:
        raise Fault(cursor.tokens[first].start, "a count out of at least as many", certain=False)
    return item("fraction", cursor, first, top, bottom)


def read_counts(cursor: Cursor) -> Item | None:
    """Read ``75 of 92``, ``75 out of the 92``, ``1,075 of 1,332``."""
    first = cursor.at
    while len(cursor.digits(2)) == 3 and cursor.is_mark(1, ",") and cursor.at - first < 8:
        cursor.at += 2
    out = 1 + cursor.is_word(1, ("out",))
    skipped = out + 1 + cursor.is_word(out + 1, ("the",))
    if not (cursor.digits(0) and cursor.is_word(out, ("of",)) and cursor.digits(skipped)):
        return None
    cursor.at = first
    k = whole(cursor, "the count")
    cursor.at += skipped - 1
    n = whole(cursor, "the total")
    if n.value < 1 or k.value > n.value:
        raise Fault(cursor.tokens[first].start, "a count out of at least as many", certain=False)
    return item("counts", cursor, first, k, n)


def read_test_name(cursor: Cursor) -> Item | None:
    """Read ``binomial test`` or ``sign test``."""
    first = cursor.at
    dash = int(cursor.is_mark(1, "-"))
    named = cursor.is_word(1 + dash, ("test", "tests"))
    if cursor.is_word(0, ("binomial",)):
        cursor.at += 2 + dash if named else 1
        return item("binomial", cursor, first)
    if not (cursor.is_word(0, ("sign",)) and named):
        return None
    cursor.at += 2 + dash
    return item("sign", cursor, first)
