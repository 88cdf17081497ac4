"""Runs of every question whose process is killed at any moment end with the bytes of an undisturbed run.

One kill of each kind by default; ``CONCORD_KILLS=50`` makes 300 of them.
"""

import json
import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
from tests.asking.commands import concord, start  # noqa: E402

pytestmark = pytest.mark.long
KILLS = int(os.environ.get("CONCORD_KILLS", "1"))
WINDOW = 10
KINDS = {
    "turns": ("people", "--study", "framing", "--study", "anchoring", "--n", "2"),
    "groups": ("people", "--study", "guessing-game", "--study", "trust-game", "--n", "2"),
    "structure": ("structure", "--limit", "3", "--arrangements", "4", "--repeats", "2"),
    "judge": ("structure", "--items", "idioms-ko", "--limit", "4", "--arrangements", "3",
              "--scorer", "judge:scripted/steady"),
    "reasoning": ("reasoning", "--limit", "8"),
    "probes": ("reasoning", "--probe", "filler,mistake,hints", "--limit", "3", "--temperature", "1"),
}  # fmt: skip


def results(folder: Path) -> dict[str, bytes]:
    """Return every file of results, by its path."""
    found = folder / "results"
    return {str(path.relative_to(found)): path.read_bytes() for path in found.rglob("*") if path.is_file()}


def stored(folder: Path) -> list[str]:
    """Return the keys of whole lines of all journals of replies and turns."""
    keys = []
    for path in sorted(folder.rglob("*.jsonl")):
        if path.name in ("replies.jsonl", "turns.jsonl"):
            keys += [json.loads(line)["key"] for line in path.read_bytes().split(b"\n")[:-1]]
    return keys


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_is_killed_loses_nothing_asks_nothing_twice_and_gives_the_same_bytes(
    kind: str, tmp_path: Path
) -> None:
    def command(out: str, pace: str) -> tuple[str, ...]:
        usual = ("--seed", "5", "--yes", "--no-inspect-log", "--max-connections", str(WINDOW))
        return ("run", *KINDS[kind], "--model", f"scripted/{pace}", "--out", out, *usual)

    rng, n_kills = random.Random(f"{kind}{KILLS}"), 0
    whole = concord(*command("whole", "steady"), cwd=tmp_path)
    expected = results(tmp_path / "whole")
    assert expected, whole.stderr
    total = len(stored(tmp_path / "whole"))
    while n_kills < KILLS:
        calls, out, held = tmp_path / f"calls-{n_kills}", f"killed-{n_kills}", list[str]()
        for _ in range(max(2, total // WINDOW)):
            before = set(held)
            process = start(*command(out, "steady"), cwd=tmp_path, SCRIPTED_CALLS=str(calls))
            mark, until = len(held) + rng.randint(1, WINDOW), time.monotonic() + 120
            while len(stored(tmp_path / out)) < mark and process.poll() is None and time.monotonic() < until:
                time.sleep(0.002)
            time.sleep(rng.random() * 0.03)
            process.kill()
            process.communicate()
            n_kills += process.returncode != 0
            held = stored(tmp_path / out)
            assert before <= set(held)  # nothing stored is lost
            if process.returncode == 0 or n_kills >= KILLS:
                break
        last = concord(*command(out, "steady"), cwd=tmp_path, SCRIPTED_CALLS=str(calls))
        assert last.returncode == whole.returncode, last.stderr
        held = stored(tmp_path / out)
        assert Counter(stored(tmp_path / "whole")) == Counter(held)
        assert results(tmp_path / out) == expected
        # what is stored is not asked again: only calls in flight at a kill can be
        n_calls = len(calls.read_text().split())
        assert n_calls <= len(held) + WINDOW * (n_kills + 1)
