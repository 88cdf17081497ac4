"""Marks and statements of ten languages in every dress; sentences that hold no answer: none is misread."""

import json
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from concord import read_reply

FORMS = json.loads((Path(__file__).parent / "forms.json").read_text("utf-8"))
LANGUAGES = tuple(FORMS["marks"])
ASKED: dict[str, dict[str, Any]] = {
    "number": {"number": (0, 600)},
    "likert": {"likert": (1, 7)},
    "labels": {"labels": ["Panic disorder", "Major depressive disorder", "Asthma"]},
    "ranking": {"ranking": ["Honesty", "Loyalty", "Freedom"]},
}
BEFORE = "Both have their merits. A is cheap, B lasts longer.\n\n"


def _asked(kind: str, language: str) -> dict[str, Any]:
    return {"choices": FORMS["options"][language]} if kind == "choices" else ASKED[kind]


def _unread(language: str, dresses: list[str], mark: str) -> list[str]:
    replies = [dress.format(m=mark, v="B") for dress in dresses]
    asked = _asked("choices", language)
    return [reply for reply in replies if read_reply(f"{BEFORE}{reply}", **asked).value != "B"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mark_is_read_in_every_dress(language: str) -> None:
    marks, dresses = FORMS["marks"][language], FORMS["dresses"]
    shown = zip(marks, cycle(range(len(dresses))), strict=False)
    found = [reply for mark, i in shown for reply in _unread(language, [dresses[i]], mark)]
    assert found + _unread(language, dresses, marks[0]) == []


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mark_is_read_in_every_dress(language: str) -> None:
    marks = FORMS["marks"][language]
    assert [reply for mark in marks for reply in _unread(language, FORMS["dresses"], mark)] == []


@pytest.mark.parametrize("kind", sorted(FORMS["statements"]))
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_in_the_first_person_is_read(kind: str, language: str) -> None:
    said, value = {"choices": ("B", "B"), "number": (FORMS["minutes"][language], 90.0), "likert": ("5", 5.0)}[
        kind
    ]
    replies = [one.format(v=said) for one in FORMS["statements"][kind][language]]
    wrong = {reply: read_reply(reply, **_asked(kind, language)).value for reply in replies}
    assert {reply: found for reply, found in wrong.items() if found != value} == {}


@pytest.mark.parametrize(
    ("kind", "language"), [(kind, one) for kind in sorted(FORMS["none"]) for one in FORMS["none"][kind]]
)
def test_reports_conditions_questions_and_descriptions_are_no_answers(kind: str, language: str) -> None:
    replies = [f"{before}{one}" for one in FORMS["none"][kind][language] for before in ("", BEFORE)]
    found = {reply: read_reply(reply, **_asked(kind, language)) for reply in replies}
    assert {reply: one.value for reply, one in found.items() if one.ok} == {}
