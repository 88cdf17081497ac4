"""Intervals of median ratios over few studies: the values themselves cannot be the ends."""

import numpy as np
import pytest

from concord.errors import UndefinedError
from concord.people.answers.score import woodruff


@pytest.mark.parametrize("n_studies", [3, 4, 5])
def test_an_interval_over_few_studies_covers_what_it_says(n_studies: int) -> None:
    rng = np.random.default_rng(n_studies)
    clusters, n, held = np.arange(n_studies, dtype=np.float64), 600, 0
    for _ in range(n):
        found = woodruff(np.exp(rng.normal(0, 0.3, n_studies)), clusters, level=0.95)
        held += found.low <= 1 <= found.high
    # the range of the values alone would hold it in 75, 88 and 94 %
    assert held / n > 0.925


def test_enough_studies_give_ends_among_the_values() -> None:
    values = np.exp(np.random.default_rng(1).normal(0, 0.3, 15))
    found = woodruff(values, np.arange(15, dtype=np.float64), level=0.95)
    assert found.method.startswith("Woodruff")
    assert values.min() < found.low < np.median(values) < found.high < values.max()


def test_a_ratio_of_0_among_few_studies_has_no_interval() -> None:
    with pytest.raises(UndefinedError, match="a ratio of 0 among so few studies"):
        woodruff(np.array([0.0, 0.5, 0.6]), np.arange(3, dtype=np.float64), level=0.95)
