"""The same table, written in other ways, gives the same result."""

import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.files.grids import workbook

import concord
from concord.comparing.result import CompareResult
from concord.people.table.read import read_tests
from concord.records import TestTable

COLUMNS = (
    "study",
    "finding",
    "test",
    "test_type",
    "human_statistic",
    "human_n",
    "agent_statistic",
    "agent_n",
)
ROWS: list[tuple[Any, ...]] = [
    ("S1", "F1", "a", "t-test", 2.5, 60, -1.25, 80),
    ("S1", "F2", "b, c", "t-test", -0.4, 61, 3.5, 80),
    ("S2", "F1", 'd "e"', "correlation", 0.31, 50, 0.125, 200),
    ("Gûnel", "F1", "井底之蛙", "t-test", 2.41, 120, 1.5, 100),
]


def _said(table: TestTable) -> list[Any]:
    """Everything but the row numbers, in an order of its own."""
    rows = [(row.key, row.test_type, row.human, row.agent) for row in table.rows]
    return sorted(rows, key=lambda row: row[0])


def _cell(cell: object, mark: str, *, quoted: bool) -> str:
    text = str(cell)
    needs = quoted or any(sign in text for sign in (mark, '"', "\n"))
    return '"' + text.replace('"', '""') + '"' if needs else text


def _text(
    *, mark: str = ",", end: str = "\n", quoted: bool = False, rows: list[tuple[Any, ...]] | None = None
) -> str:
    lines = [COLUMNS, *(ROWS if rows is None else rows)]
    return end.join(mark.join(_cell(cell, mark, quoted=quoted) for cell in line) for line in lines) + end


def _file(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.fixture
def expected(tmp_path: Path) -> list[Any]:
    return _said(read_tests(_file(tmp_path, _text())))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("quoted", [False, True])
def test_line_ends_delimiters_and_quotes_change_nothing(
    tmp_path: Path, expected: list[Any], end: str, mark: str, quoted: bool
) -> None:
    assert _said(read_tests(_file(tmp_path, _text(mark=mark, end=end, quoted=quoted)))) == expected


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_encodings_change_nothing(tmp_path: Path, expected: list[Any], encoding: str) -> None:
    named = encoding if encoding == "gb18030" else None
    assert _said(read_tests(_file(tmp_path, _text(), encoding), encoding=named)) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-", "\u2212"),
        (",S", ", S"),
        ("60", " 60 "),
        ("60", "\u00a060"),
        ("study,finding", "STUDY,Finding"),
        ("2.5", "2.50"),
    ],
)
def test_minus_signs_blanks_case_and_zeros_change_nothing(
    tmp_path: Path, expected: list[Any], old: str, new: str
) -> None:
    text = _text()
    head, _, body = text.partition("\n")
    changed = text.replace(old, new) if old == "study,finding" else f"{head}\n{body.replace(old, new)}"
    changed = changed.replace(f"t{new}test", f"t{old}test")
    assert _said(read_tests(_file(tmp_path, changed))) == expected


def test_order_blank_lines_and_other_columns_change_nothing(tmp_path: Path, expected: list[Any]) -> None:
    rows = random.Random(1).sample(ROWS, len(ROWS))  # noqa: S311 - a fixed seed
    assert _said(read_tests(_file(tmp_path, _text(rows=rows).replace("\n", "\n\n")))) == expected
    frame = pl.DataFrame(ROWS, schema=COLUMNS, orient="row").with_columns(note=pl.lit("x"))
    assert _said(read_tests(frame.select(sorted(frame.columns)))) == expected


def test_a_decimal_comma_changes_nothing(tmp_path: Path, expected: list[Any]) -> None:
    rows = [tuple(str(c).replace(".", ",") if isinstance(c, float) else c for c in row) for row in ROWS]
    assert _said(read_tests(_file(tmp_path, _text(mark=";", rows=rows)), decimal_comma=True)) == expected


def test_every_format_gives_the_same(tmp_path: Path, expected: list[Any]) -> None:
    frame = pl.DataFrame(ROWS, schema=COLUMNS, orient="row")
    frame.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.json").write_text(json.dumps(frame.to_dicts()), "utf-8")
    book = workbook(tmp_path, {"S": [list(COLUMNS), *map(list, ROWS)]})
    for source in (
        frame,
        frame.to_pandas(),
        frame.to_dicts(),
        tmp_path / "t.parquet",
        tmp_path / "t.json",
        book,
    ):
        assert _said(read_tests(source)) == expected


def test_swapping_the_sides_of_a_comparison_turns_its_sign() -> None:
    rng = random.Random(2)  # noqa: S311 - a fixed seed
    sides = [[{"item": i, "score": rng.random()} for i in range(40)] for _ in range(2)]
    one, other = concord.compare(*sides), concord.compare(*reversed(sides))
    assert isinstance(one, CompareResult)
    assert isinstance(other, CompareResult)
    assert one.difference is not None and one.difference.value is not None
    assert other.difference is not None and other.difference.value is not None
    assert one.difference.value == pytest.approx(-other.difference.value, abs=1e-15)
    assert one.p_value == pytest.approx(other.p_value, abs=1e-12)
    mixed = [rng.sample(side, len(side)) for side in sides]
    again = concord.compare(*mixed)
    assert isinstance(again, CompareResult)
    assert again.difference == one.difference
