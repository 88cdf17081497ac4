"""`concord score structure`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import DecimalComma, Encoding, EngineName, Full, JsonAlone, Level, Scheduler
from concord.cli.shared import note, write_and_show


def score_structure(
    mean: Annotated[Path | None, typer.Option(help="Folder of mean scores, one file per model.")] = None,
    max: Annotated[Path | None, typer.Option(help="Folder of max scores, one file per model.")] = None,
    scores: Annotated[Path | None, typer.Option(help="One long table instead.")] = None,
    reading: Annotated[str, typer.Option(help="peak, paired, unpaired or across.")] = "peak",
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    column: Annotated[str | None, typer.Option(help="Name of the score column.")] = None,
    percent: Annotated[bool, typer.Option("--percent", help="Scores run from 0 to 100.")] = False,
    lenient: Annotated[bool, typer.Option("--lenient", help="Text in a score cell is missing.")] = False,
    samples: Annotated[int | None, typer.Option(help="Samples per cell behind mean and max.")] = None,
    baseline: Annotated[str | None, typer.Option(help="Arrangement shown with E and R.")] = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    sheet: Annotated[str | None, typer.Option(help="Sheet of a long table (default: the first).")] = None,
    seed: Annotated[int, typer.Option(help="Seed of resampling and splitting.")] = 0,
    fixed_m: Annotated[int, typer.Option(help="Subset size of the fixed-m gap.")] = 2,
    resamples: Annotated[int, typer.Option(help="Resamples of the items.")] = 2000,
    level: Level = 0.95,
    chance: Annotated[float | None, typer.Option(help="Score of guessing, for multiple choice.")] = None,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
    full: Full = False,
    as_json: JsonAlone = False,
) -> None:
    """Score from recorded scores whether the arrangement matters: order effect, flips, S_Cons."""
    from concord import api
    from concord.engine import get_engine

    result = api.score_structure(
        mean, max, scores,
        reading=reading, column=column, percent=percent, lenient=lenient, samples=samples, baseline=baseline,
        encoding=encoding, decimal_comma=decimal_comma, sheet=sheet, seed=seed,
        fixed_m=fixed_m, resamples=resamples, level=level, chance=chance,
        engine=get_engine(engine, scheduler=scheduler),
    )  # fmt: skip
    for line in (*result.left_out, *(f"warning: {text}" for text in result.warnings)):
        note(line)
    write_and_show(result, out, as_json=as_json, full=full)
