"""`concord score people` on a table of effects with standard errors."""

import csv
import json
from pathlib import Path

import pytest
from tests.people.predictions.test_predictions import sdc
from typer.testing import CliRunner

from concord.cli.app import app
from concord.people.predictions.result import PredictionResult


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = sdc(("GPT-4", "agent_effect_d"), ("experts", "expert_prediction"))
    path = tmp_path / "effects.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_answer_comes_first_and_files_hold_it(table: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["score", "people", str(table), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("experts is off by 3.43")
    assert PredictionResult.read(tmp_path / "out").agent("GPT-4").n == 50


def test_one_document_is_printed(table: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["score", "people", str(table), "--json", "--out", str(tmp_path / "out")])
    document = json.loads(done.stdout)
    assert document["format"] == "concord prediction result"
    assert document["n_effects"] == 50
