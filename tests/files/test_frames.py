"""Dates beyond the year 9999 end in a result or a message, in every reader of tables."""

from pathlib import Path

import polars as pl
import pytest

import concord
from concord.errors import ConcordError
from concord.files.frames import without_far_dates
from concord.files.tables import read_grid

FAR = {
    "days": pl.Series([3_000_000 * 365, 5, None], dtype=pl.Int32).cast(pl.Date),
    "ms": pl.Series([9 * 10**18, 5, None], dtype=pl.Int64).cast(pl.Datetime("ms")),
    "before": pl.Series([-(10**9), 5, None], dtype=pl.Int32).cast(pl.Date),
    "zone": pl.Series([9 * 10**18, 5, None], dtype=pl.Int64).cast(pl.Datetime("ms", "Asia/Tokyo")),
}


@pytest.mark.parametrize("kind", FAR)
def test_a_far_date_is_a_text_and_the_others_stay_readable(kind: str, tmp_path: Path) -> None:
    pl.DataFrame({"when": FAR[kind], "n": [1, 2, 3]}).write_parquet(tmp_path / "far.parquet")
    cells = read_grid(tmp_path / "far.parquet").cells(0)
    assert str(cells[0]).startswith("day ") and str(cells[1]).startswith("1970-01-0") and cells[2] is None


def test_dates_within_the_years_stay_dates() -> None:
    frame = pl.DataFrame({"when": pl.Series([0, 2_900_000, None], dtype=pl.Int32).cast(pl.Date)})
    assert without_far_dates(frame).equals(frame)


@pytest.mark.parametrize("kind", FAR)
def test_no_reader_of_columns_panics(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "far.parquet"
    pl.DataFrame({"item": FAR[kind], "score": [1.0, 0.0, 1.0]}).write_parquet(path)
    with pytest.raises(ConcordError, match="item"):
        concord.compare(path, path)
    named = pl.DataFrame({"outcome": FAR[kind].fill_null(strategy="forward"), "person": ["p", "q", "r"]})
    answers = named.with_columns(human=pl.Series([1, 2, 3]), agent=pl.Series([1, 2, 2]))
    answers.write_parquet(path)
    assert concord.score_answers(path, n_resamples=20).agents


def test_durations_are_text_and_dates_inside_lists_are_numbers() -> None:
    frame = pl.DataFrame(
        {
            "took": pl.Series([5_000, 2**62, -1, None], dtype=pl.Int64).cast(pl.Duration("ms")),
            "days": [[pl.Series([3], dtype=pl.Int32).cast(pl.Date)[0]]] * 4,
        }
    )
    found = without_far_dates(frame)
    assert found["took"].to_list() == ["0:00:05", "53375995583 days", "-1 day, 23:59:59.999000", None]
    assert found["days"].to_list() == [[3]] * 4


@pytest.mark.parametrize("kind", FAR)
def test_a_far_date_in_a_frame_of_answers_is_a_name(kind: str) -> None:
    frame = pl.DataFrame({"outcome": FAR[kind].fill_null(strategy="forward"), "person": ["p", "q", "r"]})
    answers = frame.with_columns(human=pl.Series([1, 2, 3]), agent=pl.Series([1, 2, 2]))
    assert concord.score_answers(answers, n_resamples=20).agents


@pytest.mark.parametrize("column", [[[1], [2]], [b"a", b"b"], [{"a": 1}, {"a": 2}]])
def test_a_column_of_answers_that_holds_no_single_values_is_named(column: list[object]) -> None:
    frame = pl.DataFrame({"outcome": ["o", "o"], "human": column, "agent": [1, 2]})
    with pytest.raises(ConcordError, match="column 'human' holds .*, expected names or answers"):
        concord.score_answers(frame)
