"""Replies without a choice: what they could be is shown, and what they could overturn is not said."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.structure.options.scripted import replies

from concord.structure.options.result import OptionReply, OptionResult, OptionScores
from concord.structure.options.score import least_even, most_even, score_options

Chance = Callable[[OptionReply], float]


def _lost(made: list[OptionReply], chance: Chance, seed: int = 0) -> list[OptionReply]:
    """Return replies of which each is unread with a chance of its own."""
    rng = np.random.default_rng(seed)
    return [
        replace(one, answer=None, place=None, correct=None) if rng.random() < chance(one) else one
        for one in made
    ]


def _read(made: list[OptionReply]) -> list[OptionReply]:
    return [one for one in made if one.answer is not None]


def _scores(made: list[OptionReply]) -> OptionScores:
    return score_options(made, n_permutations=99)


def _wrong_at_the_end(one: OptionReply) -> float:
    return 0.7 if one.right_place == 3 and not one.correct else 0.0


def test_accuracy_that_what_is_unread_makes_uneven_is_not_said_to_depend_on_places() -> None:
    naive = said = withheld = 0
    for seed in range(12):
        made = _lost(replies(0.0, 0.5, n=40, seed=seed), _wrong_at_the_end, seed)
        naive += "; accuracy depends" in _scores(_read(made)).sentence
        sentence = _scores(made).sentence
        said += "; accuracy depends" in sentence
        withheld += "is not said whether accuracy depends on the place" in sentence
    assert naive >= 10  # what was read alone says so
    assert said <= 2  # one of 20, as where everything is read
    assert withheld >= 9


def test_places_that_matter_are_said_to_although_replies_are_unread() -> None:
    for seed in range(4):
        made = _lost(replies(0.6, 0.6, n=40, seed=seed), lambda one: 0.05, seed)
        found = _scores(made)
        assert found.rstd.bounds is not None and found.rstd_p_unread == 0.01
        assert "; accuracy depends on the place of the right option" in found.sentence
        assert found.sentence.startswith("Choices change with the arrangement")


def _other_than_shown_first(one: OptionReply) -> float:
    return 0.0 if one.place == 0 else 0.7


def test_choices_that_what_is_unread_moves_are_not_said_to_change() -> None:
    naive = said = 0
    for seed in range(6):
        made = _lost(replies(0.0, 0.0, n=80, k=4, seed=seed), _other_than_shown_first, seed)
        naive += _scores(_read(made)).sentence.startswith("Choices change")
        said += _scores(made).sentence.startswith("Choices change")
    assert naive >= 4
    assert said == 0


@pytest.mark.parametrize(("chance", "most", "least"), [(0.1, 3, 0), (0.3, 20, 17)])
def test_a_share_that_differs_by_arrangement_is_a_warning(chance: float, most: int, least: int) -> None:
    """One arrangement of four loses `chance`, the others a tenth."""
    warned = 0
    for seed in range(20):
        made = replies(0.0, 0.6, n=40, seed=seed)
        made = _lost(made, lambda one: chance if one.arrangement == "2" else 0.1, seed)
        scores = score_options(made, n_permutations=19)
        warned += scores.unread[0].differs
    assert least <= warned <= most


def test_the_first_screen_has_the_warning() -> None:
    made = _lost(replies(0.0, 0.6, n=40), lambda one: 0.4 if one.arrangement == "2" else 0.0)
    result = OptionResult("m", _scores(made), "set", "options-cyclic", tuple(made))
    assert result.sentences()[0].startswith("Warning: ") and "differs by arrangement" in result.sentences()[0]
    assert "{" in repr(result) and "Braces: bounds" in repr(result)


def test_bounds_by_hand() -> None:
    """Ten items alike: A, A under one arrangement, A and an unread reply under the other."""
    made = []
    for i in range(10):
        one = OptionReply(f"i{i}", "x", "A", 0, 0, 2, True)
        other = OptionReply(f"i{i}", "y", "A", 1, 1, 2, True)
        made += [one, one, other, replace(other, answer=None, place=None, correct=None)]
    found = _scores(made)
    expected = {
        "consistency": (0.5, 1.0),  # the unread one is in two of four pairs
        "repeat_agreement": (0.5, 1.0),
        "flip_excess": (0.0, 0.0),  # whatever it is, both change alike
    }
    for name, ends in expected.items():
        bounds = getattr(found, name).bounds
        assert (bounds.low, bounds.high) == pytest.approx(ends), name
    second = found.accuracy_by_place[1].bounds
    assert second is not None and (second.low, second.high) == (0.5, 1.0)
    first = found.selection[0].bounds  # chosen: place 0 where it is right, never or once of twice elsewhere
    assert first is not None and (first.low, first.high) == pytest.approx((0.0, 0.25))
    assert found.rstd.bounds is not None and found.rstd.bounds.low == pytest.approx(0.0)
    assert found.rstd.bounds.high == pytest.approx(0.25)


def test_many_unread_replies_of_an_item_are_bounded_from_outside() -> None:
    made = _lost(replies(0.0, 0.6, n=20, k=4), lambda one: 0.5)
    found = _scores(made)
    for one in (found.consistency, found.repeat_agreement, found.flip_excess):
        assert one.bounds is not None and one.value is not None
        assert one.bounds.low < one.value < one.bounds.high


def test_every_filling_lies_within_the_bounds() -> None:
    made = _lost(replies(0.2, 0.6, n=16, seed=3), lambda one: 0.12)
    found = _scores(made)
    rng = np.random.default_rng(1)
    for _ in range(20):
        filled = []
        for one in made:
            place = int(rng.integers(4))
            answer = str((place + int(one.arrangement)) % 4)
            known = replace(one, answer=answer, place=place, correct=place == one.right_place)
            filled.append(known if one.answer is None else one)
        other = _scores(filled)
        named = [
            (found.consistency, other.consistency),
            (found.repeat_agreement, other.repeat_agreement),
            (found.flip_excess, other.flip_excess),
            (found.rstd, other.rstd),
            *zip(found.accuracy_by_place, other.accuracy_by_place, strict=True),
            *zip(found.selection, other.selection, strict=True),
        ]
        for bounded, value in named:
            assert bounded.bounds is not None and value.value is not None
            assert bounded.bounds.low - 1e-9 <= value.value <= bounded.bounds.high + 1e-9


def test_few_unread_replies_have_no_bounds_and_none_no_trace() -> None:
    made = replies(0.0, 0.6, n=24)
    few = [replace(made[0], answer=None, place=None, correct=None), *made[1:]]
    assert _scores(few).consistency.bounds is None and len(_scores(few).unread) == 1
    document = json.dumps(OptionResult("m", _scores(made)).to_dict())
    assert "bounds" not in document and '"unread"' not in document and "rstd_p_unread" not in document


def test_the_most_even_and_the_least_even_numbers() -> None:
    low, high = np.array([0.1, 0.5, 0.4]), np.array([0.3, 0.9, 0.8])
    even = most_even(low, high)
    assert even[0] == pytest.approx(0.3) and even[1] == pytest.approx(0.5)
    assert 0.3 <= even[2] <= 0.5 and np.std(even) <= np.std([0.3, 0.5, 0.45])
    assert least_even(low, high).tolist() == [0.1, 0.9, 0.8]
