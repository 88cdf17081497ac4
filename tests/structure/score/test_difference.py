"""Differences of two models: joint resampling of shared items covers the true differences."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from concord.records import Estimate
from concord.stats.bands import ItemWeights
from concord.stats.gaps import expected_maximum
from concord.structure.records import ScoreOptions
from concord.structure.score.definitions import Counted
from concord.structure.score.difference import (
    ResampledModels,
    _spread_correlation,
    compared_models,
    resampled_tau,
    tau_columns,
)

P, K = 8, 4
Floats = NDArray[np.float64]


class Model(NamedTuple):
    """A simulated model: noise of its samples per arrangement, shift of its mean score per arrangement."""

    noise: Floats
    shift: Floats

    @property
    def truth(self) -> tuple[float, float, float, float]:
        gaps = 0.08 * self.noise * expected_maximum(K)
        e, r = float(gaps.mean()), float(gaps.max())
        return e, r, (1 - e) * (1 - r), float(self.shift.std(ddof=1))


EQUAL = Model(np.ones(P), np.zeros(P))
UNEVEN = Model(np.linspace(0.5, 1.5, P), 0.03 * np.linspace(-1, 1, P))
SHIFTED = Model(np.ones(P), 0.05 * np.cos(np.arange(P)))


def draw(rng: np.random.Generator, model: Model, sd: Floats, base: Floats, name: str) -> Counted:
    n = len(sd)
    y = base + model.shift[None, :, None] + sd * model.noise[None, :, None] * rng.normal(size=(n, P, K))
    items = tuple(f"i{k:04d}" for k in range(n))
    names = tuple(f"P{p}" for p in range(P))
    return Counted(name, names, items, y.mean(-1), y.max(-1), np.arange(n), n, items)


def coverage(first: Model, second: Model, n: int, replicates: int) -> list[float]:
    """Coverage of the intervals for the differences of E, R, S and tau."""
    rng = np.random.default_rng([n, replicates])
    truth = np.subtract(first.truth, second.truth)
    hits = np.zeros(4)
    for r in range(replicates):
        sd, base = rng.gamma(4, 0.02, size=(n, 1, 1)), 0.5 + 0.05 * rng.normal(size=(n, 1, 1))
        models = {name: draw(rng, m, sd, base, name) for name, m in (("a", first), ("b", second))}
        entry = compared_models(
            "a", "b", models, ResampledModels(ScoreOptions("paired"), ItemWeights(r, 300))
        )
        hits += [
            _covers(e, t)
            for e, t in zip((entry.e_perf, entry.r_sens, entry.s_cons, entry.tau), truth, strict=True)
        ]
    return [float(share) for share in hits / replicates]


def _covers(estimate: Estimate, truth: float) -> bool:
    assert estimate.interval is not None
    return estimate.interval.low <= truth <= estimate.interval.high


FEW = 60
PAIRS = [(EQUAL, EQUAL), (UNEVEN, EQUAL), (SHIFTED, UNEVEN)]


@pytest.mark.long
@pytest.mark.parametrize(("first", "second"), PAIRS[:1], ids=["equal"])
def test_differences_are_covered_in_a_small_simulation(first: Model, second: Model) -> None:
    assert min(coverage(first, second, 40, FEW)) >= binom.ppf(0.001, FEW, 0.95) / FEW


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=["equal", "uneven", "shifted"])
def test_differences_are_covered(first: Model, second: Model, n: int) -> None:
    shares = coverage(first, second, n, 2000)
    print(f"N = {n}: E {shares[0]:.4f}, R {shares[1]:.4f}, S {shares[2]:.4f}, tau {shares[3]:.4f}")  # noqa: T201
    assert 0.93 <= shares[0] <= 0.97
    assert min(shares[1:]) >= 0.93


def test_tau_of_a_resample_is_that_of_its_analysis_of_variance() -> None:
    rng = np.random.default_rng(5)
    layout = rng.random((12, 4)) / 2 + np.arange(4) / 8
    chosen = rng.integers(0, 12, (3, 12))
    found = resampled_tau(layout, tau_columns(layout)[chosen].sum(axis=1))
    for one, rows in zip(found, layout[chosen], strict=True):
        of_row, of_column = rows.mean(axis=1, keepdims=True), rows.mean(axis=0)
        arrangement = 12 * np.sum((of_column - rows.mean()) ** 2) / 3
        residual = np.sum((rows - of_row - of_column + rows.mean()) ** 2) / (11 * 3)
        assert one == pytest.approx(np.sqrt((arrangement - 2 * residual) / 12), abs=1e-9)


def test_spreads_are_correlated_where_they_come_from_the_same_resamples() -> None:
    first, second = np.array([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 0.0])
    assert _spread_correlation(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert _spread_correlation(first, second[:2]) == 0.0
    assert _spread_correlation(first, np.ones(3)) == 0.0
