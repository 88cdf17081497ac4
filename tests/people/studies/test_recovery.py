"""Random participants with known parameters: their effects lie in the intervals as often as promised."""

import math

import numpy as np
import pytest

from concord import studies
from concord.records import Side

RATES = {"gain": 0.7, "loss": 0.3}
SHIFT = 0.8
"""True standardised difference between ultimatum and dictator offers."""


def _agent(rng: np.random.Generator) -> studies.Agent:
    def answer(question: studies.Question) -> str:
        name, _ = question.items[0]
        if name == "split":
            mean = 2.0 + SHIFT * 0.4 * (question.condition["game"] == "ultimatum")
            offer = min(max(round(rng.normal(mean, 0.4), 2), 0.0), 5.0)
            return f"me: {5 - offer:.2f}, other: {offer:.2f}"
        rate = RATES.get(question.condition.get("frame", ""), 0.5)
        return "A" if rng.random() < rate else "B"

    return answer


def _side(done: studies.StudiesResult, study: str, finding: str) -> Side:
    side = next(row.agent for row in done.test_table.rows if (row.study, row.finding) == (study, finding))
    assert side is not None
    return side


def _covers_odds(side: Side) -> bool:
    assert side.table is not None
    (a, b), (c, d) = side.table
    truth = 2 * math.log(0.7 / 0.3)
    error = math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    return abs(math.log(a * d / (b * c)) - truth) < 1.96 * error


def _covers_d(side: Side) -> bool:
    assert side.statistic is not None
    assert side.n1 is not None
    assert side.n2 is not None
    d = side.statistic * math.sqrt(1 / side.n1 + 1 / side.n2)
    error = math.sqrt(1 / side.n1 + 1 / side.n2 + d * d / (2 * (side.n1 + side.n2)))
    return abs(d + SHIFT) < 1.96 * error


def _coverage(runs: int) -> tuple[float, float]:
    covered = np.zeros((runs, 2))
    for i in range(runs):
        plans = studies.plan(["framing", "dictator-ultimatum"], n=80, seed=i)
        done = studies.run(plans, _agent(np.random.default_rng(i)), n_resamples=0)
        covered[i, 0] = _covers_odds(_side(done, "framing", "F1"))
        covered[i, 1] = _covers_d(_side(done, "dictator-ultimatum", "F2"))
    odds, d = covered.mean(axis=0)
    return float(odds), float(d)


@pytest.mark.slow
@pytest.mark.long
def test_known_parameters_lie_in_their_intervals_in_most_runs() -> None:
    odds, d = _coverage(25)
    assert min(odds, d) >= 0.84


@pytest.mark.slow
def test_known_parameters_lie_in_95_percent_intervals_as_often_as_promised() -> None:
    odds, d = _coverage(1000)
    assert 0.93 < odds < 0.975
    assert 0.93 < d < 0.975
