"""Sheets cell by cell, from the workbook's own XML: rows as shown, text, errors, formulas without a value.

The fast engine gives typed columns and shows an error, or a formula whose value was never stored, as an empty
cell. A sheet in which that matters is read again here.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.parsers import expat

from concord.errors import FileFormatError
from concord.files.archives import check_area, column_number, letters_behind
from concord.structure.read.grid import Grid
from concord.structure.read.values import Empty

_CELL = re.compile(r"([A-Z]+)(\d+)")


def _local(name: str) -> str:
    """Drop the namespace prefix of an element."""
    return name.rpartition(":")[2]


class _Handler:
    """Base of the small parsers below: doctypes are refused, so no entity can expand."""

    def parse(self, data: bytes) -> None:
        """Feed a document to the handlers of this object."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.Parse(data, True)

    def _doctype(self, *_: object) -> None:
        raise FileFormatError("a document type declaration has no place in a workbook")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open an element."""

    def end(self, name: str) -> None:
        """Close an element."""

    def text(self, data: str) -> None:
        """Take character data."""


class _Links(_Handler):
    """Sheet names and relationship targets."""

    def __init__(self) -> None:
        self.sheets: dict[str, str] = {}
        self.targets: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Note a sheet or a relationship."""
        local = _local(name)
        if local == "sheet":
            ids = [value for key, value in attributes.items() if _local(key) == "id"]
            self.sheets[attributes.get("name", "")] = ids[0] if ids else ""
        elif local == "Relationship":
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")


class _Strings(_Handler):
    """The shared strings, phonetic readings left out."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._parts: list[str] = []
        self._in_text = self._in_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open a string, a run or its phonetic reading."""
        local = _local(name)
        if local == "si":
            self._parts = []
        elif local == "rPh":
            self._in_phonetic = True
        elif local == "t":
            self._in_text = not self._in_phonetic

    def end(self, name: str) -> None:
        """Close what was opened."""
        local = _local(name)
        if local == "si":
            self.strings.append("".join(self._parts))
        elif local == "rPh":
            self._in_phonetic = False
        elif local == "t":
            self._in_text = False

    def text(self, data: str) -> None:
        """Collect the text of a string."""
        if self._in_text:
            self._parts.append(data)


class _Cells(_Handler):
    """Every cell of a sheet that holds something, by row and column."""

    def __init__(self, strings: list[str]) -> None:
        self.cells: dict[tuple[int, int], object] = {}
        self._strings = strings
        self._row = self._column = 0
        self._kind = ""
        self._formula = self._in_value = self._in_phonetic = False
        self._parts: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open a row, a cell or its value."""
        local = _local(name)
        if local == "c":
            self._place(attributes.get("r"))
            self._kind, self._formula, self._parts = attributes.get("t", "n"), False, []
        elif local == "row":
            self._row, self._column = int(attributes.get("r", self._row + 1)), 0
        elif local == "f":
            self._formula = True
        elif local == "rPh":
            self._in_phonetic = True
        elif local in {"v", "t"}:
            self._in_value = not self._in_phonetic

    def end(self, name: str) -> None:
        """Close a cell or its value."""
        local = _local(name)
        if local == "c":
            value = self._value("".join(self._parts))
            if value is not None:
                self.cells[self._row, self._column] = value
        elif local == "rPh":
            self._in_phonetic = False
        elif local in {"v", "t"}:
            self._in_value = False

    def text(self, data: str) -> None:
        """Collect the value of a cell."""
        if self._in_value:
            self._parts.append(data)

    def _place(self, reference: str | None) -> None:
        """Move to the cell that is opened; a reference may be left out."""
        self._column += 1
        match = _CELL.fullmatch(reference) if reference else None
        if match is not None:
            self._column, self._row = column_number(match[1]), int(match[2])

    def _value(self, text: str) -> object:
        """Turn a cell's text into what it holds; ``None`` is an empty cell."""
        if text == "":
            return Empty.FORMULA if self._formula else None
        if self._kind == "s":
            return self._strings[int(text)]
        if self._kind == "n":
            return float(text)
        return {"1": "TRUE", "0": "FALSE"}.get(text, text) if self._kind == "b" else text


@dataclass(slots=True, eq=False)
class SheetXml:
    """The XML of a workbook, parsed only when a sheet has to be read cell by cell."""

    members: Mapping[str, bytes]
    """Unpacked members by lower-case name."""
    file: str
    _strings: list[str] | None = None
    _paths: dict[str, str] | None = None

    def hides_cells(self, sheet: str, empty: bool) -> bool:
        """Tell whether a number may be a truth value, or an empty cell a formula or an error."""
        kinds = letters_behind(self._sheet(sheet), b"t=")[0]
        if (kinds == ord("b")).any():
            return True
        xml = self._sheet(sheet)
        return empty and (bool((kinds == ord("e")).any()) or b"<f" in xml or b":f>" in xml)

    def check_area(self, sheet: str) -> None:
        """Refuse a sheet whose few cells lie so far apart that its area would fill the memory.

        Raises
        ------
        FileFormatError
            The used area is too large.
        """
        check_area(self.file, sheet, self._sheet(sheet))

    def grid(self, sheet: str) -> Grid:
        """Read a sheet cell by cell.

        Raises
        ------
        FileFormatError
            The XML is broken.
        """
        try:
            handler = _Cells(self._shared_strings())
            handler.parse(self._sheet(sheet))
        except (expat.ExpatError, ValueError, IndexError, FileFormatError) as error:
            raise FileFormatError(
                f"{self.file}, sheet {sheet!r}: broken XML ({error}); save the workbook again"
            ) from error
        return _to_grid(self.file, sheet, handler.cells)

    def _sheet(self, sheet: str) -> bytes:
        """Return the XML of one sheet; a chart has none."""
        path = self._sheet_paths().get(sheet)
        return b"<none/>" if path is None else self._member(path)

    def _sheet_paths(self) -> dict[str, str]:
        """Find the member that holds each sheet."""
        if self._paths is None:
            links = _Links()
            try:
                for path in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
                    links.parse(self._member(path))
            except expat.ExpatError as error:
                raise FileFormatError(
                    f"{self.file}: broken XML ({error}); save the workbook again"
                ) from error
            self._paths = {
                name: posixpath.normpath(posixpath.join("/xl", links.targets[key])).lstrip("/")
                for name, key in links.sheets.items()
                if key in links.targets
            }
        return self._paths

    def _shared_strings(self) -> list[str]:
        """Read the shared strings once."""
        if self._strings is None:
            handler = _Strings()
            handler.parse(self.members.get("xl/sharedstrings.xml", b"<none/>"))
            self._strings = handler.strings
        return self._strings

    def _member(self, path: str) -> bytes:
        """Return the content of one member."""
        try:
            return self.members[path.lower()]
        except KeyError as error:
            raise FileFormatError(f"{self.file}: damaged (no {path}); save the workbook again") from error


def _to_grid(file: str, sheet: str, cells: dict[tuple[int, int], object]) -> Grid:
    """Lay cells out as a grid; the first row with anything in it is the header."""
    filled = {
        key: value for key, value in cells.items() if not (isinstance(value, str) and not value.strip())
    }
    if not filled:
        return Grid(file, sheet, (), (), (), True)
    top = min(row for row, _ in filled)
    rows = sorted({row for row, _ in filled} - {top})
    first, last = min(column for _, column in filled), max(column for _, column in filled)
    header = tuple(_header(filled.get((top, j))) for j in range(first, last + 1))
    columns = tuple([filled.get((row, j)) for row in rows] for j in range(first, last + 1))
    return Grid(file, sheet, header, columns, rows, True)


def _header(value: object) -> str:
    """Name a column."""
    if value is None or isinstance(value, Empty):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value).strip()
