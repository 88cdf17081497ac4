"""The same table in every format: what is written is what is read."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from concord.files.cells import is_missing
from concord.people.table.read import read_tests

Row = dict[str, object]

_NAMES = st.one_of(
    st.text("abcÄé 0123456789.,;'\"-_=+<>&χ\n\t", min_size=1, max_size=8).map(str.strip),
    st.sampled_from(["007", "1.0", "1e5", "true", "TRUE", "=1+1", "inf", "1_0", "2020-01-02", "#REF!", "@x"]),
).filter(lambda name: not is_missing(name))
_NUMBERS = st.one_of(
    st.just(0.0),
    st.integers(-(10**6), 10**6).map(lambda digits: digits / 1000),
    st.sampled_from([1e-12, -1e-300, 0.1, 123456789.125, 1e15]),
)
_COUNTS = st.integers(3, 5000)
_CHANCES = st.one_of(
    st.sampled_from([0.0, 1.0, 1e-12, 0.05]), st.integers(0, 1000).map(lambda digits: digits / 1000)
)


@st.composite
def _side(draw: st.DrawFn, test_type: str) -> Row:
    if test_type == "t-independent":
        return {"statistic": draw(_NUMBERS), "n1": draw(_COUNTS), "n2": draw(_COUNTS)}
    if test_type == "anova":
        return {"statistic": abs(draw(_NUMBERS)), "df1": draw(st.integers(1, 4)), "df2": draw(_COUNTS)}
    if test_type == "binomial":
        n = draw(_COUNTS)
        return {"k": draw(st.integers(0, n)), "n": n, "p0": draw(st.sampled_from([0.5, 0.25]))}
    if test_type == "chi-square":
        return {"table": [[draw(_COUNTS) for _ in range(3)] for _ in range(2)]}
    return {"p_value": draw(_CHANCES), "direction": draw(st.sampled_from([-1, 0, 1]))}


@st.composite
def _rows(draw: st.DrawFn) -> list[Row]:
    keys = draw(st.lists(st.tuples(_NAMES, _NAMES), min_size=1, max_size=4, unique=True))
    rows = []
    for study, test in keys:
        kind = draw(st.sampled_from(["t-independent", "anova", "binomial", "chi-square", "p-value"]))
        row: Row = {"study": study, "finding": draw(_NAMES), "test": test, "test_type": kind}
        for side in draw(st.sets(st.sampled_from(["human", "agent"]), min_size=1)):
            row |= {f"{side}_{name}": value for name, value in draw(_side(kind)).items()}
        rows.append(row | {"pas": draw(st.none() | _CHANCES)})
    header = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in header} for row in rows]


def _flat(rows: list[Row]) -> list[Row]:
    """Write tables as text, for formats without nested cells."""
    return [
        {name: json.dumps(cell) if isinstance(cell, list) else cell for name, cell in row.items()}
        for row in rows
    ]


def _csv(rows: list[Row], folder: Path) -> Path:
    pl.DataFrame(_flat(rows), infer_schema_length=None, strict=False).write_csv(folder / "t.csv")
    return folder / "t.csv"


def _parquet(rows: list[Row], folder: Path) -> Path:
    pl.DataFrame(rows, infer_schema_length=None, strict=False).write_parquet(folder / "t.parquet")
    return folder / "t.parquet"


def _json(rows: list[Row], folder: Path) -> Path:
    (folder / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder / "t.json"


def _xlsx(rows: list[Row], folder: Path) -> Path:
    with xlsxwriter.Workbook(str(folder / "t.xlsx"), {"strings_to_formulas": False}) as book:
        sheet = book.add_worksheet("S")
        for i, cells in enumerate([list(rows[0]), *(list(row.values()) for row in _flat(rows))]):
            sheet.write_row(i, 0, cells)
    return folder / "t.xlsx"


def _polars(rows: list[Row], _: Path) -> pl.DataFrame:
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def _pandas(rows: list[Row], _: Path) -> pd.DataFrame:
    return pd.DataFrame(rows)


@pytest.mark.parametrize("write", [_csv, _xlsx, _parquet, _json, _polars, _pandas])
@given(rows=_rows())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_survive_every_format(
    write: Callable[[list[Row], Path], object], rows: list[Row], tmp_path: Path
) -> None:
    direct = read_tests(rows)
    assert read_tests(write(rows, tmp_path)).rows == direct.rows  # type: ignore[arg-type]


def test_the_input_file_is_recorded(tmp_path: Path) -> None:
    row: Row = {"study": "S", "finding": "F", "test": "T", "test_type": "p", "human_p_value": 0.2}
    path = _csv([row], tmp_path)
    (found,) = read_tests(path).inputs
    assert (found.name, found.size) == ("t.csv", path.stat().st_size)
    assert read_tests([row]).inputs == ()


def test_a_sheet_is_chosen_by_name(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("Notes").write(0, 0, "read me")
        sheet = book.add_worksheet("Tests")
        sheet.write_row(0, 0, ["study", "finding", "test", "test_type", "human_p_value"])
        sheet.write_row(1, 0, [1, 2, 3, "p", 0.0])
    table = read_tests(path, sheet="Tests")
    assert table.rows[0].key == ("1", "", "2", "3")
    assert table.rows[0].human is not None
    assert table.rows[0].human.p_value == 0.0
