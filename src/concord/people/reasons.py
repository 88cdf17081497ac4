"""In words: how each test ended, what was assumed for it, and why numbers are undefined."""

from collections.abc import Sequence

from concord.people.protocol import Protocol
from concord.records import Side, SideOutcome, TestRow


def outcome_of(row: TestRow, pas: float | None, used: bool, passed: bool | None) -> str:
    """Return the one outcome a listed test is counted under."""
    if row.pas is None:
        for who, outcome in (("human", row.human_outcome), ("agent", row.agent_outcome)):
            if outcome is not SideOutcome.OK:
                return f"{who} {outcome.value}"
    return "scored" if pas is not None or used or passed is not None else "no number follows"


def flags_of(
    row: TestRow, protocol: Protocol, *, two_states: bool, half_directed: str | None
) -> tuple[str, ...]:
    """Name every assumption and approximation behind a test's numbers."""
    flags: list[str] = []
    for who, side in (("human", row.human), ("agent", row.agent)):
        if side is not None:
            flags += [f"{who}: {flag}" for flag in (*side.flags, *_side_flags(row, side, protocol))]
    if two_states and protocol.states == 3:
        flags.append("scored in two states: a side has no direction")
    if row.pas is not None:
        flags.append("PAS as given")
    if half_directed is not None:
        flags.append(f"cannot pass: the {half_directed} effect has no direction and the other has one")
    return tuple(flags)


def _side_flags(row: TestRow, side: Side, protocol: Protocol) -> list[str]:
    flags = []
    if side.log_bf is not None:
        flags.append("log BF as given")
    if side.effect_d is not None:
        flags.append("d as given")
    kind = row.test_type
    if kind == "mann-whitney":
        flags.append("Bayes factor approximate: z scored as t")
    if kind in ("variance-ratio", "p-value") or _within_many(row, side):
        flags.append("Bayes factor is the Vovk-Sellke bound on p")
    if kind == "chi-square" and (side.table is None or protocol.chi_square == "bic-yates"):
        flags.append("Bayes factor approximate: BIC from the chi-square")
    if kind in ("t-paired", "t-one-sample") or (kind == "anova-within" and side.df1 == 1):
        flags.append("d is d_z (pairs), beside d_s of groups")
    return flags + _f_flags(row, side) + _direction_flags(row, side, protocol)


def _within_many(row: TestRow, side: Side) -> bool:
    return (
        row.test_type == "anova-within" and side.df1 is not None and side.df1 > 1 and side.p_value is not None
    )


def _f_flags(row: TestRow, side: Side) -> list[str]:
    if row.test_type != "anova" or side.df1 is None or side.n is None:
        return []
    if side.df1 == 1 and (side.n1 is None or side.n2 is None):
        return ["two equal cells assumed"]
    if side.df1 > 1 and (side.n / (side.df1 + 1)) % 1:
        return ["Bayes factor approximate: cells cannot be equal"]
    return []


def _direction_flags(row: TestRow, side: Side, protocol: Protocol) -> list[str]:
    """P(positive) from p and a given direction is an approximation, and says so."""
    if protocol.split != "exact" or side.direction in (None, 0):
        return []
    large = row.test_type == "chi-square" and side.table is not None and _larger_than_2x2(side.table)
    without_table = row.test_type == "chi-square" and side.table is None
    many = side.df1 is not None and side.df1 > 1 and row.test_type in ("anova", "anova-within", "regression")
    if large or without_table or many or row.test_type in ("variance-ratio", "p-value"):
        return ["direction split approximate: 1 - p/2 toward the given direction"]
    return []


def _larger_than_2x2(table: Sequence[Sequence[float]]) -> bool:
    return len(table) > 2 or len(table[0]) > 2


def reasons_of(
    row: TestRow, *, pas: float | None, effects: tuple[float | None, float | None], z: float | None
) -> tuple[str, ...]:
    """Say why a test's numbers are undefined."""
    reasons = []
    sides = (("human", row.human, row.human_outcome), ("agent", row.agent, row.agent_outcome))
    for (who, side, outcome), d in zip(sides, effects, strict=True):
        if outcome is not SideOutcome.OK and side is None:
            reasons.append(f"{who} side {outcome.value}")
        elif d is None and side is not None:
            reasons.append(f"{who} d: {_no_d(row, side)}")
    if pas is None and row.human is not None and row.agent is not None:
        reasons.append(f"PAS: {_no_pas(row)}")
    if z is None and None not in effects:
        reasons.append("Z: a standard error is missing or 0")
    return tuple(reasons)


def _no_d(row: TestRow, side: Side) -> str:
    kind = row.test_type
    if kind in ("anova", "anova-within", "regression") and side.statistic is not None:
        many = side.df1 is not None and side.df1 > 1
        return "an F with df1 > 1 has no sign" if many else "direction of the F not given"
    if kind == "chi-square" and side.table is None and side.statistic is not None:
        return "needs the 2 x 2 table"
    if kind == "chi-square" and side.table is not None:
        return "a table larger than 2 x 2 has no d"
    if kind in ("variance-ratio", "p-value"):
        return f"a {kind} has no effect size"
    if kind in ("correlation", "mann-whitney") and side.statistic is not None:
        return "|r| at its limit has no finite d"
    return "not given and not computable from what was given"


def _no_pas(row: TestRow) -> str:
    if row.test_type == "anova-within":
        return "a within-subjects F with df1 > 1 needs its p_value"
    if row.test_type == "chi-square":
        return "the table's chi-square is undefined (an empty margin)"
    return "no Bayes factor on both sides"
