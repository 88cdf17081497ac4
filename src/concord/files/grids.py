"""A grid: the cells of a table, none of them interpreted yet, each with the row it is in.

Rows are numbered as a spreadsheet shows them: the header is row 1 and blank rows count.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from concord.errors import CellProblem, FileFormatError
from concord.files.gate import check_size
from concord.files.text import normal_form, vocabulary
from concord.records import InputFile

if TYPE_CHECKING:
    import polars as pl


Cells: TypeAlias = "Sequence[object] | pl.Series"
"""A column: cells as Python objects, or a typed column of the fast engine for workbooks."""


def _never(empty: bool) -> bool:
    """Return False: nothing is hidden in a grid that was read cell by cell."""
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cells of a table, column by column, none of them interpreted yet.

    A grid from the fast engine for workbooks holds typed columns and cannot tell an empty cell from an error
    or from a formula without a stored result, nor true from 1; ``hidden`` says whether there may be such
    cells (asked with whether there are empty ones), and ``careful`` reads the sheet again, cell by cell.
    """

    name: str
    """What messages call the table: the file's name."""
    sheet: str | None
    header: tuple[str, ...]
    """Column names as written."""
    rows: Sequence[int]
    """The row each cell of a column is in, as the spreadsheet shows it; blank rows are left out."""
    columns: tuple[Cells, ...]
    """One column of cells per name."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[CellProblem, ...] = ()
    """Rows that do not fit under the header; they are not among ``rows``."""
    typed: bool = False
    """The file knows numbers from text."""
    decimal_comma: bool = False
    """A text such as ``0,85`` is a number where a number is expected."""
    careful: "Callable[[], Grid] | None" = None
    hidden: Callable[[bool], bool] = field(default=_never)

    def cells(self, j: int) -> list[object]:
        """Return the cells of a column as Python objects."""
        column = self.columns[j]
        return list(column) if isinstance(column, Sequence) else column.to_list()

    def numbers(self, j: int) -> NDArray[np.float64] | None:
        """Return a column of the fast engine that holds only numbers and nothing, or ``None``."""
        column = self.columns[j]
        if isinstance(column, Sequence) or not column.dtype.is_numeric():
            return None
        values = np.asarray(column.to_numpy(), dtype=np.float64)
        return None if self.hidden(bool(np.isnan(values).any())) else values

    def is_blank_column(self, j: int) -> bool:
        """Tell whether a column has no name and no cell."""
        if self.header[j] != "":
            return False
        column = self.columns[j]
        if not isinstance(column, Sequence):
            return column.null_count() == len(column)
        return all(cell is None or cell == "" for cell in column)

    @property
    def place(self) -> str:
        """The file, and the sheet where there is one, as messages name them."""
        return self.name if self.sheet is None else f"{self.name}, sheet {self.sheet!r}"


class EmptyTableError(FileFormatError):
    """There is not one cell in a file or a sheet."""


def is_blank(cell: object) -> bool:
    """Whether a cell is empty: nothing, white space, or the NaN that frames write for nothing."""
    if cell is None:
        return True
    if isinstance(cell, str):
        return not cell.strip()
    return isinstance(cell, float) and cell != cell


def positioned(name: str, header: tuple[str, ...], columns: tuple[list[object], ...]) -> Grid:
    """Return a grid of a table without a header row: the first row is row 2, blank ones are left out."""
    if not header:
        raise FileFormatError(f"{name}: found no columns; expected a header and rows below it")
    kept = [i for i, cells in enumerate(zip(*columns, strict=True)) if not all(map(is_blank, cells))]
    if len(kept) < len(columns[0]):
        columns = tuple([column[i] for i in kept] for column in columns)
    return Grid(name, None, header, tuple(i + 2 for i in kept), columns, typed=True)


Numbered: TypeAlias = "tuple[int, Sequence[object]]"
"""A record and the row it is in."""


def from_records(name: str, sheet: str | None, records: Iterable[Numbered], *, typed: bool = False) -> Grid:
    """Lay records under the first that is not blank."""
    # A record with more cells than the header becomes a problem, one with fewer a warning. Columns without a
    # name and without a cell are left out.
    filled = [(row, cells) for row, cells in records if not all(map(is_blank, cells))]
    where = name if sheet is None else f"{name}, sheet {sheet!r}"
    if not filled:
        empty = "the file" if sheet is None else f"sheet {sheet!r}"
        raise EmptyTableError(f"{name}: {empty} is empty; expected a header and rows below it")
    header = [_title(cell) for cell in filled[0][1]]
    while not header[-1]:
        header.pop()
    check_size(where, len(filled), len(header))
    kept, problems = _fitting(name, sheet, header, filled[1:])
    short = [row for row, cells in kept if len(cells) < len(header)] if sheet is None else []
    note = (
        f"{name}, {rows_in_words(short)}: fewer than {len(header)} cells; the missing ones are taken as empty"
    )
    columns = [list(column) for column in zip_longest(*(cells[: len(header)] for _, cells in kept))]
    columns.extend([None] * len(kept) for _ in range(len(header) - len(columns)))
    named = [i for i, title in enumerate(header) if title or not all(map(is_blank, columns[i]))]
    return Grid(
        name,
        sheet,
        header=tuple(header[i] for i in named),
        rows=tuple(row for row, _ in kept),
        columns=tuple(columns[i] for i in named),
        warnings=(note,) if short else (),
        problems=tuple(problems),
        typed=typed,
    )


def _title(cell: object) -> str:
    """Name a column; a whole number is written without a decimal point."""
    if is_blank(cell):
        return ""
    return f"{cell:g}" if isinstance(cell, float) else str(cell).strip()


def _fitting(
    name: str, sheet: str | None, header: Sequence[str], filled: list[Numbered]
) -> tuple[list[Numbered], list[CellProblem]]:
    """Part the records that fit under the header from those with cells beyond it."""
    kept, problems = [], []
    expected = f"no cell here: the header has {len(header)} columns"
    if sheet is None:
        expected += (
            "; put quotes around a cell that holds the delimiter (decimal commas: separate columns by "
            "semicolons and use --decimal-comma)"
        )
    width = len(header)
    for row, cells in filled:
        over = cells[width:] if len(cells) > width else ()  # most records fit
        beyond = next((cell for cell in over if not is_blank(cell)), None)
        if beyond is None:
            kept.append((row, cells))
        else:
            problems.append(CellProblem(name, sheet, row, f"after {header[-1]}", beyond, expected))
    return kept, problems


def rows_in_words(rows: Sequence[int], *, shown: int = 10) -> str:
    """Name rows, ten at most."""
    if len(rows) == 1:
        return f"row {rows[0]}"
    more = f" and {len(rows) - shown} more" if len(rows) > shown else ""
    return f"rows {', '.join(map(str, rows[:shown]))}{more}"


@dataclass(frozen=True, slots=True)
class Area:
    """A merged area: first and last row as the spreadsheet shows them, first and last column from 0."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class RawTable:
    """The records of a table, none of them taken for a header."""

    name: str
    sheet: str | None
    records: tuple[Numbered, ...]
    merged: tuple[Area, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The file, and the sheet where there is one, as messages name them."""
        return self.name if self.sheet is None else f"{self.name}, sheet {self.sheet!r}"


def filled(cells: Sequence[Any]) -> list[int]:
    """Return the places of the cells that hold something."""
    return [i for i, cell in enumerate(cells) if not is_blank(cell)]


Titles = Mapping[str, tuple[str, ...]]
"""What a column is called here, and what others call it."""
_PARTED = re.compile(r"[\s_\-./]+")


def plain_title(title: str) -> str:
    """Return a title in small letters, its words joined by bars."""
    return _PARTED.sub("_", title.strip().casefold()).strip("_")


_UNIT = re.compile(r"[(\[][^()\[\]]{0,40}[)\]]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = re.compile("['’]")  # noqa: RUF001


def _without_accents(title: str) -> str:
    """Return a plain title without accents and apostrophes."""
    bare = _ACCENTS.sub("", normal_form("NFKD", _APOSTROPHES.sub(" ", title)))
    return plain_title(normal_form("NFC", bare))


@cache
def _known_titles() -> tuple[dict[str, str], frozenset[str]]:
    """Return titles in other languages with those of the vocabulary, and every title that it knows."""
    held = vocabulary()
    english = {
        _without_accents(word): name for name, words in held["titles"].items() for word in words.split()
    }
    known = {name for table in held["names"].values() for names in table.values() for name in names.split()}
    known |= {name for kind in held["kinds"] for names in kind["columns"].values() for name in names}
    return english, frozenset(known)


def plain_titles(header: Sequence[str]) -> list[str]:
    """Return the plain title of each column, or what the vocabulary calls it.

    A title that it does not know is looked up without a unit in brackets, by its lower line and in other
    languages; another column of that name, or a second such title, leaves it as it is.
    """
    plain = [plain_title(title) for title in header]
    meant = [_known_title(title, own) for title, own in zip(header, plain, strict=True)]
    counts = Counter((*plain, *meant))
    return [new if new and counts[new] == 1 else own for new, own in zip(meant, plain, strict=True)]


def _known_title(title: str, plain: str) -> str:
    english, known = _known_titles()
    if not title or plain in known:
        return ""
    bare = " ".join(_UNIT.sub(" ", title).split())
    parts = (bare, bare.rpartition(" / ")[2])
    tried = [one for part in parts for one in (plain_title(part), english.get(_without_accents(part), ""))]
    return next((one for one in (*tried, in_english(bare)) if one in known), "")


def in_english(text: str) -> str:
    """Return a plain title word by word, those of other languages as the vocabulary calls them."""
    english, _ = _known_titles()
    return "_".join(english.get(word, word) for word in _without_accents(text).split("_"))


@cache
def names_of(table: str) -> dict[str, tuple[str, ...]]:
    """Return what columns are called by what they hold; of several names the first that is there counts."""
    return {part: tuple(names.split()) for part, names in vocabulary()["names"][table].items()}
