"""`concord plan`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concord.cli.options import JsonText
from concord.cli.shared import print_or_show, warn

if TYPE_CHECKING:
    from concord.planning.judges import JudgePlan
    from concord.planning.mixed import MixedPlan
    from concord.planning.option_places import OptionPlan
    from concord.planning.people import ParticipantsPlan, PeoplePlan
    from concord.planning.plan import PlanResult
    from concord.planning.structure import StructurePlan


def plan(
    pilot: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Two results of a pilot, as for `concord compare`, or a folder of `concord score people`, "
            "`score structure` or `score judge`; none: plan from assumptions; the word structure: plan for "
            "an order effect; mixed: people and replies together."
        ),
    ] = None,
    effect: Annotated[
        float | None, typer.Option(help="Difference that should be found, in the unit of the scores.")
    ] = None,
    power: Annotated[
        float, typer.Option(help="Wanted power: how often a true difference of that size should be found.")
    ] = 0.8,
    level: Annotated[
        float, typer.Option(help="Coverage of intervals; the test's level is 1 minus it.")
    ] = 0.95,
    items: Annotated[
        int | None, typer.Option(help="Items planned, or all there are (default: those of the pilot).")
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(help="Answers of each model to each item (default: 1; structure: searched from 2 on)."),
    ] = None,
    calls: Annotated[
        int | None,
        typer.Option(help="Budget of calls, both models together, to be divided between items and repeats."),
    ] = None,
    item_cost: Annotated[
        float, typer.Option(help="What one more item costs (writing, rating), in calls.")
    ] = 0.0,
    cost: Annotated[float | None, typer.Option(help="Cost of one call (the lowest, if it varies).")] = None,
    cost_high: Annotated[float | None, typer.Option(help="Highest cost of one call.")] = None,
    mean_first: Annotated[
        float | None, typer.Option(help="Assumed share of right answers of the first model (0-1 scores).")
    ] = None,
    mean_second: Annotated[
        float | None, typer.Option(help="Assumed share of right answers of the second model.")
    ] = None,
    correlation: Annotated[
        float | None, typer.Option(help="Assumed correlation of the two models' 0-1 scores (default: 0.5).")
    ] = None,
    sd_between: Annotated[
        float | None,
        typer.Option(
            help="For other scores: assumed standard deviation, over items, of the models' difference."
        ),
    ] = None,
    sd_within: Annotated[
        float | None,
        typer.Option(help="Assumed standard deviation of that difference over repeats of one item."),
    ] = None,
    cluster_size: Annotated[
        float | None, typer.Option(help="Assumed items a cluster (a text, a family, a study).")
    ] = None,
    cluster_correlation: Annotated[
        float | None, typer.Option(help="Assumed correlation of differences inside a cluster.")
    ] = None,
    cluster_cv: Annotated[
        float | None, typer.Option(help="Assumed standard deviation of cluster sizes over their mean.")
    ] = None,
    accuracy: Annotated[
        float | None, typer.Option(help="structure: assumed mean score of right and wrong answers.")
    ] = None,
    order_sd: Annotated[
        float | None, typer.Option(help="structure: order effect (tau) to be shown (default: 0.05).")
    ] = None,
    order_item_sd: Annotated[
        float | None,
        typer.Option(
            help="structure: assumed standard deviation of what the arrangement does to single items "
            "(default: 0.1)."
        ),
    ] = None,
    noise_sd: Annotated[
        float | None,
        typer.Option(
            help="structure: assumed standard deviation of repeated answers (default: by accuracy)."
        ),
    ] = None,
    arrangements: Annotated[
        int | None, typer.Option(help="structure: arrangements per item (default: searched).")
    ] = None,
    width: Annotated[
        float | None, typer.Option(help="structure: wanted width of the interval of tau, instead of power.")
    ] = None,
    participants: Annotated[
        float | None,
        typer.Option(help="Participants that find this standardised difference (d), and nothing else."),
    ] = None,
    sd: Annotated[float | None, typer.Option(help="mixed: standard deviation of people's answers.")] = None,
    se: Annotated[float | None, typer.Option(help="mixed: wanted standard error.")] = None,
    person_cost: Annotated[float | None, typer.Option(help="mixed: price of one person.")] = None,
    reply_cost: Annotated[float | None, typer.Option(help="mixed: price of one reply.")] = None,
    item: Annotated[str | None, typer.Option(help="Column of a pilot table that names items.")] = None,
    score: Annotated[str | None, typer.Option(help="Column of a pilot table that holds scores.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Column or metadata that names item families.")] = None,
    repeat: Annotated[str | None, typer.Option(help="Column of a pilot table that numbers repeats.")] = None,
    metric: Annotated[str | None, typer.Option(help="Which scorer or metric of a pilot.")] = None,
    json: JsonText = False,
) -> None:
    """How many items, what could they find, what would it cost? Before any run, or after a pilot."""
    from concord import api

    if participants is not None:
        from concord.planning.people import participants_needed

        _show(participants_needed(participants, power=power, level=level), json=json)
        return
    if pilot and str(pilot[0]) == "mixed":
        wanted: dict[str, Any] = {"sd": sd, "se": se, "person_cost": person_cost, "reply_cost": reply_cost}
        _show(api.plan(*pilot, correlation=correlation, **wanted), json=json)
        return
    result = api.plan(
        *(pilot if pilot else ()),
        effect=effect,
        power=power,
        level=level,
        items=items,
        repeats=repeats,
        calls=calls,
        item_cost=item_cost,
        cost_per_call=_cost(cost, cost_high),
        item=item,
        score=score,
        cluster=cluster,
        repeat=repeat,
        metric=metric,
        means=_means(mean_first, mean_second),
        correlation=correlation,
        sd_between=sd_between,
        sd_within=sd_within,
        cluster_size=cluster_size,
        cluster_correlation=cluster_correlation,
        cluster_cv=cluster_cv,
        accuracy=accuracy,
        order_sd=order_sd,
        order_item_sd=order_item_sd,
        noise_sd=noise_sd,
        arrangements=arrangements,
        width=width,
    )
    warn(result.warnings)
    _show(result, json=json)


def _show(
    result: "PlanResult | PeoplePlan | StructurePlan | JudgePlan | OptionPlan | MixedPlan | ParticipantsPlan",
    *,
    json: bool,
) -> None:
    print_or_show(result, as_json=json)


def _cost(low: float | None, high: float | None) -> tuple[float, float] | None:
    """Lowest and highest cost of a call."""
    from concord.errors import OptionError

    if low is None:
        if high is not None:
            raise OptionError("the highest cost of a call was given without the lowest; give --cost too")
        return None
    return low, low if high is None else high


def _means(first: float | None, second: float | None) -> tuple[float, float] | None:
    """Both means, or none."""
    from concord.errors import OptionError

    if first is None and second is None:
        return None
    if first is None or second is None:
        raise OptionError(
            "one mean was given; give both --mean-first and --mean-second (what is to be found is their "
            "difference, unless --effect says otherwise)"
        )
    return first, second
