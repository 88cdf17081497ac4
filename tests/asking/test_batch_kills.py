"""Sessions in batches, killed at one step after the other: nothing is lost, nothing is paid twice."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.asking.batch_server import BatchServer, batch_server
from tests.asking.commands import concord, start
from tests.asking.faulty_server import completion

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytest.importorskip("openai", reason="the extra `live` is not installed")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.long]


def five(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    return 200, completion("ANSWER: 5")


def command(server: BatchServer, out: str) -> tuple[str, ...]:
    return (
        *(
            "run",
            "people",
            "--study",
            "guessing-game",
            "--n",
            "2",
            "--model",
            "openai-api/some/m",
            "--out",
            out,
        ),
        *("--base-url", server.url, "--yes", "--no-inspect-log", "--batch"),
    )


@pytest.mark.slow
def test_sessions_that_are_killed_again_and_again_end_as_an_unbroken_run(tmp_path: Path) -> None:
    with batch_server(five, looks=1) as server:
        done = concord(*command(server, "whole"), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        events, paid = server.reached.total(), server.asked.total()
    n_kills = 0
    with batch_server(five, looks=1) as server:
        while True:
            process = start(*command(server, "broken"), cwd=tmp_path)
            server.kill_after(server.reached.total() + 2 + n_kills % 5, process.kill)
            process.communicate()
            if process.returncode == 0:
                break
            n_kills += 1
            assert n_kills < 5 * events
        assert n_kills >= 3 and server.asked.total() == paid and set(server.asked.values()) == {1}
    for name in ("tests.json", "scores.json"):
        files = [tmp_path / out / "results" / name for out in ("whole", "broken")]
        if files[0].exists():
            assert files[0].read_bytes() == files[1].read_bytes()
    rows = [
        sorted(
            (row["id"], row["response"])
            for row in map(json.loads, (tmp_path / out / "replies.jsonl").read_text().splitlines())
        )
        for out in ("whole", "broken")
    ]
    assert rows[0] == rows[1]
