"""What looks like a slip in a table of tests: a p that its statistic denies, a p of 0, names almost alike."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from concord.errors import quoted
from concord.files.text import normal_form
from concord.people.families.registry import KINDS
from concord.people.protocol import get_protocol
from concord.records import Side, TestRow

_EXACT = frozenset({"t", "F", "r", "z"})
"""Reported statistics whose p follows from the numbers, with no correction or approximation to choose."""
_APART = 1.5
"""Two p-values that differ by less than this factor may come from other degrees of freedom."""

_CODES = frozenset([-99.0, -999.0, -9999.0, 999.0, 9999.0])
"""Codes of missing values that no t or z is likely to equal."""
_LIMITS = frozenset({0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00001})
"""A p that is printed as below one of these is entered at the limit."""


def bound_of_zero(cell: object) -> float | None:
    """Return what a p that was printed as 0 is below: half a unit of its last digit.

    ``None`` for a 0 that is a number, or written as one (``0``, ``0.0``): nothing was rounded away there.

    Examples
    --------
    >>> bound_of_zero(".000"), bound_of_zero("0.00"), bound_of_zero("0.0"), bound_of_zero(0.0)
    (0.0005, 0.005, None, None)
    """
    digits = _decimals(cell)
    return 0.5 * 10.0**-digits if isinstance(cell, str) and 1 < digits < 50 else None


def _decimals(cell: object) -> int:
    """Count the decimals that a number is written with."""
    return len(str(cell).strip().partition(".")[2].rstrip("* "))


def p_contradiction(row: TestRow, side: Side, given: dict[str, object]) -> str | None:
    """Say how a given p-value contradicts its statistic; ``None`` where it does not.

    Both are rounded in print: the p of every statistic that would be printed so is allowed, and a factor of
    1.5 for degrees of freedom that the table does not give (Welch's). A one-sided p is half of it.
    """
    kind = KINDS[row.test_type]
    if side.p_value is None or side.statistic is None or not set(kind.reported[:1]) <= _EXACT:
        return None
    half = 0.5 * 10.0 ** -min(_decimals(given.get("statistic", side.statistic)), 15)
    size = abs(side.statistic)
    computed = [_p(row, replace(side, statistic=s)) for s in (max(size - half, 0.0), size, size + half)]
    if any(p is None for p in computed) or not kind.reported:
        return None
    most, middle, least = (p for p in computed if p is not None)
    slack = 0.5 * 10.0 ** -min(_decimals(given.get("p_value", side.p_value)), 15)
    if least / _APART - slack <= side.p_value <= most * _APART + slack:
        return None
    if side.p_value in _LIMITS and most <= side.p_value:
        return None
    text = f"the p-value is {side.p_value:g}, and the statistic gives {middle:.3g}"
    if abs(2 * side.p_value - middle) <= max(2 * slack, 0.2 * middle):
        text += " (half of it: a one-sided test? say so in a column tails)"
    return f"{text}; the given p decides about significance: fix one of them"


def _p(row: TestRow, side: Side) -> float | None:
    """Compute the p-value of a side from its numbers alone."""
    bare = replace(side, p_value=None)
    batch = KINDS[row.test_type].batch(row, bare)
    if batch is None:
        return None
    evidence = batch.family.from_sides([bare], *batch.design).evidence(get_protocol("standard"))
    value = float(evidence.p_value[0])
    return value if 0 <= value <= 1 else None


def alike_names(name: str, rows: Sequence[TestRow]) -> list[str]:
    """Warn of names that are the same but for case, blanks or the way a number is written."""
    return [
        f"{name}: the {what} {quoted(one)} and {quoted(other)} differ only in case, blanks or zeros, and "
        "count as two; write them alike if they are one"
        for what, names in (
            ("studies", ((row.study,) for row in rows)),
            ("findings", ((row.study, row.sub_study, row.finding) for row in rows)),
            ("tests", (row.key for row in rows)),
        )
        for one, other in _folded_pairs(names)
    ]


def code_of_missing(test_type: str, statistic: object) -> str | None:
    """Say that a t or z is a number that data files write for a missing value; ``None`` where it is not."""
    if statistic not in _CODES or not set(KINDS[test_type].reported[:1]) <= {"t", "z"}:
        return None
    return f"{statistic:g} is often a code for a missing value: leave the cell empty if it is one here"


def given_twice(name: str, rows: Sequence[TestRow]) -> list[str]:
    """Warn of agent sides that are the human sides: two samples never give the same numbers test by test."""
    both = [(row.human, row.agent) for row in rows if row.human is not None and row.agent is not None]
    if len(both) < 2 or any(_numbers_of_side(human) != _numbers_of_side(agent) for human, agent in both):
        return []
    return [
        f"{name}: the agent's numbers are the human ones in all {len(both)} tests; if they were given twice, "
        "the scores say nothing about a model"
    ]


def _numbers_of_side(side: Side) -> tuple[object, ...]:
    counts = (side.n1, side.n2, side.n, side.k, side.table)
    return (side.statistic, side.df1, side.df2, side.p_value, side.se, *counts)


def _folded_pairs(names: Iterable[tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return the last parts of keys that fold together, in pairs, ten at most."""
    seen: dict[tuple[str, ...], tuple[str, ...]] = {}
    pairs: dict[tuple[str, str], None] = {}
    for key in dict.fromkeys(names):
        first = seen.setdefault((*key[:-1], folded(key[-1])), key)
        if first[-1] != key[-1]:
            pairs[first[-1], key[-1]] = None
    return list(pairs)[:10]


def folded(name: str) -> str:
    r"""Fold a name: compatible characters, case, runs of blanks, zeros around a number.

    Examples
    --------
    >>> folded("A  b") == folded("a\u00a0B"), folded("01"), folded("1.0"), folded("x01")
    (True, '1', '1', 'x01')
    """
    plain = " ".join(normal_form("NFKC", name).casefold().split())
    number = re.fullmatch(r"0*([0-9]+)(?:\.0*)?", plain)
    return number[1] if number else plain
