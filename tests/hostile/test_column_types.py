"""A column of any type in any place of any table is a result or a message, in a frame and in a file."""

import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.hostile.column_types import COLUMNS, NUMBERS, TABLES, VAST, N, pandas_columns

from concord.errors import ConcordError

pytestmark = pytest.mark.long


def _tried(read: Any, table: object, what: str) -> None:
    """Read a table; anything but a result or a deliberate error is told with what was read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            read(table)
        except ConcordError as error:
            assert 0 < len(str(error)) < 20_000, what
        except BaseException as error:
            error.add_note(what)
            raise


@pytest.mark.parametrize("name", TABLES)
def test_the_whole_table_is_read(name: str) -> None:
    columns, read = TABLES[name]
    assert read(pl.DataFrame(columns)) is not None


@pytest.mark.parametrize("name", TABLES)
def test_a_column_of_any_type_in_a_frame_is_a_result_or_a_message(name: str) -> None:
    columns, read = TABLES[name]
    for title in columns:
        for kind, column in COLUMNS.items():
            frame = pl.DataFrame(columns).with_columns(column.alias(title))
            _tried(read, frame, f"{name}: {title} holds {kind}")


@pytest.mark.parametrize("name", TABLES)
def test_a_column_of_any_type_in_a_parquet_file_is_a_result_or_a_message(tmp_path: Path, name: str) -> None:
    columns, read = TABLES[name]
    if name == "vignettes":
        pytest.skip("vignettes are read from JSON")
    for place, (kind, column) in enumerate(COLUMNS.items()):
        if kind == "object":
            continue  # no file holds it
        titles = list(columns)
        title = titles[place % len(titles)]
        path = tmp_path / "t.parquet"
        pl.DataFrame(columns).with_columns(column.alias(title)).write_parquet(path)
        _tried(read, path, f"{name}: {title} holds {kind}")


@pytest.mark.parametrize("name", TABLES)
def test_a_column_that_only_pandas_holds_is_a_result_or_a_message(name: str) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    columns, read = TABLES[name]
    for title in columns:
        for kind, column in pandas_columns():
            frame = pandas.DataFrame(columns)
            frame[title] = column
            _tried(read, frame, f"{name}: {title} holds {kind}")
        for names in ([7] * len(columns), [(1, one) for one in columns], [*columns][:-1] + [None]):
            frame = pandas.DataFrame(columns)
            frame.columns = names
            _tried(read, frame, f"{name}: columns are named {names}")


@pytest.mark.parametrize("name", NUMBERS)
def test_a_vast_or_impossible_number_is_a_result_or_a_message(name: str) -> None:
    columns, read = NUMBERS[name]
    for title in [title for title, cells in columns.items() if isinstance(cells[0], int | float)]:
        for value in VAST:
            for places in ((1,), range(N)):
                rows = [{key: cells[i] for key, cells in columns.items()} for i in range(N)]
                for i in places:
                    rows[i][title] = value
                _tried(read, rows, f"{name}: {title} is {value} in rows {list(places)}")
