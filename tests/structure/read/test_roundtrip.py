"""What is written is read: any scores, any names, through workbook, CSV and Parquet."""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.structure.read.folder import read_folders
from concord.structure.read.long import read_long
from concord.structure.read.sheet import item_name, number_duplicates
from concord.structure.records import ReadOptions, ScoreGrid, ScoreSet

score = st.floats(0, 1, allow_nan=False)
cell = st.one_of(st.none(), score)
names = st.lists(
    st.text(st.characters(categories=("L", "Nd")), min_size=1, max_size=6).map(item_name).filter(bool),
    min_size=1, max_size=6, unique=True,
)  # fmt: skip


@st.composite
def cells(draw: st.DrawFn) -> tuple[list[str], list[list[float | None]]]:
    items = draw(names)
    rows = [[draw(cell), draw(cell)] for _ in items]
    rows[0] = [draw(score), draw(score)]  # every arrangement has a value
    return items, rows


def expect(found: ScoreSet, items: list[str], rows: list[list[float | None]]) -> None:
    model: ScoreGrid = found.models[0]
    written = {i: np.array([np.nan if v is None else v for v in r]) for i, r in zip(items, rows, strict=True)}
    read = dict(zip(model.items, model.mean, strict=True))
    for item, values in written.items():
        if item in read:
            np.testing.assert_array_equal(read[item], values)
        else:
            assert np.isnan(values).all()


@settings(max_examples=25, deadline=None)
@given(cells())
def test_a_workbook_round_trip(data: tuple[list[str], list[list[float | None]]]) -> None:
    items, rows = data
    with tempfile.TemporaryDirectory() as name:
        for side in ("mean", "max"):
            (Path(name) / side).mkdir()
            book = xlsxwriter.Workbook(Path(name) / side / "m.xlsx", {"strings_to_numbers": False})
            for p in range(2):
                page = book.add_worksheet(f"P{p}")
                page.write_row(0, 0, ["item", f"P{p}_S_Acc"])
                for i, item in enumerate(items):
                    page.write_string(i + 1, 0, item)
                    value = rows[i][p]
                    if value is not None:
                        page.write_number(i + 1, 1, value)
            book.close()
        found = read_folders(Path(name) / "mean", Path(name) / "max", ReadOptions())
    model = found.models[0]
    for i, item in enumerate(items):
        want = [np.nan if v is None else v for v in rows[i]]
        # a workbook stores 16 digits
        np.testing.assert_allclose(model.mean[model.items.index(item)], want, rtol=1e-15, atol=0)


@settings(max_examples=40, deadline=None)
@given(cells())
def test_a_long_table_round_trip(data: tuple[list[str], list[list[float | None]]]) -> None:
    items, rows = data
    frame = pl.DataFrame(
        [("m", f"P{p}", item, rows[i][p], rows[i][p]) for i, item in enumerate(items) for p in range(2)],
        schema={
            "model": pl.String, "arrangement": pl.String, "item": pl.String,
            "S_mean": pl.Float64, "S_max": pl.Float64,
        },
        orient="row",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        frame.write_csv(Path(name) / "x.csv")
        frame.write_parquet(Path(name) / "x.parquet")
        for source in (Path(name) / "x.csv", Path(name) / "x.parquet", frame):
            expect(read_long(source, ReadOptions()), items, rows)


@given(st.lists(st.sampled_from(["x", "y", "x (2)", "x (3)", ""]), max_size=12))
def test_numbered_duplicates_are_unique_and_keep_first_names(items: list[str]) -> None:
    numbered, duplicates = number_duplicates(items)
    assert len(set(numbered)) == len(items)
    assert set(duplicates) == {item for item in items if items.count(item) > 1}
    for name in set(items):
        assert numbered[items.index(name)] == name
