"""Statistics, p-values and what belongs to them, read from tokens.

Every look ahead is bounded, so reading takes time proportional to the text, whatever the text is.
"""

from dataclasses import replace

from concord.people.apa.records import (
    DEGREES,
    DF_WORDS,
    JOINED_TAILS,
    N_WORDS,
    NEVER_NEGATIVE,
    NS_WORDS,
    P_WORDS,
    STATISTICS,
    TAILS,
    Kind,
    is_chi_square,
)
from concord.people.apa.text import Cursor, Fault, Item, PrintedNumber, item, number, read_number, whole


def read_p(cursor: Cursor) -> Item | None:
    """Read ``p < .05``, ``p-value = .03``, ``p (one-tailed) = .02``, ``p = ns``."""
    first = cursor.at
    if cursor.peek().kind != "word" or cursor.peek().text not in P_WORDS:
        return None
    cursor.at += 1
    _skip_noun(cursor)
    inside = _bracketed_tail(cursor)
    relation = cursor.relation()
    if relation is None:
        return None
    cursor.at += 1
    if relation == "=" and cursor.is_word(0, NS_WORDS):
        cursor.at += 1
        return replace(item("p", cursor, first), relation="ns", inside=inside)
    p = _probability(cursor)
    inside += _chain(cursor, p)
    return replace(item("p", cursor, first, p), relation=relation, inside=inside)


def _probability(cursor: Cursor) -> PrintedNumber:
    """Read a probability; ``10-5`` is what is left of 10⁻⁵ when raised digits are lost, as p is at most 1."""
    start = cursor.place()
    if cursor.peek().text == "10" and cursor.is_mark(1, "-") and cursor.digits(2):
        p = read_number(f"10^-{cursor.digits(2)}")
        cursor.at += 3
    else:
        p = number(cursor, "p")
    if p is None or not 0 <= p.value <= 1:
        raise Fault(start, "p between 0 and 1")
    return p


def _chain(cursor: Cursor, p: PrintedNumber) -> tuple[Item, ...]:
    """Read on in ``p = .0078 < .01``, which must be true."""
    links = []
    while (relation := cursor.relation()) is not None and cursor.signed(1):
        first, start = cursor.at, cursor.place()
        cursor.at += 1
        bound = number(cursor, "p")
        holds = {"<": p.value <= bound.value, ">": p.value >= bound.value, "=": p.value == bound.value}
        if not holds[relation]:
            raise Fault(start, f"one p: {p.value:g} {relation} {bound.value:g} is not true")
        links.append(item("ignored", cursor, first))
    return tuple(links)


def _bracketed_tail(cursor: Cursor) -> tuple[Item, ...]:
    """Read ``(one-tailed)`` between p and its relation."""
    first = cursor.at
    opened = cursor.is_mark(0, "([")
    cursor.at += opened
    tail = read_tail(cursor)
    if tail is None or (opened and not cursor.is_mark(0, ")]")):
        cursor.at = first
        return ()
    cursor.at += opened
    return (tail,)


def read_tail(cursor: Cursor) -> Item | None:
    """Read ``one-tailed``, ``two sided``, ``1-tailed``."""
    first = cursor.at
    side = TAILS.get(cursor.peek().text.lower())
    dash = int(cursor.is_mark(1, "-"))
    if cursor.is_word(0, JOINED_TAILS):
        side, dash = cursor.peek().text.lower()[:3], -1
    elif side is None or not cursor.is_word(1 + dash, ("tailed", "sided", "tail")):
        return None
    cursor.at += 2 + dash
    return replace(item("tail", cursor, first), label=side)


def read_ns(cursor: Cursor) -> Item | None:
    """Read ``ns``, ``n.s.``, ``not significant``."""
    first = cursor.at
    if cursor.is_word(0, ("not", "non")):
        skipped = 1 + cursor.is_mark(1, "-") + cursor.is_word(1, ("statistically",))
        cursor.at += skipped + 1 if cursor.is_word(skipped, ("significant",)) else 0
    elif cursor.is_word(0, NS_WORDS) and cursor.peek().text != "Ns" and cursor.relation(1) is None:
        cursor.at += 1
    return item("ns", cursor, first) if cursor.at > first else None


def _skip_noun(cursor: Cursor) -> None:
    """Step over the noun of ``t-value``, ``p value``, ``z score``."""
    dash = int(cursor.is_mark(0, "-"))
    if cursor.is_word(dash, ("value", "values", "statistic", "score")):
        cursor.at += dash + 1


def _statistic_name(cursor: Cursor) -> Kind | None:
    """Step over the name of a statistic."""
    token = cursor.peek()
    if token.kind == "word" and token.text in STATISTICS:
        cursor.at += 1
        return STATISTICS[token.text]
    if (
        token.text == "T"
        and cursor.is_mark(1, "(")
        and cursor.peek(2).kind == "number"
        and cursor.relation(4)
    ):
        cursor.at += 1
        return "t"  # with degrees of freedom it is Student's, without them Wilcoxon's
    size = is_chi_square([cursor.peek(ahead).text for ahead in range(3)])
    cursor.at += size
    return "chi2" if size else None


_FEWEST_INDEXED = 5
"""Degrees of freedom below which a digit behind t is more likely a number of it: t1, t2."""


def _read_indexed(cursor: Cursor) -> tuple[Kind, tuple[Item, ...]] | None:
    """Step over ``t48`` or ``F1,98``, degrees of freedom as an index, where a relation follows."""
    first, token = cursor.at, cursor.peek()
    index = token.text[1:]
    if token.kind != "word" or not (index.isascii() and index.isdigit()) or len(index) > 9:
        return None
    if token.text[0] == "t" and int(index) >= _FEWEST_INDEXED and cursor.relation(1):
        cursor.at += 1
        return "t", (item("df", cursor, first, PrintedNumber(float(index), 0)),)
    second = cursor.digits(2)
    if token.text[0] == "F" and cursor.is_mark(1, ",") and second and cursor.relation(3) and int(second) > 0:
        cursor.at += 3
        return "F", (item("df", cursor, first, *(PrintedNumber(float(one), 0) for one in (index, second))),)
    return None


def read_statistic(cursor: Cursor) -> Item | None:
    """Read ``t(20) = 2.1``, ``F(1, 30) < 1``, ``r = .42``, ``χ²(2, N = 120) = 9.4``, ``t48 = 2.1``."""
    first = cursor.at
    indexed = _read_indexed(cursor)
    kind = _statistic_name(cursor) if indexed is None else indexed[0]
    if kind is None:
        return None
    start, end = cursor.span(first)
    label = cursor.text[start:end]
    name = label.replace("^2", "²")
    _skip_noun(cursor)
    inside = () if indexed is None else indexed[1]
    if indexed is None and cursor.is_mark(0, "(["):
        inside = read_arguments(cursor, kind, name)
    relation = cursor.relation()
    if relation is None and inside:
        raise Fault(cursor.place(), f"'=', '<' or '>' and the value of {name}", certain=False)
    if relation is None:
        return None
    cursor.at += 1
    value = _statistic_value(cursor, kind, name, known=bool(inside))
    found = item("statistic", cursor, first, value)
    return replace(found, label=label, kind=kind, relation=relation, inside=inside)


def _statistic_value(cursor: Cursor, kind: Kind, name: str, *, known: bool) -> PrintedNumber:
    """Read the value of a statistic, which must be a possible one."""
    start = cursor.place()
    value = number(cursor, name)
    certain = known or _company_follows(cursor)
    if kind in NEVER_NEGATIVE and value.value < 0:
        raise Fault(start, f"{name} >= 0", certain=certain)
    if kind == "r" and abs(value.value) > 1:
        raise Fault(start, f"{name} between -1 and 1", certain=certain)
    return value


def _company_follows(cursor: Cursor) -> bool:
    """Say whether a p, an n or a df comes next: then ``r = 5`` is no length in centimetres."""
    word = cursor.peek(int(cursor.is_mark(0, ",;"))).text
    return word in P_WORDS or word in N_WORDS or word.lower() in DF_WORDS


_POSITIONS = {
    "t": "one number",
    "r": "one number",
    "chi2": "one number (and N by name)",
    "H": "one number (and N by name)",
    "Q": "one number (and N by name)",
    "F": "two numbers",
    "U": "n1 and n2 by name",
}


def read_arguments(cursor: Cursor, kind: Kind, label: str) -> tuple[Item, ...]:
    """Read the parentheses of a statistic: degrees of freedom, and N where it is named."""
    start = cursor.place()
    certain = _relation_follows(cursor) and cursor.peek(1).kind == "number"
    opened = cursor.at
    cursor.at += 1
    named: list[Item] = []
    bare: list[tuple[int, bool]] = []  # token index, whether a comma is right before it
    while not cursor.is_mark(0, ")]"):
        found = read_degrees(cursor, pair=False) or read_count(cursor)
        if found is not None:
            named.append(found)
        elif cursor.peek().kind == "number":
            bare.append((cursor.at, cursor.touches(0) and cursor.is_mark(-1, ",")))
            cursor.at += 1
        else:
            wanted = _POSITIONS.get(kind, "nothing but a named N")
            raise Fault(cursor.place(), f"{wanted} in the parentheses of {label}", certain=certain)
        cursor.at += int(cursor.is_mark(0, ",;"))
        if cursor.at - opened > 20:
            raise Fault(start, f"a closing parenthesis after {label}(", certain=False)
    cursor.at += 1
    degrees = _degrees_by_position(cursor, kind, label, bare)
    if bare and any(entry.role.startswith("df") for entry in named):
        raise Fault(start, f"the degrees of freedom of {label} once", certain=certain)
    return (*named, *degrees)


def _relation_follows(cursor: Cursor) -> bool:
    """Say whether the parenthesis that opens here is closed soon and a relation follows."""
    for ahead in range(1, 20):
        if cursor.is_mark(ahead, ")]"):
            return cursor.relation(ahead + 1) is not None
    return False


def _degrees_by_position(cursor: Cursor, kind: Kind, label: str, bare: list[tuple[int, bool]]) -> list[Item]:
    """Return degrees of freedom their meaning by their place."""
    if not bare:
        return []
    texts = [cursor.tokens[index].text for index, _ in bare]
    if kind == "F" and len(texts) == 3:
        texts = _rejoin_thousands(texts, [tight for _, tight in bare])
    wanted = 2 if kind == "F" else int(kind in DEGREES)
    start, end = cursor.tokens[bare[0][0]].start, cursor.tokens[bare[-1][0]].end
    if len(texts) != wanted:
        expected = _POSITIONS.get(kind, "nothing but a named N")
        raise Fault(start, f"{expected} in the parentheses of {label}, found {cursor.text[start:end]!r}")
    values = [read_number(text) for text in texts]
    if any(value is None or value.value <= 0 for value in values):
        raise Fault(start, f"positive degrees of freedom for {label}")
    return [Item("df", start, end, numbers=tuple(value for value in values if value is not None))]


def _rejoin_thousands(texts: list[str], tight: list[bool]) -> list[str]:
    """Read F(1, 1,332) as 1 and 1332 where that is the only reading; otherwise leave three numbers."""
    first, middle, last = texts
    late = tight[2] and middle.isdigit() and len(middle) <= 3 and middle[0] != "0" and _three(last)
    early = tight[1] and first.isdigit() and len(first) <= 3 and first[0] != "0" and _three(middle)
    if late and not early:
        return [first, middle + last]
    return [first + middle, last] if early and not late else texts


def _three(text: str) -> bool:
    """Say whether a text is exactly three digits."""
    return len(text) == 3 and text.isdigit()


def read_count(cursor: Cursor) -> Item | None:
    """Read ``n = 103``, ``N = 1,332``, ``n1 = 30``, ``k = 75``."""
    first = cursor.at
    name = cursor.peek().text
    role = N_WORDS.get(name) if cursor.peek().kind == "word" else None
    if role is None or cursor.relation(1) is None:
        return None
    if cursor.relation(1) != "=":
        raise Fault(cursor.peek(1).start, f"'=' after {name}", certain=False)
    cursor.at += 2
    start = cursor.place()
    count = whole(cursor, name)
    if role != "k" and count.value < 1:
        raise Fault(start, f"a positive {name}", certain=False)
    return item(role, cursor, first, count)


def read_degrees(cursor: Cursor, *, pair: bool = True) -> Item | None:
    """Read ``df = 70``, ``df = 1, 30``, ``df1 = 1``, ``20 df``."""
    first = cursor.at
    if cursor.peek().kind == "number" and cursor.is_word(1, (*DF_WORDS, "degrees")):
        df = _positive(cursor)
        cursor.at += 3 if cursor.is_word(0, ("degrees",)) and cursor.is_word(2, ("freedom",)) else 1
        return item("df", cursor, first, df)
    role = DF_WORDS.get(cursor.peek().text.lower()) if cursor.peek().kind == "word" else None
    if role is None or cursor.relation(1) != "=":
        return None
    cursor.at += 2
    opened = cursor.is_mark(0, "([")
    cursor.at += opened
    degrees = [_positive(cursor)]
    if (
        pair
        and role == "df"
        and cursor.is_mark(0, ",;")
        and cursor.peek(1).kind == "number"
        and cursor.peek(2).text != "%"
    ):
        cursor.at += 1
        degrees.append(_positive(cursor))
    cursor.at += int(opened and cursor.is_mark(0, ")]"))
    return item(role, cursor, first, *degrees)


def _positive(cursor: Cursor) -> PrintedNumber:
    """Read degrees of freedom, of which there may be two: here a comma separates."""
    token = cursor.peek()
    df = read_number(token.text) if token.kind == "number" else None
    if df is None or df.value <= 0:
        raise Fault(cursor.place(), "a positive number of degrees of freedom", certain=False)
    cursor.at += 1
    return df
