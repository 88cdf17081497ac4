"""Empty tables to fill in: a workbook with drop-downs, examples and notes, written by itself."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from xml.sax.saxutils import escape

from concord.errors import OptionError
from concord.files.output import write_bytes
from concord.people.families.registry import TEST_TYPES

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEETML = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_DAY = (1980, 1, 1, 0, 0, 0)
"""The date of every member: the same content gives the same bytes."""
LAST_ROW = 1000
"""The last row that a drop-down covers."""


_FONT = '<sz val="11"/><name val="Calibri"/>'
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font>{_FONT}</font><font><b/>{_FONT}</font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
"""Two styles: plain, and bold for the header."""


@dataclass(frozen=True, slots=True)
class SheetToWrite:
    """A sheet: its rows, the first of them bold, and the words that columns may hold."""

    name: str
    rows: Sequence[Sequence[object]]
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By title of the column: what its drop-down offers."""
    widths: Sequence[float] = ()


def write_workbook(path: Path, sheets: Sequence[SheetToWrite]) -> None:
    """Write a workbook."""
    buffer = io.BytesIO()
    lists = [(sheet.name, title, words) for sheet in sheets for title, words in sheet.choices.items()]
    every = [*sheets, *([_list_sheet(lists)] if lists else [])]
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _members(every, lists, hidden=bool(lists)).items():
            archive.writestr(zipfile.ZipInfo(name, _DAY), _HEAD + text, zipfile.ZIP_DEFLATED)
    write_bytes(path, buffer.getvalue())


Lists = Sequence[tuple[str, str, Sequence[str]]]


def _list_sheet(lists: Lists) -> SheetToWrite:
    """Return the hidden sheet that holds the words of the drop-downs, one column each."""
    depth = max(len(words) for _, _, words in lists)
    rows = [[words[i] if i < len(words) else None for _, _, words in lists] for i in range(depth)]
    return SheetToWrite("lists", rows)


def _members(sheets: Sequence[SheetToWrite], lists: Lists, *, hidden: bool) -> dict[str, str]:
    numbers = range(1, len(sheets) + 1)
    out_of_sight = ' state="hidden"'
    entries = "".join(
        f'<sheet name="{escape(sheet.name)}" sheetId="{i}" r:id="rId{i}"'
        f"{out_of_sight if hidden and i == len(sheets) else ''}/>"
        for i, sheet in zip(numbers, sheets, strict=True)
    )
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in numbers
    )
    styles = f'<Relationship Id="rId{len(sheets) + 1}" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_SHEETML}.worksheet+xml"/>'
        for i in numbers
    )
    found = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{_SHEETML}.sheet.main+xml"/><Override PartName="/xl/styles.xml" '
        f'ContentType="{_SHEETML}.styles+xml"/>{kinds}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{entries}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{links}{styles}'
        "</Relationships>",
        "xl/styles.xml": _STYLES,
    }
    for i, sheet in zip(numbers, sheets, strict=True):
        found[f"xl/worksheets/sheet{i}.xml"] = _sheet_xml(sheet, lists)
    return found


def _sheet_xml(sheet: SheetToWrite, lists: Lists) -> str:
    widths = "".join(
        f'<col min="{j}" max="{j}" width="{width:g}" customWidth="1"/>'
        for j, width in enumerate(sheet.widths, 1)
    )
    rows = "".join(
        f'<row r="{i}">{"".join(_cell_xml(i, j, cell, bold=i == 1) for j, cell in enumerate(row, 1))}</row>'
        for i, row in enumerate(sheet.rows, 1)
    )
    columns = f"<cols>{widths}</cols>" if widths else ""
    rest = _drop_downs(sheet, lists)
    return f'<worksheet xmlns="{_MAIN}">{columns}<sheetData>{rows}</sheetData>{rest}</worksheet>'


def _cell_xml(row: int, column: int, cell: object, *, bold: bool) -> str:
    if cell is None:
        return ""
    place = f'r="{letters(column)}{row}"' + (' s="1"' if bold else "")
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return f"<c {place}><v>{cell!r}</v></c>"
    return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{escape(str(cell))}</t></is></c>'


def _drop_downs(sheet: SheetToWrite, lists: Lists) -> str:
    titles = [str(title) for title in sheet.rows[0]] if sheet.rows else []
    found = []
    for j, (owner, title, words) in enumerate(lists, 1):
        if owner != sheet.name or title not in titles:
            continue
        column = letters(titles.index(title) + 1)
        source = f"lists!${letters(j)}$1:${letters(j)}${len(words)}"
        found.append(
            f'<dataValidation type="list" allowBlank="1" showErrorMessage="1" '
            f'sqref="{column}2:{column}{LAST_ROW}"><formula1>{source}</formula1></dataValidation>'
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


@cache
def templates() -> dict[str, TableTemplate]:
    """Return the tables that can be filled in, by name."""
    held = json.loads(resources.files("concord").joinpath("people", "table", "templates.json").read_bytes())
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
    made = known[named]
    columns = list(made.columns)
    examples = [[row.get(column) for column in columns] for row in made.examples]
    notes = [["column", "what it holds"], *([column, made.note(column)] for column in columns)]
    wide = [max(10.0, len(column) + 2.0) for column in columns]
    write_workbook(
        path,
        [
            SheetToWrite(made.sheet, [columns], made.choices, wide),
            SheetToWrite("Examples", [columns, *examples], {}, wide),
            SheetToWrite("Notes", notes, {}, [18.0, 90.0]),
        ],
    )
    return made
