"""Files that a spreadsheet does not run, JSON without NaN, names that stay in their folder."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import FileFormatError
from concord.files.output import distinct_names, safe_cell, safe_name, write_csv, write_json


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-2", "@SUM(A1)", "\tx", "\rx", "＝1"])
def test_text_that_starts_like_a_formula_is_quoted(text: str) -> None:
    assert safe_cell(text) == "'" + text


@pytest.mark.parametrize(
    ("value", "cell"), [(None, ""), (True, "true"), (False, "false"), (-0.5, -0.5), (0.0, 0.0), ("a", "a")]
)
def test_other_cells_pass_as_they_are(value: object, cell: object) -> None:
    assert safe_cell(value) == cell
    assert type(safe_cell(value)) is type(cell)


def test_numbers_keep_every_digit(tmp_path: Path) -> None:
    write_csv(tmp_path / "x.csv", ["a"], [[0.1 + 0.2], [None], [0.0]])
    assert (tmp_path / "x.csv").read_bytes() == b'a\n0.30000000000000004\n""\n0.0\n'


def test_json_refuses_nan(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "x.json", {"a": float("nan")})


def test_a_file_in_the_place_of_the_folder_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("not a folder")
    with pytest.raises(FileFormatError, match="cannot write .*choose another folder with --out"):
        write_json(tmp_path / "results" / "x.json", {})


@given(st.text(max_size=300))
def test_any_name_becomes_one_path_component(name: str) -> None:
    safe = safe_name(name)
    assert safe not in ("", ".", "..")
    assert "/" not in safe and "\\" not in safe and "\0" not in safe
    assert len(safe) <= 100


def test_names_that_fall_together_are_numbered() -> None:
    assert distinct_names(["a/b", "a:b", "A_B"]) == ["a_b", "a_b-2", "A_B-3"]


def test_json_is_utf8_and_readable_back(tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", {"name": "Gûnel 井底之蛙"})
    assert json.loads((tmp_path / "x.json").read_text("utf-8")) == {"name": "Gûnel 井底之蛙"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_a_message_not_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.symlink_to("/dev/full")
    with pytest.raises(FileFormatError, match=r"cannot write .*: No space left on device; make room"):
        write_json(path, {"long": "x" * 100_000})
    with pytest.raises(FileFormatError, match="No space left on device"):
        write_csv(path, ["a"], [["x"]])
