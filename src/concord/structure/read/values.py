"""Score cells to numbers: what is missing, what is a number in disguise, what is a fault."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from concord.errors import CellProblem
from concord.files.cells import BadCellError, is_decimal_comma, number, with_point
from concord.files.text import FormulaCell
from concord.structure.records import Codes, Floats, ReadOptions

RowNumbers: TypeAlias = Sequence[int] | Codes

TOLERANCE = 1e-6
"""Scores this close to [0, 1] are rounding, not faults."""

UNSTORED = "a formula without a stored value"
"""What a message calls a cell whose result a spreadsheet program never computed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column of scores is, as the messages name it."""

    file: str
    sheet: str | None
    column: str


@dataclass(slots=True)
class ScoreColumn:
    """Scores read from one column, with all that was noticed on the way."""

    values: Floats
    n_missing: int = 0
    n_text_numbers: int = 0
    n_clipped: int = 0
    faults: list[CellProblem] = field(default_factory=list)
    lenient: list[CellProblem] = field(default_factory=list)
    unstored: list[CellProblem] = field(default_factory=list)
    clipped: list[CellProblem] = field(default_factory=list)
    out_of_range: int = 0
    low: float = np.inf
    high: float = -np.inf
    """Range seen, before any division."""

    @property
    def n_usable(self) -> int:
        """Scores that can be used."""
        return int(np.count_nonzero(~np.isnan(self.values)))


class CellFaultError(ValueError):
    """A cell that is neither a number nor missing; the message says what was expected."""


def expected_score(options: ReadOptions) -> str:
    """Say what a score cell may hold."""
    return "a number from 0 to 100 (--percent)" if options.percent else "a number from 0 to 1"


def parse_text(text: str, options: ReadOptions) -> float:
    """Read one cell of text: a number, NaN for missing, or a fault."""
    try:
        value = number(with_point(text) if options.decimal_comma else text)
    except BadCellError as error:
        raise CellFaultError(_advice(text.strip(), str(error), options)) from error
    return np.nan if value is None else value


def parse_number(cell: float, options: ReadOptions) -> float:
    """Read one cell that holds a number: NaN is missing, an infinite one a fault."""
    try:
        value = number(cell)
    except BadCellError as error:
        raise CellFaultError(_advice(str(cell)[:50], str(error), options)) from error
    return np.nan if value is None else value


def _advice(text: str, expected: str, options: ReadOptions) -> str:
    """Say what a score looks like, and what this cell was probably meant to be."""
    if is_decimal_comma(text):
        return f"{expected_score(options)}; use --decimal-comma if this is a decimal comma"
    if text.endswith(("%", "％")):
        return (
            f"{expected_score(options)}, without a percent sign: write 0.85 for 85%, "
            "or 85 in every cell and use --percent"
        )
    if expected == "a finite number":
        return f"{expected_score(options)}, not an infinite one; leave the cell empty if there is no score"
    return f"{expected_score(options)}, or an empty cell; fix it, or use --lenient to count text as missing"


def read_cells(
    cells: Sequence[object], rows: RowNumbers, place: Place, *, typed: bool, options: ReadOptions
) -> ScoreColumn:
    """Read a column cell by cell and check its range, naming every cell that cannot be used.

    ``typed`` says whether the file knows numbers from text (a workbook) or not (a text file).
    """
    return check_range(
        parse_cells(cells, rows, place, typed=typed, options=options), rows, place, options=options
    )


def parse_cells(
    cells: Sequence[object], rows: RowNumbers, place: Place, *, typed: bool, options: ReadOptions
) -> ScoreColumn:
    """Read a column cell by cell, whatever its range."""
    column = ScoreColumn(np.full(len(cells), np.nan))
    for i, (cell, row) in enumerate(zip(cells, rows, strict=True)):
        column.values[i] = _read_cell(cell, int(row), column, place=place, typed=typed, options=options)
    column.n_missing = int(np.count_nonzero(np.isnan(column.values))) - len(column.faults)
    return column


def _read_cell(
    cell: object, row: int, column: ScoreColumn, *, place: Place, typed: bool, options: ReadOptions
) -> float:
    """Read one cell, noting in ``column`` whatever is unusual about it."""
    if cell is None:
        return np.nan
    if isinstance(cell, FormulaCell):
        column.unstored.append(_problem(place, row, UNSTORED, "a stored value"))
        return np.nan
    try:
        if isinstance(cell, (int, float)) and not isinstance(cell, bool):
            return parse_number(cell, options)
        value = parse_text(cell if isinstance(cell, str) else str(cell), options)
    except CellFaultError as fault:
        listed = column.lenient if options.lenient and not is_decimal_comma(cell) else column.faults
        listed.append(_problem(place, row, cell, str(fault)))
        return np.nan
    column.n_text_numbers += typed and not np.isnan(value)
    return value


def check_range(column: ScoreColumn, rows: RowNumbers, place: Place, *, options: ReadOptions) -> ScoreColumn:
    """Divide percentages, clip rounding, and name every score outside [0, 1]."""
    raw = column.values
    if is_clean(raw, options) and not options.percent:
        seen = raw[~np.isnan(raw)]
        column.low, column.high = (float(seen.min()), float(seen.max())) if seen.size else (np.inf, -np.inf)
        return column
    usable = raw[~np.isnan(raw)]
    if usable.size:
        column.low, column.high = float(usable.min()), float(usable.max())
    values = raw / 100 if options.percent else raw
    near = ((values < 0) & (values >= -TOLERANCE)) | ((values > 1) & (values <= 1 + TOLERANCE))
    outside = ((values < 0) | (values > 1)) & ~near
    for i in np.flatnonzero(near):
        column.clipped.append(_problem(place, int(rows[int(i)]), float(raw[i]), expected_score(options)))
    for i in np.flatnonzero(outside):
        column.faults.append(_problem(place, int(rows[int(i)]), float(raw[i]), expected_score(options)))
    column.n_clipped, column.out_of_range = int(near.sum()), int(outside.sum())
    column.values = np.where(outside, np.nan, np.clip(values, 0.0, 1.0))
    return column


def is_clean(values: Floats, options: ReadOptions) -> bool:
    """Tell whether every score that is there lies in range, so that no cell needs naming."""
    scale = 100.0 if options.percent else 1.0
    return bool(np.all((values >= 0) & (values <= scale) | np.isnan(values)))


def range_advice(low: float, high: float, options: ReadOptions, *, share: float) -> str:
    """Say which range was seen and what it looks like; ``share`` of the scores lie outside [0, 1]."""
    text = f"the scores seen run from {low:g} to {high:g}"
    if options.percent or low < 0 or not 1.5 < high <= 100:
        return text
    if share > 0.5:
        return f"{text}: these look like scores from 0 to 100; use --percent to divide them by 100"
    return f"{text}; if they run from 0 to 100, use --percent to divide them by 100"


def _problem(place: Place, row: int, value: object, expected: str) -> CellProblem:
    """Name one cell."""
    return CellProblem(place.file, place.sheet, row, place.column, value, expected)
