"""What a human replication would give: prediction, replication Bayes factor, telescopes, selection."""

import numpy as np
import pytest
from scipy import integrate, stats

from concord.errors import OptionError
from concord.stats.replication import (
    log_bf_replication,
    replication_interval,
    selection_adjusted,
    small_telescopes,
)


def test_replications_fall_inside_as_often_as_promised() -> None:
    rng = np.random.default_rng(1)
    truth, hs, as_ = rng.normal(0.3, 0.4, 4000), rng.uniform(0.1, 0.3, 4000), rng.uniform(0.1, 0.3, 4000)
    found = replication_interval(rng.normal(truth, hs), hs, rng.normal(truth, as_), as_, level=0.9)
    assert 0.885 < found.inside.mean() < 0.915
    assert (found.inside == (found.p_value >= 0.1)).all()


def test_tests_without_an_effect_are_not_counted() -> None:
    found = replication_interval([0.5, np.nan], [0.2, 0.2], [5.0, 0.1], [0.2, 0.2])
    assert found.defined.tolist() == [True, False]
    assert found.inside.tolist() == [False, False]


@pytest.mark.parametrize("r", [-0.2, 0.0, 0.4, 0.9])
def test_the_replication_bayes_factor_is_the_integral_over_the_originals_posterior(r: float) -> None:
    o, os_, rs = 0.5, 0.2, 0.15
    top, _ = integrate.quad(
        lambda theta: stats.norm.pdf(r, theta, rs) * stats.norm.pdf(theta, o, os_), -3, 4, epsabs=1e-14
    )
    expected = np.log(top / stats.norm.pdf(r, 0, rs))
    assert log_bf_replication(o, os_, r, rs) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n", [15, 40, 150])
def test_an_agent_without_effects_rarely_has_a_replication_factor_above_three(n: int) -> None:
    rng, se = np.random.default_rng(n), float(np.sqrt(2 / n))
    human = rng.normal(0.5, se, 20_000)
    shown = human[human > 1.96 * se][:3000]  # published effects: those that were significant
    agent = rng.normal(0.0, se, shown.size)
    above = int(np.sum(np.asarray(log_bf_replication(shown, se, agent, se)) > np.log(3)))
    assert above <= stats.binom.ppf(0.999, shown.size, 0.05)


def test_small_telescopes_of_the_published_rule_are_two_and_a_half_times_the_sample() -> None:
    # Simonsohn (2015): with 2.5 times the original n, 80 % power to find a zero effect too small
    original, replication = 1.0, 1 / np.sqrt(2.5)
    detectable = small_telescopes(original, 0.0, replication).detectable
    power = stats.norm.cdf((detectable - stats.norm.ppf(0.95) * replication) / replication)
    assert power == pytest.approx(0.8, abs=0.03)
    assert stats.norm.sf(stats.norm.ppf(0.975) - detectable) == pytest.approx(0.33, abs=0.001)
    with pytest.raises(OptionError, match="small telescopes needs"):
        small_telescopes(0.0, 0.1, 0.1)


def test_selection_is_undone_where_it_happened() -> None:
    rng = np.random.default_rng(2)
    seen = rng.normal(0.2, 0.2, 40_000)
    published = seen[np.abs(seen) > 1.96 * 0.2]
    found = selection_adjusted(published[:1500], np.full(1500, 0.2))
    assert found.adjusted.all()
    assert published[:1500].mean() > 0.4
    assert abs(np.mean(found.effect) - 0.2) < 0.1
    inside = (found.low <= 0.2) & (found.high >= 0.2)
    assert 0.93 <= inside.mean() <= 0.97


def test_what_is_far_beyond_the_border_hardly_moves_and_signs_mirror() -> None:
    found = selection_adjusted([2.0, -2.0, 0.45, -0.45], [0.2] * 4)
    assert found.effect[0] == pytest.approx(2.0, abs=1e-6)
    assert found.effect[1] == -found.effect[0]
    assert found.effect[3] == -found.effect[2]
    assert (found.low[2], found.high[2]) == pytest.approx((-found.high[3], -found.low[3]))
    assert 0 < found.effect[2] < 0.45
