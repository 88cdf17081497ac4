"""`concord score structure`: exit codes, stdout for the result, stderr for everything else."""

import json
from pathlib import Path

from typer.testing import CliRunner

from concord.cli.app import app

GOOD = "model,arrangement,item,S_mean,S_max\nm,AB,x,0.1,0.2\nm,BA,x,0.3,0.5\n"
runner = CliRunner()


def test_a_table_goes_to_stdout_and_notes_to_stderr(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text(GOOD + "n,AB,x,oops,0.2\n", "utf-8")
    result = runner.invoke(
        app, ["score", "structure", "--full", "--scores", str(tmp_path / "long.csv"), "--out", str(tmp_path)]
    )
    assert result.exit_code == 0
    assert "As defined in the source, definition `peak`" in result.stdout
    assert "left out" not in result.stdout
    assert "left out: model 'n'" in result.stderr
    assert (tmp_path / "consistency" / "s_cons_results.csv").is_file()


def test_json_prints_one_document(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text(GOOD, "utf-8")
    arguments = [
        "score",
        "structure",
        "--scores",
        str(tmp_path / "long.csv"),
        "--json",
        "--reading",
        "paired",
    ]
    result = runner.invoke(app, [*arguments, "--out", str(tmp_path)])
    document = json.loads(result.stdout)
    assert document["reading"] == "paired"
    assert document["models"][0]["readings"][0]["E_perf"]["value"] == 0.15000000000000002


def test_nothing_scored_exits_with_2_and_an_empty_stdout(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("model,arrangement,item,S_mean,S_max\nm,AB,x,55,60\n", "utf-8")
    result = runner.invoke(
        app, ["score", "structure", "--scores", str(tmp_path / "long.csv"), "--out", str(tmp_path)]
    )
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "these look like scores from 0 to 100; use --percent" in result.stderr
    assert not (tmp_path / "consistency").exists()


def test_no_source_exits_with_2() -> None:
    result = runner.invoke(app, ["score", "structure"])
    assert result.exit_code == 2
    assert "no scores given" in result.stderr


def test_help_lists_every_option() -> None:
    result = runner.invoke(app, ["score", "structure", "--help-all"], env={"COLUMNS": "200"})
    for option in (
        "--mean", "--max", "--scores", "--reading", "--out", "--column", "--percent", "--missing", "--strict",
        "--samples", "--baseline", "--encoding", "--decimal-comma", "--seed", "--json",
    ):  # fmt: skip
        assert option in result.stdout
