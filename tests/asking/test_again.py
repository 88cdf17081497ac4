"""Outcomes asked anew, several models, several processes: each in a folder that can be read and resumed."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.asking.commands import concord, fresh_concord
from tests.asking.faulty_server import faulty_server
from tests.asking.test_faults import vignettes
from typer.testing import CliRunner

from concord.asking import runs
from concord.asking.connection import Connection
from concord.asking.journal import REPLIES, journals, stored_lines
from concord.cli.app import app

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytest.importorskip("openai", reason="the extra `live` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_truncated_replies_are_asked_anew_with_more_tokens_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    samples = vignettes(tmp_path / "s.json", {"long": "Case fault=length-below-99.", "good": "Case."})
    with faulty_server() as server:
        run = (
            "run",
            "reasoning",
            "--model",
            "openai-api/bad/m",
            "--base-url",
            server.url,
            "--samples",
            "s.json",
        )
        first = invoke(*run, "--out", "r", "--max-tokens", "50", "--no-inspect-log")
        assert "4 trials: 2 ok, 2 truncated" in first.stderr
        again = invoke(*run, "--out", "r", "--max-tokens", "99", "--again", "truncated", "--no-inspect-log")
        assert "2 already stored; 2 to ask" in again.stderr
        assert "4 trials: 4 ok" in again.stderr
        calls = sum(server.calls.values())
        invoke(*run, "--out", "r", "--max-tokens", "99", "--again", "truncated", "--no-inspect-log")
        assert sum(server.calls.values()) == calls == 6
    rows = [line.row for _, line in stored_lines(tmp_path / "r", REPLIES)]
    assert [row["outcome"] for row in rows if row["id"] == "long"] == ["truncated"] * 2 + ["ok"] * 2
    assert json.loads((tmp_path / "r" / "run.json").read_text())["again"]["sampling"]["max_tokens"] == 99
    refused = invoke(*run, "--out", "r", "--again", "nonsense")
    assert "--again 'nonsense': expected some of truncated" in refused.stderr
    assert samples.exists()


def test_several_models_have_one_plan_and_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke("run", "reasoning", "--models", "mockllm/a, mockllm/b", "--limit", "1", "--out", "all")
    assert done.exit_code == 0, done.output
    assert {path.name for path in (tmp_path / "all").iterdir()} == {"mockllm-a", "mockllm-b"}
    assert "all models on one page: concord report all/mockllm-a/results all/mockllm-b/results" in done.stderr


def test_a_model_that_is_refused_does_not_keep_the_others_from_being_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("run", "reasoning", "--limit", "1", "--max-retries", "0", "--no-inspect-log", "--yes")
    with faulty_server(every="no-such-model") as server:
        monkeypatch.setenv("BAD_BASE_URL", server.url)
        monkeypatch.setenv("BAD_API_KEY", "none-needed")
        done = invoke(*run, "--models", "openai-api/bad/m,mockllm/b", "--out", "all")
        alone = invoke(*run, "--models", "openai-api/bad/m,openai-api/bad/n", "--out", "none")
    assert done.exit_code == 4, done.output
    assert "of mockllm/b: " in done.stderr
    assert "all models on one page: concord report all/mockllm-b/results\n" in done.stderr
    assert "concord: openai-api/bad/m: " in done.stderr
    assert "the model does not exist" in done.stderr
    assert alone.exit_code == 2
    assert "openai-api/bad/n: " in alone.stderr


@pytest.mark.long
def test_several_models_share_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("run", "reasoning", "--limit", "1", "--max-time", "0.00001", "--no-inspect-log", "--yes")
    done = invoke(*run, "--models", "mockllm/a,mockllm/b", "--out", "all")
    assert done.exit_code == 4, done.output
    limits = [json.loads((path / "run.json").read_text())["limits"] for path in sorted(Path("all").iterdir())]
    assert limits[0]["max_time"] == 0.00001 > limits[1]["max_time"] > 0
    assert "stopped: --max-time of all models is reached" in done.stderr
    assert "all models on one page" not in done.stderr  # there is nothing to show


def test_a_run_without_any_reply_to_score_says_why_and_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ("run", "reasoning", "--model", "openai-api/bad/m", "--limit", "1", "--no-inspect-log", "--yes")
    prices = ("--price-in", "1", "--price-out", "1")
    with faulty_server(every="vllm-overflow") as server:
        done = invoke(*run, *prices, "--base-url", server.url, "--out", "r")
    assert done.exit_code == 4, done.output
    assert (
        "no reply can be scored; the last one: HTTP 400: This model's maximum context length" in done.stderr
    )
    assert "to ask anew: --again 'context overflow'" in done.stderr
    assert json.loads(Path("r", "run.json").read_text())["cost"] is None  # nobody said what it took


def test_a_cache_that_cannot_be_kept_is_told_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "file" / "below"))
    done = invoke(
        "run", "reasoning", "--model", "mockllm/a", "--limit", "1", "--cache", "--out", "r", "--yes"
    )
    assert done.exit_code == 2
    assert "--cache: Inspect's cache cannot be written (Not a directory: " in done.stderr
    assert not Path("r").exists()


def test_a_limit_of_cost_without_prices_is_told_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke("run", "reasoning", "--model", "mockllm/a", "--max-cost", "1", "--out", "r", "--yes")
    assert done.exit_code == 2
    assert "--max-cost needs prices" in done.stderr
    assert not Path("r").exists()


@pytest.mark.slow
def test_two_processes_write_two_journals_that_are_read_as_one(tmp_path: Path) -> None:
    run = ("run", "reasoning", "--model", "scripted/fast", "--limit", "5", "--seed", "5", "--yes")
    done = fresh_concord(*run, "--processes", "2", "--out", "two", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    whole = concord(*run, "--out", "one", "--json", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    assert [path.name for path in journals(tmp_path / "two", REPLIES)] == [
        "replies.jsonl",
        "replies-1.jsonl",
        "replies-2.jsonl",
    ]
    held = [
        {line.row["key"]: line.row["response"] for _, line in stored_lines(tmp_path / name, REPLIES)}
        for name in ("one", "two")
    ]
    assert held[0] == held[1]
    assert json.loads(done.stdout)["score"]["acc_cot"] == json.loads(whole.stdout)["score"]["acc_cot"]


def test_a_turn_that_was_cut_is_not_scored_and_its_session_is_not_ok(tmp_path: Path) -> None:
    with faulty_server(every="length") as server:
        job = runs.job(
            "people", "openai-api/bad/m", study=["trust-game"], n=2, connection=Connection(server.url)
        )
        result = runs.run_job(job, tmp_path / "r")
    assert set(result.outcomes) == {"truncated"}
    assert all(json.loads(row["response"]) == {} for row in result.stored.rows)
    assert all(row["turns"]["truncated"] > 0 for row in result.stored.rows)
