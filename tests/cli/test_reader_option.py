"""`--reader judge:MODEL` at the command line: what it reads, says, stores, and that its audit is prepared."""

import json
from pathlib import Path

import pytest
from tests.asking.scripted_server import scripted_server
from typer.testing import CliRunner

from concord.audit.items import open_folder, write_verdicts
from concord.cli.app import app
from concord.reading import read_readings

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
SURE = "All in all, after some thought about both of them: [[A]]"
UNSURE = "The first of the two was by far the one that I enjoyed reading."


def reader(prompt: str) -> str:
    said = prompt.split("----------")[1].strip()
    quote = "enjoyed reading" if said == UNSURE else "[[A]]"
    return json.dumps({"status": "ok", "answer": "A", "quote": quote})


@pytest.mark.filterwarnings("ignore")
def test_a_model_reads_verdicts_and_is_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"pair": f"p{i}", "order": order, "verdict": (SURE, UNSURE)[i % 2]}
        for i in range(8)
        for order in ("ab", "ba")
    ]
    file, out = tmp_path / "said.jsonl", tmp_path / "out"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with scripted_server(reader) as server:
        monkeypatch.setenv("SCRIPTED_BASE_URL", server.url)
        words = ["score", "judge", str(file), "--out", str(out), "--reader", "judge:openai-api/scripted/m"]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        assert server.n_calls == 2  # one of each text
    assert "read 1 of 1 different answers that the rules left unread" in done.output
    assert "the model reads the same in 100.0 % of 1" in done.output
    hows = [row.how for row in read_readings(out)]
    assert (hows.count("structured"), hows.count("model")) == (8, 8)
    page = (out / "audit" / "structure.html").read_text("utf-8")
    assert "<mark>enjoyed reading</mark>" in page
    assert json.loads((out / "reader.json").read_text("utf-8"))["audited"] is None
    # half of what the model read is wrong, says a person
    read = [item for item in open_folder(out).items if item.how == "model"]
    said = {item.key: "other: second" if i % 2 else "same" for i, item in enumerate(read)}
    others = {item.key: "same" for item in open_folder(out).items if item.how != "model"}
    write_verdicts(tmp_path / "v.json", "structure", {**said, **others})
    told = CliRunner().invoke(app, ["audit", str(out), "--verdicts", str(tmp_path / "v.json")])
    assert told.exit_code == 0, told.output
    assert json.loads((out / "reader.json").read_text("utf-8"))["audited"]["value"] == 0.5


def test_a_table_of_codes_leaves_a_reader_nothing(tmp_path: Path) -> None:
    file = tmp_path / "codes.csv"
    file.write_text("item,arrangement,chosen,right,n_options\nq,AB,A,A,2\nq,BA,B,B,2\n", "utf-8")
    words = ["score", "options", str(file), "--out", str(tmp_path / "out"), "--reader", "judge:mockllm/model"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "no reply was read by rules" in done.output
