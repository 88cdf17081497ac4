"""Many quantiles of ratios of Gamma sums are those of each alone, and those of known distributions."""

import numpy as np
import pytest
from scipy import stats

from concord.stats.bounded_means import (
    GammaRatio,
    bounded_bootstrap,
    bounded_bootstraps,
    gamma_ratio_cdf,
    gamma_ratio_quantile,
    gamma_ratio_quantiles,
)
from concord.stats.elementwise import quick_asinh, quick_atanh, quick_tanh
from concord.stats.study_intervals import (
    StudyEffects,
    apr_interval,
    apr_intervals,
    ecs_interval,
    ecs_intervals,
    unseen_weights,
)


def _mixed_ratios(rng: np.random.Generator) -> list[GammaRatio]:
    """Return ratios of many sizes and kinds of shapes, some of them twice."""
    wanted = []
    for _ in range(40):
        size = int(rng.integers(2, 30))
        values = np.round(rng.beta(4, 1, size), int(rng.integers(1, 6)))
        distinct, counts = np.unique(values, return_counts=True)
        ends, shapes = np.append(distinct, [0.0, 1.0]), np.append(counts, [0.5, 0.5])
        wanted += [GammaRatio.of(p, ends, np.ones(ends.size), shapes) for p in (0.025, 0.5, 0.999)]
        tests = rng.integers(1, 9, size).astype(float)
        passed = rng.binomial(tests.astype(int), 0.9).astype(float)
        sizes = np.append(tests, tests.mean())
        wanted.append(GammaRatio.of(0.05, np.append(passed, 0.0), sizes, np.append(np.ones(size), 0.5)))
    return wanted + wanted[:5]


def test_quantiles_found_together_are_those_found_one_by_one() -> None:
    wanted = _mixed_ratios(np.random.default_rng(1))
    alone = [gamma_ratio_quantile(*one) for one in wanted]
    assert gamma_ratio_quantiles(wanted) == pytest.approx(alone, abs=1e-12)
    for one, quantile in zip(wanted, alone, strict=True):
        assert gamma_ratio_cdf(quantile, *one[1:]) == pytest.approx(one.probability, abs=1e-9)


@pytest.mark.parametrize("shapes", [(2.0, 3.0), (0.5, 0.5), (1.0, 1.0), (0.5, 7.25), (40.0, 1.0)])
def test_two_units_give_the_quantiles_of_a_beta(shapes: tuple[float, float]) -> None:
    probabilities = (0.001, 0.025, 0.5, 0.9, 0.999)
    found = gamma_ratio_quantiles([GammaRatio.of(p, [0, 1], [1, 1], shapes) for p in probabilities])
    exact = stats.beta(shapes[1], shapes[0]).ppf(probabilities)
    assert found == pytest.approx(exact.tolist(), abs=1e-9)


def test_numbers_that_do_not_vary_are_their_own_quantile() -> None:
    still = GammaRatio.of(0.3, [2.0, 4.0], [4.0, 8.0], [1.0, 2.0])
    moving = GammaRatio.of(0.3, [0.0, 1.0], [1.0, 1.0], [1.0, 2.0])
    assert gamma_ratio_quantiles([still, moving, still])[::2] == [0.5, 0.5]


def test_intervals_of_many_samples_are_those_of_each() -> None:
    rng = np.random.default_rng(2)
    samples = [np.round(rng.beta(6, 1, 12), 2) for _ in range(9)] + [np.ones(5), np.zeros(7)]
    for x, found in zip(samples, bounded_bootstraps(samples, level=0.9), strict=True):
        alone = bounded_bootstrap(x, level=0.9)
        assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-12)
        assert found.method == alone.method
    counts = [(rng.binomial(5, 0.95, 8), np.full(8, 5)) for _ in range(6)] + [([1, 2], [2, 2])]
    for (passed, tests), estimate in zip(counts, apr_intervals(counts, level=0.95), strict=True):
        single = apr_interval(passed, tests)
        assert (estimate.value, estimate.note) == (single.value, single.note)
        if single.interval is not None:
            assert estimate.ends == pytest.approx(single.ends, abs=1e-12)


def test_concordances_of_many_agents_are_those_of_each() -> None:
    rng = np.random.default_rng(3)
    study = np.repeat(np.arange(8), 3)
    people = rng.normal(0.3, 0.6, 24)
    agents = [people + rng.normal(0, 0.3, 24), -people + rng.normal(0, 0.3, 24), np.full(24, 0.2), people]
    weights = unseen_weights(8, 500, np.random.default_rng(4))
    effects = [StudyEffects(people, agent, study) for agent in agents]
    together = ecs_intervals(effects, lambda n: weights, level=0.95)
    for agent, found in zip(agents, together, strict=True):
        alone = ecs_interval(people, agent, study, rng=np.random.default_rng(5), drawn=weights)
        assert (found.value, found.note) == (alone.value, alone.note)
        assert (found.interval is None) == (alone.interval is None)
        if alone.interval is not None:
            assert found.ends == pytest.approx(alone.ends, abs=1e-12)


def test_quick_functions_are_the_plain_ones() -> None:
    x = np.concatenate([[0.0], np.logspace(-12, 3, 200)])
    r = np.linspace(-1 + 1e-12, 1 - 1e-12, 501)
    assert quick_asinh(x) == pytest.approx(np.arcsinh(x), abs=2e-15)
    assert quick_atanh(r) == pytest.approx(np.arctanh(r), abs=2e-15, rel=1e-14)
    assert quick_tanh(np.linspace(-40, 40, 333)) == pytest.approx(
        np.tanh(np.linspace(-40, 40, 333)), abs=5e-16
    )
