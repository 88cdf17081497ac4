"""Numbers that pictures of a result show beyond those it holds: intervals of d, conclusions, lost points."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

from scipy.special import ndtri

from concord.people.families.registry import KINDS
from concord.people.result import GroupResult, Score, TestResult
from concord.records import Interval
from concord.stats.intervals import wilson_interval


def d_interval(test: TestResult, who: str, level: float) -> Interval | None:
    """Return the interval of a side on the scale of d; None where it has none."""
    effect, se, d = (getattr(test, f"{who}_{name}") for name in ("effect", "effect_se", "effect_d"))
    return converted_interval(test.test_type, effect, se, d, level=level)


def converted_interval(
    test_type: str, effect: float | None, se: float | None, d: float | None, *, level: float
) -> Interval | None:
    """Return an interval on the scale of d: effect ± z·SE in its native form, its ends converted."""
    # Without a standard error, where the conversion cannot be seen (an effect of 0 whose d is a multiple of
    # it), and where an end has no d, there is none.
    if effect is None or d is None or not se or not math.isfinite(effect + se + d):
        return None
    kind = KINDS.get(test_type)  # a result of a newer Concord may hold types that this one does not know
    to_d = None if kind is None else kind.to_d(effect, d)
    reach = float(ndtri(0.5 + level / 2)) * se
    ends = [math.nan] if to_d is None else [to_d(effect - reach), to_d(effect + reach)]
    return None if any(map(math.isnan, ends)) else Interval(min(ends), max(ends), level, "normal, converted")


def expected_conclusions(tests: Sequence[TestResult]) -> dict[tuple[int, int], float]:
    """Return expected numbers of tests by what people and the agent conclude: up 0, none 1, down 2."""
    # Empty where no test has the posteriors of both sides.
    counts: dict[tuple[int, int], float] = {}
    for test in tests:
        people, agent = test.states("human"), test.states("agent")
        for (i, p), (j, a) in product(enumerate(people), enumerate(agent)):
            if p is not None and a is not None and None not in (*people, *agent):
                counts[i, j] = counts.get((i, j), 0.0) + p * a
    return counts


def same_conclusions(counts: Mapping[tuple[int, int], float]) -> tuple[float, float]:
    """Return the expected number of tests in which people and the agent conclude the same, and of all."""
    return sum(n for (people, agent), n in counts.items() if people == agent), sum(counts.values())


def lost_points(pas: Score, studies: Sequence[GroupResult]) -> list[tuple[str, float]]:
    """Return what each study takes from the benchmark against its ceiling; nothing where there is none."""
    ceiling = pas.end("ceiling")
    known = [(study.name, study.pas.value) for study in studies if study.pas.value is not None]
    if ceiling is None or ceiling.value is None:
        return []
    return [(name, (value - ceiling.value) / len(known)) for name, value in known]


BINS = 5
"""Groups of tests that a calibration shows."""
FEWEST_IN_BIN = 4


class PasBin(NamedTuple):
    """Tests of like PAS: how many of them came to the same verdict on both sides, with the interval."""

    pas: float
    same: float
    low: float
    high: float
    n: int


def calibration_bins(tests: Sequence[TestResult], level: float) -> list[PasBin]:
    """Return tests in fifths by their PAS; none where there are too few."""
    known = sorted(
        (test.pas, bool(test.passed) if test.human_significant else not test.agent_significant)
        for test in tests
        if test.pas is not None and test.verdict is not None
    )
    if len(known) < BINS * FEWEST_IN_BIN:
        return []
    made = []
    for i in range(BINS):
        part = known[i * len(known) // BINS : (i + 1) * len(known) // BINS]
        n, k = len(part), sum(same for _, same in part)
        ends = wilson_interval(k, n, level=level)
        made.append(PasBin(sum(pas for pas, _ in part) / n, k / n, ends.low, ends.high, n))
    return made
