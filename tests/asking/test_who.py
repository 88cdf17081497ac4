"""Who answered: stored with every answer, counted, and told where it is not the model that was asked."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.asking.answering_server import answering_server
from tests.asking.commands import concord
from tests.asking.faulty_server import completion

from concord.asking import runs
from concord.asking.connection import Connection
from concord.asking.job import open_model
from concord.asking.ledger import Answered, account_of
from concord.asking.options import arguments_of, options_of
from concord.errors import OptionError
from concord.view.folders import LiveRuns
from concord.view.replies import KeptRuns

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytest.importorskip("openai", reason="the extra `live` is not installed")
from concord.asking.inspect.received import (  # noqa: E402
    BrokenOffError,
    Received,
    ToldError,
    put_in_order,
    read_raw,
)

pytestmark = pytest.mark.filterwarnings("ignore")
TEXT = "REASONING: It fits.\nDIAGNOSIS: Panic Disorder"


def said_by(model: object, **more: Any) -> dict[str, Any]:
    document = {**completion(TEXT), "system_fingerprint": "fp_1", **more}
    document["usage"] = {
        **document["usage"],
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    document["model"] = model
    if model is None:
        del document["model"]
    return document


def ask(out: Path, url: str, **choices: Any) -> runs.RunResult:
    connection = Connection(url, max_connections=1, max_retries=0)
    job = runs.job("reasoning", "openai-api/some/gpt-4o", limit=2, connection=connection, **choices)
    return runs.run_job(job, out)


def rows_of(folder: Path, name: str = "replies.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


def test_another_model_is_told_everywhere(tmp_path: Path) -> None:
    with answering_server(lambda body: said_by("gpt-3.5-turbo")) as server:
        result = ask(tmp_path / "r", server.url)
    (first, *_), n = rows_of(tmp_path / "r"), 8
    assert first["served"] == {"model": "gpt-3.5-turbo", "fingerprint": "fp_1", "request_id": "req-1"}
    assert first["usage"] == {
        "input_tokens": 7,
        "output_tokens": 3,
        "cached_tokens": 4,
        "reasoning_tokens": 2,
    }
    words = f"openai-api/some/gpt-4o was asked, and another model answered: gpt-3.5-turbo ({n} calls)"
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    assert record["who"] == {"warnings": [words], "versions": []}
    assert record["paid"]["answered"] == {
        "openai-api/some/gpt-4o": {
            "models": {"gpt-3.5-turbo": n},
            "fingerprints": {"fp_1": n},
            "n_unsaid": 0,
        }
    }
    assert record["tokens"] == {
        "input": 7 * n,
        "output": 3 * n,
        "cached_tokens": 4 * n,
        "reasoning_tokens": 2 * n,
    }
    assert f"{words[:1].upper()}{words[1:]}." in result.sentences()
    assert words[1:] in result.paragraph("Concord")
    assert f"warning: {words}" in LiveRuns(KeptRuns()).feed("r", tmp_path / "r")["words"]


def test_a_model_that_changes_half_way_is_told(tmp_path: Path) -> None:
    lock, n = threading.Lock(), [0]

    def says(body: dict[str, Any]) -> dict[str, Any]:
        with lock:
            n[0] += 1
            return said_by("gpt-4o-2024-05-13" if n[0] <= 4 else "gpt-4o-2024-08-06")

    with answering_server(says) as server:
        result = ask(tmp_path / "r", server.url)
    counted = "gpt-4o-2024-05-13 (4 calls), gpt-4o-2024-08-06 (4 calls)"
    assert result.warnings == [f"the model that answers changed during the run: {counted}"]


def test_a_dated_version_is_information_and_no_difference(tmp_path: Path) -> None:
    with answering_server(lambda body: said_by("gpt-4o-2024-08-06")) as server:
        done = concord(
            *("run", "reasoning", "--model", "openai-api/some/gpt-4o", "--base-url", server.url),
            *("--limit", "1", "--out", "r", "--yes", "--no-inspect-log"),
            *("--price-in", "1e6", "--price-out", "1e6", "--price-cached", "0"),
            cwd=tmp_path,
            SOME_API_KEY="sk-nobody-12345",
        )
    assert done.returncode == 0, done.stderr
    assert "openai-api/some/gpt-4o was answered by its version gpt-4o-2024-08-06" in done.stderr
    assert "warning" not in done.stderr
    # four calls: 7 in of which 4 cost nothing, 3 out
    assert (
        "Tokens: 28 in (16 of them cached), 12 out (8 of them reasoning, billed as output); cost 24.00"
        in (done.stderr)
    )


@pytest.mark.parametrize("model", [None, 7, " "])
def test_a_server_that_does_not_say_warns_of_nothing(tmp_path: Path, model: object) -> None:
    with answering_server(lambda body: said_by(model)) as server:
        result = ask(tmp_path / "r", server.url)
    assert result.outcomes == {"ok": 8} and result.warnings == result.versions == []
    account = account_of(tmp_path / "r")
    assert account is not None
    assert account.answered["openai-api/some/gpt-4o"] == Answered({}, {"fp_1": 8}, 8)
    assert "model" not in rows_of(tmp_path / "r")[0]["served"]


@pytest.mark.long
def test_turns_and_calls_for_one_more_answer_say_whose_they_are(tmp_path: Path) -> None:
    with answering_server(
        lambda body: {**said_by("m"), "choices": completion("no idea")["choices"]}
    ) as server:
        connection = Connection(server.url, max_connections=1, max_retries=0)
        job = runs.job("reasoning", "openai-api/some/m", limit=1, connection=connection)
        runs.run_job(job, tmp_path / "r")
        job = runs.job("people", "openai-api/some/m", connection=connection, study=["guessing-game"], n=2)
        runs.run_job(job, tmp_path / "p")
    again = [row for row in rows_of(tmp_path / "r") if row.get("asked_again")]
    assert again and all(row["served_again"][0]["model"] == "m" for row in again)
    turns = rows_of(tmp_path / "p", "turns.jsonl")
    assert turns and all(row["served"]["fingerprint"] == "fp_1" for row in turns)


def test_every_session_keeps_when_it_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(f"2026-01-01T00:00:{second:02d}+00:00" for second in range(60))
    for module in ("job", "folder"):
        monkeypatch.setattr(f"concord.asking.{module}.now", lambda: next(clock))
    failing: Callable[[dict[str, Any]], Any] = lambda body: (400, "no")  # noqa: E731
    with answering_server(failing) as server:
        ask(tmp_path / "r", server.url)
        server.says = lambda body: TEXT
        ask(tmp_path / "r", server.url)
        ask(tmp_path / "r", server.url)  # nothing is left to ask
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    started = [one["started"] for one in record["sessions"]]
    assert len(started) == 2 and started[0] < started[1] and record["started"] == started[0]
    assert record["ended"] == record["sessions"][1]["ended"]


def test_names_of_a_server_that_calls_itself_otherwise_each_time_are_bounded() -> None:
    answered = Answered()
    for number in range(500):
        answered.add({"calls": 1, "answered": f"m{number}"})
    assert len(answered.models) == 51 and answered.models["(others)"] == 450


class Raw:
    """A raw reply."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


def raw(**more: Any) -> Any:
    message = Raw(content=[{"type": "text", "text": "a"}, {"text": "b"}, 3])
    choice = Raw(message=message, finish_reason="MAX_TOKENS", logprobs="none of that")
    usage = Raw(prompt_tokens=1, completion_tokens=2, total_tokens=3, prompt_tokens_details="x")
    return Raw(**{"choices": [choice, choice], "usage": usage, "model": None, **more})


def test_a_raw_reply_is_read_into_one_record_and_put_in_order() -> None:
    reply = raw()
    received = read_raw(reply, logprobs=True)
    assert received == Received(finish="length", text="ab", usage=True)
    tidy = put_in_order(reply, received, "asked")
    (choice,) = tidy.choices
    assert (tidy.model, choice.message.content, choice.finish_reason) == ("asked", "ab", "length")
    assert choice.logprobs is None and tidy.usage.prompt_tokens_details is None


@pytest.mark.parametrize("usage", [None, "x", Raw(prompt_tokens=1.5), Raw(prompt_tokens=-1)])
def test_usage_that_is_none_is_not_known(usage: object) -> None:
    reply = raw(usage=usage)
    assert put_in_order(reply, read_raw(reply), "m").usage is None


def test_errors_and_broken_replies_are_raised_as_what_they_are() -> None:
    with pytest.raises(ToldError, match="the answer is an error") as told:
        read_raw(Raw(error={"message": "slow down", "code": "429"}, choices=None))
    assert told.value.status_code == 429
    with pytest.raises(BrokenOffError, match="ended the reply with 'abort'"):
        read_raw(Raw(choices=[Raw(finish_reason="abort")]))


def test_arguments_of_the_provider_are_sent_and_recorded(tmp_path: Path) -> None:
    with answering_server(lambda body: TEXT) as server:
        done = concord(
            *("run", "reasoning", "--model", "openai-api/some/m", "--base-url", server.url, "--limit", "1"),
            *("--out", "r", "--yes", "--no-inspect-log", "--set", "service_tier=flex", "--set", "top_k=40"),
            *("--set", 'provider={"order": ["a"]}', "--set", "strict_tools=false"),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        other = concord(
            *("run", "reasoning", "--model", "openai-api/some/m", "--base-url", server.url, "--limit", "1"),
            *("--out", "r", "--yes", "--set", "service_tier=other"),
            cwd=tmp_path,
        )
    body = server.bodies[0]
    assert (body["service_tier"], body["provider"]) == ("flex", {"order": ["a"]})
    assert "strict_tools" not in body  # the provider's own
    given = {"provider": {"order": ["a"]}, "service_tier": "flex", "strict_tools": False, "top_k": 40}
    assert json.loads((tmp_path / "r" / "run.json").read_text())["sampling"]["set"] == given
    assert "service tier flex" in runs.read_folder(tmp_path / "r").paragraph("Concord")
    assert "holds a run with sampling" in other.stderr  # replies to other settings are not mixed


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("api_key=sk-1", "keys and headers are not set here"),
        ("extra_headers={}", "keys and headers are not set here"),
        ("auth_token=x", "keys and headers are not set here"),
        ("temperature=1", "give it with --temperature"),
        ("base_url=http://x", "give it with --base-url"),
        ("n=4", "replies could not be read"),
        ("flex", "expected KEY=VALUE"),
    ],
)
def test_arguments_that_cannot_be_set_are_refused(given: str, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        arguments_of([given])


def test_an_argument_that_a_provider_does_not_take_is_named() -> None:
    refused = pytest.raises(OptionError, match="--set verbosity: openai-api/some/m does not take it")
    with answering_server(lambda body: TEXT) as server, refused:
        open_model("openai-api/some/m", Connection(server.url), '{"verbosity": "loud"}')


def test_each_of_several_models_has_its_own_reasoning_effort() -> None:
    asking = options_of("reasoning", {"models": "a/x,b/y", "reasoning_effort": "a/x=low,b/y=high"})
    assert (asking.effort_of("a/x"), asking.effort_of("b/y")) == ("low", "high")
    with pytest.raises(OptionError, match="expected one of a/x"):
        options_of("reasoning", {"model": "a/x", "reasoning_effort": "c/z=low"}).effort_of("a/x")
    with pytest.raises(OptionError, match="expected one of none, minimal"):
        options_of("reasoning", {"model": "a/x", "reasoning_effort": "much"}).effort_of("a/x")
