"""`concord compare` in pipelines: groups of lm-eval tasks, and exit 3 where the first model is worse."""

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from concord.cli.app import app
from concord.comparing.scores import read_scores
from concord.errors import OptionError

TASKS = [f"mmlu_{name}" for name in ("anatomy", "astronomy", "law", "logic", "physics", "virology", "botany")]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def group(folder: Path, skill: float, *, seed: int = 1) -> Path:
    """A folder of a model as lm-eval writes it: a file per task, 40 documents each."""
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    for task in TASKS:
        lines = [
            {"doc_id": i, "doc_hash": f"{task}{i}", "metrics": ["acc"], "filter": "none"}
            | {"acc": float(rng.random() < skill)}
            for i in range(40)
        ]
        text = "\n".join(map(json.dumps, lines)) + "\n"
        (folder / f"samples_{task}_2026-01-05T10-00-00.000000.jsonl").write_text(text, "utf-8")
    return folder


def table(path: Path, scores: list[float]) -> Path:
    path.write_text("item,score\n" + "".join(f"i{n},{s}\n" for n, s in enumerate(scores)), "utf-8")
    return path


def test_a_group_is_one_file_whose_clusters_are_its_tasks(tmp_path: Path) -> None:
    found = read_scores(group(tmp_path / "old", 0.5))
    assert (found.frame.height, found.frame["cluster"].n_unique(), found.name) == (280, 7, "old")
    assert (found.task, len(found.parts)) == ("a group of lm-eval tasks", 7)
    assert len(found.inputs) == 7
    assert found.frame["item"][0].startswith("mmlu_")


def test_every_task_is_listed_with_the_means_of_its_own_items(tmp_path: Path) -> None:
    first, second = group(tmp_path / "new", 0.8, seed=1), group(tmp_path / "old", 0.5, seed=2)
    document = json.loads(run("compare", first, second, "--json").stdout)
    assert [row["task"] for row in document["tasks"]] == sorted(TASKS)
    law = next(row for row in document["tasks"] if row["task"] == "mmlu_law")
    lines = (first / "samples_mmlu_law_2026-01-05T10-00-00.000000.jsonl").read_text("utf-8").splitlines()
    assert law["means"]["new"] == pytest.approx(sum(json.loads(line)["acc"] for line in lines) / 40)
    assert law["n_items"] == 40
    pooled = sum(row["means"]["new"] - row["means"]["old"] for row in document["tasks"]) / 7
    assert document["pairs"][0]["difference"] == pytest.approx(pooled)
    shown = run("compare", first, second).stdout
    assert "7 tasks, each a cluster" in shown


def test_a_task_that_was_run_twice_is_read_once_and_told(tmp_path: Path) -> None:
    folder = group(tmp_path / "m", 0.5)
    newer = folder / "samples_mmlu_law_2026-02-05T10-00-00.000000.jsonl"
    line = {"doc_id": 0, "doc_hash": "x", "metrics": ["acc"], "filter": "none", "acc": 1.0}
    newer.write_text(json.dumps(line) + "\n", "utf-8")
    found = read_scores(folder)
    assert found.warnings == ("m: of 'mmlu_law' the newest file is read",)
    assert found.frame.height == 241
    with pytest.raises(OptionError, match="the task is the cluster"):
        from concord.comparing.tables import ScoreColumns

        read_scores(folder, columns=ScoreColumns(cluster="subject"))


BETTER = [1.0] * 60 + [0.0] * 20
WORSE = [1.0] * 30 + [0.0] * 50


@pytest.mark.parametrize(
    ("first", "second", "options", "code", "said"),
    [
        (WORSE, BETTER, ["--fail-if-worse"], 3, "regression: a is worse than b"),
        (BETTER, WORSE, ["--fail-if-worse"], 0, "no regression was shown"),
        (WORSE, BETTER, ["--fail-if-worse", "--margin", "0.05"], 3, "worse by more than 0.05"),
        (WORSE, BETTER, ["--fail-if-worse", "--margin", "0.5"], 0, "no regression was shown"),
        (WORSE, BETTER, [], 0, ""),
    ],
)
def test_a_regression_exits_3(
    tmp_path: Path, first: list[float], second: list[float], options: list[str], code: int, said: str
) -> None:
    files = [table(tmp_path / "a.csv", first), table(tmp_path / "b.csv", second)]
    result = run("compare", *files, *options)
    assert result.exit_code == code, result.output
    assert said in result.stderr


def test_json_holds_the_verdict_of_a_pipeline(tmp_path: Path) -> None:
    files = [table(tmp_path / "a.csv", WORSE), table(tmp_path / "b.csv", BETTER)]
    result = run("compare", *files, "--fail-if-worse", "--json", "--out", tmp_path / "out")
    found = json.loads(result.stdout)["regression"]
    assert json.loads((tmp_path / "out" / "comparison.json").read_text("utf-8"))["regression"] == found
    assert (result.exit_code, found["found"], found["model"]) == (3, True, "a")
    (against,) = found["against"]
    assert against["better_by"] == pytest.approx(-30 / 80)
    assert against["high"] < 0
