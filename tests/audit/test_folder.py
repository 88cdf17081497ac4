"""Any folder of results with readings can be audited; the replies are found by their hashes."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from concord.audit.estimate import AuditResult, PeopleAudit, StructureAudit
from concord.audit.items import open_folder, read_verdicts, sampled, write_verdicts
from concord.cli.app import app
from concord.errors import FileFormatError, OptionError, RunFolderError
from concord.files.documents import heading
from concord.reading import Reading, ReadOutcome, read_reply, stored_reading, trial_name, write_readings

TEXTS = {("v1", "cot"): "ANSWER: A", ("v1", "direct"): "B", ("v2", "cot"): "no idea", ("v2", "direct"): "A"}


def document(folder: Path, name: str, kind: str, **held: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps({**heading(kind), **held}), "utf-8")


@pytest.fixture
def reasoning(tmp_path: Path) -> Path:
    """Write the results of four recorded replies, which lie elsewhere."""
    folder = tmp_path / "results" / "m"
    inputs = {"replies": {"name": "mine.jsonl", "sha256": "0", "size": 1}}
    document(folder, "study_a_results.json", "reasoning result", model="m/1", inputs=inputs)
    write_readings(
        folder,
        [
            stored_reading(trial_name(*key, 0), text, read_reply(text, choices=["x", "y"]))
            for key, text in TEXTS.items()
        ],
    )
    (folder / "study_a_samples.csv").write_text(
        "id,repeat,correct_cot,correct_early\nv1,0,true,false\nv2,0,,true\n", "utf-8"
    )
    return folder


@pytest.fixture
def replies(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    rows = [{"id": id, "mode": mode, "output": {"parts": [text]}} for (id, mode), text in TEXTS.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_recorded_replies_are_audited_with_the_file_that_was_scored(reasoning: Path, replies: Path) -> None:
    found = open_folder(reasoning)
    assert (found.model, found.kind.question, found.kind.result) == ("m/1", "reasoning", AuditResult)
    assert [(item.key, item.group, item.unit, item.right, item.stratum) for item in found.items] == [
        ("v1/cot/0", "cot", "v1/0", True, "marked"),
        ("v1/direct/0", "direct", "v1/0", False, "bare"),
        ("v2/cot/0", "cot", "v2/0", False, "none"),
        ("v2/direct/0", "direct", "v2/0", True, "bare"),
    ]
    with pytest.raises(
        RunFolderError, match="texts of 4 of 4 replies are not there; give .* --replies, such as 'mine.jsonl'"
    ):
        found.with_replies(found.items)
    told = found.with_replies(found.items, [replies])
    assert [item.reply for item in told] == list(TEXTS.values())


def test_readings_are_found_below_a_folder_and_several_are_refused(reasoning: Path, tmp_path: Path) -> None:
    assert open_folder(tmp_path).place == reasoning
    document(tmp_path / "results" / "n", "study_a_results.json", "reasoning result", model="n")
    write_readings(tmp_path / "results" / "n", [])
    with pytest.raises(OptionError, match="holds several results: give one of"):
        open_folder(tmp_path)
    with pytest.raises(RunFolderError, match="holds no reading"):
        open_folder(tmp_path / "results" / "n")
    with pytest.raises(RunFolderError, match="no such folder"):
        open_folder(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunFolderError, match="holds no readings.csv, .* score the replies again"):
        open_folder(tmp_path / "empty")


def test_two_rows_of_one_answer_are_refused(reasoning: Path) -> None:
    row = stored_reading("v1/cot/0", "A", Reading("A", ReadOutcome.OK, "bare", (0, 1)))
    write_readings(reasoning, [row, row])
    with pytest.raises(FileFormatError, match="1 rows name a trial and question of another row"):
        open_folder(reasoning)


def test_verdicts_are_asked_one_at_a_time_and_a_second_call_goes_on(reasoning: Path, replies: Path) -> None:
    called = ["audit", str(reasoning), "--replies", str(replies), "--n", "4"]
    first = CliRunner().invoke(app, called, input="a\nr\nq\n")
    assert first.exit_code == 0, first.output
    stored = read_verdicts(reasoning / "audit" / "reasoning_verdicts.json", "reasoning")
    assert sorted(stored.values()) == ["right", "same"]
    second = CliRunner().invoke(app, [*called, "--json"], input="a\na\n")
    assert second.exit_code == 0, second.output
    assert len(read_verdicts(reasoning / "audit" / "reasoning_verdicts.json", "reasoning")) == 4
    assert AuditResult.read(reasoning / "audit").of_all().n_audited == 4


def test_the_page_and_its_verdicts_give_the_same_result(
    reasoning: Path, replies: Path, tmp_path: Path
) -> None:
    made = CliRunner().invoke(app, ["audit", str(reasoning), "--replies", str(replies), "--page"])
    assert made.exit_code == 0, made.output
    assert "ANSWER: <mark>A</mark>" in (reasoning / "audit" / "reasoning.html").read_text("utf-8")
    keys = [item.key for item in sampled(open_folder(reasoning).items, 4, 0)]
    write_verdicts(tmp_path / "v.json", "reasoning", dict.fromkeys(keys, "same"))
    # verdicts need no replies
    told = CliRunner().invoke(app, ["audit", str(reasoning), "--verdicts", str(tmp_path / "v.json")])
    assert told.exit_code == 0, told.output
    assert "none was wrong" in " ".join(told.output.split())
    assert "corrected by the audit" in told.output


def test_answers_of_participants_are_grouped_by_condition_and_found_in_their_session(tmp_path: Path) -> None:
    run = tmp_path / "run"
    folder = run / "results"
    document(folder, "benchmark_summary.json", "people result", agent="m")
    (run / "run.json").write_text("{}", "utf-8")
    ids = [f"framing/e1/s{k}/p/1" for k in range(3)]
    texts = {name: f"Option A. ({k})" for k, name in enumerate(ids)}
    (run / "replies.jsonl").write_text(json.dumps({"id": "s", "response": json.dumps(texts)}) + "\n", "utf-8")
    rows = [{"id": name, "study": "framing", "condition": "gain"} for name in ids]
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    read = Reading("A", ReadOutcome.OK, "bare", (7, 8))
    write_readings(folder, [stored_reading(name, texts[name], read, question="choice") for name in ids])
    found = open_folder(run)
    assert (found.kind.result, found.items[0].group, found.items[0].unit) == (
        PeopleAudit,
        "framing: gain",
        "framing/e1/s0/p",
    )
    assert [item.reply for item in found.with_replies(found.items)] == list(texts.values())
    told = CliRunner().invoke(app, ["audit", str(run), "--n", "3"], input="o\nB\nn\na\n")
    assert told.exit_code == 0, told.output
    assert "2 were wrong" in " ".join(told.output.split())


def test_arrangements_of_a_run_are_groups_and_scores_say_what_is_right(tmp_path: Path) -> None:
    document(tmp_path / "consistency", "result.json", "structure result", models=[{"model": "m"}])
    (tmp_path / "answers.csv").write_text("item,arrangement,sample,score\nq1,BA,0,1.0\nq1,BA,1,\n", "utf-8")
    for k in (0, 1):
        row = stored_reading(trial_name("q1", "BA", k), "A", read_reply("A", choices=["x", "y"]))
        write_readings(
            tmp_path,
            [row] if k == 0 else [row, stored_reading("q1/BA/0", "A", read_reply("A", choices="xy"))],
        )
    found = open_folder(tmp_path)
    assert found.kind.result is StructureAudit
    assert sorted((item.key, item.group, item.right) for item in found.items) == [
        ("q1/BA/0", "BA", True),
        ("q1/BA/1", "BA", False),
    ]


def test_replies_are_found_in_tables_documents_and_parts(tmp_path: Path, reasoning: Path) -> None:
    found = open_folder(reasoning)
    (tmp_path / "t.csv").write_text("id,text\nv1,ANSWER: A\nv1,B\n", "utf-8")
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "no "},
        {"type": "text", "text": "idea"},
    ]
    (tmp_path / "d.json").write_text(
        json.dumps({"messages": [{"content": parts}, {"content": "A"}]}), "utf-8"
    )
    told = found.with_replies(found.items, [tmp_path / "t.csv", tmp_path / "d.json"])
    assert [item.reply for item in told] == list(TEXTS.values())
    deep: Any = "B"
    for _ in range(200):
        deep = [deep]
    (tmp_path / "deep.json").write_text(json.dumps(deep), "utf-8")
    with pytest.raises(RunFolderError, match="are not there"):
        found.with_replies(found.items, [tmp_path / "deep.json"])


def test_replies_to_interventions_are_grouped_by_them(tmp_path: Path) -> None:
    document(tmp_path, "probes.json", "probe result", model="m")
    names = ("hints/q1/hints-unhinted/-.0", "hints/q1/hints-metadata/-.0", "early/v1/early-prefix/2.1")
    read = Reading("A", ReadOutcome.OK, "bare", (0, 1))
    write_readings(tmp_path, [stored_reading(name, "A", read) for name in names])
    found = [(item.group, item.unit) for item in open_folder(tmp_path).items]
    assert found == [
        ("hints-unhinted", "hints/q1"),
        ("hints-metadata", "hints/q1"),
        ("early-prefix", "early/v1"),
    ]
