"""Intervals over other studies like these: bounded means, rates, concordance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import beta
from scipy.stats import t as student

from concord.errors import OptionError, UndefinedError
from concord.stats.bounded_means import (
    bounded_bootstrap,
    gamma_ratio_cdf,
    gamma_ratio_quantile,
)
from concord.stats.intervals import ends_lean, ends_weight, jackknife_t
from concord.stats.study_intervals import (
    UNSEEN,
    StudyMoments,
    apr_interval,
    ecs_interval,
    pas_interval,
    pas_intervals,
    unseen_weights,
)


@pytest.mark.parametrize(("ones", "zeros"), [(12, 0), (0, 5), (3, 2), (1, 30), (150, 50)])
def test_numbers_of_0_and_1_get_jeffreys_interval(ones: int, zeros: int) -> None:
    interval = bounded_bootstrap([1.0] * ones + [0.0] * zeros)
    low, high = beta.ppf([0.025, 0.975], ones + 0.5, zeros + 0.5)
    mean = ones / (ones + zeros)
    assert interval.low == pytest.approx(min(low, mean), abs=1e-9)
    assert interval.high == pytest.approx(max(high, mean), abs=1e-9)


def test_the_distribution_without_draws_is_that_of_draws() -> None:
    rng = np.random.default_rng(1)
    n, d, a = rng.random(6), rng.random(6) + 0.2, rng.random(6) + 0.3
    g = rng.standard_gamma(a, (200_000, 6))
    ratios = (g @ n) / (g @ d)
    for t in np.quantile(ratios, [0.02, 0.3, 0.9]):
        assert gamma_ratio_cdf(float(t), n, d, a) == pytest.approx(float(np.mean(ratios <= t)), abs=0.005)
    assert gamma_ratio_quantile(0.3, n, d, a) == pytest.approx(float(np.quantile(ratios, 0.3)), abs=0.005)


@pytest.mark.parametrize("size", [2, 5, 30, 120])
def test_the_distribution_is_that_of_the_integral_term_by_term(size: int) -> None:
    """Arctangents and logarithms of every term on a finer grid, to the far end: nothing is cut off."""
    rng = np.random.default_rng(size)
    n, d = rng.beta(0.5, 0.5, size), rng.integers(1, 6, size).astype(float)
    a = np.where(np.arange(size) < size // 2, 1.0, rng.choice([0.5, 2.0, 3.0], size))
    for probability in (0.025, 0.5, 0.975):
        t = gamma_ratio_quantile(probability, n, d, a)
        uc = np.outer(np.exp(np.arange(-14.0, 40.0, 0.02)), (n - t * d) / np.abs(n - t * d).max())
        heights = np.sin(np.arctan(uc) @ a) * np.exp(-0.5 * (np.log1p(uc * uc) @ a))
        exact = 0.5 - 0.02 * (heights.sum() + heights[0] / np.expm1(0.02)) / np.pi
        assert exact == pytest.approx(probability, abs=1e-9)
        assert gamma_ratio_cdf(t, n, d, a) == pytest.approx(exact, abs=1e-10)


def test_weights_that_were_drawn_before_change_nothing() -> None:
    rng = np.random.default_rng(3)
    human, agent, study = rng.normal(0.4, 0.5, 24), rng.normal(0.4, 0.5, 24), np.repeat(np.arange(8), 3)
    weights = unseen_weights(8, 500, np.random.default_rng(5))
    here, before = (
        ecs_interval(human, agent, study, n_draws=500, rng=np.random.default_rng(5), drawn=drawn)
        for drawn in (None, weights)
    )
    assert here == before


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_the_interval_holds_the_mean_and_mirrors(values: list[float]) -> None:
    interval, mirrored = bounded_bootstrap(values), bounded_bootstrap([1 - x for x in values])
    mean = float(np.mean(values))
    assert 0 <= interval.low <= mean <= interval.high <= 1
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-8)


def test_away_from_the_ends_pas_keeps_its_jackknife() -> None:
    x = np.array([0.4, 0.6, 0.55, 0.7])
    own = jackknife_t(float(x.mean()), (x.sum() - x) / 3, scale="logit")
    found = pas_interval(x, jackknife=own)
    assert found.interval == own
    assert "where a study in eight fails" in found.note


def test_near_an_end_pas_allows_for_studies_unlike_those_seen() -> None:
    x = np.array([0.97, 0.98, 0.99, 0.96, 0.98])
    own = jackknife_t(float(x.mean()), (x.sum() - x) / 4, scale="logit")
    found = pas_interval(x, jackknife=own)
    assert found.note.startswith(UNSEEN)
    assert found.interval is not None
    assert found.interval.low < 0.7 < own.low
    assert ends_weight(x) == 1.0
    half = pas_interval([0.5, 0.6, 0.4, 0.7, 0.55, 0.925], jackknife=own)
    assert 0 < ends_weight([0.5, 0.6, 0.4, 0.7, 0.55, 0.925]) < 1
    assert half.interval is not None


def test_two_studies_have_no_interval_and_the_headline_is_always_inside() -> None:
    assert pas_interval([0.9, 0.8]).interval is None
    assert "2 studies" in pas_interval([0.9, 0.8]).note
    found = pas_interval([0.99, 1.0, 1.0], value=0.3)
    assert found.value == 0.3
    assert found.interval is not None
    assert found.interval.low == 0.3


def test_five_studies_that_passed_everything_say_little_about_a_sixth() -> None:
    found = apr_interval([6] * 5, [6] * 5)
    assert found.value == 1.0
    assert found.interval is not None
    assert 0.5 < found.interval.low < 0.65
    assert found.interval.high == 1.0


def test_passes_and_failures_mirror() -> None:
    s, m = np.array([1, 4, 2, 6, 3]), np.array([4, 5, 8, 7, 3])
    up, down = apr_interval(s, m).interval, apr_interval(m - s, m).interval
    assert up is not None
    assert down is not None
    assert (up.low, up.high) == pytest.approx((1 - down.high, 1 - down.low), abs=1e-8)


def test_equal_studies_get_the_t_test_of_their_rates() -> None:
    s, m = np.array([3.0, 5.0, 4.0, 6.0]), np.full(4, 10.0)
    found = apr_interval(s, m).interval
    assert found is not None
    assert "3.0 degrees of freedom" in found.method


def test_one_study_that_holds_most_tests_is_named() -> None:
    assert "one study holds most tests" in apr_interval([40, 2, 1, 2, 1], [60, 3, 3, 3, 3]).note
    assert "one study holds most" not in apr_interval([4, 2, 1, 2, 1], [6, 3, 3, 3, 3]).note
    with pytest.raises(OptionError, match="0 <= passes <= tests"):
        apr_interval([5], [3])


def population(rng: np.random.Generator, studies: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Effects that vary between studies as much as inside them."""
    centre = np.repeat(rng.normal(0, 0.5, studies), 3)
    x = centre + rng.normal(0, 0.3, 3 * studies)
    return x, 0.8 * x + rng.normal(0, 0.4, 3 * studies), np.repeat(np.arange(studies), 3)


def test_few_studies_pull_the_corrected_concordance_down_much_less() -> None:
    rng = np.random.default_rng(3)
    x, y, _ = population(rng, 100_000)
    truth = 2 * np.mean((x - x.mean()) * (y - y.mean())) / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    plain, corrected = [], []
    for _ in range(400):
        moments = StudyMoments.of(*population(rng, 4))
        plain.append(float(moments.weighted(np.full((1, 4), 0.25))[0]))
        corrected.append(moments.corrected())
    assert np.mean(plain) < truth - 0.1
    assert truth - 0.08 < np.mean(corrected) < truth
    assert abs(np.median(corrected) - truth) < 0.04


def test_the_interval_of_a_concordance_covers_with_six_studies() -> None:
    rng = np.random.default_rng(4)
    x, y, _ = population(rng, 100_000)
    truth = 2 * np.mean((x - x.mean()) * (y - y.mean())) / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    inside = []
    for _ in range(150):
        found = ecs_interval(*population(rng, 6), rng=rng, n_draws=500).interval
        assert found is not None
        inside.append(found.low <= truth <= found.high)
    assert 0.90 <= np.mean(inside) <= 1.0


def test_concordance_is_withheld_where_human_effects_are_noise() -> None:
    rng = np.random.default_rng(5)
    x, y, study = population(rng, 6)
    quiet = ecs_interval(x, y, study, human_se=np.full(18, 0.1), rng=np.random.default_rng(0))
    noisy = ecs_interval(x, y, study, human_se=np.full(18, 0.6), rng=np.random.default_rng(0))
    assert quiet.interval is not None
    assert noisy.interval is None
    assert "sampling errors" in noisy.note
    assert "below 5" in ecs_interval(*population(rng, 4), rng=np.random.default_rng(0)).note
    held = ecs_interval(x, y, study, value=-0.9, rng=np.random.default_rng(0)).interval
    assert held is not None
    assert held.low == -0.9
    with pytest.raises(UndefinedError, match="both sides"):
        ecs_interval([np.nan], [1.0], ["a"], rng=rng)


def test_near_the_ceiling_the_upper_end_has_both_tails() -> None:
    """All but one test passed: the upper end is that of a 90 % interval, the lower that of a 95 %."""
    passes, tests = np.array([5, 5, 5, 5, 4]), np.full(5, 5)
    wide, narrow = (apr_interval(passes, tests, level=level).interval for level in (0.95, 0.9))
    assert wide is not None and narrow is not None
    assert ends_lean(passes / tests) == 1
    one_sided = gamma_ratio_quantile(0.95, np.append(passes, 5.0), np.full(6, 5.0), [1, 1, 1, 1, 1, 0.5])
    assert wide.high == pytest.approx(one_sided, abs=1e-9)
    assert wide.low < narrow.low


@pytest.mark.parametrize(
    ("passes", "tests"), [([3, 4, 6, 2, 9], [6, 9, 11, 5, 20]), ([5, 8, 2, 7], [9, 17, 4, 15])]
)
def test_a_rate_over_unequal_studies_has_the_cr2_error_of_its_matrices(
    passes: list[int], tests: list[int]
) -> None:
    """Bell and McCaffrey's definition over single tests: residuals times (I - H_kk)^(-1/2)."""
    s, m = np.array(passes, float), np.array(tests, float)
    n, study = int(m.sum()), np.repeat(np.arange(len(tests)), tests)
    p = (s.sum() + 0.5) / (n + 1)  # half a pass of one more test, shared out by size
    residual = ((s + m / n / 2) / (m + m / n) - p)[study]
    ones = np.ones(n)
    hat = np.outer(ones, ones) / n
    columns, variance = [], 0.0
    for k in range(len(tests)):
        own = study == k
        values, vectors = np.linalg.eigh(np.eye(own.sum()) - hat[np.ix_(own, own)])
        weights = vectors @ np.diag(values**-0.5) @ vectors.T @ ones[own] / n
        variance += float(weights @ residual[own]) ** 2
        columns.append((np.eye(n) - hat)[:, own] @ weights)
    gram = np.array(columns) @ np.array(columns).T
    df = np.trace(gram) ** 2 / np.trace(gram @ gram)
    reach = student.ppf(0.975, df) * np.sqrt(variance) / (p * (1 - p))
    ends = expit(logit(p) + np.array([-reach, reach]))
    found = apr_interval(s, m)
    assert found.value == pytest.approx(s.sum() / n)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(ends), rel=1e-9)
    assert f"{df:.1f} degrees" in found.method


def test_one_study_with_most_tests_is_named_from_where_half_the_studies_are_worth_nothing() -> None:
    """By hand: sizes 10, 1, 1, 1 are worth 13² / 103 = 1.6 studies of 4; sizes 3, 2, 2, 2 are worth 3.9."""
    assert "worth 1.6 studies of one size" in apr_interval([5, 1, 0, 1], [10, 1, 1, 1]).note
    assert "worth" not in apr_interval([2, 1, 1, 1], [3, 2, 2, 2]).note


def test_an_agent_with_too_few_studies_leaves_the_intervals_of_others_alone() -> None:
    few, many = np.array([0.4]), np.array([0.98, 0.99, 0.97, 1.0, 0.96])
    found = pas_intervals([few, many], [0.4, 0.98], [None, None], level=0.95)
    assert found[0].interval is None
    assert found[1].interval == pas_interval(many, value=0.98).interval
