"""Folders that are empty, old, mixed or damaged: a page of what can be read, or a way out."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.show.made_results import write_lines
from typer.testing import CliRunner

from concord import api
from concord.cli.app import app
from concord.errors import FileFormatError, OptionError
from concord.reasoning.result import Case
from concord.reports import page as make_page
from concord.show.page.reasoning import pairs_of


@pytest.fixture
def one(results: Path, tmp_path: Path) -> Path:
    """A copy of one result that a test may spoil."""
    shutil.copytree(results / "agent one", tmp_path / "one")
    return tmp_path / "one"


def change(file: Path, **changes: Any) -> None:
    document = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**document, **changes}), "utf-8")


def test_an_empty_folder_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no readable result in .*make some with: concord demo"):
        make_page([tmp_path])


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="nowhere' does not exist; expected a folder"):
        make_page([tmp_path / ("far" * 40) / "nowhere"])


def test_commands_exit_with_2_and_one_message(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", str(tmp_path), "--out", str(tmp_path / "page.html")])
    assert result.exit_code == 2
    assert "concord: no readable result" in result.output
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_cannot_be_written_says_so(one: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileFormatError, match="cannot write .*choose another folder with --out"):
        api.report(one, out=tmp_path / "file" / "page.html")


def test_one_corrupt_file_among_many_is_listed_and_the_rest_is_shown(results: Path, tmp_path: Path) -> None:
    for number in range(19):
        shutil.copytree(results / "agent one", tmp_path / f"model {number:02}")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "benchmark_summary.json").write_text('{"average_pas_raw": 0.', "utf-8")
    page = make_page([tmp_path])
    assert len(page.content.of("people")) == 19
    assert [problem.file for problem in page.problems] == [f"{tmp_path.name}/broken/benchmark_summary.json"]
    assert "not valid JSON" in page.problems[0].reason
    assert "broken/benchmark_summary.json" in page.html


@pytest.mark.parametrize("text", ["[]", "null", "3", '"x"', "", "\x00\x01", "[" * 100_000])
def test_what_is_not_an_object_is_a_problem(one: Path, text: str) -> None:
    (one / "study_a_results.json").write_text(text, "utf-8")
    page = make_page([one])
    assert len(page.problems) == 1
    assert page.problems[0].file == "one/study_a_results.json"


def test_a_result_of_another_program_is_said(one: Path) -> None:
    summary = one / "benchmark_summary.json"
    old = {"average_pas_raw": 0.61, "average_ecs": 0.4, "studies": [{"study_id": "S1", "score": 0.5}]}
    summary.write_text(json.dumps(old), "utf-8")
    page = make_page([one])
    said = [str(problem) for problem in page.problems]
    assert any("has no format version" in line for line in said)
    assert page.content.of("people") == ()
    assert not any(str(one.parent) in line for line in said)


def test_a_newer_format_is_said(one: Path) -> None:
    change(one / "benchmark_summary.json", format_version=99)
    page = make_page([one])
    assert any("has format version 99" in problem.reason for problem in page.problems)
    assert page.content.of("people") == ()


def test_a_summary_alone_is_shown_without_single_tests(one: Path) -> None:
    for file in one.rglob("evaluation_results.json"):
        file.unlink()
    page = make_page([one])
    (view,) = page.content.of("people")
    assert view.result.tests == ()
    assert "Agreement with people" in page.html
    assert any("single tests are not shown" in problem.reason for problem in page.problems)


@pytest.mark.parametrize(
    "key", ["studies", "findings", "diagnosis", "auxiliary", "inputs", "outcomes", "domains"]
)
@pytest.mark.parametrize("value", [None, 3, "text", [1, "x"], {"a": 1}, [{"a": None}]])
def test_a_part_of_another_kind_does_not_stop_the_page(one: Path, key: str, value: object) -> None:
    change(one / "benchmark_summary.json", **{key: value})
    page = make_page([one])
    assert page.content.of("people") or any(repr(key) in problem.reason for problem in page.problems)


@pytest.mark.parametrize(
    "key", ["gap", "steps", "bias", "examples", "estimates", "outcomes", "inputs", "problems"]
)
@pytest.mark.parametrize("value", [None, 3, "text", [1], {"a": 1}, [{"a": None}]])
def test_a_spoilt_part_of_a_reasoning_result_does_not_stop_the_page(
    results: Path, tmp_path: Path, key: str, value: object
) -> None:
    file = next((results / "reasoning-0").rglob("study_a_results.json"))
    shutil.copytree(file.parent, tmp_path / "spoilt")
    change(tmp_path / "spoilt" / file.name, **{key: value})
    page = make_page([tmp_path, results / "reasoning-1"])
    assert "with its own reasoning" in page.html
    taken = key == "bias" and value is None or key in ("examples", "inputs", "problems", "outcomes")
    assert taken or any("spoilt" in problem.file for problem in page.problems)


def test_a_reasoning_result_without_its_rows_is_shown_and_said(results: Path, tmp_path: Path) -> None:
    file = next((results / "reasoning-0").rglob("study_a_results.json"))
    shutil.copy(file, tmp_path)
    page = make_page([tmp_path])
    assert '<p class="says">' in page.html
    said = [str(problem) for problem in page.problems]
    assert any("study_a_samples.csv" in line and "single vignettes are not shown" in line for line in said)


@pytest.mark.parametrize("key", ["models", "arrangements", "differences", "inputs", "left_out"])
@pytest.mark.parametrize("value", [None, 3, [1], {"a": 1}, [{"a": None}], [{"model": "m", "readings": [{}]}]])
def test_a_spoilt_part_of_a_structure_result_does_not_stop_the_page(
    results: Path, tmp_path: Path, key: str, value: object
) -> None:
    shutil.copy(results / "order" / "consistency" / "result.json", tmp_path)
    change(tmp_path / "result.json", **{key: value})
    assert "What was asked" in make_page([tmp_path]).html


def test_mixed_protocols_are_refused_with_the_way_to_rescore(one: Path, tmp_path: Path) -> None:
    api.score_people(api.demo_table(), protocol="published", n_resamples=0).write(tmp_path / "two")
    with pytest.raises(OptionError, match="more than one protocol: .*concord score people TABLE --protocol"):
        make_page([one, tmp_path / "two"])
    result = CliRunner().invoke(app, ["report", str(one), str(tmp_path / "two")])
    assert result.exit_code == 2


def test_mixed_readings_and_rules_are_refused(results: Path, tmp_path: Path) -> None:
    shutil.copytree(results / "order", tmp_path / "order")
    change(tmp_path / "order" / "consistency" / "result.json", reading="peak")
    with pytest.raises(OptionError, match="more than one reading"):
        make_page([results / "order", tmp_path / "order"])
    shutil.copytree(results / "reasoning-0", tmp_path / "reasoning")
    change(next((tmp_path / "reasoning").rglob("study_a_results.json")), rules="source")
    with pytest.raises(OptionError, match="more than one rules"):
        make_page([results / "reasoning-1", tmp_path / "reasoning"])


def test_a_torn_line_of_a_journal_is_counted_not_followed(one: Path) -> None:
    write_lines(one / "replies.jsonl", [{"id": "a", "response": "whole"}])
    with (one / "replies.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "b", "resp')
    page = make_page([one])
    assert len(page.content.replies.rows) == 1
    assert [problem.reason for problem in page.problems] == ["1 lines are not JSON objects and are not shown"]


def test_names_with_surrogates_and_control_characters_can_be_written(one: Path, tmp_path: Path) -> None:
    change(one / "benchmark_summary.json", model="a\ud800b\u202e\x00/..\\" + "n" * 200)
    made = api.report(one, out=tmp_path / "page.html", plots=tmp_path / "plots")
    assert "a\ufffdb" in made.path.read_text("utf-8")
    assert all(tmp_path in path.resolve().parents for path in made.plots)


def test_a_table_of_something_else_beside_a_result_is_said(one: Path) -> None:
    (one / "detailed_stats.csv").write_text("not,a table\n1,2\n", "utf-8")
    page = make_page([one])
    assert page.content.of("people")[0].result.tests == ()
    assert ["single tests are not shown" in problem.reason for problem in page.problems] == [True]


def test_a_damaged_plan_or_line_of_answers_is_said_and_the_rest_is_shown(one: Path) -> None:
    (one / "plans.json").write_text("{", "utf-8")
    (one / "answers.jsonl").write_text(
        '{"id": "s/e/1/1/1", "study": "s", "items": [{"item": 3}]}\n[]\n', "utf-8"
    )
    page = make_page([one])
    reasons = [problem.reason for problem in page.problems]
    assert reasons[0].startswith("plans.json, line 1: not valid JSON")
    assert reasons[1] == "1 lines are not JSON objects and are not shown"
    assert page.content.replies.n_found == 1


def test_pairs_of_steps_that_do_not_exist_are_left_out() -> None:
    case = Case("v", 0, "Gout", ("a", "b"), ("x",), ((0, 1), (0, 2), (-1, 0)), 2, 1, 1, None, "Gout")
    assert pairs_of(case) == [(0, 1)]
