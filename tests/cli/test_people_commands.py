"""`concord score people`, `concord check`, `concord demo` as a person runs them."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from concord.api import demo_table
from concord.cli.app import app

HEADLINES = ("average_pas_raw", "average_ecs", "average_apr")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def table(folder: Path, *lines: str) -> Path:
    path = folder / "tests.csv"
    header = (
        "study,finding,test,test_type,human_statistic,human_n1,human_n2,agent_statistic,agent_n1,agent_n2"
    )
    path.write_text("\n".join([header, *lines]) + "\n", "utf-8")
    return path


GOOD = [
    f"S{i},F{j},t,t-test,{h},40,40,{a},60,60"
    for i in range(4)
    for j, (h, a) in enumerate([(2.1, 3.0), (0.4, i)])
]


def test_scoring_writes_the_files_of_the_format(tmp_path: Path) -> None:
    result = run("score", "people", table(tmp_path, *GOOD), "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    summary = json.loads((tmp_path / "out" / "benchmark_summary.json").read_text("utf-8"))
    assert summary["protocol"] == "standard"
    assert all(isinstance(summary[key], float) for key in HEADLINES)
    assert set(summary["average_pas_raw_interval"]) == {"low", "high", "level", "method"}
    assert [study["study_id"] for study in summary["studies"]] == ["S0", "S1", "S2", "S3"]
    text = (tmp_path / "out" / "detailed_stats.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 8
    assert {"Study_ID", "PAS_Raw", "ECS_Test", "Z_Diff", "Agent_Effect_d", "Human_Effect_d"} <= set(rows[0])
    study = json.loads((tmp_path / "out" / "S1" / "evaluation_results.json").read_text("utf-8"))
    assert study["score"] == summary["studies"][1]["score"]
    assert {"normalized_score", "ecs_strict_study"} <= set(study["auxiliary"])


def test_what_was_assumed_is_listed_without_asking_for_everything(tmp_path: Path) -> None:
    path = tmp_path / "tests.csv"
    lines = [
        f'S{i},F,x,t-test,"t(58) = {(2.4, 6.1, -5.2)[i]}","t(58) = {(1.1, 5.2, -4.4)[i]}"' for i in range(3)
    ]
    header = "study,finding,test,test_type,human_reported,agent_reported"
    path.write_text("\n".join([header, *lines]) + "\n", "utf-8")
    result = run("score", "people", path, "--out", tmp_path / "out")
    said = " ".join(result.stdout.split())
    assert "Assumed: 3 tests assume equal groups: S0 F x, S1 F x, S2 F x; give n1 and n2 to avoid" in said
    full = run("score", "people", path, "--full", "--out", tmp_path / "full").stdout
    assert "assume equal groups" in full and "[0.10, 1.21]" not in full  # a place wider than 1 is withheld


def test_json_is_one_document_and_equals_the_summary_file(tmp_path: Path) -> None:
    result = run("score", "people", table(tmp_path, *GOOD), "--out", tmp_path / "out", "--json")
    assert json.loads(result.stdout) == json.loads(
        (tmp_path / "out" / "benchmark_summary.json").read_text("utf-8")
    )


def test_same_input_and_seed_give_the_same_bytes_in_any_row_order(tmp_path: Path) -> None:
    run("score", "people", table(tmp_path, *GOOD), "--out", tmp_path / "a")
    run("score", "people", table(tmp_path, *reversed(GOOD)), "--out", tmp_path / "b")
    assert (tmp_path / "a/detailed_stats.csv").read_bytes() == (
        tmp_path / "b/detailed_stats.csv"
    ).read_bytes()
    first, second = (json.loads((tmp_path / x / "benchmark_summary.json").read_text("utf-8")) for x in "ab")
    assert {k: v for k, v in first.items() if k != "inputs"} == {
        k: v for k, v in second.items() if k != "inputs"
    }


def test_bad_cells_exit_2_name_every_cell_and_write_nothing(tmp_path: Path) -> None:
    path = table(tmp_path, "S,F,a,t-test,two,40,40,1,60,60", "S,F,b,t-test,2,-4,40,1,60,60")
    result = run("score", "people", path, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "tests.csv, row 2, column 'human_statistic': got 'two', expected a number" in result.stderr
    assert "tests.csv, row 3, column 'human_n1': got '-4'" in result.stderr
    assert result.stdout == ""
    assert not (tmp_path / "out").exists()


def test_a_missing_agent_side_is_counted_and_not_scored(tmp_path: Path) -> None:
    path = table(tmp_path, *GOOD, "S9,F0,t,t-test,2.5,40,40,,,")
    result = run("score", "people", path, "--out", tmp_path / "out", "--json")
    summary = json.loads(result.stdout)
    assert summary["outcomes"] == {"agent missing": 1, "scored": 8}
    missing = summary["studies"][-1]
    assert (missing["study_id"], missing["score"], missing["n_tests_scored"]) == ("S9", None, 0)
    assert "no test has both sides" in missing["score_note"]


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("two.yaml", "states: 2", "standard (states=2)"),
        ("two.json", '{"like": "published", "states": 2}', "published (states=2)"),
        ("mine.yml", "name: ours\nlike: refined\nhuman_prior_odds: 3", "ours"),
    ],
)
def test_a_protocol_is_read_from_a_file(tmp_path: Path, file: str, text: str, name: str) -> None:
    (tmp_path / file).write_text(text, "utf-8")
    options = ("--protocol", tmp_path / file, "--out", tmp_path / "out", "--json")
    result = run(
        "score", "people", table(tmp_path, *GOOD), *options, "--simulations", "0", "--resamples", "0"
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["protocol"] == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("states: 4", "states is 4; expected one of 2, 3"),
        ("states: two", "mine.yaml, 'states': got 'two', expected a whole number"),
        ("human_prior_odds: -1", "human_prior_odds is -1.0; expected a positive number"),
        ("prior: 3", "a protocol has no choice 'prior'; its choices are human_prior_odds"),
        ("like: ours", "mine.yaml: like is 'ours'; expected one of standard, refined, published"),
        ("name: refined\nstates: 2", "mine.yaml: 'refined' is another protocol; choose another name"),
        ("- states", "mine.yaml: expected choices of a protocol, such as 'states: 2'"),
    ],
)
def test_a_file_that_is_no_protocol_is_told_why(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mine.yaml").write_text(text, "utf-8")
    options = ("--protocol", tmp_path / "mine.yaml", "--out", tmp_path / "out")
    result = run("score", "people", table(tmp_path, *GOOD), *options)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--protocol", "bogus"), "protocol is 'bogus'; expected one of standard, refined, published"),
        (("--level", "95"), "level is 95.0; expected a number between 0 and 1"),
        (("--resamples", "-5"), "resamples is -5"),
        (("--seed", "-1"), "seed is -1; expected a whole number from 0"),
    ],
)
def test_an_option_that_does_not_fit_exits_2(tmp_path: Path, option: tuple[str, str], message: str) -> None:
    result = run("score", "people", table(tmp_path, *GOOD), "--out", tmp_path / "out", *option)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_missing_file_exits_2(tmp_path: Path) -> None:
    result = run("score", "people", tmp_path / "none.csv")
    assert result.exit_code == 2
    assert "none.csv" in result.stderr


def test_check_passes_the_bundled_table_and_fails_a_bad_one(tmp_path: Path) -> None:
    good = run("check", demo_table())
    assert good.exit_code == 0
    assert "well formed (9 studies" in good.stdout
    bad = run("check", table(tmp_path, "S,F,a,t-test,two,40,40,1,60,60"))
    assert bad.exit_code == 1
    assert "row 2, column 'human_statistic'" in bad.stdout


def test_check_fails_a_reported_statistic_that_contradicts_its_p(tmp_path: Path) -> None:
    path = tmp_path / "tests.csv"
    path.write_text('study,finding,test,test_type,human_reported\nS,F,t,t-test,"t(38) = 1.20, p = .01"\n')
    result = run("check", path)
    assert result.exit_code == 1
    assert "t(38) = 1.20, p = .01" in result.stdout


def test_the_table_is_readable_in_a_pipe_without_colour_codes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from concord.cli.app import main; main()"]
    done = subprocess.run(
        [*command, "score", "people", str(demo_table()), "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert "\x1b[" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 110


def test_a_named_study_is_shown_with_the_place_of_every_human_number() -> None:
    shown = run("studies", "framing")
    assert shown.exit_code == 0
    assert shown.stdout.count("    where:  ") == 7
    assert "where:  p. 455, Problems 6, 7\n" in shown.stdout
    assert "(page not verified)" not in shown.stdout
    (study,) = json.loads(run("studies", "framing", "--json").stdout)["studies"]
    assert {side["located"]["known"] for side in study["human_sides"]} == {"seen"}
    assert study["human_sides"][0]["human"] == {"table": [[109, 43], [34, 121]]}


def test_check_reads_replies_and_exits_by_what_it_finds(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"id": "a", "response": "x"}\n', "utf-8")
    good = run("check", path)
    assert (good.exit_code, "well formed (recorded replies: 1 reply" in good.stdout) == (0, True)
    path.write_text('{"id": "a", "response": "x"}\n{"id": "b", "response": 7}\n', "utf-8")
    bad = run("check", path, "--json")
    assert bad.exit_code == 1
    document = json.loads(bad.stdout)
    assert (document["kind"], document["counts"]["ok"]) == ("recorded replies", 1)
    assert document["problems"] == ["replies.jsonl, line 2: 'response' is 7, expected text"]
    assert run("check", tmp_path / "none.jsonl").exit_code == 2


@pytest.mark.parametrize(
    ("document", "kind", "said"),
    [
        ({"samples": [{"id": "a", "gold_answer": "x"}]}, "vignettes", None),
        ({"samples": [{"id": "a"}]}, "JSON with a list 'samples'", "which no command takes"),
        ({"cases": [{"id": "a", "bias_feature": "x", "bias_label": "y"}]}, "bias cases", None),
        ({"cases": [{"id": "a", "bias_feature": 3}]}, "bias cases", "'bias_feature' is 3"),
        ({"items": [{"id": "a", "text": "x"}]}, "items", None),
        ({"items": [{"text": "x"}]}, "items", "'id' is None"),
        ([{"id": "a", "response": "x"}], "recorded replies", None),
        ([{"study": "S", "finding": "F", "test": "a", "test_type": "odd"}], "table of tests", "'odd'"),
    ],
)
def test_check_tells_by_its_keys_what_a_json_file_holds(
    tmp_path: Path, document: object, kind: str, said: str | None
) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(document), "utf-8")
    result = run("check", path, "--json")
    found = json.loads(result.stdout)
    assert (found["kind"], found["passed"], result.exit_code) == (kind, said is None, int(said is not None))
    assert said is None or said in found["problems"][0]
