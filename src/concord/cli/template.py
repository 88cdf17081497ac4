"""`concord template`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note


def template(
    out: Annotated[Path, typer.Argument(help="Workbook to write, such as people.xlsx.")],
    kind: Annotated[
        str | None, typer.Option(help="people, effects or scores (default: as the file is called).")
    ] = None,
) -> None:
    """Write an empty workbook to fill in: columns, drop-downs, examples and notes."""
    from concord.people.table.template import write_template

    made = write_template(out, kind)
    note(f"wrote {out}: fill the sheet {made.sheet!r}, then: {made.then.replace('FILE', str(out), 1)}")
