"""Workbooks to grids: precision, sheets, cells without values, and archives that are not what they seem."""

import io
import struct
import zipfile
from datetime import datetime
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from openpyxl.styles import Font
from tests.files.grids import rows_of, workbook

from concord.errors import FileFormatError
from concord.files import limits
from concord.files.tables import read_grid
from concord.files.text import ErrorCell


def test_numbers_of_a_workbook_are_not_rounded_and_texts_not_changed(tmp_path: Path) -> None:
    values = [1e-12, 0.0, 1 / 3, 5e-324, -2.5, 61, 123456789.123456]
    texts = ["007", "1.10", " x ", "true", "2,5", "1e3", "NA"]
    path = workbook(tmp_path, {"S": [["v", "t"], *map(list, zip(values, texts, strict=True))]})
    grid = read_grid(path)
    assert [float(str(cell)) for cell in grid.columns[0]] == pytest.approx(values, rel=1e-15, abs=0)
    assert grid.columns[1] == texts


def test_a_workbook_keeps_its_row_numbers_below_and_between_blankrows_of(tmp_path: Path) -> None:
    rows: list[list[object]] = [[], ["", "", ""], ["", "a", "b"], ["", 1, 2], [], ["", 3, ""]]
    grid = read_grid(workbook(tmp_path, {"S": rows}))
    assert (grid.header, grid.rows, grid.sheet) == (("a", "b"), (4, 6), "S")
    assert rows_of(grid) == [(1.0, 2.0), (3.0, None)]


def test_other_sheets_are_named_and_can_be_asked_for(tmp_path: Path) -> None:
    path = workbook(tmp_path, {"One": [["a"], [1]], "Two & <3>": [["b"], [2]], "Empty": []})
    grid = read_grid(path)
    assert grid.header == ("a",)
    assert grid.warnings == (
        "t.xlsx: read the first sheet, 'One'; the workbook also holds 'Two & <3>', 'Empty'",
    )
    second = read_grid(path, sheet="Two & <3>")
    assert (second.header, second.warnings) == (("b",), ())
    with pytest.raises(
        FileFormatError,
        match=r"t\.xlsx: there is no sheet 'two'; the workbook has 'One', 'Two & <3>', 'Empty'",
    ):
        read_grid(path, sheet="two")
    with pytest.raises(FileFormatError, match=r"t\.xlsx: sheet 'Empty' is empty"):
        read_grid(path, sheet="Empty")


def test_a_date_or_truth_value_does_not_become_a_number(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_datetime(1, 0, datetime(2020, 1, 2), book.add_format({"num_format": "d/m"}))  # noqa: DTZ001
        sheet.write_boolean(1, 1, True)
    assert rows_of(read_grid(path)) == [("2020-01-02 00:00:00", "TRUE")]


def test_cells_that_show_a_fault_are_not_empty(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("S")
        sheet.write_row(1, 1, ["a", "b", "c"])
        sheet.write_formula(2, 1, "=1/0", None, "#DIV/0!")
        sheet.write_formula(2, 2, "=NA()", None, "#N/A")
        sheet.write_formula(2, 3, "=1+1", None, 2)
    (row,) = rows_of(read_grid(path))
    assert row == ("#DIV/0!", None, 2.0)
    assert isinstance(row[0], ErrorCell)


def test_a_formula_without_a_stored_result_is_not_empty(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"].font = Font(bold=True)  # a blank cell with a style: no part of the table
    for place, value in {"C2": "a", "D2": "b", "C3": "x", "D3": "=1+1", "C5": "=2", "D5": "=3"}.items():
        sheet[place] = value
    book.save(tmp_path / "t.xlsx")
    grid = read_grid(tmp_path / "t.xlsx")
    assert (grid.header, grid.rows) == (("a", "b"), (3, 5))
    assert rows_of(grid) == [
        ("x", "=1+1 (a formula without a stored result)"),
        ("=2 (a formula without a stored result)", "=3 (a formula without a stored result)"),
    ]


def _repacked(source: Path, changes: dict[str, bytes], *, drop: str | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name != drop:
                new.writestr(name, changes.get(name, old.read(name)))
    return out.getvalue()


def test_a_workbook_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path, {"S": [["a"], [1]]})
    path.write_bytes(_repacked(path, {"docProps/app.xml": bytes(30 * 2**20)}))
    with pytest.raises(
        FileFormatError, match=r"t\.xlsx: [\d,]+ bytes unpack to 31,[\d,]+ or more \(a zip bomb\?\)"
    ):
        read_grid(path)
    monkeypatch.setattr(limits, "BOMB_RATIO", 10**9)
    assert read_grid(path).rows == (2,)
    monkeypatch.setattr(limits, "UNPACKED", 10**6)
    with pytest.raises(FileFormatError, match="a zip bomb"):
        read_grid(path)


def test_a_workbook_that_declares_a_false_size_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path, {"S": [["a"], [1]]})
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("xl/worksheets/sheet1.xml")
    data = path.read_bytes()
    true, false = struct.pack("<L", info.file_size), struct.pack("<L", 100)
    path.write_bytes(
        data.replace(
            struct.pack("<L", info.compress_size) + true, struct.pack("<L", info.compress_size) + false
        )
    )
    with pytest.raises(
        FileFormatError,
        match=r"t\.xlsx: xl/worksheets/sheet1\.xml holds more than the 100 bytes it declares \(a zip bomb",
    ):
        read_grid(path)


def test_a_stray_cell_far_away_is_refused_before_the_area_is_held(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["a"])
        sheet.write(1_048_575, 16_383, 1)
    with pytest.raises(
        FileFormatError, match=r"sheet 'S': cells as far out as row 1,048,576 and column 16,384; delete"
    ):
        read_grid(path)


def test_protected_old_and_foreign_files_say_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    with pytest.raises(
        FileFormatError, match=r"t\.xlsx: found an old-format .* password-protected workbook.*save it as"
    ):
        read_grid(path)
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(
        FileFormatError, match=r"t\.xlsx: found text, expected an XLSX workbook by the extension"
    ):
        read_grid(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("content.xml", "<x/>")
    with pytest.raises(FileFormatError, match=r"t\.xlsx: a zip archive, but not an \.xlsx workbook"):
        read_grid(path)


def test_a_member_that_needs_a_password_says_so(tmp_path: Path) -> None:
    path = workbook(tmp_path, {"S": [["a"], [1]]})
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    data[place + 8] |= 1
    path.write_bytes(bytes(data))
    with pytest.raises(
        FileFormatError, match=r"t\.xlsx: the workbook is password-protected; save it without"
    ):
        read_grid(path)


def test_a_damaged_workbook_says_so(tmp_path: Path) -> None:
    path = workbook(tmp_path, {"S": [["a"], [1]]})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        FileFormatError, match=r"t\.xlsx: the workbook is damaged \(.*\); open it in a spreadsheet program"
    ):
        read_grid(path)
    for part, change, message in [
        ("xl/workbook.xml", b"<workbook", "the workbook is damaged"),
        ("xl/workbook.xml", b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", "defines XML entities"),
        ("xl/workbook.xml", b"<workbook/>", "has no sheet with cells"),
        ("xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row", r"damaged \(sheet 'S'"),
    ]:
        path.write_bytes(whole)
        path.write_bytes(_repacked(path, {part: change}))
        with pytest.raises(FileFormatError, match=message):
            read_grid(path)


def test_the_first_sheet_that_is_shown_is_read_and_hidden_ones_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        for name, cell in (("notes", "x"), ("old", "y"), ("tests", "a")):
            sheet = book.add_worksheet(name)
            sheet.write_column(0, 0, [cell, 1])
            if name == "tests":
                sheet.activate()
                sheet.set_first_sheet()
            elif name == "notes":
                sheet.hide()
            else:
                sheet.very_hidden()
    grid = read_grid(path)
    assert (grid.sheet, grid.header) == ("tests", ("a",))
    assert grid.warnings == (
        "t.xlsx: read the first sheet, 'tests'; the workbook also holds 'notes' (hidden), 'old' (hidden)",
    )
    assert read_grid(path, sheet="notes").header == ("x",)


def _parts(path: Path, **changes: bytes) -> Path:
    names = {"workbook": "xl/workbook.xml", "styles": "xl/styles.xml"}
    path.write_bytes(_repacked(path, {names[name]: data for name, data in changes.items()}))
    return path


def _with_sheets(path: Path, sheets: str) -> Path:
    with zipfile.ZipFile(path) as archive:
        whole = archive.read("xl/workbook.xml")
    begin, end = whole.index(b"<sheet "), whole.index(b"</sheets>")
    return _parts(path, workbook=whole[:begin] + sheets.encode() + whole[end:])


@pytest.mark.parametrize(
    ("sheets", "said"),
    [
        (
            "".join(f'<sheet name="S{i}" sheetId="{i}" r:id="x"/>' for i in range(1001)),
            "more than 1,000 sheets",
        ),
        ('<sheet name="a" sheetId="1"/>' * 250_001, "more than 250,000 elements"),
        ('<sheet name="a" r:id="rId1"/><sheet name="b" r:id="rId1"/>', "two sheets are the same member"),
    ],
)
def test_a_workbook_of_very_many_sheets_or_of_one_under_two_names_is_refused(
    tmp_path: Path, sheets: str, said: str
) -> None:
    path = _with_sheets(workbook(tmp_path, {"S": [["a", "b"], [1, 2]]}), sheets)
    with pytest.raises(FileFormatError, match=f"{path.name}.*{said}"):
        read_grid(path)


def test_a_workbook_of_a_million_styles_is_refused_before_they_are_read(tmp_path: Path) -> None:
    path = workbook(tmp_path, {"S": [["a", "b"], [1, 2]]})
    styles = b"<styleSheet><cellXfs>" + b"<xf/>" * 250_000 + b"</cellXfs></styleSheet>"
    with pytest.raises(FileFormatError, match="more than 250,000 elements"):
        read_grid(_parts(path, styles=styles))
