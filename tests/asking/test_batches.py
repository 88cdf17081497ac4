"""Batches: ids are kept before they are sent; killed anywhere, nothing is lost and nothing is sent twice."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.asking.batch_server import STEPS, BatchServer, batch_server, usual
from tests.asking.commands import concord, start

from concord.asking.connection import Redactor
from concord.records import Message, Trial

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytest.importorskip("openai", reason="the extra `live` is not installed")
from concord.asking.inspect import batches  # noqa: E402
from concord.asking.inspect.received import ToldError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
N = 8
"""Trials of two vignettes."""


def command(server: BatchServer, *more: str) -> tuple[str, ...]:
    return (
        *("run", "reasoning", "--model", "openai-api/some/m", "--base-url", server.url, "--limit", "2"),
        *("--out", "r", "--yes", "--no-inspect-log", "--batch", *more),
    )


def stored(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "r" / "replies.jsonl").read_text().splitlines()]


def test_calls_are_sent_as_one_batch_and_stored_as_any_other(tmp_path: Path) -> None:
    with batch_server() as server:
        done = concord(*command(server), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert server.direct == 0 and len(server.batches) == 1
    assert server.asked.total() == N and set(server.asked.values()) == {1}
    rows = stored(tmp_path)
    assert len(rows) == N and {row["outcome"] for row in rows} == {"ok"}
    assert rows[0]["served"]["model"] == "m" and rows[0]["served"]["request_id"].startswith("req-")
    held = [json.loads(line) for line in (tmp_path / "r" / "batches.jsonl").read_text().splitlines()]
    assert [sorted(set(line) - {"key"}) for line in held] == [
        ["at", "begun", "ids", "protocol"],
        ["id"],
        ["done"],
    ]
    assert json.loads((tmp_path / "r" / "run.json").read_text())["tokens"] == {
        "input": 7 * N,
        "output": 3 * N,
    }


@pytest.mark.parametrize(
    "step", [STEPS[0], *(pytest.param(one, marks=pytest.mark.long) for one in STEPS[1:])]
)
def test_a_run_that_is_killed_at_any_step_sends_nothing_twice_and_loses_nothing(
    tmp_path: Path, step: str
) -> None:
    with batch_server() as server:
        first = start(*command(server), cwd=tmp_path)
        server.at[step] = first.kill
        first.communicate()
        done = concord(*command(server), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert set(server.asked.values()) == {1} and server.asked.total() == N
    rows = stored(tmp_path)
    assert len(rows) == N == len({row["key"] for row in rows})
    assert len(server.batches) == 1  # killed before, it was not sent; killed after, it was found again


def test_a_request_that_fails_in_a_batch_is_part_of_the_next_one(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()

    def replies(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        text = json.dumps(body)
        seen[text] += 1
        return usual(body) if seen[text] > 1 else (500, {"error": {"message": "try again"}})

    with batch_server(replies, looks=1) as server:
        done = concord(*command(server, "--max-connections", "4"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {row["outcome"] for row in stored(tmp_path)} == {"ok"} and server.asked.total() == 2 * N


def test_what_a_request_is_refused_for_is_told(tmp_path: Path) -> None:
    def replies(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        error = {"message": "content management policy", "code": "content_filter"}
        return 400, {"error": error}

    with batch_server(replies, looks=1) as server:
        done = concord(*command(server), cwd=tmp_path)
    assert done.returncode == 4
    assert {row["outcome"] for row in stored(tmp_path)} == {"filtered"}


def test_a_limit_of_money_counts_what_a_batch_can_take_at_most(tmp_path: Path) -> None:
    more = ("--price-in", "0", "--price-out", "1e6", "--max-tokens", "50", "--max-cost", "120")
    with batch_server(looks=1) as server:
        done = concord(*command(server, *more), cwd=tmp_path)
    assert done.returncode == 4
    assert server.asked.total() == 2  # 50 each may come back, of 120
    assert "--max-cost 120 is reached" in done.stderr


def test_providers_without_batches_and_several_processes_are_refused(tmp_path: Path) -> None:
    run = ("run", "reasoning", "--model", "mockllm/model", "--limit", "1", "--out", "r", "--batch")
    assert "has no batches that can be found again" in concord(*run, cwd=tmp_path).stderr
    assert "one process sends batches" in concord(*run, "--processes", "2", cwd=tmp_path).stderr


class Fake:
    """Anthropic's batches, as far as they are used."""

    def __init__(self) -> None:
        self.made: list[Any] = []
        self.lost = False

    async def create(self, requests: list[dict[str, Any]]) -> Any:
        counts = dict.fromkeys(("succeeded", "errored", "canceled", "expired"), 0)
        when = SimpleNamespace(timestamp=lambda: 4e9)
        counted = SimpleNamespace(processing=len(requests), **counts)
        one = SimpleNamespace(
            id=f"b{len(self.made)}", requests=requests, created_at=when, request_counts=counted
        )
        self.made.append(one)
        if self.lost:
            self.lost = False
            raise ConnectionError("gone")
        return one

    async def retrieve(self, name: str) -> Any:
        return SimpleNamespace(processing_status="ended")

    async def list(self, limit: int) -> Any:
        for one in self.made:
            yield one

    async def results(self, name: str) -> Any:
        async def each() -> Any:
            for number, row in enumerate(self.made[int(name[1:])].requests):
                error = SimpleNamespace(error=SimpleNamespace(type="overloaded_error", message="busy"))
                good = SimpleNamespace(type="succeeded", message=row["params"]["messages"])
                bad = SimpleNamespace(type="errored", error=error)
                yield SimpleNamespace(custom_id=row["custom_id"], result=bad if number == 1 else good)

        return each()


@pytest.mark.parametrize("lost", [False, True])
def test_batches_of_the_other_protocol_are_read_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    monkeypatch.setattr(batches, "QUIET", 0.05)
    fake = Fake()
    fake.lost = lost
    client = SimpleNamespace(messages=SimpleNamespace(batches=fake))

    async def ask() -> list[Any]:
        batcher = batches.Batcher(client, tmp_path, redactor=Redactor())
        trials = [Trial("s", f"i{k}", "c", (Message("user", str(k)),), 0, "t") for k in range(3)]
        asked = (batcher.ask("/v1/messages", one, {"messages": one.item}) for one in trials)
        found = await asyncio.gather(*asked, return_exceptions=True)
        batcher.close(finished=True)
        return found

    first, second, third = asyncio.run(ask())
    assert (first, third) == ("i0", "i2") and len(fake.made) == 1
    assert isinstance(second, ToldError) and second.status_code == 529
