"""An answer that cannot be read is asked for once more, in the same conversation: stored, counted, paid."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytest.importorskip("openai", reason="the extra `live` is not installed")
from tests.asking.answering_server import AnsweringServer, answering_server  # noqa: E402
from tests.asking.commands import concord, start  # noqa: E402

from concord.asking import runs  # noqa: E402
from concord.asking.connection import Connection  # noqa: E402
from concord.asking.journal import REPLIES, stored_lines  # noqa: E402
from concord.asking.limits import Limits, Prices  # noqa: E402
from concord.errors import RunFolderError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
AGAIN = "State only your answer: A or B."
ITEMS = {
    "items": [{"id": "sky", "question": "Which colour?", "options": ["blue", "green"], "answer": "blue"}],
    "template": "options-en.v1",
}
MODEL = "openai-api/local/m"


def items(folder: Path) -> Path:
    (folder / "items.json").write_text(json.dumps(ITEMS))
    return folder / "items.json"


def ask(server: AnsweringServer, folder: Path, **more: Any) -> runs.RunResult:
    job = runs.job(
        "structure", MODEL, items=items(folder), repeats=1, connection=Connection(server.url), **more
    )
    return runs.run_job(job, folder / "r")


def record(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "r" / "run.json").read_text())
    return document


def rows(folder: Path) -> list[dict[str, Any]]:
    return [dict(line.row) for _, line in stored_lines(folder / "r", REPLIES)]


def says(first: str, second: str) -> Any:
    return lambda body: second if body["messages"][-1]["content"] == AGAIN else first


def test_an_unreadable_answer_is_asked_for_once_more_and_the_second_reply_counts(tmp_path: Path) -> None:
    with answering_server(says("Both colours have their merits.", "B")) as server:
        result = ask(server, tmp_path)
        assert result.outcomes == {"ok": 2}
        assert [AGAIN in prompt for prompt in server.prompts].count(True) == 2
        talk = next(body["messages"] for body in server.bodies if len(body["messages"]) == 3)
        assert [one["role"] for one in talk] == ["user", "assistant", "user"]
        assert talk[1]["content"] == "Both colours have their merits."
        assert ask(server, tmp_path).complete and len(server.bodies) == 4  # nothing is asked twice
    kept = rows(tmp_path)
    assert [row.get("awaits", False) for row in kept].count(True) == 2
    last = [row for row in kept if "awaits" not in row]
    assert [row["response"] for row in last] == ["B", "B"]
    assert [row["asked_again"] for row in last] == [1, 1]
    assert [one["text"] for one in last[0]["conversation"]] == ["Both colours have their merits.", AGAIN, "B"]
    assert record(tmp_path)["answers_read"] == {"ok": 2}
    assert record(tmp_path)["asked_again"] == 2
    assert record(tmp_path)["tokens"] == {"input": 28, "output": 12}  # four calls of 7 and 3


def test_a_second_reply_that_cannot_be_read_either_changes_nothing(tmp_path: Path) -> None:
    with answering_server(says("Both have their merits.", "It is hard to say.")) as server:
        ask(server, tmp_path)
        assert len(server.bodies) == 4
    last = [row for row in rows(tmp_path) if "awaits" not in row]
    assert [row["response"] for row in last] == ["Both have their merits."] * 2
    assert record(tmp_path)["answers_read"] == {"unreadable": 2}
    assert record(tmp_path)["asked_again"] == 2


@pytest.mark.parametrize("said", ["I'm sorry, but I can't answer this question.", "B"])
def test_a_refusal_and_an_answer_are_not_asked_again(tmp_path: Path, said: str) -> None:
    with answering_server(says(said, "A")) as server:
        ask(server, tmp_path)
        assert len(server.bodies) == 2
    assert record(tmp_path)["answers_read"] == {"refused" if said != "B" else "ok": 2}
    assert record(tmp_path)["asked_again"] == 0


def test_zero_turns_it_off_and_another_number_does_not_fit_into_the_folder(tmp_path: Path) -> None:
    with answering_server(says("Both have their merits.", "A")) as server:
        ask(server, tmp_path, ask_again=0)
        assert len(server.bodies) == 2
        with pytest.raises(RunFolderError, match="with --ask-again 0, not 1; resume it with --ask-again 0"):
            ask(server, tmp_path)


def test_the_second_turn_is_paid_and_a_limit_between_the_turns_loses_nothing(tmp_path: Path) -> None:
    with answering_server(says("Both have their merits.", "A")) as server:
        limits = Limits(max_tokens_total=25)  # two calls of ten tokens, and no third
        stopped = ask(server, tmp_path, limits=limits)
        assert stopped.stopped is not None
        first = len(server.bodies)
        assert any(row.get("awaits") for row in rows(tmp_path))
        job = runs.job(
            "structure", MODEL, items=items(tmp_path), repeats=1, connection=Connection(server.url)
        )
        done = runs.run_job(replace(job, prices=Prices(1e6, 1e6)), tmp_path / "r")
        assert done.outcomes == {"ok": 2}
        assert len(server.bodies) == 4, first  # the first turns were not asked again
    assert record(tmp_path)["cost"] == 40.0


@pytest.mark.long
def test_a_kill_between_the_turns_loses_nothing_and_asks_nothing_twice(tmp_path: Path) -> None:
    hangs = True

    def slowly(body: dict[str, Any]) -> str:
        if body["messages"][-1]["content"] != AGAIN:
            return "Both have their merits."
        if hangs:
            time.sleep(30)
        return "A"

    with answering_server(slowly) as server:
        command = ("run", "structure", "--model", MODEL, "--base-url", server.url, "--items", "items.json",
                   "--repeats", "1", "--out", "r", "--no-inspect-log")  # fmt: skip
        items(tmp_path)
        process = start(*command, cwd=tmp_path)
        while len(server.bodies) < 4 and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.communicate()
        hangs = False
        done = concord(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert server.prompts.count(AGAIN) == 4  # two that were in flight, and the same two
        assert len(server.bodies) == 6
    assert record(tmp_path)["answers_read"] == {"ok": 2}
    assert [row["response"] for row in rows(tmp_path) if "awaits" not in row] == ["A", "A"]


def test_a_reasoning_stays_with_the_answer_that_was_asked_for_after_it(tmp_path: Path) -> None:
    told = "REASONING: The attacks come at night and nothing else explains them. It could be many things."

    def reply(body: dict[str, Any]) -> str:
        again = body["messages"][-1]["content"].startswith("State only your answer")
        return "Panic Disorder" if again else told

    with answering_server(reply) as server:
        job = runs.job("reasoning", MODEL, limit=1, connection=Connection(server.url))
        result = runs.run_job(job, tmp_path / "r")
    cot = next(row for row in result.stored.rows if row["mode"] == "cot")
    assert cot["response"] == f"{told}\n\nDIAGNOSIS: Panic Disorder"
    direct = next(row for row in result.stored.rows if row["mode"] == "direct")
    assert direct["response"] == "Panic Disorder"
    assert record(tmp_path)["answers_read"] == {"ok": len(result.stored.rows)}


def test_sessions_go_on_from_what_was_said_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    def reply(body: dict[str, Any]) -> str:
        asked = body["messages"][-1]["content"]
        return "5" if asked.startswith("State only your answer") else "That depends on my mood."

    def held() -> runs.RunResult:
        connection = Connection(server.url)
        job = runs.job("people", MODEL, study=["trust-game"], n=1, connection=connection)
        return runs.run_job(job, tmp_path / "r")

    with answering_server(reply) as server:
        result = held()
        calls = len(server.bodies)
        later = [body["messages"] for body in server.bodies if len(body["messages"]) > 4]
        for messages in later:  # earlier turns are as they were said
            texts = [one["content"] for one in messages]
            assert "That depends on my mood." in texts
        counted = record(tmp_path)
        assert counted["asked_again"] == counted["answers_read"]["ok"] == calls / 2
        # a session that lost its last line is replayed from its turns, both of each question
        journal = tmp_path / "r" / "replies.jsonl"
        journal.write_text("".join(line + "\n" for line in journal.read_text().splitlines()[:-1]))
        again = held()
        assert len(server.bodies) == calls
        assert again.outcomes == result.outcomes
    assert again.stored.tally.input_tokens == 7 * calls
