"""One reader of replies: what is an answer, how it was found, where it is, and what is none."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.errors import OptionError
from concord.reading import Reading, ReadOutcome, read_reply

AB = {"A": "stay at home", "B": "go to the party"}
LISTED = [
    json.loads(line) for line in (Path(__file__).parent / "replies.jsonl").read_text("utf-8").splitlines()
]
"""Replies with what was asked and what a careful person reads; hard ones may stay unread, never misread."""
NONE = ("no answer", "unreadable")


def _asked(asked: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what the reader is asked, and the name of each letter."""
    kind, options = asked["type"], asked.get("options", {})
    letters = dict(zip("ABCDEFGH", options, strict=False))
    words = {
        letter: name if isinstance(options, list) else (options[name], name)
        for letter, name in letters.items()
    }
    if kind in ("choice", "ranking"):
        return {"choices" if kind == "choice" else "ranking": words}, letters
    if kind == "likert":
        return {"likert": (asked["min"], asked["max"])}, {}
    if kind == "allocation":
        return {"split": (asked["total"], asked["to"])}, {}
    return {"number": (asked.get("min"), asked.get("max")), "whole": asked.get("whole", False)}, {}


def _named(reading: Reading, letters: dict[str, str]) -> object:
    if isinstance(reading.value, tuple):
        return {letters[letter]: i for i, letter in enumerate(reading.value, 1)}
    return letters.get(reading.value, reading.value) if isinstance(reading.value, str) else reading.value


def _is_right(reading: Reading, expected: object, letters: dict[str, str]) -> bool:
    if expected in NONE:
        return not reading.ok
    if not reading.ok:
        return str(reading.outcome) == expected
    found = _named(reading, letters)
    return found == (float(str(expected)) if isinstance(found, float) else expected)


def test_no_listed_reply_is_misread_and_few_are_left_unread() -> None:
    wrong, unread = [], 0
    for row in LISTED:
        kinds, letters = _asked(row["asked"])
        reading = read_reply(row["reply"], **kinds)
        if not _is_right(reading, row["expected"], letters):
            unread += not reading.ok
            wrong += [row["reply"]] if reading.ok else []
    assert wrong == []
    assert unread <= 9, "sentences that need arithmetic or a guess"


THOUGHTS = [
    "<think>B is better.</think>A",
    "<thinking>\nI choose B.\n</thinking>\n\nA",
    "<reasoning>Answer: B</reasoning> A",
    "<thought>B</thought>\nA",
    "<scratchpad>The answer is B</scratchpad>A",
    "<seed:think>B</seed:think>A",
    "[THINK]At first the answer is B.[/THINK]\nA",
    "◁think▷B◁/think▷A",
    "So it must be B.</think>\nA",
    "<|channel|>analysis<|message|>ANSWER: B<|end|><|start|>assistant<|channel|>final<|message|>A<|return|>",
    "analysisThe answer is B.assistantfinalA",
    "<think>B <answer>A</answer>",
]


@pytest.mark.parametrize("reply", THOUGHTS)
def test_what_was_thought_is_no_answer(reply: str) -> None:
    assert read_reply(reply, choices=AB).value == "A"


@pytest.mark.parametrize("reply", ["<think>A", "[THINK] The answer is A", "<|channel|>analysis<|message|>A"])
def test_a_reply_that_ends_in_thought_is_truncated(reply: str) -> None:
    assert read_reply(reply, choices=AB).outcome is ReadOutcome.TRUNCATED


@pytest.mark.parametrize(
    "reply",
    [
        "The answer is not A.",
        "If I were braver I would choose B.",
        "Most people would choose A.",
        "My partner said B.",
        "Should I choose A?",
        "A: 10%, B: 90%",
        "Vitamin B deficiency aside, I have no idea.",
        "A friend of mine would know.",
        "Option B is wrong.",
    ],
)
def test_denied_supposed_and_reported_answers_are_none(reply: str) -> None:
    assert not read_reply(reply, choices=AB).ok


@pytest.mark.parametrize(
    "reply",
    ["As a 34-year-old, I have no idea.", "I need more about item 4.", "Out of 100, who knows?", "$40-$60"],
)
def test_the_only_number_is_no_answer(reply: str) -> None:
    assert not read_reply(reply, number=(0, 1000)).ok


@pytest.mark.parametrize(
    ("reply", "value", "other"),
    [
        ("Diagnosis: **Generalised anxiety disorder**", "GAD", False),
        ("The diagnosis is **Codependency**.", "Codependency", True),
        ("Primary diagnosis: depression, with features of GAD", "Depression", False),
    ],
)
def test_a_name_outside_the_list_is_an_answer(reply: str, value: str, other: bool) -> None:
    reading = read_reply(reply, labels=["Depression", ["GAD", "Generalised anxiety disorder"]])
    assert (reading.value, reading.outcome, reading.other) == (value, ReadOutcome.OK, other)


@pytest.mark.parametrize(
    ("reply", "how", "text"),
    [
        ("Let me see.\n\nANSWER: B", "marked", "B"),
        (
            '{"reasoning": "A is dull", "answer": "B"}',
            "structured",
            '{"reasoning": "A is dull", "answer": "B"}',
        ),
        ("Ｂ", "bare", "Ｂ"),
        ("🅱️", "bare", "🅱"),
    ],
)
def test_a_reading_says_how_and_where(reply: str, how: str, text: str) -> None:
    reading = read_reply(reply, choices=AB)
    assert reading.where is not None
    assert (reading.value, reading.how, reply[slice(*reading.where)]) == ("B", how, text)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("", "empty"),
        (None, "empty"),
        ("  \n", "empty"),
        ("I cannot answer that.", "refused"),
        ("A or B", "several"),
    ],
)
def test_what_is_no_answer_has_an_outcome(reply: str | None, outcome: str) -> None:
    assert str(read_reply(reply, choices=AB).outcome) == outcome


def test_a_rating_beyond_its_scale_is_out_of_range() -> None:
    assert read_reply("9", likert=(1, 7)).outcome is ReadOutcome.OUT_OF_RANGE
    assert read_reply("4.5", likert=(1, 7)).outcome is ReadOutcome.OUT_OF_RANGE
    assert read_reply("6 out of 7", likert=(1, 7)).value == 6.0


def test_one_thing_is_asked_at_a_time() -> None:
    with pytest.raises(OptionError, match="one of choices"):
        read_reply("A")
    assert concord.read_reply is read_reply


HOSTILE = [
    "DIAGNOSIS" + " \t" * 500,
    "the answer is " * 120,
    "<think>" * 200,
    "[[" * 400,
    '{"a":' * 300,
    "I would " * 200,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_long_replies_made_of_marks_are_read_or_not(text: str) -> None:
    for kinds in (
        {"choices": AB},
        {"number": (0, 9)},
        {"labels": ["x"]},
        {"ranking": ["x", "y"]},
        {"split": (9, ["x"])},
    ):
        assert isinstance(read_reply(text * 4, **kinds), Reading)


def _seconds(text: str, asked: dict[str, Any]) -> float:
    taken = []
    for _ in range(3):
        begin = time.thread_time()
        read_reply(text, **asked)
        taken.append(time.thread_time() - begin)
    return min(taken)


@pytest.mark.long
@pytest.mark.parametrize("part", ["DIAGNOSIS \t", "the answer is ", "A\n", "[[", '{"a":', "I would not "])
def test_time_grows_with_a_reply_and_no_faster(part: str) -> None:
    for asked in ({"choices": AB}, {"number": (0, 9)}, {"labels": ["x"]}):
        short, long = (_seconds(part * (n // len(part)), asked) for n in (30_000, 120_000))
        assert long < max(6 * short, 0.05)


def test_a_small_m_is_metres_unless_money_stands_before_it() -> None:
    read = {
        text: read_reply(text, number=(0, None)).value for text in ("828 m", "$5m", "$1.5 m", "5m", "1.2M")
    }
    assert read == {"828 m": 828.0, "$5m": 5e6, "$1.5 m": 1.5e6, "5m": None, "1.2M": 1.2e6}


@pytest.mark.parametrize(
    "reply",
    [
        "1 for accuracy, 2 for style.",
        "Answer 1 for accuracy, answer 2 for style",
        "I'd give 1 for accuracy and 2 for style.",
        "**1** for depth, **2** for brevity",
        "Note: 1 für den Inhalt, 2 für die Form",
    ],
)
def test_one_for_this_and_another_for_that_is_no_answer(reply: str) -> None:
    assert not read_reply(reply, choices={"1": "Answer 1", "2": "Answer 2"}).ok
    assert not read_reply(reply, likert=(1, 7)).ok
    assert read_reply("1 for accuracy.", choices={"1": "Answer 1", "2": "Answer 2"}).value == "1"


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *((name, False) for name in ("Trastorno de pánico", "Panikstörung", "Panikstoerung", "恐慌症")),
        *((name, False) for name in ("Trouble panique", "Depressione maggiore", "Paniekstoornis")),
        *((name, True) for name in ("Codependency", "Ménière's disease", "Burnout", "Schizophrenia")),
    ],
)
def test_a_name_in_another_language_than_the_list_is_unread_and_no_other_name(name: str, other: bool) -> None:
    found = read_reply(f"DIAGNOSIS: {name}", labels=["Panic Disorder", "Major Depressive Disorder"])
    assert (found.ok, found.other) == (other, other)
    assert read_reply(f"DIAGNOSIS: {name}", labels=[name, "No diagnosis"]).value == name


@pytest.mark.parametrize(
    ("reply", "unit", "expected"),
    [
        ("ANSWER: 215 miles", "km", None),
        ("ANSWER: 215 km", "km", 215.0),
        ("ANSWER: 215 kilometres", "km", 215.0),
        ("ANSWER: 215", "km", 215.0),
        ("215 miles", "km", None),
        ("215 miles", "", 215.0),
        ('{"answer": "215 miles"}', "km", None),
        ('{"answer": "215 km"}', "km", 215.0),
        ("ANSWER: 90 minutes", "hours", None),
        ("ANSWER: 1.5 hours", "hours", 1.5),
        ("ANSWER: 50 cents", "dollars", None),
        ("ANSWER: $5", "dollars", 5.0),
        ("ANSWER: €5", "dollars", None),
        ("ANSWER: EUR 5", "dollars", None),
        ("ANSWER: 5 points", "dollars", 5.0),
        ("ANSWER: 70 pounds", "kg", None),
        ("ANSWER: 70 pounds", "pounds", 70.0),
        ("ANSWER: 20 °C", "°F", None),
        ("ANSWER: 80 km/h", "mph", None),
        ("ANSWER: 40 people", "families", 40.0),
        ("It is 133 miles. ANSWER: 215 km", "km", 215.0),
    ],
)
def test_a_number_in_another_unit_than_the_declared_one_is_no_answer(
    reply: str, unit: str, expected: float | None
) -> None:
    found = read_reply(reply, number=(0, None), unit=unit)
    assert (found.value, found.outcome) == (expected, "unreadable" if expected is None else "ok")
