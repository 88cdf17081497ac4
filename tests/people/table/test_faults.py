"""One golden message per kind of bad cell: file, sheet, row, column, value, what was expected."""

from collections.abc import Callable
from pathlib import Path

import pytest
import xlsxwriter

from concord.errors import FileFormatError, TableError
from concord.people.table.read import read_tests

Cells = dict[str, object]


def _human(test_type: str, **cells: object) -> Cells:
    base: Cells = {"study": "S1", "finding": "F1", "test": "T1", "test_type": test_type}
    return base | {f"human_{name}": value for name, value in cells.items()}


def _message(*rows: Cells) -> str:
    with pytest.raises(TableError) as caught:
        read_tests(rows)
    return str(caught.value)


TYPES = (
    "t-independent, t-paired, t-one-sample, anova, anova-within, regression, correlation, chi-square, "
    "binomial, mann-whitney, wilcoxon, z-test, fisher-exact, kruskal-wallis, cochran-q, coefficient, "
    "logistic, odds-ratio, variance-ratio, p-value"
)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (_human("levene"), f"column 'test_type': got 'levene', expected one of {TYPES}"),
        (
            _human("pearsn"),
            f"column 'test_type': got 'pearsn', expected one of {TYPES} (the closest is correlation)",
        ),
        (_human(""), f"column 'test_type': got '', expected one of {TYPES}"),
        (_human("t") | {"study": " "}, "column 'study': got ' ', expected a name"),
        (_human("t") | {"finding": None}, "column 'finding': got '', expected a name"),
        (_human("t", statistic="seven"), "column 'human_statistic': got 'seven', expected a number"),
        (_human("t", statistic=True), "column 'human_statistic': got True, expected a number"),
        (_human("t", statistic=float("inf")), "column 'human_statistic': got inf, expected a finite number"),
        (
            _human("t", statistic="2,5"),
            "column 'human_statistic': got '2,5', "
            "expected a number with a decimal point and no thousands separator; use --decimal-comma if this "
            "is a decimal comma",
        ),
        (_human("t", n1=-3), "column 'human_n1': got -3, expected a whole number, 0 or more"),
        (_human("t", n="61.5"), "column 'human_n': got '61.5', expected a whole number, 0 or more"),
        (_human("binomial", k=2.5), "column 'human_k': got 2.5, expected a whole number, 0 or more"),
        (
            _human("t", df2=-1),
            "column 'human_df2': got -1, expected a number from 0 to 1,000,000,000,000",
        ),
        (
            _human("t", df2=1e55),
            "column 'human_df2': got 1e+55, expected a number from 0 to 1,000,000,000,000",
        ),
        (
            _human("t", statistic="1e55"),
            "column 'human_statistic': got '1e55', expected a number from -1e+50 to 1e+50",
        ),
        (
            _human("t", effect_d=-1e60),
            "column 'human_effect_d': got -1e+60, expected a number from -1e+50 to 1e+50",
        ),
        (
            _human("t", n1=1e55),
            "column 'human_n1': got 1e+55, expected a whole number of at most 1,000,000,000,000",
        ),
        (
            _human("chi-square", table="[[1, 2], [3, 1e15]]"),
            "column 'human_table': got '[[1, 2], [3, 1e15]]', "
            "expected a table whose cells are at most 1,000,000,000,000",
        ),
        (
            _human("p", p_value="1.2"),
            "column 'human_p_value': got '1.2', expected a number from 0 to 1",
        ),
        (
            _human("t") | {"agent_p_value": -0.1},
            "column 'agent_p_value': got -0.1, expected a number from 0 to 1",
        ),
        (
            _human("binomial", p0=0),
            "column 'human_p0': got 0, expected a number between 0 and 1, both excluded",
        ),
        (
            _human("t") | {"alpha": 1},
            "column 'alpha': got 1, expected a number between 0 and 1, both excluded",
        ),
        (_human("t") | {"pas": 1.01}, "column 'pas': got 1.01, expected a number from 0 to 1"),
        (_human("t") | {"n_eff": -1}, "column 'n_eff': got -1, expected a number of 0 or more"),
        (
            _human("t") | {"human_prior_odds": 0},
            "column 'human_prior_odds': got 0, expected a number above 0",
        ),
        (
            _human("t", direction="-"),
            "column 'human_direction': got '-', expected -1, 0 or 1 (or 'positive', 'negative'); "
            "an empty cell when it is not known",
        ),
        (
            _human("chi2") | {"sampling": "multinomial"},
            "column 'sampling': got 'multinomial', "
            "expected one of joint, indep_rows, indep_cols, poisson, hypergeom",
        ),
        (
            _human("chi2", table="[[1, 2], [3]]"),
            "column 'human_table': got '[[1, 2], [3]]', "
            "expected a rectangular table; its rows have 2, 1 cells",
        ),
        (
            _human("t", reported=2.4),
            "column 'human_reported': got 2.4, expected a text such as 't(58) = 2.41, p = .019'",
        ),
    ],
)
def test_a_cell_that_cannot_be_read(row: Cells, message: str) -> None:
    assert _message(row) == f"list, row 2, {message}"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            _human("t", statistic=2.0),
            "column 'human_n1': got '', expected a value: test type t-independent needs statistic and n1, n2 "
            "(or n, or df2); or an empty side\n"
            "list, row 2, column 'human_n2': got '', expected a value: test type t-independent needs "
            "statistic and n1, n2 (or n, or df2); or an empty side",
        ),
        (
            _human("t-paired", n=20),
            "column 'human_statistic': got '', expected a value: test type t-paired needs statistic and n "
            "(or df2); or an empty side",
        ),
        (
            _human("t", statistic=2, n1=30, n2=31, df2=61),
            "column 'human_df2': got 61, expected at most n - 1 = 60 degrees of freedom",
        ),
        (
            _human("t", statistic=2, n1=30, n2=31, df1="70"),
            "column 'human_df1': got '70', expected at most n - 1 = 60 degrees of freedom",
        ),
        (
            _human("anova", statistic=2, df1=2, df2=60, n=60),
            "column 'human_df2': got 60, expected at most n - 1 - df1 = 57 degrees of freedom",
        ),
        (
            _human("within", statistic=2, df1=2, df2=60, n=20),
            "column 'human_df2': got 60, expected at most df1 * (n - 1) = 38 degrees of freedom",
        ),
        (
            _human("variance ratio", statistic=2, df1=9, df2=20, n1=10, n2=20),
            "column 'human_df2': got 20, expected at most n2 - 1 = 19 degrees of freedom",
        ),
        (
            _human("t", statistic=2, n1=30, n2=31, n=62),
            "column 'human_n': got 62, expected n1 + n2 = 61, or an empty cell",
        ),
        (_human("t", statistic=2, n1=30, n=20), "column 'human_n1': got 30, expected at most n = 20"),
        (
            _human("paired t", statistic=2, n1=30, n2=31),
            "column 'human_n2': got 31, expected an empty cell or the same as n, 30",
        ),
        (
            _human("r", statistic=1.2, n=20),
            "column 'human_statistic': got 1.2, expected a correlation from -1 to 1",
        ),
        (
            _human("anova", statistic=-4.2, df1=1, df2=60),
            "column 'human_statistic': got -4.2, expected an F of 0 or more; for an effect in the negative "
            "direction give human_direction = -1 instead of a negative F",
        ),
        (
            _human("chi2", statistic=-4.2, df1=1, n=60),
            "column 'human_statistic': got -4.2, expected a chi-square of 0 or more; for an effect in the "
            "negative direction give human_direction = -1 instead of a negative chi-square",
        ),
        (
            _human("chi2", statistic=4.2, df1=1.5, n=60),
            "column 'human_df1': got 1.5, expected a whole number of degrees of freedom",
        ),
        (
            _human("chi2", table=[[1, 2], [3, 4]], n=11),
            "column 'human_n': got 11, expected the sum of the cells of human_table, 10, or an empty cell",
        ),
        (_human("binomial", k=11, n=10), "column 'human_k': got 11, expected at most n = 10"),
        (
            _human("u", statistic=31, n1=5, n2=6),
            "column 'human_statistic': got 31, expected a U from 0 to n1 * n2 = 30",
        ),
        (
            _human("chi2", table=[[1, 2, 3], [3, 4, 5]]) | {"sampling": "hypergeom"},
            "column 'sampling': got 'hypergeom', expected another sampling than hypergeom for a 2 x 3 table: "
            "it is defined for 2 x 2",
        ),
        (
            _human("t-one-sample", statistic=2, n=1),
            "column 'human_n': got 1, expected n of at least 2, for a t to exist",
        ),
    ],
)
def test_a_side_that_cannot_be_completed(row: Cells, message: str) -> None:
    assert _message(row) == f"list, row 2, {message}"


@pytest.mark.parametrize(
    ("row", "where"),
    [
        (_human("t", statistic=-2.5, n=60, direction=1), "the negative direction of human_statistic = -2.5,"),
        (_human("t", statistic=2.5, n=60, direction=0), "the positive direction of human_statistic = 2.5,"),
        (
            _human("r", statistic="-.5", n=60, direction=1),
            "the negative direction of human_statistic = '-.5',",
        ),
        (_human("binomial", k=3, n=10, direction=1), "the negative direction of human_k = 3,"),
        (
            _human("chi2", table=[[1, 9], [9, 1]], direction=1),
            r"the negative direction of human_table = \[\[1",
        ),
        (
            _human("anova", statistic=3, df1=1, df2=9, direction=1) | {"human_effect_d": -0.5},
            "the negative direction of human_effect_d = -0.5,",
        ),
    ],
)
def test_a_direction_that_the_numbers_contradict_names_both(row: Cells, where: str) -> None:
    with pytest.raises(TableError, match=f"^list, row 2, column 'human_direction': got .*, expected {where}"):
        read_tests([row])


def test_an_effect_against_the_statistic_is_an_error() -> None:
    assert _message(_human("t", statistic=2, n=60) | {"human_effect_d": -0.5}) == (
        "list, row 2, column 'human_effect_d': got -0.5, "
        "expected the positive direction of human_statistic = 2, or an empty cell"
    )


@pytest.mark.parametrize(
    "row",
    [
        _human("t", statistic=0.0, n=60, direction=1),
        _human("binomial", k=3, n=10, p0=0.3, direction=-1),
        _human("u", statistic=15, n1=5, n2=6, direction=-1),
        _human("chi2", table=[[2, 2], [2, 2]], direction=1),
        _human("anova", statistic=3, df1=1, df2=9, direction=-1),
        _human("chi2", statistic=3, df1=1, n=9, direction=0),
        _human("chi2", table=[[1, 2, 3], [3, 2, 9]], direction=-1),
        _human("variance ratio", statistic=3, df1=1, df2=9, direction=-1),
    ],
)
def test_an_effect_of_zero_or_without_a_sign_contradicts_no_direction(row: Cells) -> None:
    (read,) = read_tests([row]).rows
    assert read.human is not None
    assert read.human.direction == row["human_direction"]


def test_equal_keys_name_both_rows() -> None:
    row = _human("t", statistic=1, n=9)
    assert _message(row, row | {"test": "other"}, row | {"test": " T1 "}) == (
        "list, row 4, column 'test': got 'T1', expected a test that no other row holds: row 2 has the same "
        "study, sub_study, finding and test ('S1', '', 'F1', 'T1')"
    )


def test_two_domains_of_a_study_name_both_rows() -> None:
    row = _human("t", statistic=1, n=9)
    assert _message(row | {"domain": "Social"}, row | {"test": "b", "domain": "Cognition"}) == (
        "list, row 3, column 'domain': got 'Cognition', expected 'Social', the domain of study 'S1' in row 2"
    )


def test_every_bad_cell_is_named_once_in_the_order_of_the_file_ten_are_printed() -> None:
    good = _human("t", statistic=1, n=9)
    rows = [good | {"test": str(i), "human_n": "x", "human_statistic": "y"} for i in range(6)]
    rows[0] |= {"test_type": "??", "alpha": 7}
    with pytest.raises(TableError) as caught:
        read_tests(rows)
    assert len(caught.value.problems) == 14
    places = [(problem.row, problem.column) for problem in caught.value.problems]
    assert places[:4] == [(2, "test_type"), (2, "human_statistic"), (2, "human_n"), (2, "alpha")]
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    assert "rows 2, 3, 4, 5, 6, 7, column 'human_n': got 'x', expected a number" in lines[2]


def test_cells_beyond_the_header_are_named_with_the_other_bad_cells(tmp_path: Path) -> None:
    path = tmp_path / "tests.csv"
    path.write_text("study,finding,test,test_type,human_table\nS,F,a,chi2,[[1,2],[3,4]]\nS,F,b,??,\n")
    with pytest.raises(TableError) as caught:
        read_tests(path)
    assert [(problem.row, problem.column) for problem in caught.value.problems] == [
        (2, "after human_table"),
        (3, "test_type"),
    ]


def test_a_bad_cell_of_a_workbook_names_file_sheet_and_row(tmp_path: Path) -> None:
    path = tmp_path / "pilot.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Pilot")
        sheet.write_row(0, 0, ["study", "finding", "test", "test_type", "human_statistic", "human_n"])
        sheet.write_row(2, 0, ["S", "F", 1, "t", "seven", 3.5])
        sheet.write_row(3, 0, ["S", "F", 2, "t"])
        sheet.write_formula(3, 4, "=1/0", None, "#DIV/0!")
    with pytest.raises(TableError) as caught:
        read_tests(path)
    assert str(caught.value) == (
        "pilot.xlsx, sheet 'Pilot', row 3, column 'human_statistic': got 'seven', expected a number\n"
        "pilot.xlsx, sheet 'Pilot', row 3, column 'human_n': got 3.5, expected a whole number, 0 or more\n"
        "pilot.xlsx, sheet 'Pilot', row 4, column 'human_statistic': got '#DIV/0!', expected a number"
    )


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda path: path.write_text(""), r"t\.csv: the file is empty"),
        (
            lambda path: path.write_text("study,finding,test,test_type\n"),
            r"t\.csv: found a header but no rows",
        ),
        (lambda path: None, r"t\.csv: no such file"),
    ],
)
def test_a_file_without_rows_is_an_error(
    tmp_path: Path, write: Callable[[Path], object], message: str
) -> None:
    write(tmp_path / "t.csv")
    with pytest.raises(FileFormatError, match=message):
        read_tests(tmp_path / "t.csv")
