"""XLSX workbooks: guarded against archives that unpack to more than they should, then read with calamine."""

import posixpath
import re
from dataclasses import replace
from typing import Any, NamedTuple
from xml.etree import ElementTree

from concord.errors import FileFormatError
from concord.files.archives import check_area, column_number, unpack_workbook
from concord.files.grids import ErrorCell, Grid, from_records

# Attributes may stand in either kind of quotes, and element names may carry a prefix.
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
        The sheet's name; the first sheet that is shown when not given, and then a warning names the others.

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
    parts = unpack_workbook(name, data)
    sheets = _sheet_parts(name, parts)
    chosen = _choose(name, sheets, sheet)
    xml = parts[sheets[chosen].part]
    check_area(name, chosen, xml)
    records = _load(name, data, chosen)
    grid = from_records(name, chosen, _mark_faults(records, xml))
    if sheet is None and len(sheets) > 1:
        others = ", ".join(
            f"{other!r} (hidden)" if found.hidden else repr(other)
            for other, found in sheets.items()
            if other != chosen
        )
        note = f"{name}: read the first sheet, {chosen!r}; the workbook also holds {others}"
        return replace(grid, warnings=(note, *grid.warnings))
    return grid


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


class _Sheet(NamedTuple):
    """Which part of the archive holds a sheet's cells, and whether the sheet is hidden."""

    part: str
    hidden: bool


def _sheet_parts(name: str, parts: dict[str, bytes]) -> dict[str, _Sheet]:
    """Map the names of the sheets, in their order, to where their cells are."""
    relations = {
        item.get("Id"): posixpath.normpath(posixpath.join("/xl", item.get("Target", ""))).lstrip("/").lower()
        for item in _xml(name, parts.get("xl/_rels/workbook.xml.rels", b"<none/>"))
    }
    sheets = {}
    for item in _xml(name, parts["xl/workbook.xml"]).iter():
        if item.tag.rpartition("}")[2] == "sheet":
            identity = next((value for key, value in item.items() if key.endswith("}id")), None)
            target = relations.get(identity, "")
            if target.startswith("xl/worksheets/") and target in parts:  # charts have sheets of their own
                hidden = item.get("state", "visible") != "visible"
                sheets[item.get("name", "")] = _Sheet(target, hidden)
    if not sheets:
        raise FileFormatError(f"{name}: the workbook has no sheet with cells; save it again")
    return sheets


def _choose(name: str, sheets: dict[str, _Sheet], sheet: str | None) -> str:
    """Choose the sheet that was asked for, or the first that is shown."""
    if sheet is None:
        return next((title for title, found in sheets.items() if not found.hidden), next(iter(sheets)))
    if sheet not in sheets:
        found = ", ".join(map(repr, sheets))
        raise FileFormatError(f"{name}: there is no sheet {sheet!r}; the workbook has {found}")
    return sheet


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
    first = min((column_number(found.decode()) for found in set(_FILLED_COLUMN.findall(xml))), default=1)
    records = [[None] * (first - 1) + record for record in records]
    for column, row, text in faults:
        _put(records, int(row), column_number(column.decode()), ErrorCell(text))
    return records


def _put(records: list[list[object]], row: int, column: int, cell: object) -> None:
    """Set a cell, counted from 1, in a table that grows as far as it must."""
    records.extend([] for _ in range(row - len(records)))
    record = records[row - 1]
    record.extend([None] * (column - len(record)))
    record[column - 1] = cell
