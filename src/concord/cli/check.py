"""`concord check`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note, print_json, say


def check(
    file: Annotated[
        Path,
        typer.Argument(
            help="Table of tests (CSV, XLSX, Parquet, JSON), study (YAML), replies (JSONL), vignettes (JSON)."
        ),
    ],
    sheet: Annotated[str | None, typer.Option(help="Sheet of a workbook (default: the first).")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")] = False,
) -> None:
    """Is this table, study or reply file well formed, are its statistics consistent? Exit 1 if not."""
    from concord import api

    result = api.check(file, sheet=sheet)
    if json:
        print_json(result.to_dict())
    else:
        for warning in result.warnings:
            note(f"warning: {warning}")
        for problem in result.problems:
            say(problem)
        counts = ", ".join(f"{n} {what}" for what, n in result.counts.items() if n)
        verdict = "well formed" if result.passed else f"{len(result.problems)} to mend"
        say(f"{result.file}: {verdict}" + (f" ({counts})" if counts else ""))
    if not result.passed:
        raise typer.Exit(code=1)
