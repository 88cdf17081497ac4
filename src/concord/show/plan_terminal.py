"""A plan in words: what a reader of the terminal sees."""

from collections.abc import Iterator

from concord.planning.mixed import MixedPlan
from concord.planning.options import PlanOptions
from concord.planning.people import ParticipantsPlan, PeoplePlan
from concord.planning.pilots import JudgePlan, OptionPlan, PilotPlan
from concord.planning.plan import PlanResult
from concord.planning.structure import StructurePlan
from concord.show.numbers import number
from concord.stats.design import PairedDesign

_TESTS = {
    "exact McNemar": "McNemar's exact test",
    "sign flip": "the sign-flip test",
    "clustered t": "the clustered t test",
}
_WIDTH = 46
_MOST_EFFECTS = 10
"""Human effects that are listed one by one."""


def plan_lines(result: PlanResult) -> Iterator[str]:
    """Return everything a reader of the terminal should see."""
    wanted, design = result.wanted, result.design
    yield f"Plan from {result.based_on}"
    yield from _rests_on(design, wanted)
    if result.items is not None:
        yield ""
        yield from _planned(result, result.items)
    if result.items_needed is not None:
        yield ""
        yield from _needed(result, result.items_needed)
    if result.split is not None:
        yield ""
        yield from _budget(result)
    yield ""
    yield f"Power is how often a true difference of that size would be found: p < {1 - wanted.level:.2g} by"
    yield f"{_TESTS[design.test(wanted.repeats)]}, which concord compare uses for such scores."


def _rests_on(design: PairedDesign, wanted: PlanOptions) -> Iterator[str]:
    """Say what the plan rests on."""
    effect = 0.0 if wanted.effect is None else wanted.effect
    parts = design.parts(effect)
    if design.disagreement is not None:
        yield f"  Scores are 0 or 1; only one model is right on {design.disagreement:.0%} of the items."
    if parts.within > 0 or design.disagreement is None:
        line = f"  The difference of the models varies by {number(parts.between**0.5)} (SD) from item to item"
        if parts.within > 0:
            line += f", and by {number(parts.within**0.5)} over repeated answers to one item"
        yield line + "."
    if design.clustered:
        families = design.clusters
        sizes = f", sizes varying by {families.cv:.0%}" if families.cv > 0 else ""
        yield (
            f"  Items come in clusters of {families.size:.4g}{sizes}; differences inside one correlate by "
            f"{number(families.correlation, 2)}."
        )
        more = design.inflation(wanted.repeats, effect)
        yield f"  It takes {number(more, 2)} such items to tell as much as 1 independent item."


def _planned(result: PlanResult, items: int) -> Iterator[str]:
    wanted = result.wanted
    yield f"With {_amount(result.design, items, wanted.repeats)}"
    if result.power is not None:
        yield _named_value(f"power to find a difference of {wanted.effect:g}", f"{result.power:.0%}")
    if result.detectable is not None:
        yield _named_value(
            f"smallest difference found with {wanted.power:.0%} power", number(result.detectable, 4)
        )
    if result.width is not None:
        yield _named_value(
            f"{wanted.level:.0%} interval of the difference", f"about ±{number(result.width / 2, 4)}"
        )
    if result.items_needed is None:
        yield from _price(result, items, wanted.repeats)


def _needed(result: PlanResult, needed: int) -> Iterator[str]:
    wanted, design = result.wanted, result.design
    yield f"To find a difference of {wanted.effect:g} with {wanted.power:.0%} power"
    yield _named_value("needed", _amount(design, needed, wanted.repeats))
    if result.items_range is not None:
        low, high = result.items_range
        yield _named_value("allowing for the size of the pilot", f"{low:,} to {high:,} items")
    yield from _price(result, needed, wanted.repeats)


def _price(result: PlanResult, items: int, repeats: int) -> Iterator[str]:
    calls = 2 * items * repeats
    answers = "1 answer" if repeats == 1 else f"{repeats} answers"
    yield _named_value("calls", f"{calls:,} (2 models × {items:,} items × {answers})")
    yield _named_value("cost", _money(result.wanted.cost_of(calls)))


def _budget(result: PlanResult) -> Iterator[str]:
    one, wanted = result.split, result.wanted
    assert one is not None
    extra = f", {wanted.item_cost:g} of them for each new item" if wanted.item_cost > 0 else ""
    yield f"With a budget of {wanted.calls:,} calls{extra}"
    yield _named_value("best division", _amount(result.design, one.items, one.repeats))
    yield _named_value("standard error of the difference", number(one.se, 4))
    if result.split_detectable is not None:
        found = number(result.split_detectable, 4)
        yield _named_value(f"smallest difference found with {wanted.power:.0%} power", found)
    yield from _price(result, one.items, one.repeats)


def _amount(design: PairedDesign, items: int, repeats: int) -> str:
    """Items, their clusters, and answers."""
    families = f" in {design.clusters.number(items):,} clusters" if design.clustered else ""
    answers = "once" if repeats == 1 else f"{repeats} times"
    return f"{items:,} items{families}, each answered {answers} by each model"


def _named_value(name: str, value: str) -> str:
    return f"  {name + ':':<{_WIDTH}} {value}"


def _money(cost: tuple[float, float] | None) -> str:
    if cost is None:
        return "not known (give the cost of a call with --cost)"
    return f"{cost[0]:,.2f}" if cost[0] == cost[1] else f"{cost[0]:,.2f} to {cost[1]:,.2f}"


def participants_lines(one: ParticipantsPlan) -> Iterator[str]:
    """Return how many participants find a standardised difference."""
    yield (
        f"To find a standardised difference of d = {one.d:g} with {one.wanted.power:.0%} power "
        f"(t test, p < {1 - one.wanted.level:.2g})"
    )
    yield (
        f"  two groups, one condition each:            {one.a_group:,} participants per group, "
        f"{2 * one.a_group:,} in all"
    )
    yield f"  one group that meets both conditions:      {one.paired:,} participants (d of the differences)"


def structure_plan_lines(plan: StructurePlan) -> Iterator[str]:
    """Return everything a reader of the terminal should see."""
    wanted = plan.wanted
    yield f"Plan from {plan.based_on}"
    yield from _order_rests_on(plan)
    yield ""
    goal = f"show it with {wanted.power:.0%} power"
    goal = (
        goal if wanted.width is None else f"give it a {wanted.level:.0%} interval of width {wanted.width:g}"
    )
    yield f"To {goal}"
    rounds = f"{plan.arrangements} arrangements × {wanted.repeats} repeat{'' if wanted.repeats == 1 else 's'}"
    shape = f"{plan.items_needed:,} items × {rounds}"
    yield _named_value("needed", shape)
    yield _named_value("calls of one model", f"{plan.calls:,}")
    yield _named_value("cost", _money(plan.cost))
    if plan.items != plan.items_needed:
        yield ""
        yield f"With {plan.items:,} items × {rounds}"
        yield _named_value("power", f"{plan.power:.0%}")
        yield _named_value(f"{wanted.level:.0%} interval of tau", f"about {number(plan.width)} wide")
    if len(plan.designs) > 1:
        yield ""
        yield "Designs that do as much, the cheapest first"
        yield f"  {'items':>8} {'arrangements':>13} {'repeats':>8} {'calls':>9} {'power':>6} {'width':>6}"
        for one in plan.designs:
            size = f"{one.items:>8,} {one.arrangements:>13} {one.repeats:>8} {one.calls:>9,}"
            yield f"  {size} {one.power:>6.0%} {number(one.width):>6}"


def _order_rests_on(plan: StructurePlan) -> Iterator[str]:
    """Say what a plan about structure rests on."""
    if plan.accuracy is not None:
        yield f"  Answers are right or wrong, {plan.accuracy:.0%} right."
    yield f"  The arrangement moves the mean score by tau = {plan.tau:g} (SD over arrangements),"
    noise = "" if plan.sd_noise is None else f"; repeats of a cell vary by {number(plan.sd_noise)}"
    yield f"  single items by {number(plan.sd_interaction)} more{noise}."


def people_plan_lines(plan: PeoplePlan) -> Iterator[str]:
    """Return everything a reader of the terminal should see."""
    wanted = plan.wanted
    yield f"Plan from {plan.based_on}"
    if plan.participants:
        yield ""
        yield from _participant_lines(plan)
    else:
        yield "  No human effect is significant here: there is no size to plan participants for."
    if plan.studies is None:
        return
    one = plan.studies
    name = one.metric.upper()
    yield ""
    spread = f"(standard error {number(one.se)})"
    yield f"Difference of two models' {name} with these {one.n_studies} studies {spread}"
    if one.power is not None:
        yield f"  power to find a difference of {wanted.effect:g}: {one.power:.0%}"
    yield f"  smallest difference found with {wanted.power:.0%} power: {number(one.detectable)}"
    if one.studies_needed is not None:
        yield (
            f"  studies needed to find a difference of {wanted.effect:g} with {wanted.power:.0%} power: "
            f"{one.studies_needed:,}"
        )


def _participant_lines(plan: PeoplePlan) -> Iterator[str]:
    wanted = plan.wanted
    yield (
        f"Participants in each group that find the human effect with {wanted.power:.0%} power "
        "(two-sample t test)"
    )
    yield f"  for half of the {len(plan.participants)} significant human effects: {plan.finding(0.5):,}"
    yield f"  for nine in ten of them: {plan.finding(0.9):,}"
    yield "  those that need most:"
    for one in plan.participants[:_MOST_EFFECTS]:
        d = number(one.human_d, 2, sign=True)
        yield f"    {one.a_group:>8,}  d = {d}  {one.study} / {one.finding} / {one.test}"
    if len(plan.participants) > _MOST_EFFECTS:
        yield f"    ... and {len(plan.participants) - _MOST_EFFECTS} more"
    if plan.n_left_out:
        yield f"  {plan.n_left_out} test(s) without a significant human effect are left out."


def judge_plan_lines(plan: JudgePlan) -> Iterator[str]:
    """Return the lines of a plan for judges."""
    yield (
        f"{plan.judge}: {plan.pairs} pairs with {plan.votes} vote(s) in each order show a preference of "
        f"{plan.effect:g} beyond one half {_with_power(plan)}"
    )
    yield (
        f"Standard deviation over pairs {number(plan.sd_between)}, of one vote per order "
        f"{number(plan.sd_within)}."
    )
    yield from _rounds(plan, "{0} vote(s) in each order: {1:,} pairs")


def option_plan_lines(plan: OptionPlan) -> Iterator[str]:
    """Return the lines of a plan for options."""
    yield (
        f"{plan.model}: {plan.items} items under {plan.arrangements} arrangements, each {plan.repeats} "
        f"time(s), show {plan.effect:g} of {plan.words} {_with_power(plan)}"
    )
    within = "" if plan.sd_within is None else f", of one round of arrangements {number(plan.sd_within)}"
    yield f"Standard deviation over items {number(plan.sd_between)}{within}."
    yield from _rounds(plan, "each arrangement {0} time(s): {1:,} items")


def _with_power(plan: PilotPlan) -> str:
    return f"with a power of {number(plan.power, 2)} (two-sided, {1 - plan.wanted.level:.0%})."


def _rounds(plan: PilotPlan, words: str) -> Iterator[str]:
    """Say how many units every number of rounds needs, and what they cost."""
    yield f"For a power of {plan.wanted.power:g}:"
    for rounds, units, calls in plan.needed:
        cost = plan.wanted.cost_of(calls)
        priced = "" if cost is None else f", cost {cost[0]:,.2f} to {cost[1]:,.2f}"
        yield f"  {words.format(rounds, units)}, {calls:,} calls{priced}"
    yield f"From the pilot {plan.based_on}."


def mixed_plan_lines(plan: MixedPlan) -> Iterator[str]:
    """Return a plan in words."""
    design = plan.design
    yield f"Plan from {plan.based_on}: correlation {number(plan.correlation, 2)}, SD {number(plan.sd, 2)}"
    yield ""
    if design.replies:
        yield (
            f"{design.people:,} people and {design.people + design.replies:,} replies (one for each person "
            f"and {design.replies:,} more) reach a "
            f"standard error of {number(design.se)} for {design.cost:,.2f}."
        )
        saved = 1 - design.cost / design.cost_alone
        yield f"People alone: {design.people_alone:,}, for {design.cost_alone:,.2f}; saved: {saved:.0%}."
    else:
        yield (
            f"People alone are cheapest: {design.people_alone:,}, for {design.cost_alone:,.2f}. Replies at "
            "this price and correlation save nothing."
        )
    if plan.range is not None:
        low, high = plan.range
        yield (
            f"At the ends of the pilot's interval of the correlation: {low.people:,} people "
            f"({low.cost:,.2f}) and {high.people:,} people ({high.cost:,.2f})."
        )
