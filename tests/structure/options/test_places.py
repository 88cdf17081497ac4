"""Places of options where the design is not balanced: what is known is not taken for a preference."""

import time
from collections.abc import Callable

import numpy as np
import pytest
from tests.pace import allowed

from concord.structure.options.result import OptionReply
from concord.structure.options.score import NOT_EVERYWHERE, NOT_MOVED, option_items, score_options

Choose = Callable[[np.random.Generator, int], int]


def fixed_order(choose: Choose, keys: list[int], *, k: int = 2, seed: int = 0) -> list[OptionReply]:
    """Ask every item in its own order only; its right option is always in one place."""
    rng = np.random.default_rng(seed)
    found = []
    for i, right in enumerate(keys):
        for _ in range(k):
            place = choose(rng, right)
            found.append(OptionReply(f"i{i}", "own", str(place), place, right, 4, place == right))
    return found


def knows(rng: np.random.Generator, right: int) -> int:
    return right


def first(rng: np.random.Generator, right: int) -> int:
    return 0


def biased(rng: np.random.Generator, right: int) -> int:
    """Know seven of ten, and otherwise take the first place."""
    return right if rng.random() < 0.7 else 0


UNEVEN = [0] * 40 + [1] * 10 + [2] * 10 + [3] * 10
"""More than half of the right options come first."""


def test_a_model_that_knows_does_not_prefer_the_place_where_right_options_are() -> None:
    found = score_options(fixed_order(knows, UNEVEN), n_permutations=9)
    assert [one.value for one in found.selection] == pytest.approx([0, 0, 0, 0])


def test_a_preference_is_found_whatever_the_key() -> None:
    # right option first in a quarter: 0.25 + 0.75 * 0.3 beyond 0.25
    for keys in (UNEVEN, [0, 1, 2, 3] * 20):
        found = score_options(fixed_order(biased, keys * 8, seed=3), n_permutations=9)
        interval = found.selection[0].interval
        assert interval is not None and interval.low < 0.225 < interval.high
        assert interval.high - interval.low < 0.1
    always = score_options(fixed_order(first, UNEVEN), n_permutations=9)
    assert [one.value for one in always.selection] == pytest.approx([0.75, -0.25, -0.25, -0.25])


def test_a_place_that_never_has_the_right_option_leaves_the_preference_undefined() -> None:
    found = score_options(fixed_order(knows, [0, 1, 2] * 10), n_permutations=9)
    assert {(one.value, one.note) for one in found.selection} == {(None, NOT_EVERYWHERE)}
    assert found.rstd.value is None and found.rstd.note == NOT_EVERYWHERE
    assert found.places_note == NOT_EVERYWHERE
    assert found.lines()[-1] == f"selection bias: – ({NOT_EVERYWHERE})"
    items = option_items(fixed_order(knows, [0, 1, 2] * 10))
    assert np.isnan(items.values["first_option"]).all()


def test_right_options_that_never_move_test_nothing() -> None:
    found = score_options(fixed_order(biased, UNEVEN), n_permutations=9)
    assert (found.rstd_floor, found.rstd_p, found.places_note) == (None, None, NOT_MOVED)
    assert "whether accuracy depends on the place cannot be tested" in found.sentence
    assert found.rstd.value is not None and found.rstd.interval is not None


def test_items_that_are_alike_throughout_have_no_interval_of_rstd() -> None:
    found = score_options(fixed_order(first, UNEVEN), n_permutations=9)
    assert found.rstd.value == pytest.approx(np.sqrt(3) / 4)
    assert found.rstd.interval is None
    assert found.rstd.note == "no interval: accuracies do not vary between items"


def test_choices_without_an_answer_have_places_and_no_consistency() -> None:
    placed = [
        OptionReply(one.item, one.arrangement, None, one.place, one.right_place, 4, one.correct)
        for one in fixed_order(biased, UNEVEN)
    ]
    found = score_options(placed, n_permutations=9)
    assert found.n_unread == 0
    assert found.consistency.value is None and "not known" in found.consistency.note
    assert found.flip_excess.value is None and "not known" in found.flip_excess.note
    assert found.selection[0].value is not None


def test_questions_with_unlike_numbers_of_options_have_no_places() -> None:
    mixed = [OptionReply(f"i{i}", "own", "0", 0, 0, 3 + i % 2, True) for i in range(10)]
    found = score_options(mixed, n_permutations=9)
    assert (found.selection, found.accuracy_by_place, found.places_note) == ((), (), "")
    assert found.rstd.note == "items have unlike numbers of options"


def test_one_item_has_numbers_and_no_intervals() -> None:
    found = score_options(fixed_order(first, [0], k=3), n_permutations=9)
    assert found.repeat_agreement.value == 1 and found.repeat_agreement.interval is None
    assert found.consistency.value is None
    assert found.rstd.value is None


def test_replies_that_cannot_be_read_leave_everything_undefined() -> None:
    lost = [OptionReply(f"i{i}", "own", None, None, 0, 4, None) for i in range(5)]
    found = score_options(lost, n_permutations=9)
    assert found.n_unread == 5
    values = [found.consistency, found.repeat_agreement, found.flip_excess, found.rstd, *found.selection]
    assert [one.value for one in values] == [None] * len(values)
    assert all(one.note for one in values)


def test_many_items_with_answers_of_their_own_take_little_memory_and_time() -> None:
    rng = np.random.default_rng(1)
    replies = [
        OptionReply(f"i{i}", str(a), f"text {i} {(p := int(rng.integers(4)))}", p, i % 4, 4, p == i % 4)
        for i in range(3000)
        for a in range(4)
    ]
    start = time.process_time()
    score_options(replies)
    assert time.process_time() - start < allowed(5)  # a table of items by arrangements by answers: 1.2 GB


@pytest.mark.long
def test_the_interval_of_rstd_holds_the_spread_of_true_accuracies() -> None:
    """With the jackknife it held a spread of 0 in 82 of 100 sets."""
    from tests.structure.options.scripted import replies

    # first place: bias + (1 - bias) * right, others (1 - bias) * right
    for bias in (0.0, 0.1, 0.4):
        truth, held = bias * np.sqrt(3) / 4, []
        for seed in range(200):
            found = score_options(replies(bias, 0.6, n=24, seed=seed), n_permutations=1).rstd.interval
            assert found is not None
            held.append(found.low <= truth <= found.high)
        assert 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200) - 0.02 <= np.mean(held)


@pytest.mark.parametrize("places", [2, 3, 5])
def test_a_model_that_takes_the_first_place_prefers_it_by_all_but_an_even_share(places: int) -> None:
    made = [
        OptionReply(f"i{i}", str(start), str(start), 0, (i - start) % places, places, i % places == start)
        for i in range(places * 4)
        for start in range(places)
    ]
    found = score_options(made, n_permutations=9)
    even = 1 / places
    assert [one.value for one in found.selection] == pytest.approx([1 - even] + [-even] * (places - 1))
    # right exactly where the right option comes first: accuracies 1, 0, ... have this spread
    assert found.rstd.value == pytest.approx(np.std([1.0] + [0.0] * (places - 1)))
