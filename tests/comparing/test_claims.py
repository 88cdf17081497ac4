"""*Regression* is rarely said of models alike, and *scores higher* of gaps alike."""

from collections.abc import Callable

import numpy as np
import pytest

import concord
from concord.comparing.result import CompareResult

pytestmark = pytest.mark.long

Scores = Callable[[np.random.Generator, int], np.ndarray]


def _right(rng: np.random.Generator, n: int) -> np.ndarray:
    ability = rng.beta(3, 2, n)
    return (rng.random((2, n)) < ability).astype(float)


def _gaps(rng: np.random.Generator, n: int) -> np.ndarray:
    """With reasoning minus without, vignette by vignette, of two models alike: -1, 0 or 1."""
    ability = rng.beta(2, 2, n)
    early = rng.random((2, n)) < ability
    late = rng.random((2, n)) < np.minimum(1, ability + 0.2)
    return late.astype(float) - early


KINDS: dict[str, Scores] = {
    "normal": lambda g, n: g.normal(size=n) + 0.5 * g.normal(size=(2, n)),
    "skewed": lambda g, n: g.exponential(size=(2, n)),
    "right or wrong": _right,
    "gaps": _gaps,
}


def claims(kind: str, n: int, replicates: int, margin: float | None = None) -> tuple[float, float]:
    """Share of pairs alike of which a difference is claimed, and of which a regression is."""
    rng = np.random.default_rng([replicates, n, len(kind)])
    different = worse = 0
    for _ in range(replicates):
        sides = KINDS[kind](rng, n)
        tables = ([{"item": i, "score": float(x)} for i, x in enumerate(one)] for one in sides)
        found = concord.compare(*tables, names=["old", "new"], n_flips=999)
        assert isinstance(found, CompareResult)
        p = found.pairs[0].p_holm
        different += p is not None and p < 0.05
        worse += found.fail_if_worse(margin=margin).found
    return different / replicates, worse / replicates


@pytest.mark.parametrize("kind", KINDS)
def test_models_alike_are_rarely_called_a_regression(kind: str) -> None:
    different, worse = claims(kind, 60, 100)
    assert different <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 100)
    assert worse <= 0.025 + 2.5 * np.sqrt(0.025 * 0.975 / 100)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [30, 100, 300])
def test_models_alike_are_rarely_called_a_regression_in_full(kind: str, n: int) -> None:
    different, worse = claims(kind, n, 2000)
    print("regression", kind, n, different, worse)  # noqa: T201
    assert different <= 0.05 + 3 * 0.005
    assert worse <= 0.025 + 3 * 0.0035
