"""`concord score reasoning`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import EngineName, Full, JsonAlone, Level, Scheduler
from concord.cli.shared import note, print_json, print_or_show, show_result
from concord.errors import OptionError


def score_reasoning(
    samples: Annotated[
        Path | None, typer.Option(help="Vignettes with gold answers and gold steps (JSON).")
    ] = None,
    replies: Annotated[
        Path | None, typer.Option(help="Recorded replies (JSON lines: id, mode, response).")
    ] = None,
    bias_cases: Annotated[Path | None, typer.Option(help="Bias cases (JSON).")] = None,
    bias_replies: Annotated[
        Path | None, typer.Option(help="Replies to them (JSON lines: id, response).")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name (default: the reply file's).")] = None,
    rules: Annotated[
        str, typer.Option(help="standard, or source: what the research code does.")
    ] = "standard",
    scope: Annotated[str | None, typer.Option(help="Where the diagnosis counts: answer or whole.")] = None,
    negation: Annotated[str | None, typer.Option(help="Denied diagnoses: exclude or ignore.")] = None,
    multiple: Annotated[
        str | None, typer.Option(help="Other diagnoses named with the right one: only or any.")
    ] = None,
    aliases: Annotated[Path | None, typer.Option(help="More names of diagnoses (JSON).")] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Field of a vignette that names the family it belongs to.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    level: Level = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates.")] = 10_000,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Count and list bad input, do not stop.")
    ] = False,
    full: Full = False,
    json: JsonAlone = False,
    rank: Annotated[
        list[Path] | None, typer.Option(help="Rank the results in these folders instead.")
    ] = None,
    by: Annotated[str, typer.Option(help="The number that orders a ranking.")] = "faithfulness_gap",
) -> None:
    """Score recorded replies: whether reasoning works, decorates, or hides what drove the answer."""
    if rank:
        if samples is not None or replies is not None:
            raise OptionError("--rank compares results that are there: leave out --samples and --replies")
        _rank(rank, by, json)
        return
    if (samples is None) != (replies is None) or (samples is None and bias_cases is None):
        raise OptionError(
            "--samples and --replies are needed (or --bias-cases and --bias-replies, or --rank with "
            "folders of results)"
        )
    from concord import api
    from concord.engine import get_engine

    result = api.score_reasoning(
        samples,
        replies,
        bias_cases=bias_cases,
        bias_replies=bias_replies,
        model=model,
        rules=rules,
        scope=scope,
        negation=negation,
        multiple=multiple,
        aliases=aliases,
        cluster=cluster,
        level=level,
        seed=seed,
        n_resamples=resamples,
        lenient=lenient,
        engine=get_engine(engine, scheduler=scheduler),
    )
    folder = result.write(out)
    print_or_show(result, as_json=json, full=full)
    note(f"written to {folder}")


def _rank(folders: list[Path], by: str, as_json: bool) -> None:
    """Print a ranking of results."""
    from concord import api

    ranking = api.rank_reasoning(folders, by=by)
    if as_json:
        print_json(ranking.to_dict())
        return
    show_result(ranking)
