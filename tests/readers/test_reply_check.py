"""Reply files and vignettes checked on their own: every fault with its line, exit 1; unreadable, exit 2."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import concord
from concord import api
from concord.cli.app import app
from concord.errors import FileFormatError, OptionError


def _replies(folder: Path, *rows: object) -> Path:
    path = folder / "replies.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n")
    return path


def _row(name: str, mode: str | None = None, **more: object) -> dict[str, object]:
    return {"id": name, "response": "x", **({} if mode is None else {"mode": mode}), **more}


def test_replies_in_both_modes_and_to_bias_cases_pass(tmp_path: Path) -> None:
    rows = [_row("1", "cot"), _row("1", "direct"), _row("b", "bias"), _row("2", "cot", error="e")]
    path = _replies(tmp_path, *rows, _row("2", "direct", repeat=1))
    found = api.check(path)
    assert (found.passed, found.kind) == (True, "replies")
    assert found.counts == {
        "replies": 5, "ids": 3, "failed calls": 1, "in mode cot": 2, "in mode direct": 2
    }  # fmt: skip


def test_replies_without_modes_pass(tmp_path: Path) -> None:
    assert api.check(_replies(tmp_path, _row("1"), _row("2"))).counts["replies"] == 2


def test_every_fault_is_named_with_its_line(tmp_path: Path) -> None:
    path = _replies(
        tmp_path,
        _row("1", "cot"),
        "{broken",
        _row("1", "cot"),
        {"id": "3", "mode": "cot", "response": 5},
        _row("4", "loud"),
        ["no", "object"],
    )
    assert [problem.partition(": ")[0] for problem in api.check(path).problems] == [
        *("replies.jsonl, line 1", "replies.jsonl, line 2", "replies.jsonl, line 3"),
        *("replies.jsonl, line 4", "replies.jsonl, line 5", "replies.jsonl, line 6"),
    ]
    shown = CliRunner().invoke(app, ["check", str(path)])
    assert shown.exit_code == 1
    assert "id '1' has only the mode 'cot', expected a reply in mode 'direct' too" in shown.stdout
    assert "line 2: not JSON" in shown.stdout
    assert "6 to mend" in shown.stdout


def test_vignettes_and_bias_cases_are_checked_too(tmp_path: Path) -> None:
    samples = tmp_path / "study_a_test.json"
    samples.write_text(json.dumps({"samples": [{"id": "1", "gold_answer": "PTSD", "gold_reasoning": []}]}))
    assert api.check(samples).counts == {"vignettes": 1}
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps({"cases": [{"id": "1", "bias_feature": "woman"}]}))
    found = api.check(cases)
    assert (found.kind, found.passed) == ("bias cases", False)
    assert "'bias_label'" in found.problems[0]


def test_what_cannot_be_read_at_all_is_an_error(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    with pytest.raises(FileFormatError, match=r"empty\.jsonl"):
        api.check(empty)
    with pytest.raises(FileFormatError, match="no such file"):
        api.check(tmp_path / "none.jsonl")
    with pytest.raises(OptionError, match="only XLSX files have sheets"):
        api.check(_replies(tmp_path, _row("1")), sheet="S")


def test_a_table_of_tests_in_json_is_still_a_table(tmp_path: Path) -> None:
    row = {"study": "S", "finding": "F", "test": "t", "test_type": "p-value", "human_p_value": 0.01}
    path = tmp_path / "tests.json"
    path.write_text(json.dumps([row]))
    assert api.check(path).kind == "table of tests"
    assert concord.score_people(path, n_resamples=0, n_simulations=0).pas.value is None
