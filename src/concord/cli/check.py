"""`concord check`, and `concord template` for a file to fill in."""

import functools
from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import USUAL, JsonText, TableHow, reads_tables
from concord.cli.shared import note, print_json, say, warn

MOST = 100
"""Problems that are printed one by one; a file that is damaged throughout has as many as cells."""


@functools.partial(reads_tables, hidden=("missing", "strict", "map_only"))
def check(
    file: Annotated[
        Path,
        typer.Argument(
            help="Any file or folder that some command reads: a table, a study, replies, vignettes, items, a "
            "log or results of another program, a survey, a run, a result."
        ),
    ],
    how: TableHow = USUAL,
    suggest_map: Annotated[
        Path | None,
        typer.Option(help="Write a mapping file of a table made by hand: what each column is taken for."),
    ] = None,
    json: JsonText = False,
) -> None:
    """Is this file well formed, and are its reported statistics consistent? Exit 1 if not."""
    from concord import api

    if suggest_map is not None:
        _write_map(file, suggest_map, how["sheet"], how["encoding"])
        return
    result = api.check(file, **how)
    if json:
        print_json(result.to_dict())
    else:
        warn(result.warnings, most=MOST, where="--json")
        for problem in result.problems[:MOST]:
            say(problem)
        if len(result.problems) > MOST:
            say(f"and {len(result.problems) - MOST} more, in --json")
        counts = ", ".join(
            f"{n} {one_of(what) if n == 1 else what}" for what, n in result.counts.items() if n
        )
        if result.kind not in ("table of tests", "study"):  # these are told by what is counted
            counts = f"{result.kind}: {counts}" if counts else result.kind
        verdict = "well formed" if result.passed else f"{len(result.problems)} to fix"
        say(f"{result.file}: {verdict}" + (f" ({counts})" if counts else ""))
        if result.commands:
            say(f"taken by: {'; '.join(result.commands)}")
        if result.columns:
            say("columns:")
        for title, meaning in result.columns[:MOST]:
            say(f"  {title}: {meaning if meaning else 'not used'}")
    if not result.passed:
        raise typer.Exit(code=1)


def one_of(many: str) -> str:
    """Return what one of many things is called; words that are no plural stay.

    Examples
    --------
    >>> one_of("experiments"), one_of("replies"), one_of("without gold steps"), one_of("ok")
    ('experiment', 'reply', 'without gold steps', 'ok')
    """
    if " " in many or not many.endswith("s"):
        return many
    return many.removesuffix("ies") + "y" if many.endswith("ies") else many.removesuffix("s")


def _write_map(file: Path, out: Path, sheet: str | None, encoding: str | None) -> None:
    """Write what each column of a table is taken for, for a person to correct."""
    from concord.files.output import write_text
    from concord.files.tables import TableOptions
    from concord.people.check import suggest_map

    text = suggest_map(file, TableOptions(sheet, encoding))
    write_text(out, text)
    say(text)
    note(f"wrote {out}; change it where it is wrong, then: concord score people {file} --map {out}")


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
