"""`concord score answers`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import DecimalComma, Encoding, EngineName, Json, Level, Scheduler, Sheet
from concord.cli.shared import MOST_WARNINGS, note, print_or_show, warn


def score_answers(
    answers: Annotated[
        Path,
        typer.Argument(
            help="Table of answers per person, counts per option, or moments: CSV, XLSX, Parquet or JSON."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    agent_column: Annotated[
        str | None, typer.Option(help="Column that names the agents (agent, model, design, config).")
    ] = None,
    json: Json = False,
    sheet: Sheet = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    level: Level = 0.95,
    resamples: Annotated[int, typer.Option(help="Samples behind each interval and reference.")] = 400,
    seed: Annotated[int, typer.Option(help="Seed of these samples.")] = 0,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
) -> None:
    """Score answers as distributions: whether they vary, spread and differ as people's."""
    from concord import api
    from concord.engine import get_engine

    result = api.score_answers(
        answers,
        agent_column=agent_column,
        sheet=sheet,
        encoding=encoding,
        decimal_comma=decimal_comma,
        level=level,
        n_resamples=resamples,
        seed=seed,
        engine=get_engine(engine, scheduler=scheduler),
    )
    files = result.write(out)
    warn(result.warnings, most=MOST_WARNINGS, where=files[0])
    print_or_show(result, as_json=json)
    note(f"\nwrote {files[0]}, {files[1].name} and {files[2].name}")
