"""What is understood and set aside (effect sizes, intervals, labels), and what is not understood."""

from collections.abc import Callable
from dataclasses import replace

from concord.people.apa.items import read_count, read_degrees, read_ns, read_p, read_statistic, read_tail
from concord.people.apa.records import (
    EFFECTS,
    FOLDED_EFFECTS,
    INTERVAL_WORDS,
    LABELLED,
    MEANINGFUL,
    P0_WORDS,
    SQUARED_EFFECTS,
    SQUARES,
)
from concord.people.apa.text import (
    Cursor,
    Fault,
    Item,
    PrintedNumber,
    Role,
    Token,
    item,
    number,
    read_number,
    whole,
)


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


def _interval_ends(cursor: Cursor) -> tuple[PrintedNumber, ...]:
    """Read ``[0.2, 1.1]`` or ``0.2 to 1.1``; without brackets a comma does not make an interval."""
    opened = int(cursor.is_mark(0, "[("))
    low = cursor.signed(opened)
    high = cursor.signed(opened + low + 1)
    between = cursor.peek(opened + low).text.lower()
    size = opened + low + 1 + high + opened
    if not (low and high and between in {"to", "bis", "-", *((",", ";") if opened else ())}):
        return ()
    if opened and not cursor.is_mark(size - 1, "])"):
        return ()
    cursor.at += opened
    first = number(cursor, "an end of an interval")
    cursor.at += 1
    last = number(cursor, "an end of an interval")
    cursor.at += opened
    return (first, last)


def _read_interval(cursor: Cursor) -> Item | None:
    """Read ``95% CI [0.2, 1.1]``, ``CI95 = 0.2 to 1.1``, or a bare ``[0.2, 1.1]``."""
    first = cursor.at
    if cursor.is_mark(0, "["):
        ends = _interval_ends(cursor)
        return replace(item("ignored", cursor, first, *ends), label="interval") if ends else None
    if cursor.signed() == 1 and cursor.peek(1).text == "%":
        cursor.at += 2
    if cursor.is_word(0, ("confidence", "credible")) and cursor.is_word(1, ("interval", "intervals")):
        cursor.at += 1
    elif not cursor.is_word(0, INTERVAL_WORDS):
        return None
    cursor.at += 1
    _skip_level(cursor)
    if cursor.is_mark(0, ":") or cursor.relation() == "=":
        cursor.at += 1
    return replace(item("ignored", cursor, first, *_interval_ends(cursor)), label="interval")


def _skip_level(cursor: Cursor) -> None:
    """Step over the level in ``CI 95%`` and ``CI (95%)``."""
    cursor.at += int(cursor.peek().text == "%")  # CI95%
    opened = int(cursor.is_mark(0, "(["))
    level = cursor.peek(opened).kind == "number" and cursor.peek(opened + 1).text == "%"
    if level and (not opened or cursor.is_mark(3, ")]")):
        cursor.at += 2 + 2 * opened


def _read_percentage(cursor: Cursor) -> Item | None:
    """Read ``82%``: a description, not a test."""
    first = cursor.at
    size = cursor.signed()
    if not size or cursor.peek(size).text != "%":
        return None
    share = read_number(cursor.peek(size - 1).text, negative=cursor.is_mark(0, "-"))
    cursor.at += size + 1
    return replace(item("ignored", cursor, first, *(() if share is None else (share,))), label="%")


def _effect_name(cursor: Cursor) -> bool:
    """Step over the name of an effect size or a descriptive statistic."""
    token = cursor.peek()
    base = token.text.partition("^")[0].strip().lower()
    if token.kind == "squared":
        cursor.at += 1
        return base in SQUARED_EFFECTS
    if token.kind != "word":
        return False
    dash = int(cursor.is_mark(1, "-"))
    if base in SQUARED_EFFECTS and (cursor.is_word(1 + dash, SQUARES) or cursor.peek(1).text == "2"):
        # "η 2 p = .13" is what a PDF leaves of η²p; its p is not a p-value.
        cursor.at += 2 + dash
        cursor.at += int(cursor.is_word(0, ("p", "g")))
        return True
    cursor.at += 1
    return token.text in EFFECTS or base in FOLDED_EFFECTS


def _read_effect(cursor: Cursor) -> Item | None:
    """Read ``d = 0.65``, ``η² = .13``, ``Ms = 3.2 and 4.1``, ``alpha .06``."""
    first = cursor.at
    if not _effect_name(cursor):
        return None
    is_alpha = cursor.tokens[first].text.lower() in {"alpha", "α"}
    if cursor.relation() is not None:
        cursor.at += 1
    elif not (is_alpha and cursor.signed()):
        return None
    value: tuple[PrintedNumber, ...] = _interval_ends(cursor)
    if not value:
        value = (number(cursor, cursor.tokens[first].text),)
        if (cursor.is_word(0, ("and", "vs", "versus")) or cursor.is_mark(0, "±")) and _lone_number(cursor):
            cursor.at += 1 + int(cursor.is_mark(1, "."))
            value = (*value, number(cursor, cursor.tokens[first].text))
    return replace(item("ignored", cursor, first, *value), label=cursor.tokens[first].text)


def _lone_number(cursor: Cursor) -> bool:
    """Say whether a number follows the next word and is not the count of ``75 of 92`` or a percentage."""
    ahead = 1 + int(cursor.is_mark(1, "."))
    size = cursor.signed(ahead)
    after = cursor.peek(ahead + size)
    return bool(size) and after.text != "%" and after.text.lower() not in {"of", "out", "df"}


def _read_label(cursor: Cursor) -> Item | None:
    """Read ``Study 2``: a number that names something."""
    first = cursor.at
    dot = int(cursor.is_mark(1, "."))
    if not (cursor.is_word(0, LABELLED) and cursor.digits(1 + dot)) or cursor.peek(2 + dot).text in {
        "%",
        "/",
    }:
        return None
    cursor.at += 2 + dot
    return item("ignored", cursor, first)


def _read_design(cursor: Cursor) -> Item | None:
    """Read ``2 × 2``, ``2-way``: numbers that describe a design."""
    first = cursor.at
    if not cursor.digits(0):
        return None
    if cursor.is_mark(1, "-") and cursor.touches(1) and cursor.touches(2) and cursor.peek(2).kind == "word":
        cursor.at += 3
        return item("ignored", cursor, first)
    while cursor.peek(1).text in {"x", "X", "×"} and cursor.digits(2):
        cursor.at += 2
    while cursor.peek(1).text[:1] in {"x", "X"} and cursor.peek(1).text[1:].isdigit():  # 2x2
        cursor.at += 1
    cursor.at += 1
    return item("ignored", cursor, first) if cursor.at - first > 1 else None


def _refuse_unknown(cursor: Cursor) -> Item | None:
    """Refuse ``AD = 13.0`` or ``K(3) = 2.1``: a statistic that cannot be recomputed."""
    token = cursor.peek()
    if token.kind not in {"word", "squared"}:
        return None
    closed = 0
    if cursor.is_mark(1, "(["):
        closed = next((ahead for ahead in range(2, 12) if cursor.is_mark(ahead, ")]")), 0)
    if cursor.relation(closed + 1) is None or not cursor.signed(closed + 2):
        return None
    known = "one of t, F, r, χ², z, U, W, H, Q, counts or p, or a known effect size"
    raise Fault(
        token.start,
        f"{known}; {token.text!r} is none of these (a p alone can be given as 'p = .03')",
        certain=False,
    )


def _anything(token: Token, touched: bool) -> Item:
    """Make an item of a token that means nothing by itself."""
    role: Role = "mark"
    if token.kind == "number" or token.text[0].isnumeric():
        role = "number"
    elif token.kind in {"word", "squared"}:
        role = "word"
    elif token.text == "." and not touched:
        role = "stop"
    return Item(role, token.start, token.end, label=token.text)


_Readers = tuple[Callable[[Cursor], Item | None], ...]
_NAMED: _Readers = (_read_effect, _refuse_unknown)
_READERS: dict[str, _Readers] = {
    "other": (_read_interval, _read_percentage),
    "number": (
        _read_interval,
        _read_percentage,
        read_tail,
        read_degrees,
        read_counts,
        read_fraction,
        _read_design,
    ),
    "word": (
        _read_interval,
        read_tail,
        read_ns,
        read_p,
        read_null_rate,
        read_statistic,
        read_count,
        read_degrees,
        read_test_name,
        _read_label,
        *_NAMED,
    ),
    "squared": (read_statistic, *_NAMED),
    "relation": (),
}
"""Who may know an item, by the kind of its first token, in the order in which they are asked."""


def _readers(cursor: Cursor) -> _Readers:
    """Return the readers that may know what comes next: none for most words and marks."""
    token = cursor.peek()
    if token.kind == "other" and token.text not in "[+-":
        return ()
    if token.kind == "word" and token.text.lower() not in MEANINGFUL:
        is_indexed = token.text[0] in "tTF" and (token.text == "T" or token.text[-1].isdigit())
        named = (read_statistic, *_NAMED) if is_indexed else _NAMED
        return named if cursor.relation(1) is not None or cursor.is_mark(1, "([,") else ()
    return _READERS[token.kind]


def _read_one(cursor: Cursor) -> Item:
    """Read the next item by the first reader that knows it."""
    first = cursor.at
    for reader in _readers(cursor):
        found = reader(cursor)
        if found is not None:
            return found
        cursor.at = first
    cursor.at += 1
    return _anything(cursor.peek(-1), cursor.touches(0))


def read_items(text: str, *, marks: bool = False) -> list[Item]:
    """Read all items of a plain text that is a reported statistic; the first fault ends it."""
    cursor, items = Cursor(text), []
    while cursor.at < len(cursor.tokens):
        items.append(_read_one(cursor))
    return [entry for entry in items if marks or entry.role != "mark"]


def find_items(text: str) -> tuple[list[Item], list[Fault]]:
    """Read the items of a running text, and the faults that cannot be anything but faults."""
    cursor = Cursor(text)
    items: list[Item] = []
    faults: list[Fault] = []
    while cursor.at < len(cursor.tokens):
        first = cursor.at
        try:
            items.append(_read_one(cursor))
        except Fault as fault:
            cursor.at = max(first + 1, cursor.at) if fault.certain else first + 1
            items.append(Item("word", *cursor.span(first), label=cursor.tokens[first].text))
            faults += [fault] if fault.certain else []
    return [entry for entry in items if entry.role != "mark"], faults
