"""Hedges' g, precision weights, printed correlations, bounded means, states, Wilson for few clusters."""

import numpy as np
import pytest
from scipy.special import stdtrit

from concord.errors import OptionError
from concord.stats.agreement import concordance, hedges_g, precision_weighted_concordance
from concord.stats.bounded_means import bounded_bootstrap, bounded_mean
from concord.stats.correlation import log_bf_correlation, printed_correlation
from concord.stats.intervals import wilson_clustered
from concord.stats.posteriors import pas_states, posterior_states


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


def test_a_printed_perfect_correlation_has_a_finite_bayes_factor() -> None:
    assert np.isfinite(log_bf_correlation(printed_correlation(1.0), 30))
    assert np.asarray(printed_correlation([1.0, -1.0, 0.3])).tolist() == [0.995, -0.995, 0.3]


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
