"""*Worth no more people* is rarely said of predictions that are worth some."""

import numpy as np
import pytest
from scipy import optimize

from concord.people.mixed.combine import combine
from concord.stats.prediction_powered import effective_people

pytestmark = pytest.mark.long


def edge(n: int, m: int, worth: float = 0.5) -> float:
    """Correlation at which predictions are worth half a person: the least that the words deny."""
    return float(optimize.brentq(lambda r: float(effective_people(n, m, r)) - n - worth, 1e-6, 0.9))


def denied(replicates: int, n: int, m: int, kind: str, *, worth: float = 0.5) -> float:
    """Share of sets whose predictions are worth half a person (or none) and are said to be worth none."""
    rng = np.random.default_rng([replicates, n, m, len(kind)])
    r = edge(n, m, worth) if worth else 0.0
    said = 0
    for _ in range(replicates):
        prediction = rng.normal(size=n + m)
        answer = r * prediction[:n] + np.sqrt(1 - r * r) * _noise(rng, n, kind)
        people = [
            {"answer": float(y), "prediction": float(f)} for y, f in zip(answer, prediction, strict=False)
        ]
        more = [{"prediction": float(f)} for f in prediction[n:]]
        said += "worth no more people" in combine(people, more).sentence
    return said / replicates


def _noise(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    return rng.normal(size=n) if kind == "normal" else rng.exponential(size=n) - 1


@pytest.mark.parametrize("kind", ["normal", "skewed"])
def test_predictions_that_are_worth_some_people_are_rarely_said_to_be_worth_none(kind: str) -> None:
    assert denied(150, 60, 240, kind) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 150)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "skewed"])
@pytest.mark.parametrize(("n", "m"), [(30, 120), (100, 1000), (400, 400)])
def test_predictions_that_are_worth_some_people_are_rarely_denied_in_full(n: int, m: int, kind: str) -> None:
    rate = denied(2000, n, m, kind)
    print("worth no more people", n, m, kind, rate)  # noqa: T201
    assert rate <= 0.05
