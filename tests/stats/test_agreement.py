"""Lin's concordance and its companion numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import stdtrit

from concord.errors import OptionError, UndefinedError
from concord.stats.agreement import (
    concordance,
    concordance_about_zero,
    concordance_unnormalised,
    hedges_g,
    precision_weighted_concordance,
    weighted_pearson,
    weighted_regression,
)
from concord.stats.bounded_means import bounded_bootstrap, bounded_mean
from concord.stats.intervals import wilson_clustered
from concord.stats.pooling import pas_states, posterior_states

# Bland & Altman (1986), Lancet 327, 307-310, table 1: peak flow (l/min) of 17 people, first reading
# with the Wright meter and with the mini Wright meter. They print r = 0.94; differences: mean -2.1, SD 38.8.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]

VALUES = st.floats(-1e6, 1e6).map(lambda x: round(x, 9))
WEIGHTS = st.floats(1e-3, 1e3)
Profiles = tuple[np.ndarray, np.ndarray, np.ndarray]
ALL: list[Callable[..., Any]] = [
    concordance,
    weighted_pearson,
    weighted_regression,
    concordance_about_zero,
    concordance_unnormalised,
]


@st.composite
def profiles(draw: st.DrawFn, least: int = 2) -> Profiles:
    """Two profiles and weights of one length."""
    n = draw(st.integers(least, 12))
    x, y = (draw(hnp.arrays(np.float64, n, elements=VALUES)) for _ in range(2))
    return x, y, draw(hnp.arrays(np.float64, n, elements=WEIGHTS))


def textbook(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """The printed formula with numpy's weighted covariance as the oracle."""
    cov = np.cov(x, y, aweights=w, ddof=0)
    bias = np.average(x, weights=w) - np.average(y, weights=w)
    return float(2 * cov[0, 1] / (cov[0, 0] + cov[1, 1] + bias**2))


# --- values with a source ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "weights", "expected", "source"),
    [
        ([1, 2, 3, 4, 5], [2, 3, 4, 5, 6], None, 0.8, "by hand: 2*2 / (2 + 2 + 1)"),
        ([1, 2, 3], [3, 2, 1], None, -1.0, "by hand: reversed, equal means"),
        ([0, 1], [0, 3], [1, 2], 1 / 3, "by hand: cov 2/3, variances 2/9 and 2, bias 4/3"),
        ([0, 0, 1], [0, 0, 3], [0.5, 0.5, 2], 1 / 3, "a test given twice is a test of double weight"),
        ([1, 2, 3], [5, 5, 5], None, 0.0, "by hand: one constant profile has no covariance"),
    ],
)
def test_concordance_from_source(
    x: list[float], y: list[float], weights: list[float] | None, expected: float, source: str
) -> None:
    assert concordance(x, y, weights) == pytest.approx(expected, abs=1e-15), source


def test_concordance_follows_from_the_published_differences_of_the_peak_flow_data() -> None:
    # Lin (1989), eq. 1: rho_c = 1 - E(x - y)^2 / (var_x + var_y + bias^2), variances over n
    distance = 2.1**2 + 38.8**2 * 16 / 17
    expected = 1 - distance / (np.var(WRIGHT) + np.var(MINI) + 2.1**2)
    assert concordance(WRIGHT, MINI) == pytest.approx(expected, abs=1e-4)
    assert round(float(concordance(WRIGHT, MINI)), 3) == 0.943


def test_pearson_of_the_peak_flow_data_is_the_published_one() -> None:
    assert round(float(weighted_pearson(WRIGHT, MINI)), 2) == 0.94
    assert weighted_pearson(WRIGHT, MINI) == pytest.approx(np.corrcoef(WRIGHT, MINI)[0, 1], abs=1e-14)


def test_dividing_by_n_less_one_would_give_another_number() -> None:
    x, y = np.arange(1.0, 6.0), np.arange(2.0, 7.0)
    cov = np.cov(x, y, ddof=1)
    assert concordance(x, y) == pytest.approx(0.8, abs=1e-15)
    assert 2 * cov[0, 1] / (cov[0, 0] + cov[1, 1] + 1) == pytest.approx(0.8333, abs=1e-4)


def test_undivided_sums_give_the_published_variant_and_dividing_them_gives_lin() -> None:
    # y = x + 1 over twelve tests of weight one; the sd of the public example is .498
    signs = np.repeat([-1.0, 1.0], 6)
    x = 0.498 * signs
    assert concordance_unnormalised(x, x + 1, np.ones(12)) == pytest.approx(0.856, abs=5e-4)
    assert concordance(x, x + 1, np.ones(12)) == pytest.approx(0.332, abs=5e-4)
    # by hand for sd exactly one half: 2*3 / (3 + 3 + 1) against 0.5 / (0.5 + 1)
    assert concordance_unnormalised(signs / 2, signs / 2 + 1) == pytest.approx(6 / 7, abs=1e-15)
    assert concordance(signs / 2, signs / 2 + 1) == pytest.approx(1 / 3, abs=1e-15)


def test_regression_recovers_a_line_and_matches_weighted_least_squares() -> None:
    rng = np.random.default_rng(5)
    x, y, w = rng.normal(size=(3, 40))
    line = weighted_regression(x, 1.7 * x - 0.3, w**2)
    assert [line.slope, line.intercept] == pytest.approx([1.7, -0.3], abs=1e-14)
    slope, intercept = np.polyfit(x, y, 1, w=np.abs(w))  # polyfit weighs residuals, not their squares
    line = weighted_regression(x, y, w**2)
    assert [line.slope, line.intercept] == pytest.approx([slope, intercept], abs=1e-13)


def test_agreement_about_zero_by_hand() -> None:
    assert concordance_about_zero([1, 2], [2, 1], [1, 3]) == pytest.approx(2 * 8 / (13 + 7), abs=1e-15)


# --- properties -------------------------------------------------------------------------------------


@given(profiles())
def test_concordance_equals_the_printed_formula(case: Profiles) -> None:
    x, y, w = case
    assume(np.ptp(x) + np.ptp(y) > 1e-3 * (1 + np.abs(x).max() + np.abs(y).max()))
    assert concordance(x, y, w) == pytest.approx(textbook(x, y, w), abs=1e-9)


@given(profiles())
def test_concordance_is_symmetric_bounded_and_no_stronger_than_pearson(case: Profiles) -> None:
    x, y, w = case
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    value = float(concordance(x, y, w))
    assert value == pytest.approx(concordance(y, x, w), abs=1e-15)
    assert -1 <= value <= 1
    assert abs(value) <= abs(float(weighted_pearson(x, y, w)))


@given(profiles())
@example((np.array([6.0, -9.0, -6.0, -9.0]), np.zeros(4), np.array([12.0, 17.0, 12.0, 12.0])))
def test_equal_profiles_agree_exactly(case: Profiles) -> None:
    x, _, w = case
    assume(np.ptp(x) > 0)
    for function in (concordance, weighted_pearson, concordance_about_zero, concordance_unnormalised):
        assert function(x, x, w) == 1.0
    line = weighted_regression(x, x, w)
    assert (line.slope, line.intercept) == (1.0, 0.0)


@given(profiles(), st.floats(1e-3, 10))
def test_profiles_that_differ_visibly_do_not_agree_exactly(case: Profiles, gap: float) -> None:
    x, _, w = case
    assume(np.ptp(x) > 0)
    assert concordance(x / 1e6, x / 1e6 + gap, w) < 1
    assert concordance_about_zero(x / 1e6, x / 1e6 + gap, w) < 1


@given(profiles(), st.randoms(use_true_random=False))
def test_order_of_tests_does_not_matter(case: Profiles, random: Any) -> None:
    x, y, w = case
    assume(np.ptp(x) > 0 or np.ptp(y) > 0)
    order = np.array(random.sample(range(len(x)), len(x)))
    assert concordance(x[order], y[order], w[order]) == pytest.approx(concordance(x, y, w), abs=1e-12)


@given(profiles(), st.floats(1e-6, 1e6))
def test_scale_of_weights_and_of_both_profiles_does_not_matter(case: Profiles, factor: float) -> None:
    x, y, w = case
    assume(np.ptp(x) > 1e-3 or np.ptp(y) > 1e-3)
    value = concordance(x, y, w)
    assert concordance(x, y, factor * w) == pytest.approx(value, abs=1e-12)
    assert concordance(x * 2.0**300, y * 2.0**300, w) == value
    assert concordance(x * 2.0**-90, y * 2.0**-90, w * 2.0**-90) == value


@given(profiles(), st.integers(0, 11))
def test_flipping_a_test_on_both_sides_leaves_agreement_about_zero(case: Profiles, place: int) -> None:
    x, y, w = case
    assume(np.abs(x).max() > 0 or np.abs(y).max() > 0)
    sign = np.where(np.arange(len(x)) == place % len(x), -1.0, 1.0)
    assert concordance_about_zero(sign * x, sign * y, w) == concordance_about_zero(x, y, w)


@given(profiles())
def test_weights_of_sum_one_make_the_published_variant_lins(case: Profiles) -> None:
    x, y, w = case
    assume(np.ptp(x) > 0 or np.ptp(y) > 0)
    unnormalised = concordance_unnormalised(x, y, w / w.sum())
    assert unnormalised == pytest.approx(concordance(x, y, w), abs=1e-12)


def test_a_large_common_mean_does_not_cancel() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 2.0, 2.5, 4.5])
    far = 2.0**40  # exact in binary, and the squares would lose every digit
    assert concordance(x + far, y + far) == pytest.approx(float(concordance(x, y)), abs=1e-14)


def test_a_batch_equals_its_profiles_one_by_one() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 3, 4, 9))
    w = rng.uniform(0.1, 1, size=(4, 9))
    for function in (concordance, weighted_pearson, concordance_about_zero, concordance_unnormalised):
        batch = np.asarray(function(x, y, w))
        alone = [[function(x[i, j], y[i, j], w[j]) for j in range(4)] for i in range(3)]
        np.testing.assert_array_equal(batch, alone)
    line = weighted_regression(x, y, w)
    assert np.shape(line.slope) == np.shape(line.intercept) == (3, 4)


# --- undefined --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "weights", "reason"),
    [
        ([2, 2, 2], [2, 2, 2], None, "both profiles are constant"),
        ([0.1, 0.1, 0.1], [0.7, 0.7, 0.7], [0.2, 0.3, 0.4], "both profiles are constant"),
        ([5, 1.7, 1.7, 1.7], [9, 1.3, 1.3, 1.3], [0, 0.5, 0.3, 0.3], "both profiles are constant"),
        ([1, np.nan], [1, 2], None, "not finite"),
        ([1, 2], [1, np.inf], None, "not finite"),
        ([1, 2], [1, 2], [1, -1], "negative"),
        ([1, 2], [1, 2], [1, np.nan], "negative or not finite"),
        ([1, 2], [1, 2], [0, 0], "sum to zero"),
        ([], [], None, "empty"),
    ],
)
def test_undefined_concordance_raises_alone_and_is_nan_in_a_batch(
    x: list[float], y: list[float], weights: list[float] | None, reason: str
) -> None:
    with pytest.raises(UndefinedError, match=reason):
        concordance(x, y, weights)
    batch = concordance([x], [y], None if weights is None else [weights])
    assert np.isnan(np.asarray(batch)).all()


def test_one_undefined_profile_leaves_the_others_of_its_batch() -> None:
    x = np.array([[1.0, 2.0, 3.0], [1.0, np.nan, 3.0], [4.0, 4.0, 4.0]])
    values = np.asarray(concordance(x, [2.0, 2.0, 2.0]))
    assert values[0] == 0.0
    assert np.isnan(values[1:]).all()


def test_pearson_and_the_line_need_profiles_that_vary() -> None:
    with pytest.raises(UndefinedError, match="a profile is constant"):
        weighted_pearson([1, 2, 3], [5, 5, 5])
    with pytest.raises(UndefinedError, match="x is constant"):
        weighted_regression([5, 5, 5], [1, 2, 3])
    assert weighted_regression([1, 2, 3], [5, 5, 5]).slope == 0.0
    with pytest.raises(UndefinedError, match="zero throughout"):
        concordance_about_zero([0, 0], [0, 0])


def test_the_published_variant_keeps_its_own_answers_for_constants() -> None:
    assert concordance_unnormalised([1, 1, 1], [7, 7, 7]) == 1.0
    assert concordance_unnormalised([1, 1, 1], [1, 2, 3]) == 0.0
    with pytest.raises(UndefinedError, match="not finite"):
        concordance_unnormalised([1, np.nan, 1], [1, 2, 3])


@pytest.mark.parametrize("function", ALL)
def test_profiles_of_different_lengths_are_refused_not_broadcast(function: Callable[..., Any]) -> None:
    with pytest.raises(OptionError, match="one length"):
        function([1, 2, 3], [1])
    with pytest.raises(OptionError, match="one length"):
        function([1, 2, 3], [1, 2, 3], [1, 2])
    with pytest.raises(OptionError, match="one length"):
        function(1.0, 2.0)


def test_hedges_factor_is_that_of_its_table() -> None:
    # Hedges (1981), table 2: c(m) for m = 2, 10, 30, 50
    assert np.asarray(hedges_g(1.0, [2, 10, 30, 50])) == pytest.approx(
        [0.5642, 0.9228, 0.9748, 0.9849], abs=1e-4
    )


def test_g_is_unbiased_where_d_is_not() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.5, 1, (20_000, 6)), rng.normal(0, 1, (20_000, 6))
    d = (x.mean(axis=1) - y.mean(axis=1)) / np.sqrt((x.var(axis=1, ddof=1) + y.var(axis=1, ddof=1)) / 2)
    assert abs(np.mean(np.asarray(hedges_g(d, 10))) - 0.5) < 0.015 < d.mean() - 0.5


def test_precise_tests_count_more() -> None:
    human, agent = [0.0, 1.0, 0.5], [0.0, 1.0, -0.5]
    loose = precision_weighted_concordance(human, agent, [0.1] * 3, [0.1, 0.1, 2.0])
    assert loose > 0.98 > float(concordance(human, agent)) + 0.2
    assert precision_weighted_concordance(
        [*human, np.nan], [*agent, 1.0], [0.1] * 4, [0.1] * 4
    ) == pytest.approx(float(concordance(human, agent)))


def test_states_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(OptionError, match="prob_positive is a probability"):
        posterior_states(1.0, 1.3)
    with pytest.raises(OptionError, match="prior odds are positive"):
        posterior_states(1.0, 0.5, 0.0)
    with pytest.raises(OptionError, match="sum to one"):
        pas_states([0.9, 0.9, 0.1], [0.2, 0.3, 0.5])
    assert np.isnan(posterior_states([np.nan, 1.0], 0.5)[0]).all()


def test_a_bounded_mean_is_t_in_the_middle_and_the_bootstrap_at_the_ends() -> None:
    assert bounded_mean([1.0] * 12).interval == bounded_bootstrap([1.0] * 12)
    middle = bounded_mean([0.3, 0.5, 0.4, 0.6]).interval
    assert middle is not None
    assert middle.method == "Student's t"
    between = bounded_mean([0.3, 0.5, 0.4, 0.6, 0.7, 0.5, 0.45, 0.93])
    assert "%" in between.method
    assert bounded_mean([0.4]).interval is None


@pytest.mark.parametrize("cases", [5, 12])
def test_few_cases_with_repeats_are_covered(cases: int) -> None:
    rng, inside = np.random.default_rng(cases), []
    for _ in range(600):
        rate = rng.beta(4, 2, cases)
        k = rng.binomial(5, rate)
        found = wilson_clustered(k, np.full(cases, 5), n_replies=5 * cases, few_clusters=True)
        inside.append(found.low <= 2 / 3 <= found.high)
    assert 0.93 <= np.mean(inside) <= 0.99


def test_few_clusters_widen_the_interval_and_perfect_ones_keep_one() -> None:
    k, n = [4, 5, 0, 5], [5] * 4
    plain, wide = (wilson_clustered(k, n, n_replies=20, few_clusters=few) for few in (False, True))
    assert wide.low < plain.low
    assert wide.high >= plain.high
    perfect = wilson_clustered([5] * 4, [5] * 4, n_replies=20, few_clusters=True)
    assert 0.2 < perfect.low < 0.6
    assert perfect.high == 1.0


def test_clusters_that_vary_no_more_than_single_replies_have_nearly_the_interval_of_a_proportion() -> None:
    k, n = [3, 2, 3, 2, 3, 2, 3, 2], [5] * 8  # less spread than chance gives: 40 single replies
    found = wilson_clustered(k, n, n_replies=40, few_clusters=True)
    border = stdtrit(49, 0.975)
    centre, reach = 0.5 * 40 + border**2 / 2, border * np.sqrt(40 * 0.25 + border**2 / 4)
    assert found.low == pytest.approx((centre - reach) / (40 + border**2), abs=1e-12)
    assert found.high == pytest.approx((centre + reach) / (40 + border**2), abs=1e-12)


def test_few_clusters_at_an_end_give_the_limit_near_it_both_tails() -> None:
    k, n = [10, 10, 10, 10, 8, 10], [10] * 6
    found = wilson_clustered(k, n, n_replies=60, few_clusters=True)
    mirrored = wilson_clustered(np.subtract(n, k), n, n_replies=60, few_clusters=True)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high), abs=1e-12)
    # residual of one cluster against five: kurtosis 4.2, degrees of freedom 3.75, effective size 29
    residual = np.subtract(k, 58 / 60 * 10)
    variance = 6 / 5 * np.sum(residual**2) / 60**2
    size, p = 58 / 60 * 2 / 60 / variance, 58 / 60
    df = 12 / (np.mean(residual**4) / np.mean(residual**2) ** 2 - 1)
    for end, tail in ((found.low, 0.025), (found.high, 0.05)):
        assert (p - end) ** 2 == pytest.approx(stdtrit(df, tail) ** 2 * end * (1 - end) / size, abs=1e-12)
