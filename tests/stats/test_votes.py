"""A logistic line against statsmodels, and where it has none."""

import numpy as np
import pytest

from concord.errors import UndefinedError
from concord.stats.votes import logistic_line


@pytest.mark.long
def test_the_line_and_its_errors_are_those_of_statsmodels() -> None:
    """Logit(y, [1, x]).fit(cov_type="cluster", cov_kwds={"groups": g}) of statsmodels 0.15."""
    rng = np.random.default_rng(1)
    g = np.repeat(np.arange(40), 4)
    x = rng.normal(size=160)
    u = rng.normal(size=40)[g]
    y = (rng.random(160) < 1 / (1 + np.exp(-(0.3 + 0.8 * x + u)))).astype(float)
    fit = logistic_line(y, np.ones(160), x, g)
    assert [fit.intercept, fit.slope] == pytest.approx([0.40403753, 0.21454905], abs=1e-7)
    assert [fit.intercept_se, fit.slope_se] == pytest.approx([0.21880749, 0.18910778], abs=1e-7)


def test_counts_are_the_same_as_single_trials() -> None:
    one = logistic_line([2, 1, 3, 4], [5, 4, 4, 5], [0.0, 0.5, 1.0, 2.0])
    y = [1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0]
    x = [0.0] * 5 + [0.5] * 4 + [1.0] * 4 + [2.0] * 5
    g = [0] * 5 + [1] * 4 + [2] * 4 + [3] * 5
    many = logistic_line(y, np.ones(18), x, g)
    assert (one.slope, one.slope_se) == pytest.approx((many.slope, many.slope_se))


@pytest.mark.parametrize(
    ("k", "x", "reason"),
    [
        ([0, 0, 1, 1], [0, 1, 2, 3], "no finite value"),
        ([1, 1, 1, 1], [0, 1, 2, 3], "every trial ended alike"),
        ([1, 0, 1, 0], [2, 2, 2, 2], "does not vary"),
        ([1, 0], [1, 2], "2 clusters; at least 3"),
    ],
)
def test_a_line_that_does_not_exist_is_undefined(k: list[int], x: list[int], reason: str) -> None:
    with pytest.raises(UndefinedError, match=reason):
        logistic_line(k, np.ones(len(k)), x)


def test_a_line_over_clusters_has_one_degree_of_freedom_less_than_clusters() -> None:
    found = logistic_line([1, 2, 3, 2, 4, 1], [5] * 6, [0, 1, 2, 0, 3, 1], ["a", "a", "b", "b", "c", "c"])
    assert (found.df, found.n_clusters) == (2.0, 3)
