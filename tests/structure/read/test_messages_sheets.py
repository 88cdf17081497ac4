"""Golden messages for bad sheets: file, sheet, row, column, value, and what to do."""

from typing import Any, TypeAlias

import pytest

Build: TypeAlias = Any


def test_a_sheet_with_a_header_only(build: Build) -> None:
    bare, full = {"CDAB": build.sheet("CDAB")}, {"CDAB": build.sheet("CDAB", 0.6)}
    build.both("m.xlsx", build.pair(0.5) | bare, build.pair(0.6) | full)
    result = build.run()
    assert result.models[0].n_arrangements == 2
    build.says(result, "arrangement 'CDAB': baseline_mean/m.xlsx, sheet 'CDAB': only a header, no rows")


def test_no_score_column_names_the_columns_and_the_option(build: Build) -> None:
    odd = {**build.pair(0.5), "CDAB": [["Idiom", "Note", "Points"], ["a", "x", 0.5]]}
    build.both("m.xlsx", odd, {**build.pair(0.6), "CDAB": [["Idiom", "Points"], ["a", 0.6]]})
    text = build.said(build.run())
    assert "baseline_mean/m.xlsx, sheet 'CDAB': no score column (none ends in S_Acc)" in text
    assert "columns found: 'Idiom', 'Note', 'Points'; name the score column with --column NAME" in text


def test_the_column_option_names_the_score_column(build: Build) -> None:
    rows = [["Idiom", "ABDC_Points", "ABDC_S_Acc"], ["a", 0.2, 0.9]]
    build.both("m.xlsx", {"ABDC": rows}, {"ABDC": [rows[0], ["a", 0.5, 0.9]]})
    assert build.run(column="Points").models[0].consistency.e_perf.value == pytest.approx(0.3)
    message = build.refused(column="Nothing")
    assert "no column 'Nothing' (--column); columns found: 'Idiom', 'ABDC_Points', 'ABDC_S_Acc'" in message


def test_no_usable_value(build: Build) -> None:
    build.both(
        "m.xlsx",
        {**build.pair(0.5), "CDAB": build.sheet("CDAB", None, "N/A")},
        {**build.pair(0.6), "CDAB": build.sheet("CDAB", 1, 1)},
    )
    expected = "baseline_mean/m.xlsx, sheet 'CDAB': no usable value in column 'CDAB_S_Acc'"
    assert expected in build.said(build.run())


def test_several_score_columns_with_the_sheets_own(build: Build) -> None:
    rows = [["Idiom", "ABDC_S_Acc", "old_S_Acc"], ["a", 0.5, 0.1]]
    build.both("m.xlsx", {"ABDC": rows}, {"ABDC": [rows[0], ["a", 0.6, 0.1]]})
    result = build.run()
    assert result.models[0].consistency.e_perf.value == pytest.approx(0.1)
    build.says(result, "baseline_mean/m.xlsx, sheet 'ABDC': column 'ABDC_S_Acc' is used, not 'old_S_Acc'")


def test_several_score_columns_without_the_sheets_own_are_refused(build: Build) -> None:
    build.both("m.xlsx", {"ABDC": [["Idiom", "x_S_Acc", "y_S_Acc"], ["a", 0.5, 0.1]]})
    message = build.refused()
    assert (
        "sheet 'ABDC': several score columns: 'x_S_Acc', 'y_S_Acc'; name the one to use with --column"
        in message
    )


def test_the_same_score_column_twice_is_refused(build: Build) -> None:
    build.both("m.xlsx", {"ABDC": [["Idiom", "ABDC_S_Acc", "ABDC_S_Acc"], ["a", 0.5, 0.1]]})
    assert "several score columns: 'ABDC_S_Acc', 'ABDC_S_Acc'" in build.refused()


def test_rows_without_an_item_column_pair_by_position_and_it_is_said(build: Build) -> None:
    build.both("m.xlsx", {"ABDC": [["ABDC_S_Acc"], [0.5], [0.1]]}, {"ABDC": [["ABDC_S_Acc"], [0.6], [0.4]]})
    result = build.run(reading="paired")
    assert result.models[0].consistency.e_perf.value == pytest.approx(0.2)
    build.says(result, "baseline_mean/m.xlsx, sheet 'ABDC': no item column; rows are paired by position")


def test_duplicate_items_pair_by_order_of_occurrence(build: Build) -> None:
    rows = [["Idiom", "A_S_Acc"], ["x", 0.1], ["x", 0.5], ["y", 0.2]]
    tops = [["Idiom", "A_S_Acc"], ["y", 0.4], ["x", 0.2], ["x", 0.9]]
    build.both("m.xlsx", {"A": rows}, {"A": tops})
    result = build.run(reading="paired")
    assert result.models[0].consistency.e_perf.value == pytest.approx((0.1 + 0.4 + 0.2) / 3)
    build.says(result, "baseline_mean/m.xlsx, sheet 'A': duplicate items 'x'; paired by order of occurrence")


def test_leading_empty_rows_do_not_shift_row_numbers(build: Build) -> None:
    build.both("m.xlsx", {"A": [[None], [None], ["Idiom", "A_S_Acc"], ["x", 0.1], ["y", "bad"]]})
    assert "m.xlsx, sheet 'A', row 5, column 'A_S_Acc': got 'bad'" in build.refused(strict=True)
