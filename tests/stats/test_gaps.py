"""Deviations of orders from the mean of all: by hand, and how often all are covered at once."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from concord.errors import UndefinedError
from concord.stats.gaps import (
    deviation_band,
    expected_maximum,
    fixed_m_gap,
    fixed_m_gap_binary,
    fixed_m_gap_cells,
    maximum_weights,
)


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (2, 0.56419),
        (3, 0.84628),
        (4, 1.02938),
        (5, 1.16296),
        (10, 1.53875),
        (20, 1.86748),
        (50, 2.24907),
        (100, 2.50759),
    ],
)
def test_expected_maximum_as_tabled(k: int, expected: float) -> None:
    """Harter (1961), Biometrika 48, table 1, largest order statistic."""
    assert expected_maximum(k) == pytest.approx(expected, abs=6e-6)


@pytest.mark.parametrize(
    ("k", "closed"),
    [
        (1, 0.0),
        (2, 1 / np.sqrt(np.pi)),
        (3, 1.5 / np.sqrt(np.pi)),
        (4, 3 / np.sqrt(np.pi) * (0.5 + np.arcsin(1 / 3) / np.pi)),
    ],
)
def test_expected_maximum_in_closed_form(k: int, closed: float) -> None:
    """Known closed forms up to four variables."""
    assert expected_maximum(k) == pytest.approx(closed, abs=1e-12)


def test_expected_maximum_grows_without_bound_and_slowly() -> None:
    values = [expected_maximum(k) for k in (1, 2, 10, 1000, 10**6)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(4.8637, abs=1e-3)


@pytest.mark.parametrize(("k", "m"), [(4, 5), (4, 0), (0, 1)])
def test_a_maximum_of_more_than_there_is_is_undefined(k: int, m: int) -> None:
    with pytest.raises(UndefinedError, match="is not defined"):
        maximum_weights(k, m)
    with pytest.raises(UndefinedError, match="is not defined"):
        fixed_m_gap_binary(0.5, k, m)


def test_the_maximum_of_nothing_is_undefined() -> None:
    with pytest.raises(UndefinedError, match="the maximum of 0 variables"):
        expected_maximum(0)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=7), st.integers(2, 4))
def test_the_gap_is_the_mean_over_all_subsets(samples: list[float], m: int) -> None:
    if m > len(samples):
        return
    brute = np.mean([max(subset) for subset in itertools.combinations(samples, m)]) - np.mean(samples)
    assert float(fixed_m_gap(samples, m)) == pytest.approx(float(brute), abs=1e-12)


@given(st.integers(2, 12), st.integers(2, 5), st.data())
def test_binary_scores_need_only_their_mean(k: int, m: int, data: st.DataObject) -> None:
    if m > k:
        return
    ones = data.draw(st.integers(0, k))
    samples = [1.0] * ones + [0.0] * (k - ones)
    assert float(fixed_m_gap_binary(ones / k, k, m)) == pytest.approx(
        float(fixed_m_gap(samples, m)), abs=1e-12
    )


@given(st.lists(st.lists(st.floats(0, 1), max_size=6), min_size=1, max_size=5), st.integers(2, 3))
def test_many_cells_at_once_equal_each_alone(cells: list[list[float]], m: int) -> None:
    code = np.array([c for c, cell in enumerate(cells) for _ in cell], dtype=np.int64)
    score = np.array([y for cell in cells for y in sorted(cell)], dtype=np.float64)
    gaps, counts = fixed_m_gap_cells(code, score, len(cells), m=m)
    for c, cell in enumerate(cells):
        assert counts[c] == len(cell)
        if len(cell) < m:
            assert np.isnan(gaps[c])
        else:
            assert gaps[c] == pytest.approx(float(fixed_m_gap(cell, m)), abs=1e-12)


def test_a_missing_mean_has_no_gap() -> None:
    assert np.isnan(fixed_m_gap_binary([np.nan, 0.5], 4)).tolist() == [True, False]


def _bias(k: int, n_cells: int, seed: int) -> float:
    """Mean gap of skewed samples less its true value, in standard errors."""
    y = np.random.default_rng(seed).beta(0.5, 1.5, size=(n_cells, k))
    gaps = fixed_m_gap(y, 2)
    x, w = np.polynomial.legendre.leggauss(400)
    t = (x + 1) / 2
    from scipy import special

    truth = float(w / 2 @ (1 - special.betainc(0.5, 1.5, t) ** 2)) - 0.25
    return float((gaps.mean() - truth) / (gaps.std(ddof=1) / np.sqrt(n_cells)))


@pytest.mark.parametrize("k", range(2, 17))
def test_the_fixed_m_gap_is_unbiased_for_every_number_of_samples(k: int) -> None:
    assert abs(_bias(k, 20_000, seed=k)) < 3.5


@pytest.mark.slow
@pytest.mark.parametrize("k", range(2, 17))
def test_the_fixed_m_gap_is_unbiased_in_a_large_simulation(k: int) -> None:
    assert abs(_bias(k, 1_000_000, seed=100 + k)) < 3.5


def test_the_plain_gap_grows_with_the_number_of_samples_and_the_fixed_one_does_not() -> None:
    y = np.random.default_rng(0).random((20_000, 16))
    plain = [float((y[:, :k].max(1) - y[:, :k].mean(1)).mean()) for k in (2, 4, 8, 16)]
    fixed = [float(fixed_m_gap(y[:, :k]).mean()) for k in (2, 4, 8, 16)]
    assert plain[-1] > 2 * plain[0]
    assert fixed == pytest.approx([1 / 6] * 4, abs=0.005)


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
