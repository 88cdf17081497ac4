"""`concord score hints` and `concord score probes`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import JsonAlone, Level
from concord.cli.shared import note, print_or_show, warn


def score_hints(
    file: Annotated[
        Path,
        typer.Argument(
            help="Counts or answers (CSV, XLSX, JSON, JSON lines), a folder of counts, or `published`."
        ),
    ],
    model: Annotated[str | None, typer.Option(help="Name of the model (default: from the file).")] = None,
    level: Level = 0.95,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    as_json: JsonAlone = False,
) -> None:
    """Score how often hints move answers, and how often a model says so."""
    from concord import api

    result = api.score_hints(file, model=model, level=level)
    warn(result.warnings)
    written = result.write(out)
    print_or_show(result, as_json=as_json)
    note(f"wrote results to {written if isinstance(written, Path) else out}")


def score_probes(
    file: Annotated[Path, typer.Argument(help="Answers to probes (CSV, XLSX, JSON, JSON lines).")],
    model: Annotated[str | None, typer.Option(help="Name of the model (default: from the file).")] = None,
    level: Level = 0.95,
    out: Annotated[Path, typer.Option(help="Folder for the result files.")] = Path("results"),
    as_json: JsonAlone = False,
) -> None:
    """Score answers to interventions on reasoning: early, filler, mistake, paraphrase, pairs."""
    from concord import api

    result = api.score_probes(file, model=model, level=level)
    warn(result.warnings)
    folder = result.write(out)
    print_or_show(result, as_json=as_json)
    note(f"wrote results to {folder}")
