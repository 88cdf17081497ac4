"""Options in other places and other dress: scripted models are found out, arrangers lay out what they say."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from concord.structure.arrangers import get_arranger
from concord.structure.items import ArrangedItem, ItemSet
from concord.structure.options.result import OptionReply, OptionScores
from concord.structure.options.score import score_options
from concord.structure.words.scorers import Asked, score_choice

ITEM = ArrangedItem("i", question="Which?", options=("red", "blue", "green", "black"), answer="blue")
SET = ItemSet((ITEM,), "options", "choice", "plain.v1", shots=("s1", "s2", "s3", "s4"))
Choose = Callable[[np.random.Generator, int], int]


def _scored(choose: Choose, *, n: int = 40, k: int = 2, places: int = 4, seed: int = 0) -> OptionScores:
    """Let a model choose a place, told where the right option is, under all rotations."""
    rng = np.random.default_rng(seed)
    replies = []
    for i in range(n):
        for start in range(places):
            for _ in range(k):
                right = (i - start) % places
                place = choose(rng, right)
                answer = str((place + start) % places)
                replies.append(OptionReply(f"i{i}", str(start), answer, place, right, places, place == right))
    return score_options(replies, n_permutations=99)


def test_a_model_that_always_takes_the_first_place_is_found_out() -> None:
    found = _scored(lambda rng, right: 0)
    assert [one.value for one in found.accuracy_by_place] == [1, 0, 0, 0]
    assert found.rstd.value == pytest.approx(math.sqrt(3) / 4)
    assert found.rstd_p == 0.01
    assert found.rstd_floor is not None and found.rstd_floor < 0.2
    assert [one.value for one in found.selection] == [0.75, -0.25, -0.25, -0.25]
    # under every rotation another option is in the first place
    assert (found.consistency.value, found.repeat_agreement.value, found.flip_excess.value) == (0, 1, 1)


def test_a_model_that_knows_is_consistent_whatever_the_places() -> None:
    found = _scored(lambda rng, right: right)
    assert (found.consistency.value, found.flip_excess.value, found.rstd.value) == (1, 0, 0)
    assert [one.value for one in found.selection] == [0, 0, 0, 0]


def test_a_model_that_guesses_flips_no_more_than_between_repeats() -> None:
    found = _scored(lambda rng, right: int(rng.integers(4)), n=120)
    interval = found.flip_excess.interval
    assert interval is not None and interval.low < 0 < interval.high
    assert found.rstd.value is not None and found.rstd_floor is not None
    assert found.rstd_p is not None and found.rstd_p > 0.05
    assert any("RStd over places" in line for line in found.lines())


def test_without_repeats_there_is_no_floor_and_the_reason_is_given() -> None:
    found = _scored(lambda rng, right: 0, k=1)
    assert found.flip_excess.value is None
    assert "--repeats 2" in found.flip_excess.note


@pytest.mark.parametrize(
    ("arranger", "names"),
    [
        ("options-cyclic", ["ABCD", "BCDA", "CDAB", "DABC"]),
        ("option-ids", ["A B C", "a b c", "1 2 3", "I II III", "P Q R"]),
        ("shot-choice", ["1+2", "1+3", "1+4", "2+3", "2+4", "3+4"]),
    ],
)
def test_arrangers_lay_out_what_they_say(arranger: str, names: list[str]) -> None:
    found = list(get_arranger(arranger)(ITEM, SET, None))
    assert [name for name, _ in found] == names
    assert len({text for _, text in found}) == len(names)


def test_formats_differ_and_keep_every_option() -> None:
    found = list(get_arranger("prompt-formats")(ITEM, SET, None))
    assert len(found) == len({text for _, text in found}) == 8
    for _, text in found:
        assert all(option in text for option in ITEM.options)


@pytest.mark.parametrize(
    ("arranger", "arrangement", "reply", "answer"),
    [
        ("options-cyclic", "BCDA", "A", "blue"),
        ("option-ids", "1 2 3", "2.", "blue"),
        ("option-ids", "I II III", "The answer is IV", "black"),
        ("option-ids", "P Q R", "Q", "blue"),
        ("prompt-formats", "bare", "C", "green"),
    ],
)
def test_a_choice_is_read_under_the_names_that_were_shown(
    arranger: str, arrangement: str, reply: str, answer: str
) -> None:
    assert score_choice(reply, Asked(ITEM, arranger, arrangement)).answer == answer


def test_agreement_between_and_within_arrangements_is_counted_by_hand() -> None:
    """Item a: x, x and x, y under two arrangements: 2 of 4 pairs between, 1 and 0 of 1 within."""
    rows = [("a", "1", "x"), ("a", "1", "x"), ("a", "2", "x"), ("a", "2", "y"),
            ("b", "1", "x"), ("b", "1", "y"), ("b", "2", "y"), ("b", "2", "y")]  # fmt: skip
    made = [
        OptionReply(item, arrangement, answer, "xy".index(answer), 0, 2, answer == "x")
        for item, arrangement, answer in rows
    ]
    found = score_options(made, n_permutations=9)
    assert found.consistency.value == pytest.approx(0.5)
    assert found.repeat_agreement.value == pytest.approx(0.5)
    assert found.flip_excess.value == pytest.approx(0.0)
    assert (found.n_items, found.n_arrangements, found.n_unread) == (2, 2, 0)
    steady = [OptionReply(i, a, "x", 0, 0, 2, True) for i in "ab" for a in "12" for _ in range(2)]
    assert score_options(steady, n_permutations=9).consistency.value == 1.0
    flips = [OptionReply(i, a, a, 0, 0, 2, True) for i in "ab" for a in "12" for _ in range(2)]
    flipped = score_options(flips, n_permutations=9)
    assert (flipped.consistency.value, flipped.flip_excess.value) == (0.0, 1.0)


def test_the_floor_of_rstd_is_the_mean_over_all_divisions() -> None:
    """One item, right first or second, right once: accuracies 1 and 0, or 0 and 1: RStd is 1/2 either way."""
    one = [OptionReply("a", "1", "x", 0, 0, 2, True), OptionReply("a", "2", "x", 0, 1, 2, False)]
    found = score_options(one, n_permutations=99)
    assert (found.rstd.value, found.rstd_floor, found.rstd_p) == (0.5, 0.5, 1.0)
    two = [*one, *(replace(reply, item="b") for reply in one)]
    # two items: both alike (1/2) in half of the divisions, one each (0) in the other half
    both = score_options(two, n_permutations=4000)
    assert both.rstd.value == 0.5
    assert both.rstd_floor == pytest.approx(0.25, abs=0.02)
    assert both.rstd_p == pytest.approx(0.5, abs=0.03)
