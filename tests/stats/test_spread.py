"""The spread of means of conditions, for every small table of right and wrong."""

import itertools
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import UndefinedError
from concord.stats.answer_spread import person_correlation_error
from concord.stats.spread import MeansSpread, flip_excess, flip_excess_of_shares, spread_difference, spread_of


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


def brute(rows: list[tuple[int, int, int]]) -> float:
    """Count pairs one by one."""
    differ: dict[bool, list[bool]] = {True: [], False: []}
    for (p, _, a), (q, _, b) in itertools.combinations(rows, 2):
        differ[p == q].append(a != b)
    if not differ[True] or not differ[False]:
        return float("nan")
    return float(np.mean(differ[False]) - np.mean(differ[True]))


@given(st.lists(st.tuples(st.integers(0, 3), st.just(0), st.integers(0, 2)), min_size=1, max_size=12))
def test_the_excess_is_that_of_counting_pairs(rows: list[tuple[int, int, int]]) -> None:
    arrangement, item, answer = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    found = float(flip_excess(item, arrangement, answer, n_items=1)[0])
    np.testing.assert_allclose(found, brute(rows), atol=1e-12)


def test_samples_without_an_answer_are_left_out() -> None:
    item, order = np.zeros(6, dtype=np.int64), np.array([0, 0, 0, 1, 1, 1])
    with_gaps = flip_excess(item, order, np.array([1, 1, -1, 2, 2, -1]), n_items=1)
    assert with_gaps.tolist() == [1.0]


def test_one_sample_an_arrangement_leaves_the_excess_undefined() -> None:
    item, order = np.zeros(2, dtype=np.int64), np.array([0, 1])
    assert np.isnan(flip_excess(item, order, np.array([1, 2]), n_items=2)).all()


def test_the_excess_is_zero_on_average_when_the_arrangement_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    n, p, k = 3000, 4, 2
    item, order = np.repeat(np.arange(n), p * k), np.tile(np.repeat(np.arange(p), k), n)
    chance = np.repeat(rng.random(n), p * k)
    answer = (rng.random(n * p * k) < chance).astype(np.int64)
    excess = flip_excess(item, order, answer, n_items=n)
    assert abs(excess.mean()) < 4 * excess.std() / np.sqrt(n)


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=4))
def test_shares_of_right_draws_give_the_flip_excess_of_the_draws(right: list[list[int]]) -> None:
    draws = [(i, a, int(k < n)) for i, row in enumerate(right) for a, n in enumerate(row) for k in range(4)]
    item, order, answer = (np.array(column, dtype=np.int64) for column in zip(*draws, strict=True))
    single = flip_excess(item, order, answer, n_items=len(right))
    assert flip_excess_of_shares(np.array(right) / 4, 4) == pytest.approx(single, abs=1e-12)


def test_one_arrangement_has_no_flip_excess() -> None:
    assert np.isnan(flip_excess_of_shares(np.array([[0.5, np.nan]]), 10)).all()


def test_the_error_of_a_correlation_is_that_of_its_influence() -> None:
    rng = np.random.default_rng(3)
    h = rng.exponential(size=300)
    a = h + rng.normal(size=300)
    zh, za = ((x - x.mean()) / x.std() for x in (h, a))
    r = float(np.corrcoef(h, a)[0, 1])
    influence = zh * za - r / 2 * (zh**2 + za**2)
    expected = influence.std() / np.sqrt(300) * np.sqrt(300 / 297)
    assert person_correlation_error(h, a)[0] == pytest.approx(expected, rel=1e-12)


def test_the_error_of_a_normal_correlation_is_fishers() -> None:
    rng = np.random.default_rng(4)
    h = rng.normal(size=200_000)
    a = 0.6 * h + 0.8 * rng.normal(size=200_000)
    # Fisher (1915): (1 - r²) / √n for normal pairs
    assert person_correlation_error(h, a)[0] == pytest.approx((1 - 0.36) / np.sqrt(200_000), rel=0.02)
