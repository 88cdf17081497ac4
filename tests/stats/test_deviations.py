"""Deviations of orders from the mean of all: by hand, and how often all are covered at once."""

import numpy as np
import pytest
from scipy import stats

from concord.stats.gaps import deviation_band


def test_values_and_ends_are_those_of_the_definition() -> None:
    scores = np.array([[1.0, 0.0, 0.5], [0.5, 0.5, 0.5], [0.0, 0.0, 1.0], [1.0, 0.5, 0.5]])
    band = deviation_band(scores, level=0.9)
    assert band is not None
    off = scores - scores.mean(axis=1, keepdims=True)
    assert band.values == pytest.approx(off.mean(axis=0))
    wide = stats.t.ppf(1 - 0.1 / 6, 3) * off.std(axis=0, ddof=1) / 2
    assert band.high - band.values == pytest.approx(wide)
    assert band.values.sum() == pytest.approx(0)


def test_items_with_a_missing_score_are_left_out() -> None:
    whole = [[1.0, 0.0], [0.5, 0.25], [0.0, 0.5]]
    band, same = deviation_band([*whole, [1.0, np.nan]]), deviation_band(whole)
    assert band is not None
    assert same is not None
    assert band.n_items == 3
    assert band.low == pytest.approx(same.low)


@pytest.mark.parametrize("scores", [[[1.0], [0.0]], [[1.0, 0.0]], [[1.0, np.nan], [np.nan, 0.0]]])
def test_too_little_gives_no_band(scores: list[list[float]]) -> None:
    assert deviation_band(scores) is None


def test_all_orders_are_covered_at_once() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([0.1, -0.05, 0.0, -0.05])
    covered = 0
    for _ in range(400):
        scores = rng.normal(size=(25, 1)) + truth + 0.5 * rng.normal(size=(25, 4))
        band = deviation_band(scores)
        assert band is not None
        covered += bool(((band.low <= truth) & (truth <= band.high)).all())
    assert covered / 400 > 0.93
