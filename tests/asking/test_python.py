"""Runs from Python: what the pages show, and replies that come with Concord."""

from pathlib import Path
from typing import Any

import pytest

import concord
from concord.asking import runs
from concord.asking.recorded import bundled_run
from concord.asking.requests import Sampling, requests_of


@pytest.mark.filterwarnings("ignore")
def test_a_run_is_one_call_and_says_how_it_ended(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    result = concord.run(
        "structure", "mockllm/model", items="idioms-ko", limit=2, arrangements=3, out=tmp_path / "my-run"
    )
    assert (result.outcomes, result.complete, result.folder) == ({"ok": 12}, True, tmp_path / "my-run")
    assert result.to_dict()["status"] == "finished"


@pytest.mark.parametrize(
    ("question", "sampling"),
    [
        ("reasoning", Sampling(temperature=0.0, max_tokens=256)),
        ("structure", Sampling(temperature=0.7, max_tokens=24, seed=1)),
    ],
)
def test_bundled_replies_answer_the_prompts_of_today(question: str, sampling: Sampling) -> None:
    found = bundled_run(question)
    choices: dict[str, Any] = {"arrangements": 6, "repeats": 2} if question == "structure" else {}
    job = runs.job(question, found.model, sampling=sampling, **choices)
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
