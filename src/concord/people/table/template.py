"""Empty tables to fill in: a workbook with drop-downs, examples and notes, written by itself."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import zip_longest
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from concord.errors import OptionError
from concord.files.output import write_bytes
from concord.people.families.registry import TEST_TYPES

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_DAY = (1980, 1, 1, 0, 0, 0)
"""The date of every member: the same content gives the same bytes."""
LAST_ROW = 1000
"""The last row that a drop-down covers."""
_Rows = Sequence[Sequence[object]]


def _sheet_xml(rows: _Rows, widths: Sequence[float] = (), rest: str = "") -> str:
    """Return a sheet whose first row is bold."""
    wide = "".join(
        f'<col min="{j}" max="{j}" width="{width:g}" customWidth="1"/>' for j, width in enumerate(widths, 1)
    )
    lines = "".join(
        f'<row r="{i}">{"".join(_cell_xml(i, j, cell) for j, cell in enumerate(row, 1))}</row>'
        for i, row in enumerate(rows, 1)
    )
    columns = f"<cols>{wide}</cols>" if wide else ""
    return f'<worksheet xmlns="{_MAIN}">{columns}<sheetData>{lines}</sheetData>{rest}</worksheet>'


def _cell_xml(row: int, column: int, cell: object) -> str:
    if cell is None:
        return ""
    place = f'r="{letters(column)}{row}"' + (' s="1"' if row == 1 else "")
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return f"<c {place}><v>{cell!r}</v></c>"
    return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{escape(str(cell))}</t></is></c>'


def _drop_downs(columns: Sequence[str], choices: Mapping[str, Sequence[str]]) -> str:
    """Return the lists that columns offer, each a column of the hidden sheet."""
    found = []
    for j, (title, words) in enumerate(choices.items(), 1):
        column, source = letters(columns.index(title) + 1), f"${letters(j)}$1:${letters(j)}${len(words)}"
        found.append(
            f'<dataValidation type="list" allowBlank="1" showErrorMessage="1" '
            f'sqref="{column}2:{column}{LAST_ROW}"><formula1>lists!{source}</formula1></dataValidation>'
        )
    return f'<dataValidations count="{len(found)}">{"".join(found)}</dataValidations>' if found else ""


def letters(column: int) -> str:
    """Return the letters of a column, counted from 1."""
    found = ""
    while column:
        column, rest = divmod(column - 1, 26)
        found = chr(ord("A") + rest) + found
    return found


@dataclass(frozen=True, slots=True)
class TableTemplate:
    """An empty table: its columns, what they may hold, and a filled example."""

    sheet: str
    columns: Sequence[str]
    notes: Mapping[str, str]
    choices: Mapping[str, Sequence[str]]
    examples: Sequence[Mapping[str, object]]
    then: str
    """The command for the filled table."""

    def note(self, column: str) -> str:
        """Return what a column holds; both sides of a test share their notes."""
        return self.notes.get(column, self.notes.get(column.partition("_")[2], ""))

    def book(self) -> bytes:
        """Return the workbook: the sheet to fill, examples, notes, and the hidden lists of drop-downs."""
        wide = [max(10.0, len(column) + 2.0) for column in self.columns]
        examples = [[row.get(column) for column in self.columns] for row in self.examples]
        notes = [["column", "what it holds"], *([column, self.note(column)] for column in self.columns)]
        sheets = [
            _sheet_xml([self.columns], wide, _drop_downs(self.columns, self.choices)),
            _sheet_xml([self.columns, *examples], wide),
            _sheet_xml(notes, [18.0, 90.0]),
            _sheet_xml([*zip_longest(*self.choices.values())]),
        ]
        members = {name: text.replace("{sheet}", self.sheet) for name, text in _data("workbook").items()}
        members |= {f"xl/worksheets/sheet{i}.xml": text for i, text in enumerate(sheets, 1)}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in members.items():
                archive.writestr(zipfile.ZipInfo(name, _DAY), _HEAD + text, zipfile.ZIP_DEFLATED)
        return buffer.getvalue()


def _data(name: str) -> Any:
    return json.loads(resources.files("concord").joinpath("people", "table", f"{name}.json").read_bytes())


@cache
def templates() -> dict[str, TableTemplate]:
    """Return the tables that can be filled in, by name."""
    held = _data("templates")
    held["people"]["choices"]["test_type"] = TEST_TYPES
    return {name: TableTemplate(**one) for name, one in held.items()}


def write_template(path: Path, kind: str | None = None) -> TableTemplate:
    """Write an empty workbook with drop-downs, examples and notes."""
    named = path.stem.casefold() if kind is None else kind
    known = templates()
    if kind is None and named not in known:
        named = "people"
    if named not in known:
        raise OptionError(f"template {named!r} is not known; expected {', '.join(known)}")
    if path.suffix.lower() != ".xlsx":
        raise OptionError(f"{path}: expected the name of a workbook, such as {path.stem or 'people'}.xlsx")
    if path.exists():
        raise OptionError(f"{path} is there already and may be filled in; choose another name")
    write_bytes(path, known[named].book())
    return known[named]
