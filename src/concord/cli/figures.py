"""`concord figures` and `concord cite`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note, say


def figures(
    folders: Annotated[list[Path], typer.Argument(help="Folders that hold results.", metavar="DIR")],
    wanted: Annotated[
        str, typer.Option("--for", help="What they are for: nature, apa or slides.", metavar="WHAT")
    ] = "nature",
    out: Annotated[Path, typer.Option(help="Folder for the figures.")] = Path("figures"),
) -> None:
    """Write every figure of results for a paper or a talk, with captions and the numbers behind them."""
    from concord import reports

    made = reports.figures(folders, wanted=wanted, out=out)
    say(str(made.folder))
    note(f"wrote {made.n_pictures} figures, {len(made.files)} files with captions.txt, to {made.folder}")


def cite(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders that hold results: their methods and studies, too.", metavar="DIR"),
    ] = None,
) -> None:
    """Print what to cite as BibTeX: Concord, and with results their methods and studies."""
    from concord import reports

    say(reports.cite(folders if folders else []))
