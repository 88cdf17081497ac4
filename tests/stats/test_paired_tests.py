"""McNemar, random signs, adjusted p-values and groups, against published values and other software."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from concord.errors import OptionError, UndefinedError
from concord.stats.clustered import clustered_mean
from concord.stats.mcnemar import bonett_price_interval, mcnemar
from concord.stats.multiple import benjamini_hochberg, holm, indistinguishable
from concord.stats.resample import sign_flip

DARWIN = [6.125, -8.375, 1, 2, 0.75, 2.875, 3.5, 5.125, 1.75, 3.625, 7, 3, 9.375, 7.5, -6]
"""Crossed less self-fertilised maize, inches: Darwin (1876), as in Fisher (1935), section 17."""


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("exact", "mid_p", "source"),
    [(0.0703125, 0.0390625, "Fagerland, Lydersen & Laake (2013), table 1: 0.070 and 0.039")],
)
def test_mcnemar_of_the_published_example(exact: float, mid_p: float, source: str) -> None:
    ours = mcnemar(1, 7)
    assert ours.exact == pytest.approx(exact, abs=1e-15), source
    assert ours.mid_p == pytest.approx(mid_p, abs=1e-15), source


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_binomial_test_of_scipy(b: int, c: int) -> None:
    from scipy import stats

    expected = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert mcnemar(b, c).exact == pytest.approx(expected, abs=1e-11)
    assert mcnemar(b, c).mid_p <= mcnemar(b, c).exact


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_mid_p_takes_off_the_probability_of_the_observed_split(b: int, c: int) -> None:
    """Fagerland, Lydersen & Laake (2013), equation 4, with scipy's binomial distribution."""
    from scipy import stats

    least, n = min(b, c), b + c
    expected = 2 * stats.binom.cdf(least, n, 0.5) - stats.binom.pmf(least, n, 0.5)
    if b == c and n > 0:
        expected = 1 - 0.5 * stats.binom.pmf(b, n, 0.5)
    assert mcnemar(b, c).mid_p == pytest.approx(min(1.0, expected), abs=1e-9)


def test_mcnemar_of_a_million_disagreements_does_not_overflow() -> None:
    assert 0 < mcnemar(500_000, 501_000).exact < 1
    assert mcnemar(0, 1_000_000).exact == 0.0


def test_the_interval_of_paired_proportions_is_the_published_one() -> None:
    """Fagerland, Lydersen & Laake (2014), table VI: -0.508 to -0.013 for 1, 1, 7, 12."""
    interval = bonett_price_interval([1] + [-1] * 7 + [0] * 13)
    assert (round(interval.low, 3), round(interval.high, 3)) == (-0.508, -0.013)
    without = bonett_price_interval([0] * 50)
    assert without.low < 0 < without.high
    with pytest.raises(OptionError, match="disagreements are counts"):
        mcnemar(-1, 2)


def test_all_signs_of_darwins_maize_are_counted_as_fisher_counted_them() -> None:
    """Fisher (1935), section 21: 1,726 of 32,768 patterns are as far from zero, 5.267 %."""
    result = sign_flip(DARWIN, rng=rng())
    assert result.exact
    assert result.p_value == pytest.approx(1726 / 32768, abs=1e-12)


def test_counted_signs_are_those_of_scipy() -> None:
    from scipy import stats

    x = rng(4).normal(0.4, 1, 11)
    theirs = stats.permutation_test((x,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(x, rng=rng()).p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_drawn_signs_are_close_to_the_t_test_and_the_same_for_the_same_seed() -> None:
    from scipy import stats

    x = rng(5).normal(0.15, 1, 200)
    first, again = (sign_flip(x, n_flips=20_000, rng=rng(1)).p_value for _ in range(2))
    assert first == again
    assert first != sign_flip(x, n_flips=20_000, rng=rng(2)).p_value
    assert first == pytest.approx(stats.ttest_1samp(x, 0).pvalue, abs=0.01)


def test_zeros_do_not_change_the_p_of_random_signs() -> None:
    assert sign_flip([*DARWIN, 0, 0, 0], rng=rng()) == sign_flip(DARWIN, rng=rng())
    assert sign_flip([0.0, 0.0], rng=rng()).p_value == 1.0


def test_clusters_flip_together() -> None:
    pairs = np.repeat(np.arange(15), 2)
    halves = np.repeat(np.array(DARWIN) / 2, 2)
    assert sign_flip(halves, pairs, rng=rng()).p_value == pytest.approx(1726 / 32768, abs=1e-12)
    with pytest.raises(OptionError, match="flips is 0"):
        sign_flip(DARWIN, n_flips=0, rng=rng())


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_values_are_those_of_statsmodels(p: list[float]) -> None:
    pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    from statsmodels.stats.multitest import multipletests

    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


def test_a_missing_p_value_is_outside_the_family() -> None:
    assert holm([0.01, np.nan, 0.04]).tolist() == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)
    with pytest.raises(OptionError, match="between 0 and 1"):
        holm([0.5, 1.2])


def test_groups_are_as_long_as_they_can_be_and_may_overlap() -> None:
    different = np.zeros((4, 4), dtype=np.bool_)
    different[0, 3] = different[3, 0] = different[0, 2] = different[2, 0] = True
    assert indistinguishable([0, 1, 2, 3], different) == ((0, 1), (1, 2, 3))
    assert indistinguishable([0, 1, 2, 3], ~np.eye(4, dtype=np.bool_)) == ((0,), (1,), (2,), (3,))


def test_a_standard_error_needs_two_clusters_and_one_label_a_unit() -> None:
    with pytest.raises(UndefinedError, match="at least 2 clusters, there are 1"):
        clustered_mean([1, 2, 3], ["a", "a", "a"])
    with pytest.raises(OptionError, match="2 cluster labels for 3 units"):
        clustered_mean([1, 2, 3], ["a", "b"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_mid_p_of_random_signs_counts_other_ties_half(steps: list[int]) -> None:
    """Every pattern written out; the observed one and its mirror count whole (Lancaster, 1961)."""
    units = [step for step in steps if step]
    patterns = [1 - 2 * np.array([(k >> i) & 1 for i in range(len(units))]) for k in range(2 ** len(units))]
    far = [abs(int(np.dot(signs, units))) for signs in patterns]
    observed = abs(sum(units))
    beyond, ties = sum(x > observed for x in far), sum(x == observed for x in far)
    result = sign_flip([step / 3 for step in steps], rng=rng())
    whole = min(2, ties)
    assert result.mid_p == pytest.approx((beyond + whole + (ties - whole) / 2) / len(far), abs=1e-12)
    assert result.p_value == pytest.approx((beyond + ties) / len(far), abs=1e-12)


def test_drawn_signs_without_ties_have_one_p_and_with_ties_a_smaller_mid_p() -> None:
    measured = sign_flip(rng(6).normal(0.2, 1, 60), rng=rng(1))
    assert measured.mid_p == measured.p_value
    stepped = sign_flip(rng(6).integers(-2, 4, 60) / 3, rng=rng(1))
    assert stepped.mid_p < stepped.p_value < 1


@pytest.mark.parametrize("only_first", range(7))
@pytest.mark.parametrize("only_second", range(7))
def test_mcnemar_is_the_binomial_test_of_scipy_and_mid_p_half_its_ties(
    only_first: int, only_second: int
) -> None:
    found, n = mcnemar(only_first, only_second), only_first + only_second
    if n == 0:
        assert (found.exact, found.mid_p) == (1.0, 1.0)
        return
    assert found.exact == pytest.approx(stats.binomtest(only_first, n).pvalue)
    # Lancaster (1961): what is as likely as the split that was seen counts half
    chances = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    seen = np.isclose(chances, chances[only_first])
    assert found.mid_p == pytest.approx(
        chances[(chances < chances[only_first]) & ~seen].sum() + chances[seen].sum() / 2
    )
