"""Which of two rates is higher: three ways to one number, against 40 digits."""

import mpmath
import numpy as np
import pytest

from concord.stats.two_rates import (
    LARGE,
    _chunk,
    _edgeworth,
    _quadrature,
    _smaller_tail,
    prob_first_rate_higher,
)


def rate_above(k1: int, n1: int, k2: int, n2: int) -> float:
    """P(Beta(a, b) > Beta(c, d)), the sum over i < a of B(c + i, b + d)/((b + i) B(1 + i, b) B(c, d))."""
    a, b, c, d = k1 + 1, n1 - k1 + 1, k2 + 1, n2 - k2 + 1
    with mpmath.workdps(40):
        term, total = mpmath.beta(c, b + d) / mpmath.beta(c, d), mpmath.mpf(0)
        for i in range(a):
            total += term
            term *= mpmath.mpf(c + i) / (c + i + b + d) * (b + i) / (1 + i)
        return float(total)


@pytest.mark.parametrize("n1", [1, 2, 9, 30])
@pytest.mark.parametrize("n2", [1, 7, 30])
def test_every_outcome_of_a_small_design_is_exact(n1: int, n2: int) -> None:
    k1, k2 = (grid.reshape(-1) for grid in np.meshgrid(np.arange(n1 + 1), np.arange(n2 + 1)))
    exact = [rate_above(int(a), n1, int(b), n2) for a, b in zip(k1, k2, strict=True)]
    assert np.abs(np.asarray(prob_first_rate_higher(k1, n1, k2, n2)) - exact).max() < 1e-13


def pairs(low: float, count: int, seed: int) -> np.ndarray:
    """Cells of at least `low`, rates up to six standard errors apart, half of the first cells at the edge."""
    rng = np.random.default_rng(seed)
    a, b, total = rng.integers(int(low), int(5 * low), (3, count)).astype(float)
    a[: count // 2] = low
    z = rng.uniform(-6, 6, count)
    logit = np.log(a / b) + z * np.sqrt(1 / a + 1 / b + 4 / (2 * total))
    c = np.maximum(low, np.round(2 * total / (1 + np.exp(-logit))))
    return np.stack([a, b, c, np.maximum(low, 2 * total - c)])


@pytest.mark.parametrize("low", [LARGE, 400.0])
def test_large_cells_are_right_to_1e_11(low: float) -> None:
    cells = pairs(low, 40, seed=int(low))
    a, b, c, d = (column.astype(int) for column in cells)
    truth = [rate_above(*row) for row in zip(a - 1, a + b - 2, c - 1, c + d - 2, strict=True)]
    assert np.abs(_edgeworth(cells) - truth).max() < 1e-11


def test_the_three_ways_meet() -> None:
    cells = pairs(LARGE, 200, seed=3)
    assert np.abs(_edgeworth(cells) - _smaller_tail(cells)).max() < 3e-11
    assert np.abs(_quadrature(cells) - _edgeworth(cells)).max() < 1e-11
    small = pairs(20.0, 200, seed=4)
    assert np.abs(_quadrature(small) - _smaller_tail(small)).max() < 1e-11


def test_a_small_tail_keeps_its_relative_precision() -> None:
    """Where one rate is surely lower, the probability is tiny and not a difference of two ones."""
    assert prob_first_rate_higher(2, 60, 55, 60) == pytest.approx(rate_above(2, 60, 55, 60), rel=1e-12)
    assert rate_above(2, 60, 55, 60) < 1e-20


def test_a_table_has_its_value_whatever_stands_beside_it() -> None:
    rng = np.random.default_rng(5)
    n1, n2 = rng.integers(1, 900, (2, 400)).astype(float)
    k1, k2 = np.floor(rng.random(400) * (n1 + 1)), np.floor(rng.random(400) * (n2 + 1))
    together = np.asarray(prob_first_rate_higher(k1, n1, k2, n2))
    alone = [_chunk(*(np.array([x]) for x in row))[0] for row in zip(k1, n1, k2, n2, strict=True)]
    assert np.abs(together - alone).max() < 1e-15


def test_counts_that_are_not_whole_lie_between_their_neighbours() -> None:
    low, middle, high = (prob_first_rate_higher(k, 12, 5, 12) for k in (6, 6.5, 7))
    assert low < middle < high
