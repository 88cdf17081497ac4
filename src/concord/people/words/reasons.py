"""In words: how each test ended, what was assumed for it, and why numbers are undefined."""

from collections.abc import Collection, Iterable

from concord.people.families.base import TestKind
from concord.people.protocol import Protocol
from concord.records import Side, SideOutcome, TestRow
from concord.words import say


def outcome_of(row: TestRow, pas: float | None, used: bool, passed: bool | None) -> str:
    """Return the one outcome a listed test is counted under."""
    if row.pas is None:
        for who, outcome in (("human", row.human_outcome), ("agent", row.agent_outcome)):
            if outcome is not SideOutcome.OK:
                return f"{who} {outcome.value}"
    return "scored" if pas is not None or used or passed is not None else "no number follows"


def flags_of(
    row: TestRow, kind: TestKind, protocol: Protocol, *, two_states: bool, half_directed: str | None
) -> tuple[str, ...]:
    """Name every assumption and approximation behind a test's numbers."""
    flags: list[str] = []
    for who, side in (("human", row.human), ("agent", row.agent)):
        if side is not None:
            flags += [f"{who}: {flag}" for flag in (*side.flags, *_side_flags(row, kind, side, protocol))]
    if two_states and protocol.states == 3:
        flags.append("scored in two states: a side has no direction")
    if row.pas is not None:
        flags.append("PAS as given")
    if half_directed is not None:
        flags.append(f"cannot pass: the {half_directed} effect has no direction and the other has one")
    return tuple(flags)


def _side_flags(row: TestRow, kind: TestKind, side: Side, protocol: Protocol) -> list[str]:
    flags = []
    if side.log_bf is not None:
        flags.append("log BF as given")
    if side.effect_d is not None:
        flags.append("d as given")
    return flags + kind.flags(row, side, protocol)


def reasons_of(
    row: TestRow,
    kind: TestKind,
    *,
    pas: float | None,
    effects: tuple[float | None, float | None],
    z: float | None,
) -> tuple[str, ...]:
    """Say why a test's numbers are undefined."""
    reasons = []
    sides = (("human", row.human, row.human_outcome), ("agent", row.agent, row.agent_outcome))
    for (who, side, outcome), d in zip(sides, effects, strict=True):
        if outcome is not SideOutcome.OK and side is None:
            reasons.append(f"{who} side {outcome.value}")
        elif d is None and side is not None:
            reasons.append(f"{who} d: {kind.no_d(side)}")
    if pas is None and row.human is not None and row.agent is not None:
        reasons.append(f"PAS: {kind.no_pas(row.agent)}")
    if z is None and None not in effects:
        reasons.append("Z: a standard error is missing or 0")
    return tuple(reasons)


_ASSUMED: tuple[tuple[str, str, str], ...] = (
    ("group sizes not given", "assume equal groups", "n1 and n2"),
    ("two equal cells assumed", "assume two equal cells", "n1 and n2"),
    ("p0 not given: taken as 0.5", "are tested against a rate of .5", "p0"),
    ("p0 not given: taken from", "take the rate under the null from the other side", "p0"),
    ("N not given: taken as df1 + df2 + 1", "take N from the degrees of freedom", "n"),
    ("U not given: derived from z", "take U from its z", "statistic"),
    ("W not given: derived from z", "take W from its z", "statistic"),
    ("SE not given: taken from the interval", "take the standard error from an interval of 95 %", "se"),
    ("is reported: the bound is used", "use a bound on p as the p-value", "p_value"),
    ("one-tailed: doubled", "double a one-tailed p-value", "p_value"),
    ("scored in two states: a side has no direction", "are scored without a direction", "direction"),
    ("cannot pass: the", "cannot pass, since one side has no direction", "direction"),
    ("rank correlation is scored as a product-moment", "score a rank correlation as Pearson's", ""),
    ("Welch's t is scored as Student's", "score Welch's t as Student's", ""),
)
"""How a flag begins or what it holds, what it says of the tests, and the column that would remove it."""
_MOST_NAMED = 3


def assumptions_of(flags: Iterable[tuple[tuple[str, str, str], Collection[str]]]) -> tuple[str, ...]:
    """Return one line per assumption: how many tests rest on it, which, and what would remove it.

    Given are the study, the finding and the name of each test, with what was assumed for it.
    """
    lines, tests = [], list(flags)
    for part, words, column in _ASSUMED:
        inside = [named for named, assumed in tests if any(part in flag for flag in assumed)]
        if inside:
            names = ", ".join(" ".join(dict.fromkeys(named)) for named in inside[:_MOST_NAMED])
            said = {"words": _agree(words, len(inside)), "names": names, "column": column}
            lines.append(say("people.assumed.line", n=len(inside), more=len(inside) > _MOST_NAMED, **said))
    return tuple(lines)


def _agree(words: str, n: int) -> str:
    """Put the verb of a single test in the third person."""
    if n != 1:
        return words
    verb, _, rest = words.partition(" ")
    return {"are": "is", "cannot": "cannot"}.get(verb, verb + "s") + " " + rest if rest else verb
