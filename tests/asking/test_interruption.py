"""Killed at any moment and resumed, a run ends with the replies of one that was never interrupted."""

import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.asking.commands import concord, start
from tests.asking.scripted import scripted_reply

from concord.asking import runs
from concord.asking.journal import REPLIES, read_lines
from concord.asking.requests import Sampling, requests_of
from concord.cli import run as run_command

pytestmark = pytest.mark.long

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")

RUN = ("run", "reasoning", "--model", "scripted/steady", "--out", "run", "--yes", "--repeats", "2")


def replies(folder: Path) -> dict[str, str]:
    """Key to response of every stored reply; each key once."""
    rows = [line.row for line in read_lines(folder / REPLIES)]
    held = {str(row["key"]): str(row["response"]) for row in rows}
    assert len(held) == len(rows), "a reply was stored twice"
    return held


def test_whoever_presses_ctrl_c_is_kept_waiting_for_less_than_two_seconds() -> None:
    assert run_command.GRACE < 2  # the timer that ends the process whatever Inspect still does


def wait_for(path: Path, lines: int, process: object, deadline: float = 60) -> None:
    end = time.monotonic() + deadline
    while time.monotonic() < end and process.poll() is None:  # type: ignore[attr-defined]
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.005)


def kill_and_resume(tmp_path: Path, kills: int, items: int, seed: int) -> None:
    rng = random.Random(seed)
    command = (*RUN, "--limit", str(items), "--seed", "5")
    calls = tmp_path / "calls"
    total = runs.plan_run(runs.job("reasoning", "scripted/steady", limit=items, repeats=2)).n_trials
    marks = sorted(rng.sample(range(total - 5), kills))
    for mark in marks:
        process = start(*command, cwd=tmp_path, SCRIPTED_CALLS=str(calls))
        wait_for(tmp_path / "run" / REPLIES, mark, process)
        time.sleep(rng.random() * 0.05)
        process.kill()
        process.communicate()
        held = replies(tmp_path / "run")
        result = runs.read_folder(tmp_path / "run")
        assert sum(result.outcomes.values()) == total, "the folder is readable at every moment"
        asked = Counter(calls.read_text().split()) if calls.exists() else Counter()
        (tmp_path / f"before-{mark}").write_text(f"{len(held)} {asked.total()}")
    last = concord(*command, cwd=tmp_path, SCRIPTED_CALLS=str(calls))
    assert last.returncode == 0, last.stderr
    assert replies(tmp_path / "run") == expected(items)
    check_calls(tmp_path, calls, total, kills)


def expected(items: int) -> dict[str, str]:
    """What a run that nobody interrupts stores: the provider's replies are a function of what it is asked."""
    job = runs.job(
        "reasoning", "scripted/steady", limit=items, repeats=2, sampling=Sampling(temperature=0.0, seed=5)
    )
    found = {}
    for request in requests_of(job.design, job.model, job.sampling):
        seed = job.sampling.seed_of(request.trial.repeat)
        found[request.key] = scripted_reply(request.trial.messages[0].text, seed)
    return found


def check_calls(tmp_path: Path, calls: Path, total: int, kills: int) -> None:
    """A call beyond one a trial is one that was in flight when the process was killed: ten at most a kill."""
    asked = Counter(calls.read_text().split())
    assert len(asked) == total
    assert asked.total() <= total + 10 * kills
    for path in tmp_path.glob("before-*"):
        stored, called = map(int, path.read_text().split())
        assert called - stored <= 10 * kills


def test_killed_three_times_and_resumed_it_holds_the_same_replies(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, kills=3, items=10, seed=1)


@pytest.mark.slow
def test_killed_twenty_times_and_resumed_it_holds_the_same_replies(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, kills=20, items=38, seed=2)
    whole = concord(*RUN[:5], "whole", *RUN[6:], "--limit", "38", "--seed", "5", cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    assert replies(tmp_path / "run") == replies(tmp_path / "whole")


@pytest.mark.parametrize("answered", [12, 200])
def test_ctrl_c_waits_for_no_call_keeps_everything_and_says_how_to_go_on(
    tmp_path: Path, answered: int
) -> None:
    process = start(*RUN[:3], "scripted/hung", *RUN[4:], cwd=tmp_path, SCRIPTED_HANGS_AFTER=str(answered))
    wait_for(tmp_path / "run" / REPLIES, answered, process, deadline=300)
    process.send_signal(signal.SIGINT)
    # The calls in flight take an hour: that the process ends at all shows that it waits for none of them.
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130
    held = len(replies(tmp_path / "run"))
    assert f"interrupted; {held} replies are stored in run" in said
    assert "to go on: concord run reasoning --model scripted/hung --out run --yes --repeats 2" in said
    scored = concord("score", "run", "run", cwd=tmp_path)
    assert scored.returncode == 2
    assert "trials have not been asked; finish the run" in scored.stderr
    assert concord("score", "run", "run", "--partial", cwd=tmp_path).returncode == 0
