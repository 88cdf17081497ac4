"""Replies of participants with their true readings, in six languages: doubt is never read as an answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from concord.people.studies.format import Item
from concord.people.studies.replies import ItemAnswer, read_answers
from concord.reading import ReadOutcome

_ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "people_replies.jsonl").read_text("utf-8").splitlines()
]
_ITEM: TypeAdapter[Item] = TypeAdapter(Item)


def _reading(row: dict[str, Any]) -> tuple[str, Any]:
    """Read one reply as the set writes readings: outcome and value."""
    item = _ITEM.validate_python(row["spec"])
    (answer,) = read_answers(row["reply"], [("x", item, row.get("order") or [])])
    if row["kind"] in ("choice", "number", "likert"):
        return str(answer.outcome), answer.values.get("x")
    return str(answer.outcome), {key.removeprefix("x_"): value for key, value in answer.values.items()}


def _allowed(row: dict[str, Any]) -> list[tuple[str, Any]]:
    readings = [row, *(row.get("accept") or [])]
    return [(one["outcome"], one["value"]) for one in readings]


def _fits(row: dict[str, Any]) -> bool:
    """Whether a reading is right; of a doubt it does not matter whether it is called several."""
    outcome, value = _reading(row)
    known = outcome.replace("several", "unreadable")
    allowed = [(wanted.replace("several", "unreadable"), v) for wanted, v in _allowed(row)]
    return any(known == wanted and (outcome != "ok" or value == v) for wanted, v in allowed)


def test_the_set_is_read_as_it_should_be() -> None:
    wrong = [(row["id"], row["reply"], _reading(row)) for row in _ROWS if not _fits(row)]
    assert len(_ROWS) == 619
    assert len(wrong) <= 0.01 * len(_ROWS), wrong


def test_no_reply_is_read_as_something_that_it_does_not_say() -> None:
    read = [(row["id"], row["reply"], _reading(row)) for row in _ROWS if not _fits(row)]
    assert [one for one in read if one[2][0] == "ok"] == []


def test_a_statement_decides_although_its_reason_names_another_option() -> None:
    item = _ITEM.validate_python({"type": "choice", "options": {"sure": "sure", "risky": "risky"}})
    (answer,) = read_answers("I would choose option A because B is risky", [("x", item, ["sure", "risky"])])
    assert dict(answer.values) == {"x": "sure"}


_STEPS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "people_items.jsonl").read_text("utf-8").splitlines()
]


def _said(answer: ItemAnswer) -> object:
    values = dict(answer.values)
    if not values:
        return str(answer.outcome)
    return values["x"] if "x" in values else {key.removeprefix("x_"): value for key, value in values.items()}


def test_games_words_and_several_items_are_read_as_a_person_reads_them() -> None:
    wrong = []
    for row in _STEPS:
        items = [_ITEM.validate_python(spec) for spec in row["items"]]
        asked = [("x", item, list(getattr(item, "options", ()))) for item in items]
        found = [_said(answer) for answer in read_answers(row["reply"], asked)]
        also = row.get("accept") or [[] for _ in items]
        right = [
            one == wanted or one in others
            for one, wanted, others in zip(found, row["expected"], also, strict=True)
        ]
        wrong += [] if all(right) else [(row["reply"], found)]
    assert len(_STEPS) == 125
    assert wrong == []


@pytest.mark.parametrize("end", ["Answer: B", "So I choose B."])
def test_what_a_long_reply_says_at_its_end_counts(end: str) -> None:
    item = _ITEM.validate_python({"type": "choice", "options": {"gain": "gain", "loss": "loss"}})
    (answer,) = read_answers("Well. " * 5000 + end, [("x", item, ["gain", "loss"])])
    assert (answer.outcome, dict(answer.values)) == (ReadOutcome.OK, {"x": "loss"})


def test_a_reply_beyond_all_measure_is_unreadable_and_not_cut() -> None:
    item = _ITEM.validate_python({"type": "choice", "options": {"gain": "gain", "loss": "loss"}})
    (answer,) = read_answers("A" + " " * 1_000_001, [("x", item, ["gain", "loss"])])
    assert answer.outcome is ReadOutcome.UNREADABLE
