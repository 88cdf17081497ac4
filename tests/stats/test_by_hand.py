"""Small parts of formulas, worked out by hand or by another way of computing."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from concord.records import Estimate, Interval
from concord.stats.answer_spread import (
    FEW,
    L_HEAVY,
    L_SKEWED,
    L_SKEWED_FEW,
    Spread,
    _l_moment_ratios,
    answer_spread,
    shared_log_variance,
)
from concord.stats.bands import (
    GapTable,
    MaximumSide,
    _student,
    difference_of_maxima,
    unit_mean_interval,
)
from concord.stats.bounded_means import bounded_bootstrap
from concord.stats.distances import (
    AnswerCounts,
    _crossing,
    _noise_factor,
    _steepest,
    distances_apart_sd,
)
from concord.stats.equivalence import _smallest
from concord.stats.grim import grim, grimmer
from concord.stats.multiple import p_by_interval, p_of_reach
from concord.stats.pooling import calibrated_agreement, rms_z
from concord.stats.power import (
    SkewCost,
    detectable_effect,
    noncentral_beyond,
    power_paired,
    power_two_sample,
    skew_cost,
)
from concord.stats.predicted_effects import control_error
from concord.stats.prediction_powered import (
    PLAIN,
    SampleDesign,
    _kish,
    _left_out_moves,
    _sandwich,
    _tuned_by_units,
    cheapest_mixed,
    effective_people,
    implied_correlation,
    units_variance,
    worth_in_people,
)
from concord.stats.replication import replication_interval
from concord.stats.skewed import skewed_mean, skewed_sum_ends
from concord.stats.unread import bounds_between, distance_bounds


def test_two_units_show_no_skewness_and_have_the_interval_of_student() -> None:
    found = skewed_sum_ends(1.0, [np.array([0.0, 2.0])])  # s/√n = 1, one degree of freedom
    reach = stats.t.ppf(0.975, 1)
    assert found == pytest.approx((1 - reach, 1 + reach))


def test_a_replication_is_expected_as_far_below_as_above() -> None:
    found = replication_interval([0.5], [0.3], [0.9], [0.4])  # √(0.09 + 0.16) = 0.5
    assert (found.low[0], found.high[0]) == pytest.approx(
        (0.5 - 1.95996 * 0.5, 0.5 + 1.95996 * 0.5), abs=1e-5
    )


@pytest.mark.parametrize(("df", "shift", "critical"), [(1, 40, 800), (1, 40, 4000), (2, 100, 500)])
def test_large_noncentral_t_of_few_degrees_of_freedom(df: int, shift: float, critical: float) -> None:
    # T > c where Z > c w - shift, w = √(χ²/df) with density of a scaled chi; scipy's nctdtr gives NaN here
    def beyond(w: float) -> float:
        return float(stats.norm.sf(critical * w - shift) * stats.chi.pdf(w * df**0.5, df) * df**0.5)

    wanted = integrate.quad(beyond, 0, 1, points=[shift / critical], limit=200)[0]
    assert noncentral_beyond(shift, df, critical) == pytest.approx(wanted, abs=2e-3)


def test_values_of_unequal_mass_lose_their_leverage_and_count_as_fewer() -> None:
    values, size = _kish(np.array([3.0, 6.0, 9.0]), np.array([1.0, 1.0, 2.0]))  # shares 1/4, 1/4, 1/2
    assert values == pytest.approx([3 * (2 / 3) / (3 / 4), 6 * (2 / 3) / (3 / 4), 9 * (2 / 3) / (1 / 2)])
    assert size == pytest.approx(1 / (1 / 16 + 1 / 16 + 1 / 4))


def test_two_people_are_enough_where_predictions_are_good_and_cheap() -> None:
    found = cheapest_mixed(0.95, sd=1.0, se=10**-0.5, person_cost=1000.0, reply_cost=0.001)
    rho = 0.95**2
    costs = {}
    for n in range(2, 11):  # SE² = (1 - ρ² N/(n + N))/n of at most 1/10
        replies = next((k for k in range(2000) if (1 - rho * k / (n + k)) / n <= 0.1 + 1e-12), None)
        if replies is not None:
            costs[n] = (n * 1000.001 if replies else n * 1000.0) + replies * 0.001, replies
    best = min(costs, key=lambda n: costs[n][0])
    assert (found.people, found.replies) == (best, costs[best][1]) == (2, found.replies)
    assert found.people_alone == 10


def test_the_band_of_maxima_reaches_to_the_quantile_of_all_resamples_and_one_more() -> None:
    n, moves = 30, 0.01 * np.arange(1, 40)  # of 39 resamples the 38th: ⌈0.95 · 40⌉
    own = np.resize([0.2, -0.2], (n, 1))
    still = np.zeros((n, 1))
    draws = np.random.default_rng(1).permutation(0.1 + moves)[:, None]
    nothing = np.zeros((39, 1))
    first, second = MaximumSide(np.array([0.1]), own, draws), MaximumSide(np.array([0.0]), still, nothing)
    found = difference_of_maxima(first, second).interval
    error = float(np.sqrt((own**2).sum() / (n * (n - 1))))
    assert found is not None
    assert found.high == pytest.approx(0.1 + _student(0.38 / error, n) * error)


def test_what_the_allowance_for_skewness_costs_is_what_simulated_intervals_are_wider() -> None:
    rng, joined, plain = np.random.default_rng(1), 0.0, 0.0
    for _ in range(1500):
        found = skewed_mean(rng.normal(size=12))
        width = found.student.high - found.student.low
        plain += width
        joined += found.interval.high - found.interval.low if found.seen else width
    cost = skew_cost(np.ones(12), 0.0, alpha=0.05, clustered=False)
    assert cost is not None
    assert cost.wider == pytest.approx(joined / plain, abs=0.01)


@pytest.mark.parametrize("df", [4.0, np.inf])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_p_of_an_interval_is_that_of_its_t(df: float, level: float) -> None:
    se, distance = 0.7, -1.3
    reach = float(stats.t.ppf(0.5 + level / 2, df)) * se
    p = 2 * stats.t.sf(1.3 / se, df)
    assert p_of_reach(distance, reach, level=level, df=df) == pytest.approx(p)

    def estimate_at(level: float) -> Estimate:
        half = float(stats.t.ppf(0.5 + level / 2, df)) * se
        return Estimate(distance, Interval(distance - half, distance + half, level, ""))

    assert p_by_interval(estimate_at) == pytest.approx(p, rel=1e-3)
    assert p_by_interval(estimate_at, null=distance) == 1.0
    assert p_by_interval(estimate_at, least=2 * p) == 2 * p
    assert p_by_interval(lambda level: Estimate(distance)) is None


def test_the_upper_ends_of_distances_are_of_differences_of_means() -> None:
    """Shares .5 .3 .2 of 50 people and .2 .2 .6 of 40 replies, options at 0, 1 and 4 of 4."""
    counts = AnswerCounts(
        np.array([25.0, 15, 10]), np.array([8.0, 8, 24]), np.array([0.0, 1, 4]), scale=4.0, dependence=0.5
    )
    assert counts.noise_sizes == (100, 80)
    z = stats.norm.ppf(0.95)
    found = _steepest(counts, 0.9)
    # signs + + -: TVD is half the difference of their means; the split lies behind the second option
    split = 0.4 + z * np.sqrt(0.8 * 0.2 / 100 + 0.4 * 0.6 / 80)
    # means of positions 1.1 and 2.6, of squares 3.5 and 9.8
    shift = 1.5 + z * np.sqrt((3.5 - 1.1**2) / 100 + (9.8 - 2.6**2) / 80)
    assert found == pytest.approx({"tvd": split, "ks": split, "w1": shift / 4})


@pytest.mark.parametrize(
    ("first", "second", "others", "people"),
    [(0.9, 0.8, None, 0), (0.9, 0.1, None, 4), (0.9, 0.8, [0.5, 0.5], 2)],
)
def test_people_in_both_distances_cancel_or_count_twice(
    first: float, second: float, others: list[float] | None, people: float
) -> None:
    """Two options: on one side of people TVDs differ by a - b, on two sides by a + b - 2 people."""

    def variance(share: float, n: int) -> float:
        p = (share * n + 0.5) / (n + 1)
        return p * (1 - p) / n

    wanted = variance(first, 60) + variance(second, 90) + people * 0.25 / 200
    shares = ([0.5, 0.5], others, [first, 1 - first], [second, 1 - second])
    found = distances_apart_sd(shares, (200, 60, 90), np.random.default_rng(3))
    assert found == pytest.approx(wanted**0.5, rel=0.08)


def test_a_curve_is_crossed_between_its_points_and_beyond_them() -> None:
    curve, true = np.array([0.1, 0.3, 0.2, 0.5]), np.array([0.0, 0.2, 0.4, 0.6])
    # never falling: .1 .3 .3 .5 over 0 .2 .4 .6
    wanted = {0.05: 0.0, 0.15: 0.05, 0.4: 0.5, 0.7: 0.8}
    assert {at: _crossing(at, curve, true, "left") for at in wanted} == pytest.approx(wanted)
    assert [_crossing(0.3, curve, true, side) for side in ("left", "right")] == pytest.approx([0.2, 0.4])


def test_rows_are_drawn_by_themselves_without_strata_and_clusters_of_two() -> None:
    def drawn(*labels: str | None) -> bool:
        return SampleDesign(*(None if one is None else np.array(list(one)) for one in labels)).draws_rows

    assert drawn() and drawn("abc") and drawn("abc", None, "de")
    assert not drawn("aab") and not drawn("abc", None, "cd")
    assert not drawn(None, "abc") and not drawn("abc", None, None, "de")


def test_predictions_are_worth_the_people_who_would_give_their_error() -> None:
    assert worth_in_people(100, 0.3, 0.2) == pytest.approx(125)
    assert worth_in_people(100, 0.3, 0.0) == 0.0
    worth = float(effective_people(100, 300, 0.6)) - 100
    assert worth == pytest.approx(100 / (1 - 0.36 * 0.75) - 100)
    assert [implied_correlation(100, 300, one) for one in (worth, -5, 1000)] == pytest.approx([0.6, 0, 1])


@pytest.mark.parametrize(("n", "items"), [(9, 1), (7, 1), (4, 2)])
def test_means_are_possible_where_a_whole_sum_prints_so(n: int, items: int) -> None:
    printed = {round(total / (n * items), 9) for total in range(7 * n * items)}
    for tenth in range(61):
        possible = any(abs(mean - tenth / 10) <= 0.05 + 1e-9 for mean in printed)
        assert grim(tenth / 10, n, decimals=1, items=items) == possible
    assert grim(3.3, 10, decimals=1) is grim(3.3, 5, decimals=1, items=2) is None


def test_deviations_are_possible_where_whole_answers_have_them() -> None:
    seen = {(round(float(np.mean(x)), 2), round(float(np.std(x, ddof=1)), 2))
            for x in product(range(8), repeat=3)}  # fmt: skip
    means = {mean for mean, _ in seen}
    assert all(grimmer(*one, 3, decimals=2, sd_decimals=2) for one in seen)
    # sums of squares are whole, and even where the sum is: of 3 answers few deviations are left
    refused = {
        (mean, sd / 100)
        for mean in means for sd in range(300) if not grimmer(mean, sd / 100, 3, decimals=2, sd_decimals=2)
    }  # fmt: skip
    assert len(refused) > 250 * len(means) and not refused & seen
    assert grimmer(2.5, 0.5, 1, decimals=1, sd_decimals=1) is False


def test_the_spread_of_weighted_answers_has_the_moments_of_shares() -> None:
    """Weights 1 1 2 of answers 0 2 4: mean 2.5, mean square 2.75, Kish's n 16/6."""
    found = answer_spread([0, 2, 4], [1, 1, 2])
    ratio = np.array([6.25, 0.25, 2.25]) / 2.75
    share = np.array([0.25, 0.25, 0.5])
    assert (found.variance, found.n) == pytest.approx((2.75 * 1.6, 3))
    assert (found.kurtosis, found.influence_cube) == pytest.approx(
        (share @ ratio**2, share @ (ratio - 1) ** 3)
    )
    squares = ((ratio - 1) * share * 3) ** 2  # Satterthwaite's 2n mean²/variance
    assert found.df == pytest.approx(6 * squares.mean() ** 2 / squares.var())
    assert answer_spread([3, 3], [1, 2]) == Spread(0.0, 2)


def test_the_log_of_a_variance_has_the_error_of_bonett_and_a_third_cumulant() -> None:
    found = Spread(1.0, 11, kurtosis=4.0, influence_cube=18.0)
    assert (found.log_se2, found.log_third) == pytest.approx(((4 - 8 / 11) / 10, 18 / 90))
    assert Spread(1.0, 2, influence_cube=18.0).log_third == 0.0
    x = [0, 1, 5]  # squares 4 1 9 over their mean, less 1: -1/7 -11/14 13/14
    assert shared_log_variance(x, x) == pytest.approx(1.5 / 3 / 2)
    assert shared_log_variance(x, [2, 2, 2]) == 0.0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_tail_is_seen_by_the_moments_of_order_statistics(sign: int) -> None:
    for n, limit in ((FEW - 1, L_SKEWED_FEW), (FEW, L_SKEWED)):
        skewed = [Spread(1.0, n, l_skewness=sign * (limit + more)).has_tail for more in (0.0, 1e-6)]
        assert skewed == [False, True]
    assert not Spread(1.0, 99, l_kurtosis=L_HEAVY).has_tail
    assert Spread(1.0, 99, l_kurtosis=L_HEAVY + 1e-6).has_tail


def test_ratios_of_l_moments_are_of_all_pairs_triples_and_fours() -> None:
    x = [0.0, 1.0, 1.5, 4.0, 9.0, 9.5]

    def mean(*weights: int) -> float:
        return float(np.mean([np.dot(weights, one) for one in combinations(x, len(weights))]) / len(weights))

    scale = mean(-1, 1)
    assert _l_moment_ratios(np.array(x)) == pytest.approx(
        (mean(1, -2, 1) / scale, mean(-1, 3, -3, 1) / scale)
    )
    assert _l_moment_ratios(np.array(x[:3])) == _l_moment_ratios(np.ones(5)) == (0.0, 0.1226)


def test_z_of_several_tests_are_judged_together() -> None:
    assert calibrated_agreement([1.0, -2.0, np.nan]) == pytest.approx(stats.chi2.sf(5, 2))
    assert rms_z([1.0, -2.0, np.nan]) == pytest.approx(np.sqrt(5 / 2))


def test_the_error_of_a_control_group_is_its_part_of_the_difference() -> None:
    assert control_error(2.0, 0.5, 25, 100) == (0.5, False)
    assert control_error(2.0, None, 25, 100) == pytest.approx((2 * np.sqrt(0.75), False))
    for sizes in ((100, 100), (None, 100), (25, None)):
        assert control_error(2.0, None, *sizes) == pytest.approx((np.sqrt(2), True))


def test_unread_answers_move_a_distance_between_what_any_of_them_could_be() -> None:
    people, read = np.array([5.0, 3, 2]), np.array([1.0, 4, 2])
    could = [
        float(np.abs((read + more) / 11 - people / 10).sum() / 2)
        for more in product(range(5), repeat=3) if sum(more) == 4
    ]  # fmt: skip
    found = distance_bounds(people, read, 4)
    assert (found.low, found.high) == pytest.approx((min(could), max(could)))


def test_bounds_reach_over_both_ends_in_either_order() -> None:
    low, high = (Estimate(at, Interval(at - 0.2, at + 0.1, 0.9, "m")) for at in (0.3, 0.6))
    for one in (bounds_between(low, high, n_unread=7), bounds_between(high, low, n_unread=7)):
        assert (one.low, one.high, one.n_unread) == (0.3, 0.6, 7)
        assert one.interval is not None
        assert (one.interval.low, one.interval.high) == pytest.approx((0.1, 0.7))


def test_the_weight_of_predictions_makes_the_variance_over_clusters_smallest() -> None:
    rng = np.random.default_rng(5)
    a, c = rng.normal(size=12), rng.normal(size=20)
    b = a + rng.normal(size=12)
    a, b, c = a - a.mean(), b - b.mean(), c - c.mean()
    design = SampleDesign(np.repeat(np.arange(4), 3), None, np.repeat(np.arange(10, 15), 4))
    weights = (np.ones(12), np.ones(20))
    best = optimize.minimize_scalar(lambda w: units_variance(design.parts(a - w * b, w * c, *weights)))
    assert _tuned_by_units(a, b, c, weights, design) == pytest.approx(best.x, abs=1e-6)
    assert _tuned_by_units(a, -b, c, weights, design) == 0.0


def test_a_regression_without_predictions_has_the_errors_of_white() -> None:
    rng = np.random.default_rng(6)
    x = np.column_stack([np.ones(30), rng.normal(size=30)])
    y = x @ [1.0, 2.0] + rng.normal(size=30) * (1 + np.abs(x[:, 1]))
    at, ones = np.linalg.lstsq(x, y, rcond=None)[0], np.ones(30)
    bread = np.linalg.inv(x.T @ x)
    white = bread @ (x.T * (y - x @ at) ** 2) @ x @ bread * 30 / 29  # covariances over n - 1
    found = _sandwich(x, y, y, x, y, w=ones, v=ones, at=at, weight=0.0, design=PLAIN)
    assert found == pytest.approx(np.sqrt(np.diag(white)))


@pytest.mark.parametrize("n", [2, 3, 30])
def test_a_detectable_effect_is_found_with_the_power_that_was_asked_for(n: int) -> None:
    for power in (0.8, 0.999):
        shift = detectable_effect(2.0, n, power=power) * n**0.5 / 2
        critical = stats.t.isf(0.025, n - 1)
        found = stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)
        assert found == pytest.approx(power, abs=1e-4)


def test_too_few_to_test_have_no_power() -> None:
    assert power_paired(9.0, 1.0, 1) == power_two_sample(9.0, 1, 1) == power_two_sample(9.0, 5, 0) == 0.0
    assert power_paired(9.0, 1.0, 1.5) > 0 and power_two_sample(9.0, 2, 1) > 0


def test_power_is_lost_where_the_joined_test_asks_for_more() -> None:
    """Half of the draws look skewed: ±2 becomes -2.5 and 3, S is normal about .1 with SD .8."""
    one = np.ones(1)
    cost = SkewCost(0.5, 2 * one, 3 * one, -2.5 * one, 0.1 * one, 0.8, wider=1.1)
    at = stats.norm(1.6, 0.8)
    wanted = 0.5 * (at.sf(2) + at.cdf(-2) - at.sf(3) - at.cdf(-2.5))
    assert cost.loss(-1.5) == cost.loss(1.5) == pytest.approx(wanted)


def test_halves_of_all_answers_are_farther_apart_than_resampled_ones() -> None:
    """Two options: the difference of halves has variance pq·4/(n - 1), of resampled halves pq·4/n."""
    counts = AnswerCounts(np.array([30.0, 20.0]), np.array([1.0, 1.0]))
    found = _noise_factor(counts, 40_000, np.random.default_rng(1))
    assert found["tvd"] == pytest.approx(np.sqrt(50 / 49), abs=0.02)
    assert _noise_factor(AnswerCounts(np.array([2.0, 1.0]), np.ones(2)), 9, np.random.default_rng(1)) == {
        "tvd": 1.0, "jsd": 1.0
    }  # fmt: skip


@pytest.mark.parametrize("border", [1e-7, 0.03, 0.4])
def test_the_smallest_tail_is_where_an_interval_begins_to_be_inside(border: float) -> None:
    assert _smallest(lambda tail: tail >= border) == pytest.approx(border, rel=1e-6)
    assert _smallest(lambda tail: True) == 1e-12
    assert _smallest(lambda tail: False) == 1.0


def test_units_that_all_say_the_same_leave_room_for_others() -> None:
    found, share = unit_mean_interval(np.full(20, -0.4)), bounded_bootstrap(np.full(20, 0.3))
    assert (found.low, found.high) == pytest.approx((2 * share.low - 1, 2 * share.high - 1))
    assert -1 < found.low < -0.4 < found.high < 1


def test_gaps_under_weights_are_those_of_units_that_often() -> None:
    rng = np.random.default_rng(2)
    top, below = rng.integers(0, 9, (4, 3)).astype(float), rng.integers(1, 9, (4, 3)).astype(float)
    other = rng.integers(0, 9, (4, 3)).astype(float)
    table = GapTable(((1.0, top, below), (-1.0, other, np.ones((4, 3)))))
    weights = np.array([[1.0, 1, 1, 1], [2.0, 0, 1, 3]])
    wanted = (weights @ top) / (weights @ below) - (weights @ other) / weights.sum(axis=1, keepdims=True)
    assert table.weighted(weights) == pytest.approx(wanted)
    assert table.gaps() == pytest.approx(wanted[0])


def test_what_a_cluster_does_to_a_fit_is_the_fit_without_it_in_any_unit() -> None:
    rng = np.random.default_rng(7)
    x = np.column_stack([np.ones(12), rng.normal(size=12)])
    y, w, clusters = rng.normal(size=12), np.ones(12), np.repeat(np.arange(4), 3)

    def fit(keep: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.lstsq(x[keep], y[keep], rcond=None)[0])

    whole = fit(np.ones(12, dtype=bool))
    changes = np.array([whole - fit(clusters != one) for one in range(4)])
    for unit in (1e-7, 1.0, 1e7):
        sample = SampleDesign(clusters).people_part(y, w)
        moves = _left_out_moves(unit * x, y, w, sample) * unit / 12
        assert np.array([moves[clusters == one].sum(axis=0) for one in range(4)]) == pytest.approx(changes)
