"""A run's folder: what may be resumed, what is scored, what is set aside."""

import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from concord.asking.connection import Redactor
from concord.asking.folder import SUPERSEDED, ReplyStore, RunFolder, read_run
from concord.asking.job import Job, record_of
from concord.asking.journal import REPLIES
from concord.asking.requests import Requests, Sampling, requests_of
from concord.errors import FileFormatError, RunFolderError
from concord.records import Answer, AskOutcome, Design, Message, Template, Trial, Usage

SAMPLING = Sampling(temperature=0.0)
OK = Answer(AskOutcome.OK, "fine", usage=Usage(3, 4))


def design(n: int = 3, word: str = "Why") -> Design:
    trials = tuple(Trial("reasoning", f"v{i}", "cot", (Message("user", f"{word} {i}?"),)) for i in range(n))
    return Design("reasoning", trials, (Template("reasoning/cot.v1", "", "00"),))


def opened(path: Path, of: Design, **changes: Any) -> tuple[RunFolder, Requests]:
    job = replace(Job(of, "m/x", SAMPLING), **changes)
    requests = requests_of(of, job.model, job.sampling)
    return RunFolder(path, record_of(job, {}), requests, redactor=Redactor(["sk-secret1"])), requests


def test_every_planned_trial_has_exactly_one_outcome(tmp_path: Path) -> None:
    folder, requests = opened(tmp_path / "r", design(4))
    folder.store(requests[0], OK)
    folder.store(requests[1], Answer(AskOutcome.FAILED, "", error="503"))
    folder.store(requests[1], Answer(AskOutcome.FAILED, "", error="503 again"))
    folder.store(requests[2], Answer(AskOutcome.FAILED, "", error="503"))
    folder.store(requests[2], OK)
    folder.close()
    run = read_run(tmp_path / "r")
    assert dict(run.tally.outcomes) == {"ok": 2, "failed": 1, "not asked": 1}
    assert [row["outcome"] for row in run.rows] == ["ok", "failed", "ok"]
    assert (run.tally.input_tokens, run.tally.output_tokens) == (6, 8)


def test_a_resumed_run_asks_what_is_missing_or_failed(tmp_path: Path) -> None:
    folder, requests = opened(tmp_path / "r", design())
    folder.store(requests[0], OK)
    folder.store(requests[1], Answer(AskOutcome.FAILED, "", error="503"))
    folder.close()
    again, requests = opened(tmp_path / "r", design())
    assert list(again.missing()) == [requests[1], requests[2]]
    again.close()


def test_new_prompts_under_old_ids_are_asked_and_old_replies_set_aside(tmp_path: Path) -> None:
    folder, requests = opened(tmp_path / "r", design())
    for request in requests:
        folder.store(request, OK)
    folder.close()
    fixed_text = design()
    changed = replace(fixed_text.trials[1], messages=(Message("user", "How 1?"),))
    fixed_text = replace(fixed_text, trials=(fixed_text.trials[0], changed, fixed_text.trials[2]))
    again, requests = opened(tmp_path / "r", fixed_text)
    assert again.n_superseded == 1
    assert [request.trial.item for request in again.missing()] == ["v1"]
    again.store(requests[1], replace(OK, response="new"))
    again.close()
    assert [row["response"] for row in read_run(tmp_path / "r").rows] == ["fine", "new", "fine"]
    assert (tmp_path / "r" / SUPERSEDED).read_text().count("\n") == 1


def test_a_smaller_plan_keeps_what_it_leaves_out(tmp_path: Path) -> None:
    folder, requests = opened(tmp_path / "r", design(3))
    for request in requests:
        folder.store(request, OK)
    folder.close()
    opened(tmp_path / "r", design(2))[0].close()
    run = read_run(tmp_path / "r")
    assert (run.n_planned, len(run.rows), run.n_outside) == (2, 2, 1)
    assert (tmp_path / "r" / REPLIES).read_text().count("\n") == 3


@pytest.mark.parametrize(
    ("of", "changes", "message"),
    [
        (replace(design(), suite="structure"), {}, 'holds a run with suite "reasoning", not "structure"'),
        (design(), {"model": "m/y"}, 'holds a run with model "m/x", not "m/y"'),
        (design(), {"sampling": Sampling(temperature=1.0)}, "holds a run with sampling"),
        (replace(design(), templates=(Template("reasoning/cot.v2", "", "11"),)), {}, "run with templates"),
    ],
)
def test_a_folder_of_another_run_is_refused(
    tmp_path: Path, of: Design, changes: dict[str, Any], message: str
) -> None:
    opened(tmp_path / "r", design())[0].close()
    with pytest.raises(RunFolderError, match=message):
        opened(tmp_path / "r", of, **changes)


def test_prompts_that_another_version_worded_otherwise_say_why_and_what_to_do(tmp_path: Path) -> None:
    opened(tmp_path / "r", design())[0].close()
    record = json.loads((tmp_path / "r" / "run.json").read_text("utf-8"))
    (name,) = record["templates"]
    changed = replace(design(), templates=(Template(name, "", "ff"),))
    with pytest.raises(RunFolderError) as told:
        opened(tmp_path / "r", changed)
    message = str(told.value)
    assert f"other words of the prompt {name}" in message
    assert "score run --partial" in message and "--out" in message
    (tmp_path / "run.json").write_text("{}", "utf-8")  # the run of a scoring model lies in another run
    with pytest.raises(RunFolderError, match="move r out of .* and run again: the replies there are kept"):
        opened(tmp_path / "r", changed)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("years of work")
    with pytest.raises(RunFolderError, match="is not empty and holds no run"):
        opened(tmp_path, design())


def test_a_folder_that_holds_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"holds no run \(no run.json\)"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("{", FileFormatError, "is not JSON"),
        ("[]", RunFolderError, "is not the record of a run"),
        (
            '{"kind": "run", "format_version": 99}',
            RunFolderError,
            "has format version 99, this Concord reads 1",
        ),
    ],
)
def test_a_damaged_record_is_named(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(error, match=message):
        read_run(tmp_path)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match=r"cannot write .*: Not a directory"):
        opened(tmp_path / "file" / "r", design())


def test_secrets_are_not_written(tmp_path: Path) -> None:
    folder, requests = opened(tmp_path / "r", design())
    folder.store(requests[0], replace(OK, response="you are sk-secret1", error="sk-secret1"))
    folder.close()
    assert not [file for file in (tmp_path / "r").iterdir() if b"sk-secret1" in file.read_bytes()]


def test_the_record_says_what_was_sent_and_with_what(tmp_path: Path) -> None:
    opened(tmp_path / "r", design())[0].close()
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    assert record["sampling"] == {"temperature": 0.0, "max_tokens": None, "top_p": None, "seed": None}
    assert record["templates"] == {"reasoning/cot.v1": "00"}
    assert {"kind", "suite", "model", "n_trials", "connection", "started", "status"} <= record.keys()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"outcome": "ok"}, "there is no 'id', expected a text"),
        ({"id": "v0", "mode": "cot", "repeat": 0, "outcome": "ok", "response": None}, "'response' is null"),
        ({"id": "v0", "mode": "cot", "repeat": "0", "outcome": "ok", "response": ""}, "'repeat' is \"0\""),
        ({"id": "v0", "mode": "cot", "repeat": 0, "outcome": "fine", "response": ""}, "'outcome' is 'fine'"),
        (
            {
                **{"id": "v0", "mode": "cot", "repeat": 0, "outcome": "ok", "response": ""},
                "usage": {"input_tokens": "7"},
            },
            "'usage' holds what is no number of tokens",
        ),
        (
            {**{"id": "v0", "mode": "cot", "repeat": 0, "outcome": "ok", "response": ""}, "again": [1]},
            "'again' is [1], expected a text",
        ),
    ],
)
def test_a_line_that_no_journal_writes_is_named(tmp_path: Path, line: dict[str, Any], message: str) -> None:
    opened(tmp_path / "r", design())[0].close()
    (tmp_path / "r" / REPLIES).write_text(json.dumps({"key": "k", **line}) + "\n")
    with pytest.raises(
        FileFormatError, match=r"replies.jsonl, line 1: not a line that Concord writes: "
    ) as told:
        read_run(tmp_path / "r")
    assert message in str(told.value)


@pytest.mark.parametrize("name", ["suite", "model", "options", "sampling", "templates"])
def test_a_record_without_a_field_is_named(tmp_path: Path, name: str) -> None:
    opened(tmp_path / "r", design())[0].close()
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    del record[name]
    (tmp_path / "r" / "run.json").write_text(json.dumps(record))
    with pytest.raises(FileFormatError, match=f"'{name}' is null, expected"):
        read_run(tmp_path / "r")


def test_replies_of_several_processes_are_read_as_one(tmp_path: Path) -> None:
    folder, requests = opened(tmp_path / "r", design(3))
    folder.store(requests[0], OK)
    folder.close()
    for shard, request in ((1, requests[1]), (2, requests[2])):
        store = ReplyStore(tmp_path / "r", "m/x", Redactor(), shard)
        store.store(request, OK)
        store.close()
    assert dict(read_run(tmp_path / "r").tally.outcomes) == {"ok": 3}
    again, _ = opened(tmp_path / "r", design(3))
    assert list(again.missing()) == []
    again.close()


def test_a_plan_that_is_the_same_is_not_written_again(tmp_path: Path) -> None:
    opened(tmp_path / "r", design())[0].close()
    before = (tmp_path / "r" / "trials.jsonl").stat().st_ino
    opened(tmp_path / "r", design())[0].close()
    assert (tmp_path / "r" / "trials.jsonl").stat().st_ino == before
    opened(tmp_path / "r", design(4))[0].close()
    assert (tmp_path / "r" / "trials.jsonl").read_text().count("\n") == 4


def test_replies_reach_the_disk_within_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, requests = opened(tmp_path / "r", design())
    synced = threading.Event()
    real = os.fsync

    def noted(fd: int) -> None:
        real(fd)
        synced.set()

    monkeypatch.setattr(os, "fsync", noted)
    folder.store(requests[0], OK)
    assert synced.wait(10)  # asked for after a twentieth of a second, whatever else happens
    monkeypatch.undo()
    folder.close()


def test_changed_question_files_are_refused(tmp_path: Path) -> None:
    from concord.asking import runs

    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    runs.run_job(runs.job("reasoning", "mockllm/model", limit=1), tmp_path / "r")
    path = tmp_path / "r" / "inputs" / "study_a_test.json"
    path.write_bytes(path.read_bytes().replace(b"Panic", b"panic"))
    with pytest.raises(RunFolderError, match="is not the file that was asked: its sha256 is another"):
        runs.score_run(tmp_path / "r")
    path.unlink()
    with pytest.raises(RunFolderError, match="is missing; put the file that was asked back"):
        runs.score_run(tmp_path / "r")


def test_a_session_longer_than_a_line_may_be_is_too_long_and_the_folder_stays_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("concord.files.limits.JOURNAL_LINE", 2000)
    folder, requests = opened(tmp_path / "r", design(2))
    folder.store(requests[0], replace(OK, response="x" * 3000))
    folder.store(requests[1], OK)
    folder.close()
    rows = read_run(tmp_path / "r").rows
    assert [row["outcome"] for row in rows] == ["too long", "ok"]
    assert rows[0]["error"].endswith("bytes, expected at most 2,000")


def test_a_slice_of_a_plan_is_a_plan() -> None:
    requests = requests_of(design(7), "m/x", SAMPLING)
    assert list(requests[1::3]) == [requests[1], requests[4]]
    assert requests[-1].trial.item == "v6"
    assert [trial.item for trial in requests[1::3].trials] == ["v1", "v4"]
    assert list(requests[2:4].keys()) == [requests[2].key, requests[3].key]
