"""Probes of reasoning whose process is killed at any moment end with the scores of an undisturbed run."""

import random
import time
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
from tests.asking.commands import concord, start  # noqa: E402
from tests.asking.test_interruption import wait_for  # noqa: E402

from concord.asking import runs  # noqa: E402

pytestmark = pytest.mark.long
PROBES, ITEMS, KILLS = "filler,mistake,hints", 3, 3


def test_a_run_of_probes_killed_three_times_gives_the_same_scores(tmp_path: Path) -> None:
    whole = runs.run(
        "probes", "scripted/fast", out=tmp_path / "whole", probe=PROBES, limit=ITEMS, seed=5, temperature=1.0
    )
    command = ("run", "reasoning", "--probe", PROBES, "--model", "scripted/steady", "--out", "killed",
               "--yes", "--limit", str(ITEMS), "--seed", "5", "--temperature", "1")  # fmt: skip
    turns, rng, calls = tmp_path / "killed" / "turns.jsonl", random.Random(7), tmp_path / "calls"
    for mark in sorted(rng.sample(range(1, 45), KILLS)):
        process = start(*command, cwd=tmp_path, SCRIPTED_CALLS=str(calls))
        wait_for(turns, mark, process)
        time.sleep(rng.random() * 0.05)
        process.kill()  # SIGKILL: nothing can be tidied up
        process.communicate()
    last = concord(*command, cwd=tmp_path, SCRIPTED_CALLS=str(calls))
    assert last.returncode == 0, last.stderr
    first, second = whole.score(), runs.score_run(tmp_path / "killed")
    assert second.rows == first.rows and second.hint_rows == first.hint_rows
    assert second.estimates == first.estimates
    # what was stored is not asked again: only calls in flight at a kill can be
    n_turns = len(turns.read_text().splitlines())
    assert n_turns <= len(calls.read_text().split()) <= n_turns + 10 * KILLS
