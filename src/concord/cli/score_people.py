"""`concord score people`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concord.cli.options import DecimalComma, Encoding, EngineName, Full, Json, Level, Scheduler, Sheet
from concord.cli.shared import MOST_WARNINGS, note, print_json, print_or_show, show_result, warn

if TYPE_CHECKING:
    from concord.api import AgentsResult, PeopleResult
    from concord.files.grids import Grid
    from concord.people.predictions.result import PredictionResult


def score_people(
    tests: Annotated[
        Path | None, typer.Argument(help="Table of tests: CSV, XLSX, Parquet or JSON; none with --replies.")
    ] = None,
    protocol: Annotated[str, typer.Option(help="standard, refined or published.")] = "standard",
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    model: Annotated[str | None, typer.Option(help="Name of the model, for reports and comparisons.")] = None,
    agent_column: Annotated[
        str | None, typer.Option(help="Column that names the agents, for many in one table (agent).")
    ] = None,
    respondents: Annotated[
        Path | None,
        typer.Option(help="With predicted effects: people's single answers, for a row 'human half'."),
    ] = None,
    full: Full = False,
    map: Annotated[  # noqa: A002 - the name of the option
        list[str] | None,
        typer.Option(help="What a column of a table made by hand holds, 'title=column', or a mapping file."),
    ] = None,
    json: Json = False,
    sheet: Sheet = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    states: Annotated[
        int | None, typer.Option(help="Posterior states: 3 or 2 (default: the protocol's).")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Direction split: exact or sign.")] = None,
    human_prior_odds: Annotated[
        float | None, typer.Option(help="Prior odds of an effect, human side.")
    ] = None,
    agent_prior_odds: Annotated[
        float | None, typer.Option(help="Prior odds of an effect, agent side.")
    ] = None,
    include_unsigned: Annotated[
        bool, typer.Option("--include-unsigned", help="Put effects without a sign (F, df1 > 1) into ECS.")
    ] = False,
    missing: Annotated[
        str | None, typer.Option(help="Tests the agent lacks: left-out of APR, or fail.")
    ] = None,
    within_study: Annotated[
        float | None, typer.Option(help="Correlation of tests of the same people (0.5).")
    ] = None,
    margin: Annotated[float, typer.Option(help="Smallest d of interest, for equivalence.")] = 0.2,
    level: Level = 0.95,
    resamples: Annotated[int, typer.Option(help="New samples behind the second interval; 0: none.")] = 400,
    simulations: Annotated[
        int, typer.Option(help="Simulated agents behind floor and ceiling; 0: none.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the new samples and simulated agents.")] = 0,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
    replies: Annotated[
        Path | None, typer.Option(help="Recorded replies to studies (JSON Lines), instead of a table.")
    ] = None,
    study: Annotated[
        list[str] | None,
        typer.Option(help="Study the replies are to, by name or file (default: all bundled)."),
    ] = None,
    studies: Annotated[Path | None, typer.Option(help="A folder with studies of your own.")] = None,
    n: Annotated[
        int | None,
        typer.Option(help="Participants per cell the replies were planned with (default: as in the paper)."),
    ] = None,
    plan_seed: Annotated[int, typer.Option(help="Seed the replies were planned with.")] = 0,
    design: Annotated[
        str, typer.Option(help="Agent design of the replies: a name or a template.")
    ] = "participant",
) -> None:
    """Score a table of tests, or recorded replies to studies: PAS, ECS and APR with their uncertainty."""
    from concord.engine import get_engine
    from concord.errors import OptionError, TableError

    choices: dict[str, Any] = {
        "protocol": protocol,
        "level": level,
        "n_resamples": resamples,
        "n_simulations": simulations,
        "seed": seed,
        "engine": get_engine(engine, scheduler=scheduler),
        "states": states,
        "split": split,
        "human_prior_odds": human_prior_odds,
        "agent_prior_odds": agent_prior_odds,
        "missing": missing,
        "within_study": within_study,
        "margin": margin,
        "include_unsigned": True if include_unsigned else None,
    }
    if (tests is None) == (replies is None):
        raise OptionError("expected either a table of tests or --replies FILE")
    if replies is not None:
        planned = {"n": n, "seed": plan_seed, "design": design, "folder": studies}
        _score_replies(
            replies, [] if study is None else study, planned, choices, out=out, json=json, full=full
        )
        return
    from concord import api
    from concord.files.grids import Grid
    from concord.people.predictions.table import is_prediction_grid

    assert tests is not None  # noqa: S101 - one of the two is there
    options = {"sheet": sheet, "encoding": encoding, "decimal_comma": decimal_comma}
    source = _source(tests, options, [] if map is None else map)
    if isinstance(source, Grid) and is_prediction_grid(source):
        found = api.score_predictions(
            source, level=level, agent_column=agent_column, respondents=respondents, seed=seed
        )
        _tell_many(found, found.write(out), json=json)
        return
    if respondents is not None:
        raise OptionError("--respondents goes with a table of predicted effects (human_estimate, human_se)")
    from concord.people.agents import make_way, refuse_other_table

    refuse_other_table(out, tests.name, model)
    try:
        result: Any = api.score_people(source, model=model, agent_column=agent_column, **options, **choices)
    except TableError:
        if isinstance(source, Grid):  # how the table was read often says why cells do not fit
            warn(source.warnings)
        raise
    make_way(out, result.inputs, model)
    if isinstance(result, api.AgentsResult):
        _tell_many(result, result.write(out), json=json)
        return
    _tell(result, result.to_dict() if json else None, result.write(out), full=full)


def _source(path: Path, options: dict[str, Any], mapped: list[str]) -> "Path | Grid":
    """Return a table as a grid, so that its columns say what it is; a stored table of tests as its path."""
    from concord.files.tables import TableOptions
    from concord.people.table.agents import open_table
    from concord.people.table.document import stored_table
    from concord.people.table.handmade.header import read_mapping

    if stored_table(path) is not None:
        return path
    return open_table(path, TableOptions(**options), mapping=read_mapping(mapped))


def _tell_many(result: "AgentsResult | PredictionResult", files: tuple[Path, ...], *, json: bool) -> None:
    """Show a result about many agents."""
    warn(result.warnings, most=MOST_WARNINGS, where=files[0])
    print_or_show(result, as_json=json)
    more = f" and {len(files) - 3} more files" if len(files) > 3 else ""
    note(f"\nwrote {', '.join(str(file) for file in files[:3])}{more}")


def _score_replies(
    replies: Path,
    names: list[str],
    planned: dict[str, Any],
    choices: dict[str, Any],
    *,
    out: Path,
    json: bool,
    full: bool,
) -> None:
    """Score recorded replies to studies."""
    from concord.people import studies

    found = studies.score_replies(replies, studies.plan(names, **planned), **choices)
    for line in found.counted:
        note(line)
    _tell(found.result, found.to_dict() if json else None, found.write(out), full=full)


def _tell(
    result: "PeopleResult", document: dict[str, Any] | None, files: tuple[Path, ...], *, full: bool
) -> None:
    """Show a result: as one JSON document, or as a report."""
    warn(result.warnings)
    if document is not None:
        print_json(document)
    else:
        show_result(result, full=full)
    documents = sum(file.name == "evaluation_results.json" for file in files)
    note(f"\nwrote {files[0]}, {files[1].name} and {documents} evaluation_results.json")
