"""A marked key is found in no file, log line or message, even when the server sends it back."""

import gzip
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.asking.commands import concord
from tests.asking.faulty_server import faulty_server

inspect_log = pytest.importorskip("inspect_ai.log", reason="the extra `live` is not installed")

KEY = "sk-marked-5cd1e0b7f3a94c2d"


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


@pytest.mark.filterwarnings("ignore")
def test_the_key_is_in_no_file_log_line_or_message(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": name, "prompt": f"Case fault={name}.", "gold_answer": "Panic Disorder", "gold_reasoning": []}
        for name in ("none", "echo-key", "filter-echo-key", "wrong-key")
    ]
    (tmp_path / "samples.json").write_text(json.dumps({"samples": rows}))
    with faulty_server() as server:
        done = concord(
            *("run", "reasoning", "--model", "openai-api/bad/m", "--base-url", server.url),
            *("--samples", "samples.json", "--out", "run", "--max-retries", "0", "--max-connections", "1"),
            cwd=tmp_path,
            BAD_API_KEY=KEY,
        )
        assert server.faults["echo-key"] > 0
    assert done.returncode == 4, done.stderr
    assert "[hidden]" in (tmp_path / "run" / "failures.jsonl").read_text()
    assert KEY not in done.stdout + done.stderr
    held = list(contents(tmp_path))
    assert any(path.suffix == ".eval" for path, _ in held)
    assert [str(path) for path, data in held if KEY.encode() in data] == []
