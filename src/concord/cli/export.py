"""`concord export inspect`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note


def inspect(
    run: Annotated[Path, typer.Argument(help="Folder that `concord run` wrote.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the logs (default: RUN/logs).")] = None,
) -> None:
    """Write the replies of a run as Inspect logs, for Inspect's viewer."""
    from concord.asking import runs

    written = runs.export_inspect(run, out)
    note(f"{len(written)} logs written to {written[0].parent}; look at them with: inspect view --log-dir DIR")
