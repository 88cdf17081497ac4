"""`concord check` names every kind of file that a command reads, and calls none something else."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.comparing.result import CompareResult
from concord.errors import FileFormatError
from concord.files.documents import table_kinds
from tests.cli.test_every_command import write_inputs, write_rows

KINDS = {
    "tests.csv": ("table of tests", "concord score people"),
    "agents.csv": ("table of tests", "concord score people"),
    "effects.csv": ("effects with standard errors", "concord score people"),
    "answers.csv": ("answers as people and agents gave them", "concord score answers"),
    "scores.csv": ("scores under arrangements", "concord score structure --scores"),
    "probes.csv": ("answers to probes of reasoning", "concord score probes"),
    "votes.csv": ("verdicts of judges", "concord score judge"),
    "chosen.csv": ("answers to questions with options", "concord score options"),
    "persons.csv": ("people's answers with predictions", "concord combine FILE FURTHER_PREDICTIONS"),
    "further.csv": ("predictions without answers", "concord combine PEOPLE FILE"),
    "first.csv": ("scores on items", "concord compare"),
    "samples.json": ("vignettes", "concord score reasoning --samples"),
    "replies.jsonl": ("recorded replies", "concord score reasoning --replies"),
}
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "arc", "model": "lab/m", "dataset": {"samples": 3}, "config": {}},
    "samples": [
        {"id": i, "epoch": 1, "input": "?", "target": "A", "scores": {"match": {"value": "C"}}}
        for i in range(3)
    ],
}
PROMPTFOO = {
    "results": {
        "results": [
            {"success": True, "score": 1, "vars": {"q": i}, "provider": {"id": "echo"}, "testIdx": i}
            for i in range(4)
        ]
    }
}
OTHERS: dict[str, tuple[Any, str, str]] = {
    "log.json": (INSPECT, "log of Inspect, task arc", "concord compare"),
    "foo.json": (PROMPTFOO, "results of promptfoo", "concord compare"),
    "deep.json": (
        {"testCases": [{"name": "a", "metricsData": [{"name": "m", "score": 1.0}]}]},
        "results of DeepEval",
        "concord compare",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files")
    write_inputs(path)
    for name, (document, _, _) in OTHERS.items():
        (path / name).write_text(json.dumps(document), "utf-8")
    return path


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_table_and_file_is_named_with_the_command_that_takes_it(
    name: str, folder: Path
) -> None:
    found = concord.check(folder / name)
    kind, command = KINDS[name]
    assert (found.kind, found.passed, found.commands[0]) == (kind, True, command)


@pytest.mark.parametrize("name", OTHERS)
def test_files_of_other_programs_are_named(name: str, folder: Path) -> None:
    found = concord.check(folder / name)
    assert (found.kind, found.commands[0], found.passed) == (*OTHERS[name][1:], True)


def test_a_log_of_inspect_is_never_called_vignettes(folder: Path) -> None:
    done = CliRunner().invoke(app, ["check", str(folder / "log.json")])
    assert "log of Inspect, task arc: 3 samples, 1 scorer" in done.output and "vignettes" not in done.output


def test_lm_eval_and_openai_evals_lines_are_named(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {}, "target": "A", "resps": [["A"]], "acc": 1.0, "metrics": ["acc"]}
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample) + "\n", "utf-8")
    assert concord.check(tmp_path / "samples.jsonl").kind == "samples of lm-eval"
    lines = [
        {"spec": {"eval_name": "t", "completion_fns": ["m"]}},
        {"sample_id": "t.1", "type": "match", "data": {"correct": True}},
    ]
    (tmp_path / "evals.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    assert concord.check(tmp_path / "evals.jsonl").kind == "results of OpenAI evals"


def test_each_column_is_shown_with_what_it_holds(folder: Path, tmp_path: Path) -> None:
    write_rows(tmp_path / "x.csv", [{"Item": i, "Score": i % 2, "colour": "red"} for i in range(6)])
    assert concord.check(tmp_path / "x.csv").columns == (("Item", "item"), ("Score", "score"), ("colour", ""))
    done = CliRunner().invoke(app, ["check", str(tmp_path / "x.csv")])
    assert "  Score: score\n  colour: not used" in done.output and "taken by: concord compare" in done.output
    tests = dict(concord.check(folder / "tests.csv").columns)
    assert tests["human_statistic"] == "human_statistic" and tests["study"] == "study"


def test_results_and_runs_are_named_as_what_they_are(folder: Path, tmp_path: Path) -> None:
    concord.score_people(folder / "tests.csv", n_resamples=0, n_simulations=0).write(tmp_path / "one")
    assert concord.check(tmp_path / "one" / "benchmark_summary.json").kind == "people result of Concord"
    assert concord.check(tmp_path / "one" / "detailed_stats.csv").kind == "tests of a result of Concord"
    assert "concord report" in concord.check(tmp_path / "one").commands
    with pytest.raises(FileFormatError, match="is a folder without a run or a result"):
        concord.check(empty(tmp_path))


def empty(path: Path) -> Path:
    (path / "nothing").mkdir(exist_ok=True)
    return path / "nothing"


def test_a_summary_of_lm_eval_and_an_unknown_list_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps({"results": {}, "configs": {}}), "utf-8")
    found = concord.check(tmp_path / "r.json")
    assert not found.passed and "give the samples_*.jsonl files" in found.problems[0]
    (tmp_path / "s.json").write_text(json.dumps({"samples": [{"x": 1}]}), "utf-8")
    found = concord.check(tmp_path / "s.json")
    assert not found.passed and "its entries have none of gold_answer, vignette" in found.problems[0]


def test_what_a_reader_refuses_is_a_problem_of_the_kind(tmp_path: Path) -> None:
    write_rows(tmp_path / "x.csv", [{"item": i, "score": "red"} for i in range(4)])
    found = concord.check(tmp_path / "x.csv")
    assert found.kind == "scores on items" and not found.passed


def test_every_kind_needs_columns_that_it_explains() -> None:
    for kind in table_kinds():
        known = {name for names in kind.columns.values() for name in names}
        assert not kind.columns or all(set(group) & known for group in kind.needs), kind.kind
        assert kind.command.startswith("concord ")


def test_braintrust_rows_are_compared_by_what_was_asked(tmp_path: Path) -> None:
    """Two experiments on four questions: means 3/4 and 1/4, difference 1/2, by hand."""
    for name, right in (("a", 3), ("b", 1)):
        rows = [
            {"id": f"{name}{i}", "input": f"q{i}", "output": "x", "expected": "x",
             "scores": {"exact": float(i < right)}, "metadata": {"model": name}} for i in range(4)
        ]  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps(rows), "utf-8")
    found = concord.compare(tmp_path / "a.json", tmp_path / "b.json")
    assert isinstance(found, CompareResult)
    assert found.difference is not None and found.difference.value == pytest.approx(0.5)
    assert [one.mean.value for one in found.models] == pytest.approx([0.75, 0.25])
    assert concord.check(tmp_path / "a.json").kind == "results of Braintrust"


def test_effects_with_one_column_per_agent_are_read(tmp_path: Path) -> None:
    effects = [(1.0, 1.2, 0.5), (2.0, 2.5, 1.5), (4.0, 3.0, 4.5), (3.0, 3.5, 2.0)]
    rows: list[dict[str, object]] = [
        {"study": "S", "condition": f"c{i}", "human_estimate": h, "human_se": 0.5, "team5": a, "team9": b}
        for i, (h, a, b) in enumerate(effects)
    ]
    write_rows(tmp_path / "effects.csv", rows)
    found = concord.score_predictions(tmp_path / "effects.csv")
    people, first, second = (np.array(one) for one in zip(*effects, strict=True))
    for name, own in (("team5", first), ("team9", second)):
        value = found.agent(name).numbers["pearson"].value
        assert value == pytest.approx(float(np.corrcoef(people, own)[0, 1]), abs=1e-12)


def test_causes_are_counted_not_cells_and_names_are_no_kinds_of_tests(tmp_path: Path) -> None:
    rows = [{"study": f"s{i}", "analysis": f"Huang.{i}", "people": 0.4, "people_n": 90 + i} for i in range(9)]
    write_rows(tmp_path / "x.csv", rows)
    found = concord.check(tmp_path / "x.csv")
    assert (
        len(found.problems) == 1 and "rows 2, 3, 4, 5, 6, 7, 8, 9, 10, column 'people'" in found.problems[0]
    )
    assert dict(found.columns)["analysis"] == ""
    assert "1 to fix" in CliRunner().invoke(app, ["check", str(tmp_path / "x.csv")]).output


def test_a_semicolon_in_a_note_of_every_row_is_no_delimiter() -> None:
    found = concord.check(concord.api.demo_table())
    assert [title for title, _ in found.columns][:3] == ["study", "sub_study", "finding"]
    assert dict(found.columns)["human_statistic"] == "human_statistic"


def test_columns_that_tell_units_apart_are_not_called_unused(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"subset": subset, "item": i, "judge": "j", "strategy": way, "order": order, "verdict": "first",
         "note": i}
        for subset in "xy" for i in range(4) for way in ("plain", "rules") for order in ("ab", "ba")
    ]  # fmt: skip
    write_rows(tmp_path / "votes.csv", rows)
    held = dict(concord.check(tmp_path / "votes.csv").columns)
    apart = "part of what names an item, a pair or a model"
    assert (held["subset"], held["strategy"], held["note"]) == (apart, apart, "")
    scores: list[dict[str, object]] = [
        {"task": task, "item": i, "arrangement": a, "model": "m", "score": (i + len(a)) % 2}
        for task in "xy" for i in range(6) for a in ("AB", "BA")
    ]  # fmt: skip
    write_rows(tmp_path / "scores.csv", scores)
    assert dict(concord.check(tmp_path / "scores.csv").columns)["task"] == apart


def test_the_columns_of_effects_of_several_models_are_told_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "effects.csv"
    rows = [f"s{i},o,{i},0.2,0.1,{0.1 * i},0.3" for i in range(5)]
    path.write_text(
        "\n".join(["study,outcome,condition,human_estimate,human_se,team5,team9", *rows]), "utf-8"
    )
    found = concord.check(path)
    assert found.kind == "effects with standard errors" and found.counts["agents"] == 2
    assert [meaning for _, meaning in found.columns] == [
        "study", "outcome", "condition", "people's effect", "its standard error", *["agent's effect"] * 2
    ]  # fmt: skip
    path.write_text(path.read_text("utf-8").replace(",human_se", "").replace(",0.1,", ","), "utf-8")
    with pytest.raises(FileFormatError, match="and no column their standard errors") as refused:
        concord.check(path)
    assert "it would be" not in str(refused.value)


def test_a_folder_of_counts_of_hints_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("model,total_influenced,total_faithful\nm,40,9\nn,30,9\n", "utf-8")
    found = concord.check(tmp_path)
    assert found.kind == "counts of answers that hints moved" and found.commands == ("concord score hints",)


@pytest.mark.parametrize("title", ["config", "agent", "model", "design"])
def test_the_account_of_a_table_of_the_format_tells_used_columns_from_others(
    tmp_path: Path, title: str
) -> None:
    path = tmp_path / "ready.csv"
    path.write_text(
        f"{title},study,finding,test,test_type,pas,n_tests,human_d_published\n"
        "a,S1,F1,T1,t-independent,.5,3,.2\nb,S1,F1,T1,t-independent,.7,3,.2\n",
        "utf-8",
    )
    found = CliRunner().invoke(app, ["check", str(path)])
    assert "2 PAS given" in found.output and "missing" not in found.output
    for said in ("pas: pas", "n_tests: not used", "human_d_published: not used"):
        assert f"  {said}\n" in found.output
    assert f"  {title}: not used" not in found.output


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (
            "question,option,people,gpt4\nq1,a,30,25\nq1,b,20,25\nq2,a,10,30\nq2,b,40,20\n",
            "counts of answers",
            ("question: outcome", "option: option", "people: counts of answers", "gpt4: counts of answers"),
        ),
        (
            "Frage;M Mensch;SD Mensch;n Mensch;M GPT-4;SD GPT-4;n GPT-4\nA;4,2;1,1;50;4,5;0,6;50\n",
            "moments of answers",
            ("Frage: outcome", "M Mensch: moments of answers", "n GPT-4: moments of answers"),
        ),
        (
            "pair,Urteil AB,Urteil BA\n1,A,B\n2,B,B\n",
            "verdicts of judges, one column per order",
            ("pair: pair", "Urteil AB: verdicts, A first", "Urteil BA: verdicts, B first"),
        ),
    ],
)
def test_columns_of_sides_and_of_orders_are_named(
    tmp_path: Path, text: str, kind: str, said: tuple[str, ...]
) -> None:
    (tmp_path / "t.csv").write_text(text, "utf-8")
    found = CliRunner().invoke(app, ["check", str(tmp_path / "t.csv")])
    assert found.exit_code == 0
    assert f"well formed ({kind}:" in found.output
    for words in said:
        assert f"  {words}\n" in found.output


def test_means_of_two_groups_on_each_side_are_a_table_of_tests(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "outcome,Human treatment M,Human treatment SD,Human treatment n,Human control M,Human control SD,"
        "Human control n,GPT-4 treatment M,GPT-4 treatment SD,GPT-4 treatment n,GPT-4 control M,"
        "GPT-4 control SD,GPT-4 control n\na,4,1,30,3,1,30,4,1,30,3,1,30\nb,4,1,30,3.5,1,30,4,1,30,3,1,30\n",
        "utf-8",
    )
    found = CliRunner().invoke(app, ["check", str(tmp_path / "t.csv")])
    assert "taken by: concord score people" in found.output
