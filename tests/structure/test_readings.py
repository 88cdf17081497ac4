"""What was read in replies about structure is beside the result: choices, verdicts, orders."""

import json
from pathlib import Path
from typing import Any

import pytest

from concord import api
from concord.asking.askable import Recorded
from concord.asking.asked.structure import answer_table
from concord.audit.items import open_folder
from concord.reading import read_readings
from concord.records import Provenance
from concord.structure.judging.design import pairs_file, read_pairs, result_of
from concord.structure.judging.result import JudgeResult
from concord.structure.options.result import OptionResult
from concord.structure.words.answers import answers_of

THINKING = "<think>Perhaps B after all?</think>\n"
SAID = [
    f"{THINKING}Comparing both of the answers at length, my verdict is [[A]]",
    "I really cannot say which of them it is.",
]


def test_verdicts_that_are_replies_are_stored_with_their_seat(tmp_path: Path) -> None:
    rows = [
        {"pair": f"p{i}", "order": order, "verdict": SAID[i % 2]} for i in range(8) for order in ("ab", "ba")
    ]
    found = api.score_judge(rows, judge="j")
    assert len(found.readings) == 16
    first, unread = found.readings[0], found.readings[2]
    assert (first.trial, first.reading, first.outcome, first.how) == ("p0/ab/0", "first", "ok", "structured")
    assert first.place is not None and SAID[0][slice(*first.place)] == "A"
    assert (unread.trial, unread.reading, unread.outcome) == ("p1/ab/0", "", "unreadable")
    found.write(tmp_path)
    assert read_readings(tmp_path) == JudgeResult.read(tmp_path).readings == found.readings
    assert "readings" not in json.loads((tmp_path / "judge.json").read_text("utf-8"))


def test_verdicts_that_are_codes_have_no_readings(tmp_path: Path) -> None:
    rows = [{"pair": f"p{i}", "order": order, "verdict": "first"} for i in range(8) for order in ("ab", "ba")]
    found = api.score_judge(rows, judge="j")
    assert found.readings == ()
    assert "readings.csv" not in {path.name for path in found.write(tmp_path)}


def test_several_judges_of_one_pair_are_told_apart() -> None:
    rows = [
        {"pair": "p0", "order": "ab", "verdict": SAID[0], "judge": judge}
        for judge in ("x", "y")
        for _ in range(2)
    ]
    names = [row.trial for row in api.score_judge(rows).readings]
    assert names == ["x: p0/ab/0", "x: p0/ab/1", "y: p0/ab/0", "y: p0/ab/1"]


def test_replies_of_a_judge_that_was_asked_are_stored() -> None:
    pairs = read_pairs("judge-pairs-en")[:2]
    rows = [
        {"id": pair.id, "mode": order, "repeat": 0, "response": text, "outcome": "ok"}
        for pair in pairs
        for order, text in (("ab", f"{THINKING}1"), ("ba", "Neither can be chosen by me"))
    ]
    found = result_of({"pairs.json": pairs_file(pairs)}, rows, model="m", source="s")
    assert [(row.reading, row.how) for row in found.readings][:1] == [("first", "bare")]
    assert {row.trial for row in found.readings} == {
        f"{pair.id}/{order}/0" for pair in pairs for order in ("ab", "ba")
    }


def test_choices_that_are_replies_are_stored_and_codes_are_not(tmp_path: Path) -> None:
    texts = [
        f"{THINKING}The answer is A, since that is what it says here.",
        "B",
        "I do not know at all, I am afraid.",
    ]
    rows = [
        {"item": f"q{i}", "arrangement": order, "response": texts[i % 3], "right": "A", "n_options": 3}
        for i in range(6)
        for order in ("ABC", "BCA")
    ]
    found = api.score_options(rows, model="m")
    assert [row.reading for row in found.readings[::2]] == ["A", "B", "", "A", "B", ""]
    assert found.readings[0].trial == "q0/ABC/0"
    found.write(tmp_path)
    assert OptionResult.read(tmp_path).readings == found.readings
    audited = open_folder(tmp_path)
    assert audited.kind.question == "structure"
    assert [(item.group, item.unit, item.right) for item in audited.items][:3] == [
        ("ABC", "q0", True),
        ("BCA", "q0", True),
        ("ABC", "q1", False),
    ]
    codes = [{**row, "response": "A"} for row in rows]
    assert api.score_options(codes, model="m").readings == ()


def _recorded(texts: dict[tuple[str, int], str], scorer: str = "choice") -> Recorded:
    items: dict[str, Any] = {"id": "q", "question": "Which?", "options": ["red", "blue"], "answer": "red"}
    rows = tuple(
        {"key": f"{order}{k}", "id": "q", "mode": order, "repeat": k, "outcome": "ok", "response": text}
        for (order, k), text in texts.items()
    )
    files = {"items.json": json.dumps({"items": [items]}).encode()}
    options = {"scorer": scorer, "arranger": "options", "items": "mine"}
    return Recorded("here", "structure", "m", rows, rows, 0, files, options, Provenance())


def test_choices_of_a_run_are_stored_by_trial_with_the_option_behind_a_letter() -> None:
    found = _recorded({("AB", 0): f"{THINKING}A", ("BA", 0): "ANSWER: A", ("BA", 1): "Hm.", ("AB", 1): "red"})
    answers = answers_of(
        found.files["items.json"], found.options, found.rows, planned=found.planned, model="m"
    )
    assert [(row.trial, row.reading, row.outcome, row.how) for row in answers.readings] == [
        ("q/AB/0", "A: red", "ok", "bare"),
        ("q/BA/0", "A: blue", "ok", "marked"),
        ("q/BA/1", "", "unreadable", ""),
        ("q/AB/1", "A: red", "ok", "bare"),
    ]
    columns, rows = answer_table(found).tables["readings.csv"]
    assert columns[0] == "trial" and len(list(rows)) == 4


@pytest.mark.parametrize("scorer", ["chrf2"])
def test_texts_that_are_compared_as_a_whole_have_no_readings(scorer: str) -> None:
    found = _recorded({("AB", 0): "red", ("BA", 0): "blue"}, scorer)
    items = found.files["items.json"].replace(b'"answer": "red"', b'"answer": "red", "reference": "red"')
    answers = answers_of(items, found.options, found.rows, planned=found.planned, model="m")
    assert answers.readings == ()
