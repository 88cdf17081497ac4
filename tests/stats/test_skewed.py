"""Means of skewed numbers by Hall's transformation."""

import numpy as np
import pytest
from scipy import special

from concord.errors import UndefinedError
from concord.stats.clustered import clustered_mean
from concord.stats.skewed import _inverse, _transformed, skewed_mean


@pytest.mark.parametrize("b", [-0.8, -0.1, 0.0, 1e-12, 0.3, 1.2])
def test_the_transformation_rises_and_can_be_undone(b: float) -> None:
    t = np.linspace(-6, 6, 61)
    y = np.array([_transformed(float(x), b) for x in t])
    assert (np.diff(y) >= 0).all()
    assert [_inverse(float(one), b) for one in y] == pytest.approx(t, abs=1e-6)


def test_symmetric_numbers_keep_student_t() -> None:
    x = np.concatenate([np.arange(1.0, 9), -np.arange(1.0, 9)]) + 0.5
    found, error = skewed_mean(x), clustered_mean(x)
    reach = float(special.stdtrit(error.df, 0.975)) * error.se
    assert (found.interval.low, found.interval.high) == pytest.approx((0.5 - reach, 0.5 + reach))
    assert not found.seen


def test_test_and_interval_agree() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        found = skewed_mean(rng.exponential(1, 25) - 0.7)
        assert (found.p_value < 0.05) == (not found.interval.low <= 0 <= found.interval.high)


def covered(clusters: int | None, n: int, replicates: int) -> tuple[float, float]:
    rng, plain, adjusted = np.random.default_rng(2), [], []
    for _ in range(replicates):
        x = rng.lognormal(0, 1, n) - np.exp(0.5)
        labels = None if clusters is None else np.repeat(np.arange(clusters), n // clusters)
        if labels is not None:
            x = x + (rng.lognormal(0, 1, clusters) - np.exp(0.5))[labels]
        error, found = clustered_mean(x, labels), skewed_mean(x, labels)
        plain.append(2 * special.stdtr(error.df, -abs(error.mean / error.se)) < 0.05)
        adjusted.append(found.p_value < 0.05)
    return float(np.mean(plain)), float(np.mean(adjusted))


def test_false_positives_of_lognormal_numbers_are_fewer_than_by_t() -> None:
    plain, adjusted = covered(None, 50, 1500)
    assert plain > 0.09
    assert adjusted < 0.08
    plain, adjusted = covered(30, 120, 1500)
    assert adjusted < plain - 0.01


def test_skewness_is_seen_where_it_is_and_needs_units() -> None:
    rng = np.random.default_rng(3)
    assert np.mean([skewed_mean(rng.normal(0, 1, 100)).seen for _ in range(200)]) < 0.1
    assert np.mean([skewed_mean(rng.exponential(1, 100)).seen for _ in range(50)]) == 1.0
    assert not skewed_mean([0.0, 0.0, 0.0, 9.0]).seen
    with pytest.raises(UndefinedError, match="vary"):
        skewed_mean([1.0] * 9)
