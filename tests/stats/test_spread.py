"""The spread of means of conditions, for every small table of right and wrong."""

from itertools import product

import numpy as np
import pytest

from concord.errors import UndefinedError
from concord.stats.spread import MeansSpread, spread_difference, spread_of


@pytest.mark.parametrize("units", [2, 3])
def test_every_small_table_of_right_and_wrong_has_ends_or_says_why_not(units: int) -> None:
    # where the means lie in a direction without noise, rounding once left its variance below 0
    undefined = 0
    for cells in product([0.0, 1.0], repeat=3 * units):
        try:
            low, high = spread_of(np.reshape(cells, (units, 3))).ends(0.95)
        except UndefinedError:
            undefined += 1
            continue
        assert 0 <= low <= high < np.inf
    assert 0 < undefined < 2 ** (3 * units) / 4


MOVED = 0.03 * np.linspace(-1, 1, 8)
NOISE = 0.04 * np.linspace(0.5, 1.5, 8)


def two(rng: np.random.Generator) -> tuple[MeansSpread, MeansSpread]:
    """Return the spread of a model that order moves, and of one without any."""
    moved, still = MOVED + NOISE * rng.normal(size=(40, 8)), 0.04 * rng.normal(size=(40, 8))
    return spread_of(moved), spread_of(still)


def test_an_interval_reaches_as_if_the_other_spread_were_0_where_it_may_be() -> None:
    moved, still = two(np.random.default_rng(3))
    assert still.low(0.025) == 0 < still.tau
    _, (low, high), _ = spread_difference(moved, still, 0.0)
    assert high == pytest.approx(moved.high(0.025))
    assert 0 < low < moved.tau - still.tau
    _, mirrored, _ = spread_difference(still, moved, 0.0)
    assert mirrored == pytest.approx((-high, -low))
