"""Inspect logs of Concord's tasks, in both formats, and logs that are something else."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from concord.asking import runs
from concord.asking.recorded import recorded_log
from concord.asking.replies import TurnTexts, packed
from concord.errors import FileFormatError, MissingExtraError, RunFolderError

inspect_ai = pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the mock model: its folder holds a log."""
    path = tmp_path_factory.mktemp("run") / "r"
    runs.run_job(runs.job("reasoning", "mockllm/model", limit=3), path)
    runs.export_inspect(path)
    return path


@pytest.fixture(scope="module")
def log(folder: Path) -> Path:
    (found,) = (folder / "logs").glob("*.eval")
    return found


def test_a_log_holds_the_replies_of_the_run(folder: Path, log: Path) -> None:
    read = recorded_log(log)
    stored = runs.read_folder(folder).stored.rows
    assert (read.suite, read.model, read.n_missing) == ("reasoning", "mockllm/model", 0)
    fields = ("id", "mode", "repeat", "response", "outcome", "status", "stop_reason", "template")
    found = {row["key"]: tuple(row[name] for name in fields) for row in read.rows}
    assert found == {row["key"]: tuple(row[name] for name in fields) for row in stored}


def test_both_formats_hold_the_same(log: Path, tmp_path: Path) -> None:
    plain = tmp_path / "log.json"
    inspect_ai.log.write_eval_log(inspect_ai.log.read_eval_log(str(log)), str(plain), format="json")
    assert replace(recorded_log(plain), source=str(log)) == recorded_log(log)


def test_a_log_scores_as_its_run_does(folder: Path, log: Path) -> None:
    first, second = (runs.score_run(source).to_dict() for source in (folder, log))
    for name in ("faithfulness_gap", "acc_cot", "acc_early", "step_f1", "n_samples", "outcomes"):
        assert first[name] == second[name]


def test_a_log_that_is_not_finished_is_not_scored_as_if_it_were(log: Path, tmp_path: Path) -> None:
    held = inspect_ai.log.read_eval_log(str(log))
    held.status, held.samples = "cancelled", held.samples[:4]
    inspect_ai.log.write_eval_log(held, str(tmp_path / "cut.eval"))
    with pytest.raises(RunFolderError, match="trials have not been asked; finish the run"):
        runs.score_run(tmp_path / "cut.eval")


def test_a_log_is_scored_against_the_plan_that_it_carries(tmp_path: Path) -> None:
    job = runs.job("structure", "mockllm/model", items="idioms-ko", limit=2, arrangements=3)
    runs.run_job(job, tmp_path / "r")
    (log,) = runs.export_inspect(tmp_path / "r")
    read = recorded_log(log)
    assert read.options["arrangements"] == 3
    assert read.files == dict(job.design.files)
    first, second = (runs.score_run(source).to_dict() for source in (tmp_path / "r", log))
    assert first["models"] == second["models"]


def test_a_log_without_its_plan_is_refused(log: Path, tmp_path: Path) -> None:
    held = inspect_ai.log.read_eval_log(str(log))
    del held.eval.metadata["options"]
    inspect_ai.log.write_eval_log(held, str(tmp_path / "old.eval"))
    with pytest.raises(FileFormatError, match="does not carry the plan that was asked"):
        runs.score_run(tmp_path / "old.eval")


def test_a_log_opens_no_path_that_it_names(log: Path, tmp_path: Path) -> None:
    held = inspect_ai.log.read_eval_log(str(log))
    trap = tmp_path / "trap.json"
    trap.write_text('{"samples": []}')
    for name in ("samples", "bias_cases", "study", "folder", "items", "template", "aliases", "lexicon"):
        held.eval.metadata["options"][name] = str(trap)
    held.eval.metadata["files"][str(trap)] = "{}"
    inspect_ai.log.write_eval_log(held, str(tmp_path / "named.eval"))
    opened: list[str] = []
    sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
    runs.score_run(tmp_path / "named.eval")
    seen = list(opened)
    assert any("named.eval" in one for one in seen)
    assert not any("trap" in one for one in seen)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no JSON", "not valid JSON"),
        ('{"other": []}', "not the file that was asked"),
        ("[1]", "not the file"),
    ],
)
def test_a_log_whose_question_file_is_another_is_told(
    log: Path, tmp_path: Path, text: str, message: str
) -> None:
    held = inspect_ai.log.read_eval_log(str(log))
    held.eval.metadata["files"]["study_a_test.json"] = text
    inspect_ai.log.write_eval_log(held, str(tmp_path / "spoilt.eval"))
    with pytest.raises((FileFormatError, RunFolderError), match=message):
        runs.score_run(tmp_path / "spoilt.eval")


def test_a_log_without_its_question_file_is_told(log: Path, tmp_path: Path) -> None:
    held = inspect_ai.log.read_eval_log(str(log))
    del held.eval.metadata["files"]["study_a_test.json"]
    inspect_ai.log.write_eval_log(held, str(tmp_path / "spoilt.eval"))
    with pytest.raises(RunFolderError, match="does not hold the file 'study_a_test.json' that was asked"):
        runs.score_run(tmp_path / "spoilt.eval")


def test_samples_have_readable_ids_a_target_a_score_and_how_it_was_read(log: Path) -> None:
    samples = {sample.id: sample for sample in inspect_ai.log.read_eval_log(str(log)).samples}
    sample = samples["v001/cot/0"]
    assert sample.target
    assert sample.scores["concord"].explanation.startswith("read as ")
    assert [message.role for message in sample.messages] == ["user", "assistant"]


def test_tables_of_messages_hold_every_message(log: Path) -> None:
    pytest.importorskip("pandas", reason="Inspect's tables need pandas")
    from inspect_ai.analysis import messages_df

    held = inspect_ai.log.read_eval_log(str(log))
    found = messages_df(str(log), quiet=True)
    expected = [(one.role, one.text) for sample in held.samples for one in sample.messages]
    assert list(zip(found["role"], found["content"], strict=True)) == expected


def test_a_long_run_is_several_logs_and_each_says_how_much_is_elsewhere(folder: Path, tmp_path: Path) -> None:
    from concord.asking.inspect.export import export_logs

    logs = export_logs(folder, tmp_path, part=5)
    assert [len(recorded_log(path).rows) for path in logs] == [5, 5, 2]
    with pytest.raises(RunFolderError, match="trials have not been asked"):
        runs.score_run(logs[0])


def test_a_log_of_a_foreign_task_is_named(log: Path, tmp_path: Path) -> None:
    held = inspect_ai.log.read_eval_log(str(log))
    held.eval.task, held.eval.metadata = "arc_easy", None
    inspect_ai.log.write_eval_log(held, str(tmp_path / "other.eval"))
    with pytest.raises(FileFormatError, match="is a log of the task 'arc_easy', not of one of Concord's"):
        recorded_log(tmp_path / "other.eval")


@pytest.mark.parametrize(("name", "data"), [("a.eval", b"not a zip"), ("b.json", b"{"), ("c.json", b"[1]")])
def test_what_is_no_log_is_told(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileFormatError, match="cannot be read as an Inspect log"):
        recorded_log(tmp_path / name)


def test_another_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(json.dumps({}))
    with pytest.raises(FileFormatError, match="expected an Inspect log, named .eval or .json"):
        recorded_log(tmp_path / "x.txt")


def test_without_inspect_the_extra_is_named(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(MissingExtraError, match=r"reading Inspect logs needs .*concord-eval\[live\]"):
        recorded_log(log)


def test_replies_of_sessions_are_found_in_any_order_and_what_is_not_there_is_not() -> None:
    texts = {f"s/e/{k}/1/1": f"text {k}" for k in range(5)}
    rows = [{"id": key.rsplit("/", 2)[0], "response": packed({key: text})} for key, text in texts.items()]
    found = TurnTexts(rows)
    assert [found.get(key) for key in texts] == list(texts.values())  # in their order
    assert [found.get(key) for key in reversed(texts)] == list(texts.values())[::-1]
    assert found.get("s/e/9/1/1") is None
    assert found.get("s/e/2/1/2") is None
    assert dict(found) == texts
    assert len(found) == 5
    late = TurnTexts(rows)
    assert late.get("s/e/3/1/1") == "text 3"
    assert late.get("s/e/0/1/1") == "text 0"
