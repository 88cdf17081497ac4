"""`concord score people` and `concord score run`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concord.cli.options import (
    USUAL,
    EngineName,
    Full,
    Json,
    JsonAlone,
    Level,
    Margin,
    NewSamples,
    ProtocolName,
    Reader,
    ReaderAll,
    Scheduler,
    Seed,
    Simulations,
    TableHow,
    engine_of,
    rare,
    reads_tables,
    scored_with,
    tell_of_reader,
)
from concord.cli.shared import MOST_WARNINGS, note, print_json, print_or_show, show_result, warn
from concord.errors import OptionError, TableError

if TYPE_CHECKING:
    from concord.api import AgentsResult, PeopleResult
    from concord.files.grids import Grid
    from concord.files.tables import TableOptions
    from concord.people.predictions.result import PredictionResult


@reads_tables
def score_people(
    tests: Annotated[
        list[Path],
        typer.Argument(
            help="Table of tests or effects: CSV, XLSX, Parquet or JSON; or means of conditions, people's "
            "file first, then one per agent."
        ),
    ],
    protocol: ProtocolName = "standard",
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    model: Annotated[str | None, typer.Option(help="Name of the model, for reports and comparisons.")] = None,
    agent_column: Annotated[
        str | None, typer.Option(help="Column that names the agents, for many in one table (agent).")
    ] = None,
    respondents: Annotated[
        Path | None,
        rare(help="With predicted effects: people's single answers, for a row 'human half'."),
    ] = None,
    full: Full = False,
    json: Json = False,
    how: TableHow = USUAL,
    margin: Margin = 0.2,
    level: Level = 0.95,
    resamples: NewSamples = 400,
    simulations: Simulations = 1000,
    seed: Seed = 0,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
) -> None:
    """Score a table of tests: PAS, ECS and APR with their uncertainty."""
    from concord import api
    from concord.files.columns import options_of_each
    from concord.files.grids import Grid
    from concord.files.tables import table_options
    from concord.people.agents import make_way, refuse_other_table
    from concord.people.predictions.table import is_cell_grid, is_prediction_grid

    chosen = table_options(**how)
    hows = options_of_each(tests, chosen)
    source, *further = (_source(one, own) for one, own in zip(tests, hows, strict=True))
    cells = further or (isinstance(source, Grid) and is_cell_grid(source))
    if cells or (isinstance(source, Grid) and is_prediction_grid(source)):
        found = api.score_predictions(
            source, *further, strict=chosen.strict, missing=how["missing"], level=level, seed=seed,
            agent_column=agent_column, respondents=respondents,
        )  # fmt: skip
        _tell_many(found, found.write(out), json=json)
        return
    if respondents is not None:
        raise OptionError("--respondents goes with a table of predicted effects (human_estimate, human_se)")
    refuse_other_table(out, tests[0].name, model)
    try:
        result: Any = api.score_people(
            source, protocol=protocol, model=model, agent_column=agent_column,
            margin=margin, level=level, n_resamples=resamples, n_simulations=simulations, seed=seed,
            engine=engine_of(engine, scheduler), strict=chosen.strict,
        )  # fmt: skip
    except TableError:
        if isinstance(source, Grid):  # how the table was read often says why cells do not fit
            warn(source.warnings)
        raise
    make_way(out, result.inputs, model)
    if isinstance(result, api.AgentsResult):
        _tell_many(result, result.write(out), json=json)
        return
    _tell(result, result.to_dict() if json else None, result.write(out), full=full)


def _source(path: Path, options: "TableOptions") -> "Path | Grid":
    """Return a table as a grid, so that its columns say what it is; a stored table of tests as its path."""
    from concord.files.tables import grid_of
    from concord.people.table.agents import open_table
    from concord.people.table.values import stored_table

    if {"human_estimate", "condition"} & {column for _, column in options.mapping}:
        return grid_of(path, options)  # mapped to columns of effects or of means
    return path if stored_table(path) is not None else open_table(path, options)


def _tell_many(result: "AgentsResult | PredictionResult", files: tuple[Path, ...], *, json: bool) -> None:
    """Show a result about many agents."""
    warn(result.warnings, most=MOST_WARNINGS, where=files[0])
    print_or_show(result, as_json=json)
    more = f" and {len(files) - 3} more files" if len(files) > 3 else ""
    note(f"\nwrote {', '.join(str(file) for file in files[:3])}{more}")


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


def score_run(
    source: Annotated[
        Path,
        typer.Argument(
            help="Folder that `concord run` wrote, an Inspect log of a Concord task, or recorded replies to "
            "studies (JSON lines)."
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results (default: SOURCE/results; replies: results).")
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="Score a run that is not finished.")] = False,
    corrections: Annotated[
        Path | None, typer.Option(help="What people read in replies (corrections.jsonl of `concord view`).")
    ] = None,
    study: Annotated[
        list[str] | None,
        typer.Option(help="Study that replies are to, by name or file (default: all bundled)."),
    ] = None,
    studies: Annotated[Path | None, typer.Option(help="A folder with studies of your own.")] = None,
    n: Annotated[
        int | None,
        typer.Option(help="Participants per cell that replies were planned with (default: as in the paper)."),
    ] = None,
    plan_seed: Annotated[int | None, typer.Option(help="Seed that replies were planned with (0).")] = None,
    design: Annotated[
        str | None, typer.Option(help="Agent design of replies: a name or a template (participant).")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(help="Of replies: standard, refined, published, or a file with choices.")
    ] = None,
    level: Annotated[float | None, typer.Option(help="Of replies: coverage of intervals (0.95).")] = None,
    margin: Annotated[
        float | None, typer.Option(help="Of replies: smallest d of interest, for equivalence (0.2).")
    ] = None,
    resamples: Annotated[
        int | None, typer.Option(help="Of replies: new samples behind the second interval (400).")
    ] = None,
    simulations: Annotated[
        int | None, typer.Option(help="Of replies: simulated agents behind floor and ceiling (1000).")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of replies: seed of new samples and simulated agents (0).")
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option(help="People's answers to a study without human numbers: a column per factor and item."),
    ] = None,
    reader: Reader = None,
    reader_all: ReaderAll = False,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
    full: Full = False,
    json: JsonAlone = False,
) -> None:
    """Score the replies of a run, of an Inspect log or to studies, without asking any model."""
    choices: dict[str, Any] = {
        "study": study if study else None, "studies": studies, "n": n, "plan_seed": plan_seed,
        "design": design, "protocol": protocol, "level": level, "margin": margin, "resamples": resamples,
        "simulations": simulations, "seed": seed,
    }  # fmt: skip
    if people is not None and not people.is_file():
        raise OptionError(f"--people {people}: no such file")
    chosen = {name: value for name, value in choices.items() if value is not None}
    if source.suffix.lower() == ".jsonl" or (not source.is_dir() and {"study", "studies"} & chosen.keys()):
        chosen |= {"engine": engine_of(engine, scheduler), "partial": partial, "corrections": corrections}
        _score_replies(
            source,
            chosen,
            Path("results") if out is None else out,
            (reader, reader_all),
            json=json,
            full=full,
        )
        return
    if chosen:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in chosen)
        raise OptionError(f"{names}: goes with a file of replies to studies; a run knows its own choices")
    more: dict[str, Any] = {} if people is None else dict(people=people)
    _score_run(source, out, partial, corrections, (reader, reader_all), json=json, full=full, **more)


def _score_run(
    source: Path,
    out: Path | None,
    partial: bool,
    corrections: Path | None,
    reader: tuple[str | None, bool],
    *,
    json: bool,
    full: bool,
    **choices: Any,
) -> None:
    from concord.asking import runs
    from concord.asking.folder import read_run
    from concord.asking.recorded import write_answers
    from concord.cli.run_show import note_cut, show_scored
    from concord.files.output import below

    beside = source.with_suffix("") if out is None and not source.is_dir() else out
    target = below(source, "results") if beside is None else beside

    def score() -> tuple[Any, Any]:
        # answers as people read them have no table of their own
        whole = source.is_dir() and corrections is None
        answers = write_answers(read_run(source), target) if whole else None
        return runs.score_run(source, partial=partial, corrections=corrections, **choices), answers

    (result, answers), read = scored_with(score, *reader, target)
    result.write(target)
    if json:
        print_json(result.to_dict())
    else:
        show_scored(result, full=full)
    if source.is_dir():
        note_cut(runs.read_folder(source))
    for line in () if answers is None else answers.lines:
        note(line)
    note(f"written to {target}")
    tell_of_reader(read, target, sorted(source.glob("*.jsonl")) if source.is_dir() else [])


def _score_replies(
    source: Path,
    chosen: dict[str, Any],
    out: Path,
    reader: tuple[str | None, bool],
    *,
    json: bool,
    full: bool,
) -> None:
    """Score recorded replies to studies."""
    from concord.asking import runs

    renamed = {"resamples": "n_resamples", "simulations": "n_simulations"}
    choices = {renamed.get(name, name): value for name, value in chosen.items()}
    found, read = scored_with(lambda: runs.score_run(source, **choices), *reader, out)
    for line in found.counted:
        note(line)
    _tell(found.result, found.to_dict() if json else None, found.write(out), full=full)
    tell_of_reader(read, out, [source])
