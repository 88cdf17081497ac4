"""Files of replies, checked without knowing what was asked."""

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import FileFormatError
from concord.people.studies.scoring import read_session_replies
from concord.reasoning.read.check import JOURNAL, RECORDED, check_replies
from concord.reasoning.read.replies import read_replies


def _file(folder: Path, *rows: Mapping[str, Any] | str, name: str = "replies.jsonl") -> Path:
    path = folder / name
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    path.write_text(text, "utf-8")
    return path


def _line(key: str, **fields: Any) -> dict[str, Any]:
    row = {
        "key": key,
        "id": key,
        "mode": "cot",
        "repeat": 0,
        "status": "ok",
        "outcome": "ok",
        "response": "x",
    }
    return row | fields


def test_recorded_replies_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    found = check_replies(
        _file(
            tmp_path,
            {"id": "a", "mode": "cot", "response": "yes"},
            {"id": "a", "mode": "direct", "response": " "},
            {"id": "b", "mode": "cot", "status": "failed"},
            {"id": 3, "response": "yes", "repeat": 1, "other": [1]},
        )
    )
    assert (found.kind, found.problems, found.warnings) == (RECORDED, (), ())
    met = {name: n for name, n in found.counts.items() if n}
    assert met == {"replies": 4, "items": 3, "ok": 2, "empty": 1, "failed": 1}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("not json", "not JSON"),
        ("[1]", "[1], expected an object with named fields"),
        ({"response": "x"}, "no 'id', expected text"),
        ({"id": "", "response": "x"}, "'id' is empty"),
        ({"id": "b"}, "no 'response', expected text"),
        ({"id": "b", "response": 7}, "'response' is 7, expected text"),
        ({"id": "b", "response": "x", "repeat": -1}, "repeat -1, expected a whole number, 0 or more"),
        ({"id": "b", "response": "x", "mode": 2}, "'mode' is 2, expected text"),
        ({"id": "a", "response": "x"}, "id 'a', repeat 0 is there twice, first on line 1"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, row: Mapping[str, Any] | str, said: str) -> None:
    found = check_replies(_file(tmp_path, {"id": "a", "response": "x"}, row))
    (problem,) = found.problems
    assert str(problem).startswith("replies.jsonl, line 2: ")
    assert said in str(problem)
    assert found.counts["replies"] == 1


def test_faults_stand_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = check_replies(_file(tmp_path, {"id": "a"}, "not json", {"id": "b"}))
    assert [problem.line for problem in found.problems] == [1, 2, 3]


def test_the_journal_of_a_run_gives_its_own_outcomes(tmp_path: Path) -> None:
    cut = _line("b", outcome="truncated")
    failed = _line("c", status="failed", outcome="failed", response="", error="no connection")
    found = check_replies(_file(tmp_path, _line("a"), cut, failed))
    assert (found.kind, found.problems) == (JOURNAL, ())
    assert {name: n for name, n in found.counts.items() if n} == {
        "replies": 3,
        "items": 3,
        "ok": 1,
        "truncated": 1,
        "failed": 1,
    }


@pytest.mark.parametrize("question", ["reasoning", "structure"])
def test_the_bundled_journals_are_well_formed(question: str) -> None:
    folder = resources.files("concord").joinpath(question, "data", "recorded")
    with resources.as_file(folder.joinpath("smollm2-135m.jsonl")) as path:
        found = check_replies(path)
    assert found.problems == ()
    assert found.counts["replies"] == found.counts["ok"] + found.counts["truncated"]


def test_a_journal_names_lines_that_concord_does_not_write(tmp_path: Path) -> None:
    alien = {"id": "b", "outcome": "ok", "response": "x"}
    found = check_replies(_file(tmp_path, _line("a"), alien, _line("c", outcome="odd")))
    first, second = map(str, found.problems)
    assert first == "replies.jsonl, line 2: no 'key', expected text"
    assert second.startswith("replies.jsonl, line 3: outcome 'odd', expected ok, empty, truncated")


def test_a_torn_last_line_and_doubled_keys_of_a_journal_are_warnings(tmp_path: Path) -> None:
    path = _file(tmp_path, _line("a"), _line("a"))
    path.write_bytes(path.read_bytes() + b'{"key": "b", "id"')
    found = check_replies(path)
    assert found.problems == ()
    torn, doubled = found.warnings
    assert torn.startswith("replies.jsonl, line 3: torn")
    assert doubled == "replies.jsonl: 1 keys are there more than once; the last line of each counts"


def test_a_torn_line_of_recorded_replies_is_a_fault(tmp_path: Path) -> None:
    path = _file(tmp_path, {"id": "a", "response": "x"})
    path.write_bytes(path.read_bytes() + b'{"id": "b", "resp')
    assert [problem.line for problem in check_replies(path).problems] == [2]


def test_a_session_holds_the_replies_of_its_turns(tmp_path: Path) -> None:
    turns = {"trust/game/1/1/1": "5", "trust/game/1/2/1": "4"}
    good = _line("k1", id="trust/game/1", response=json.dumps(turns))
    assert check_replies(_file(tmp_path, good)).counts["turns"] == 2
    for response in ("A", "[]", json.dumps({"trust/game/2/1/1": "5"}), json.dumps({"trust/game/1/1/1": 5})):
        found = check_replies(_file(tmp_path, {**good, "response": response}))
        assert "by the ids trust/game/1/member/step" in str(found.problems[0])


def test_a_json_list_is_read_too_and_its_rows_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "replies.json"
    path.write_text(json.dumps([{"id": "a", "response": "x"}, {"id": "b"}]), "utf-8")
    found = check_replies(path)
    assert str(found.problems[0]) == "replies.json: reply 2: no 'response', expected text"


def test_a_file_without_replies_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="the file is empty"):
        check_replies(_file(tmp_path, ""))
    with pytest.raises(FileFormatError, match=r"holds trials .* and no replies"):
        check_replies(_file(tmp_path, {"key": "a", "id": "a", "messages": []}, name="trials.jsonl"))
    said = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "DIAGNOSIS: x"}]
    assert check_replies(_file(tmp_path, {"id": "a", "messages": said})).counts["ok"] == 1
    with pytest.raises(FileFormatError, match="no such file"):
        check_replies(tmp_path / "nowhere.jsonl")


_replies = st.lists(
    st.tuples(st.text(min_size=1).filter(str.strip), st.text()), min_size=1, unique_by=lambda one: one[0]
)


@given(_replies)
def test_what_passes_the_check_is_read_by_the_readers_that_score(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("replies")
    path = _file(folder, *({"id": name, "response": text} for name, text in rows))
    assert check_replies(path).problems == ()
    assert len(read_session_replies(path).replies) == len(rows)


def test_what_fails_the_check_is_refused_by_the_reader_that_scores(tmp_path: Path) -> None:
    from concord.reasoning.read.replies import read_samples

    good = [{"id": "a", "mode": mode, "response": "x"} for mode in ("cot", "direct")]
    path = _file(tmp_path, {"id": "a", "mode": "cot", "response": 7}, *good)
    asked = read_samples([{"id": "a", "gold_answer": "x"}])
    assert check_replies(path).problems[0] in read_replies(path, asked, strict=False).problems
