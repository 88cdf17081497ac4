"""`concord report`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note, print_json, say


def report(
    folders: Annotated[list[Path], typer.Argument(help="Folders that hold results.", metavar="DIR")],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Concord report",
    plots: Annotated[Path | None, typer.Option(help="Folder for the pictures as SVG and PNG files.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document about what was made.")
    ] = False,
) -> None:
    """Make one self-contained HTML page of results: no network, opens from the file system."""
    from concord import api

    made = api.report(folders, out=out, title=title, plots=plots)
    for problem in made.problems:
        note(f"warning: {problem}")
    if made.plots_note:
        note(f"warning: {made.plots_note}")
    if json:
        print_json(made.to_dict())
    else:
        say(str(made.path))
    shown = _counted_results(made.n_results, "result")
    if made.models:  # judges, options and probes name none that the page ranks
        shown += f" of {_counted_results(len(made.models), 'model')}"
    note(f"wrote {made.path} ({shown}, {made.size / 1e6:.1f} MB); open it in a browser")
    if plots is not None:
        note(f"wrote {len(made.plots)} pictures to {plots}")


def _counted_results(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
