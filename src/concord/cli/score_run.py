"""`concord score run`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.options import Full, JsonAlone
from concord.cli.shared import note, print_json


def score_run(
    source: Annotated[
        Path, typer.Argument(help="Folder that `concord run` wrote, or an Inspect log of a Concord task.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results (default: SOURCE/results).")
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="Score a run that is not finished.")] = False,
    corrections: Annotated[
        Path | None, typer.Option(help="What people read in replies (corrections.jsonl of `concord view`).")
    ] = None,
    full: Full = False,
    json: JsonAlone = False,
) -> None:
    """Score the replies of a run or of an Inspect log, without asking any model."""
    from concord.asking import runs
    from concord.cli.run_show import note_cut, show_scored, write_answers

    result = runs.score_run(source, partial=partial, corrections=corrections)
    beside = source / "results" if source.is_dir() else source.with_suffix("")
    target = beside if out is None else out
    result.write(target)
    if json:
        print_json(result.to_dict())
    else:
        show_scored(result, full=full)
    if source.is_dir():
        note_cut(runs.read_folder(source))
    if source.is_dir() and corrections is None:  # answers as people read them have no table of their own
        answers = write_answers(runs.read_folder(source), target)
        for line in () if answers is None else answers.lines:
            note(line)
    note(f"written to {target}")
