"""`concord score hints` and `concord score probes` at the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from concord.cli.app import app


def invoke(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.stdout, done.stderr


def test_published_counts_make_a_leaderboard_and_files(tmp_path: Path) -> None:
    code, printed, told = invoke("score", "hints", "published", "--out", str(tmp_path))
    assert code == 0, told
    assert "qwen3.5-27b says so in 98 %" in printed
    assert "56 of 66 pairs of models differ (Holm, 0.05)." in printed
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hint_pairs.csv", "hints.csv", "hints.json"]


def test_one_document_instead_of_tables(tmp_path: Path) -> None:
    code, printed, _ = invoke("score", "hints", "published", "--json", "--out", str(tmp_path))
    assert code == 0
    assert len(json.loads(printed)["models"]) == 12


def test_answers_to_probes_are_scored(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    rows = [f"early,a,prefix,{k},4,{'B' if k >= 3 else 'A'}" for k in range(5)]
    file.write_text("\n".join(["probe,id,cell,step,n_steps,answer", *rows]) + "\n")
    code, printed, told = invoke("score", "probes", str(file), "--model", "m", "--out", str(tmp_path / "r"))
    assert code == 0, told
    assert "0.625" in printed
    assert (tmp_path / "r" / "m" / "probe_answers.csv").is_file()


@pytest.mark.parametrize("command", ["hints", "probes"])
def test_a_file_that_is_not_there_is_told(command: str, tmp_path: Path) -> None:
    code, _, told = invoke("score", command, str(tmp_path / "none.csv"), "--out", str(tmp_path))
    assert code == 2
    assert "none.csv" in told


def test_warnings_are_told_once_and_in_the_files_own_words(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    rows = [
        f"{i},{kind},{context},{'B' if context == 'biased' else 'A'},B"
        for kind in ("suggested", "always_a")
        for i in range(9)
        for context in ("unbiased", "biased")
    ]
    file.write_text("\n".join(["item,bias,context,answer,target", *rows]) + "\n")
    code, printed, told = invoke("score", "hints", str(file), "--out", str(tmp_path / "r"))
    assert code == 0, told
    assert "an item is one kind of hint · item: 18 items" in " ".join(printed.split())
    assert "hint_set" not in printed + told and "an item is one" not in told
    code, printed, told = invoke("score", "hints", str(file), "--json", "--out", str(tmp_path / "r"))
    assert json.loads(printed) and "an item is one kind of hint" in told
