"""Golden messages for bad cells: file, sheet, row, column, value, and what to do."""

from typing import Any, TypeAlias

import openpyxl
import pytest

Build: TypeAlias = Any


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("good", "got 'good', expected a number from 0 to 1, or an empty cell; fix it; without --strict"),
        ("85%", "got '85%', expected a number from 0 to 1, without a percent sign: write 0.85 for 85%"),
        ("0,85", "got '0,85', expected a number from 0 to 1; use --decimal-comma if this is a decimal comma"),
        ("#DIV/0!", "got '#DIV/0!', expected a number from 0 to 1"),
        ("1_0", "got '1_0', expected a number from 0 to 1"),
        ("０.５", "got '０.５', expected a number from 0 to 1"),
        (True, "got 'TRUE', expected a number from 0 to 1"),
        ("-Inf", "got '-Inf', expected a number from 0 to 1, not an infinite one; leave the cell empty"),
        (1.2, "got 1.2, expected a number from 0 to 1"),
        (-0.3, "got -0.3, expected a number from 0 to 1"),
        (("=1/0", "#DIV/0!"), "got '#DIV/0!', expected a number from 0 to 1"),
    ],
)
def test_a_bad_cell_refuses_its_model_and_names_the_place(build: Build, cell: object, expected: str) -> None:
    build.good()
    build.both(
        "m.xlsx",
        {**build.pair(0.5, 0.4), "CDAB": build.sheet("CDAB", 0.5, cell)},
        {**build.pair(0.6, 0.6), "CDAB": build.sheet("CDAB", 1, 1)},
    )
    result = build.run(strict=True)
    assert build.names(result) == ["good"]
    assert (
        f"model 'm': baseline_mean/m.xlsx, sheet 'CDAB', row 3, column 'CDAB_S_Acc': {expected}"
        in build.said(result)
    )


def test_scores_from_0_to_100_are_named_as_such(build: Build) -> None:
    build.both("m.xlsx", build.pair(55.0, 70.0, 12.5), build.pair(60.0, 80.0, 20.0))
    message = build.refused()
    # one cause is one line with its rows
    assert "sheet 'ABDC', rows 2, 3, 4, column 'ABDC_S_Acc'" in message
    assert "expected a number from 0 to 1" in message
    assert (
        "the scores seen run from 12.5 to 80: these look like scores from 0 to 100; use --percent" in message
    )
    result = build.run(percent=True, reading="paired")
    assert result.models[0].consistency.e_perf.value == pytest.approx((0.05 + 0.1 + 0.075) / 3)


def test_percent_on_scores_that_are_0_to_1_is_warned(build: Build) -> None:
    build.both("m.xlsx", build.pair(0.5), build.pair(0.6))
    result = build.run(percent=True)
    build.says(result, "m: --percent, but the largest score is 0.6; are the scores 0 to 1 already?")


def test_one_score_of_1_point_2_shows_the_range_seen(build: Build) -> None:
    build.both("m.xlsx", build.pair(0.5, 0.25), build.pair(0.6, 1.2))
    message = build.refused()
    assert "the scores seen run from 0.25 to 1.2" in message
    assert "--percent" not in message


def test_rounding_beyond_1_is_clipped_and_warned(build: Build) -> None:
    build.both("m.xlsx", build.pair(0.5, 0.25), build.pair(1.0000000001, -1e-9))
    result = build.run(reading="paired")
    text = build.said(result)
    assert (
        "m: 4 score cells clipped to [0, 1]: baseline_max/m.xlsx, sheet 'ABDC', row 2, column 'ABDC_S_Acc'"
        in text
    )
    assert result.models[0].arrangements[0].max_score == pytest.approx(0.5)


@pytest.mark.parametrize(
    "cell", [None, "", " ", "N/A", "na", "n.a.", "#N/A", "NaN", "NULL", "none", "-", "–", "—", "."]
)
def test_missing_cells_are_counted_per_arrangement(build: Build, cell: object) -> None:
    build.both(
        "m.xlsx",
        {**build.pair(0.5, 0.25), "CDAB": build.sheet("CDAB", 0.5, cell)},
        {**build.pair(0.6, 0.6), "CDAB": build.sheet("CDAB", 1, 1)},
    )
    result = build.run(reading="paired")
    assert result.models[0].n_missing == 1
    assert [row.counts.missing_mean for row in result.models[0].arrangements] == [0, 0, 1]
    build.says(result, "m: missing scores in 1 arrangements: 'CDAB' 1 in the mean data, 0 in the max data")
    assert result.models[0].consistency.gaps[2] == pytest.approx(0.5)


def test_a_number_stored_as_text_is_a_number_counted_and_warned(build: Build) -> None:
    build.both("m.xlsx", {"A": build.sheet("A", "0.5", 0.25)}, {"A": build.sheet("A", 0.6, 0.35)})
    result = build.run(reading="paired")
    assert result.models[0].consistency.e_perf.value == pytest.approx(0.1)
    assert (
        "m: 1 numbers are stored as text and read as numbers (baseline_mean/m.xlsx, sheet 'A')"
        in build.said(result)
    )


def test_text_is_missing_named_and_listed_unless_strict(build: Build) -> None:
    build.both("m.xlsx", {"A": build.sheet("A", "bad", 0.25)}, {"A": build.sheet("A", 0.6, 0.35)})
    result = build.run(reading="paired")
    assert result.models[0].n_missing == 1
    expected = "m: 1 text cells count as missing: baseline_mean/m.xlsx, sheet 'A', row 2, column"
    assert expected in build.said(result)
    assert result.scores.left_out[0].cell is not None and result.left_out == ()
    again = build.run(reading="paired", missing="bad", strict=True)
    assert again.models[0].n_missing == 1 and again.scores.left_out == ()


def test_scores_out_of_range_refuse_the_model(build: Build) -> None:
    build.both("m.xlsx", {"A": build.sheet("A", 1.2, 0.25)})
    assert "got 1.2, expected a number from 0 to 1" in build.refused()


def test_a_formula_without_a_stored_value_is_missing_and_named(build: Build) -> None:
    build.both("m.xlsx", {"A": build.sheet("A", 0.5, 0.25)}, {"A": build.sheet("A", 0.6, 0.35)})
    path = build.mean / "m.xlsx"
    book = openpyxl.load_workbook(path)
    book["A"]["B3"] = "=B2/2"
    book.save(path)
    result = build.run(reading="paired")
    assert result.models[0].n_missing == 1
    text = build.said(result)
    assert "m: 1 formula cells hold no stored value and count as missing" in text
    assert (
        "baseline_mean/m.xlsx, sheet 'A', row 3, column 'A_S_Acc': got 'a formula without a stored value'"
        in text
    )


def test_mean_above_max_is_warned_with_both_values(build: Build) -> None:
    build.both("m.xlsx", build.pair(0.5, 0.25, 0.3), build.pair(0.4, 0.5, 0.6))
    text = build.said(build.run())
    assert "m: mean above max in 2 of 6 paired cells: sheet 'ABDC', item 'item1': mean 0.5, max 0.4" in text


def test_mean_above_max_in_most_cells_refuses_the_model(build: Build) -> None:
    build.good()
    build.both("m.xlsx", build.pair(0.5, 0.25, 0.9), build.pair(0.4, 0.1, 1.0))
    result = build.run()
    assert build.names(result) == ["good"]
    build.says(result, "are the mean and max folders (or columns) swapped?")


def test_identical_files_are_warned(build: Build) -> None:
    path = build.book("mean", "m.xlsx", build.pair(0.5, 0.6))
    build.max.mkdir()
    (build.max / "m.xlsx").write_bytes(path.read_bytes())
    text = build.said(build.run())
    assert "m: 1 mean and max files are identical (baseline_mean/m.xlsx and baseline_max/m.xlsx)" in text
    assert "m: mean and max hold the same scores in all 4 paired cells" in text


def test_items_on_one_side_only_are_counted(build: Build) -> None:
    build.both("m.xlsx", {"A": build.sheet("A", 0.5, 0.25)}, {"A": [*build.sheet("A", 0.6), ["other", 0.9]]})
    result = build.run(reading="paired")
    expected = "not paired, in 1 arrangements: 'A' 1 only in the mean data, 1 only in the max data"
    assert expected in build.said(result)
    assert result.models[0].n_items == 1


def test_sheets_of_percentages_are_read_and_told(build: Build) -> None:
    build.both("m.xlsx", build.pair("55%", "70 %", "12,5 %"), build.pair("60%", "80%", "20%"))
    result = build.run(reading="paired")
    assert result.models[0].consistency.e_perf.value == pytest.approx((0.05 + 0.1 + 0.075) / 3)
    build.says(result, "percentages, divided by 100")
    assert "stored as text" not in build.said(result)
    same = build.run(reading="paired", percent=True)  # divided once
    assert same.models[0].consistency.e_perf.value == pytest.approx((0.05 + 0.1 + 0.075) / 3)


def test_of_two_numbers_in_every_cell_the_first_is_the_score(build: Build) -> None:
    build.both("m.xlsx", build.pair("0.55 (0.1)", "0.7 ± 0.2"), build.pair("0.6 (0.1)", "0.8 (SE 0.2)"))
    result = build.run(reading="paired")
    assert result.models[0].consistency.e_perf.value == pytest.approx((0.05 + 0.1) / 2)
    build.says(result, "two numbers in each cell; the first is read, the second is not used")


def test_signs_beside_bare_numbers_stay_named(build: Build) -> None:
    build.both("m.xlsx", build.pair("55%", 0.7, 0.125), build.pair(0.6, 0.8, 0.2))
    result = build.run(reading="paired")
    build.says(result, "2 text cells count as missing")
    build.says(result, "got '55%'")
