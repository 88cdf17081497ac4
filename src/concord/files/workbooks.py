"""XLSX workbooks, read once for every command: guarded against archives that are not what they seem.

Two ways lead to a sheet. Cell by cell, from its XML (`Workbook.grid`): every cell has its row and column, and
faults, dates and formulas without a result are seen. In whole columns, by the fast engine (`Workbook.fast`):
for large workbooks of numbers, and only where the XML is written as spreadsheet programs write it.
"""

import logging
import math
import posixpath
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from concord.errors import NAMES_SHOWN, FileFormatError, listed
from concord.files import limits
from concord.files.grids import Grid, from_records, rows_in_words
from concord.files.sheet_xml import (
    BROKEN_XML,
    CellRows,
    Handler,
    Strings,
    Styles,
    damaged,
    is_plain,
    letters_behind,
    local,
    unpack_workbook,
    used_area,
)
from concord.files.text import DateCell

if TYPE_CHECKING:
    import polars as pl

ZIP_MAGIC = b"PK\x03\x04"
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
UNNAMED = "__UNNAMED__"
"""What the engine calls columns without a header."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_OTHER_KINDS = ("xl/workbook.bin", "content.xml")
"""Members of other kinds of workbooks, which the engine would try where it cannot read this one."""


class _Links(Handler):
    """Sheet names, whether each is hidden, relationship targets, and where the count of days begins."""

    most_elements = limits.XML_PARTS

    def __init__(self) -> None:
        self.sheets: dict[str, tuple[str, bool]] = {}
        self.targets: dict[str, str] = {}
        self.from_1904 = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Note a sheet or a relationship."""
        part = local(name)
        if part == "sheet":
            if len(self.sheets) >= limits.SHEETS:
                raise FileFormatError(f"more than {limits.SHEETS:,} sheets")
            ids = [value for key, value in attributes.items() if local(key) == "id"]
            hidden = attributes.get("state", "visible") != "visible"
            self.sheets[attributes.get("name", "")] = (ids[0] if ids else "", hidden)
        elif part == "Relationship":
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")
        elif part == "workbookPr":
            self.from_1904 = attributes.get("date1904", "0").lower() in ("1", "true")


@dataclass(slots=True, eq=False)
class Workbook:
    """An open workbook: sheet names, and each sheet as a grid."""

    name: str
    members: dict[str, bytes]
    """Unpacked members by lower-case name."""
    sheets: dict[str, str]
    """Sheets with cells and the member that holds them, in their order."""
    hidden: frozenset[str]
    """Sheets that are not shown."""
    epoch: datetime
    data: bytes
    _strings: list[str] | None = None
    _dates: set[str] | None = None
    _engine: Any = None
    _fit: bool | None = None
    _longest: int = field(default=-1)

    def grid(self, sheet: str) -> Grid:
        """Read a sheet cell by cell."""
        rows, hidden = self.records(sheet)
        grid = from_records(self.name, sheet, rows, typed=True)
        return replace(grid, warnings=(*grid.warnings, *_hidden_note(grid, hidden), *_date_notes(grid)))

    def records(self, sheet: str) -> tuple[list[tuple[int, Sequence[object]]], list[int]]:
        """Return the rows of a sheet, and which of them are hidden."""
        handler = CellRows((self.name, sheet), self._shared_strings(), self._date_styles(), self.epoch)
        try:
            handler.parse(self.members[self.sheets[sheet]])
        except BROKEN_XML as error:
            raise FileFormatError(damaged(self.name, f"sheet {sheet!r}: {error}")) from error
        except FileFormatError as error:
            if str(error).startswith(self.name):
                raise
            raise FileFormatError(
                f"{self.name}, sheet {sheet!r}: {error}; save it again, a large table as CSV"
            ) from error
        rows = sorted(handler.rows, key=lambda record: record[0])
        _once_each(self.name, sheet, rows)
        return rows, handler.hidden

    def fast(self, sheet: str, wanted: Callable[[str], bool]) -> Grid | None:
        """Read a sheet in whole columns; ``None`` where it must be read cell by cell."""
        # Of the columns that are not ``wanted`` only the first and those without a name are read; where that
        # is not enough the grid's ``careful`` reads them all.
        import fastexcel

        if not self._is_fit_for_engine(sheet):
            return None
        try:
            if self._engine is None:
                self._engine = fastexcel.read_excel(self.data)
            columns = _Columns(wanted)
            loaded = self._engine.load_sheet(sheet, schema_sample_rows=None, use_columns=columns.take)
            frame: pl.DataFrame = loaded.to_polars()
        except fastexcel.FastExcelError:
            return None  # the careful way names what is broken
        if not columns.any_wanted or _renamed(columns.names):
            return None
        if any(column.dtype.is_temporal() for column in frame.get_columns()):
            return None
        header = tuple("" if name.startswith(UNNAMED) else name.strip() for name in frame.columns)
        rows = range(2, frame.height + 2)
        return Grid(
            self.name, sheet, header, rows, tuple(frame.get_columns()), typed=True,
            careful=partial(self.grid, sheet), hidden=partial(self._hides_cells, sheet),
        )  # fmt: skip

    def _is_fit_for_engine(self, sheet: str) -> bool:
        """Tell whether the engine may have the file: it holds whole areas and a copy of each text."""
        if self._fit is None:
            # every sheet is looked at, so that it does not matter which the engine takes for this one
            self._fit = not any(path in self.members for path in _OTHER_KINDS) and all(
                is_plain(xml) and math.prod(used_area(xml)) <= limits.ENGINE_CELLS
                for xml in self.members.values()
                if b"sheetData" in xml
            )
        xml = self.members[self.sheets[sheet]]
        if not self._fit or b'hidden="' in xml or b"hidden='" in xml:
            return False
        texts = xml.count(b't="s"') + xml.count(b"t='s'")
        return texts * self._longest_string() <= limits.TEXT_BYTES

    def _longest_string(self) -> int:
        """Return the bytes of the longest shared string, or more."""
        if self._longest < 0:
            xml = self.members.get("xl/sharedstrings.xml", b"")
            self._longest = max(map(len, xml.split(b"si>")), default=0)
        return self._longest

    def _hides_cells(self, sheet: str, empty: bool) -> bool:
        """Tell whether a number may be a truth value, or an empty cell a formula or an error."""
        xml = self.members[self.sheets[sheet]]
        kinds = letters_behind(xml, "t")[0]
        if (kinds == ord("b")).any():
            return True
        return empty and (bool((kinds == ord("e")).any()) or b"<f" in xml or b":f" in xml)

    def _shared_strings(self) -> list[str]:
        if self._strings is None:
            handler = Strings()
            self._parse(handler, "xl/sharedstrings.xml")
            self._strings = handler.strings
        return self._strings

    def _date_styles(self) -> set[str]:
        if self._dates is None:
            handler = Styles()
            self._parse(handler, "xl/styles.xml")
            self._dates = handler.dates
        return self._dates

    def _parse(self, handler: Handler, path: str) -> None:
        if path in self.members:
            parse_member(handler, self.name, self.members[path])


def parse_member(handler: Handler, name: str, xml: bytes) -> None:
    """Parse a member that is no sheet, naming the file where it is broken."""
    try:
        handler.parse(xml)
    except BROKEN_XML as error:
        raise FileFormatError(damaged(name, str(error))) from error
    except FileFormatError as error:
        raise FileFormatError(f"{name}: {error}; save the workbook again") from error


def _once_each(name: str, sheet: str, rows: Sequence[tuple[int, Sequence[object]]]) -> None:
    """Refuse a row that is in a sheet twice: no spreadsheet program writes one."""
    for (row, _), (following, _) in zip(rows, rows[1:], strict=False):
        if row == following:
            raise FileFormatError(damaged(name, f"sheet {sheet!r} holds row {row} twice"))


def _hidden_note(grid: Grid, hidden: Sequence[int]) -> tuple[str, ...]:
    """Word the warning about rows that are hidden or filtered away, and are read all the same."""
    used = sorted(set(hidden) & set(grid.rows))
    if not used:
        return ()
    return (
        f"{grid.place}: {len(used)} of {len(grid.rows)} rows are hidden or filtered ({rows_in_words(used)}); "
        "they are read like the others: delete them if they should not count",
    )


def _date_notes(grid: Grid) -> list[str]:
    """Word the warnings about cells that a spreadsheet program turned into dates."""
    notes = []
    for j, title in enumerate(grid.header):
        rows = [
            row for row, cell in zip(grid.rows, grid.columns[j], strict=True) if isinstance(cell, DateCell)
        ]
        if rows:
            notes.append(
                f"{grid.place}, {rows_in_words(rows)}, column {title!r}: dates; a spreadsheet program turns "
                "names such as 1-2 into dates: format the column as text and type them again"
            )
    return notes


def open_workbook(data: bytes, name: str) -> Workbook:
    """Open a workbook from its bytes."""
    _check_kind(data, name)
    members = unpack_workbook(name, data)
    links = _Links()
    for path in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
        if path in members:
            parse_member(links, name, members[path])
    sheets: dict[str, str] = {}
    for title, (key, _) in links.sheets.items():
        path = posixpath.normpath(posixpath.join("/xl", links.targets.get(key, ""))).lstrip("/").lower()
        if path.startswith("xl/worksheets/") and path in members:  # charts have sheets of their own
            if path in sheets.values():  # each would be read again, however large it is
                raise FileFormatError(damaged(name, f"two sheets are the same member {path!r}"))
            sheets[title] = path
    if not sheets:
        raise FileFormatError(f"{name}: the workbook has no sheet with cells; save it again")
    hidden = frozenset(title for title, (_, is_hidden) in links.sheets.items() if is_hidden)
    epoch = datetime(1904, 1, 1) if links.from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - as shown
    return Workbook(name, members, sheets, hidden, epoch, data)


def _check_kind(data: bytes, name: str) -> None:
    """Refuse what is not a zip archive, saying what it is."""
    if data.startswith(ZIP_MAGIC):
        return
    if data.startswith(OLE_MAGIC):
        if _ENCRYPTED in data:
            raise FileFormatError(f"{name}: the workbook is password-protected; save it without a password")
        raise FileFormatError(f"{name}: an old .xls workbook under another name; save it as .xlsx")
    if data.startswith(b"PK"):
        raise FileFormatError(damaged(name, "an empty or broken archive"))
    raise FileFormatError(
        f"{name}: found text or something else (it starts with {data[:8]!r}), expected an XLSX workbook by "
        "the extension; give it the extension of its content (.csv for text), or save it as .xlsx"
    )


def read_workbook(name: str, data: bytes, sheet: str | None) -> Grid:
    """Read one sheet of an XLSX workbook, cell by cell."""
    book = open_workbook(data, name)
    chosen, notes = choose_sheet(book, sheet)
    grid = book.grid(chosen)
    return replace(grid, warnings=(*notes, *grid.warnings))


def choose_sheet(book: Workbook, sheet: str | None) -> tuple[str, tuple[str, ...]]:
    """Choose a sheet, and say so where nobody did and the workbook holds more."""
    chosen = _choose(book, sheet)
    if sheet is not None or len(book.sheets) == 1:
        return chosen, ()
    others = [f"{title!r} (hidden)" if title in book.hidden else repr(title)
              for title in book.sheets if title != chosen]  # fmt: skip
    more = f" and {len(others) - NAMES_SHOWN} more" if len(others) > NAMES_SHOWN else ""
    named = ", ".join(others[:NAMES_SHOWN]) + more
    return chosen, (f"{book.name}: read the first sheet, {chosen!r}; the workbook also holds {named}",)


def _choose(book: Workbook, sheet: str | None) -> str:
    """Choose the sheet that was asked for, or the first that is shown."""
    if sheet is None:
        shown = (title for title in book.sheets if title not in book.hidden)
        return next(shown, next(iter(book.sheets)))
    if sheet not in book.sheets:
        found = listed(list(book.sheets))
        raise FileFormatError(f"{book.name}: there is no sheet {sheet!r}; the workbook has {found}")
    return sheet


class _Columns:
    """Chooses columns while the engine walks through them, and keeps every name it sees."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self.wanted = wanted
        self.seen: dict[int, str] = {}
        self.any_wanted = False
        self._first: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, in the order of the columns; empty where there is none."""
        return tuple(self.seen[index] for index in sorted(self.seen))

    def take(self, column: Any) -> bool:
        """Tell the engine whether to read a column."""
        unnamed = column.name.startswith(UNNAMED)
        self.seen[column.index] = "" if unnamed else column.name.strip()
        if unnamed:
            return True
        if self.wanted(column.name):
            self.any_wanted = True
            return True
        if self._first is None:
            self._first = column.index
        return bool(column.index == self._first)


def _renamed(header: tuple[str, ...]) -> bool:
    """Tell whether the engine may have renamed a duplicate column (``x`` twice becomes ``x``, ``x_1``)."""
    names = set(header)
    if len(names) < sum(name != "" for name in header) + ("" in names):
        return True
    parts = (name.rpartition("_") for name in names)
    return any(number.isdigit() and base in names for base, _, number in parts if base)


@contextmanager
def quiet_engine() -> Iterator[None]:
    """Keep the engine's remarks about column types off the screen: types are checked here."""
    loggers = [logging.getLogger(name) for name in ("fastexcel", "calamine")]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
