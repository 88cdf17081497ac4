"""`concord combine`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import DecimalComma, Encoding, Json, Level, Sheet
from concord.cli.shared import note, print_or_show, warn


def combine(
    people: Annotated[
        Path,
        typer.Argument(help="Table of people: answer and prediction per person; arm, outcome, weight."),
    ],
    predictions: Annotated[
        Path, typer.Argument(help="Table of further predictions for the same population, without answers.")
    ],
    regress: Annotated[
        list[str] | None, typer.Option(help="Column to regress the answers on; may be given several times.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for combine.json and combine.csv.")] = None,
    json: Json = False,
    sheet: Sheet = None,
    encoding: Encoding = None,
    decimal_comma: DecimalComma = False,
    level: Level = 0.95,
) -> None:
    """Combine people's answers with a model's predictions: what the model is worth in participants."""
    from concord import api

    result = api.combine(
        people,
        predictions,
        regress=[] if regress is None else regress,
        sheet=sheet,
        encoding=encoding,
        decimal_comma=decimal_comma,
        level=level,
    )
    if json:
        warn(result.warnings)  # the screen shows them with what was found
    if out is not None:
        files = result.write(out)
        note(f"wrote {files[0]} and {files[1].name}")
    print_or_show(result, as_json=json)
