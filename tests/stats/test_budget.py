"""The interval of a variance: invariance, undefined cases, coverage."""

import numpy as np
import pytest
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.stats.design import variance_interval


def test_the_formula_by_hand_for_a_sample_without_a_trimmed_end() -> None:
    """Bonett (2006), equation 3, written out: n = 8, trimmed by 2 at both ends."""
    x = np.array([1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 9.0, 14.0])
    squares, m = np.sum((x - 6.0) ** 2), np.mean([4.0, 5.0, 6.0, 7.0])
    kurtosis = 8 * np.sum((x - m) ** 4) / squares**2
    c = 8 / (8 - 1.959963984540054)
    reach = 1.959963984540054 * c * np.sqrt((kurtosis - 5 / 8) / 7)
    ours = variance_interval(x)
    assert ours.low == pytest.approx(c * squares / 7 * np.exp(-reach), rel=1e-12)
    assert ours.high == pytest.approx(c * squares / 7 * np.exp(reach), rel=1e-12)


def test_the_interval_follows_the_unit() -> None:
    x = np.random.default_rng(1).normal(3, 2, 30)
    one, other = variance_interval(x), variance_interval(10 * x - 5)
    assert (other.low, other.high) == pytest.approx((100 * one.low, 100 * one.high), rel=1e-9)


def test_too_few_or_equal_values_have_no_interval() -> None:
    with pytest.raises(UndefinedError, match="at least 8 values, there are 7"):
        variance_interval(np.arange(7.0))
    with pytest.raises(UndefinedError, match="every value is the same"):
        variance_interval(np.ones(9))


def differences(kind: str, n: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], float]:
    """Paired differences and their true variance."""
    if kind == "measured":
        return rng.normal(0, 1, n), 1.0
    if kind == "repeated":
        return (rng.binomial(3, 0.5, n) - rng.binomial(3, 0.5, n)) / 3, 1 / 6
    return rng.choice([-1.0, 0.0, 1.0], n, p=[0.15, 0.65, 0.2]), 0.35 - 0.05**2


@pytest.mark.parametrize("n", [30, 60, 200])
@pytest.mark.parametrize("kind", ["measured", "repeated", "counted"])
def test_intervals_of_paired_differences_cover(kind: str, n: int) -> None:
    rng, covered = np.random.default_rng([7, n]), 0
    for _ in range(2000):
        x, true = differences(kind, n, rng)
        interval = variance_interval(x)
        covered += interval.low <= true <= interval.high
    assert 0.93 <= covered / 2000 <= 0.97
