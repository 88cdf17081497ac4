"""A real server that misbehaves on purpose: every trial ends in exactly one counted outcome."""

import json
import math
import os
import re
import ssl
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from tests.asking.faulty_server import FAULTS, GRID, FaultyServer, faulty_server

from concord.asking import runs
from concord.asking.connection import Connection
from concord.asking.job import Listeners, open_model
from concord.asking.limits import Limits
from concord.errors import ModelError

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
from concord.asking.inspect.received import answer_of, fault_of  # noqa: E402

pytest.importorskip("openai", reason="the extra `live` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")

STOPPING = ("no-such-model", "wrong-key", "no-money", "no-quota")
EXPECTED = {
    "none": "ok",
    "429-once": "ok",
    "429-once-retry-after": "ok",
    "429-always": "failed",
    "500-once": "ok",
    "503-always": "failed",
    "dropped-once": "ok",
    "dropped-always": "failed",
    "malformed": "failed",
    "not-an-object": "failed",
    "wrong-type": "failed",
    "empty-choices": "empty",
    "no-text": "empty",
    "filter": "filtered",
    "filter-400": "filtered",
    "overflow": "context overflow",
    "length": "truncated",
    "echo-key": "failed",
    "filter-echo-key": "filtered",
    "echo-header": "ok",
    "echo-reply": "ok",
    "vllm-overflow": "context overflow",
    "llama-overflow": "context overflow",
    "payload-413": "context overflow",
    "bad-request": "failed",
    "unprocessable": "failed",
    "forbidden": "failed",
    "fastapi-422": "failed",
    "tgi-422": "failed",
    "tgi-overflow": "context overflow",
    "kv-overflow": "context overflow",
    "model-length-overflow": "context overflow",
    "usage-details": "ok",
    "usage-null": "ok",
    "usage-text": "ok",
    "usage-float": "ok",
    "usage-negative": "ok",
    "content-parts": "ok",
    "redirect": "failed",
    "refusal-field": "filtered",
    "long": "too long",
    "gzip-bomb": "too long",
    "error-in-200": "failed",
    "busy-in-200-once": "ok",
    "finish-error": "failed",
    "finish-abort-once": "ok",
    "finish-MAX_TOKENS": "truncated",
    "thinking-alone": "empty",
    "thinking-unclosed": "truncated",
    "thinking-in-tags-alone": "empty",
    "model-null": "ok",
    "model-absent": "ok",
    "logprobs-infinite": "ok",
    "logprobs-odd": "ok",
    "409-once": "ok",
    "202-once": "ok",
    "cut-short-once": "ok",
    "gemini-overflow": "context overflow",
    "tgi-short-overflow": "context overflow",
}
REASONS = {
    "bad-request": "HTTP 400: the field foo is not what we like",
    "unprocessable": "HTTP 422: the temperature is not ours",
    "fastapi-422": "HTTP 422: body.seed: field not permitted",
    "tgi-422": "HTTP 422: the model is not loaded",
    "malformed": 'the answer is no JSON: it begins \'{"choices": [{"mess\'; is this the address of an '
    "OpenAI-compatible server?",
    "error-in-200": "HTTP 400: no such thing",
    "finish-error": "BrokenOffError: the server ended the reply with 'error'",
    "forbidden": "HTTP 403: your region may not",
    "429-always": "HTTP 429: no",
    "refusal-field": "the model refuses: I cannot help with that.",
    "long": "the reply has 1,000,001 characters, expected at most 1,000,000; its first 10,000 are kept",
    "gzip-bomb": "the answer is longer than 16,777,216 bytes; nothing of it is kept",
    "redirect": "RedirectedError: the server redirects to localhost, which is not asked",
}


class Done(NamedTuple):
    folder: Path
    result: runs.RunResult
    server: FaultyServer
    calls: Counter[str]
    samples: Path


def vignettes(path: Path, prompts: dict[str, str]) -> Path:
    rows = [
        {"id": name, "prompt": prompt, "gold_answer": "Panic Disorder", "gold_reasoning": []}
        for name, prompt in prompts.items()
    ]
    path.write_text(json.dumps({"samples": rows}))
    return path


def ask(samples: Path, url: str, out: Path, **connection: Any) -> runs.RunResult:
    chosen = {"max_connections": 20, "max_retries": 1, "timeout": 120, "give_up_after": 100, **connection}
    job = runs.job("reasoning", "openai-api/bad/m", samples=samples, connection=Connection(url, **chosen))
    return runs.run_job(job, out)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    folder = tmp_path_factory.mktemp("faults")
    samples = vignettes(folder / "samples.json", {name: f"Case fault={name}." for name in EXPECTED})
    with faulty_server() as server:
        result = ask(samples, server.url, folder / "run")
        yield Done(folder / "run", result, server, Counter(server.calls), samples)


def test_the_faults_are_all_there() -> None:
    assert (
        EXPECTED.keys() | {*STOPPING, "slow", "length-below-99", "five", "five-silent", "hang"}
        == FAULTS.keys() - GRID.keys()
    )


def test_an_attempt_ends_when_its_time_is_over(tmp_path: Path) -> None:
    samples = vignettes(tmp_path / "samples.json", {"v0": "Case fault=slow"})
    with faulty_server() as server:
        result = ask(samples, server.url, tmp_path / "run", timeout=2, max_retries=0)
    assert result.outcomes == {"failed": 2}
    assert {row["error"] for row in result.stored.rows} == {"no answer in the time that --timeout allows"}


def test_every_trial_ends_in_exactly_one_counted_outcome(done: Done) -> None:
    found = {(row["id"], row["mode"]): row["outcome"] for row in done.result.stored.rows}
    assert found == {(name, mode): end for name, end in EXPECTED.items() for mode in ("cot", "direct")}
    assert sum(done.result.outcomes.values()) == 2 * len(EXPECTED)
    assert done.result.outcomes == Counter(found.values())


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_is_the_providers_own_and_first(done: Done, name: str) -> None:
    errors = {row["error"] for row in done.result.stored.rows if row["id"] == name}
    assert errors == {REASONS[name]}


def test_tokens_are_summed_where_they_are_known_and_the_others_counted(done: Done) -> None:
    rows = done.result.stored.rows
    known = [row["usage"] for row in rows if None not in row["usage"].values()]
    tokens = done.result.to_dict()["tokens"]
    silent = [row for row in rows if None in row["usage"].values() and row["id"].startswith("usage-")]
    assert tokens["calls_without_usage"] >= len(silent) > 0  # counted by their characters
    assert tokens["input"] > sum(usage["input_tokens"] for usage in known) > 0


@pytest.mark.parametrize(("name", "calls"), [("503-always", 2), ("429-always", 2), ("bad-request", 1)])
def test_one_layer_retries(done: Done, name: str, calls: int) -> None:
    asked = [n for prompt, n in done.calls.items() if f"fault={name}." in prompt]
    assert asked == [calls, calls]  # with max_retries=1, for both modes


def test_one_refusal_among_many_stops_nothing(tmp_path: Path) -> None:
    prompts = {f"v{i}": f"Case {i}" + (" fault=no-such-model" if i == 3 else "") for i in range(8)}
    samples = vignettes(tmp_path / "samples.json", prompts)
    with faulty_server() as server:
        assert ask(samples, server.url, tmp_path / "run", max_connections=1).outcomes == {
            "ok": 14,
            "failed": 2,
        }


def test_retry_after_is_kept(tmp_path: Path) -> None:
    samples = vignettes(tmp_path / "samples.json", {"v0": "Case fault=429-once-retry-after"})
    begin = time.monotonic()
    waits: list[str] = []
    with faulty_server() as server:
        job = runs.job("reasoning", "openai-api/bad/m", samples=samples, connection=Connection(server.url))
        runs.run_job(job, tmp_path / "run", listeners=Listeners(on_wait=waits.append))
    assert time.monotonic() - begin >= 1.0
    assert [words.split(":")[0] for words in waits] == ["waiting 1 s for attempt 2 of 6"] * 2


def test_scoring_counts_them_too(done: Done) -> None:
    scores = done.result.score().to_dict()
    assert scores["n_samples"] == len(EXPECTED)
    assert scores["outcomes"]["cot"]["ok"] == sum(end == "ok" for end in EXPECTED.values())
    assert sum(scores["outcomes"]["cot"].values()) == len(EXPECTED)


def test_a_stored_reply_is_never_asked_again(done: Done) -> None:
    again = ask(done.samples, done.server.url, done.folder)
    asked = Counter(done.server.calls) - done.calls
    names = {prompt.split("fault=")[1].split(".")[0] for prompt in asked}
    assert names == {name for name, end in EXPECTED.items() if end == "failed"}
    assert again.outcomes == done.result.outcomes


def test_a_server_that_dies_leaves_a_run_that_can_go_on(tmp_path: Path) -> None:
    samples = vignettes(tmp_path / "samples.json", {f"v{i}": f"Case {i}" for i in range(20)})
    with (
        faulty_server(dies_after=12) as server,
        pytest.raises(ModelError, match=r"the last \d+ calls all failed, the last one with: \w+"),
    ):
        ask(samples, server.url, tmp_path / "run", max_connections=2, max_retries=0, give_up_after=3)
    held = runs.read_folder(tmp_path / "run").outcomes
    assert runs.read_folder(tmp_path / "run").to_dict()["status"] == "gave up"
    assert held["ok"] == 12
    assert held["failed"] >= 3
    assert sum(held.values()) == 40
    with faulty_server() as server:
        assert ask(samples, server.url, tmp_path / "run").outcomes == {"ok": 40}
        assert sum(server.calls.values()) == 28


@pytest.mark.parametrize("fault", STOPPING)
def test_what_no_trial_can_escape_stops_the_run_at_once(tmp_path: Path, fault: str) -> None:
    samples = vignettes(tmp_path / "samples.json", {f"v{i}": f"{i} fault={fault}" for i in range(20)})
    with faulty_server() as server:
        with pytest.raises(ModelError, match="the provider refuses: "):
            ask(samples, server.url, tmp_path / "run", max_connections=1)
        assert sum(server.calls.values()) < 5
    record = runs.read_folder(tmp_path / "run").to_dict()
    assert record["status"] == "refused"
    assert record["stopped"].startswith("the provider refuses: HTTP 4")


@pytest.mark.skipif(find_spec("anthropic") is not None, reason="the package is there")
def test_a_provider_without_its_package_is_told_with_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-0123456789")
    job = runs.job("reasoning", "anthropic/claude-haiku-4-5", limit=1)
    with pytest.raises(ModelError, match="needs a package that is not installed: pip install anthropic;"):
        open_model(job.model, job.connection)


def test_a_server_that_is_not_there_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    samples = vignettes(tmp_path / "samples.json", {f"v{i}": f"Case {i}" for i in range(5)})
    with faulty_server() as server:
        url = server.url
    with pytest.raises(
        ModelError, match=r"no server answers at http://127.0.0.1:\d+/v1: Connection refused; start it"
    ):
        ask(samples, url, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_log_probability_that_is_no_number_is_stored_as_null() -> None:
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, Logprob, Logprobs, ModelOutput

    told = [Logprob(token="A", logprob=-math.inf), Logprob(token="B", logprob=-0.5)]
    choice = ChatCompletionChoice(
        message=ChatMessageAssistant(content="A"), stop_reason="stop", logprobs=Logprobs(content=told)
    )
    answer = answer_of(ModelOutput(model="m", choices=[choice]), 0.1)
    assert dict(answer.more)["logprobs"] == [["A", None], ["B", -0.5]]


def test_a_certificate_that_is_not_trusted_is_named() -> None:
    below = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate")
    error = ConnectionError("Connection error.")
    error.__cause__ = ConnectionError("")
    error.__cause__.__cause__ = below
    plain = ConnectionError("Connection error.")
    plain.__cause__ = below
    model = SimpleNamespace(should_retry=lambda error: True)
    for one in (error, plain):
        assert "self-signed certificate" in fault_of(one, model).words


@pytest.mark.long
def test_calls_in_flight_end_when_the_time_of_the_run_is_over(tmp_path: Path) -> None:
    samples = vignettes(tmp_path / "samples.json", {"v1": "Case fault=none", "v0": "Case fault=hang"})
    limits = Limits(max_time=0.2)
    with faulty_server() as server:
        connection = Connection(server.url, max_connections=20, max_retries=3, timeout=120)
        job = runs.job("reasoning", "openai-api/bad/m", samples=samples, connection=connection, limits=limits)
        begun = time.monotonic()
        result = runs.run_job(job, tmp_path / "run")
        took = time.monotonic() - begun
    assert result.outcomes == {"ok": 2, "not asked": 2}
    assert result.stopped is not None and "--max-time" in result.stopped
    assert took < 60  # the server would keep its callers for 90 s, and be asked again


TABLE = Path(__file__).with_name("faults.json")
"""Every fault of the grid with its outcome and its words; written anew with CONCORD_WRITE_DOCS=1."""


@pytest.mark.long
def test_every_status_and_every_odd_answer_has_one_outcome_and_words_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-grid-7h3f9a02kd81"
    monkeypatch.setenv("BAD_API_KEY", key)
    prompts = {name: f"Case fault={name}." for name in ("none", *GRID)}
    with faulty_server() as server:
        samples = vignettes(tmp_path / "samples.json", prompts)
        result = ask(samples, server.url, tmp_path / "run", max_retries=0, give_up_after=10_000)
    rows = [row for row in result.stored.rows if row["mode"] == "cot"]
    found = {row["id"]: [row["outcome"], row.get("error")] for row in rows}
    assert set(found) == set(prompts) and set(result.outcomes) <= {"ok", "empty", "failed"}
    if os.environ.get("CONCORD_WRITE_DOCS"):
        lines = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
        TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    assert found == json.loads(TABLE.read_text("utf-8"))
    for outcome, words in found.values():
        assert outcome != "failed" or not re.match(r"(?:Type|Attribute|Key|Value|Index)Error", words), words
    for path in (tmp_path / "run").rglob("*"):
        assert path.is_dir() or key.encode() not in path.read_bytes(), path
