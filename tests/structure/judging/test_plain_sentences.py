"""Verdicts as sentences, under titles with blanks."""

import pytest

import concord
from concord.structure.judging.plain import EVEN, FIRST, SECOND, named_seat, said_seat, winning_answer


@pytest.mark.parametrize(
    ("verdict", "seat"),
    [
        ("Response B is better", SECOND),
        ("A much better", FIRST),
        ("Answer 2 is slightly better.", SECOND),
        ("Both are equally good", EVEN),
        ("B is not better", None),
        ("a better answer would be shorter", None),
    ],
)
def test_a_sentence_names_a_seat(verdict: str, seat: int | None) -> None:
    assert named_seat(verdict) == seat


def test_titles_with_blanks_are_known() -> None:
    rows = [
        {"Prompt ID": i, "Order": order, "Preference": "Response A is better"}
        for i in range(12)
        for order in ("AB", "BA")
    ]
    found = concord.score_judge(rows)
    assert len(found.judges) == 1


THOUGHTS = [
    "<think>The verdict is [[B]].</think>[[A]]",
    "<thinking>2</thinking>\n1",
    "[THINK]Answer 2 is better.[/THINK]\nAnswer 1 is better.",
    "◁think▷B◁/think▷A",
    "<|channel|>analysis<|message|>[[B]]<|end|><|start|>assistant<|channel|>final<|message|>[[A]]",
]


@pytest.mark.parametrize("verdict", THOUGHTS)
def test_what_a_judge_thought_is_no_verdict(verdict: str) -> None:
    assert named_seat(verdict) == said_seat(verdict) == FIRST


def test_recorded_replies_of_a_judge_are_read_and_counted_where_they_say_nothing() -> None:
    long = "Both answers were compared in detail, and each has strengths. "
    said = [f"{long}My final verdict is: [[A]]", f"{long}I cannot decide between them, to be honest."]
    rows = [{"pair": i, "order": order, "verdict": said[i % 2]} for i in range(12) for order in ("ab", "ba")]
    (judge,) = concord.score_judge(rows).judges
    assert judge.n_unreadable == 12
    assert [pair.ab for pair in judge.pairs if sum(pair.ab)] == [(1, 0, 0)] * 6


@pytest.mark.parametrize("said", ["A=B", "[[C]]", "neither", "Both are equally good, it is a tie."])
def test_people_who_call_a_pair_even_are_read_as_a_tie_however_they_say_it(said: str) -> None:
    assert winning_answer(said, ("m", "n"), "human") == "tie"
