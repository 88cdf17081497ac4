"""XLSX workbooks: guarded against archives that unpack to more than they should, then read with calamine."""

import copy
import posixpath
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from concord.errors import FileFormatError
from concord.readers.grids import ErrorCell, Grid, from_records

MAX_UNPACKED_BYTES = 200 * 2**20
"""A workbook that unpacks to more is refused."""
MAX_RATIO = 200
"""So is one that unpacks to more than this many times its size, once it is larger than a few megabytes."""
SMALL_BYTES = 20 * 2**20
"""Below this no ratio is suspicious: a sheet of equal rows packs very well."""
MAX_CELLS = 20_000_000
"""A sheet whose used area has more cells is refused: readers hold the area, however few cells are filled."""

# Attributes may stand in either kind of quotes, and element names may carry a prefix.
_COLUMN_OF_CELL = re.compile(rb"""\sr=["']([A-Z]{1,3})[0-9]""")
_ROW_OF_CELL = re.compile(rb"""\sr=["'][A-Z]{1,3}([0-9]{1,7})["']""")
_ERROR_CELL = re.compile(
    rb"""<(?:\w+:)?c\s(?=[^>]*\bt=["']e["'])[^>]*?\br=["']([A-Z]{1,3})([0-9]{1,7})["'][^>]*>"""
    rb"""(?:(?!</(?:\w+:)?c>).)*?<(?:\w+:)?v>([^<]*)<""",
    re.DOTALL,
)
_FORMULA_WITHOUT_RESULT = re.compile(
    rb"""<(?:\w+:)?c\s(?![^>]*\bt=["']str["'])[^>]*?\br=["']([A-Z]{1,3})([0-9]{1,7})["'][^>/]*>\s*"""
    rb"""<(?:\w+:)?f\b[^>]*?(?:/>|>([^<]*)</(?:\w+:)?f>)\s*"""
    rb"""(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>""",
)
_FILLED_COLUMN = re.compile(
    rb"""<(?:\w+:)?c\s[^>]*?\br=["']([A-Z]{1,3})[0-9]{1,7}["'][^>/]*>\s*"""
    rb"""(?:<(?:\w+:)?f\b[^>]*?(?:/>|>[^<]*</(?:\w+:)?f>)\s*)?<(?:\w+:)?(?:v>[^<]|is\b)"""
)


def read_workbook(name: str, data: bytes, sheet: str | None) -> Grid:
    """Read one sheet of an XLSX workbook.

    Parameters
    ----------
    name
        What messages call the file.
    data
        Its bytes.
    sheet
        The sheet's name; the first sheet when not given, and then a warning names the others.

    Returns
    -------
    Grid
        Numbers as floats at full precision or as text, the rest as text. A cell that shows a fault such as
        ``#DIV/0!``, or a formula without a stored result, is an `ErrorCell`; ``#N/A`` is an empty cell.

    Raises
    ------
    FileFormatError
        Damaged, protected, too large once unpacked, not a workbook, no such sheet, an empty sheet.
    """
    parts = _guarded_parts(name, data)
    sheets = _sheet_parts(name, parts)
    chosen = _choose(name, list(sheets), sheet)
    xml = parts[sheets[chosen]]
    _check_area(name, chosen, xml)
    records = _load(name, data, chosen)
    grid = from_records(name, chosen, _mark_faults(records, xml))
    if sheet is None and len(sheets) > 1:
        others = ", ".join(repr(other) for other in sheets if other != chosen)
        note = f"{name}: read the first sheet, {chosen!r}; the workbook also holds {others}"
        return replace(grid, warnings=(note, *grid.warnings))
    return grid


def _guarded_parts(name: str, data: bytes) -> dict[str, bytes]:
    """Unpack the XML parts that are looked at here, after checking every declared and every true size."""
    damaged = f"{name}: the workbook is damaged; open it in a spreadsheet program and save it again"
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
            _check_sizes(name, members, len(data))
            parts = {member.filename: _unpack(name, archive, member) for member in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise FileFormatError(f"{damaged} ({error})") from error
    if "xl/workbook.xml" not in parts:
        raise FileFormatError(
            f"{name}: a ZIP archive but not an XLSX workbook (xl/workbook.xml is missing); save it as .xlsx"
        )
    return parts


def _check_sizes(name: str, members: Sequence[zipfile.ZipInfo], packed: int) -> None:
    """Refuse encrypted members and sizes that no honest workbook declares."""
    if any(member.flag_bits & 0x1 for member in members):
        raise FileFormatError(f"{name}: the workbook is password-protected; save it without a password")
    unpacked = sum(member.file_size for member in members)
    if unpacked > MAX_UNPACKED_BYTES or unpacked > max(SMALL_BYTES, MAX_RATIO * packed):
        raise FileFormatError(
            f"{name}: would unpack from {packed:,} to {unpacked:,} bytes, expected at most "
            f"{MAX_UNPACKED_BYTES:,} and {MAX_RATIO} times its size; save only the sheet with the table"
        )


def _unpack(name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack one member to its true end: a member that holds more than it declares is a lie."""
    honest = copy.copy(member)
    honest.file_size = (
        member.file_size + 1
    )  # lets the unpacker run past the declared end, where there is more
    with archive.open(honest) as stream:
        content = stream.read(member.file_size + 1)
    if len(content) != member.file_size:
        raise FileFormatError(
            f"{name}: {member.filename} unpacks to another size than declared; save it again"
        )
    return content if member.filename.endswith((".xml", ".rels")) else b""


def _xml(name: str, part: bytes) -> ElementTree.Element:
    """Parse a small XML part; document types, which can define entities that explode, are refused."""
    if b"<!DOCTYPE" in part or b"<!ENTITY" in part:
        raise FileFormatError(
            f"{name}: the workbook defines XML entities, which no spreadsheet program writes"
        )
    try:
        return ElementTree.fromstring(part)
    except ElementTree.ParseError as error:
        raise FileFormatError(f"{name}: the workbook is damaged ({error}); save it again") from error


def _sheet_parts(name: str, parts: dict[str, bytes]) -> dict[str, str]:
    """Map the names of the sheets, in their order, to the parts of the archive that hold their cells."""
    relations = {
        item.get("Id"): posixpath.normpath(posixpath.join("/xl", item.get("Target", ""))).lstrip("/")
        for item in _xml(name, parts.get("xl/_rels/workbook.xml.rels", b"<none/>"))
    }
    sheets = {}
    for item in _xml(name, parts["xl/workbook.xml"]).iter():
        if item.tag.rpartition("}")[2] == "sheet":
            identity = next((value for key, value in item.items() if key.endswith("}id")), None)
            target = relations.get(identity, "")
            if target.startswith("xl/worksheets/") and target in parts:  # charts have sheets of their own
                sheets[item.get("name", "")] = target
    if not sheets:
        raise FileFormatError(f"{name}: the workbook has no sheet with cells; save it again")
    return sheets


def _choose(name: str, sheets: Sequence[str], sheet: str | None) -> str:
    """Choose the sheet that was asked for, or the first."""
    if sheet is None:
        return sheets[0]
    if sheet not in sheets:
        found = ", ".join(map(repr, sheets))
        raise FileFormatError(f"{name}: there is no sheet {sheet!r}; the workbook has {found}")
    return sheet


def _check_area(name: str, sheet: str, xml: bytes) -> None:
    """Refuse a sheet whose used area is too large to hold."""
    rows = max(map(int, set(_ROW_OF_CELL.findall(xml))), default=0)
    columns = max(map(_column_number, set(_COLUMN_OF_CELL.findall(xml))), default=0)
    if rows * columns > MAX_CELLS:
        raise FileFormatError(
            f"{name}: sheet {sheet!r} reaches to row {rows:,} and column {columns:,}; "
            "delete the stray cells far from the table and save it again"
        )


def _column_number(letters: bytes) -> int:
    """Turn the letters of a column into its number: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _load(name: str, data: bytes, sheet: str) -> list[list[object]]:
    """Load the cells of a sheet from row 1 on.

    Calamine's text of a number is rounded as a spreadsheet would show it (1e-12 reads '0'), its float of a
    text cell forgets leading zeros; so both are loaded, and the float is taken where the text falls short.
    """
    import fastexcel

    try:
        reader = fastexcel.read_excel(data)
        texts, numbers = (
            reader.load_sheet(sheet, header_row=None, skip_rows=0, dtypes=kind).to_polars().get_columns()
            for kind in ("string", "float")
        )
    except fastexcel.FastExcelError as error:
        reason = str(error).splitlines()[0]
        raise FileFormatError(f"{name}: sheet {sheet!r} cannot be read: {reason}; save it again") from error
    columns = [_merged(text.to_list(), number.to_list()) for text, number in zip(texts, numbers, strict=True)]
    return [list(record) for record in zip(*columns, strict=True)]


def _merged(texts: list[Any], numbers: list[Any]) -> list[object]:
    """Take the float where its text is a rounding of it, the text everywhere else."""
    return [
        number if number is not None and _is_rounding(text, number) else text
        for text, number in zip(texts, numbers, strict=True)
    ]


def _is_rounding(text: str | None, number: float) -> bool:
    """Whether a text is a number, and another one than the cell's."""
    if text is None:
        return False
    try:
        return float(text) != number
    except ValueError:
        return False  # true, false, a date: a number only by coercion


def _mark_faults(records: list[list[object]], xml: bytes) -> list[list[object]]:
    """Put the text of a fault into every cell that shows one: the loader leaves such cells empty."""
    # Looking for a few letters first spares most workbooks the search for a pattern.
    errors = _ERROR_CELL.findall(xml) if b't="e"' in xml or b"t='e'" in xml else []
    formulas = _FORMULA_WITHOUT_RESULT.findall(xml) if b"<f" in xml or b":f" in xml else []
    faults = [(column, row, text.decode()) for column, row, text in errors if text != b"#N/A"]
    for column, row, formula in formulas:
        faults.append((column, row, f"={formula.decode()} (a formula without a stored result)"))
    if not faults:
        return records
    # The loader starts at the first column that holds a value: count from column A again.
    first = min(map(_column_number, set(_FILLED_COLUMN.findall(xml))), default=1)
    records = [[None] * (first - 1) + record for record in records]
    for column, row, text in faults:
        _put(records, int(row), _column_number(column), ErrorCell(text))
    return records


def _put(records: list[list[object]], row: int, column: int, cell: object) -> None:
    """Set a cell, counted from 1, in a table that grows as far as it must."""
    records.extend([] for _ in range(row - len(records)))
    record = records[row - 1]
    record.extend([None] * (column - len(record)))
    record[column - 1] = cell
