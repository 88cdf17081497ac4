"""Cells that cannot be read leave out what they belong to, are counted, and are listed in left_out.csv.

A table is refused where a user asked for it (``--strict``), or where less than half of its rows are usable.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from concord.errors import CellProblem, TableError
from concord.records import LeftOutCell

LEAST_SHARE = 0.5
"""Share of the rows that must be usable."""
_CAUSES = 4


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


def told_left_out(cells: Sequence[LeftOutCell], n_rows: int) -> tuple[str, ...]:
    """Say how many rows are scored and why others are not: ``118 of 139 rows scored; 21 left out: …``."""
    if not cells:
        return ()
    rows = {(one.file, one.sheet, one.row) for one in cells}
    causes = Counter(f"column {one.column!r} {one.reason}" for one in cells)
    said = ", ".join(f"{cause} × {n}" for cause, n in causes.most_common(_CAUSES))
    more = len(causes) - _CAUSES
    return (
        f"{cells[0].file}: {n_rows - len(rows):,} of {n_rows:,} rows are used whole; {len(rows):,} left out: "
        f"{said}{f' and {more} more causes' if more > 0 else ''} (see left_out.csv)",
    )
