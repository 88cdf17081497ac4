"""A table in whole columns, for commands that read millions of rows: the same sources as `read_grid`.

Parquet files, frames and large CSV files never become Python cells; the rest is read cell by cell.
"""

import io
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from concord.errors import FileFormatError, OptionError, TableError, quoted
from concord.files import limits
from concord.files.cells import BadCellError, number, with_point
from concord.files.contents import fingerprint, fingerprint_file, first_bytes, is_file, kept, read_bytes
from concord.files.frames import is_lazy, is_pandas, is_polars, pandas_cells, without_far_dates
from concord.files.gate import check_large_text, check_names
from concord.files.grids import Grid
from concord.files.missing import MissingCodes
from concord.files.rows import delimiter_note, header_of, recognise_delimiter
from concord.files.survey import SURVEYS, read_survey
from concord.files.tables import (
    TableOptions,
    TableSource,
    check_content,
    grid_of,
    kind_of,
    mapped_header,
    read_grid,
    title_key,
)
from concord.files.text import decode, fixed_text
from concord.records import InputFile
from concord.words import say

if TYPE_CHECKING:
    import polars as pl


FRAME = "frame"
"""What messages call a frame."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTable:
    """The columns of a table, loaded when they are asked for."""

    name: str
    header: tuple[str, ...]
    rows: NDArray[np.int64] | None
    """Rows as the spreadsheet shows them; ``None``: the first is row 2 and no blank row was left out."""
    load: Callable[[list[str]], "pl.DataFrame"]
    """Return columns by their names; each is in the header once."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    typed: bool = True
    """The table knows numbers from text."""
    options: TableOptions = TableOptions()

    @property
    def decimal_comma(self) -> bool:
        """Whether ``0,85`` is a number."""
        return self.options.decimal_comma

    def take(self, names: Sequence[str]) -> "pl.DataFrame":
        """Return some columns, each of which must be in the header once."""
        counts = Counter(self.header)
        twice = [name for name in names if counts[name] > 1]
        if twice:
            raise FileFormatError(
                f"{self.name}: the column {quoted(twice[0])} appears {counts[twice[0]]} times; keep one"
            )
        return without_far_dates(self.load(list(dict.fromkeys(names))))

    def row(self, index: int) -> int:
        """Return the row that a spreadsheet shows for the n-th row of the columns."""
        return index + 2 if self.rows is None else int(self.rows[index])


def read_columns(source: TableSource, options: TableOptions, *, name: str | None = None) -> ColumnTable:
    """Open a table to be read in whole columns, under the titles that a mapping gives."""
    table = _unmapped(source, replace(options, mapping=()), name)
    if not options.mapping:
        return table
    header = mapped_header(table.name, table.header, options)
    own = {new: old for new, old in zip(header, table.header, strict=True) if new}

    def load(names: list[str]) -> "pl.DataFrame":
        frame = table.load([own[one] for one in names])
        return frame.rename(dict(zip(frame.columns, names, strict=True)))

    return replace(table, header=header, load=load, options=options)


def options_of_each(sources: Sequence[TableSource], options: TableOptions) -> list[TableOptions]:
    """Return how each of several tables is read: by the entries of a mapping that name its titles."""
    if not options.mapping or len(sources) == 1:
        return [options] * len(sources)
    held = [
        {title_key(title) for title in _unmapped(one, replace(options, mapping=()), None).header}
        for one in sources
    ]
    unknown = [title for title, _ in options.mapping if not any(title_key(title) in own for own in held)]
    if unknown:
        raise OptionError(f"--map: no table has a column {unknown[0]!r}")
    return [
        replace(options, mapping=tuple(one for one in options.mapping if title_key(one[0]) in own))
        for own in held
    ]


def _unmapped(source: TableSource, options: TableOptions, name: str | None) -> ColumnTable:
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        return _of_survey(path, options) if path.suffix.lower() in SURVEYS else _of_file(path, options)
    if options.sheet is not None:
        raise OptionError(f"sheet={options.sheet!r} was given, but only XLSX files have sheets")
    called = FRAME if name is None else name
    if is_lazy(source):
        source = source.collect()  # type: ignore[union-attr]
    if is_polars(source):
        frame: pl.DataFrame = source  # type: ignore[assignment]
        header = tuple(frame.columns)
        return ColumnTable(called, header, None, frame.select, (), (), True, options)
    if is_pandas(source):
        return _of_pandas(source, called, options)
    return _of_grid(read_grid(source), options, name=name)


def _of_survey(path: Path, options: TableOptions) -> ColumnTable:
    """Open a file of a statistics program."""
    found = read_survey(path)
    return ColumnTable(
        path.name,
        found.names,
        None,
        found.frame.select,
        found.inputs,
        found.warnings,
        True,
        options,
    )


def _of_file(path: Path, options: TableOptions) -> ColumnTable:
    kind = kind_of(path, options)
    if kind == "parquet":
        from concord.files.parquet import ParquetFile, open_parquet

        def opened() -> tuple[ParquetFile, InputFile]:
            head = read_bytes(path, limit=limits.COLUMN_BYTES) if not is_file(path) else _start(path)
            check_content(path.name, kind, head)
            return open_parquet(path, rows=limits.COLUMN_ROWS), fingerprint_file(path)

        found, held = kept(("parquet", path), opened)

        def load(names: list[str]) -> "pl.DataFrame":
            return without_far_dates(found.read(names))

        return ColumnTable(path.name, found.header, None, load, (held,), (), True, options)
    if kind == "text" and is_file(path) and path.stat().st_size > limits.LARGE_TEXT:
        large = _large_text(path, options)
        if large is not None:
            return large
    return _of_grid(grid_of(path, options), options)


def _start(path: Path) -> bytes:
    """Return the first bytes of a file that is there, after a look at its size."""
    if path.stat().st_size > limits.COLUMN_BYTES:
        read_bytes(path, name=path.name, limit=limits.COLUMN_BYTES)  # raises
    return first_bytes(path, 8)


def _of_pandas(frame: Any, name: str, options: TableOptions) -> ColumnTable:
    """Take a pandas frame column by column; mixed types in a column become text."""
    header = tuple(fixed_text(str(column)) for column in frame.columns)

    def load(names: list[str]) -> "pl.DataFrame":
        import polars as pl

        cells = {title: pandas_cells(frame, header.index(title)) for title in names}
        # by name: of a list of columns, polars would give one without a name another
        return pl.DataFrame({title: series_of(title, column) for title, column in cells.items()})

    return ColumnTable(name, header, None, load, (), (), True, options)


def _of_grid(grid: Grid, options: TableOptions, *, name: str | None = None) -> ColumnTable:
    """Take a grid column by column; rows that do not fit under the header are refused."""
    if grid.problems:
        raise TableError(grid.problems)

    def load(names: list[str]) -> "pl.DataFrame":
        import polars as pl

        # by name: of a list of columns, polars would give one without a name another
        return pl.DataFrame({one: series_of(one, grid.cells(grid.header.index(one))) for one in names})

    return ColumnTable(
        name if name is not None and not grid.inputs else grid.name,
        grid.header,
        np.asarray(grid.rows, dtype=np.int64),
        load,
        grid.inputs,
        grid.warnings,
        grid.typed,
        replace(options, decimal_comma=options.decimal_comma or grid.decimal_comma),
    )


def series_of(title: str, cells: Sequence[object]) -> "pl.Series":
    """Return cells as one typed column: whole numbers, numbers, truth values, or else text."""
    # Whole numbers beyond 2**53 stay exact: as 64-bit numbers where they fit, as text otherwise.
    import polars as pl

    kept = [None if _is_nothing(cell) else cell for cell in cells]
    kinds = {type(cell) for cell in kept if cell is not None}
    if kinds <= {int} and all(cell is None or abs(cell) < 2**63 for cell in kept):  # type: ignore[arg-type]
        return pl.Series(title, kept, dtype=pl.Int64)
    if kinds <= {float} or (
        kinds <= {int, float} and all(not isinstance(cell, int) or abs(cell) <= 2**53 for cell in kept)
    ):
        return pl.Series(title, [None if cell is None else float(cell) for cell in kept], dtype=pl.Float64)  # type: ignore[arg-type]
    if kinds <= {bool}:
        return pl.Series(title, kept, dtype=pl.Boolean)
    return pl.Series(title, [None if cell is None else _as_text(cell) for cell in kept], dtype=pl.String)


def _is_nothing(cell: object) -> bool:
    """Whether a cell is empty; words for a missing value are left to whoever knows what is expected."""
    return cell is None or (isinstance(cell, float) and cell != cell) or (isinstance(cell, str) and not cell)


def _as_text(cell: object) -> str:
    """Return a cell of a mixed column as text: 3.0 beside words is '3', as a spreadsheet shows it."""
    if isinstance(cell, str):
        return fixed_text(str(cell))
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, bool):
        return "true" if cell else "false"
    try:
        return fixed_text(str(cell)[: limits.CELL_CHARACTERS])
    except ValueError:  # a whole number of more digits than Python writes
        return "a number of thousands of digits"


def _large_text(path: Path, options: TableOptions) -> ColumnTable | None:
    """Read a large CSV file with the engine for columns; ``None`` where it must be read cell by cell."""
    import polars as pl

    data = read_bytes(path, limit=limits.COLUMN_BYTES)
    check_content(path.name, "text", data)
    text = decode(path.name, data, options.encoding)
    if text.count("\r") > text.count("\r\n") or not text[:1].strip():
        return None  # line ends or leading blank lines that the engine takes for something else
    inputs = (fingerprint(path.name, data),)
    del data
    delimiter = recognise_delimiter(text)
    header = tuple(cell.strip() for cell in header_of(text, delimiter))
    check_large_text(path.name, text.count("\n"), len(header))
    encoded = io.BytesIO(text.encode("utf-8"))
    del text  # a copy of the file less
    try:
        frame = pl.read_csv(
            encoded, separator=delimiter, infer_schema=False, null_values=[""],
            has_header=False, skip_rows=1, new_columns=[str(i) for i in range(len(header))],
        )  # fmt: skip
    except pl.exceptions.PolarsError:
        return None  # read cell by cell, which names the row
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    rows = None
    if blank.any():
        rows = np.flatnonzero(~blank.to_numpy()) + 2
        frame = frame.filter(~blank)

    def load(names: list[str]) -> "pl.DataFrame":
        return frame.select(pl.col(str(header.index(title))).alias(title) for title in names)

    notes = delimiter_note(path.name, delimiter)
    return ColumnTable(path.name, header, rows, load, inputs, notes, False, options)


def refuse_nested(table: str, series: "pl.Series", expected: str) -> None:
    """Refuse a column whose cells are no single values: lists, structures, bytes, objects."""
    import polars as pl

    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        raise FileFormatError(f"{table}: column {series.name!r} holds {series.dtype}, expected {expected}")


def read_numbers(
    cells: "Sequence[object] | pl.Series",
    parse: Callable[[object], float | None] = number,
    *,
    decimal_comma: bool = False,
    missing: MissingCodes = MissingCodes(),  # noqa: B008 - frozen
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Return a column as numbers, NaN where a cell has none, and what was expected where one cannot be read.

    Plain numbers of a typed column are read at once, and each other text once, however often it is there.
    """
    if isinstance(cells, Sequence):
        values, others = np.full(len(cells), np.nan), list(enumerate(cells))
    else:
        values, others = _plain_numbers(cells, missing)
    read: dict[object, float | BadCellError] = {}
    bad: dict[int, str] = {}
    for i, cell in others:
        key = (type(cell), cell) if isinstance(cell, str | float | int) else id(cell)
        if key not in read:
            try:
                none = cell is None or missing.holds(cell)
                value = None if none else parse(with_point(cell) if decimal_comma else cell)
                read[key] = np.nan if value is None else value
            except BadCellError as error:
                read[key] = error
        found = read[key]
        if isinstance(found, BadCellError):
            bad[i] = str(found)
        else:
            values[i] = found
    return values, bad


_VALUE = r"([+-]?(?:[0-9]{1,15}(?:[.,][0-9]{1,17})?|[.,][0-9]{1,17}))\s?([%％]?)"
_WITH_MORE = re.compile(
    rf"{_VALUE}(?:\s?(?:±|\+/?-)\s?{_VALUE}|\s?\(\s?(?:±|sd|se)?\s?=?\s?{_VALUE}\s?\))?", re.IGNORECASE
)
"""A number with a percent sign, or with a second number: its standard error or deviation."""
_OF_DRAWS = re.compile(r"([0-9]{1,6})\s?(?:/|of|out of)\s?([0-9]{1,6})")
"""So many of so many draws."""
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")


def read_shares(
    cells: "Sequence[object] | pl.Series",
    parse: Callable[[object], float | None] = number,
    *,
    decimal_comma: bool = False,
    missing: MissingCodes = MissingCodes(),  # noqa: B008 - frozen
) -> tuple[NDArray[np.float64], dict[int, str], tuple[str, ...]]:
    """Read scores as `read_numbers` does, or all as percentages or as the first of two numbers; which of it.

    A column is read so only where every cell that holds something is written so: beside bare numbers
    ``85%`` may be 85 or 0.85.
    """
    values, bad = read_numbers(cells, parse, decimal_comma=decimal_comma, missing=missing)
    if not bad or not np.isnan(values).all():
        return values, bad, ()
    parts = [_OF_DRAWS.fullmatch(str(cells[i]).strip()) for i in bad]
    draws = {None if one is None else int(one[2]) for one in parts}  # one number, else it may be a date
    right = [int(one[1]) for one in parts if one is not None]
    if len(draws) == 1 and (n := draws.pop()) and max(right) <= n:
        values[list(bad)] = np.array(right) / n
        return values, {}, ("draws",)
    forms, scores = set(), np.full(len(values), np.nan)
    for i in bad:
        match = _WITH_MORE.fullmatch(str(cells[i]).strip())
        if match is None or (not decimal_comma and _THOUSANDS.fullmatch(match[1])):
            return values, bad, ()
        forms.add((any(match.group(2, 4, 6)), match[3] is not None or match[5] is not None))
        scores[i] = float(match[1].replace(",", "."))
    if len(forms) > 1 or forms == {(False, False)}:
        return values, bad, ()
    percent, second = forms.pop()
    how = tuple(key for key, holds in (("percent", percent), ("second", second)) if holds)
    return scores / 100 if percent else scores, {}, how


def form_notes(place: str, forms: Sequence[str] = ()) -> list[str]:
    """Say how a column of scores was read that holds more than bare numbers."""
    return [say(f"shared.column.{form}", place=place) for form in forms]


def _plain_numbers(
    series: "pl.Series", missing: MissingCodes
) -> tuple[NDArray[np.float64], list[tuple[int, object]]]:
    """Return the plain numbers of a column, and its other cells with their places."""
    import polars as pl

    is_number = series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Null)
    if not is_number and series.dtype != pl.String:  # dates, bytes, lists, categories: one by one
        return np.full(len(series), np.nan), list(enumerate(series.to_list()))
    known = series if is_number else series.str.strip_chars()
    values = np.array(known.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(), dtype=np.float64)
    values[np.isin(values, missing.numbers)] = np.nan
    odd = np.isinf(values) if is_number else np.isnan(values) & known.is_not_null().to_numpy()
    odd |= np.abs(values) > limits.LARGEST_NUMBER
    values[odd] = np.nan
    return values, [(int(i), known[int(i)]) for i in np.flatnonzero(odd)]


def _refuse_long(table: str, series: "pl.Series") -> None:
    """Refuse names that are longer than a cell may be, or long in sum, before copies of them are made."""
    import polars as pl

    if series.dtype != pl.String or not len(series):
        return
    sizes = series.str.len_bytes().fill_null(0).cast(pl.Int64).to_numpy()
    check_names(f"{table}, column {quoted(series.name)}", longest=sizes.max(), whole=sizes.sum())


def as_names(table: str, series: "pl.Series") -> "pl.Series":
    """Return names as text: trimmed, NFC-normalised, 3.0 as '3', nothing as null."""
    import polars as pl

    refuse_nested(table, series, "names")
    _refuse_long(table, series)
    if series.dtype.is_float():
        series = series.fill_nan(None)
        whole = (series == series.floor()) & (series.abs() < 2.0**53)
        numbers = series.set(~whole.fill_null(value=False), None).cast(pl.Int64).cast(pl.String)
        series = numbers.fill_null(series.cast(pl.String))
    names = series.cast(pl.String).str.strip_chars()
    names = names.set(names == "", None)
    is_ascii = (names.str.len_bytes() == names.str.len_chars()).fill_null(value=True).all()
    return names if is_ascii else names.str.normalize("NFC")
