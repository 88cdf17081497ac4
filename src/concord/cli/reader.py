"""`--reader judge:MODEL`: a model reads what the rules leave, and a sample to audit it is always written."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from concord.cli.options import rare
from concord.cli.shared import note

if TYPE_CHECKING:
    from concord.reading.second import ModelReader

T = TypeVar("T")
Reader = Annotated[
    str | None,
    typer.Option(
        help="Let a model read what the rules cannot: judge:MODEL; a sample to audit is written.",
        metavar="judge:MODEL",
    ),
]
ReaderAll = Annotated[bool, rare("--reader-all", help="With --reader: let the model read every reply.")]
_SAMPLE = 50
"""Replies on the page of the audit."""


def scored_with(
    score: Callable[[], T], reader: str | None, everything: bool, out: Path
) -> tuple[T, "ModelReader | None"]:
    """Score, with a model as second reader where one is named; its calls are kept below the results."""
    if reader is None:
        return score(), None
    from concord.asking.reader import SUITE, read_with
    from concord.asking.runs import run_job

    return read_with(score, reader, out / SUITE, ask=run_job, everything=everything)


def tell_of_reader(found: "ModelReader | None", folder: Path, replies: Sequence[Path]) -> None:
    """Say and keep what a model as reader did, and write the page on which it is audited."""
    if found is None:
        return
    from concord.audit.folder import open_folder
    from concord.audit.items import sampled, write_page
    from concord.reading.second import write_reader

    opened = open_folder(folder)
    write_reader(opened.place, found)
    for line in found.lines():
        note(line)
    page = opened.place / "audit" / f"{opened.kind.question}.html"
    drawn = opened.with_replies(sampled(opened.items, _SAMPLE, 0), replies)
    write_page(page, opened.model, opened.kind, drawn)
    note(
        f"audit this reader before its numbers are used: open {page}, save the verdicts, then concord audit "
        f"{opened.place} --verdicts verdicts.json"
    )
