"""People and predictions together on the terminal: what the model is worth, then the estimates."""

from collections.abc import Iterator

from rich.console import Group, RenderableType

from concord.people.mixed.result import CombinedEstimate, CombineResult
from concord.planning.mixed import MixedPlan
from concord.show.numbers import interval, number
from concord.show.terminal import lines, table


def combine_report(result: CombineResult) -> RenderableType:
    """Return everything a reader of the terminal should see."""
    columns = (
        "estimate",
        "combined",
        "interval",
        "people only",
        "interval ",
        "r",
        "weight",
        "worth",
        "interval  ",
    )
    shown = table(
        "\nPeople and predictions together", columns, [_estimate_row(one) for one in result.estimates]
    )
    return Group(lines([result.sentence]), shown, lines(rests_on_words(result)))


def estimate_name(one: CombinedEstimate) -> str:
    """Return what an estimate is of."""
    return f"{one.outcome}: {one.name}" if one.outcome else one.name


def _estimate_row(one: CombinedEstimate) -> tuple[str, ...]:
    return (
        estimate_name(one),
        number(one.estimate.value),
        interval(one.estimate.interval, 3),
        number(one.people_only.value),
        interval(one.people_only.interval, 3),
        number(one.correlation.value, 2),
        number(one.weight, 2),
        number(one.worth.value, 0, sign=True),
        interval(one.worth.interval, 0),
    )


def rests_on_words(result: CombineResult) -> Iterator[str]:
    """Say what the estimates rest on, and what the columns are."""
    first = result.estimates[0]
    yield ""
    yield (
        f"{first.n_people:,} people with answers and predictions, {first.n_predictions:,} further "
        "predictions. Where both are samples of one population, people keep the estimate right, however "
        "biased the model is, and the predictions narrow it. r: answers and predictions over people; weight: "
        "of the predictions; worth: in participants."
    )
    notes = dict.fromkeys(
        part.note for one in result.estimates for part in (one.estimate, one.worth) if part.note
    )
    yield from notes


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
