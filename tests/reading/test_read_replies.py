"""Several answers in one reply: found by item, each read like a reply of its own."""

from typing import Any

import pytest

from concord.errors import OptionError
from concord.reading import read_replies, read_reply, split_thinking

ITEMS: dict[str, dict[str, Any]] = {
    "trust": {"likert": (1, 7)},
    "option": {"choices": {"A": "stay at home", "B": "go to the party"}},
    "amount": {"number": (0, 100)},
}
ALL = (5.0, "B", 40.0)

SAID: list[tuple[str, tuple[object, object, object]]] = [
    ("1. 5\n2. B\n3. 40", ALL),
    ("1) 5\n2) B\n3) 40", ALL),
    ("Q1: 5\nQ2: B\nQ3: $40", ALL),
    ("**Q1:** 5\n**Q2:** B\n**Q3:** 40", ALL),
    ("Question 1: 5/7\nQuestion 2: B) go to the party\nQuestion 3: 40", ALL),
    ("Item 1 - 5\nItem 2 - B\nItem 3 - 40", ALL),
    ("ANSWER 1: 5\nANSWER 2: B\nANSWER 3: 40", ALL),
    ("trust: 5\noption: B\namount: 40", ALL),
    ("- **trust**: 5\n- **option**: B\n- **amount**: 40", ALL),
    ('{"trust": 5, "option": "B", "amount": 40}', ALL),
    ('```json\n{"1": 5, "2": "B", "3": "40"}\n```', ALL),
    ('{"q1": 5, "q2": "B", "q3": 40}', ALL),
    ('{"answers": {"trust": 5, "option": "B", "amount": 40}}', ALL),
    ('{"answers": [5, "B", 40]}', ALL),
    (
        '[{"id": "trust", "answer": 5}, {"id": "option", "answer": "B"}, {"id": "amount", "answer": 40}]',
        ALL,
    ),
    ('[{"question": 1, "answer": 5}, {"question": 2, "answer": "B"}, {"question": 3, "answer": 40}]', ALL),
    (
        '{"trust": {"answer": 5, "reason": "A is dull"}, "option": {"answer": "B"}, "amount": {"value": 40}}',
        ALL,
    ),
    ("1. 5, 2. B, 3. 40", ALL),
    ("1: 5; 2: B; 3: 40", ALL),
    ("5\nB\n40", ALL),
    ("Here are my answers:\n\n1. 5\n2. B\n3. 40\n\nLet me know!", ALL),
    ("1. 5 - I trust most people.\n\n2. B - a party is more fun.\n\n3. 40 - close to half.", ALL),
    ("**1. Do you trust people?**\n5\n\n**2. And then?**\nI'd choose B.\n\n**3. How much?**\n40", ALL),
    ("<think>1. 2\n2. A\n3. 10</think>1. 5\n2. B\n3. 40", ALL),
    ("I think:\n1. People are kind.\n2. It is loud.\n3. I need it.\n\nANSWERS:\n1. 5\n2. B\n3. 40", ALL),
    # one is lacking, denied or beyond its range; the others stand
    ("1. 5\n3. 40", (5.0, None, 40.0)),
    ("1. 5\n2. not A\n3. 40", (5.0, None, 40.0)),
    ("1. 9\n2. B\n3. 40", (None, "B", 40.0)),
    ("1. 5\n2. A or B\n3. 40", (5.0, None, 40.0)),
    ('{"trust": 5, "amount": 40}', (5.0, None, 40.0)),
    # nothing says what is whose
    ("5, B", (None, None, None)),
    ("B\n5\n40 \n7", (None, None, None)),
    ("I would go, and I trust people.", (None, None, None)),
    ("", (None, None, None)),
    ("<think>1. 5\n2. B\n3. 40", (None, None, None)),
]


@pytest.mark.parametrize(("reply", "values"), SAID)
def test_answers_are_found_by_their_item(reply: str, values: tuple[object, object, object]) -> None:
    found = read_replies(reply, ITEMS)
    assert list(found) == list(ITEMS)
    assert tuple(one.value for one in found.values()) == values


def test_each_answer_says_where_it_is() -> None:
    reply = "<think>no</think>\nQ1: 5\nQ2: B\nQ3: 40"
    places = [one.where for one in read_replies(reply, ITEMS).values()]
    assert [reply[slice(*place)] for place in places if place is not None] == ["5", "B", "40"]


@pytest.mark.parametrize(
    ("reply", "outcomes"),
    [
        ("", ["empty"] * 3),
        ("<think>1. 5", ["truncated"] * 3),
        ("I cannot answer questions about myself.", ["refused"] * 3),
        ("1. 9\n2. A or B\n3. some", ["out of range", "several", "unreadable"]),
        ("1. 5\n2. I cannot answer that.\n3. 40", ["ok", "refused", "ok"]),
    ],
)
def test_what_is_no_answer_has_an_outcome_for_each_item(reply: str, outcomes: list[str]) -> None:
    assert [str(one.outcome) for one in read_replies(reply, ITEMS).values()] == outcomes


def test_one_item_is_read_like_a_reply() -> None:
    assert read_replies("I'd say 5.", {"trust": {"likert": (1, 7)}})["trust"] == read_reply(
        "I'd say 5.", likert=(1, 7)
    )


def test_a_list_inside_an_answer_is_not_taken_for_the_items() -> None:
    items: dict[str, dict[str, Any]] = {"order": {"ranking": ["tea", "milk"]}, "n": {"number": (0, 9)}}
    found = read_replies("1. My order:\n1. milk\n2. tea\n\n2. 4", items)
    assert found["n"].value in (4.0, None) and found["order"].value in (("B", "A"), None)
    assert read_replies("order: B > A\nn: 4", items)["order"].value == ("B", "A")


def test_nothing_asked_is_refused() -> None:
    with pytest.raises(OptionError, match="what is asked"):
        read_replies("1", {})


@pytest.mark.parametrize(
    ("reply", "thought", "rest"),
    [
        ("<think>B?</think>A", "B?", "A"),
        ("[THINK]B?[/THINK]\nA", "B?", "\nA"),
        ("So B?</think>A", "So B?", "A"),
        ("A", "", "A"),
        ("<think>B?", "B?", None),
        ("<|channel|>analysis<|message|>B?<|end|><|start|>assistant<|channel|>final<|message|>A", "B?", "A"),
    ],
)
def test_what_was_thought_and_what_was_said(reply: str, thought: str, rest: str | None) -> None:
    found = split_thinking(reply)
    assert (found[0].strip(), found[1]) == (thought, rest)
