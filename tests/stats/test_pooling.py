"""Pooling by Fisher z."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from concord.errors import OptionError, UndefinedError
from concord.stats.pooling import (
    fisher_z,
    fisher_z_inverse,
    mean_groups,
    pool_normalised,
    pool_normalised_groups,
    pool_pas,
    pool_pas_groups,
)

INNER = st.floats(5e-7, 1 - 5e-7)
PAS = st.floats(0, 1)


def several(elements: st.SearchStrategy[float]) -> st.SearchStrategy[np.ndarray]:
    """Two to nine tests of a finding."""
    return hnp.arrays(np.float64, st.integers(2, 9), elements=elements)


# --- values with a source ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("r", "z"),
    [(0.0, 0.0), (0.5, np.log(3) / 2), (-0.8, -np.log(9) / 2), (1.0, 0.5 * np.log((2 - 1e-6) / 1e-6))],
)
def test_fisher_z_is_half_the_log_of_the_ratio(r: float, z: float) -> None:
    assert fisher_z(r) == pytest.approx(z, abs=1e-10)
    assert fisher_z(-r) == -fisher_z(r)


def test_fisher_z_clamps_beyond_one_and_leaves_nan_undefined() -> None:
    z = np.asarray(fisher_z([1.7, 1.0, 1 - 1e-6, np.nan]))
    assert z[0] == z[1] == z[2]
    assert np.isnan(z[3])


def test_odds_of_pooled_pas_are_geometric_means() -> None:
    # atanh(2p - 1) is half the log odds, so z-pooling is a weighted geometric mean of the odds
    odds = (9.0**30 * 1.0**10) ** (1 / 40)
    assert pool_pas([0.9, 0.5], [30, 10]) == pytest.approx(odds / (1 + odds), abs=1e-15)


def test_two_tests_with_a_pas_of_zero_pool_to_about_zero() -> None:
    assert pool_pas([0.0, 0.0]) == pytest.approx(5e-7, abs=1e-12)


def test_normalised_pas_by_hand() -> None:
    # H = .82: the most a model can agree with a human posterior of .9 that it shares
    assert pool_normalised([0.82], [0.9]) == pytest.approx(1.0, abs=1e-15)
    assert pool_normalised([0.66], [0.9]) == pytest.approx(0.32 / 0.64, abs=1e-15)
    pooled = np.tanh((np.arctanh(0.5) * 3 + np.arctanh(-0.25) * 1) / 4)
    assert pool_normalised([0.66, 0.42], [0.9, 0.9], [3, 1]) == pytest.approx(pooled, abs=1e-14)


# --- properties -------------------------------------------------------------------------------------


@given(INNER, st.integers(1, 9))
def test_pooling_equal_values_returns_them(value: float, n: int) -> None:
    assert pool_pas([value] * n, np.arange(1, n + 1)) == pytest.approx(value, abs=1e-12)


@given(PAS, st.floats(0, 1e6))
def test_one_test_is_itself_exactly_whatever_its_weight(value: float, weight: float) -> None:
    assert pool_pas([value], [weight]) == value
    assert pool_pas([np.nan, value, np.nan], [5, weight, np.nan]) == value


@given(several(PAS))
def test_pooled_pas_lies_between_its_parts_and_mirrors(pas: np.ndarray) -> None:
    pooled = float(pool_pas(pas))
    clamped = np.clip(pas, 5e-7, 1 - 5e-7)
    assert clamped.min() - 1e-12 <= pooled <= clamped.max() + 1e-12
    assert pool_pas(1 - pas) == pytest.approx(1 - pooled, abs=1e-9)  # 1 - pas itself is rounded


@given(several(PAS), st.floats(1e-6, 1e6), st.integers(0, 2**32 - 1))
def test_scale_of_weights_and_order_of_tests_do_not_matter(pas: np.ndarray, factor: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights, order = rng.uniform(1, 500, len(pas)), rng.permutation(len(pas))
    pooled = pool_pas(pas, weights)
    assert pool_pas(pas, factor * weights) == pytest.approx(pooled, abs=1e-12)
    assert pool_pas(pas[order], weights[order]) == pytest.approx(pooled, abs=1e-12)


@given(several(PAS), several(PAS), several(PAS))
def test_groups_equal_their_members_pooled_alone(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    parts = [a, b[:1], c]
    weights = [np.arange(1.0, len(part) + 1) for part in parts]
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    together = pool_pas_groups(np.concatenate(parts), np.concatenate(weights), starts)
    alone = [float(pool_pas(part, weight)) for part, weight in zip(parts, weights, strict=True)]
    np.testing.assert_allclose(together, np.array(alone), atol=1e-14)
    assert together[1] == b[0]


def test_a_batch_of_models_is_pooled_row_by_row() -> None:
    rng = np.random.default_rng(4)
    pas, weights = rng.uniform(size=(5, 3, 8)), rng.uniform(1, 9, size=8)
    pooled = pool_pas_groups(pas, weights, [0, 3, 7])
    assert pooled.shape == (5, 3, 3)
    np.testing.assert_array_equal(pooled[2, 1], pool_pas_groups(pas[2, 1], weights, [0, 3, 7]))
    np.testing.assert_allclose(pool_pas(pas, weights), pool_pas_groups(pas, weights, [0])[..., 0], rtol=0)


@given(several(st.floats(0.55, 1.0)))
def test_a_model_that_is_the_human_side_has_normalised_pas_of_about_one(human: np.ndarray) -> None:
    own = human**2 + (1 - human) ** 2
    assert pool_normalised(own, human) == pytest.approx(1.0, abs=2e-6)


# --- undefined --------------------------------------------------------------------------------------


def test_weights_that_sum_to_zero_leave_the_mean_unweighted() -> None:
    assert pool_pas([0.9, 0.5], [0, 0]) == pool_pas([0.9, 0.5])
    grouped = pool_pas_groups([0.9, 0.5, 0.9, 0.5], [0, 0, 30, 10], [0, 2])
    assert grouped.tolist() == [pool_pas([0.9, 0.5]), pool_pas([0.9, 0.5], [30, 10])]


def test_a_weight_of_zero_beside_others_counts_for_nothing_but_is_still_a_test() -> None:
    # two defined tests: pooled (and clamped), not returned as a lone test would be
    assert pool_pas([1.0, 0.3], [7, 0]) == pytest.approx(1 - 5e-7, abs=1e-12)


def test_undefined_tests_are_left_out() -> None:
    assert pool_pas([0.9, np.nan, 0.5], [30, 99, 10]) == pool_pas([0.9, 0.5], [30, 10])


@pytest.mark.parametrize("nothing", [[], [np.nan], [np.nan, np.nan]])
def test_nothing_to_pool_is_undefined_not_a_half(nothing: list[float]) -> None:
    with pytest.raises(UndefinedError, match="no defined unit"):
        pool_pas(nothing)
    with pytest.raises(UndefinedError, match="no defined unit"):
        pool_normalised(nothing, 0.9)


def test_a_group_with_nothing_defined_is_undefined_beside_others() -> None:
    np.testing.assert_array_equal(pool_pas_groups([np.nan, np.nan, 0.2], None, [0, 2]), [np.nan, 0.2])


def test_a_coin_on_the_human_side_scores_zero_alone_and_is_left_out_among_others() -> None:
    assert pool_normalised([0.5], [0.5]) == 0.0
    assert pool_normalised([0.5, 0.66], [0.5, 0.9]) == pytest.approx(0.5, abs=1e-15)
    assert pool_normalised([0.5, np.nan], [0.5, 0.9]) == 0.0
    # a ratio above 1 stays as it is alone, and is clamped once its finding has several tests
    assert pool_normalised([0.9], [0.75]) == pytest.approx(3.2, abs=1e-14)
    assert pool_normalised([0.9, 0.5], [0.75, 0.5]) == pytest.approx(1 - 1e-6, abs=1e-15)
    with pytest.raises(UndefinedError, match="no defined unit"):
        pool_normalised([0.5, 0.5], [0.5, 0.5])
    grouped = pool_normalised_groups([0.5, 0.5, 0.5], [0.5, 0.5, 0.5], None, [0, 1])
    np.testing.assert_array_equal(grouped, [0.0, np.nan])


@pytest.mark.parametrize(
    ("pas", "weights", "message"),
    [
        ([0.5, 1.2], None, r"PAS must lie in \[0, 1\], got .*1.2"),
        ([0.5, -0.1], None, r"PAS must lie in \[0, 1\]"),
        ([0.5, 0.6], [1, -1], "not negative"),
        ([0.5, 0.6], [1, np.nan], "finite"),
        (0.5, None, "got a scalar"),
    ],
)
def test_unusable_input_is_refused(pas: list[float], weights: list[float] | None, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pool_pas(pas, weights)


def test_rounding_just_outside_the_unit_interval_is_brought_back() -> None:
    assert pool_pas([1 + 1e-15]) == 1.0


def test_inverse_of_fisher_z_is_the_hyperbolic_tangent() -> None:
    r = np.linspace(-0.999, 0.999, 21)
    np.testing.assert_allclose(fisher_z_inverse(fisher_z(r)), r, atol=1e-15)


def test_means_leave_out_what_is_undefined_and_keep_empty_groups_undefined() -> None:
    values = np.array([[1.0, np.nan, 6.0, np.nan], [2.0, 4.0, np.nan, np.nan]])
    means = mean_groups(values, [0, 2, 3])
    np.testing.assert_array_equal(means, [[1.0, 6.0, np.nan], [3.0, np.nan, np.nan]])


@pytest.mark.parametrize("starts", [[], [1, 2], [0, 2, 2], [0, 3, 1], [0, 4], [[0, 1]]])
def test_starts_that_reduceat_would_misread_are_refused(starts: list[int]) -> None:
    with pytest.raises(OptionError, match="rise from 0 inside the 4 units"):
        mean_groups([1.0, 2.0, 3.0, 4.0], starts)
