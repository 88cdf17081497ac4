"""`concord plan items|structure|participants|mixed|judges|options`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from concord.cli.options import JsonText, rare
from concord.cli.shared import print_or_show, warn
from concord.errors import OptionError

Effect = Annotated[
    float | None, typer.Option(help="Difference that should be found, in the unit of the scores.")
]
Power = Annotated[
    float | None, typer.Option(help="Wanted power: how often a true effect should be found (0.8).")
]
Level = Annotated[
    float | None, typer.Option(help="Coverage of intervals; the test's level is 1 minus it (0.95).")
]
Items = Annotated[
    int | None, typer.Option(help="Items planned, or all there are (default: those of the pilot).")
]
Calls = Annotated[int | None, typer.Option(help="Budget of calls, to be divided between items and repeats.")]
ItemCost = Annotated[
    float | None,
    typer.Option(help="With a budget: what one more item costs (writing, rating), in calls (0)."),
]
Cost = Annotated[float | None, typer.Option(help="Cost of one call (the lowest, if it varies).")]
CostHigh = Annotated[float | None, typer.Option(help="Highest cost of one call.")]


def items(
    pilot: Annotated[
        list[Path] | None,
        typer.Argument(help="Two results of a pilot, as for `concord compare`; none: plan from assumptions."),
    ] = None,
    effect: Effect = None,
    power: Power = None,
    level: Level = None,
    items: Items = None,
    repeats: Annotated[int | None, typer.Option(help="Answers of each model to each item (1).")] = None,
    calls: Calls = None,
    item_cost: ItemCost = None,
    cost: Cost = None,
    cost_high: CostHigh = None,
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
        float | None,
        rare(help="Assumed standard deviation of cluster sizes over their mean."),
    ] = None,
    item: Annotated[str | None, rare(help="Column of a pilot table that names items.")] = None,
    score: Annotated[str | None, rare(help="Column of a pilot table that holds scores.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Column or metadata that names item families.")] = None,
    repeat: Annotated[str | None, rare(help="Column of a pilot table that numbers repeats.")] = None,
    metric: Annotated[str | None, rare(help="Which scorer or metric of a pilot.")] = None,
    json: JsonText = False,
) -> None:
    """Plan a comparison of two models: items, power, smallest difference, cost."""
    _plan(
        "items", pilot, json, effect=effect, power=power, level=level, items=items, repeats=repeats,
        calls=calls, item_cost=item_cost, cost_per_call=_cost(cost, cost_high), item=item, score=score,
        cluster=cluster, repeat=repeat, metric=metric, means=_means(mean_first, mean_second),
        correlation=correlation, sd_between=sd_between, sd_within=sd_within, cluster_size=cluster_size,
        cluster_correlation=cluster_correlation, cluster_cv=cluster_cv,
    )  # fmt: skip


def structure(
    pilot: Annotated[
        list[Path] | None,
        typer.Argument(help="A folder of `concord score structure`; none: plan from assumptions."),
    ] = None,
    effect: Annotated[
        float | None, typer.Option("--effect", "--order-sd", help="Order effect (tau) to be shown (0.05).")
    ] = None,
    power: Power = None,
    width: Annotated[
        float | None, typer.Option(help="Wanted width of the interval of tau, instead of power.")
    ] = None,
    level: Level = None,
    items: Items = None,
    arrangements: Annotated[
        int | None, typer.Option(help="Arrangements per item (default: searched).")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(help="Answers to each arrangement (default: searched from 2 on).")
    ] = None,
    calls: Calls = None,
    item_cost: ItemCost = None,
    cost: Cost = None,
    cost_high: CostHigh = None,
    accuracy: Annotated[
        float | None, typer.Option(help="Assumed mean score of right and wrong answers.")
    ] = None,
    order_item_sd: Annotated[
        float | None,
        typer.Option(
            help="Assumed standard deviation of what the arrangement does to single items (default: 0.1)."
        ),
    ] = None,
    noise_sd: Annotated[
        float | None,
        typer.Option(help="Assumed standard deviation of repeated answers (default: by accuracy)."),
    ] = None,
    json: JsonText = False,
) -> None:
    """Plan for an order effect: the cheapest items, arrangements and repeats that show it."""
    _plan(
        "structure", pilot, json, effect=effect, power=power, width=width, level=level, items=items,
        arrangements=arrangements, repeats=repeats, calls=calls, item_cost=item_cost,
        cost_per_call=_cost(cost, cost_high), accuracy=accuracy, order_item_sd=order_item_sd,
        noise_sd=noise_sd,
    )  # fmt: skip


def participants(
    pilot: Annotated[
        list[Path] | None,
        typer.Argument(help="One or two folders of `concord score people`; none: --d."),
    ] = None,
    d: Annotated[
        float | None, typer.Option("--d", help="Standardised difference that should be found.")
    ] = None,
    effect: Annotated[
        float | None, typer.Option(help="With two folders: difference of the models that should be found.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="With two folders: pas, ecs or apr (default: pas).")
    ] = None,
    power: Power = None,
    level: Level = None,
    json: JsonText = False,
) -> None:
    """Plan participants that find an effect, and studies that distinguish two models."""
    _plan("participants", pilot, json, d=d, effect=effect, metric=metric, power=power, level=level)


def mixed(
    pilot: Annotated[
        list[Path] | None, typer.Argument(help="A folder of `concord combine`; none: plan from assumptions.")
    ] = None,
    se: Annotated[float | None, typer.Option(help="Wanted standard error.")] = None,
    person_cost: Annotated[
        float | None, typer.Option("--person-cost", "--cost-person", help="Price of one person.")
    ] = None,
    reply_cost: Annotated[
        float | None, typer.Option("--reply-cost", "--cost-reply", help="Price of one reply.")
    ] = None,
    correlation: Annotated[
        float | None, typer.Option(help="Correlation of answers and predictions (default: the pilot's).")
    ] = None,
    sd: Annotated[
        float | None, typer.Option(help="Standard deviation of people's answers (default: the pilot's).")
    ] = None,
    sequential: Annotated[
        bool, typer.Option("--sequential", help="Also for an interval that may be looked at at any time.")
    ] = False,
    level: Annotated[
        float | None, typer.Option(help="With --sequential: coverage of that interval (0.95).")
    ] = None,
    json: JsonText = False,
) -> None:
    """Plan people and replies of a model together: the cheapest for a standard error."""
    _plan(
        "mixed", pilot, json, se=se, person_cost=person_cost, reply_cost=reply_cost, correlation=correlation,
        sd=sd, sequential=True if sequential else None, level=level,
    )  # fmt: skip


def study(
    pilot: Annotated[list[Path], typer.Argument(help="A study file; it may have no human numbers yet.")],
    effect: Annotated[
        float | None, typer.Option(help="d to be found; of an interaction, between simple effects (0.5).")
    ] = None,
    correlation: Annotated[float | None, typer.Option(help="Of repeated measures (0.5).")] = None,
    person_cost: Annotated[float | None, typer.Option(help="Price of one person.")] = None,
    reply_cost: Annotated[float | None, typer.Option(help="Price of one reply of a model.")] = None,
    power: Power = None,
    level: Level = None,
    json: JsonText = False,
) -> None:
    """Plan a study of your own: n per cell for each test, interactions too, with cost."""
    _plan(
        "study", pilot, json, effect=effect, correlation=correlation, person_cost=person_cost,
        reply_cost=reply_cost, power=power, level=level,
    )  # fmt: skip


def judges(
    pilot: Annotated[list[Path], typer.Argument(help="A folder of `concord score judge`.")],
    effect: Annotated[
        float | None, typer.Option(help="Preference for a seat to be shown, beyond one half (0.05).")
    ] = None,
    width: Annotated[
        float | None, typer.Option(help="Scores: wished width of a system's corrected mean.")
    ] = None,
    power: Power = None,
    level: Level = None,
    pairs: Annotated[
        int | None, typer.Option("--pairs", "--items", help="Pairs planned (default: those of the pilot).")
    ] = None,
    votes: Annotated[
        int | None, typer.Option("--votes", "--repeats", help="Votes on each pair in each order (1).")
    ] = None,
    cost: Cost = None,
    cost_high: CostHigh = None,
    json: JsonText = False,
) -> None:
    """Plan pairs and votes that show a judge's preference for a seat; of scores, the labels."""
    _plan(
        "judges", pilot, json, effect=effect, width=width, power=power, level=level, items=pairs,
        repeats=votes, cost_per_call=_cost(cost, cost_high),
    )  # fmt: skip


def options(
    pilot: Annotated[list[Path], typer.Argument(help="A folder with what options do to a model.")],
    metric: Annotated[
        str, typer.Option(help="What is to be shown: first_option, last_option or option_flips.")
    ] = "first_option",
    effect: Annotated[float | None, typer.Option(help="The size of it that should be found (0.05).")] = None,
    power: Power = None,
    level: Level = None,
    items: Items = None,
    repeats: Annotated[
        int | None, typer.Option(help="Answers to each arrangement (default: as in the pilot).")
    ] = None,
    cost: Cost = None,
    cost_high: CostHigh = None,
    json: JsonText = False,
) -> None:
    """Plan questions and repeats that show a preference for a place, or flips."""
    _plan(
        "options", pilot, json, metric=metric, effect=effect, power=power, level=level, items=items,
        repeats=repeats, cost_per_call=_cost(cost, cost_high),
    )  # fmt: skip


def _plan(kind: str, pilot: list[Path] | None, as_json: bool, **options: Any) -> None:
    """Make a plan, say what to know about it, and show it."""
    from concord import api

    result = api.plan(kind, *(pilot if pilot else ()), **options)
    warn(result.warnings)
    print_or_show(result, as_json=as_json)


def _cost(low: float | None, high: float | None) -> tuple[float, float] | None:
    """Lowest and highest cost of a call."""
    if low is None:
        if high is not None:
            raise OptionError("the highest cost of a call was given without the lowest; give --cost too")
        return None
    return low, low if high is None else high


def _means(first: float | None, second: float | None) -> tuple[float, float] | None:
    """Both means, or none."""
    if first is None and second is None:
        return None
    if first is None or second is None:
        raise OptionError(
            "one mean was given; give both --mean-first and --mean-second (what is to be found is their "
            "difference, unless --effect says otherwise)"
        )
    return first, second
