"""A cell that cannot be read leaves its side of the row out: counted, listed, refused where it decides."""

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.errors import OptionError, TableError
from concord.people.table.agents import read_agents
from concord.records import SideOutcome, TestTable

HEADS = "Study,Effect,Human result,Model result\n"


def table(n: int, bad: dict[int, str], heads: str = HEADS) -> str:
    good = "t(58) = 2.41"
    rows = (f"S{i % 4},e{i},{good},{bad.get(i, 't(98) = 1.9')}\n" for i in range(n))
    return heads + "".join(rows)


def score(path: Path, *more: str) -> tuple[int, str]:
    options = ["--out", str(path.parent / "out"), "--resamples", "0", "--simulations", "0"]
    result = CliRunner().invoke(app, ["score", "people", str(path), *options, *more])
    return result.exit_code, result.output


def test_what_can_be_read_is_scored_and_the_rest_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table(12, {3: "AD = 13.0", 5: "AD = 2.0", 7: "see appendix"}), "utf-8")
    code, said = score(path)
    assert code == 0
    assert "9 of 12 rows scored; 3 left out: AD × 2, stands elsewhere × 1 (left_out.csv)." in said
    with (tmp_path / "out" / "left_out.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    assert [(cell["file"], cell["row"], cell["column"], cell["value"]) for cell in cells] == [
        ("t.csv", "5", "Model result", "AD = 13.0"),
        ("t.csv", "7", "Model result", "AD = 2.0"),
        ("t.csv", "9", "Model result", "see appendix"),
    ]
    assert all(cell["reason"] and cell["what_to_do"].startswith("give ") for cell in cells)
    assert score(path, "--strict")[0] == 2


def test_outcomes_count_what_was_left_out_and_the_result_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table(6, {3: "about two"}), "utf-8")
    result = concord.score_people(path, n_resamples=0, n_simulations=0)
    assert result.outcomes["agent left out"] == 1
    result.write(tmp_path / "out")
    again = type(result).read(tmp_path / "out")
    assert (again.left_out, again.rows_of_table) == (result.left_out, (5, 6))


def test_less_than_half_of_the_rows_are_refused_with_one_line_per_cause(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table(10, dict.fromkeys(range(6), "unclear")), "utf-8")
    with pytest.raises(TableError, match="only 4 of 10 rows can be used") as caught:
        concord.score_people(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert "rows 2, 3, 4, 5, 6, 7, column 'Model result'" in lines[1]


def test_rows_left_out_that_could_change_who_is_first_are_refused(tmp_path: Path) -> None:
    heads = "Study,Effect,Human result,GPT-4 result,Claude 3 result\n"
    lines = [
        f"S{i},e{i},t(58) = 2.41,{'unclear' if i < 3 else 't(98) = 2.5'},t(98) = 1.6\n" for i in range(8)
    ]
    path = tmp_path / "t.csv"
    path.write_text(heads + "".join(lines), "utf-8")
    with pytest.raises(TableError, match="could change who is first: GPT-4 leads"):
        concord.score_people(path, n_resamples=0, n_simulations=0)
    lines[0] = "S0,e0,unclear,t(98) = 2.5,t(98) = 1.6\n"
    lines[1:3] = [f"S{i},e{i},t(58) = 2.41,t(98) = 2.5,t(98) = 1.6\n" for i in (1, 2)]
    path.write_text(heads + "".join(lines), "utf-8")
    found = concord.score_people(path, n_resamples=0, n_simulations=0)
    assert found.sentences()[0] == "14 of 16 rows scored; 2 left out: only words × 1 (left_out.csv)."


def test_cells_of_the_format_leave_their_side_out_too() -> None:
    row = {"study": "S", "finding": "F", "test_type": "t-test", "human_statistic": 2.0, "human_n": 40}
    rows = [row | {"test": i, "agent_statistic": 1.0, "agent_n": 40} for i in range(6)]
    rows[2]["agent_n"] = ""
    rows[3]["human_statistic"] = "two"
    rows[4]["test_type"] = "??"
    table = read_agents(rows, strict=False)
    assert isinstance(table, TestTable)
    assert [one.test for one in table.rows] == ["0", "1", "2", "3", "5"]
    assert table.rows[2].agent_outcome is SideOutcome.LEFT_OUT
    assert table.rows[3].human_outcome is SideOutcome.LEFT_OUT
    assert table.rows[3].agent is not None
    assert list(dict.fromkeys((one.row, one.part, one.reason) for one in table.left_out)) == [
        (4, "agent", "no n"),
        (5, "human", "only words"),
        (6, "row", "only words"),
    ]
    assert table.rows_used == (3, 3)


def test_two_rows_of_one_test_stay_an_error() -> None:
    row = {
        "study": "S",
        "finding": "F",
        "test": "a",
        "test_type": "t-test",
        "human_statistic": 2,
        "human_n": 40,
    }
    with pytest.raises(TableError, match="a test that no other row holds"):
        read_agents([row, row], strict=False)


def test_a_mapping_decides_about_the_columns_it_names_and_map_only_about_all(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    text = "Study,Effect,Human t,Human df,Original study,Model t,Model df\n"
    path.write_text(f"{text}A,x,2.0,38,t(38) = 1.1,1.0,98\n", "utf-8")
    mapping = {"Study": "study", "Effect": "finding", "Original study": "human", "Model t": "agent_t"}
    mapping |= {"Model df": "agent_df"}
    found = read_agents(path, mapping=mapping, map_only=True)
    assert isinstance(found, TestTable)
    (row,) = found.rows
    assert row.human is not None and row.human.statistic == 1.1
    with pytest.raises(OptionError, match="--map-only goes with --map"):
        read_agents(path, map_only=True)


def test_many_agents_have_the_assumptions_of_one_and_the_headline_says_what_the_order_rests_on() -> None:
    row = {"study": "S", "finding": "F", "test_type": "anova", "human_statistic": 6.0, "human_df1": 1}
    row |= {"human_df2": 78, "agent_df1": 1, "agent_df2": 98}
    rows = [
        row | {"study": f"S{i}", "test": "t", "agent": name, "agent_statistic": 4.0 + i + add}
        for i in range(4)
        for name, add in (("one", 0.0), ("two", 0.5))
    ]
    found = concord.score_people(rows, n_resamples=0, n_simulations=0)
    assert (
        "4 of 4 tests have no direction on one side, and who comes first may depend on it"
        in found.sentences()[0]
    )
    assert any("4 tests are scored without a direction" in line for line in found.assumptions)
    directed = [one | {"human_direction": 1, "agent_direction": 1} for one in rows]
    found = concord.score_people(directed, n_resamples=0, n_simulations=0)
    assert "no direction" not in " ".join(found.sentences())


def test_many_findings_of_one_study_are_told_first(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    lines = [f"f{i},t(58) = 2.4,t(98) = 1.9\n" for i in range(5)]
    path.write_text("Finding,Human result,Model result\n" + "".join(lines), "utf-8")
    result = concord.score_people(path, n_resamples=0, n_simulations=0)
    assert result.sentences()[0].startswith("All 5 findings belong to one study")
