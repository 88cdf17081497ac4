"""A marked key in eight shapes: in no file, log, trace or message, even when the server sends it back."""

import base64
import gzip
import html
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.asking.commands import concord
from tests.asking.faulty_server import faulty_server

from concord.asking import runs
from concord.asking.connection import Redactor
from concord.asking.job import helpers_of, redactor_of

inspect_log = pytest.importorskip("inspect_ai.log", reason="the extra `live` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")

MARK = "5cd1e0b7f3a94c2d"
ECHOES = ("none", "echo-key", "filter-echo-key", "echo-header", "echo-reply", "wrong-key")
SHAPES = {
    "plain": f"sk-marked-{MARK}",
    "with a line feed": f"sk-marked-{MARK}\n",
    "with blanks around": f"  sk-marked-{MARK} ",
    "with quotes": f'sk-"{MARK}"',
    "with signs of addresses": f"sk/{MARK}+/=",
    "short": "5cd1e",
}


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below a folder, archives unpacked."""
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        yield path, path.read_bytes()
        if path.suffix == ".gz":
            yield path, gzip.decompress(path.read_bytes())
        if path.suffix == ".eval":
            # Members are compressed in a way that zipfile may not know: Inspect reads its own format.
            yield path, inspect_log.read_eval_log(str(path)).model_dump_json().encode()
            with zipfile.ZipFile(path) as archive:
                yield path, "".join(archive.namelist()).encode()


def samples(folder: Path) -> None:
    rows = [
        {"id": name, "prompt": f"Case fault={name}.", "gold_answer": "Panic Disorder", "gold_reasoning": []}
        for name in ECHOES
    ]
    (folder / "samples.json").write_text(json.dumps({"samples": rows}))


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(shape, marks=() if shape in ("plain", "with quotes") else pytest.mark.long)
        for shape in SHAPES
    ],
)
def test_the_key_is_in_no_file_log_line_or_message(tmp_path: Path, shape: str) -> None:
    samples(tmp_path)
    key = SHAPES[shape]
    with faulty_server() as server:
        done = concord(
            *("run", "reasoning", "--model", "openai-api/bad/m", "--base-url", server.url),
            *("--samples", "samples.json", "--out", "run", "--max-retries", "0", "--max-connections", "1"),
            cwd=tmp_path,
            BAD_API_KEY=key,
            DB_PASSWORD="Panic Disorder",
        )
        assert server.faults["echo-key"] > 0
    assert done.returncode == 4, done.stderr
    held = list(contents(tmp_path))
    assert any(path.suffix == ".eval" for path, _ in held)
    secret = key.strip()
    for shown in {secret, json.dumps(secret)[1:-1]}:
        assert shown not in done.stdout + done.stderr
        assert [str(path) for path, data in held if shown.encode() in data] == []
    replies = (tmp_path / "run" / "replies.jsonl").read_text()
    assert "[hidden]" in replies
    assert "Panic Disorder" in replies  # another variable's value is a word of the answer


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (("--base-url", f"http://127.0.0.1:9/v1?api_key={MARK}"), {}),
        ((), {"BAD_BASE_URL": f"http://user:{MARK}@127.0.0.1:9/v1"}),
    ],
    ids=["in the query of an address", "as the password of an address"],
)
def test_an_address_with_a_key_is_refused_and_written_nowhere(
    tmp_path: Path, options: tuple[str, ...], variables: dict[str, str]
) -> None:
    samples(tmp_path)
    command = ("run", "reasoning", "--model", "openai-api/bad/m", "--samples", "samples.json", "--out", "run")
    done = concord(*command, *options, cwd=tmp_path, BAD_API_KEY="sk-of-nobody", **variables)
    assert done.returncode == 2
    assert "put the key into the environment instead" in done.stderr
    assert MARK not in done.stdout + done.stderr
    assert [str(path) for path, data in contents(tmp_path) if MARK.encode() in data] == []


def test_the_key_of_a_model_that_writes_for_others_is_hidden_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_API_KEY", f"sk-of-the-helper-{MARK}")
    job = runs.job("probes", "openai-api/bad/m", probe="mistake", helper="openai-api/other/m", limit=1)
    assert helpers_of(job) == ("openai-api/other/m",)
    assert redactor_of(job).text(f"bad key sk-of-the-helper-{MARK}") == "bad key [hidden]"


@pytest.mark.parametrize("key", [f"sk-<{MARK}>&", f"sk-marked-{MARK}"])
def test_a_key_is_hidden_in_html_hex_and_behind_any_word_in_base64(key: str) -> None:
    hidden = Redactor([key])
    for shown in (html.escape(key), html.escape(key, quote=False), key.encode().hex()):
        assert hidden.text(f"a {shown} b") == "a [hidden] b"
    for before in ("", "x", "Bearer ", "Basic user:"):
        held = base64.b64encode(f"{before}{key}".encode()).decode()
        assert "[hidden]" in hidden.text(held) and len(hidden.text(held)) < len(before) * 2 + 20
        assert (
            hidden.text(base64.urlsafe_b64encode(f"{before}{key}!".encode()).decode()).count("[hidden]") == 1
        )


@pytest.mark.parametrize("key", ["710", "1234", "password", "Panic"])
def test_a_key_that_is_a_plain_word_or_number_changes_no_answer(tmp_path: Path, key: str) -> None:
    assert Redactor([key]).text(f"My answer is {key}.") == f"My answer is {key}."
    rows = [{"id": "a", "prompt": "Case.", "gold_answer": "Panic Disorder", "gold_reasoning": []}]
    (tmp_path / "samples.json").write_text(json.dumps({"samples": rows}))
    with faulty_server() as server:
        done = concord(
            *("run", "reasoning", "--model", "openai-api/bad/m", "--base-url", server.url),
            *("--samples", "samples.json", "--out", "run"),
            cwd=tmp_path,
            BAD_API_KEY=key,
        )
    assert "the key in BAD_API_KEY is a plain word or number" in " ".join(done.stderr.split())
    assert f"{key} " not in done.stderr
    assert "Panic Disorder" in (tmp_path / "run" / "replies.jsonl").read_text()
