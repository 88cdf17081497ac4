"""Columns of a table, declared once: names, other names, how a cell is read, and what is left out without it.

One reader for every table command: cells keep their places; words and codes for missing values, decimal
commas and formats are the same everywhere; and a cell that cannot be read becomes a problem that names it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.errors import CellProblem, FileFormatError, listed
from concord.files import cells
from concord.files.cells import BadCellError, with_point
from concord.files.columns import ColumnTable
from concord.files.grids import Grid, plain_title
from concord.files.left_out import left_out_cells, told_left_out
from concord.files.tables import TableOptions
from concord.records import LeftOutCell

Parse = Callable[[object], Any]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column that a command reads."""

    name: str
    others: tuple[str, ...] = ()
    """What others call it; the first name that is there counts."""
    parse: Parse = cells.name
    required: bool = False
    side: str = ""
    """What is left out where its cell cannot be read; the whole row where it is not said."""
    what: str = ""
    """What messages call it, where its name is not enough."""


def flag(cell: object) -> float | None:
    """Read a number, or true and false as 1 and 0."""
    return float(cell) if isinstance(cell, bool) else cells.number(cell)


@dataclass(slots=True)
class DeclaredTable:
    """The declared columns of a table, read when they are asked for."""

    table: Grid | ColumnTable
    columns: Sequence[TableColumn]
    options: TableOptions = field(default_factory=TableOptions)
    titles: dict[str, str] = field(default_factory=dict)
    """What the file calls each column that is there."""
    problems: list[CellProblem] = field(default_factory=list)
    read: dict[str, list[Any]] = field(default_factory=dict)
    bad: set[tuple[int, str]] = field(default_factory=set)
    """Rows and columns of cells that could not be read, by their index and their name."""
    refused: bool = False
    """Whether a problem is one that leaving out would hide."""

    def __post_init__(self) -> None:
        there: dict[str, str] = {}
        for title in self.table.header:
            there.setdefault(plain_title(title), title)
        for column in self.columns:
            names = (column.name, *column.others)
            found = next((there[name] for name in names if name in there), None)
            if found is not None and found not in self.titles.values():
                self.titles.setdefault(column.name, found)
        if isinstance(self.table, Grid):
            self.problems.extend(self.table.problems)
        lacking = [one for one in self.columns if one.required and one.name not in self.titles]
        if lacking:
            raise FileFormatError(
                f"{self.place}: {_lacking_words(lacking)}; found {listed(self.table.header)}"
            )

    @property
    def place(self) -> str:
        """The file, and the sheet where there is one."""
        return self.table.place if isinstance(self.table, Grid) else self.table.name

    @property
    def decimal_comma(self) -> bool:
        """Whether ``0,85`` is a number."""
        return self.options.decimal_comma or self.table.decimal_comma

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        if isinstance(self.table, Grid):
            return len(self.table.rows)
        return self.table.take([next(iter(self.titles.values()))]).height

    def row(self, index: int) -> int:
        """Return the row that a spreadsheet shows."""
        return self.table.rows[index] if isinstance(self.table, Grid) else self.table.row(index)

    def raw(self, name: str) -> list[object]:
        """Return the cells of a column as they are; nothing where the table does not have it."""
        if name not in self.titles:
            return [None] * self.n_rows
        if isinstance(self.table, Grid):
            return self.table.cells(self.table.header.index(self.titles[name]))
        return self.table.take([self.titles[name]])[self.titles[name]].to_list()

    def values(self, name: str) -> list[Any]:
        """Return a column as it is declared; nothing where a cell is missing or cannot be read."""
        if name not in self.read:
            column = next(one for one in self.columns if one.name == name)
            self.read[name] = [self._value(i, column, cell) for i, cell in enumerate(self.raw(name))]
        return self.read[name]

    def _value(self, index: int, column: TableColumn, cell: object) -> Any:
        numeric = column.parse is not cells.name
        if numeric and self.options.missing.holds(cell):
            return None
        try:
            return column.parse(with_point(cell) if numeric and self.decimal_comma else cell)
        except BadCellError as error:
            self.problem(index, column.name, str(error), cell)
            return None

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column as numbers, NaN where there is none."""
        return np.array([np.nan if one is None else one for one in self.values(name)], dtype=np.float64)

    def problem(
        self, index: int, name: str, expected: str, value: object = None, *, refused: bool = False
    ) -> None:
        """Note a cell that cannot be used, once; a duplicate refuses the table."""
        if (index, name) in self.bad:
            return
        self.refused |= refused
        self.bad.add((index, name))
        sheet = self.table.sheet if isinstance(self.table, Grid) else None
        title = self.titles.get(name, name)
        self.problems.append(CellProblem(self.table.name, sheet, self.row(index), title, value, expected))

    def needed(self, index: int, names: Iterable[str]) -> bool:
        """Whether a row has a value in these columns; one that has none is noted."""
        lacking = [name for name in names if self.values(name)[index] is None]
        for name in lacking:
            self.problem(index, name, "a value")
        return not lacking

    def left_out(self) -> tuple[tuple[LeftOutCell, ...], tuple[str, ...]]:
        """Return the cells that are left out and what is told of them, or refuse the table."""
        found = left_out_cells(self.problems, self.n_rows, strict=self.options.strict or self.refused)
        return found, told_left_out(found, self.n_rows)

    def unused(self) -> tuple[str, ...]:
        """Name the columns that are not used."""
        used = set(self.titles.values())
        others = [title for title in self.table.header if title and title not in used]
        return (f"{self.place}: columns not used: {listed(others)}",) if others else ()


def _lacking_words(lacking: Sequence[TableColumn]) -> str:
    """Say which columns a table lacks, and what they may be called."""
    if len(lacking) == 1 and lacking[0].what:
        one = lacking[0]
        return f"no column of {one.what}, expected one of {', '.join((one.name, *one.others))}"
    also = "".join(f"; {one.name!r} may be called {', '.join(one.others)}" for one in lacking if one.others)
    return f"columns are missing: {', '.join(repr(one.name) for one in lacking)}{also}"
