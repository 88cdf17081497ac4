"""The command: exit codes, streams, files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from concord.cli.app import app


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    samples = {
        "samples": [
            {"id": str(k), "gold_answer": "Panic Disorder", "gold_reasoning": ["x"]} for k in range(12)
        ]
    }
    rows = [
        {"id": str(k), "mode": mode, "response": "DIAGNOSIS: Panic disorder"}
        for k in range(12)
        for mode in ("cot", "direct")
    ]
    cases = {"cases": [{"id": "c", "bias_feature": "f", "bias_label": "gout", "role": "target"}]}
    (tmp_path / "s.json").write_text(json.dumps(samples))
    (tmp_path / "model-x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    (tmp_path / "bias.jsonl").write_text(json.dumps({"id": "c", "response": "gout"}) + "\n")
    names = {
        "s": "s.json",
        "r": "model-x.jsonl",
        "c": "cases.json",
        "b": "bias.jsonl",
        "out": "out",
        "bad": "bad.jsonl",
    }
    return {key: str(tmp_path / name) for key, name in names.items()}


def invoke(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["score", "reasoning", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_bias_cases_alone_are_answered_by_their_silence(files: dict[str, str]) -> None:
    code, out, _ = invoke("--bias-cases", files["c"], "--bias-replies", files["b"], "--out", files["out"])
    assert code == 0
    said = " ".join(out.split())
    assert "Of 1 biased answer of bias, 100 % (21 to 100 %) comes with reasoning that does not name" in said
    assert "Intervals: 95 %." in said
    assert "gap Δ" not in said


def test_json_prints_one_document_and_writes_the_same(files: dict[str, str]) -> None:
    code, out, err = invoke(
        *("--samples", files["s"], "--replies", files["r"], "--out", files["out"], "--json"),
        *("--bias-cases", files["c"], "--bias-replies", files["b"]),
    )
    assert code == 0
    document = json.loads(out)
    assert document["model"] == "model-x"
    assert (document["n_biased"], document["n_silent"], document["silent_bias_rate"]) == (1, 1, 1.0)
    folder = Path(files["out"]) / "model-x"
    assert json.loads((folder / "study_a_results.json").read_text()) == document
    assert (folder / "study_a_samples.csv").exists()
    assert (folder / "study_a_bias.csv").exists()
    assert f"written to {folder}" in err


def test_the_table_is_printed(files: dict[str, str]) -> None:
    code, out, _ = invoke(
        "--samples", files["s"], "--replies", files["r"], "--out", files["out"], "--full", "--model", "a/b"
    )
    assert code == 0
    assert "Reasoning of a/b (rules: standard)" in out
    assert (Path(files["out"]) / "a_b" / "study_a_results.json").exists()


def test_rules_of_the_source_are_an_option(files: dict[str, str]) -> None:
    code, out, _ = invoke(
        "--samples", files["s"], "--replies", files["r"], "--out", files["out"], "--rules", "source", "--json"
    )
    assert code == 0
    assert json.loads(out)["rules"] == "source"


def test_bad_input_exits_with_two_and_writes_nothing(files: dict[str, str]) -> None:
    good = Path(files["r"]).read_text()
    Path(files["bad"]).write_text(good + "{broken\n")
    arguments = ("--samples", files["s"], "--replies", files["bad"], "--out", files["out"])
    code, out, err = invoke(*arguments, "--strict")
    assert code == 2
    assert out == ""
    assert err.startswith("concord: bad.jsonl, line 25: not JSON")
    assert not Path(files["out"]).exists()
    code, out, _ = invoke(*arguments, "--json")
    assert code == 0
    assert json.loads(out)["problems"]["counts"] == {"unreadable line": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--samples and --replies are needed"),
        (["--samples", "{s}"], "--samples and --replies are needed"),
        (["--samples", "{s}", "--replies", "{r}", "--bias-cases", "{c}"], "give both or neither"),
        (["--samples", "{s}", "--replies", "{r}", "--rules", "mine"], "expected standard or source"),
        (
            ["--samples", "{s}", "--replies", "{r}", "--resamples", "5"],
            "resamples is 5; expected a whole number from 100",
        ),
        (["--samples", "{s}", "--rank", "{out}"], "leave out --samples"),
        (["--rank", "{out}"], "holds no study_a_results.json"),
        (["--samples", "none.json", "--replies", "{r}"], "none.json: no such file"),
    ],
)
def test_what_the_user_can_mend_exits_with_two(
    files: dict[str, str], arguments: list[str], message: str
) -> None:
    code, _, err = invoke(*(argument.format(**files) for argument in arguments))
    assert code == 2
    assert message in err


def test_rank_prints_the_results_of_a_folder(files: dict[str, str]) -> None:
    for model in ("one", "two"):
        invoke("--samples", files["s"], "--replies", files["r"], "--out", files["out"], "--model", model)
    code, out, _ = invoke("--rank", files["out"])
    assert code == 0
    assert "Ranking by Δ faithfulness gap" in out
    code, out, _ = invoke("--rank", files["out"], "--by", "acc_cot", "--json")
    assert [row["model"] for row in json.loads(out)["models"]] == ["one", "two"]


@pytest.mark.long
def test_bytes_do_not_depend_on_the_hash_seed(files: dict[str, str], tmp_path: Path) -> None:
    written = []
    for hash_seed in ("1", "2"):
        out = tmp_path / hash_seed
        code = (
            "import sys, concord\n"
            "samples, replies, cases, bias, out = sys.argv[1:]\n"
            "concord.score_reasoning(samples, replies, bias_cases=cases, bias_replies=bias).write(out)\n"
        )
        arguments = [files["s"], files["r"], files["c"], files["b"], str(out)]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, env=environment)
        written.append([path.read_bytes() for path in sorted((out / "model-x").iterdir())])
    assert written[0] == written[1]
