"""Replies to values: what is read, what is refused, what is counted."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concord.people.studies.format import Allocation, Choice, FreeText, Item, Likert, Number, Ranking
from concord.people.studies.replies import read_answers
from concord.reading import ReadOutcome

OPTIONS = {"sure": "200 people will be saved", "risky": "a one-in-three chance"}
CHOICE = Choice(type="choice", options=OPTIONS)
PERCENT = Number(type="number", min=0, max=100, unit="%")
SPLIT = Allocation(type="allocation", total=10, to={"me": "for you", "other": "for the other person"})
RANKS = Ranking(type="ranking", options={"apple": "apples", "pear": "pears", "plum": "plums"})


def _read(reply: str | None, item: Item, order: tuple[str, ...] = ()) -> tuple[str, object]:
    answer = read_answers(reply, [("x", item, order)])[0]
    values = dict(answer.values)
    return str(answer.outcome), values.get("x", values) if values else None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("A", "sure"),
        ("b", "risky"),
        ("(B)", "risky"),
        ("**A**", "sure"),
        ("A) 200 people will be saved", "sure"),
        ("Answer: B", "risky"),
        ("My answer is A.", "sure"),
        ("Programme B", "risky"),
        ("200 people will be saved", "sure"),
        ("I'd go with the sure one", "sure"),
        ("risky", "risky"),
    ],
)
def test_a_choice_is_read_from_its_letter_or_its_words(reply: str, expected: str) -> None:
    assert _read(reply, CHOICE, ("sure", "risky")) == ("ok", expected)


def test_letters_follow_the_order_the_participant_saw() -> None:
    assert _read("A", CHOICE, ("risky", "sure")) == ("ok", "risky")


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("A and B are both bad", "several"),
        ("A number of people", "unreadable"),
        ("A) or B)", "several"),
        ("C", "unreadable"),
        ("not the sure one", "unreadable"),
        ("As an AI, I do not have personal preferences.", "refused"),
        ("I'm sorry, but I can’t help with that", "refused"),
        ("   ", "empty"),
        (None, "missing"),
    ],
)
def test_what_is_no_choice_is_an_outcome(reply: str | None, outcome: str) -> None:
    assert _read(reply, CHOICE, ("sure", "risky")) == (outcome, None)


@pytest.mark.parametrize(
    ("reply", "outcome", "value"),
    [
        ("50", "ok", 50.0),
        ("About 33.5%", "ok", 33.5),
        ("$40", "ok", 40.0),
        ("seven", "ok", 7.0),
        ("I think 3 of 9, so my answer is 60.", "ok", 60.0),
        ("12\nbecause 3 of 25 do", "ok", 12.0),
        ("−5", "out of range", None),
        ("1,000", "out of range", None),
        ("2 million", "out of range", None),
        ("12,5", "ok", 12.5),
        ("between 10 and 20", "unreadable", None),
        ("10-20", "several", None),
        ("many", "unreadable", None),
        ("I cannot say", "refused", None),
    ],
)
def test_a_number_has_a_range_and_stands_alone(reply: str, outcome: str, value: float | None) -> None:
    assert _read(reply, PERCENT) == (outcome, value)


def test_scales_and_whole_numbers() -> None:
    likert = Likert(type="likert", max=7, low="low", high="high")
    assert _read("6", likert) == ("ok", 6.0)
    assert _read("6.5", likert) == ("out of range", None)
    assert _read("0", likert) == ("out of range", None)
    assert _read("2.5", Number(type="number", whole=True)) == ("out of range", None)
    assert _read("3 million", Number(type="number", min=0)) == ("ok", 3e6)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("me: 6, other: 4", "ok"),
        ("other: $4.00\nme: $6.00", "ok"),
        ("for you: 6; for the other person: 4", "ok"),
        ("me: 6, other: 5", "out of range"),
        ("me: 6", "unreadable"),
        ("I give four", "unreadable"),
    ],
)
def test_a_split_must_add_up(reply: str, outcome: str) -> None:
    values = {"x_me": 6.0, "x_other": 4.0} if outcome == "ok" else None
    assert _read(reply, SPLIT) == (outcome, values)


def test_a_ranking_names_every_option_once() -> None:
    order = ("apple", "pear", "plum")
    ranks = {"x_pear": 1.0, "x_apple": 2.0, "x_plum": 3.0}
    assert _read("B, A, C", RANKS, order) == ("ok", ranks)
    assert _read("1. pears\n2. apples\n3. plums", RANKS, order) == ("ok", ranks)
    assert _read("B, A", RANKS, order) == ("unreadable", None)
    assert _read("B, B, A", RANKS, order) == ("unreadable", None)


def test_free_text_is_coded_by_its_words() -> None:
    item = FreeText(type="text", codes={"warm": ["warm", "kind hearted"], "cold": ["cold"]})
    assert _read("A kind-hearted person", item) == ("ok", {"x_warm": 1.0, "x_cold": 0.0})


def test_several_items_are_read_by_their_numbers() -> None:
    items: list[tuple[str, Item, tuple[str, ...]]] = [("a", PERCENT, ()), ("b", CHOICE, ("sure", "risky"))]
    read = [answer.values for answer in read_answers("1. 50\n2) B", items)]
    assert read == [{"a": 50.0}, {"b": "risky"}]
    assert [answer.values for answer in read_answers("50\nB", items)] == read
    assert [str(answer.outcome) for answer in read_answers("2. B", items)] == ["unreadable", "ok"]


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_reply_breaks_the_reading(reply: str) -> None:
    for item, order in (
        (CHOICE, ("sure", "risky")),
        (PERCENT, ()),
        (SPLIT, ()),
        (RANKS, tuple(RANKS.options)),
    ):
        answer = read_answers(reply, [("x", item, order)])[0]
        assert (answer.outcome is ReadOutcome.OK) == bool(answer.values)


@settings(deadline=None)
@given(st.floats(0, 100).map(lambda x: round(x, 3)))
def test_a_written_number_is_read_back(value: float) -> None:
    assert _read(f"{value:.3f}", PERCENT) == ("ok", value)
