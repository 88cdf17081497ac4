"""The spread of means of conditions, for every small table of right and wrong."""

from itertools import product

import numpy as np
import pytest

from concord.errors import UndefinedError
from concord.stats.spread import spread_of


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
