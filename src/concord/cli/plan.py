"""`concord plan`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note, print_json, say


def plan(
    pilot: Annotated[
        list[Path] | None,
        typer.Argument(help="Two results of a pilot, as for `concord compare`; none: plan from assumptions."),
    ] = None,
    effect: Annotated[float | None, typer.Option(help="Difference that should be found.")] = None,
    power: Annotated[float, typer.Option(help="Wanted power.")] = 0.8,
    level: Annotated[
        float, typer.Option(help="Coverage of intervals; the test's level is 1 less it.")
    ] = 0.95,
    items: Annotated[int | None, typer.Option(help="Items planned (default: those of the pilot).")] = None,
    repeats: Annotated[int, typer.Option(help="Repeats an item and model.")] = 1,
    calls: Annotated[
        int | None, typer.Option(help="Budget of calls, both models together, to be divided.")
    ] = None,
    cost: Annotated[float | None, typer.Option(help="Cost of one call (the lowest, if it varies).")] = None,
    cost_high: Annotated[float | None, typer.Option(help="Highest cost of one call.")] = None,
    mean_first: Annotated[
        float | None, typer.Option(help="Assumed mean of the first model, 0-1 scores.")
    ] = None,
    mean_second: Annotated[float | None, typer.Option(help="Assumed mean of the second model.")] = None,
    correlation: Annotated[float, typer.Option(help="Assumed correlation of the two models' scores.")] = 0.5,
    sd_between: Annotated[
        float | None, typer.Option(help="Instead: assumed standard deviation of differences over items.")
    ] = None,
    sd_within: Annotated[float, typer.Option(help="Assumed standard deviation over repeats.")] = 0.0,
    cluster_size: Annotated[float, typer.Option(help="Assumed items a cluster.")] = 1.0,
    cluster_correlation: Annotated[float, typer.Option(help="Assumed intra-cluster correlation.")] = 0.0,
    participants: Annotated[
        float | None,
        typer.Option(help="Participants a group for this standardised difference (d), and stop."),
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of a pilot table that names items.")] = None,
    score: Annotated[str | None, typer.Option(help="Column of a pilot table that holds scores.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Column or metadata that names item families.")] = None,
    metric: Annotated[str | None, typer.Option(help="Which scorer or metric of a pilot log.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")] = False,
) -> None:
    """How many items, what could they find, what would it cost? Before any run, or after a pilot."""
    from concord import api
    from concord.errors import OptionError

    if participants is not None:
        _participants(participants, power, level, json=json)
        return
    if (mean_first is None) != (mean_second is None):
        raise OptionError("one mean was given; give both --mean-first and --mean-second")
    assumed: dict[str, object] = {}
    if not pilot:
        means = None if mean_first is None else (mean_first, mean_second)
        assumed = {"means": means, "correlation": correlation, "sd_between": sd_between}
        assumed |= {"sd_within": sd_within, "cluster_size": cluster_size}
        assumed |= {"cluster_correlation": cluster_correlation}
    result = api.plan(
        *(pilot if pilot else ()),
        effect=effect,
        power=power,
        level=level,
        items=items,
        repeats=repeats,
        calls=calls,
        cost_per_call=None if cost is None else (cost, cost if cost_high is None else cost_high),
        item=item,
        score=score,
        cluster=cluster,
        metric=metric,
        **assumed,
    )
    for warning in result.warnings:
        note(f"warning: {warning}")
    if json:
        print_json(result.to_dict())
    else:
        say(repr(result))


def _participants(d: float, power: float, level: float, *, json: bool) -> None:
    """Say how many participants a group find a standardised difference."""
    from concord.reports.planning import participants_needed

    n = participants_needed(d, power=power, level=level)
    if json:
        print_json({"question": "plan", "d": d, "power": power, "level": level, "participants_a_group": n})
    else:
        say(f"{n} participants a group find d = {d:g} with a power of {power:.0%} (two-sample t)")
