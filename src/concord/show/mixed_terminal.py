"""A plan of people and predictions together on the terminal."""

from collections.abc import Iterator

from concord.planning.mixed import MixedPlan
from concord.show.numbers import number


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
