"""Plans for judges as lines."""

from collections.abc import Iterator

from concord.planning.judges import JudgePlan
from concord.show.numbers import number


def judge_plan_lines(plan: JudgePlan) -> Iterator[str]:
    """Return the lines of a plan for judges."""
    yield (
        f"{plan.judge}: {plan.pairs} pairs with {plan.votes} vote(s) in each order show a preference of "
        f"{plan.effect:g} beyond one half with a power of {number(plan.power, 2)} (two-sided, "
        f"{1 - plan.wanted.level:.0%})."
    )
    yield (
        f"Standard deviation over pairs {number(plan.sd_between)}, of one vote per order "
        f"{number(plan.sd_within)}."
    )
    yield f"For a power of {plan.wanted.power:g}:"
    for votes, pairs, calls in plan.needed:
        cost = plan.wanted.cost_of(calls)
        priced = "" if cost is None else f", cost {cost[0]:,.2f} to {cost[1]:,.2f}"
        yield f"  {votes} vote(s) in each order: {pairs:,} pairs, {calls:,} calls{priced}"
    yield f"From the pilot {plan.based_on}."
