"""Files, frames and lists to grids: formats, row numbers, and one message per kind of unreadable file."""

import hashlib
import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.files.grids import rows_of, workbook

from concord.errors import FileFormatError, OptionError
from concord.files import limits, tables
from concord.files.json_text import parsed
from concord.files.rows import read_delimited
from concord.files.tables import read_grid
from concord.files.text import plain_utf8


def _csv(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


# --- delimited text ---------------------------------------------------------------------------------


def test_row_numbers_are_those_of_a_spreadsheet_with_blank_lines_and_quoted_newlines(tmp_path: Path) -> None:
    grid = read_grid(_csv(tmp_path, 'a,b\n1,2\n\n"x\ny",3\r\n , \n4,5\n'))
    assert grid.rows == (2, 4, 6)
    assert rows_of(grid) == [("1", "2"), ("x\ny", "3"), ("4", "5")]


def test_a_header_below_blank_lines_keeps_its_row(tmp_path: Path) -> None:
    assert read_grid(_csv(tmp_path, "\n\na,b\n1,2\n")).rows == (4,)


@pytest.mark.parametrize(("mark", "word"), [(";", "semicolon"), ("\t", "tab")])
def test_other_delimiters_are_recognised_and_told(tmp_path: Path, mark: str, word: str) -> None:
    grid = read_grid(_csv(tmp_path, f"a{mark}b\n1,500{mark}2\n"))
    assert rows_of(grid) == [("1,500", "2")]
    assert grid.warnings == (f"t.csv: read with {word} as the delimiter",)


@pytest.mark.parametrize(
    ("lines", "comma"),
    [
        ("1,5;2\n", True),
        ("1,500;2\n", False),
        ("1,5;2.5\n", False),
        ("1,500;2,25\n", True),
        ("x;2\n", False),
        ("1,2;2\n1,2,3;2\n2;1\n", False),  # choices of one question, several at a time
        ("1,2;2,5\n1,2,3;2\n", True),
    ],  # fmt: skip
)
def test_a_file_of_semicolons_says_by_its_numbers_what_a_comma_is(
    tmp_path: Path, lines: str, comma: bool
) -> None:
    grid = read_grid(_csv(tmp_path, f"a;b\n{lines}"))
    assert grid.decimal_comma is comma
    assert any("are read as" in note for note in grid.warnings) is comma


def test_a_tab_in_a_tsv_is_no_news(tmp_path: Path) -> None:
    assert read_grid(_csv(tmp_path, "a\tb\n1\t2\n", "t.tsv")).warnings == ()


def test_a_byte_order_mark_is_not_part_of_the_first_name(tmp_path: Path) -> None:
    assert read_grid(_csv(tmp_path, "\ufeffa,b\n1,2\n")).header == ("a", "b")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_read(tmp_path: Path, end: str) -> None:
    assert read_grid(_csv(tmp_path, end.join(["a,b", "1,2", "3,4"]))).rows == (2, 3)


def test_a_cell_beyond_the_header_names_its_row(tmp_path: Path) -> None:
    grid = read_grid(_csv(tmp_path, "a,b\n1,[[1,2],[3,4]]\n5,6\n7,8,\n"))
    assert [str(problem) for problem in grid.problems] == [
        "t.csv, row 2, column 'after b': got '2]', expected no cell here: the header has 2 columns; "
        "put quotes around a cell that holds the delimiter (decimal commas: separate columns by semicolons "
        "and use --decimal-comma)"
    ]
    assert grid.rows == (3, 4)


def test_a_short_row_is_padded_and_told(tmp_path: Path) -> None:
    grid = read_grid(_csv(tmp_path, "a,b,c\n1\n1,2,3\n"))
    assert rows_of(grid)[0] == ("1", None, None)
    assert grid.warnings == ("t.csv, row 2: fewer than 3 cells; the missing ones are taken as empty",)


def test_an_unclosed_quote_names_its_row(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r't.csv: row 3 cannot be split into cells .*doubled, ""'):
        read_grid(_csv(tmp_path, 'a,b\n1,2\n"x,3\n4,5\n'))


_CELL = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=8).map(str.strip)


@given(st.lists(st.tuples(_CELL, _CELL), min_size=1, max_size=6), st.sampled_from(",;\t"))
def test_what_is_written_with_quotes_is_read_back(rows: list[tuple[str, str]], mark: str) -> None:
    quoted = ['"' + cell.replace('"', '""') + '"' for row in [("a", "b"), *rows] for cell in row]
    text = "\n".join(mark.join(quoted[i : i + 2]) for i in range(0, len(quoted), 2))
    kept = [row for row in rows if any(cell.strip() for cell in row)]
    assert [tuple(map(str, row)) for row in rows_of(read_delimited("t.csv", text))] == kept


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"t\.csv: the file is empty"),
        (b" \n\n", r"t\.csv: the file is empty"),
        (b",\n,,\n", r"t\.csv: the file is empty"),
        (b"a,b\n", r"t\.csv: found a header but no rows below it"),
        (
            "a,b\n1,é\n".encode("latin-1"),
            r"t\.csv: line 2 holds the byte 0xe9, which is not UTF-8; name the encoding",
        ),
        ("a,b\n1,2\n".encode("utf-16")[:-1], r"t\.csv: cannot be read as utf-16"),
        (b"a,b\n1,\x00\n", r"t\.csv: found binary data"),
        (b"PK\x03\x04....", r"t\.csv: found a ZIP archive such as an XLSX workbook, expected CSV text"),
        (
            b"PAR1....",
            r"t\.csv: found Parquet data, expected CSV text by the extension; give it the extension",
        ),
        (b'[{"a": 1}]', r"t\.csv: found JSON, expected CSV text"),
        (b"<html></html>", r"t\.csv: found an HTML or XML page, expected CSV text"),
    ],
)
def test_text_that_cannot_be_read_says_why(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=message):
        read_grid(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("a;b\n1;é\n".encode(encoding))
    assert read_grid(path).cells(1)[0] == "é"
    assert plain_utf8(path.read_bytes()) == "a;b\n1;é\n".encode()
    (tmp_path / "t.jsonl").write_bytes('{"a": "é"}\n'.encode(encoding))
    assert read_grid(tmp_path / "t.jsonl").cells(0)[0] == "é"
    assert parsed("t.json", '{"a": "é"}'.encode(encoding)) == {"a": "é"}


# --- files in general -------------------------------------------------------------------------------


def test_a_file_is_recorded_with_hash_and_size(tmp_path: Path) -> None:
    path = _csv(tmp_path, "a\n1\n")
    (found,) = read_grid(str(path)).inputs
    assert (found.name, found.size) == ("t.csv", 4)
    assert found.sha256 == hashlib.sha256(b"a\n1\n").hexdigest()


def test_what_is_not_a_readable_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"none\.csv: no such file"):
        read_grid(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileFormatError, match=r"folder\.csv: got a folder, expected a file"):
        read_grid(tmp_path / "folder.csv")
    with pytest.raises(FileFormatError, match=r"t\.doc: got the extension '\.doc', expected one of \.csv, "):
        read_grid(_csv(tmp_path, "a\n1\n", "t.doc"))


def test_a_huge_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FILE_BYTES", 3)
    with pytest.raises(FileFormatError, match=r"t\.csv: 4 bytes, expected at most 3; split the file"):
        read_grid(_csv(tmp_path, "a\n1\n"))


def test_a_sheet_is_only_for_workbooks(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"sheet='S' was given, but t\.csv has no sheets"):
        read_grid(_csv(tmp_path, "a\n1\n"), sheet="S")
    with pytest.raises(OptionError, match="only XLSX files have sheets"):
        read_grid([{"a": 1}], sheet="S")


def test_something_else_than_a_table_is_refused() -> None:
    with pytest.raises(OptionError, match="got int, expected a path, a polars or pandas frame or a list"):
        read_grid(3)  # type: ignore[arg-type]


# --- JSON, lists, Parquet, frames -------------------------------------------------------------------


def test_rows_of_json_are_numbered_as_under_a_header(tmp_path: Path) -> None:
    grid = read_grid(_csv(tmp_path, '[{"a": 1, "t": [[1, 2]]}, {}, {"b": NaN, "a": 0.0}]', "t.json"))
    assert (grid.header, grid.rows) == (("a", "t", "b"), (2, 4))
    assert rows_of(grid) == [(1, [[1, 2]], None), (0.0, None, "NaN")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"rows": []}', r"t\.json: found one object with the keys 'rows', expected a list of row objects"),
        ("[]", r"t\.json: found an empty list"),
        ("[1]", r"t\.json: item 1 is of type int, expected an object"),
        ("[{}]", r"t\.json: found no columns"),
        ('[{"a": 1, "a": 2}]', r"t\.json: not valid JSON: an object holds the key 'a' twice"),
        ('[{"a": 1},\n}]', r"t\.json, line 2: not valid JSON"),
        ("a,b\n1,2", r"t\.json, line 1: not valid JSON"),
        ("[" * 100_000, r"t\.json: (the JSON is nested too deeply|not valid JSON)"),
        ("[" + "1" * 5000 + "]", r"t\.json: not valid JSON"),
    ],
)
def test_json_that_is_not_a_list_of_rows_says_what_was_found(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        read_grid(_csv(tmp_path, text, "t.json"))


def test_parquet_keeps_types(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [0.0, None], "t": [[[1, 2], [3, 4]], None], "s": ["x", "y"]}).write_parquet(path)
    assert rows_of(read_grid(path)) == [(0.0, [[1, 2], [3, 4]], "x"), (None, None, "y")]


def test_damaged_or_oversized_parquet_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1, 2]}).write_parquet(path)
    monkeypatch.setattr(limits, "ROWS", 1)
    with pytest.raises(FileFormatError, match=r"t\.parquet: 2 rows, expected at most 1"):
        read_grid(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FileFormatError, match=r"t\.parquet: damaged or not Parquet"):
        read_grid(path)


def test_polars_and_pandas_frames_give_the_same_cells() -> None:
    polars = pl.DataFrame({"a": [0.0, None, None], "b": ["x", None, "z"]})
    pandas = pd.DataFrame({"a": [0.0, float("nan"), None], "b": ["x", None, "z"]}, index=[7, 7, 9])
    for frame in (polars, pandas):
        grid = read_grid(frame)
        assert (grid.rows, grid.inputs) == ((2, 4), ())
        assert rows_of(grid) == [(0.0, "x"), (None, "z")]


def test_pandas_missing_values_of_every_kind_are_empty_and_equal_names_are_kept_apart() -> None:
    frame = pd.DataFrame([[pd.NA, pd.NaT, 1], [None, 2, 3]], columns=["a", "b", "b"])
    grid = read_grid(frame)
    assert grid.header == ("a", "b", "b")
    assert rows_of(grid) == [(None, None, 1), (None, 2, 3)]


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": []}), pd.DataFrame({"a": []})])
def test_a_frame_without_rows_is_an_error(frame: tables.FrameLike) -> None:
    with pytest.raises(FileFormatError, match="frame: found a header but no rows"):
        read_grid(frame)


def test_the_same_table_in_every_format_gives_the_samerows_of(tmp_path: Path) -> None:
    rows = [{"a": "x", "b": 0.0}, {"a": "y", "b": -1.5}]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    workbook(tmp_path, {"S": [["a", "b"], ["x", 0.0], ["y", -1.5]]})
    for name in ("t.json", "t.csv", "t.parquet", "t.xlsx"):
        grid = read_grid(tmp_path / name)
        assert (grid.header, grid.rows) == (("a", "b"), (2, 3))
        assert [(a, float(str(b))) for a, b in rows_of(grid)] == [("x", 0.0), ("y", -1.5)]
