"""Small parts of formulas, worked out by hand or by another way of computing."""

import numpy as np
import pytest
from scipy import integrate, stats

from concord.stats.bands import MaximumSide, _student, difference_of_maxima
from concord.stats.power import noncentral_beyond, skew_cost
from concord.stats.prediction_powered import _kish, cheapest_mixed
from concord.stats.replication import replication_interval
from concord.stats.skewed import skewed_mean, skewed_sum_ends


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
