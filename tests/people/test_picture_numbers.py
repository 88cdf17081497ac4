"""Numbers of pictures, by hand: intervals of d, conclusions, lost points, fifths of tests by PAS."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from concord.people.families.base import ODDS_TO_D
from concord.people.families.registry import KINDS
from concord.people.picture_numbers import (
    BINS,
    FEWEST_IN_BIN,
    calibration_bins,
    converted_interval,
    expected_conclusions,
    lost_points,
    same_conclusions,
)
from concord.people.result import TestResult
from concord.people.uncertainty.bayes_tables import _MATRIX, FINE, NODES
from concord.records import Estimate
from concord.stats.intervals import wilson_interval

Way = Callable[[float], float]


def of_rate(p0: float) -> Way:
    return lambda p: 2 * (p - p0) / math.sqrt(p0 * (1 - p0))


WAYS: list[tuple[str, Way]] = [
    ("binomial", of_rate(0.3)),
    ("binomial", of_rate(0.6)),
    ("binomial", lambda odds: odds * ODDS_TO_D),
    ("mann-whitney", lambda r: 2 * r / math.sqrt(1 - r * r)),
    ("mann-whitney", lambda r: math.sqrt(2) * float(stats.norm.ppf((1 + r) / 2))),
    ("wilcoxon", lambda r: float(stats.norm.ppf((1 + r) / 2)) / math.sqrt(2)),
    ("correlation", lambda z: 2 * math.tanh(z) / math.sqrt(1 - math.tanh(z) ** 2)),
    ("regression", lambda z: 2 * math.tanh(z) / math.sqrt(1 - math.tanh(z) ** 2)),
    ("t-independent", lambda g: 1.7 * g),
]


@pytest.mark.parametrize(("kind", "way"), WAYS)
def test_ends_are_converted_as_the_effect_was(kind: str, way: Way) -> None:
    effect, se = 0.45, 0.1
    reach = float(stats.norm.ppf(0.9)) * se
    found = converted_interval(kind, effect, se, way(effect), level=0.8)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((way(effect - reach), way(effect + reach)))


def test_an_end_without_a_d_leaves_no_interval() -> None:
    for kind in ("mann-whitney", "wilcoxon"):
        back = KINDS[kind].to_d(0.0, 0.0)
        assert back is not None and math.isnan(back(1.0)) and math.isnan(back(-1.0))
        assert converted_interval(kind, 0.0, 0.6, 0.0, level=0.95) is None
    assert converted_interval("t-independent", 0.0, 0.1, 0.0, level=0.95) is None
    assert converted_interval("unheard-of", 0.4, 0.1, 0.4, level=0.95) is None
    assert converted_interval("t-independent", 0.4, 0.0, 0.4, level=0.95) is None


@pytest.mark.parametrize(("said", "same"), [(35.0, True), (35.4, True), (35.6, False), (20.0, False)])
def test_papers_print_either_sum_of_signed_ranks(said: float, same: bool) -> None:
    """Of 10 pairs both sums are 55 together: 20 and 35."""
    draft: Any = SimpleNamespace(n=10.0, statistic=20.0)
    assert KINDS["wilcoxon"].same_statistic(draft, said, 0.5) == same


def result(**given: Any) -> TestResult:
    named = dict.fromkeys(TestResult.__dataclass_fields__)
    return TestResult(**{**named, **given})


def test_conclusions_are_expected_from_both_sides() -> None:
    """People: up .8·.75, none .2, down .8·.25; the agent: none .5, up .5."""
    sides = {"human_posterior": 0.8, "human_prob_positive": 0.75, "agent_posterior": 0.5}
    one = result(**sides, agent_prob_positive=1.0)
    assert one.states("human") == pytest.approx((0.6, 0.2, 0.2))
    assert result(**sides).states("agent") == (None, 0.5, None)
    counts = expected_conclusions([one, one, result(**sides), result()])
    wanted = {(0, 0): 0.6, (0, 1): 0.6, (1, 0): 0.2, (1, 1): 0.2, (2, 0): 0.2, (2, 1): 0.2}
    assert counts == pytest.approx({(i, j): wanted.get((i, j), 0.0) for i in range(3) for j in range(3)})
    assert same_conclusions(counts) == pytest.approx((0.8, 2.0))


def test_a_study_loses_its_part_of_the_distance_from_the_ceiling() -> None:
    def study(name: str, value: float | None) -> Any:
        return SimpleNamespace(name=name, pas=SimpleNamespace(value=value))

    pas: Any = SimpleNamespace(end=lambda _: Estimate(0.9))
    studies = [study("a", 0.5), study("b", None), study("c", 0.8)]
    assert dict(lost_points(pas, studies)) == pytest.approx({"a": -0.2, "c": -0.05})
    assert not lost_points(SimpleNamespace(end=lambda _: None), studies)  # type: ignore[arg-type]


def test_tests_are_shown_in_fifths_by_their_pas() -> None:
    n = BINS * FEWEST_IN_BIN + 3
    tests = [
        result(pas=i / n, human_significant=i % 2 == 0, agent_significant=i % 3 == 0, passed=i % 4 == 0)
        for i in reversed(range(n))
    ]
    found = calibration_bins([*tests, result(pas=0.5), result(human_significant=True)], 0.9)
    parts = np.split(np.arange(n), [4, 9, 13, 18])  # of 23: fifths end before 4.6, 9.2, 13.8 and 18.4
    for one, part in zip(found, parts, strict=True):
        same = sum(i % 4 == 0 if i % 2 == 0 else i % 3 != 0 for i in part.tolist())
        ends = wilson_interval(same, part.size, level=0.9)
        assert one == pytest.approx((part.mean() / n, same / part.size, ends.low, ends.high, part.size))
    assert calibration_bins(tests[: BINS * FEWEST_IN_BIN - 1], 0.9) == []
    assert len(calibration_bins(tests[: BINS * FEWEST_IN_BIN], 0.9)) == BINS


def test_polynomials_go_through_the_points_of_chebyshev_exactly() -> None:
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    at = -1 + 2 * np.arange(FINE) / FINE
    for power in range(NODES):
        assert _MATRIX @ nodes**power == pytest.approx(at**power, abs=1e-10)
