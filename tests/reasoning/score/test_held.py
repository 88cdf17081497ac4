"""The program says beside a number where its interval does not hold."""

from collections.abc import Callable

import numpy as np
import pytest

from concord.reasoning.score.bias import _bias_rate as bias_rate
from concord.reasoning.score.gap import Items, accuracy, gap_estimate
from concord.reasoning.score.steps import _step_estimate as step_estimate
from concord.stats import coverage
from concord.stats.compare import compare_items
from concord.stats.coverage import CoverageRow
from concord.stats.study_intervals import apr_interval, ecs_interval, pas_interval

FAMILIES = np.repeat(np.arange(5), 4)


def _items(families: bool) -> Items:
    d, n = np.array([0.0, 1.0, 0.0, 0.0] * 5), 20
    return Items(np.arange(n), d, np.zeros(n), n, n, 5, 0, FAMILIES if families else None)


def _numbers() -> np.ndarray:
    return np.random.default_rng(1).random(20)


NOTED: dict[str, Callable[[], str]] = {
    "PAS": lambda: pas_interval([0.4, 0.5, 0.7, 0.6]).note,
    "APR": lambda: apr_interval([2, 3, 4], [5, 5, 5]).note,
    "ECS": lambda: ecs_interval(_numbers(), _numbers()[::-1], FAMILIES, rng=np.random.default_rng(2)).note,
    "difference": lambda: compare_items(_numbers(), _numbers() ** 2).difference.note,
    "families": lambda: compare_items(_numbers(), _numbers() ** 2, FAMILIES).difference.note,
    "gap": lambda: gap_estimate(_items(False), 0).note,
    "gap of families": lambda: gap_estimate(_items(True), 0).note,
    "accuracy with repeats": lambda: accuracy(_numbers(), 30, 60, 0).note,
    "silent bias with repeats": lambda: bias_rate(np.array([1.0, 2.0]), np.array([3.0, 3.0]), 0, "").note,
    "Step-F1": lambda: step_estimate(_numbers(), 0, [None] * 20).note,
    "Step-F1 of families": lambda: step_estimate(_numbers(), 0, list("abcde") * 4).note,
}


@pytest.mark.parametrize("number", list(NOTED))
def test_the_program_itself_says_where_an_interval_does_not_hold(
    number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def outside(kind: str, size: float, look: str) -> CoverageRow:
        return CoverageRow(kind, int(size), look, 0.6, "somewhere", 0.96, "elsewhere")

    assert "held the truth in 60 %" not in NOTED[number]()
    monkeypatch.setattr(coverage, "coverage_row", outside)
    assert "held the truth in 60 % of simulations at worst (somewhere)" in NOTED[number]()
