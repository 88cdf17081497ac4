"""Choices: letters and words of options, lists of options, contradictions, comparisons."""

import pytest

from concord.reading import read_reply

AB = {"A": "stay at home", "B": "go to the party"}
PLANETS = {"A": "Mars", "B": "Neptune", "C": "Venus", "D": "The moon"}
SEATS = {"1": ("answer A", "the first answer", "first"), "2": ("answer B", "second"), "0": ("tie", "equal")}


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("A daughter would know.", "unreadable"),
        ("A forest is nice.", "unreadable"),
        ("A car is needed for that.", "unreadable"),
        ("A is the same as B", "unreadable"),
        ("A-level students would go.", "unreadable"),
        ("A asks for B", "unreadable"),
        ("A if it rains", "unreadable"),
        ("A, if it rains, otherwise B", "unreadable"),
        ("I'd choose A if it rains.", "unreadable"),
        ("A is better if you like quiet.", "unreadable"),
        ("A: wrong", "unreadable"),
        ("A - incorrect", "unreadable"),
        ("Option A is not right.", "unreadable"),
        ("A. go to the party", "several"),
        ("B (stay at home)", "several"),
        ("ANSWER: A. go to the party", "several"),
        ("A/B", "several"),
        ("A) stay at home: quiet.\nB) go to the party: fun.\nHard to say.", "unreadable"),
        ("1. A: stay at home\n2. B: go to the party", "several"),
        ("- A) stay at home\n- B) go to the party", "several"),
        ("Should it be A or B?", "unreadable"),
        ("You should answer [[A]] or [[B]].", "unreadable"),
    ],
)
def test_what_is_no_choice(reply: str, outcome: str) -> None:
    reading = read_reply(reply, choices=AB)
    assert (reading.value, str(reading.outcome)) == (None, outcome)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("The answer is 'B'.", "B"),
        ("B, not A", "B"),
        ("B because A is dull.", "B"),
        ("B over A, always.", "B"),
        ("Option B is better than A.", "B"),
        ("B is clearly better.", "B"),
        ("B is the better choice.", "B"),
        ("b) go to the party", "B"),
        ("(b) go to the party", "B"),
        ("b. go to the party", "B"),
        ("Answer: b, since it is fun", "B"),
        ("The answer is B; A is wrong.", "B"),
        ("ANSWER: B. But A would be fine too.", "B"),
        ("The answer is B, but barely.", "B"),
        ("The correct answer is indeed B.", "B"),
        ("I'd choose B if I had to choose.", "B"),
        ("Choose option B", "B"),
        ("A) stay at home - quiet.\nB) go to the party - fun.\n\nB", "B"),
        ("B\n\nA) would be quiet.\nB) is fun.", "B"),
        ("A) stay at home - quiet.\nB) go to the party - fun.\n\nSo: B) go to the party", "B"),
        ("The better option is B.", "B"),
        ("I was told to write [[A]] or [[B]]. [[B]]", "B"),
    ],
)
def test_what_is_one(reply: str, letter: str) -> None:
    assert read_reply(reply, choices=AB).value == letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("The moon", "D"),
        ("Moon", "D"),
        ("D. The moon", "D"),
        ("Venus has no moons.", None),
        ("A. Neptune", None),
        ("A. Mars\nB. Neptune\nC. Venus\nD. The moon", None),
        ("It is C. Venus.", "C"),
    ],
)
def test_words_of_options_are_answers(reply: str, letter: str | None) -> None:
    assert read_reply(reply, choices=PLANETS).value == letter


@pytest.mark.parametrize(
    ("reply", "seat"),
    [
        ("1", "1"),
        ("1.5", None),
        ("1, 2", None),
        ("10", None),
        ("2 reasons", None),
        ("Answer 2", "2"),
        ("[[A]] at first sight, but finally [[0]]", "0"),
        ("The first answer is much better.", "1"),
        ("Answer B is clearly better. It isn't close.", "2"),
        ("Tie", "0"),
    ],
)
def test_numbers_of_options_are_answers(reply: str, seat: str | None) -> None:
    assert (
        read_reply(reply, choices={**SEATS, "1": (*SEATS["1"], "A"), "2": (*SEATS["2"], "B")}).value == seat
    )


@pytest.mark.parametrize(
    ("reply", "value"),
    [('{"answer": ["A", "C"]}', None), ('{"final_answer": ["B"]}', "B"), ('{"answer": ["A", "a"]}', "A"),
     ('{"options": ["A", "C"], "answer": "B"}', "B"), ('{"answer": ["A", "B"]}\nANSWER: B', "B")],
)  # fmt: skip
def test_a_list_of_answers_is_none_unless_it_names_one(reply: str, value: str | None) -> None:
    found = read_reply(reply, choices=("tea", "milk", "water"))
    assert found.value == value
    assert (found.outcome == "several") == (value is None)


@pytest.mark.parametrize(
    ("reply", "value"),
    [("Yes if asked, no otherwise.", None), ("Maybe I would choose yes, maybe no.", None),
     ("Maybe. In the end I would choose no.", "B"), ("Yes, if I have to choose.", "A")],
)  # fmt: skip
def test_an_answer_that_holds_in_one_case_only_is_none(reply: str, value: str | None) -> None:
    assert read_reply(reply, choices={"A": "yes", "B": "no"}).value == value
