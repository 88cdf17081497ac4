"""Plans for options as lines."""

from collections.abc import Iterator

from concord.planning.option_places import OptionPlan
from concord.show.numbers import number


def option_plan_lines(plan: OptionPlan) -> Iterator[str]:
    """Return the lines of a plan for options."""
    yield (
        f"{plan.model}: {plan.items} items under {plan.arrangements} arrangements, each {plan.repeats} "
        f"time(s), show {plan.effect:g} of {plan.words} with a power of {number(plan.power, 2)} (two-sided, "
        f"{1 - plan.wanted.level:.0%})."
    )
    within = "" if plan.sd_within is None else f", of one round of arrangements {number(plan.sd_within)}"
    yield f"Standard deviation over items {number(plan.sd_between)}{within}."
    yield f"For a power of {plan.wanted.power:g}:"
    for repeats, items, calls in plan.needed:
        cost = plan.wanted.cost_of(calls)
        priced = "" if cost is None else f", cost {cost[0]:,.2f} to {cost[1]:,.2f}"
        yield f"  each arrangement {repeats} time(s): {items:,} items, {calls:,} calls{priced}"
    yield f"From the pilot {plan.based_on}."
