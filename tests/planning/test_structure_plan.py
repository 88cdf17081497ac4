"""Plans for an order effect: power and width are those of assumed scores, the cheapest design first."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concord
from concord.errors import OptionError
from concord.planning.options import PlanOptions
from concord.planning.structure import (
    OrderAssumptions,
    StructurePlan,
    assumed_variances,
    design_of,
    order_power,
    order_width,
    search,
)
from concord.stats.order import order_effect


def made(**options: Any) -> StructurePlan:
    found = concord.plan("structure", **options)
    assert isinstance(found, StructurePlan)
    return found


def test_power_and_width_are_those_of_simulated_scores() -> None:
    rng = np.random.default_rng(5)
    tau, variance, n, p = 0.1, 0.1, 40, 4
    moves = np.linspace(-1, 1, p)
    moves *= tau / moves.std(ddof=1)
    effects = [order_effect(rng.normal(0, variance**0.5, (n, p)) + moves) for _ in range(150)]
    widths = [one.interval.high - one.interval.low for one in effects if one.interval is not None]
    found = np.mean([one.p_value is not None and one.p_value < 0.05 for one in effects])
    assert order_power(tau, variance, n, p) == pytest.approx(found, abs=0.08)
    assert order_width(tau, variance, n, p) == pytest.approx(np.mean(widths), rel=0.08)


def test_noise_of_right_and_wrong_answers_comes_from_their_accuracy() -> None:
    rng = np.random.default_rng(1)
    assumed = assumed_variances(tau=0.1, accuracy=0.6, interaction_sd=0.1, noise_sd=None)
    cells = 0.6 + 0.1 * rng.choice([-1, 1], (2000, 1, 1)) + 0.1 * rng.choice([-1, 1], (2000, 50, 1))
    answers = rng.random((2000, 50, 4)) < cells
    within = np.mean(answers.var(axis=2, ddof=1))
    assert assumed.noise == pytest.approx(within, rel=0.02)


def test_designs_reach_the_power_with_no_item_to_spare_and_the_cheapest_comes_first() -> None:
    assumed, goal = OrderAssumptions(0.05, 0.01, 0.2), PlanOptions(power=0.9)
    designs = search(assumed, goal)
    prices = [one.calls for one in designs]
    assert prices == sorted(prices)
    for one in designs:
        fewer = design_of(assumed, goal, one.items - 1, one.arrangements, one.repeats)
        assert one.power >= 0.9
        assert one.items == 20 or fewer.power < 0.9


def test_items_that_cost_much_are_asked_more_often() -> None:
    assumed = OrderAssumptions(0.05, 0.001, 0.2)
    cheap, dear = (search(assumed, PlanOptions(item_cost=cost))[0] for cost in (0.0, 200.0))
    assert dear.items < cheap.items
    assert dear.arrangements * dear.repeats > cheap.arrangements * cheap.repeats


def test_a_plan_without_a_pilot_gives_the_items_for_a_width() -> None:
    plan = made(accuracy=0.7, order_sd=0.08, order_item_sd=0.1, width=0.06, arrangements=4, repeats=2)
    assert plan.width <= 0.06
    assert (plan.arrangements, plan.wanted.repeats) == (4, 2)
    document = plan.to_dict()
    assert document["items_needed"] == plan.items
    assert document["calls"] == plan.items * 8
    assert not plan.warnings


def test_what_was_not_given_is_assumed_and_said() -> None:
    plan = made(accuracy=0.7)
    assert plan.tau == 0.05
    assert [word in " ".join(plan.warnings) for word in ("--order-item-sd", "--order-sd")] == [True, True]
    assert plan.wanted.repeats >= 2


def test_more_accuracy_needs_fewer_items() -> None:
    needed = [made(accuracy=a, arrangements=4, repeats=2).items_needed for a in (0.5, 0.8, 0.95)]
    assert needed == sorted(needed, reverse=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs to know how scores vary"),
        ({"accuracy": 1.2}, "accuracy is 1.2; expected a mean score between 0 and 1"),
        ({"accuracy": 1.0}, "accuracy is 1.0"),
        (
            {"accuracy": 0.5, "order_item_sd": 1.0},
            "order_item_sd is 1.0; expected a number from 0 to below 1",
        ),
        ({"accuracy": 0.5, "order_item_sd": -0.1}, "order_item_sd is -0.1"),
        ({"noise_sd": 1.1}, "noise_sd is 1.1"),
        ({"accuracy": 0.7, "order_sd": 0.1, "effect": 0.2}, "both name the order effect"),
        ({"accuracy": 0.98, "order_sd": 0.3}, "is more than that"),
        ({"accuracy": 0.7, "calls": 100, "repeats": 2}, "is not reached with 100 calls"),
        ({"accuracy": 0.7, "width": -1.0}, "width is -1.0"),
        ({"accuracy": 0.7, "arrangements": 1}, "arrangements is 1;"),
        ({"accuracy": 0.7, "means": (0.5, 0.6)}, "a plan about structure does not assume means"),
    ],
)
def test_what_cannot_be_planned_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        made(**options)


def test_options_of_structure_are_refused_in_a_plan_to_compare() -> None:
    with pytest.raises(OptionError, match="does not assume accuracy"):
        concord.plan(accuracy=0.7, means=(0.7, 0.6))
    with pytest.raises(
        OptionError, match="does not use width; leave it out .concord plan structure, concord plan judges"
    ):
        concord.plan(width=0.1, means=(0.7, 0.6))


def test_a_pilot_gives_the_noise_and_lists_other_designs(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        {"model": "m", "arrangement": f"P{p}", "item": f"i{i:02d}", "sample": s,
         "S_Acc": float(rng.random() < 0.4 + 0.1 * p)}
        for i in range(30) for p in range(4) for s in range(2)
    ]  # fmt: skip
    concord.score_structure(scores=rows, resamples=200).write(tmp_path)
    plan = concord.plan("structure", tmp_path, effect=0.08)
    assert isinstance(plan, StructurePlan)
    assert plan.sd_noise == pytest.approx(0.48, abs=0.05)
    assert plan.arrangements == 4
    assert {one.arrangements for one in plan.designs} > {4}
    assert plan.wanted.repeats == 2  # as the pilot asked; so many items are among the designs
    assert (plan.items_needed, 4, 2) in {(one.items, one.arrangements, one.repeats) for one in plan.designs}
    once = concord.plan("structure", tmp_path, effect=0.08, repeats=1)
    assert isinstance(once, StructurePlan)
    assert once.items_needed > plan.items_needed
    assert "arrangements × 1 repeat\n" in str(once)
    assert "Designs that do as much, the cheapest first" in str(plan)


def test_items_that_are_too_few_are_told_their_power_and_how_many_would_do() -> None:
    wanted = made(accuracy=0.7, order_sd=0.08, order_item_sd=0.1, arrangements=3, repeats=2)
    few = made(accuracy=0.7, order_sd=0.08, order_item_sd=0.1, arrangements=3, repeats=2, items=40)
    assert few.items_needed == wanted.items_needed == 82
    assert (few.items, few.power < 0.6) == (40, True)
    assert "With 40 items × 3 arrangements × 2 repeats" in str(few)
