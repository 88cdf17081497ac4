"""One sheet of scores: which cells are scores and which name the items, and score cells to numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from concord.errors import CellProblem, FileFormatError, InputError, TableError, listed
from concord.files.cells import is_decimal_comma
from concord.files.columns import read_shares
from concord.files.grids import Grid, is_blank
from concord.files.text import FormulaCell, normal_form, vocabulary
from concord.structure.records import Codes, Floats, ReadOptions

if TYPE_CHECKING:
    import polars as pl

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
    each: Sequence[str] = ()
    """The column of each cell, where scores are in one column per item."""

    def __str__(self) -> str:
        """Name the file, and the sheet where there is one."""
        return self.file if self.sheet is None else f"{self.file}, sheet {self.sheet!r}"


@dataclass(slots=True)
class ScoreColumn:
    """Scores read from one column, with all that was noticed on the way."""

    values: Floats
    place: Place
    n_text_numbers: int = 0
    faults: list[CellProblem] = field(default_factory=list)
    lenient: list[CellProblem] = field(default_factory=list)
    unstored: list[CellProblem] = field(default_factory=list)
    clipped: list[CellProblem] = field(default_factory=list)
    out_of_range: int = 0
    low: float = np.inf
    high: float = -np.inf
    """Range seen, before any division."""
    forms: tuple[str, ...] = ()
    """What cells hold beside a number: a percent sign, a second number."""

    @property
    def n_usable(self) -> int:
        """Scores that can be used."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    def part(self, where: Codes, rows: Codes, options: ReadOptions) -> "ScoreColumn":
        """Return some rows of a long table, with what was noticed in them."""
        own = ScoreColumn(self.values[where], self.place)
        if any(getattr(self, name) for name in _NOTICED):
            held = set(rows[where].tolist())
            for name in _NOTICED:
                setattr(own, name, [cell for cell in getattr(self, name) if cell.row in held])
        outside = [one.value for one in own.faults if isinstance(one.value, float) and np.isfinite(one.value)]
        own.out_of_range = len(outside)
        seen = np.append(own.values[~np.isnan(own.values)] * (100.0 if options.percent else 1.0), outside)
        own.low, own.high = (float(seen.min()), float(seen.max())) if seen.size else (np.inf, -np.inf)
        return own


_NOTICED = ("faults", "lenient", "unstored", "clipped")


def expected_score(options: ReadOptions) -> str:
    """Say what a score cell may hold."""
    return "a number from 0 to 100 (--percent)" if options.percent else "a number from 0 to 1"


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
    return f"{expected_score(options)}, or an empty cell; fix it; without --strict text counts as missing"


def read_cells(
    cells: "Sequence[object] | pl.Series",
    rows: RowNumbers,
    place: Place,
    options: ReadOptions,
    *,
    typed: bool,
) -> ScoreColumn:
    """Read a column and check its range, naming every cell that cannot be used."""
    # ``typed`` says whether the file knows numbers from text (a workbook) or not (a text file).
    values, bad, forms = read_shares(cells, decimal_comma=options.decimal_comma, missing=options.codes)
    if {"percent", "draws"} & {*forms} and options.percent:
        values = values * 100  # divided once, by the option
    column = ScoreColumn(values, place, forms=forms)
    for i, expected in bad.items():
        cell = cells[i]
        if isinstance(cell, FormulaCell):
            column.unstored.append(_problem(place, rows, i, UNSTORED, "a stored value"))
            continue
        named = column.faults if options.strict or is_decimal_comma(cell) else column.lenient
        named.append(_problem(place, rows, i, cell, _advice(str(cell)[:50].strip(), expected, options)))
    if typed and not forms:
        texts = (
            values
            if not isinstance(cells, Sequence)
            else [value for value, cell in zip(values, cells, strict=True) if isinstance(cell, str)]
        )
        column.n_text_numbers = int(np.count_nonzero(~np.isnan(texts)))
    return check_range(column, rows, place, options=options)


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
        column.clipped.append(_problem(place, rows, int(i), float(raw[i]), expected_score(options)))
    for i in np.flatnonzero(outside):
        column.faults.append(_problem(place, rows, int(i), float(raw[i]), expected_score(options)))
    column.out_of_range = int(outside.sum())
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


def _problem(place: Place, rows: RowNumbers, i: int, value: object, expected: str) -> CellProblem:
    """Name one cell."""
    column = place.each[i] if place.each else place.column
    return CellProblem(place.file, place.sheet, int(rows[i]), column, value, expected)


SUFFIX = "s_acc"
NAMES, ITEM_NAMES, SUMMARY_NAMES = (
    tuple(vocabulary()["sheets"][part].split()) for part in ("arrangements", "items", "summary")
)
"""What columns that name arrangements and items may be called, and sheets that sum others up."""


def is_row_layout(header: Sequence[str], *, named: bool) -> bool:
    """Whether a header is that of one row per arrangement: score columns, and at most one that names rows."""
    titles = [title.strip().casefold() for title in header]
    scores = [title for title in titles if title.endswith(SUFFIX)]
    others = [title for title in titles if title and not title.endswith(SUFFIX)]
    if len(scores) < 2 or len(others) > 1:
        return False
    return others[0] in NAMES if others else not named


def row_sheets(grid: Grid) -> list[tuple[str, Grid]]:
    """Return every row as the sheet of its arrangement: an item and a score per row."""
    # Rows without a name are numbered from 1, as the source does.
    titles = [title.strip() for title in grid.header]
    scores = [j for j, title in enumerate(titles) if title.casefold().endswith(SUFFIX)]
    named = [j for j, title in enumerate(titles) if title.casefold() in NAMES]
    items = tuple(_item_of(titles[j]) for j in scores)
    columns = [grid.cells(j) for j in scores]
    names = grid.cells(named[0]) if named else [None] * len(grid.rows)
    found = []
    for i, row in enumerate(grid.rows):
        name = str(i + 1) if names[i] is None or not str(names[i]).strip() else str(names[i]).strip()
        values = [column[i] for column in columns]
        sheet = Grid(grid.name, name, ("item", "S_Acc"), [row] * len(items), (items, values))
        found.append((name, sheet))
    return found


def _item_of(title: str) -> str:
    """Name an item by its column."""
    bare = title[: -len(SUFFIX)].rstrip("_ -")
    return bare if bare else title


class SheetFaultError(InputError):
    """The sheet cannot be used; its arrangement is left out and the rest is scored."""


@dataclass(frozen=True, slots=True)
class SheetLayout:
    """Which columns hold scores and which one names the items."""

    scores: tuple[int, ...]
    item: int | None
    warning: str | None = None
    per_item: bool = False
    """One score column per item, which has its name."""


@dataclass(frozen=True, slots=True, eq=False)
class SheetScores:
    """The scores of one arrangement on one side, checked."""

    file: str
    sheet: str
    items: tuple[str, ...]
    column: ScoreColumn
    by_position: bool
    warnings: tuple[str, ...] = ()

    @property
    def values(self) -> Floats:
        """Scores, NaN where missing, in the order of the items."""
        return self.column.values


def fold(name: str) -> str:
    """Compare names of sheets and columns after trimming, NFC and case folding."""
    return normal_form("NFC", name.strip()).casefold()


@lru_cache(maxsize=65536)  # the same items come back in every sheet
def tidy(name: str) -> str:
    """Compare items and models after trimming and NFC."""
    return normal_form("NFC", name.strip())


def is_summary(sheet: str) -> bool:
    """Tell whether a sheet holds a summary, not an arrangement."""
    return fold(sheet) in SUMMARY_NAMES


def item_name(cell: object) -> str:
    """Name an item; a whole number is written without a decimal point."""
    if type(cell) is str:
        return tidy(cell)
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return tidy(str(cell))


def is_wanted(name: str, arrangement: str, options: ReadOptions) -> bool:
    """Tell whether a column may hold scores or name the items."""
    folded = fold(name)
    named = {fold(options.column), fold(f"{arrangement}_{options.column}")} if options.column else set()
    if folded in named:
        return True
    return folded.endswith(SUFFIX) or folded in ITEM_NAMES


def read_sheet(grid: Grid, arrangement: str, options: ReadOptions) -> SheetScores:
    """Read the scores of one arrangement."""
    if grid.problems:
        raise TableError(grid.problems)
    fast = _read_fast(grid, arrangement, options) if grid.careful is not None else None
    if fast is not None:
        return fast
    return _read_careful(grid if grid.careful is None else grid.careful(), arrangement, options)


def _read_fast(grid: Grid, arrangement: str, options: ReadOptions) -> SheetScores | None:
    """Take whole columns of the fast engine, or ``None`` when any cell has to be looked at."""
    if not grid.rows or options.missing:
        return None
    try:
        layout = find_layout(grid, arrangement, options)
    except InputError:  # told in full by the careful path, which sees every column
        return None
    columns = [grid.numbers(j) for j in layout.scores]
    values = np.concatenate([column for column in columns if column is not None] or [np.empty(0)])
    if any(column is None for column in columns) or not is_clean(values, options):
        return None
    names = _names(grid, layout)
    if names is not None and "" in names:
        return None
    place = _column_place(grid, layout)
    column = check_range(ScoreColumn(values, place), (), place, options=options)
    return _finish(grid, arrangement, layout, names, column)


def _read_careful(grid: Grid, arrangement: str, options: ReadOptions) -> SheetScores:
    """Read cell by cell, naming whatever cannot be used."""
    layout = find_layout(grid, arrangement, options)
    names = _names(grid, layout)
    cells = [cell for j in layout.scores for cell in grid.cells(j)]
    rows = [row for _ in layout.scores for row in grid.rows]
    unnamed: list[int] = []
    if names is not None:
        kept = [i for i, cell in enumerate(cells) if names[i] != "" or not is_blank(cell)]
        cells, rows, names = [cells[i] for i in kept], [rows[i] for i in kept], [names[i] for i in kept]
        unnamed = [row for row, name in zip(rows, names, strict=True) if name == ""]
        names = [name if name else f"position {i + 1}" for i, name in enumerate(names)]
    column = read_cells(cells, rows, _column_place(grid, layout), options, typed=grid.typed)
    scores = _finish(grid, arrangement, layout, names, column)
    if not unnamed:
        return scores
    note = (
        f"{grid.place}: {len(unnamed)} rows with a score name no item (row {unnamed[0]}); paired by position"
    )
    return replace(scores, warnings=(*scores.warnings, note))


def find_layout(grid: Grid, arrangement: str, options: ReadOptions) -> SheetLayout:
    """Find out which columns hold scores and which one names the items."""
    where = grid.place
    columns = [j for j in range(len(grid.header)) if not grid.is_blank_column(j)]
    if not columns:
        raise SheetFaultError(f"{where}: the sheet is empty")
    if options.column is not None:
        return _rows_layout(grid, columns, _named_column(grid, columns, arrangement, options.column))
    scores = [j for j in columns if fold(grid.header[j]).endswith(SUFFIX)]
    if len(scores) == 1:
        return _rows_layout(grid, columns, scores[0])
    if scores and len(scores) == len(columns):
        return SheetLayout(tuple(scores), None, per_item=True)
    if scores:
        return _one_of_several(grid, columns, scores, arrangement)
    pairs = _pairs_layout(grid, columns)
    if pairs is not None:
        return pairs
    raise SheetFaultError(
        f"{where}: no score column (none ends in S_Acc); columns found: {_listed(grid, columns)}; "
        "name the score column with --column NAME"
    )


def _named_column(grid: Grid, columns: Sequence[int], arrangement: str, wanted: str) -> int:
    """Find the column the user named, with or without the arrangement in front."""
    for name in (wanted, f"{arrangement}_{wanted}"):
        found = [j for j in columns if fold(grid.header[j]) == fold(name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise FileFormatError(
                f"{grid.place}: {len(found)} columns are called {name!r}; rename all but one"
            )
    raise SheetFaultError(
        f"{grid.place}: no column {wanted!r} (--column); columns found: {_listed(grid, columns)}"
    )


def _rows_layout(grid: Grid, columns: Sequence[int], score: int) -> SheetLayout:
    """One score column: rows are items."""
    return SheetLayout((score,), _item_column(grid, columns, score))


def _item_column(grid: Grid, columns: Sequence[int], score: int) -> int | None:
    """Item, idiom or id in any case, else the first column that is not a score column."""
    others = [j for j in columns if j != score and not fold(grid.header[j]).endswith(SUFFIX)]
    for name in ITEM_NAMES:
        for j in others:
            if fold(grid.header[j]) == name:
                return j
    return others[0] if others else None


def _one_of_several(
    grid: Grid, columns: Sequence[int], scores: Sequence[int], arrangement: str
) -> SheetLayout:
    """Several score columns that are not one per item: only the arrangement's own can be meant."""
    own = [j for j in scores if fold(grid.header[j]) == fold(f"{arrangement}_{SUFFIX}")]
    if len(own) != 1:
        raise FileFormatError(
            f"{grid.place}: several score columns: {_listed(grid, scores)}; "
            "name the one to use with --column NAME"
        )
    layout = _rows_layout(grid, columns, own[0])
    ignored = [j for j in scores if j != own[0]]
    note = f"{grid.place}: column {grid.header[own[0]]!r} is used, not {_listed(grid, ignored)}"
    return replace(layout, warning=note)


def _pairs_layout(grid: Grid, columns: Sequence[int]) -> SheetLayout | None:
    """Rows of name and value: one text column whose entries all end in S_Acc beside one value column."""
    keys = [j for j in columns if _all_score_names(grid.cells(j))]
    if len(keys) != 1 or len(columns) != 2:
        return None
    value = next(j for j in columns if j != keys[0])
    return SheetLayout((value,), keys[0])


def _all_score_names(cells: Iterable[object]) -> bool:
    """Tell whether a column holds only names that end in S_Acc."""
    filled = [cell for cell in cells if not is_blank(cell)]
    return bool(filled) and all(isinstance(c, str) and fold(c).endswith(SUFFIX) for c in filled)


def _names(grid: Grid, layout: SheetLayout) -> list[str] | None:
    """Item of each score cell, or ``None`` where rows pair by position."""
    if layout.per_item:
        return [tidy(grid.header[j]) for j in layout.scores for _ in grid.rows]
    if layout.item is None:
        return None
    column = grid.columns[layout.item]
    if isinstance(column, Sequence) or str(column.dtype) != "String":
        return [item_name(cell) for cell in grid.cells(layout.item)]
    return list(_text_names(tuple(column.to_list())))


@lru_cache(maxsize=16)  # most workbooks list the same items in every sheet
def _text_names(cells: tuple[str | None, ...]) -> tuple[str, ...]:
    """Name the items of a column that holds only text."""
    return tuple(item_name(cell) for cell in cells)


def _finish(
    grid: Grid, arrangement: str, layout: SheetLayout, names: list[str] | None, column: ScoreColumn
) -> SheetScores:
    """Refuse a sheet without a usable value, tell duplicates apart, note what is unusual."""
    where = grid.place
    if not len(column.values):
        raise SheetFaultError(f"{where}: only a header, no rows")
    if not column.n_usable and not column.faults:
        raise SheetFaultError(f"{where}: no usable value in column {grid.header[layout.scores[0]]!r}")
    warnings = [] if layout.warning is None else [layout.warning]
    if names is None:
        warnings.append(f"{where}: no item column; rows are paired by position")
        names = [f"position {i + 1}" for i in range(len(column.values))]
    items, duplicates = number_duplicates(names)
    if duplicates:
        shown = ", ".join(repr(name) for name in duplicates[:3])
        more = f" and {len(duplicates) - 3} more" if len(duplicates) > 3 else ""
        warnings.append(f"{where}: duplicate items {shown}{more}; paired by order of occurrence")
    by_position = not layout.per_item and layout.item is None
    return SheetScores(grid.name, arrangement, items, column, by_position, tuple(warnings))


def number_duplicates(names: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Tell repeated names apart by order of occurrence: ``x``, ``x (2)``, ``x (3)``."""
    if len(set(names)) == len(names):
        return tuple(names), []
    taken, seen = set(names), Counter[str]()
    numbered: list[str] = []
    for name in names:
        seen[name] += 1
        unique = name
        while seen[name] > 1 and (unique := f"{name} ({seen[name]})") in taken:
            seen[name] += 1
        taken.add(unique)
        numbered.append(unique)
    return tuple(numbered), [name for name in dict.fromkeys(names) if seen[name] > 1]


def _column_place(grid: Grid, layout: SheetLayout) -> Place:
    """Name the score column in messages; with one column per item each cell has its own."""
    titles = [grid.header[j] for j in layout.scores]
    each = [title for title in titles for _ in grid.rows] if layout.per_item else ()
    return Place(grid.name, grid.sheet, titles[0], each)


def _listed(grid: Grid, columns: Sequence[int]) -> str:
    """List columns by name."""
    return listed([grid.header[j] for j in columns], shown=12)
