"""CSV that no spreadsheet runs, and its inverse: any text comes back as it was."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from concord.errors import FileFormatError
from concord.files.output import FORMULA_STARTS, csv_text, plain_cell, safe_cell, write_csv
from concord.files.rows import read_back

ANY = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(
    st.text(max_size=12)
    | st.sampled_from([f"{quote}{start}x" for quote in ("", "'", "''") for start in FORMULA_STARTS])
)
def test_the_guard_is_taken_off_again(text: str) -> None:
    assert plain_cell(str(safe_cell(text))) == text


@pytest.mark.parametrize("start", FORMULA_STARTS)
@pytest.mark.parametrize(
    "before", ["", " ", "\u00a0", "\u200b", "\ufeff", "\0", "\v", "\f", "\x1f", "'", "' "]
)
def test_no_cell_starts_like_a_formula_whatever_stands_before(start: str, before: str) -> None:
    assert str(safe_cell(f"{before}{start}1")).startswith("'")


@given(st.lists(st.tuples(ANY, ANY), min_size=1, max_size=5))
@example([("a\r=1+1", "b")])
@example([("\r", "\n"), ("a\r\nb", "=\r")])
def test_any_text_comes_back_from_a_file(rows: list[tuple[str, str]]) -> None:
    text = "".join(csv_text(["a", "b"], [("x" + one, two) for one, two in rows]))
    for line in csv.reader(io.StringIO(text, newline="")):
        assert len(line) == 2
        assert not any(cell.startswith(FORMULA_STARTS) for cell in line)
    back = read_back("t.csv", text.encode(), ("a", "b"), fix="score again")
    assert [(row["a"].removeprefix("x"), row["b"]) for _, row in back] == rows


def test_the_bytes_do_not_depend_on_the_version_of_python(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ["a"], [["x\ry"], ["x"], [""], ['"'], [0.1]])
    assert (tmp_path / "t.csv").read_bytes() == b'a\n"x\ry"\nx\n""\n""""\n0.1\n'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,b\n1\n", r"t\.csv, row 2: fewer cells than columns; score again"),
        (b"a\n1\n", r"t\.csv: no column 'b'; score again"),
        (b"a,b\n\xe9,2\n", r"t\.csv: line 2 holds the byte 0xe9"),
        (b"a,b,b\n1,2,3\n", r"t\.csv: the column 'b' is there twice"),
        (b"a,b\n1,2,3\n", r"t\.csv, row 2, column 'after b': got '3'.*; score again"),
    ],
)
def test_a_table_that_was_damaged_is_named(data: bytes, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        read_back("t.csv", data, ("a", "b"), fix="score again")
