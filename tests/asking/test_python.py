"""Runs from Python: what the pages show, and replies that come with Concord."""

from pathlib import Path
from typing import Any

import pytest

import concord
from concord.asking import runs
from concord.asking.recorded import bundled_run
from concord.asking.requests import Sampling, requests_of
from concord.errors import OptionError


@pytest.mark.filterwarnings("ignore")
def test_a_run_is_one_call_and_says_how_it_ended(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    result = concord.run(
        "structure", "mockllm/model", items="idioms-ko", limit=2, arrangements=3, out=tmp_path / "my-run"
    )
    assert (result.outcomes, result.complete, result.folder) == ({"ok": 12}, True, tmp_path / "my-run")
    assert result.to_dict()["status"] == "finished"


@pytest.mark.filterwarnings("ignore")
def test_a_printed_run_says_what_was_asked_what_came_back_and_where_it_is(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    result = concord.run("reasoning", "mockllm/model", limit=3, out=tmp_path / "my-run")
    for shown in (repr(result), result._repr_html_()):
        assert "reasoning, asked of mockllm/model: 12 of 12 trials answered (12 ok)." in shown
        assert "Tokens: 0 in, 0 out; cost not known." in shown
        assert "mockllm/model: undecided" in shown
        assert f"Folder: {tmp_path / 'my-run'}" in shown
        assert "RunResult(" not in shown
    assert "12 prompts (reasoning; temperature 0.0, max tokens 1024)" in result.methods()
    assert runs.RunResult.read(tmp_path / "my-run").outcomes == {"ok": 12}
    assert tmp_path / "my-run" / "run.json" in result.write()
    with pytest.raises(OptionError, match="a run is kept where it was asked"):
        result.write(tmp_path / "elsewhere")


@pytest.mark.filterwarnings("ignore")
def test_a_run_that_was_not_finished_says_so(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    folder = concord.run("reasoning", "mockllm/model", limit=3, out=tmp_path / "my-run").folder
    lines = (folder / "replies.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "replies.jsonl").write_text("".join(lines[:5]), "utf-8")
    shown = " ".join(str(runs.read_folder(folder)).split())
    assert "5 of 12 trials answered (5 ok, 7 not asked)." in shown
    assert "7 have not been asked; the same call goes on." in shown
    assert "Nothing is scored yet." in shown


@pytest.mark.parametrize(
    ("question", "sampling"),
    [
        ("reasoning", Sampling(temperature=0.0, max_tokens=256)),
        ("structure", Sampling(temperature=0.7, max_tokens=24, seed=1)),
    ],
)
def test_bundled_replies_answer_the_words_of_the_source(question: str, sampling: Sampling) -> None:
    found = bundled_run(question)
    choices: dict[str, Any] = {"arrangements": 6, "repeats": 2} if question == "structure" else {}
    job = runs.job(question, found.model, sampling=sampling, structured="off", **choices)
    keys = {request.key for request in requests_of(job.design, job.model, job.sampling)}
    assert {row["key"] for row in found.rows} == keys


@pytest.mark.parametrize("question", ["reasoning", "structure"])
def test_bundled_replies_score_to_the_same_bytes_every_time(question: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        runs.score_bundled(question).write(tmp_path / name)
    written = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("a", "b")
    ]
    assert written[0] == written[1] != {}
