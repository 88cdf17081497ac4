"""`concord template`, and what a second result in one folder does."""

from pathlib import Path

import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner, Result

from concord.cli.app import app
from concord.people.families.registry import TEST_TYPES
from concord.people.table.columns import KNOWN

ROWS = "study,finding,test,test_type,human_statistic,human_n,agent_statistic,agent_n\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def table(path: Path, *studies: str) -> Path:
    rows = [f"{study},F,t,t-test,2.5,80,3.0,100\n" for study in studies]
    path.write_text(ROWS + "".join(rows), "utf-8")
    return path


def score(path: Path, out: Path, *options: str) -> Result:
    return run("score", "people", path, "--out", out, "--resamples", 0, "--simulations", 0, *options)


def test_a_spreadsheet_program_opens_the_template_with_its_lists(tmp_path: Path) -> None:
    path = tmp_path / "people.xlsx"
    assert run("template", path).exit_code == 0
    book = load_workbook(path)
    assert book.sheetnames == ["Tests", "Examples", "Notes", "lists"]
    assert book["lists"].sheet_state == "hidden"
    header = [cell.value for cell in book["Tests"][1]]
    assert set(header) <= set(KNOWN)
    first = book["Tests"].data_validations.dataValidation[0]
    assert (str(first.sqref), first.formula1) == ("E2:E1000", f"lists!$A$1:$A${len(TEST_TYPES)}")
    assert [row[0].value for row in book["lists"].iter_rows(max_col=1)] == list(TEST_TYPES)
    assert all(row[1].value for row in book["Notes"].iter_rows(min_row=2))


@pytest.mark.parametrize("kind", ["people", "effects"])
def test_the_examples_of_a_template_can_be_scored(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"{kind}.xlsx"
    run("template", path)
    result = run("score", "people", path, "--sheet", "Examples", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output


def test_a_template_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "mine.xlsx"
    assert run("template", path, "--kind", "scores").exit_code == 0
    again = run("template", path)
    assert again.exit_code == 2
    assert "is there already and may be filled in" in again.stderr
    assert "expected people, effects, scores" in run("template", tmp_path / "x.xlsx", "--kind", "y").stderr


def test_a_changed_table_replaces_its_own_result_and_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    path = table(tmp_path / "t.csv", "A", "B", "C")
    assert score(path, out).exit_code == 0
    assert (out / "C" / "evaluation_results.json").is_file()
    table(path, "A", "B", "D")
    (out / "notes.txt").write_text("mine", "utf-8")
    assert score(path, out).exit_code == 0
    assert sorted(place.name for place in out.iterdir() if place.is_dir()) == ["A", "B", "D"]
    assert (out / "notes.txt").is_file()


def test_another_table_or_model_is_refused_with_what_to_do(tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = table(tmp_path / "t.csv", "A", "B", "C")
    assert score(first, out, "--model", "one").exit_code == 0
    before = (out / "benchmark_summary.json").read_bytes()
    for path, options in ((table(tmp_path / "u.csv", "A", "B", "C"), ()), (first, ("--model", "two"))):
        refused = score(path, out, *options)
        assert refused.exit_code == 2
        assert "holds the result of t.csv (one); choose another --out" in refused.stderr
    assert (out / "benchmark_summary.json").read_bytes() == before


def test_many_agents_scored_again_leave_no_folder_of_an_agent_behind(tmp_path: Path) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "out"
    for agents in (("x", "y"), ("x", "z")):
        rows = [f"{agent},S{i},F,t,t-test,2.5,80,{i},100\n" for agent in agents for i in range(4)]
        path.write_text("agent," + ROWS + "".join(rows), "utf-8")
        assert score(path, out).exit_code == 0
    assert sorted(place.name for place in out.iterdir() if place.is_dir()) == ["x", "z"]


def test_a_folder_of_another_table_is_refused_before_anything_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert score(table(tmp_path / "t.csv", "A", "B", "C"), out).exit_code == 0
    assert (out / "referee_studies.csv").is_file()

    def never(*args: object, **options: object) -> None:
        raise AssertionError("scored all the same")

    monkeypatch.setattr("concord.api.score_people", never)
    refused = score(table(tmp_path / "u.csv", "A", "B", "C"), out)
    assert refused.exit_code == 2
    assert "holds the result of t.csv; choose another --out" in refused.stderr
