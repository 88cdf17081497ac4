"""In words: how each test ended, what was assumed for it, and why numbers are undefined."""

from concord.people.families.base import TestKind
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
