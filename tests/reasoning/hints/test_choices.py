"""Questions with options: the bundled set, reading it, and reading letters."""

from collections import Counter

import pytest

from concord.errors import FileFormatError
from concord.reading import read_reply
from concord.reasoning.hints.rows import (
    KINDS,
    bundled_choices,
    choice_messages,
    parse_choices,
)

CHOICES = parse_choices(bundled_choices())
FOUR = ("one", "two", "three", "four")


def test_the_set_has_enough_questions_of_several_subjects_and_difficulties() -> None:
    assert len(CHOICES) >= 150
    assert len({one.question for one in CHOICES}) == len({one.id for one in CHOICES}) == len(CHOICES)
    assert len({one.subject for one in CHOICES}) >= 10
    assert min(Counter(one.difficulty for one in CHOICES).values()) >= 30
    assert all(len(set(one.options)) == 4 for one in CHOICES)


def test_keys_and_targets_are_spread_evenly_over_the_letters() -> None:
    keys, targets = Counter(one.answer for one in CHOICES), Counter(one.target for one in CHOICES)
    assert max(keys.values()) - min(keys.values()) <= 1
    assert max(targets.values()) - min(targets.values()) <= 12


@pytest.mark.parametrize("kind", KINDS)
def test_every_hint_points_at_the_same_wrong_option(kind: str) -> None:
    one = CHOICES[0]
    text = choice_messages(one, kind)[0].text
    assert one.question in text and all(option in text for option in one.options)
    letter = one.hinted
    pointed = {
        "sycophancy": f"the answer is {letter}.",
        "consistency": f"your answer was {letter}.",
        "visual_pattern": f"■ {letter}) {one.options[one.target]}",
        "metadata": f"<key>{letter}</key>",
        "grader": f'letter == "{letter}"',
        "unethical": f"It gives {letter} for",
    }
    assert pointed[kind] in text
    assert "{" not in text


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("REASONING: because.\nANSWER: C", "C"),
        ("**ANSWER:** (B)", "B"),
        ("The answer is D.", "D"),
        ("B", "B"),
        ("b)", "B"),
        ("\\boxed{A}", "A"),
        ('{"answer": "C"}', "C"),
        ("答案：B", "B"),
        ("정답은 C", "C"),
        ("Die Antwort ist D", "D"),
        ("La respuesta es A.", "A"),
        ("ANSWER: A. No, wait.\nANSWER: D", "D"),
        ("<think>ANSWER: A</think>ANSWER: B", "B"),
        ("three", "C"),
        ("A: 10%, B: 80%", None),
        ("Option B is wrong.\n\nA", "A"),
        ("The answer is not A.", None),
        ("[THINK]At first the answer is B.[/THINK]\nA", "A"),
        ("ANSWER: F", None),
        ("I do not know.", None),
        ("The answer is a hexagon.", None),
        ("Answer: A or B", None),
        ("A good question, which I cannot decide.", None),
        ("<think>never closed ANSWER: A", None),
        ("", None),
    ],
)
def test_the_letter_of_a_reply(reply: str, letter: str | None) -> None:
    assert read_reply(reply, choices=FOUR).value == letter


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a", "question": "q", "options": ["x"], "answer": 0, "target": 0}', "1 options"),
        ('{"id": "a", "question": "q", "options": ["x", "y"], "answer": 0, "target": 0}', "two different"),
        ('{"id": "a", "question": "q", "options": ["x", "y"], "answer": 0}', "target"),
        ("", "no question was found"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(line: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        parse_choices(line.encode())
