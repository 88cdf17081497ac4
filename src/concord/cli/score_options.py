"""`concord score options`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import Encoding, JsonAlone, Sheet
from concord.cli.shared import warn, write_and_show


def score_options(
    file: Annotated[
        Path,
        typer.Argument(
            help="One row per reply: item, arrangement, chosen and right (letters), n_options; or "
            "option_replies.csv of a run."
        ),
    ],
    model: Annotated[
        str | None, typer.Option(help="Which model of a table of several, or its name where rows name none.")
    ] = None,
    arranger: Annotated[str, typer.Option(help="What was varied, in a word.")] = "recorded",
    sheet: Sheet = None,
    encoding: Encoding = None,
    level: Annotated[float, typer.Option(help="Coverage of intervals.")] = 0.95,
    permutations: Annotated[int, typer.Option(help="Divisions drawn for the test of places.")] = 999,
    seed: Annotated[int, typer.Option(help="Seed of that test.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    json: JsonAlone = False,
) -> None:
    """Score recorded answers to questions with options: consistency, places, selection bias."""
    from concord import api

    result = api.score_options(
        file, model=model, arranger=arranger, sheet=sheet, encoding=encoding, level=level,
        n_permutations=permutations, seed=seed,
    )  # fmt: skip
    warn(result.warnings)
    write_and_show(result, out, as_json=json)
