"""Sheets cell by cell, from the workbook's own XML: rows as shown, text, errors, formulas without a value.

The fast engine gives typed columns and shows an error, or a formula whose value was never stored, as an empty
cell. A sheet in which that matters is read again here.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from concord.errors import FileFormatError
from concord.readers.structure_grid import Grid
from concord.readers.structure_values import Empty

_CELL = re.compile(r"([A-Z]+)(\d+)")
_REFERENCE = re.compile(rb"""\sr=["']([A-Z]{0,3})([0-9]{1,7})["']""")
MAX_AREA = 20_000_000
"""Engines hold the whole used area of a sheet, however few cells are filled; larger ones are refused."""


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
            self._column, self._row = _column_number(match[1]), int(match[2])

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
        kinds = _letters_behind(self._sheet(sheet), b"t=")[0]
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
        xml = self._sheet(sheet)
        if not _may_be_vast(xml):
            return
        rows, columns = 1, 1
        for match in _REFERENCE.finditer(xml):
            rows, columns = max(rows, int(match[2])), max(columns, _column_number(match[1].decode()))
        if rows * columns > MAX_AREA:
            raise FileFormatError(
                f"{self.file}, sheet {sheet!r}: cells as far out as row {rows} and column {columns}; "
                "delete stray cells outside the table"
            )

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
        """Give the XML of one sheet; a chart has none."""
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
        """Give the content of one member."""
        try:
            return self.members[path.lower()]
        except KeyError as error:
            raise FileFormatError(f"{self.file}: damaged (no {path}); save the workbook again") from error


def _column_number(letters: str) -> int:
    """Turn column letters into a number: A is 1, AA is 27."""
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return column


def _letters_behind(xml: bytes, name: bytes, count: int = 1) -> list[NDArray[np.uint8]]:
    """Give the first characters of every value of an attribute (its name with the equals sign, two bytes)."""
    if len(xml) < 2:
        return [np.empty(0, dtype=np.uint8)] * count
    code = int.from_bytes(name, "little")
    codes = np.frombuffer(xml, dtype=np.uint8)
    starts = [
        2 * np.flatnonzero(np.frombuffer(xml, dtype="<u2", offset=k, count=(len(xml) - k) // 2) == code) + k
        for k in (0, 1)
    ]
    behind_quote = np.concatenate(starts) + len(name) + 1
    return [codes[np.minimum(behind_quote + k, len(xml) - 1)] for k in range(count)]


def _may_be_vast(xml: bytes) -> bool:
    """Tell whether any reference goes beyond column Z or row 99999; below that no area is vast."""
    letters = _letters_behind(xml, b"r=", 6)
    capital = [(letter >= ord("A")) & (letter <= ord("Z")) for letter in letters[:2]]
    digit = [(letter >= ord("0")) & (letter <= ord("9")) for letter in letters[1:]]
    return bool(((capital[0] & capital[1]) | np.logical_and.reduce(digit)).any())


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
