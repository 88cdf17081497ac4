"""Columns of a table, declared once: names, other names, how a cell is read, and what is left out without it.

One reader for every table command: cells keep their places; words and codes for missing values, decimal
commas and formats are the same everywhere; and a cell that cannot be read becomes a problem that names it.
"""

import os
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from concord.errors import CellProblem, FileFormatError, TableError, listed
from concord.files import cells
from concord.files.cells import BadCellError, with_point
from concord.files.columns import ColumnTable, as_names, form_notes, read_numbers, read_shares
from concord.files.contents import fingerprint, fingerprint_rows, read_bytes
from concord.files.frames import records_of
from concord.files.grids import Grid, names_of, plain_title, plain_titles
from concord.files.inspect_logs import is_lm_eval, read_json_log
from concord.files.json_text import (
    Problems,
    UnusableError,
    decoded,
    fields_of,
    line_objects,
    parsed,
    parsed_line,
    shown,
)
from concord.files.kept_replies import object_of
from concord.files.left_out import left_out_cells, told_left_out
from concord.files.raw_replies import TEXT_NAMES
from concord.files.rows import PickedRows, field_kinds
from concord.files.tables import KINDS, LINES, TableOptions, TableSource, grid_of
from concord.files.text import plain_utf8
from concord.records import InputFile, LeftOutCell

if TYPE_CHECKING:
    import polars as pl

Parse = Callable[[object], Any]
T = TypeVar("T")
Row = Mapping[str, Any]
"""A row by its plain titles, or by what its cells hold."""


class BadRowError(BadCellError):
    """A cell that keeps a row, or a part of it, from being read; its text is what was expected."""

    def __init__(self, column: str, value: object, expected: str) -> None:
        self.column, self.value = column, value
        super().__init__(expected)


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


def columns_of(
    table: str,
    parse: Mapping[str, Parse] | None = None,
    *,
    required: Sequence[str] = (),
    what: Mapping[str, str] | None = None,
) -> tuple[TableColumn, ...]:
    """Return the columns of a kind of table as the vocabulary names them; those without a parse are names."""
    read, told = {} if parse is None else parse, {} if what is None else what
    return tuple(
        TableColumn(
            part, names, read.get(part, cells.name), required=part in required, what=told.get(part, "")
        )
        for part, names in names_of(table).items()
    )


def by_plain_titles(header: Sequence[str]) -> dict[str, str]:
    """Return what a table calls each of its columns, by its plain title in the vocabulary and its own."""
    there: dict[str, str] = {}
    for name, title in (
        *zip(plain_titles(header), header, strict=True),
        *((plain_title(one), one) for one in header),
    ):
        there.setdefault(name, title)
    return there


def found_titles(
    there: Mapping[str, str], names: Mapping[str, Sequence[str]], given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return which column holds what: that which is given, else the first of its names that is free."""
    found = {} if given is None else dict(given)
    for part, others in names.items():
        taken = {title for name, title in found.items() if name != part}
        free = (there[name] for name in others if name in there and there[name] not in taken)
        if part not in found and (title := next(free, None)) is not None:
            found[part] = title
    return found


def named_column(place: str, header: Sequence[str], wanted: str, option: str = "") -> str:
    """Return the title of a column that a user named; ``option`` says how, for messages."""
    found = wanted if wanted in header else by_plain_titles(header).get(plain_title(wanted))
    if found is None:
        raise FileFormatError(f"{place}: no column {wanted!r}{option}; found {listed(header)}")
    return found


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
    plain: dict[str, str] = field(default_factory=dict)
    """What the file calls each of its columns, by its plain title."""
    problems: list[CellProblem] = field(default_factory=list)
    read: dict[str, list[Any]] = field(default_factory=dict)
    bad: set[tuple[int, str]] = field(default_factory=set)
    """Rows and columns of cells that could not be read, by their index and their name."""
    refused: bool = False
    """Whether a problem is one that leaving out would hide."""
    notes: dict[str, None] = field(default_factory=dict)
    """What is told of how columns were read."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """What a user calls columns that were given other titles."""

    def __post_init__(self) -> None:
        self.plain |= by_plain_titles(self.table.header)
        names = {column.name: (column.name, *column.others) for column in self.columns}
        self.titles |= found_titles(self.plain, names, self.titles)
        if isinstance(self.table, Grid):
            self.problems.extend(self.table.problems)
            if not self.table.rows:
                if self.problems:
                    raise TableError(self.problems)
                raise FileFormatError(f"{self.place}: found no rows below its titles; expected at least one")
        lacking = [one for one in self.columns if one.required and one.name not in self.titles]
        if lacking:
            mapped = (
                f"; --map 'TITLE={lacking[0].name}' says which it is"
                if self.options.maps and self.inputs
                else ""
            )
            found = listed([self.shown.get(title, title) for title in self.table.header])
            raise FileFormatError(f"{self.place}: {_lacking_words(lacking)}; found {found}{mapped}")

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

    def series(self, name: str) -> "pl.Series":
        """Return a column of a table of whole columns as it is."""
        if isinstance(self.table, Grid):
            raise TypeError("a whole column of a table of cells")
        return self.table.take([self.titles[name]]).to_series()

    def names(self, name: str) -> "pl.Series":
        """Return a column of a table of whole columns as names."""
        return as_names(self.place, self.series(name))

    def values(self, name: str) -> list[Any]:
        """Return a column as it is declared; nothing where a cell is missing or cannot be read."""
        if name not in self.read:
            column = next(one for one in self.columns if one.name == name)
            self.read[name] = [self._value(i, column, cell) for i, cell in enumerate(self.raw(name))]
        return self.read[name]

    def _value(self, index: int, column: TableColumn, cell: object) -> Any:
        numeric = column.parse is not cells.name
        if (numeric or column.side) and self.options.missing.holds(cell):
            return None
        try:
            return column.parse(with_point(cell) if numeric and self.decimal_comma else cell)
        except BadCellError as error:
            self.problem(index, column.name, str(error), cell)
            return None

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column as numbers, NaN where there is none."""
        if isinstance(self.table, Grid) or name in self.read or name not in self.titles:
            return np.array([np.nan if one is None else one for one in self.values(name)], dtype=np.float64)
        series = self.series(name)
        parse = next(one for one in self.columns if one.name == name).parse
        held = series.to_list() if series.dtype == bool else series
        missing = self.options.missing
        read = read_shares if parse is cells.grade else read_numbers
        values, bad, *forms = read(held, parse, decimal_comma=self.decimal_comma, missing=missing)
        self.notes |= dict.fromkeys(form_notes(f"{self.place}, column {self.titles[name]!r}", *forms))
        for i, expected in bad.items():
            self.problem(i, name, expected, series[i])
        return values

    def problem(
        self, index: int, name: str, expected: str, value: object = None, *, refused: bool = False
    ) -> None:
        """Note a cell that cannot be used, once; a duplicate refuses the table."""
        if (index, name) in self.bad:
            return
        self.refused |= refused
        self.bad.add((index, name))
        sheet = self.table.sheet if isinstance(self.table, Grid) else None
        title = self.titles.get(name, self.plain.get(name, name))
        title = self.shown.get(title, title)
        side = next((one.side for one in self.columns if one.name == name), "")
        part = "" if refused else side if side else "row"
        place = (self.table.name, sheet, self.row(index), title)
        self.problems.append(CellProblem(*place, value, expected, part))

    def rows(self) -> list[dict[str, Any]]:
        """Return every row by its plain titles; nothing where a cell is missing, or a declared code."""
        if not isinstance(self.table, Grid):
            raise TypeError("rows of a table of whole columns")
        held = {name: self.table.cells(self.table.header.index(title)) for name, title in self.plain.items()}
        none = [{i for i, cell in enumerate(column) if self.is_missing(cell)} for column in held.values()]
        return [
            {
                name: None if i in gone else column[i]
                for (name, column), gone in zip(held.items(), none, strict=True)
            }
            for i in range(len(self.table.rows))
        ]

    def is_missing(self, cell: object) -> bool:
        """Whether a cell holds nothing, or a code for nothing that was declared."""
        return cells.is_missing(cell) or self.options.missing.holds(cell)

    def by_meaning(self) -> list[dict[str, Any]]:
        """Return every row by what its cells hold, nothing where the table has no such column."""
        places = {name: plain_title(title) for name, title in self.titles.items()}
        names = [one.name for one in self.columns]
        return [{name: row.get(places[name]) if name in places else None for name in names}
                for row in self.rows()]  # fmt: skip

    def each(self, read: Callable[[int, T], Any], rows: Iterable[T]) -> list[Any]:
        """Read rows one by one; one with a cell that it cannot be read without is noted and left out."""
        found = []
        for index, row in enumerate(rows):
            try:
                found.append(read(index, row))
            except BadRowError as fault:
                self.problem(index, fault.column, str(fault), fault.value)
        return found

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """The file that was read."""
        return self.table.inputs

    def needed(self, index: int, names: Iterable[str]) -> bool:
        """Whether a row has a value in these columns; one that has none is noted."""
        lacking = [name for name in names if self.values(name)[index] is None]
        for name in lacking:
            self.problem(index, name, "a value")
        return not lacking

    def left_out(self) -> tuple[tuple[LeftOutCell, ...], tuple[str, ...]]:
        """Return the cells that are left out and what is told of them, or refuse the table."""
        # a row that lies below itself, once per model, is one row
        n = len({*self.table.rows}) if isinstance(self.table, Grid) else self.n_rows
        found = left_out_cells(self.problems, n, strict=self.options.strict or self.refused)
        return found, told_left_out(found, n)

    def unused(self, aside: Collection[str] = ()) -> tuple[str, ...]:
        """Name the columns that are not used; ``aside`` are plain titles of those that are used otherwise."""
        used = {*self.titles.values(), *(title for name, title in self.plain.items() if name in aside)}
        others = [title for title in self.table.header if title and title not in used]
        return (f"{self.place}: columns not used: {listed(others)}",) if others else ()


def _truth(cell: object) -> bool | None:
    if cells.is_missing(cell):
        return None
    found = cell if isinstance(cell, bool) else cells.FLAGS.get(str(cell).strip().casefold())
    if found is None:
        raise BadCellError("true or false")
    return found


def _as_count(cell: object) -> int | None:
    value = cells.whole(cell)
    return None if value is None else int(value)


_OF_TYPE: Mapping[type, Parse] = {bool: _truth, int: _as_count, float: cells.number, str: cells.name}


@dataclass(slots=True)
class RecordTable(Generic[T]):
    """Rows of a table as records of one kind, and the place of each."""

    table: DeclaredTable
    rows: tuple[T, ...]
    at: tuple[int, ...]
    warnings: tuple[str, ...] = ()
    left_out: tuple[LeftOutCell, ...] = ()

    def settle(self) -> "RecordTable[T]":
        """Count what is left out, or refuse the table."""
        self.left_out, told = self.table.left_out()
        self.warnings = (*told, *self.warnings)
        return self

    def cells(self, name: str) -> list[object]:
        """Return the cells of a column by its plain title, beside the records."""
        held = self.table.table
        whole = held.cells(held.header.index(self.table.plain[name])) if isinstance(held, Grid) else []
        return [whole[i] for i in self.at]

    def keep(self, fits: Sequence[bool]) -> None:
        """Keep the records that fit."""
        self.at = tuple(i for i, kept in zip(self.at, fits, strict=True) if kept)
        self.rows = tuple(row for row, kept in zip(self.rows, fits, strict=True) if kept)

    def refuse(self, column: str, fits: Callable[[T], bool], expected: str, *, refused: bool = False) -> None:
        """Leave out and note every record that does not fit; ``refused``: the table with it."""
        found = [fits(row) for row in self.rows]
        for index, row, fitting in zip(self.at, self.rows, found, strict=True):
            if not fitting:
                self.table.problem(index, column, expected, getattr(row, column), refused=refused)
        self.keep(found)


def read_records(
    source: TableSource | Grid,
    kind: type[T],
    options: TableOptions,
    names: Mapping[str, Sequence[str]] | None = None,
    *,
    also: Sequence[str] = (),
    answer: str = "answer",
) -> RecordTable[T]:
    """Read rows as records of a frozen class; ``also`` names columns that are used otherwise."""
    # The field ``answer`` is what a declared code for no answer can be in.
    grid = source if isinstance(source, Grid) else grid_of(source, options)
    held = {} if names is None else names
    columns = [
        TableColumn(
            name, tuple(held.get(name, ())), _OF_TYPE[plain], needed, answer if name == answer else ""
        )
        for name, (plain, _, needed) in field_kinds(cast("Hashable", kind)).items()
    ]
    table = DeclaredTable(grid, columns, options)
    required = [one.name for one in columns if one.required]
    values = {name: table.values(name) for name in table.titles}
    found = [i for i in range(table.n_rows) if table.needed(i, required)]
    bad = {i for i, _ in table.bad}
    kept = [i for i in found if i not in bad]
    rows = [kind(**{name: one[i] for name, one in values.items() if one[i] is not None}) for i in kept]
    used = {*table.titles.values(), *(title for name, title in table.plain.items() if name in also)}
    free = [title for title in grid.header if title and title not in used]
    unused = (f"{grid.place}: columns not used: {listed(free)}",) if free else ()
    return RecordTable(table, tuple(rows), tuple(kept), (*grid.warnings, *unused))


def table_of(
    source: TableSource | Grid, options: TableOptions, names: Mapping[str, Sequence[str]] | None = None
) -> DeclaredTable:
    """Open a table whose columns are called by a vocabulary, or are all kept as they are."""
    grid = source if isinstance(source, Grid) else grid_of(source, options)
    columns = [TableColumn(name, tuple(others)) for name, others in ({} if names is None else names).items()]
    return DeclaredTable(grid, columns, options)


@dataclass(slots=True)
class DeclaredRows:
    """Rows as objects, from whatever file or from memory, each with its line; their fields may be nested."""

    rows: Sequence[tuple[int | None, object]]
    file: InputFile
    problems: Problems

    def each(self, what: str, read: Callable[[object, int | None], T | None]) -> Iterator[T]:
        """Read rows one by one; one that cannot be used is noted and left out."""
        for number, (line, row) in enumerate(self.rows, 1):
            made = None
            with self.problems.at(line, f"{what} {number}"):
                made = read(row, line)
            if made is not None:
                yield made

    def require(
        self,
        needed: Sequence[str],
        names: Mapping[str, Sequence[str]],
        held: Sequence[object],
        also: str = "",
    ) -> None:
        """Refuse a file of which no row has a field that all need: one message instead of one per row."""
        if not held or not all(isinstance(row, Mapping) for row in held):
            return
        for own in needed:
            if not any(own in row for row in held if isinstance(row, Mapping)):
                found = listed(list(fields_of(self.rows[0][1])))
                other = f"{own!r} may also be called {', '.join(names[own][1:])}"
                raise FileFormatError(
                    f"{self.file.name}: no row has {own!r}; fields found: {found}; {other}{also}"
                )


def named_fields(row: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a row whose fields are called as they are declared; what is called so already stays."""
    titles = {plain_title(str(title)): title for title in reversed([*row])}
    found = {own: [titles[name] for name in others if name in titles] for own, others in names.items()}
    return {**row, **{own: row[held[0]] for own, held in found.items() if held and own not in row}}


def read_rows(source: object, what: str, parts: Mapping[str, Parse] | None = None) -> DeclaredRows:
    """Read rows as objects: JSON, JSON lines, any table or log, a document or its rows in memory, a frame.

    ``what`` names the rows, and the list that holds them in a document; ``parts`` says how cells of a table
    that are no text are read.
    """
    if not isinstance(source, str | os.PathLike):
        held = source.get(what) if isinstance(source, Mapping) else records_of(source)
        if not isinstance(held, Sequence):
            raise FileFormatError(f"{what}: got {shown(held)}, expected a list of {what}")
        file = fingerprint_rows(f"{what} (in memory)", held)
        return DeclaredRows(PickedRows(held, lambda row: (None, row)), file, Problems(file.name))
    path = Path(source)
    data, suffix = read_bytes(path), path.suffix.casefold()
    found = DeclaredRows([], fingerprint(path.name, data), Problems(path.name))
    plain = plain_utf8(data)
    is_json = plain.lstrip()[:1] in (b"{", b"[") or KINDS.get(suffix, "json") == "json"
    first = object_of(plain.partition(b"\n")[0].decode("utf-8", "replace")) if suffix in LINES else None
    is_samples = first is not None and is_lm_eval(first)
    if not is_json or is_samples or (suffix == ".json" and read_json_log(path) is not None):
        found.rows = _cells_of_rows(grid_of(path, TableOptions()), {} if parts is None else parts)
    elif suffix in LINES or _is_line_of_many(plain):
        found.rows = line_objects(plain, found.problems)
    else:
        text = decoded(path.name, data)
        document = parsed(path.name, text)
        rows = document.get(what) if isinstance(document, dict) else document
        if not isinstance(rows, list):
            raise FileFormatError(f'{path.name}: expected {{"{what}": [...]}}, found {shown(document)}')
        found.rows = list(zip(_element_lines(text, what, len(rows)), rows, strict=True))
    if not found.rows and not found.problems.found:
        empty = f"holds no {what}" if plain.strip() else "the file is empty"
        raise FileFormatError(f"{path.name}: {empty}; expected at least one of the {what}")
    return found


def _cells_of_rows(grid: Grid, parts: Mapping[str, Parse]) -> list[tuple[int | None, object]]:
    """Return the rows of a table as objects without empty cells: text, but for cells that hold several.

    An empty cell of the column of replies stays: the model was asked and said nothing, as in JSON.
    """
    titles = [(title.strip().casefold(), title) for title in grid.header]
    columns = [grid.cells(j) for j in range(len(titles))]
    filled = [plain for (plain, _), cells in zip(titles, columns, strict=True) if any(cells)]
    said = next((name for name in TEXT_NAMES if name in filled), None)
    rows: list[tuple[int | None, object]] = []
    for i, line in enumerate(grid.rows):
        row: dict[str, Any] = {}
        for (plain, title), column in zip(titles, columns, strict=True):
            cell = column[i]
            if title and cell is not None and (cell != "" or plain == said):
                row[title] = parts[plain](cell) if plain in parts else _as_written(cell)
        rows.append((int(line), row))
    return rows


def _as_written(cell: object) -> object:
    """Return a cell as text; lists and objects, which files of columns can hold, as they are."""
    return cell if isinstance(cell, str | list | dict) else cells.as_text(cell)


def _is_line_of_many(data: bytes) -> bool:
    """Whether the first line of several is a whole JSON object."""
    first, _, rest = data.strip().partition(b"\n")
    try:
        return bool(rest) and isinstance(parsed_line(first), dict)
    except UnusableError:
        return False


# possessive: a way back through every character of a long text would take a thousand bytes for each
_JSON_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]]', re.DOTALL)


def _element_lines(text: str, key: str, count: int) -> list[int | None]:
    """Lines where the elements of a list in valid JSON start; none where several are on one line."""
    depth, name, wanted, lines = 0, "", 0, list[int | None]()
    position, line = 0, 1
    for part in _JSON_PART.finditer(text):
        token = part.group()
        if token in "{[":
            depth += 1
            if token == "[" and (depth == 1 or (depth == 2 and name == key)):
                wanted, lines = depth, []
            elif wanted and depth == wanted + 1:
                line += text.count("\n", position, part.start())
                position = part.start()
                lines.append(line)
        elif token in "}]":
            wanted = 0 if depth == wanted else wanted
            depth -= 1
        elif depth == 1:
            name = token[1:-1]
    return lines if len(set(lines)) == count else [None] * count


def _lacking_words(lacking: Sequence[TableColumn]) -> str:
    """Say which columns a table lacks, and what they may be called."""
    if len(lacking) == 1 and lacking[0].what:
        one = lacking[0]
        names = dict.fromkeys((one.name, *one.others))
        return f"no column of {one.what}, expected one of {', '.join(names)}"
    also = "".join(
        f"; {one.name!r} may be called {', '.join(name for name in one.others if name != one.name)}"
        for one in lacking
        if one.others
    )
    return f"columns are missing: {', '.join(repr(one.name) for one in lacking)}{also}"
