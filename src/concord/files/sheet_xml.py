"""Sheets cell by cell, from the workbook's own XML: rows, text, errors, dates, formulas without a value.

The parser holds one row at a time above what it keeps; document types are refused, so no entity can expand.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from io import BytesIO
from typing import ClassVar
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from concord.errors import FileFormatError
from concord.files import limits
from concord.files.gate import bomb, check_archive, check_area
from concord.files.text import DateCell, ErrorCell, FormulaCell

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    OSError,
    ValueError,
    EOFError,
    IndexError,
    KeyError,
    OverflowError,
)
"""What the standard library raises on archives with flipped bits."""
# Attributes may be in either kind of quotes.
_REFERENCE = re.compile(rb"""\sr=["']([A-Za-z]*)([0-9]*)""")


def unpack_workbook(name: str, data: bytes) -> dict[str, bytes]:
    """Unpack the XML of a workbook, after checking every declared and every true size."""
    members: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_declared(name, entries, len(data))
            for entry in entries:
                path = entry.filename.replace("\\", "/").lower().lstrip("/")
                if path in members:
                    raise zipfile.BadZipFile(f"the member {path!r} is in it twice")
                members[path] = _member(name, data, entry)
    except BROKEN as error:
        raise FileFormatError(damaged(name, str(error))) from error
    if "xl/workbook.xml" not in members:
        raise FileFormatError(f"{name}: a zip archive, but not an .xlsx workbook; save it as .xlsx")
    return members


def damaged(name: str, detail: str) -> str:
    """Say that a workbook cannot be read."""
    return f"{name}: the workbook is damaged ({detail}); open it in a spreadsheet program and save it again"


def _check_declared(name: str, entries: list[zipfile.ZipInfo], packed: int) -> None:
    """Refuse encrypted members, and sizes that no honest workbook declares."""
    if any(entry.flag_bits & 1 for entry in entries):
        raise FileFormatError(f"{name}: the workbook is password-protected; save it without a password")
    check_archive(name, len(entries), packed, sum(entry.file_size for entry in entries))


def _member(name: str, data: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Unpack one member: one that holds more than it declares is a lie."""
    content = inflate(data, entry)
    if len(content) > entry.file_size:
        found = f"{entry.filename} holds more than the {entry.file_size:,} bytes it declares"
        raise FileFormatError(bomb(name, found))
    if len(content) < entry.file_size:
        raise zipfile.BadZipFile(f"{entry.filename} ends early")
    return content if entry.filename.lower().endswith((".xml", ".rels")) else b""


def inflate(data: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Unpack one member, to one byte above its declared size at most."""
    start = entry.header_offset
    name_size = int.from_bytes(data[start + 26 : start + 28], "little")
    extra_size = int.from_bytes(data[start + 28 : start + 30], "little")
    begin = start + 30 + name_size + extra_size
    packed = data[begin : begin + entry.compress_size]
    if entry.compress_type == zipfile.ZIP_STORED:
        return packed
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        raise zipfile.BadZipFile(f"member {entry.filename!r} is packed in an unknown way")
    return zlib.decompressobj(-15).decompress(packed, entry.file_size + 1)


def is_plain(xml: bytes) -> bool:
    """Tell whether a sheet is written as spreadsheet programs write it, so that a look at it suffices."""
    # They write no comments, doctypes, character references or UTF-16, and no blanks around an equals sign.
    if b"\0" in xml or (b"!" in xml and b"<!" in xml) or (b"#" in xml and b"&#" in xml) or not _is_utf8(xml):
        return False
    codes = np.frombuffer(xml, dtype=np.uint8)
    equals = np.flatnonzero(codes == ord("="))
    around = (codes[np.maximum(equals - 1, 0)], codes[np.minimum(equals + 1, len(xml) - 1)])
    return not any(bool((side <= ord(" ")).any()) for side in around)


def _is_utf8(xml: bytes) -> bool:
    start = xml[:200].lower()
    return b"encoding" not in start.split(b"?>")[0] or b"utf-8" in start


def used_area(xml: bytes) -> tuple[int, int]:
    """Return the last row and column that a plain sheet names; at least 99,999 and 26 where it is small."""
    if not _may_be_vast(xml):
        return 99_999, 26
    rows, columns = 1, 1
    for match in _REFERENCE.finditer(xml):
        row, letters = match[2][:9], match[1][:4].upper()
        rows = max(rows, int(row) if row else 1)
        columns = max(columns, column_number(letters.decode()))
    return rows, columns


@lru_cache(maxsize=limits.COLUMNS)
def column_number(letters: str) -> int:
    """Turn column letters into a number."""
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return column


def letters_behind(xml: bytes, letter: str, count: int = 1) -> list[NDArray[np.uint8]]:
    """Return the first characters of every value of the attribute that is called by one letter."""
    codes = np.frombuffer(xml, dtype=np.uint8)
    equals = np.flatnonzero(codes == ord("="))
    equals = equals[codes[np.maximum(equals - 1, 0)] == ord(letter)]
    equals = equals[codes[np.maximum(equals - 2, 0)] <= ord(" ")]
    return [codes[np.minimum(equals + 2 + k, len(xml) - 1)] for k in range(count)]


def _may_be_vast(xml: bytes) -> bool:
    """Tell whether any reference goes beyond column Z or row 99999; below that no area is vast."""
    letters = letters_behind(xml, "r", 6)
    capital = [(letter | 32 >= ord("a")) & (letter | 32 <= ord("z")) for letter in letters[:2]]
    digit = [(letter >= ord("0")) & (letter <= ord("9")) for letter in letters[1:]]
    return bool(((capital[0] & capital[1]) | np.logical_and.reduce(digit)).any())


_CELL = re.compile(r"([A-Za-z]{1,3})(\d{1,7})")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATES = frozenset({*range(14, 23), *range(27, 37), 45, 46, 47, *range(50, 59)})
"""Number formats that every spreadsheet program has built in and that show dates or times."""
_NOT_A_DATE = re.compile(r'"[^"]*"|\\.|\[(?![hms]+\])[^\]]*+(?:\]|\Z)|General|E\+|e\+', re.IGNORECASE)
_FIRST = {letter: place for place, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ", start=1)}
"""Columns of one letter, in which most cells are."""
BROKEN_XML = (expat.ExpatError, ValueError, IndexError, LookupError, OverflowError)


def local(name: str) -> str:
    """Drop the namespace prefix of an element or an attribute."""
    return name.rpartition(":")[2]


class Handler:
    """Base of the small parsers: doctypes are refused, elements are counted before anything is parsed."""

    most_elements: ClassVar[int] = limits.XML_ELEMENTS

    def parse(self, data: bytes) -> None:
        """Feed a document to the handlers of this object."""
        if data.count(b"<") - data.count(b"</") > self.most_elements:
            raise FileFormatError(f"more than {self.most_elements:,} elements, of which a cell has two")
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.StartDoctypeDeclHandler = _doctype
        parser.Parse(data, True)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open an element."""

    def end(self, name: str) -> None:
        """Close an element."""

    def text(self, data: str) -> None:
        """Take character data."""


def _doctype(*_: object) -> None:
    raise FileFormatError("it defines XML entities, which no spreadsheet program does")


class Strings(Handler):
    """The shared strings, phonetic readings left out."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._parts: list[str] = []
        self._in_text = self._in_phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open a string, a run or its phonetic reading."""
        part = local(name)
        if part == "si":
            self._parts = []
        elif part == "rPh":
            self._in_phonetic = True
        elif part == "t":
            self._in_text = not self._in_phonetic

    def end(self, name: str) -> None:
        """Close what was opened."""
        part = local(name)
        if part == "si":
            self.strings.append(checked("".join(self._parts)))
        elif part == "rPh":
            self._in_phonetic = False
        elif part == "t":
            self._in_text = False

    def text(self, data: str) -> None:
        """Collect the text of a string."""
        if self._in_text:
            self._parts.append(data)


def checked(text: str) -> str:
    """Refuse a cell that no spreadsheet program can hold."""
    if len(text) > limits.SHEET_CELL_CHARACTERS:
        raise FileFormatError(
            f"a cell of {len(text):,} characters, expected at most {limits.SHEET_CELL_CHARACTERS:,}"
        )
    return text


class Styles(Handler):
    """Which cell styles show a number as a date or a time."""

    most_elements = limits.XML_PARTS

    def __init__(self) -> None:
        self.dates: set[str] = set()
        """Styles, by the text of their number, that show dates."""
        self._count = 0
        self._own: dict[str, bool] = {}
        self._in_cells = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Note a number format, or the format of a style."""
        part = local(name)
        if part == "numFmt":
            self._own[attributes.get("numFmtId", "")] = _is_date_format(attributes.get("formatCode", ""))
        elif part == "cellXfs":
            self._in_cells = True
        elif part == "xf" and self._in_cells:
            number = attributes.get("numFmtId", "0")
            built_in = number.isascii() and number.isdigit() and len(number) < 9 and int(number) in _DATES
            if self._own.get(number, built_in):
                self.dates.add(str(self._count))
            self._count += 1

    def end(self, name: str) -> None:
        """Leave the list of styles."""
        if local(name) == "cellXfs":
            self._in_cells = False


def _is_date_format(code: str) -> bool:
    """Tell whether a number format shows a date or a time: it holds day, month, year, hour or second."""
    return re.search("[dmyhs]", _NOT_A_DATE.sub("", code[:1000]), re.IGNORECASE) is not None


class CellRows(Handler):
    """The rows of a sheet that hold something, each a list of cells from column A on."""

    def __init__(self, place: tuple[str, str], strings: list[str], dates: set[str], epoch: datetime) -> None:
        self.rows: list[tuple[int, Sequence[object]]] = []
        self.hidden: list[int] = []
        """Rows that the spreadsheet program does not show."""
        self._place, self._strings, self._dates, self._epoch = place, strings, dates, epoch
        self._cells: list[object] = []
        self._row = self._column = self._characters = 0
        self._row_text = "0"
        self._last_row = self._last_column = 1
        self._kind, self._is_date, self._is_hidden = "", False, False
        self._in_value = self._in_phonetic = self._in_formula = False
        self._formula: list[str] | None = None
        self._parts: list[str] = []
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            "c": self._cell, "row": self._new_row, "f": self._begin_formula, "v": self._value_begins,
            "t": self._value_begins, "rPh": self._phonetic,
        }  # fmt: skip

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open a row, a cell or its value."""
        action = self._starts.get(name)
        if action is None and ":" in name:
            action = self._starts.get(local(name))
        if action is not None:
            action(attributes)

    def end(self, name: str) -> None:
        """Close a row, a cell or its value."""
        part = name if name in self._starts else local(name)
        if part in ("v", "t"):
            self._in_value = False
        elif part == "c":
            parts = self._parts
            self._put(parts[0] if len(parts) == 1 else "".join(parts))
        elif part == "f":
            self._in_formula = False
        elif part == "rPh":
            self._in_phonetic = False
        elif part == "row":
            self._finish()

    def text(self, data: str) -> None:
        """Collect the value or the formula of a cell."""
        if self._in_value:
            self._parts.append(data)
        elif self._in_formula and self._formula is not None:
            self._formula.append(data)

    def _new_row(self, attributes: dict[str, str]) -> None:
        self._finish()
        number = attributes.get("r")
        self._row = self._row + 1 if number is None else _whole(number)
        self._row_text = str(self._row)
        self._column = 0
        self._is_hidden = attributes.get("hidden", "0").strip().lower() in ("1", "true")

    def _cell(self, attributes: dict[str, str]) -> None:
        """Move to a cell; its reference may be left out."""
        self._column += 1
        reference = attributes.get("r")
        if reference is not None:
            self._move(reference)
        self._kind, self._formula, self._parts = attributes.get("t", "n"), None, []
        self._is_date = bool(self._dates) and attributes.get("s", "") in self._dates

    def _move(self, reference: str) -> None:
        """Move to where a cell says it is; usually in the row that says so itself."""
        if reference.endswith(self._row_text) and (letters := reference[: -len(self._row_text)]) in _FIRST:
            self._column = _FIRST[letters]
            return
        match = _CELL.fullmatch(reference)
        if match is None:
            raise ValueError(f"a cell at {reference[:20]!r}")
        self._column = column_number(match[1].upper())
        if int(match[2]) != self._row:
            self._finish()
            self._row, self._row_text = int(match[2]), str(int(match[2]))

    def _begin_formula(self, attributes: dict[str, str]) -> None:
        self._formula, self._in_formula = [], True

    def _value_begins(self, attributes: dict[str, str]) -> None:
        self._in_value = not self._in_phonetic

    def _phonetic(self, attributes: dict[str, str]) -> None:
        self._in_phonetic = True

    def _put(self, text: str) -> None:
        """Keep a cell that holds something."""
        value = self._number(text) if self._kind == "n" and text != "" else self._value(text)
        if value is None:
            return
        gap = self._column - 1 - len(self._cells)
        if gap < 0:  # a cell out of order, or one that is there twice
            self._cells[self._column - 1] = value
            return
        if self._column > self._last_column or self._row > self._last_row:
            self._last_column = max(self._column, self._last_column)
            self._last_row = max(self._row, self._last_row)
            check_area(*self._place, self._last_row, self._last_column)
        if gap:
            self._cells.extend([None] * gap)
        self._cells.append(value)

    def _finish(self) -> None:
        """Keep the row that ends, if it holds anything."""
        if self._cells:
            self.rows.append((self._row, self._cells))
            if self._is_hidden:
                self.hidden.append(self._row)
            self._cells = []

    def _value(self, text: str) -> object:
        """Turn a cell's text into what it holds; ``None`` is an empty cell."""
        if text == "":
            if self._formula is None or self._kind == "str":
                return None
            return FormulaCell(f"={''.join(self._formula)[:200]} (a formula without a stored result)")
        if self._kind == "n":
            return self._number(text)
        if self._kind == "s":
            text = self._strings[_whole(text)]
        if self._kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(text, text)
        if self._kind == "e":
            return None if text == "#N/A" else ErrorCell(text[:200])
        self._characters += len(checked(text))
        if self._characters > limits.TEXT_BYTES:
            raise FileFormatError(f"more than {limits.TEXT_BYTES:,} characters of text")
        return DateCell(text) if self._kind == "d" else text

    def _number(self, text: str) -> object:
        """Read a number as it is stored, or the date that it is shown as."""
        if text.isdigit() and text.isascii():
            value = float(text)
        else:
            stripped = text.strip()
            if not _NUMBER.fullmatch(stripped):
                raise ValueError(f"a number cell that holds {stripped[:20]!r}")
            value = float(stripped)
        if not self._is_date:
            return value
        try:
            return DateCell((self._epoch + timedelta(days=value)).isoformat(" ", "seconds"))
        except OverflowError:
            return value


def _whole(text: str) -> int:
    """Read a row number or the index of a string; int() would also take signs and underscores."""
    stripped = text.strip()
    if not (stripped.isascii() and stripped.isdigit() and len(stripped) < 10):
        raise ValueError(f"a number of a row or string that reads {text[:20]!r}")
    return int(stripped)
