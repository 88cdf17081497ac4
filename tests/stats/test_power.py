"""Plans against statsmodels, exact enumeration, textbook tables and simulation."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.errors import OptionError, UndefinedError
from concord.stats.mcnemar import bonett_price_interval, mcnemar
from concord.stats.power import (
    counted_interval_width,
    detectable_effect,
    disagreements,
    fewest,
    interval_width,
    items_needed,
    paired_sd,
    power_mcnemar,
    power_paired,
    power_signs,
    power_two_sample,
    root_bias,
)
from concord.stats.resample import sign_flip


@pytest.mark.long
@pytest.mark.parametrize(("d", "n"), [(0.1, 5), (0.1, 400), (0.35, 30), (0.8, 5), (0.8, 30), (0.2, 100)])
def test_power_of_t_tests_is_that_of_statsmodels(d: float, n: int) -> None:
    pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    from statsmodels.stats.power import TTestIndPower, TTestPower

    assert power_paired(2 * d, 2.0, n) == pytest.approx(TTestPower().power(d, n, 0.05), abs=1e-9)
    assert power_two_sample(d, n, 2 * n) == pytest.approx(
        TTestIndPower().power(d, n, 0.05, ratio=2), abs=1e-9
    )


@pytest.mark.parametrize(("shift", "n"), [(15.0, 3), (16.0, 400), (40.0, 5)])
def test_power_of_large_effects_is_defined_where_scipy_gives_up(shift: float, n: int) -> None:
    """P(|T| < c) by adaptive quadrature over the chi-square that divides."""
    from scipy import integrate, stats

    critical = stats.t.ppf(0.975, n - 1)

    def density(w: float) -> float:
        x = w * w * (n - 1)
        return float(stats.norm.cdf(critical * w - shift) * stats.chi2.pdf(x, n - 1) * 2 * w * (n - 1))

    missed, _ = integrate.quad(density, 0, 12, epsabs=1e-13, points=[1.0], limit=200)
    assert power_paired(shift / np.sqrt(n), 1.0, n) == pytest.approx(1 - missed, abs=1e-9)


def test_textbook_sample_sizes() -> None:
    """Cohen (1988), table 2.4.1: 64 a group find d = 0.5 with a power of 80 %; 34 pairs the same."""
    assert power_two_sample(0.5, 63, 63) < 0.8 <= power_two_sample(0.5, 64, 64)
    assert items_needed(0.5, 1.0) == 34


def test_the_normal_formula_of_the_literature_on_error_bars_is_close() -> None:
    """Miller (2024), section 5: n = (z_a/2 + z_b)² ω²/δ² with ω² = 1/9 and δ = 0.03, about 1,000."""
    z = 1.959963984540054 + 0.8416212335729143
    assert items_needed(0.03, 1 / 3) == pytest.approx(z**2 / 9 / 0.03**2, abs=3)


def enumerated(p10: float, p01: float, n: int, *, mid_p: bool) -> float:
    """Power of McNemar's test, every pair of disagreements counted."""
    total = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            test = mcnemar(b, c)
            if (test.mid_p if mid_p else test.exact) < 0.05:
                total += comb(n, b) * comb(n - b, c) * p10**b * p01**c * (1 - p10 - p01) ** (n - b - c)
    return total


@pytest.mark.parametrize("mid_p", [False, True])
@pytest.mark.parametrize(
    ("p10", "p01", "n"), [(0.3, 0.1, 30), (0.2, 0.2, 40), (0.5, 0.0, 12), (0.05, 0.01, 50)]
)
def test_power_of_mcnemar_counts_every_outcome(p10: float, p01: float, n: int, mid_p: bool) -> None:
    expected = enumerated(p10, p01, n, mid_p=mid_p)
    assert power_mcnemar(p10, p01, n, mid_p=mid_p) == pytest.approx(expected, abs=1e-9)


def test_power_of_mcnemar_for_a_million_items_is_finite() -> None:
    assert 0.5 < power_mcnemar(0.101, 0.100, 1_000_000) < 1
    assert power_mcnemar(0.0, 0.0, 100) == 0.0
    with pytest.raises(OptionError, match="from 0 to 1"):
        power_mcnemar(0.7, 0.6, 100)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.05, 3), st.integers(3, 5000), st.floats(0.3, 0.97))
def test_the_smallest_detectable_effect_has_the_wanted_power(sd: float, n: int, power: float) -> None:
    effect = detectable_effect(sd, n, power=power)
    assert power_paired(effect, sd, n) == pytest.approx(power, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.02, 2), st.floats(0.05, 3), st.floats(0.3, 0.97))
def test_one_item_less_than_needed_is_not_enough(effect: float, sd: float, power: float) -> None:
    n = items_needed(effect, sd, power=power)
    assert power_paired(effect, sd, n) >= power
    assert n == 2 or power_paired(effect, sd, n - 1) < power


@pytest.mark.parametrize("df", [1, 2, 9, 50, 99_999, 100_001])
def test_the_mean_of_a_standard_deviation_is_that_of_scipys_chi_distribution(df: int) -> None:
    from scipy import stats

    assert root_bias(df) == pytest.approx(stats.chi.mean(df) / np.sqrt(df), rel=1e-9)


def test_a_width_is_the_expected_one_of_students_interval() -> None:
    """By hand: 2 t(9, 0.975) c4(10) / sqrt(10), with c4(10) = 0.9727 of the tables of control charts."""
    assert interval_width(1.0, 10) == pytest.approx(2 * 2.2621571628 * 0.9726592741 / np.sqrt(10), rel=1e-9)
    with pytest.raises(UndefinedError, match="at least 2 items"):
        interval_width(1.0, 1)


def test_the_width_for_counts_is_close_to_the_mean_over_all_outcomes() -> None:
    p10, p01, n, total = 0.3, 0.1, 30, 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            one = bonett_price_interval([1] * b + [-1] * c + [0] * (n - b - c))
            mass = comb(n, b) * comb(n - b, c) * p10**b * p01**c * (1 - p10 - p01) ** (n - b - c)
            total += mass * (one.high - one.low)
    assert counted_interval_width(p10 + p01, p10 - p01, n) == pytest.approx(total, rel=0.01)


def signs_found(d: float, n: int, replicates: int) -> float:
    """Share of simulated sign-flip tests of normal differences that find one."""
    rng = np.random.default_rng([3, n])
    draws = rng.normal(d, 1, (replicates, n))
    return float(np.mean([sign_flip(x, rng=rng).p_value < 0.05 for x in draws]))


@pytest.mark.parametrize(("d", "n"), [(3.0, 5), (1.2, 6), (1.2, 7), (0.9, 9), (0.9, 12)])
def test_power_of_few_random_signs_is_what_they_find(d: float, n: int) -> None:
    assert power_signs(d, 1.0, n) == pytest.approx(signs_found(d, n, 4000), abs=0.03)


def test_power_of_many_random_signs_is_that_of_t() -> None:
    assert power_signs(0.3, 1.0, 100) == power_paired(0.3, 1.0, 100)


@pytest.mark.parametrize(("p10", "p01", "power"), [(1.0, 0.0, 0.9), (0.9, 0.1, 0.8), (0.3, 0.1, 0.8)])
def test_no_smaller_number_of_items_has_the_wanted_power(p10: float, p01: float, power: float) -> None:
    """The exact test gains power in saw teeth: every smaller n is looked at."""
    n = fewest(lambda m: power_mcnemar(p10, p01, m), power, p10 - p01)
    assert power_mcnemar(p10, p01, n) >= power
    assert all(power_mcnemar(p10, p01, m) < power for m in range(2, n))


def test_zero_one_scores_have_the_variance_of_their_table() -> None:
    only_first, only_second = disagreements(0.7, 0.6, 0.3)
    assert only_first - only_second == pytest.approx(0.1)
    assert paired_sd(0.7, 0.6, 0.3) ** 2 == pytest.approx(only_first + only_second - 0.01)
    with pytest.raises(OptionError, match="means of 0.9 and 0.1 cannot have a correlation of 0.9"):
        disagreements(0.9, 0.1, 0.9)
    with pytest.raises(OptionError, match="expected a number from 0 to 1"):
        paired_sd(1.2, 0.5, 0)


def test_numbers_that_cannot_be_are_refused() -> None:
    with pytest.raises(OptionError, match="no number of items finds a difference that is not there"):
        items_needed(0.0, 1.0)
    with pytest.raises(UndefinedError, match="more than 100,000,000 items"):
        items_needed(1e-6, 1.0)
    with pytest.raises(OptionError, match="power is 1.5"):
        items_needed(0.1, 1.0, power=1.5)
    with pytest.raises(OptionError, match="sd is -1"):
        power_paired(0.1, -1.0, 10)
