"""Tables that people made by hand: every value of every row, in one step from the file."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from scipy.stats import chi2, ttest_ind_from_stats
from tests.people.table import handmade_books as books
from typer.testing import CliRunner, Result

import concord
from concord.cli.app import app
from concord.cli.options import read_mapping
from concord.errors import FileFormatError, OptionError, TableError
from concord.files.grids import Area, RawTable
from concord.files.raw import spread_merged
from concord.people.table.agents import read_agents
from concord.records import Side, TestTable


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def sides(table: TestTable) -> dict[str, tuple[str, Side | None, Side | None]]:
    return {row.test: (row.test_type, row.human, row.agent) for row in table.rows}


def read(path: Path) -> TestTable:
    found = read_agents(path)
    assert isinstance(found, TestTable)
    return found


MEANS = {
    "rating": ((5.2, 1.1, 40, 4.6, 1.2, 42), (5.5, 0.6, 100, 4.4, 0.5, 100)),
    "trust": ((4.1, 1.3, 40, 4.0, 1.2, 42), (4.9, 0.7, 100, 4.1, 0.8, 100)),
    "gift (€)": ((12.5, 6.0, 30, 9.1, 5.5, 30), (20.1, 3.0, 60, 9.9, 2.9, 60)),
}


def test_means_below_three_header_lines_become_t_tests(tmp_path: Path) -> None:
    table = read(books.three_header_lines(tmp_path / "book.xlsx"))
    found = sides(table)
    assert list(found) == list(MEANS)
    for test, given in MEANS.items():
        for side, numbers in zip(found[test][1:], given, strict=True):
            assert side is not None
            expected = ttest_ind_from_stats(*numbers).statistic
            assert side.statistic == pytest.approx(expected)
            assert (side.n1, side.n2) == (float(numbers[2]), float(numbers[5]))
    assert [(row.study, row.finding, row.row) for row in table.rows] == [
        ("Miller 2001", "warmth", 8),
        ("Miller 2001", "warmth", 9),
        ("Jones 2010", "guilt", 12),
    ]
    assert table.model == "GPT-4"


def test_the_first_t_by_hand(tmp_path: Path) -> None:
    # sp² = (39·1.1² + 41·1.2²)/80 = 1.327875; t = 0.6/√(1.327875·(1/40 + 1/42)) = 2.3568
    table = read(books.three_header_lines(tmp_path / "book.xlsx"))
    human = table.rows[0].human
    assert human is not None
    assert human.statistic == pytest.approx(2.3568, abs=5e-5)


def test_what_is_left_out_is_told_with_its_row(tmp_path: Path) -> None:
    warnings = "\n".join(read(books.three_header_lines(tmp_path / "book.xlsx")).warnings)
    assert "row 10: sums or averages of others, left out" in warnings
    assert "row 13: notes, left out" in warnings
    assert "header in row 7" in warnings
    assert "column 'Remarks' is not used; --map 'Remarks=…'" in warnings


STRINGS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "warm-cold": (
        "t-independent",
        {"statistic": 2.41, "n1": 30, "direction": 1},
        {"statistic": 4.02, "n1": 100},
    ),
    "order": ("anova", {"statistic": 49.1, "df2": 312, "direction": 1}, {"statistic": 12.2, "direction": -1}),
    "choice": (
        "chi-square",
        {"statistic": 5.2, "n": 80, "direction": -1},
        {"statistic": 1.1, "direction": 1},
    ),
    "framing": ("binomial", {"k": 26, "n": 40}, {"k": 88, "n": 100}),
    "attitude": ("correlation", {"statistic": 0.31, "n": 100}, {"statistic": 0.12, "n": 200}),
    # SE = (0.78 − 0.12)/3.92 = 0.16837: n = (2 + 0.45²/4)/SE² = 72 each, t = 0.45·√36; 0.14286: 98, 0.1·√49
    "mood": ("t-independent", {"statistic": 2.7, "n1": 72}, {"statistic": 0.7, "n2": 98}),
    # ln 2.1, SE = (ln 3.7 − ln 1.2)/3.92 = 0.28724; ln 1.5, SE = (ln 2.25 − ln 1.0)/3.92 = 0.20687
    "vote": ("odds-ratio", {"statistic": 0.74194, "se": 0.28724}, {"statistic": 0.40547, "se": 0.20687}),
    "null effect": ("p-value", {}, {"p_value": 0.05, "direction": 1}),
}


def test_strings_in_cells_are_read_one_by_one(tmp_path: Path) -> None:
    found = sides(read(books.strings_in_cells(tmp_path / "book.xlsx")))
    assert list(found) == list(STRINGS)
    for test, (test_type, human, agent) in STRINGS.items():
        assert found[test][0] == test_type, test
        for side, expected in ((found[test][1], human), (found[test][2], agent)):
            assert (side is None) == (not expected), test
            for name, value in expected.items():
                assert getattr(side, name) == pytest.approx(value, rel=6e-3), (test, name)


def test_rows_of_groups_and_samples_come_together_as_many_agents(tmp_path: Path) -> None:
    tables = read_agents(books.long_layout(tmp_path / "book.xlsx"))
    assert isinstance(tables, dict)
    assert list(tables) == ["GPT-4", "Claude 3"]
    given = {
        "GPT-4": [(5.9, 0.6, 100, 4.4, 0.5, 100), (3.2, 0.5, 50, 2.9, 0.5, 50)],
        "Claude 3": [(5.1, 0.7, 100, 5.0, 0.5, 100), (3.9, 0.5, 50, 2.0, 0.5, 50)],
    }
    for name, table in tables.items():
        for row, numbers in zip(table.rows, given[name], strict=True):
            assert row.agent is not None
            assert row.human is not None
            assert row.agent.statistic == pytest.approx(ttest_ind_from_stats(*numbers).statistic)
        assert table.rows[1].human is not None
        assert table.rows[1].human.statistic == pytest.approx(10**0.5)  # 1/(1·√(2/20))


def test_percent_cells_become_counts(tmp_path: Path) -> None:
    found = sides(read(books.percentages(tmp_path / "book.xlsx")))
    tables = {
        test: (human and human.table, agent and agent.table) for test, (_, human, agent) in found.items()
    }
    assert tables == {
        "buy": (((26, 14), (16, 24)), ((90, 10), (20, 80))),
        "drive": (((20, 20), (18, 22)), ((60, 40), (55, 45))),
        "sign": (((40, 10), (25, 25)), ((70, 30), (60, 40))),
    }


def test_a_hand_made_workbook_is_scored_in_one_step(tmp_path: Path) -> None:
    path = books.strings_in_cells(tmp_path / "book.xlsx")
    result = run("score", "people", path, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "read as a table made by hand" in result.stderr
    assert run("check", path).exit_code == 0


def test_a_mapping_names_what_titles_do_not_say(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Lab diary\nStudy;Effect;Gruppe A;Gruppe B\nS;e;t(38) = 2,1;t(98) = 3,4\n", "utf-8")
    given = {"Gruppe A": "human", "Gruppe B": "agent"}
    table = read_agents(path, mapping=given)
    assert isinstance(table, TestTable)
    (row,) = table.rows
    assert row.human is not None
    assert row.agent is not None
    assert (row.human.statistic, row.agent.statistic) == (2.1, 3.4)
    file = tmp_path / "people.map"
    assert run("check", path, "--suggest-map", file).exit_code == 0
    assert "# no title says whose results it holds" in file.read_text("utf-8")


def test_the_suggested_mapping_gives_the_same_table(tmp_path: Path) -> None:
    path, file = books.three_header_lines(tmp_path / "book.xlsx"), tmp_path / "people.map"
    assert run("check", path, "--suggest-map", file).exit_code == 0
    text = file.read_text("utf-8")
    assert "Humans / Treatment / M = human_mean1" in text
    assert "Remarks = -" in text
    mapped = read_agents(path, mapping=read_mapping([str(file)]))
    assert isinstance(mapped, TestTable)
    assert mapped.rows == read(path).rows


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("Human result=humn_t", "mapped to 'humn_t', which is no column; the nearest is 'human_t'"),
        ("nowhere", "expected 'title=column' or a mapping file"),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(given: str, message: str) -> None:
    rows = [{"Study": "S", "Human result": "t(40) = 2.1", "Model result": "t(40) = 1.1"}]
    with pytest.raises(OptionError, match=message):
        read_agents(rows, mapping=read_mapping([given]))


def test_bad_cells_are_named_by_the_title_they_stand_under(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "Study,Effect,Human t,Human n,Model t,Model n\nS,e,about two,40,2.1,50\nS,f,2.0,40,1.1,50\n", "utf-8"
    )
    with pytest.raises(TableError, match="row 2, column 'Human t': got 'about two'"):
        read_agents(path)
    path.write_text(
        "Study,Effect,Human % yes,Human n,Model % yes,Model n\nS,e,37%,10,50%,10\nS,f,40%,10,50%,10\n",
        "utf-8",
    )
    with pytest.raises(TableError, match="a percentage that a count of 10 gives: 4 of 10 is 40"):
        read_agents(path)


def test_sides_of_different_tests_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "Study,Effect,Human result,Model result\nS,e,26/40,r = .2; n = 50\nS,f,20/40,21/40\n", "utf-8"
    )
    with pytest.raises(TableError, match="the same test on both sides"):
        read_agents(path)


def test_a_misspelt_column_of_the_format_stays_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "study,finding,test,human_t,human_n,agent_statsitic,agent_n\nS,e,t,2.0,40,2.0,40\n", "utf-8"
    )
    result = run("check", path)
    assert result.exit_code == 2
    assert "did you mean 'agent_statistic'" in result.stderr


def test_chi_square_by_hand_from_the_counts(tmp_path: Path) -> None:
    # 26 of 40 against 16 of 40: χ² = 80·(26·24 − 14·16)²/(40·40·42·38) = 5.0125, p = .0252
    path = books.percentages(tmp_path / "book.xlsx")
    result = concord.score_people(path, n_resamples=0, n_simulations=0)
    row = next(test for test in result.tests if test.test == "buy")
    assert row.human_p == pytest.approx(chi2.sf(80 * 400**2 / (40 * 40 * 42 * 38), 1))


@pytest.mark.parametrize(
    "cells",
    [
        ["1" * 190 + "x", "t = 2"],
        ["5.2 (1.1), n = 0", "5.2 (1.1)"],
        ["d = 1e999 [0, 1]", "d = 0.5 [1, 0]"],
        ["OR = 0 [0, 1]", "r = 1 [1, 1]"],
        ["0/0", "26/0 (65%)"],
        ["9" * 4000, "t(1) = " + "9" * 400],
        ["t(\x00) = 2", "=1+1"],
    ],
)
def test_cells_that_are_no_results_are_named_and_never_a_bug(tmp_path: Path, cells: list[str]) -> None:
    rows = [
        {"Study": "S", "Effect": f"e{i}", "Human result": cell, "Model result": cell}
        for i, cell in enumerate(cells)
    ]
    with pytest.raises(TableError, match="column '(Human result|human_|test type)"):
        read_agents(rows)


@pytest.mark.parametrize("n", ["0", "1", "-3", "1e300"])
def test_means_with_impossible_sample_sizes_are_named(tmp_path: Path, n: str) -> None:
    row = {
        "Study": "S",
        "Effect": "e",
        "Human M (treatment)": 5,
        "Human SD (treatment)": 1,
        "Human n (treatment)": n,
    }
    row |= {"Human M (control)": 4, "Human SD (control)": 1, "Human n (control)": n}
    with pytest.raises(TableError, match="expected"):
        read_agents([row])


def test_a_merged_area_to_the_end_of_the_sheet_costs_nothing() -> None:
    records = ((1, ["Study", "Effect", "Human t"]), (2, ["S", "e", 2.0]))
    raw = RawTable("t.xlsx", "a", records, (Area(1, 3, 1_048_576, 16_383), Area(2, 0, 1_048_576, 0)))
    assert spread_merged(raw) == [(1, ["Study", "Effect", "Human t"]), (2, ["S", "e", 2.0])]


def test_the_only_sheet_with_a_table_is_read_and_every_cell_of_it(tmp_path: Path) -> None:
    table = read(books.sides_above_tests(tmp_path / "book.xlsx"))
    assert "sheet 'Data': this sheet was read; the first, 'Overview', holds no table" in table.warnings[0]
    assert table.model == "GPT-4o"
    found = sides(table)
    expected: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
        "anchoring": (
            "t-independent",
            {"statistic": 2.69, "n1": 40, "n2": 42},
            {"statistic": 14.1, "n1": 100, "n2": 100},
        ),
        # sp² = (39·9 + 41·10.24)/80 = 9.6355; t = 0.3/√(9.6355·(1/40 + 1/42)) = 0.43746
        # sp² = (1.21 + 1.44)/2 = 1.325; t = 0.1/√(1.325/50) = 0.6143
        "recall": (
            "t-independent",
            {"statistic": 0.43746, "n1": 40, "n2": 42},
            {"statistic": 0.6143, "n2": 100},
        ),
        "endorsement": (
            "chi-square",
            {"statistic": 7.2, "n": 80, "direction": -1},
            {"statistic": 20.37, "n": 200, "direction": 1},
        ),
        "trust × giving": ("correlation", {"statistic": 0.31, "n": 120}, {"statistic": 0.52, "n": 150}),
        "RT": ("t-independent", {"statistic": -1.85, "n1": 30, "n2": 30}, {}),
    }
    assert list(found) == list(expected)
    for test, (test_type, human, agent) in expected.items():
        assert found[test][0] == test_type
        for side, numbers in ((found[test][1], human), (found[test][2], agent)):
            assert (side is None) == (not numbers), test
            for name, value in numbers.items():
                assert getattr(side, name) == pytest.approx(value, rel=1e-4), (test, name)
    assert [row.study for row in table.rows] == ["Smith 2010"] * 2 + ["Okafor 2015"] + ["Garcia 2018"] * 2


def test_two_sheets_with_tables_are_not_chosen_between(tmp_path: Path) -> None:
    path = books.sides_above_tests(tmp_path / "book.xlsx")
    book = load_workbook(path)
    book.copy_worksheet(book["Data"])
    book.save(path)
    with pytest.raises(FileFormatError, match="sheet 'Overview': required columns are missing"):
        read(path)
