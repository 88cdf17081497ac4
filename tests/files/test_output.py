"""Files that a spreadsheet does not run, JSON without NaN, names that stay in their folder."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from concord.errors import FileFormatError
from concord.files.output import (
    FORMULA_STARTS,
    below,
    csv_text,
    distinct_names,
    indented_json,
    plain_cell,
    safe_cell,
    safe_name,
    write_bytes,
    write_csv,
    write_json,
    write_lines,
    write_text,
)
from concord.files.rows import read_back
from concord.kinds import Kind


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


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    max_leaves=25,
)


class Colour(IntEnum):
    RED = 3


def by_the_library(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)


@given(VALUES)
def test_every_document_has_the_bytes_of_the_standard_library(document: Any) -> None:
    assert indented_json(document) == by_the_library(document)


@pytest.mark.parametrize(
    "document",
    [
        {1: "a"},
        {None: 2.5, True: []},
        [np.float64(0.1)],
        {"c": Colour.RED},
        {"a": {"b": [{}, (), "é\u2028\x00"]}},
    ],
)
def test_what_only_the_library_can_write_is_left_to_it(document: Any) -> None:
    assert indented_json(document) == by_the_library(document)


@pytest.mark.parametrize(
    ("document", "fault"),
    [([float("nan")], ValueError), ({"a": -float("inf")}, ValueError), ({1, 2}, TypeError)],
)
def test_what_is_no_json_is_refused_in_the_words_of_the_library(document: Any, fault: type) -> None:
    with pytest.raises(fault, match="JSON") as ours:
        indented_json(document)
    with pytest.raises(fault, match="JSON") as theirs:
        by_the_library(document)
    assert str(ours.value) == str(theirs.value)


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


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("my notes", "utf-8")
    ways: tuple[tuple[str, Callable[[Path], None]], ...] = (
        ("a.csv", lambda path: write_csv(path, ["x"], [[1]])),
        ("a.json", lambda path: write_json(path, {"x": 1})),
        ("a.html", lambda path: write_text(path, "page")),
        ("a.png", lambda path: write_bytes(path, b"png")),
        ("a.jsonl", lambda path: write_lines(path, [{"x": 1}])),
    )
    for name, write in ways:
        place = tmp_path / name
        place.symlink_to(mine)
        write(place)
        assert not place.is_symlink() and place.stat().st_size
        assert mine.read_text("utf-8") == "my notes"
    assert not list(tmp_path.glob(".*"))


def test_a_file_is_put_in_its_place_whole_or_not_at_all(tmp_path: Path) -> None:
    write_text(tmp_path / "a.jsonl", "before")

    def rows() -> Iterator[dict[str, int]]:
        yield {"x": 1}
        raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        write_lines(tmp_path / "a.jsonl", rows())
    assert (tmp_path / "a.jsonl").read_text("utf-8") == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_nothing_is_written_below_a_folder_for_reading_through_a_link(tmp_path: Path) -> None:
    run, mine = tmp_path / "run", tmp_path / "mine"
    run.mkdir()
    mine.mkdir()
    assert below(run, "audit") == run / "audit"
    (run / "audit").symlink_to(mine, target_is_directory=True)
    with pytest.raises(FileFormatError, match="is a link to another folder, in which nothing is written"):
        below(run, "audit")
    (run / "results").mkdir()
    (run / "results" / "framing").symlink_to(mine, target_is_directory=True)
    with pytest.raises(FileFormatError, match="framing is a link"):
        below(run, "results")


def test_no_study_or_model_takes_the_place_of_a_file_that_concord_writes() -> None:
    """Every file that a kind of result declares, and the folders that runs and audits make."""
    written = {"audit", "results", "logs", "inputs"}
    for name in ("people.files", "people.agents", "people.referee", "people.studies.results", "reports"):
        import_module(f"concord.{name}")
    for kind in every_kind(Kind):
        written |= {kind.FILE, *(table.file for table in kind.TABLES)}
    for name in filter(None, written):
        assert safe_name(name) == f"_{name}", name
        assert safe_name(name.upper()) == f"_{name.upper()}"


def every_kind(kind: type[Kind]) -> Iterator[type[Kind]]:
    for one in kind.__subclasses__():
        yield from (one, *every_kind(one))
