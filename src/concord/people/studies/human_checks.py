"""The human side of a test of a study: whether its own numbers contradict each other or the test."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from concord.people.families.registry import KINDS
from concord.people.studies.catalog import Variable
from concord.people.studies.format import HumanMoments, Test
from concord.records import Side, TestRow

SLACK = 1.25
"""How far a p may lie beyond that of its statistic, whose printed digits are rounded."""
Fault = tuple[str, str]
"""The key of the human side that is wrong, and what is wrong with it."""


def contradictions(test: Test, row: TestRow) -> Iterator[Fault]:
    """Return what a human side says against itself or against its test."""
    side = row.human
    if side is None:
        return
    if side.p_value is not None:
        yield from _against_p(row, side, side.p_value)
    if test.p0 is not None and side.p0 is not None and not math.isclose(test.p0, side.p0):
        told = f"got {side.p0:g}, and the replies are tested against p0 = {test.p0:g}; expected the same null"
        yield "p0", told


def _against_p(row: TestRow, side: Side, given: float) -> Iterator[Fault]:
    """Compare a p with that of its statistic: it may be exact, or a printed limit above it.

    A p below that of the statistic, beyond rounding, is not a limit (it may be one-sided, and p is two-sided
    here); a p on the other side of alpha, or above that of a result which is not significant, contradicts it.
    """
    found = _p_of(row, side)
    if found is None:
        return
    too_small = given * SLACK < found
    too_large = given > max(found * SLACK, row.alpha)
    if too_small or too_large:
        hint = "; is it one-sided?" if too_small and math.isclose(2 * given, found, rel_tol=0.1) else ""
        told = f"the statistic gives p = {found:.3g}, two-sided{hint}"
        yield "p_value", f"got {given:g}, and {told}; expected that p, or a printed limit above it"


def _p_of(row: TestRow, side: Side) -> float | None:
    """Return the two-sided p of the numbers themselves; nothing where there are none but the p."""
    from concord.people.protocol import get_protocol
    from concord.people.sides import SideTable

    bare = replace(side, p_value=None)
    if row.test_type == "p-value" or (bare.statistic is None and bare.table is None and bare.k is None):
        return None
    found = SideTable.from_rows([row], [bare], 1.0, KINDS).evidence(get_protocol("standard")).p_value[0]
    return None if math.isnan(found) else float(found)


def distribution_faults(test: Test, known: Mapping[str, Variable]) -> Iterator[Fault]:
    """Return what is wrong with the printed answers: groups, answers or ends that do not exist."""
    scale = test.human.scale
    if scale is not None and not scale[0] < scale[1]:
        yield "scale", f"got {scale[0]:g} to {scale[1]:g}; expected the smaller end first"
    if test.human.distribution is None:
        if scale is not None:
            yield "scale", "without 'distribution' there is nothing on the scale"
        return
    groups = _groups_of(test, known)
    words = None if test.outcome is None else known[test.outcome].words
    for level, people in test.human.distribution.items():
        if level not in groups:
            yield "distribution", f"there is no group {level!r}; expected {', '.join(groups)}"
        if isinstance(people, HumanMoments):
            if words is not None:
                yield "distribution", f"{test.outcome!r} is a choice; expected counts of {', '.join(words)}"
            continue
        if sum(people.values()) < 2:
            yield "distribution", f"{level!r} counts {sum(people.values())} answers; expected at least 2"
        for answer in people:
            told = _wrong_answer(answer, words, scale)
            if told is not None:
                yield "distribution", f"{level!r}: got the answer {answer!r}; expected {told}"


def _groups_of(test: Test, known: Mapping[str, Variable]) -> tuple[str, ...]:
    if test.measures is not None:
        return tuple(test.measures)
    if test.groups is None:
        return ("all",)
    if test.groups.levels is not None:
        return tuple(test.groups.levels)
    words = known[test.groups.by].words
    return ("1", "0") if words is None else words


def _wrong_answer(answer: str, words: tuple[str, ...] | None, scale: list[float] | None) -> str | None:
    """Return what was expected in the place of an answer that cannot be given; None where it can."""
    if words is not None:
        return None if answer in words else ", ".join(words)
    try:
        value = float(answer)
    except ValueError:
        return "a number"
    if not math.isfinite(value):
        return "a finite number"
    if scale is not None and not scale[0] <= value <= scale[1]:
        return f"{scale[0]:g} to {scale[1]:g}"
    return None


def has_no_direction(row: TestRow) -> bool:
    """Whether an effect that could have a sign was given none, so that it counts in two states only."""
    side = row.human
    if side is None or side.direction is not None:
        return False
    return KINDS[row.test_type].lacks_direction(side)
