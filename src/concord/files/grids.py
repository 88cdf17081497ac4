"""A grid: the cells of a table, none of them interpreted yet, each with the row it stands in.

Rows are numbered as a spreadsheet shows them: the header is row 1 and blank rows count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from concord.errors import CellProblem, FileFormatError
from concord.records import InputFile


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table, column by column, none of them interpreted yet."""

    name: str
    """What messages call the table: the file's name."""
    sheet: str | None
    header: tuple[str, ...]
    """Column names as written."""
    rows: tuple[int, ...]
    """The row each cell of a column stands in, as the spreadsheet shows it; blank rows are left out."""
    columns: tuple[list[object], ...]
    """One list of cells a column."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[CellProblem, ...] = ()
    """Rows that do not fit under the header; they are not among ``rows``."""


class ErrorCell(str):
    """The text of a cell that shows a fault instead of a value, such as ``#DIV/0!``."""

    __slots__ = ()


def is_blank(cell: object) -> bool:
    """Whether a cell is empty: nothing, white space, or the NaN that frames write for nothing."""
    if cell is None:
        return True
    if isinstance(cell, str):
        return not cell.strip()
    return isinstance(cell, float) and cell != cell


def positioned(name: str, header: tuple[str, ...], columns: tuple[list[object], ...]) -> Grid:
    """Return rows to a table without a header row, the first being row 2; leave blank ones out."""
    if not header:
        raise FileFormatError(f"{name}: found no columns; expected a header and rows below it")
    kept = [i for i, cells in enumerate(zip(*columns, strict=True)) if not all(map(is_blank, cells))]
    if len(kept) < len(columns[0]):
        columns = tuple([column[i] for i in kept] for column in columns)
    return Grid(name, None, header, tuple(i + 2 for i in kept), columns)


def from_records(name: str, sheet: str | None, records: Sequence[Sequence[object]]) -> Grid:
    """Lay records under the first that is not blank; record 1 is row 1.

    A record with more cells than the header becomes a problem, one with fewer a warning. Columns without a
    name and without a cell are left out.
    """
    filled = [(row, cells) for row, cells in enumerate(records, 1) if not all(map(is_blank, cells))]
    if not filled:
        where = "the file" if sheet is None else f"sheet {sheet!r}"
        raise FileFormatError(f"{name}: {where} is empty; expected a header and rows below it")
    header = ["" if is_blank(cell) else str(cell).strip() for cell in filled[0][1]]
    while not header[-1]:
        header.pop()
    kept, problems = _fitting(name, sheet, header, filled[1:])
    short = [row for row, cells in kept if len(cells) < len(header)] if sheet is None else []
    columns = [list(column) for column in zip_longest(*(cells[: len(header)] for _, cells in kept))]
    columns.extend([None] * len(kept) for _ in range(len(header) - len(columns)))
    named = [i for i, title in enumerate(header) if title or not all(map(is_blank, columns[i]))]
    return Grid(
        name,
        sheet,
        header=tuple(header[i] for i in named),
        rows=tuple(row for row, _ in kept),
        columns=tuple(columns[i] for i in named),
        warnings=_short_rows(name, short, len(header)),
        problems=tuple(problems),
    )


_Numbered = list[tuple[int, Sequence[object]]]


def _fitting(
    name: str, sheet: str | None, header: Sequence[str], filled: _Numbered
) -> tuple[_Numbered, list[CellProblem]]:
    """Part the records that fit under the header from those with cells beyond it."""
    kept, problems = [], []
    expected = f"no cell here: the header has {len(header)} columns"
    if sheet is None:
        expected += "; put quotes around a cell that holds the delimiter"
    for row, cells in filled:
        beyond = next((cell for cell in cells[len(header) :] if not is_blank(cell)), None)
        if beyond is None:
            kept.append((row, cells))
        else:
            problems.append(CellProblem(name, sheet, row, f"after {header[-1]}", beyond, expected))
    return kept, problems


def _short_rows(name: str, short: list[int], width: int) -> tuple[str, ...]:
    """Word the warning about rows with fewer cells than the header."""
    if not short:
        return ()
    return (f"{name}, {rows_in_words(short)}: fewer than {width} cells; the missing ones are taken as empty",)


def rows_in_words(rows: Sequence[int], *, shown: int = 10) -> str:
    """Name rows, ten at most.

    Examples
    --------
    >>> rows_in_words([4]), rows_in_words([2, 3, 9], shown=2)
    ('row 4', 'rows 2, 3 and 1 more')
    """
    if len(rows) == 1:
        return f"row {rows[0]}"
    more = f" and {len(rows) - shown} more" if len(rows) > shown else ""
    return f"rows {', '.join(map(str, rows[:shown]))}{more}"
