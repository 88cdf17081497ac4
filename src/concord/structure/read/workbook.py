"""Workbooks of scores: guarded against bombs and broken files, read by the fast engine, sheet by sheet."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError
from concord.files.archives import damaged, unpack_workbook
from concord.structure.read.grid import Grid
from concord.structure.read.text import OLE_MAGIC, ZIP_MAGIC
from concord.structure.read.xml import SheetXml

if TYPE_CHECKING:
    import polars as pl

UNNAMED = "__UNNAMED__"
"""What the engine calls columns without a header."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


@dataclass(frozen=True, slots=True, eq=False)
class Workbook:
    """An open workbook: sheet names, and each sheet as a grid."""

    file: str
    sheet_names: tuple[str, ...]
    engine: Any
    xml: SheetXml

    def grid(self, sheet: str, *, wanted: Callable[[str], bool]) -> Grid:
        """Read one sheet with the fast engine.

        Of the columns that are not ``wanted`` only the first and those without a name are read; where that
        is not enough the grid's ``careful`` reads them all.

        Raises
        ------
        FileFormatError
            The sheet is damaged.
        """
        import fastexcel

        self.xml.check_area(sheet)
        try:
            columns = _Columns(wanted)
            loaded = self.engine.load_sheet(sheet, schema_sample_rows=None, use_columns=columns.take)
            frame: pl.DataFrame = loaded.to_polars()
        except fastexcel.FastExcelError as error:
            raise FileFormatError(damaged(self.file, f"sheet {sheet!r}: {_first_line(error)}")) from error
        header = tuple("" if name.startswith(UNNAMED) else name.strip() for name in frame.columns)
        careful = partial(self.xml.grid, sheet)
        if not columns.any_wanted or _renamed(columns.names):
            return careful()
        rows = range(2, frame.height + 2)
        hidden = partial(self.xml.hides_cells, sheet)
        return Grid(self.file, sheet, header, tuple(frame.get_columns()), rows, True, careful, hidden)


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


def open_workbook(data: bytes, name: str) -> Workbook:
    """Open a workbook from its bytes.

    Raises
    ------
    FileFormatError
        Not a workbook, damaged, password-protected, or a bomb.
    """
    import fastexcel

    _check_kind(data, name)
    members = unpack_workbook(name, data)
    try:
        engine = fastexcel.read_excel(data)
    except fastexcel.FastExcelError as error:
        raise FileFormatError(damaged(name, _first_line(error))) from error
    return Workbook(name, tuple(engine.sheet_names), engine, SheetXml(members, name))


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
        f"{name}: not a workbook but text or something else (it starts with {data[:8]!r}); "
        "give it its real ending (.csv for text), or save it as .xlsx"
    )


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


def _first_line(error: Exception) -> str:
    """Keep the first line of an engine's message."""
    return str(error).split("\n", 1)[0]
