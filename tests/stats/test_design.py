"""Designs of comparisons: from assumptions and pilots to power, items, widths and the use of a budget."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from concord.errors import OptionError, UndefinedError
from concord.stats.design import (
    Components,
    PairedDesign,
    Pilot,
    _clusters,
    assumed_design,
    best_split,
    pilot_design,
)
from concord.stats.power import Clusters, power_mcnemar, power_paired, power_signs


def test_the_test_is_the_one_that_a_comparison_would_use() -> None:
    counted = assumed_design(means=(0.7, 0.6), sd_within=0.3)
    assert [counted.test(), counted.test(3)] == ["exact McNemar", "sign flip"]
    assert assumed_design(sd_between=0.3).test() == "sign flip"
    assert assumed_design(means=(0.7, 0.6), clusters=Clusters(5.0)).test() == "clustered t"


def test_right_and_wrong_answers_are_planned_by_mcnemar_and_their_means_by_random_signs() -> None:
    design = PairedDesign(Components(0.1, 0.3), disagreement=0.41)
    assert design.power(0.1, 200) == pytest.approx(power_mcnemar(0.255, 0.155, 200), abs=1e-12)
    sd = np.sqrt(0.41 - 0.01 - 0.3 + 0.3 / 4)
    assert design.power(0.1, 200, 4) == pytest.approx(power_signs(0.1, sd, 200), abs=1e-12)


def test_models_disagree_at_least_as_often_as_they_differ() -> None:
    design = PairedDesign(Components(0.1, 0.0), disagreement=0.1)
    assert design.power(0.3, 50) == pytest.approx(power_mcnemar(0.3, 0.0, 50), abs=1e-12)


def test_repeats_leave_less_noise_beside_what_a_cluster_shares() -> None:
    """By hand: 0.5 · 0.1/(0.1 + 0.3/K)."""
    design = PairedDesign(Components(0.1, 0.3), Clusters(5.0, 0.0, 0.5))
    assert design.correlation(1) == pytest.approx(0.125)
    assert design.correlation(3) == pytest.approx(0.25)
    assert design.inflation(3) == pytest.approx(2.0)


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(["counted", "repeated", "measured", "clustered", "unequal"]), st.floats(0.4, 0.95))
def test_the_smallest_difference_and_the_items_needed_are_inverse(kind: str, power: float) -> None:
    design, repeats = {
        "counted": (PairedDesign(Components(0.3, 0.0), disagreement=0.3), 1),
        "repeated": (PairedDesign(Components(0.05, 0.3), disagreement=0.35), 4),
        "measured": (PairedDesign(Components(0.2, 0.1)), 2),
        "clustered": (PairedDesign(Components(0.2, 0.0), Clusters(4.0, 0.0, 0.2)), 1),
        "unequal": (PairedDesign(Components(0.2, 0.0), Clusters(4.0, 0.6, 0.2)), 1),
    }[kind]
    effect = design.detectable(160, power, repeats)
    assert design.power(effect, 160, repeats) == pytest.approx(power, abs=1e-6)
    assert design.items_needed(effect * (1 + 1e-9), power, repeats) <= 160
    needed = design.items_needed(0.12, power, repeats)
    assert design.power(0.12, needed, repeats) >= power


def test_items_are_needed_in_whole_clusters() -> None:
    design = PairedDesign(Components(0.2, 0.0), Clusters(7.0, 0.0, 0.3))
    needed = design.items_needed(0.15, 0.8)
    assert needed % 7 == 0
    assert design.power(0.15, needed - 7) < 0.8 <= design.power(0.15, needed)


def test_too_few_items_or_clusters_find_nothing_and_say_so() -> None:
    with pytest.raises(UndefinedError, match="5 items find no difference, however large"):
        PairedDesign(Components(0.2, 0.0)).detectable(5, 0.8)
    with pytest.raises(UndefinedError, match="20 items in 2 clusters find no difference"):
        PairedDesign(Components(0.2, 0.0), Clusters(10.0)).detectable(20, 0.8)
    with pytest.raises(UndefinedError, match="an interval needs at least 3 clusters, there are 2"):
        PairedDesign(Components(0.2, 0.0), Clusters(10.0)).width(20)


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
    with pytest.raises(OptionError, match="there are 1 items"):
        best_split(parts, 100, most_items=1)
    with pytest.raises(OptionError, match="the cost of an item is -1"):
        best_split(parts, 100, item_cost=-1)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1), st.floats(0.001, 1), st.integers(4, 3000), st.integers(2, 300), st.floats(0, 30))
def test_no_other_division_of_a_budget_has_a_smaller_error(
    between: float, within: float, calls: int, most: int, item_cost: float
) -> None:
    """Every number of repeats, and for each as many items as the budget reaches for."""
    errors = [
        np.sqrt((between + within / k) / n)
        for k in range(1, calls // 4 + 1)
        if (n := min(most, int(calls // (2 * k + item_cost)))) >= 2
    ]
    if not errors:
        return
    found = best_split(Components(between, within), calls, most_items=most, item_cost=item_cost)
    assert found.se == pytest.approx(min(errors), rel=1e-12)
    assert found.items * (2 * found.repeats + item_cost) <= calls


def test_clusters_turn_a_budget_towards_repeats_only_as_far_as_items_are_limited() -> None:
    alone = PairedDesign(Components(0.05, 0.4))
    shared = PairedDesign(Components(0.05, 0.4), Clusters(20.0, 0.0, 0.5))
    # what lies between items counts 10.5 times: fewer repeats of costly items are worth it
    assert shared.split(4000, item_cost=16).repeats < alone.split(4000, item_cost=16).repeats


def test_variance_components_are_found_again_from_a_pilot() -> None:
    rng = np.random.default_rng(5)
    n, repeats = 4000, np.array([[4], [2]]) * np.ones((2, 4000))
    true = rng.normal(0.1, 0.3, n)
    first, second = rng.normal(0, 0.8, (n, 4)), rng.normal(0, 0.5, (n, 2))
    d = true + first.mean(axis=1) - second.mean(axis=1)
    within = np.array([first.var(axis=1, ddof=1), second.var(axis=1, ddof=1)])
    design = pilot_design(Pilot(d, within, repeats, False))
    assert design.components.between == pytest.approx(0.09, rel=0.15)
    assert design.components.within == pytest.approx(0.64 + 0.25, rel=0.05)


def test_the_share_of_disagreements_is_found_again_from_repeated_answers() -> None:
    rng = np.random.default_rng(6)
    p = rng.beta(2, 2, (2, 5000))
    k = np.array([[3], [5]]) * np.ones((2, 5000))
    means = rng.binomial(k.astype(int), p) / k
    within = means * (1 - means) * k / (k - 1)
    design = pilot_design(Pilot(means[0] - means[1], within, k, True))
    single = p[0] * (1 - p[1]) + p[1] * (1 - p[0])
    assert design.disagreement == pytest.approx(single.mean(), abs=0.01)


def test_clusters_of_a_pilot_give_their_correlation_without_the_noise_of_repeats() -> None:
    rng = np.random.default_rng(6)
    families = np.repeat(np.arange(400), 5)
    true = rng.normal(0, 0.5, 400)[families] + rng.normal(0, 1, 2000)
    noise = rng.normal(0, 1, (2000, 2))
    within = np.array([noise.var(axis=1, ddof=1), np.full(2000, np.nan)])
    repeats = np.array([[2], [1]]) * np.ones((2, 2000))
    design = pilot_design(Pilot(true + noise.mean(axis=1), within, repeats, False, families))
    assert (design.clusters.size, design.clusters.cv) == (5, 0)
    assert design.clusters.correlation == pytest.approx(0.2, abs=0.05)


def test_singletons_are_no_clusters() -> None:
    d = np.array([0.1, 0.4, -0.2, 0.3])
    once = Pilot(d, np.full((2, 4), np.nan), np.ones((2, 4)), False, np.arange(4))
    assert not pilot_design(once).clustered


def test_plans_that_cannot_be_made_say_why() -> None:
    nothing, once = np.full((2, 9), np.nan), np.ones((2, 9))
    with pytest.raises(OptionError, match=r"either the expected means .* or a standard deviation"):
        assumed_design()
    with pytest.raises(UndefinedError, match="2 paired item"):
        pilot_design(Pilot(np.zeros(2), nothing[:, :2], once[:, :2], True))
    with pytest.raises(UndefinedError, match="same difference"):
        pilot_design(Pilot(np.ones(9), nothing, once, True))
    with pytest.raises(UndefinedError, match="the pilot has one cluster"):
        pilot_design(Pilot(np.arange(9.0), nothing, once, False, np.zeros(9)))
    with pytest.raises(OptionError, match="more than that of a single answer's difference"):
        assumed_design(means=(0.7, 0.6), sd_within=2.0)
    with pytest.raises(OptionError, match="leave no item on which the models disagree"):
        assumed_design(means=(1.0, 1.0))
    with pytest.raises(OptionError, match="a standard deviation is -1"):
        assumed_design(sd_between=-1.0)
    with pytest.raises(OptionError, match="both standard deviations are 0"):
        assumed_design(sd_between=0.0)


def test_an_unclustered_design_of_many_items_has_the_power_of_the_t_test() -> None:
    assert PairedDesign(Components(0.25, 0.0)).power(0.1, 200) == power_paired(0.1, 0.5, 200)


def test_equal_spread_between_and_within_is_a_design() -> None:
    design = assumed_design(sd_between=0.3, sd_within=0.3)
    assert (design.components.between, design.components.within) == pytest.approx((0.09, 0.09))


def test_variance_goes_with_the_difference_of_right_and_wrong_answers() -> None:
    """By hand: between = disagreements - δ² - within; without a named difference δ = 0."""
    design = PairedDesign(Components(0.05, 0.3), Clusters(5.0, 0.0, 0.5), disagreement=0.41)
    assert design.parts().between == pytest.approx(0.11)
    assert design.parts(0.2).between == pytest.approx(0.07)
    assert design.parts(0.2).within == 0.3
    assert design.sd() == pytest.approx(np.sqrt(0.41))
    assert design.sd(3) == pytest.approx(np.sqrt(0.21))
    assert design.sd(3, 0.2) == pytest.approx(np.sqrt(0.17))
    assert design.correlation(3) == pytest.approx(0.5 * 0.11 / 0.21)
    assert design.inflation() == pytest.approx(1 + 4 * 0.5 * 0.11 / 0.41)
    # models that differ by 0.7 disagree on 0.7: 0.7 - 0.49 is below the noise, so nothing lies between
    assert design.parts(0.7) == Components(0.0, 0.3)


def test_more_variance_is_more_of_every_part() -> None:
    design = PairedDesign(Components(0.1, 0.2), Clusters(2.0), disagreement=0.4, alpha=0.01).scaled(2.0)
    assert design == PairedDesign(Components(0.2, 0.4), Clusters(2.0), disagreement=0.8, alpha=0.01)
    assert design.scaled(2.0).disagreement == 1.0
    assert PairedDesign(Components(0.1, 0.2)).scaled(0.5) == PairedDesign(Components(0.05, 0.1))


def test_items_that_all_differ_alike_are_a_sign_test() -> None:
    """2 / 2^n < alpha: 6 equal signs are the fewest at 0.05, 8 at 0.01."""
    design = PairedDesign(Components(0.0, 0.0))
    assert [design.power(0.1, n) for n in (5, 6)] == [0.0, 1.0]
    assert [PairedDesign(Components(0.0, 0.0), alpha=0.01).power(0.1, n) for n in (7, 8)] == [0.0, 1.0]
    assert design.power(0.0, 50) == 0.0


def test_the_width_of_clustered_scores_is_that_of_the_t_interval_of_equal_clusters() -> None:
    """By hand: 2 t(29) sqrt(s² (1 + 4 ρ) / 150); the expected s is a little less."""
    design = PairedDesign(Components(0.2, 0.0), Clusters(5.0, 0.0, 0.25))
    by_hand = 2 * stats.t.ppf(0.975, 29) * np.sqrt(0.2 * 2 / 150)
    assert design.width(150) == pytest.approx(by_hand, rel=0.02)
    assert replace(design, alpha=0.1).width(150) < 0.85 * design.width(150)


def test_a_budget_knows_that_clusters_count_only_between_items() -> None:
    """Cochran's 10.6 by hand, the variance between items times the design effect 1 + 19 · 0.5."""
    design = PairedDesign(Components(0.05, 0.4), Clusters(20.0, 0.0, 0.5))
    found = design.split(100_000, item_cost=12)
    assert found.repeats == round(float(np.sqrt(0.4 * 12 / (10.5 * 0.05 * 2)))) == 2
    assert found.se == pytest.approx(np.sqrt((10.5 * 0.05 + 0.4 / found.repeats) / found.items))


def test_a_pilot_of_three_items_is_worked_out_by_hand() -> None:
    """d = 1, 0, 0.5 has variance 0.25; noise 0.1 and 0.3 over 2 and 4 repeats leave 0.05 + 0.075 in means."""
    within = np.array([[0.1, 0.1, 0.1], [0.2, 0.4, np.nan]])
    repeats = np.array([[2.0, 2.0, 2.0], [4.0, 4.0, 4.0]])
    found = pilot_design(Pilot(np.array([1.0, 0.0, 0.5]), within, repeats, True), alpha=0.1)
    assert found.components.within == pytest.approx(0.4)
    assert found.components.between == pytest.approx(0.25 - 0.125)
    assert found.disagreement == pytest.approx(1.25 / 3 - 0.125 + 0.4)
    assert found.alpha == 0.1


def test_clusters_of_a_pilot_are_those_of_a_one_way_analysis_by_hand() -> None:
    """Families of 3, 2 and 1: MS between 2.5, within 1/3, n0 = (6 - 14/6)/2 = 11/6."""
    d = np.array([1.0, 1.0, 2.0, -1.0, -1.0, 0.0])
    families = np.array(["a", "a", "a", "b", "b", "c"])
    means = np.array([4 / 3, -1.0, 0.0])
    grand = d.mean()
    between = (3 * (means[0] - grand) ** 2 + 2 * (means[1] - grand) ** 2 + grand**2) / 2
    within = (2 / 3) / 3
    rho = (between - within) / (between + (11 / 6 - 1) * within)
    once = Pilot(d, np.full((2, 6), np.nan), np.ones((2, 6)), False, families)
    found = pilot_design(once).clusters
    assert found.size == 2
    assert found.cv == pytest.approx(np.sqrt(2 / 3) / 2)
    assert found.correlation == pytest.approx(rho)
    apart = Pilot(
        np.array([1.0, -1.0, 1.0, -1.0]), np.full((2, 4), np.nan), np.ones((2, 4)), False, [0, 0, 1, 1]
    )
    assert pilot_design(apart).clusters.correlation == 0.0


def test_clusters_that_differ_less_than_chance_have_no_correlation() -> None:
    d = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    assert _clusters(d, np.array(["a", "a", "b", "b", "c", "c"]), share=1.0).correlation == 0
