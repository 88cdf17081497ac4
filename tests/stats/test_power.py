"""Plans against statsmodels, exact enumeration, textbook tables and simulation."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.errors import OptionError, UndefinedError
from concord.stats.compare import Choices, compare_items
from concord.stats.design import Design, Pilot, assumed_design, pilot_design
from concord.stats.mcnemar import mcnemar
from concord.stats.power import (
    Components,
    best_split,
    design_effect,
    detectable_effect,
    interval_width,
    items_needed,
    power_clustered,
    power_paired,
    power_two_sample,
)
from concord.stats.power_counts import disagreements, paired_sd, power_mcnemar


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


def test_the_width_of_the_interval_is_the_one_found() -> None:
    rng = np.random.default_rng(2)
    widths = []
    for _ in range(200):
        interval = compare_items(rng.normal(0, 1, 80), np.zeros(80)).difference.interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert interval_width(1.0, 80) == pytest.approx(np.mean(widths), rel=0.02)


def test_the_design_effect_of_a_worked_example() -> None:
    """Kish (1965): clusters of 50 with a correlation of 0.04 make the variance 2.96 times as large."""
    assert design_effect(50, 0.04) == pytest.approx(2.96)
    assert power_clustered(0.3, 1.0, 100) == pytest.approx(power_paired(0.3, 1.0, 100), abs=1e-15)
    with pytest.raises(OptionError, match="clusters of at least 1"):
        design_effect(0.5, 0.1)


def test_a_budget_goes_to_items_first_and_to_repeats_when_items_run_out() -> None:
    parts = Components(between=0.05, within=0.4)
    assert best_split(parts, 2000).repeats == 1
    limited = best_split(parts, 2000, most_items=200)
    assert (limited.items, limited.repeats, limited.calls) == (200, 5, 2000)
    # Cochran (1977), 10.6: K = sqrt(within · cost of an item / (between · cost of a repeat))
    costly = best_split(parts, 100_000, item_cost=16)
    assert costly.repeats == round(float(np.sqrt(0.4 * 16 / (0.05 * 2))))
    with pytest.raises(OptionError, match="3 calls do not reach for two items"):
        best_split(parts, 3)


def test_zero_one_scores_have_the_variance_of_their_table() -> None:
    only_first, only_second = disagreements(0.7, 0.6, 0.3)
    assert only_first - only_second == pytest.approx(0.1)
    assert paired_sd(0.7, 0.6, 0.3) ** 2 == pytest.approx(only_first + only_second - 0.01)
    with pytest.raises(OptionError, match="means of 0.9 and 0.1 cannot have a correlation of 0.9"):
        disagreements(0.9, 0.1, 0.9)
    with pytest.raises(OptionError, match="expected a number from 0 to 1"):
        paired_sd(1.2, 0.5, 0)


def test_variance_components_are_found_again_from_a_pilot() -> None:
    rng = np.random.default_rng(5)
    n, repeats = 4000, 4
    true = rng.normal(0.1, 0.3, n)
    noise = rng.normal(0, 0.8, (n, repeats))
    d = true + noise.mean(axis=1)
    design = pilot_design(Pilot(d, noise.var(axis=1, ddof=1) / repeats, repeats, False))
    assert design.components.between == pytest.approx(0.09, rel=0.15)
    assert design.components.within == pytest.approx(0.64, rel=0.05)


def test_clusters_of_a_pilot_give_their_correlation() -> None:
    rng = np.random.default_rng(6)
    families = np.repeat(np.arange(400), 5)
    d = rng.normal(0, 0.5, 400)[families] + rng.normal(0, 1, 2000)
    design = pilot_design(Pilot(d, np.full(2000, np.nan), 1, False, families))
    assert design.cluster_size == 5
    assert design.cluster_correlation == pytest.approx(0.2, abs=0.05)


def test_plans_that_cannot_be_made_say_why() -> None:
    with pytest.raises(OptionError, match="either the expected means .* or a standard deviation"):
        assumed_design()
    with pytest.raises(OptionError, match="no number of items finds a difference that is not there"):
        items_needed(0.0, 1.0)
    with pytest.raises(UndefinedError, match="more than 100,000,000 items"):
        items_needed(1e-6, 1.0)
    with pytest.raises(UndefinedError, match="2 paired item"):
        pilot_design(Pilot(np.zeros(2), np.zeros(2), 1, True))
    with pytest.raises(UndefinedError, match="same difference"):
        pilot_design(Pilot(np.ones(9), np.full(9, np.nan), 1, True))
    with pytest.raises(OptionError, match="power is 1.5"):
        items_needed(0.1, 1.0, power=1.5)
    with pytest.raises(OptionError, match="sd is -1"):
        power_paired(0.1, -1.0, 10)


def share_found(
    design: Design, effect: float, items: int, replicates: int, rng: np.random.Generator
) -> float:
    """Share of simulated 0-1 comparisons in which the difference is found."""
    assert design.disagreement is not None
    first = (design.disagreement + effect) / 2
    cells = rng.multinomial(items, [first, design.disagreement - first, 1 - design.disagreement], replicates)
    found = [mcnemar(int(b), int(c)).exact < 0.05 for b, c, _ in cells]
    return float(np.mean(found))


@pytest.mark.parametrize(("means", "items"), [((0.7, 0.6), 150), ((0.55, 0.5), 900)])
def test_planned_power_of_zero_one_scores_is_what_comparisons_find(
    means: tuple[float, float], items: int
) -> None:
    design = assumed_design(means=means)
    effect = means[0] - means[1]
    found = share_found(design, effect, items, 4000, np.random.default_rng(8))
    assert design.power(effect, items) == pytest.approx(found, abs=0.03)


def test_planned_power_of_repeated_scores_is_what_comparisons_find() -> None:
    rng = np.random.default_rng(9)
    design, items, repeats, effect = assumed_design(sd_between=0.3, sd_within=0.6), 120, 3, 0.1
    found = []
    for _ in range(600):
        d = effect + rng.normal(0, 0.3, items) + rng.normal(0, 0.6, (items, repeats)).mean(axis=1)
        found.append(compare_items(d, np.zeros(items), choices=Choices(test="t", n_flips=1)).p_value)
    share = np.mean(np.array(found, dtype=np.float64) < 0.05)
    assert design.power(effect, items, repeats) == pytest.approx(share, abs=0.05)
