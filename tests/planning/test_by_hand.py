"""Plans worked out by hand or by scipy: what they say, what they cost, and what a pilot tells them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from tests.structure.options.scripted import replies

import concord
from concord.errors import OptionError
from concord.numeric import MOST
from concord.planning.options import PlanOptions, money
from concord.planning.people import EffectParticipants, PeoplePlan, StudiesPlan
from concord.planning.pilots import power_of_mean, units_needed, vote_variances
from concord.planning.structure import (
    ARRANGEMENTS,
    REPEATS,
    OrderAssumptions,
    assumed_variances,
    design_of,
    fewest_items,
    order_power,
    order_width,
    search,
)
from concord.structure.options.result import OptionReply, OptionResult
from concord.structure.options.score import score_options


def text(plan: object) -> str:
    return " ".join(str(plan).split())


def repeated(answers: list[list[float]]) -> list[dict[str, Any]]:
    return [
        {"item": i, "repeat": r, "score": score}
        for i, own in enumerate(answers)
        for r, score in enumerate(own)
    ]


Answers = list[list[float]]
FIRST: Answers = [[1, 0], [1, 1], [0, 0], [1, 1]]
SECOND: Answers = [[0, 0], [1, 0], [0, 1], [1, 1]]
LITTLE = "a pilot of 4 items says little about variance: take the plan as a rough guide"


def test_a_plan_is_said_with_its_calls_and_their_price() -> None:
    """By hand: 2 models x 726 items; 4 calls per item with what an item costs, and 500 items."""
    budget: dict[str, Any] = {"items": 500, "calls": 4000, "item_cost": 2, "cost_per_call": (0.001, 0.002)}
    plan: Any = concord.plan("items", means=(0.7, 0.65), **budget)
    said = text(plan)
    assert plan.calls == 1452
    assert plan.cost == (pytest.approx(1.452), pytest.approx(2.904))
    assert "needed: 726 items, each answered once by each model" in said
    assert "calls: 1,452 (2 models × 726 items × 1 answer) cost: 1.45 to 2.90" in said
    assert "With a budget of 4,000 calls, 2 of them for each new item" in said
    assert "best division: 500 items, each answered once by each model" in said
    # disagreements 0.2187 of 0-1 scores, no true difference: sqrt(0.2187 / 500)
    share = 0.7 * 0.35 + 0.3 * 0.65 - 2 * 0.5 * np.sqrt(0.7 * 0.3 * 0.65 * 0.35)
    assert plan.design.disagreement == pytest.approx(share)
    assert plan.split.se == pytest.approx(np.sqrt(share / 500))
    assert f"standard error of the difference: {np.sqrt(share / 500):.4f}" in said
    assert "calls: 1,000 (2 models × 500 items × 1 answer) cost: 1.00 to 2.00" in said
    assert plan.split_detectable == plan.detectable
    document = plan.to_dict()
    assert document["best_split"]["cost"] == {"low": pytest.approx(1.0), "high": pytest.approx(2.0)}
    assert document["calls"] == 1452


def test_a_plan_of_items_alone_says_their_price_and_no_need() -> None:
    plan: Any = concord.plan("items", sd_between=0.4, items=90, repeats=1, cost_per_call=0.5)
    said = text(plan)
    assert (plan.items_needed, plan.power, plan.calls) == (None, None, 180)
    assert "calls: 180 (2 models × 90 items × 1 answer) cost: 90.00" in said
    # t interval of 90 differences, a little shorter on average: E s < sd
    half = stats.t.ppf(0.975, 89) * 0.4 / np.sqrt(90)
    assert plan.width / 2 == pytest.approx(half, rel=0.01)
    assert f"95 % interval of the difference: about ±{plan.width / 2:.4f}" in said
    assert "by the sign-flip test" in said
    assert "With a budget" not in said and "clusters" not in said and "repeated answers" not in said


def test_clusters_and_repeats_are_said() -> None:
    spread: dict[str, Any] = {"sd_between": 0.4, "sd_within": 0.3, "cluster_size": 5, "cluster_cv": 0.2}
    plan: Any = concord.plan(
        "items", **spread, cluster_correlation=0.2, effect=0.1, items=90, repeats=3, level=0.9
    )
    said = text(plan)
    assert "varies by 0.400 (SD) from item to item, and by 0.300 over repeated answers to one item." in said
    assert (
        "Items come in clusters of 5, sizes varying by 20 %; differences inside one correlate at 0.20."
        in said
    )
    # Kish: 1 + (5 (1 + 0.2²) - 1) rho, rho = 0.2 · 0.16 / (0.16 + 0.09/3)
    more = 1 + (5 * 1.04 - 1) * 0.2 * 0.16 / 0.19
    assert f"It takes {more:.2f} such items to say as much as one independent item." in said
    assert "With 90 items in 18 clusters, each answered 3 times by each model" in said
    assert "90 % interval of the difference" in said
    assert "p < 0.1 by the clustered t test" in said
    assert plan.calls == 2 * plan.items_needed * 3
    assert plan.to_dict()["clusters_needed"] == plan.items_needed / 5


def test_a_pilot_of_right_and_wrong_answers_gives_the_share_of_disagreements() -> None:
    """One answer of each: items 1 to 3 disagree in half of the cases, item 4 never."""
    plan: Any = concord.plan("items", repeated(FIRST), repeated(SECOND), effect=0.2)
    assert plan.design.disagreement == pytest.approx(1.5 / 4)
    # noise: variances of repeats 0.5, 0, 0, 0 and 0, 0.5, 0.5, 0
    assert plan.design.components.within == pytest.approx(0.125 + 0.25)
    assert plan.design.components.between == pytest.approx(np.var([0.5, 0.5, -0.5, 0], ddof=1) - 0.1875)
    assert plan.items == 4
    assert plan.warnings[0] == LITTLE
    assert "a pilot of 4 items: " in plan.based_on


def test_scores_between_0_and_1_are_not_right_or_wrong() -> None:
    measured: Any = concord.plan("items", repeated([[0.5, 0.0], *FIRST[1:]]), repeated(SECOND), effect=0.2)
    assert measured.design.disagreement is None
    halves: Answers = [[0.5], [1], [0], [1]]
    once: Any = concord.plan("items", repeated(halves), repeated([[0], [1], [1], [1]]), effect=0.2)
    assert once.design.disagreement is None
    right: Any = concord.plan(
        "items", repeated([[1], *halves[1:]]), repeated([[0], [1], [1], [1]]), effect=0.2
    )
    assert right.design.disagreement == 0.5


@pytest.mark.parametrize(
    ("first", "second", "repeats", "told"),
    [
        ([[1], [1], [0], [1]], [[0], [1], [1], [1]], 1, ()),
        ([[1], [1], [0], [1]], [[0], [1], [1], [1]], 2, ("the pilot has no repeats",)),
        (FIRST, [[0], [1], [1], [1]], 2, ("list [2] answered every item once",)),
        ([[1], [1], [0], [1]], SECOND, 1, ("list [1] answered every item once",)),
        (FIRST, SECOND, 2, ()),
    ],
)
def test_noise_that_a_pilot_does_not_know_is_told(
    first: list[list[float]], second: list[list[float]], repeats: int, told: tuple[str, ...]
) -> None:
    plan = concord.plan("items", repeated(first), repeated(second), effect=0.2, repeats=repeats)
    assert len(plan.warnings) == 2 + len(told)  # few items, and no power from so few
    assert all(plan.warnings[i].startswith(words) for i, words in enumerate(told))
    assert LITTLE in plan.warnings


def test_thirty_items_are_enough_to_plan_without_a_word() -> None:
    rng = np.random.default_rng(2)
    for n, told in ((29, True), (30, False)):
        scores = [
            [{"item": i, "score": float(x)} for i, x in enumerate(rng.normal(size=n))] for _ in range(2)
        ]
        plan = concord.plan("items", *scores, effect=0.5)
        assert any("says little" in words for words in plan.warnings) is told


def test_the_range_of_a_pilot_is_that_of_its_variance() -> None:
    rng = np.random.default_rng(4)
    d = rng.normal(0, 0.5, 80)
    rows = [[{"item": i, "score": float(x)} for i, x in enumerate(side)] for side in (d, np.zeros(80))]
    plan: Any = concord.plan("items", *rows, effect=0.2)
    low, high = plan.items_range
    assert low < plan.items_needed < high
    # items go with the variance, which has about the interval of a normal sample's chi-square
    ends = 79 / stats.chi2.ppf([0.975, 0.025], 79)
    assert (low / plan.items_needed, high / plan.items_needed) == pytest.approx(tuple(ends), rel=0.2)


def people_plan(n: int, **more: Any) -> PeoplePlan:
    rows = tuple(EffectParticipants("S", f"f{i}", "t", -0.5 + i / 100, 1000 - 10 * i) for i in range(n))
    return PeoplePlan(participants=rows, n_left_out=2, wanted=PlanOptions(effect=0.1), **more)


def test_ten_effects_are_listed_and_the_rest_is_counted() -> None:
    lines = people_plan(12).sentences()
    listed = [line for line in lines if "S / f" in line]
    assert len(listed) == 10
    assert listed[0].split() == ["1,000", "d", "=", "-0.50", "S", "/", "f0", "/", "t"]
    assert "    … and 2 more" in lines
    assert "  2 tests without a significant human effect are left out." in lines
    ten = people_plan(10).sentences()
    assert not any("more" in line.split() for line in ten if "..." in line)


def test_half_and_nine_in_ten_of_the_effects_are_found_by_hand() -> None:
    """Of 890, 900, ..., 1000: the sixth, and the eleventh (nine tenths of 12 are 10.8)."""
    plan = people_plan(12)
    assert (plan.finding(0.5), plan.finding(0.9), plan.finding(1.0)) == (940, 990, 1000)
    assert people_plan(0).finding(0.5) is None
    assert any("No human effect is significant" in line for line in people_plan(0).sentences())
    assert "  for half of the 12 significant human effects: 940" in plan.sentences()
    assert plan.to_dict()["participants_for_nine_in_ten"] == 990


def test_studies_are_said_where_two_results_give_their_spread() -> None:
    studies = StudiesPlan("pas", 8, 0.04, 0.55, 0.13, 1200)
    said = text(people_plan(1, studies=studies))
    assert "Difference of two models' PAS with these 8 studies (standard error 0.040)" in said
    assert "power to find a difference of 0.1: 55 %" in said
    assert "smallest difference found with 80 % power: 0.130" in said
    assert "with 80 % power: 1,200" in said
    assert "studies needed" not in text(people_plan(1, studies=replace(studies, studies_needed=None)))


def test_studies_rest_on_the_standard_error_of_the_comparison(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    row = {"finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 3.5, "human_n": 60}
    for name in ("a", "b"):
        rows = [
            row | {"study": f"S{i}", "agent_statistic": float(rng.normal(2.5, 1)), "agent_n": 60}
            for i in range(6)
        ]
        concord.score_people(rows, n_resamples=0, n_simulations=0).write(tmp_path / name)
    plan: Any = concord.plan(tmp_path / "a", tmp_path / "b", effect=0.2)
    ends = concord.compare(tmp_path / "a", tmp_path / "b").to_dict()["pairs"][0]["difference_interval"]
    assert plan.studies.n_studies == 6
    assert plan.studies.se == pytest.approx((ends["high"] - ends["low"]) / 2 / stats.t.ppf(0.975, 5))
    noncentral = 0.2 / plan.studies.se
    line = stats.t.ppf(0.975, 5)
    power = stats.nct.sf(line, 5, noncentral) + stats.nct.cdf(-line, 5, noncentral)
    assert plan.studies.power == pytest.approx(power, abs=1e-6)
    assert plan.based_on == "results about people: a and b"
    assert len(plan.inputs) == 4
    huge: Any = concord.plan(tmp_path / "a", tmp_path / "b", effect=50.0)
    assert huge.studies.studies_needed == 3  # the fewest with an interval
    alone: Any = concord.plan(tmp_path / "a")
    assert alone.studies is None
    assert len(alone.participants) == 6 and alone.n_left_out == 0


@pytest.mark.parametrize(("items", "arrangements", "tau"), [(4, 3, 0.2), (20, 2, 0.1), (12, 6, 0.02)])
def test_the_expected_width_is_that_of_intervals_pivoted_with_scipy(
    items: int, arrangements: int, tau: float
) -> None:
    """Nine results at (i + 1/2)/9 of noncentral F; each limit is where F is a 2.5 % quantile."""
    variance = 0.02
    df1, df2 = arrangements - 1, (items - 1) * (arrangements - 1)

    def tau_at(f: float, probability: float) -> float:
        def gap(nc: float) -> float:
            return float(
                (stats.ncf.cdf(f, df1, df2, nc) if nc > 0 else stats.f.cdf(f, df1, df2)) - probability
            )

        nc = 0.0 if gap(0.0) <= 0 else float(optimize.brentq(gap, 0.0, 300.0, xtol=1e-10))
        return float(np.sqrt(nc * variance / (items * df1)))

    drawn = stats.ncf.ppf((np.arange(9) + 0.5) / 9, df1, df2, items * df1 * tau**2 / variance)
    widths = [tau_at(f, 0.025) - tau_at(f, 0.975) for f in drawn]
    assert order_width(tau, variance, items, arrangements) == pytest.approx(np.mean(widths), rel=1e-4)
    line = stats.f.ppf(0.95, df1, df2)
    power = stats.ncf.sf(line, df1, df2, items * df1 * tau**2 / variance)
    assert order_power(tau, variance, items, arrangements) == pytest.approx(power, abs=1e-9)


def test_scores_that_never_vary_show_everything() -> None:
    assert (order_power(0.1, 0.0, 5, 3), order_width(0.1, 0.0, 5, 3)) == (1.0, 0.0)
    assert (power_of_mean(0.1, 0.0, 0.05), units_needed(0.1, 0.0, PlanOptions(), "pairs")) == (1.0, 2)


def test_a_design_counts_calls_and_new_items() -> None:
    """30 items x (4 arrangements x 3 repeats + 5 calls for each item)."""
    one = design_of(OrderAssumptions(0.05, 0.01, 0.2), PlanOptions(item_cost=5.0), 30, 4, 3)
    assert (one.calls, one.price) == (360, 510)
    # noise of 3 repeats: 0.01 + 0.2/3 around a cell
    assert one.power == pytest.approx(order_power(0.05, 0.01 + 0.2 / 3, 30, 4))
    assert OrderAssumptions(0.05, 0.01, None).cell_variance(3) == 0.01


def test_limits_of_items_and_calls_are_kept() -> None:
    assumed = OrderAssumptions(0.05, 0.01, 0.2)
    free = search(assumed, PlanOptions())
    fewest = min(one.items for one in free)
    cheapest = free[0].calls
    assert all(one.items <= fewest for one in search(assumed, PlanOptions(items=fewest)))
    assert search(assumed, PlanOptions(items=fewest))
    assert not search(assumed, PlanOptions(items=fewest - 1))
    assert [one.calls for one in search(assumed, PlanOptions(calls=cheapest))][:1] == [cheapest]
    assert not search(assumed, PlanOptions(calls=cheapest - 1))
    assert fewest_items(OrderAssumptions(1e-6, 0.2, 0.2), PlanOptions(), 3, 2) is None
    wide = fewest_items(assumed, PlanOptions(width=0.05), 4, 3)
    assert wide is not None
    variance = assumed.cell_variance(3)
    assert order_width(0.05, variance, wide, 4) <= 0.05 < order_width(0.05, variance, wide - 1, 4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tau": 0.0}, "between 0 and 1"),
        ({"tau": 1.0}, "between 0 and 1"),
        ({"accuracy": None}, "needs to know how scores vary"),
        ({"tau": 0.5, "interaction_sd": 0.1}, "vary by 0.500 in all"),
    ],
)
def test_scores_that_cannot_be_are_refused(given: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {"tau": 0.1, "accuracy": 0.5, "interaction_sd": 0.2, "noise_sd": None}
    with pytest.raises(OptionError, match=message):
        assumed_variances(**(usual | given))


def test_the_ends_of_what_can_be_assumed_are_allowed() -> None:
    nothing = assumed_variances(tau=0.3, accuracy=0.5, interaction_sd=0.4, noise_sd=None)
    assert (nothing.interaction, nothing.noise) == pytest.approx((0.16, 0.0))
    assert assumed_variances(tau=0.1, accuracy=None, interaction_sd=0.0, noise_sd=1.0).noise == 1.0
    assert assumed_variances(tau=0.1, accuracy=None, interaction_sd=0.0, noise_sd=0.0).noise == 0.0


def test_a_plan_from_assumptions_says_what_the_items_there_are_would_show() -> None:
    plan: Any = concord.plan("structure", accuracy=0.7, order_sd=0.1, items=30, cost_per_call=0.01)
    said = text(plan)
    best = plan.designs[0]
    assert plan.items == 30
    assert plan.calls == plan.items_needed * best.arrangements * best.repeats == best.calls
    assert plan.cost == (pytest.approx(plan.calls / 100), pytest.approx(plan.calls / 100))
    assert "Answers are right or wrong, 70 % right." in said
    # 0.21 - 0.01 - 0.01
    assert f"repeats of a cell vary by {np.sqrt(0.19):.3f}" in said
    assert plan.power == pytest.approx(order_power(0.1, 0.01 + 0.19 / best.repeats, 30, best.arrangements))
    assert (
        f"needed: {plan.items_needed} items × {best.arrangements} arrangements × {best.repeats} repeats"
        in said
    )
    assert len(plan.designs) == 8
    assert plan.warnings == (
        "single items are taken to move by 0.1 (SD) with the arrangement (--order-item-sd)",
    )


def test_variances_of_votes_are_those_by_hand() -> None:
    """Three pairs, two votes per order (A, B, ties), first seat: AB counts A, BA counts B."""
    votes = np.array([[[2, 0, 0], [1, 1, 0]], [[1, 1, 0], [0, 2, 0]], [[0, 2, 0], [2, 0, 0]]], float)
    # means for the first seat: (1, 1/2), (1/2, 1), (0, 0); variances of one vote 0, 1/2; 1/2, 0; 0, 0
    between, within = vote_variances(votes)
    assert within == pytest.approx((0.25 + 0.25 + 0) / 3 / 2)
    spread = np.var([0.75, 0.75, 0.0], ddof=1)
    assert between == pytest.approx(spread - (0.25 + 0.25 + 0) / 3 / 4)
    ties = np.array([[[0, 0, 1], [1, 0, 0]], [[1, 0, 0], [0, 1, 0]]], float)
    # one vote each: a tie is half a vote; (1/2, 0) and (1, 1)
    assert vote_variances(ties) == pytest.approx((float(np.var([0.25, 1.0], ddof=1)), 0.0))


def stored(folder: Path, made: list[OptionReply]) -> Path:
    OptionResult("m", score_options(made, n_permutations=9), "s", "options-cyclic", tuple(made)).write(folder)
    return folder


def test_a_pilot_of_options_separates_items_from_rounds(tmp_path: Path) -> None:
    made = [
        *replies(0.8, 0.5, n=15, k=3, seed=1, places=3),
        *(replace(one, item=f"other {one.item}") for one in replies(0.0, 0.5, n=15, k=3, seed=2, places=3)),
    ]
    plan: Any = concord.plan(stored(tmp_path, made), metric="first_option", effect=0.1, repeats=2, items=50)
    first = np.zeros((30, 3, 3))
    for i, one in enumerate(made):
        first[i // 9, i // 3 % 3, i % 3] = one.place == 0
    within = first.var(axis=2, ddof=1).mean(axis=1).mean() / 3
    assert plan.sd_within**2 == pytest.approx(within)
    assert plan.arrangements == 3
    assert plan.sd_between**2 == pytest.approx(first.mean(axis=(1, 2)).var(ddof=1) - within / 3)
    assert plan.power == pytest.approx(power_of_mean(0.1, (plan.sd_between**2 + within / 2) / 50, 0.05))
    last: Any = concord.plan(tmp_path, metric="last_option", effect=0.1)
    ends = np.array([one.place == 2 for one in made], float).reshape(30, 3, 3)
    assert last.sd_within**2 == pytest.approx(ends.var(axis=2, ddof=1).mean(axis=1).mean() / 3)
    # none given: as the pilot asked
    assert last.repeats == 3
    assert [k for k, _, _ in last.needed] == [1, 2, 3, 5]
    for k, n, calls in last.needed:
        assert calls == n * 3 * k


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"power": 0.05}, "what chance alone gives"),
        ({"power": 1.0}, "power is 1.0"),
        ({"level": 0.0}, "level is 0.0"),
        ({"items": 1}, "items is 1; expected"),
        ({"items": MOST + 1}, "to 10,000,000"),
        ({"repeats": 0}, "repeats is 0"),
        ({"repeats": MOST + 1}, "to 10,000,000"),
        ({"arrangements": 1}, "arrangements is 1;"),
        ({"arrangements": MOST + 1}, "to 10,000,000"),
        ({"width": 0.0}, "width is 0.0"),
        ({"calls": 1_000_001}, "to 1,000,000"),
        ({"item_cost": -1.0}, "item_cost is -1.0"),
        ({"item_cost": MOST + 1.0}, "item_cost is"),
        ({"cost": (2.0, 1.0)}, "the cost of a call"),
        ({"cost": (-1.0, 1.0)}, "the cost of a call"),
        ({"effect": float("inf")}, "effect is inf"),
    ],
)
def test_what_cannot_be_wanted_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        PlanOptions(**given)


def test_the_ends_of_what_can_be_wanted_are_allowed() -> None:
    PlanOptions(items=2, repeats=1, arrangements=2, calls=1_000_000, item_cost=0.0, cost=(0.0, 0.0))
    PlanOptions(items=MOST, repeats=MOST, arrangements=MOST, item_cost=float(MOST), cost=(1.0, 1.0))
    assert PlanOptions(cost=(0.5, 2.0)).cost_of(10) == (5.0, 20.0)
    assert PlanOptions().cost_of(10) is None and PlanOptions(cost=(0.5, 2.0)).cost_of(None) is None
    assert (money((1.0, 1.0)), money((1.0, 2.5))) == ("1.00", "1.00 to 2.50")


def test_people_and_replies_are_said_with_what_is_saved() -> None:
    prices: dict[str, Any] = {"sd": 1, "se": 0.05, "person_cost": 5, "reply_cost": 0.01}
    plan: Any = concord.plan("mixed", correlation=0.6, **prices)
    one = plan.design
    # people alone: (1/0.05)² = 400; each person comes with a reply
    assert (one.people_alone, one.cost_alone) == (400, pytest.approx(2000))
    assert one.cost == pytest.approx(one.people * 5.01 + one.replies * 0.01)
    assert one.se == pytest.approx(
        np.sqrt((1 - 0.36 * one.replies / (one.people + one.replies)) / one.people)
    )
    assert one.se <= 0.05 + 1e-9
    saved = 1 - one.cost / 2000
    assert f"People alone: 400, for 2,000.00; saved: {100 * saved:.0f} %." in text(plan)
    assert f"{one.people:,} people and {one.people + one.replies:,} replies" in text(plan)
    alone = concord.plan("mixed", correlation=0.1, **(prices | {"reply_cost": 1}))
    assert "People alone are cheapest: 400, for 2,000.00." in text(alone)


def test_a_pilot_in_families_has_no_range_of_items() -> None:
    """Items are not independent, and the interval of a variance of independent numbers says too little."""
    rng = np.random.default_rng(6)
    rows = [
        [{"item": i, "f": i // 4, "score": float(x)} for i, x in enumerate(rng.normal(size=40))]
        for _ in range(2)
    ]
    families: Any = concord.plan("items", *rows, cluster="f", effect=0.5)
    alone: Any = concord.plan("items", *rows, effect=0.5)
    unasked: Any = concord.plan("items", *rows)
    assert families.items_range is None
    assert families.design.clusters.size == 4
    assert alone.items_range is not None
    assert (unasked.items_range, unasked.items_needed, unasked.power) == (None, None, None)


@pytest.mark.parametrize(("n", "refused"), [(1, True), (2, False)])
def test_two_items_are_the_fewest_with_a_spread(tmp_path: Path, n: int, refused: bool) -> None:
    made = [
        *replies(0.9, 0.5, n=1, places=3),
        *(replace(one, item="b") for one in replies(0.0, 1.0, n=1, places=3)),
    ]
    stored(tmp_path, made[: n * 6])
    if refused:
        with pytest.raises(OptionError, match="the pilot has 1 item"):
            concord.plan(tmp_path, metric="first_option")
    else:
        plan: Any = concord.plan(tmp_path, metric="first_option")
        assert (plan.items, plan.effect, plan.arrangements, plan.repeats) == (2, 0.05, 3, 2)
        assert plan.warnings == ("no effect was named; the plan is for 0.05",)


def test_a_pilot_of_structure_is_taken_apart_by_its_analysis_of_variance(tmp_path: Path) -> None:
    """Of two models the noisier one; by hand: MS of the residual = interaction + noise / samples."""
    rng = np.random.default_rng(9)
    n, p, k = 30, 4, 3
    cells = {}
    for name, noise in (("steady", 0.05), ("noisy", 0.15)):
        mean = 0.5 + rng.normal(0, 0.1, (n, 1)) + 0.05 * np.arange(p) / p + rng.normal(0, 0.08, (n, p))
        cells[name] = np.clip(mean[:, :, None] + rng.normal(0, noise, (n, p, k)), 0, 1)
    rows = [
        {"model": name, "arrangement": f"P{j}", "item": f"i{i:02}", "sample": s, "S_Acc": float(own[i, j, s])}
        for name, own in cells.items()
        for i in range(n)
        for j in range(p)
        for s in range(k)
    ]
    concord.score_structure(scores=rows, resamples=200).write(tmp_path)
    plan: Any = concord.plan(tmp_path, effect=0.05)
    y = cells["noisy"]
    means = y.mean(axis=2)
    residual = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    ms = (residual**2).sum() / ((n - 1) * (p - 1))
    noise = y.var(axis=2, ddof=1).mean()
    assert plan.based_on == "a pilot of 30 items: noisy"
    assert plan.sd_noise**2 == pytest.approx(noise)
    assert plan.sd_interaction**2 == pytest.approx(ms - noise / k)
    assert (plan.items, plan.arrangements, plan.wanted.repeats) == (30, 4, 3)
    assert plan.power == pytest.approx(order_power(0.05, ms, 30, 4))
    assert plan.tau == 0.05
    needed = fewest_items(OrderAssumptions(0.05, ms - noise / k, noise), PlanOptions(), 4, 3)
    assert plan.items_needed == needed


def test_the_noisiest_judge_with_two_pairs_is_planned_for(tmp_path: Path) -> None:
    rows = [
        {"judge": judge, "pair": f"p{i}", "order": order, "verdict": verdict}
        for judge, n in (("steady", 12), ("coin", 12), ("single", 1))
        for i in range(n)
        for j, order in enumerate(("ab", "ba"))
        for vote in range(2)
        for verdict in [("first" if (i + j + vote) % 2 else "second") if judge != "steady" else "tie"]
    ]
    concord.score_judge(rows, n_permutations=99).write(tmp_path)
    plan: Any = concord.plan(tmp_path, repeats=2)
    assert (plan.judge, plan.pairs, plan.votes, plan.effect) == ("coin", 12, 2, 0.05)
    # every order has one vote for each seat: variance of one vote 1/2, half of it for one in each order
    assert plan.sd_within**2 == pytest.approx(0.25)
    assert plan.sd_between == 0.0
    assert [k for k, _, _ in plan.needed] == [1, 2, 3, 4, 5, 8]
    assert [calls for *_, calls in plan.needed] == [2 * k * n for k, n, _ in plan.needed]
    assert plan.needed[0][1] == np.ceil(0.25 * (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) ** 2 / 0.05**2)
    assert plan.power == pytest.approx(power_of_mean(0.05, 0.25 / 2 / 12, 0.05))
    assert plan.warnings == (
        "the plan is for coin, whose votes vary most of the pilot's 3 judges; others need fewer pairs",
        "no effect was named; the plan is for a preference of 0.05 beyond one half",
    )


def test_numbers_that_are_tried_grow_to_all_orders_of_four() -> None:
    assert list(ARRANGEMENTS) == sorted(set(ARRANGEMENTS))
    assert (ARRANGEMENTS[0], ARRANGEMENTS[-1]) == (2, 24)
    assert list(REPEATS) == sorted(set(REPEATS))
    assert REPEATS[0] == 2  # one alone leaves flips without those between repeats


def test_one_vote_in_each_order_plans_no_others(tmp_path: Path) -> None:
    rows = [
        {"judge": "j", "pair": f"p{i}", "order": order, "verdict": "first" if (i + j) % 3 else "second"}
        for i in range(12)
        for j, order in enumerate(("ab", "ba"))
    ]
    concord.score_judge(rows, n_permutations=99).write(tmp_path)
    plan: Any = concord.plan(tmp_path, effect=0.1, items=40)
    assert [k for k, _, _ in plan.needed] == [1]
    assert (plan.pairs, plan.sd_within) == (40, 0.0)
    assert plan.warnings == ("the pilot has one vote in each order: noise and pairs cannot be separated",)
    with pytest.raises(OptionError, match="the effect is 0.5; a preference lies between 0 and 0.5"):
        concord.plan(tmp_path, effect=0.5)


@pytest.mark.parametrize("d", [float("inf"), float("nan"), -0.5])
def test_a_difference_that_cannot_be_planned_is_refused(d: float) -> None:
    with pytest.raises(OptionError, match="expected a"):
        concord.plan("participants", d=d)


def test_an_item_that_costs_one_call_is_said() -> None:
    said = text(concord.plan("items", sd_between=0.4, sd_within=0.2, calls=1000, item_cost=1))
    assert "With a budget of 1,000 calls, 1 of them for each new item" in said
    free = text(concord.plan("items", sd_between=0.4, sd_within=0.2, calls=1000))
    assert "With a budget of 1,000 calls best division" in free
