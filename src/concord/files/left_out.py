"""Cells that cannot be read leave out what they belong to, are counted, and are listed in left_out.csv.

A table is refused where a user asked for it (``--strict``), or where less than half of its rows are usable.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from concord.errors import CellProblem, TableError
from concord.records import LeftOutCell
from concord.words import say

LEAST_SHARE = 0.5
"""Share of the rows that must be usable."""
_CAUSES = 6
"""Causes that are counted in a line; the file holds every cell."""


def left_out_cells(
    problems: Sequence[CellProblem], n_rows: int, *, strict: bool = False
) -> tuple[LeftOutCell, ...]:
    """Return the cells that are left out, or refuse the table with all of them."""
    rows = {(one.file, one.sheet, one.row) for one in problems}
    if problems and (strict or any(one.row is None for one in problems) or len(rows) > n_rows * LEAST_SHARE):
        raise TableError(problems)
    return tuple(
        LeftOutCell(
            one.file, one.sheet, one.row, one.column, "" if one.value is None else str(one.value)[:200],
            "empty" if one.value is None else "cannot be read", one.expected,
        )
        for one in problems
    )  # fmt: skip


def refusal_of(cells: Iterable[LeftOutCell], said: str) -> TableError:
    """Return the error of a table that is not scored after all, with the cells that are to be repaired."""
    problems = [CellProblem(o.file, o.sheet, o.row, o.column, o.value, o.expected) for o in cells]
    return TableError(problems, said)


def left_out_words(cells: Sequence[LeftOutCell], n_scored: int, n_rows: int) -> str:
    """Say how many rows are scored and why others are not, each row once; nothing where all are."""
    if not cells:
        return ""
    rows = {(one.file, one.sheet, one.row, one.agent): _why_left_out(one) for one in cells}
    causes = Counter(rows.values()).most_common()
    said = ", ".join(say("shared.left_out.cause", cause=cause, n=n) for cause, n in causes[:_CAUSES])
    counts = {"scored": n_scored, "n": n_rows, "left": n_rows - n_scored}
    return say("shared.left_out.rows", causes=said, more=len(causes) > _CAUSES, **counts)


def _why_left_out(one: LeftOutCell) -> str:
    """Return why a cell is left out; of a side of a test the reason says it."""
    if one.part:
        return one.reason
    return say("shared.left_out.column", column=repr(one.column), reason=one.reason)


def left_out_sentences(cells: Sequence[LeftOutCell], n_scored: int, n_rows: int) -> list[str]:
    """Say it as the first sentence of a result."""
    return [f"{left_out_words(cells, n_scored, n_rows)}."] if cells else []


def told_left_out(cells: Sequence[LeftOutCell], n_rows: int) -> tuple[str, ...]:
    """Say it of a file, as a warning."""
    lost = len({(one.file, one.sheet, one.row) for one in cells})
    if not cells:
        return ()
    said = left_out_words(cells, n_rows - lost, n_rows)
    return (say("shared.left_out.of_file", file=cells[0].file, said=said),)
