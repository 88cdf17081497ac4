"""A second reader is asked of what the rules leave, and believed where the reply can be quoted."""

import pytest

from concord.reading import ReadOutcome, read_reply
from concord.reading.second import (
    SaidAnswer,
    SecondReader,
    place_of_quote,
    rules_alone,
    said_answer,
    second_reader,
)
from concord.reading.several import read_replies

UNSURE = "Honestly, going home early sounds like me."
CHOICES = {"A": "stay", "B": "leave early"}
LEAVES = SaidAnswer(ReadOutcome.OK, "B", "going home early")


def _key(text: str, **asked: object) -> str:
    with second_reader(SecondReader()) as reader:
        read_reply(text, **asked)  # type: ignore[arg-type]
    (key,) = reader.met
    return key


def test_what_the_rules_leave_is_met_with_what_was_asked() -> None:
    with second_reader(SecondReader()) as reader:
        assert read_reply(f"<think>A?</think>\n{UNSURE}", choices=CHOICES).outcome is ReadOutcome.UNREADABLE
        assert read_reply("", choices=CHOICES).outcome is ReadOutcome.EMPTY
        assert read_reply("B", choices=CHOICES).value == "B"
    first, second = reader.met.values()
    assert (first.text, first.reading.outcome) == (UNSURE, ReadOutcome.UNREADABLE)
    assert first.asked == "the letter or name of one of these options:\nA: stay\nB: leave early"
    assert second.reading.value == "B"


def test_what_is_read_a_second_time_as_something_else_is_not_met() -> None:
    with second_reader(SecondReader()) as reader:
        with rules_alone():
            read_reply(UNSURE, labels=["home"])
        read_reply(UNSURE, choices=CHOICES)
    assert len(reader.met) == 1


def test_an_answer_counts_with_its_place_and_only_inside() -> None:
    key = _key(UNSURE, choices=CHOICES)
    with second_reader(SecondReader({key: LEAVES})):
        found = read_reply(UNSURE, choices=CHOICES)
    assert (found.value, found.outcome, found.how) == ("B", ReadOutcome.OK, "model")
    assert found.where is not None and UNSURE[slice(*found.where)] == "going home early"
    assert not read_reply(UNSURE, choices=CHOICES).ok


@pytest.mark.parametrize(
    "said",
    [
        SaidAnswer(ReadOutcome.OK, "B", "leaving at once"),
        SaidAnswer(ReadOutcome.OK, "C", "going home early"),
        SaidAnswer(ReadOutcome.OK, ["B"], "going home early"),
    ],
)
def test_an_answer_without_its_quote_or_outside_the_options_is_none(said: SaidAnswer) -> None:
    with second_reader(SecondReader({_key(UNSURE, choices=CHOICES): said})):
        assert read_reply(UNSURE, choices=CHOICES).outcome is ReadOutcome.UNREADABLE


def test_numbers_beyond_their_range_are_out_of_range() -> None:
    text, said = "Ten times the scale!", SaidAnswer(ReadOutcome.OK, 70, "Ten times")
    with second_reader(SecondReader({_key(text, likert=(1, 7)): said})):
        assert read_reply(text, likert=(1, 7)).outcome is ReadOutcome.OUT_OF_RANGE


def test_the_rules_are_overruled_only_where_everything_is_left_to_it() -> None:
    text = "ANSWER: A. No, B."
    said = {_key(text, choices=CHOICES): SaidAnswer(ReadOutcome.REFUSED)}
    rules = read_reply(text, choices=CHOICES)
    with second_reader(SecondReader(said)):
        if rules.ok:
            assert read_reply(text, choices=CHOICES) == rules
    with second_reader(SecondReader(said, everything=True)):
        assert read_reply(text, choices=CHOICES).outcome is ReadOutcome.REFUSED


def test_an_item_that_a_reply_of_several_does_not_name_is_asked_by_its_name() -> None:
    items: dict[str, dict[str, object]] = {"mood": {"likert": (1, 7)}, "choice": {"choices": CHOICES}}
    with second_reader(SecondReader()) as reader:
        read_replies("mood: 6. And I go home early.", items)
    asked = [one.asked for one in reader.met.values() if not one.reading.ok]
    assert asked and all("'choice'" in words or "'mood'" in words for words in asked)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"status": "ok", "answer": "B", "quote": "x"}', SaidAnswer(ReadOutcome.OK, "B", "x")),
        ('```json\n{"status": "ok", "answer": 4, "quote": "x"}\n```', SaidAnswer(ReadOutcome.OK, 4, "x")),
        ('{"status": "several", "answer": null, "quote": ""}', SaidAnswer(ReadOutcome.SEVERAL)),
        ('{"status": "ok", "answer": "B"}', None),
        ('{"status": "ok", "answer": null, "quote": "x"}', None),
        ('{"status": "sure", "answer": "B", "quote": "x"}', None),
        ("B", None),
        ("{" * 5000, None),
        ('{"status": ' + "[" * 5000 + "}", None),
    ],
)
def test_a_second_reader_must_answer_in_its_form(text: str, expected: SaidAnswer | None) -> None:
    assert said_answer(text) == expected


def test_a_quote_is_found_whatever_its_case_and_end() -> None:
    assert place_of_quote("I Go Home.", "go home…") == (2, 9)
    assert place_of_quote("I go home.", "stay") is None
    assert place_of_quote("I go home.", "…") is None
