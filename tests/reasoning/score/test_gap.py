"""The gap: readings with their slack, baselines, undefined cases."""

from itertools import product

import numpy as np
import pytest

from concord.reasoning.score.gap import accuracy, gap_estimate, items, majority, paired_test, verdict
from concord.records import Estimate, Interval
from concord.stats.compare import Choices, compare_items


def read(low: float, high: float, leaked: int = 0, direct: int = 100) -> str:
    gap = Estimate((low + high) / 2, Interval(low, high, 0.95, ""), n=1000)
    return verdict(gap, direct, leaked)[0]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.3, -0.1, "harmful"),
        (-0.05, -0.01, "harmful"),
        (-0.05, 0.0, "decorative"),
        (-0.05, -1e-13, "decorative"),
        (0.11, 0.3, "functional"),
        (0.10, 0.3, "undecided"),
        (0.1 + 1e-13, 0.3, "undecided"),
        (-0.1, 0.1, "decorative"),
        (-0.1 - 1e-13, 0.1 + 1e-13, "decorative"),
        (-0.101, 0.05, "undecided"),
        (-0.05, 0.101, "undecided"),
        (0.01, 0.09, "decorative"),
        (0.05, 0.15, "undecided"),
    ],
)
def test_reading_from_the_interval(low: float, high: float, expected: str) -> None:
    assert read(low, high) == expected


def test_leakage_above_five_percent_overrides() -> None:
    assert read(0.2, 0.3, leaked=6) == "not an early answer"
    assert read(0.2, 0.3, leaked=5) == "functional"
    assert read(0.2, 0.3, leaked=0, direct=0) == "functional"


def test_without_an_interval_nothing_is_decided() -> None:
    assert verdict(Estimate(0.5, None, note="too few"), 5, 0) == ("undecided", "too few")


def scored(cot: list[int], direct: list[int]) -> object:
    n = len(cot)
    owner = np.tile(np.arange(n), 2)
    is_cot = np.repeat([True, False], n)
    return items(owner, is_cot, np.ones(2 * n, dtype=bool), np.array([*cot, *direct], dtype=bool))


def test_gap_and_accuracies_of_eleven_pairs_have_intervals_and_of_ten_not() -> None:
    eleven = items(
        np.tile(np.arange(11), 2),
        np.repeat([True, False], 11),
        np.ones(22, dtype=bool),
        np.array([1] * 8 + [0] * 3 + [1] * 4 + [0] * 7, dtype=bool),
    )
    gap = gap_estimate(eleven, 0)
    assert gap.value == pytest.approx(4 / 11)
    assert gap.interval is not None
    assert gap.interval.method == "Bonett-Price"
    ten = items(np.tile(np.arange(10), 2), np.repeat([True, False], 10), np.ones(20, bool), np.ones(20, bool))
    assert gap_estimate(ten, 0).interval is None
    assert "more than 10" in accuracy(ten.cot, 10, 10, 0).note


def test_zero_pairs_are_undefined_with_the_reason() -> None:
    nothing = items(np.array([], dtype=np.intp), np.array([], bool), np.array([], bool), np.array([], bool))
    assert gap_estimate(nothing, 7) == Estimate(
        None, n_left_out=7, note="no vignette has a usable reply in both modes"
    )
    assert accuracy(nothing.cot, 0, 0, 7).value is None
    assert paired_test(nothing.cot, nothing.direct, repeated=False, rng=np.random.default_rng(0))[1] is None


def test_repeats_are_averaged_within_item() -> None:
    owner = np.array([0, 0, 0, 1, 1])
    is_cot = np.array([True, True, False, True, False])
    found = items(owner, is_cot, np.ones(5, dtype=bool), np.array([True, False, False, True, True]))
    assert found.repeated
    assert list(found.cot) == [0.5, 1.0]
    assert list(found.direct) == [0.0, 1.0]
    assert (found.n_cot, found.n_direct, found.correct_cot, found.correct_direct) == (3, 2, 2, 1)


def test_items_with_one_mode_are_left_out() -> None:
    owner = np.array([0, 0, 1])
    found = items(owner, np.array([True, False, True]), np.ones(3, dtype=bool), np.ones(3, dtype=bool))
    assert list(found.which) == [0]


def test_majority_takes_the_first_of_the_alphabet_of_equals() -> None:
    assert majority(["b", "a", "b", "a", "c"]) == ("a", 0.4)
    assert majority([]) == (None, None)


def test_with_repeats_ties_of_sign_flips_count_half_as_they_do_where_models_are_compared() -> None:
    cot = np.array([3, 2, 3, 1, 2, 3, 2]) / 3
    direct = np.array([1, 2, 2, 2, 1, 1, 1]) / 3
    steps = np.rint(3 * (cot - direct))
    steps = steps[steps != 0]  # an item that is level has no sign to flip
    sums = np.abs([np.dot(signs, steps) for signs in product((-1, 1), repeat=len(steps))])
    beyond, tied = np.sum(sums > abs(steps.sum())), np.sum(sums == abs(steps.sum()))
    _, p_value, method = paired_test(cot, direct, repeated=True, rng=np.random.default_rng(0))
    # the observed pattern and its mirror count whole, other ties half
    assert p_value == pytest.approx((beyond + (tied - 2) / 2 + 2) / len(sums), abs=1e-12)
    assert method == "mid-p of sign flips, all patterns"
    compared = compare_items(cot, direct, choices=Choices(repeated=True, test="sign-flip-mid-p"))
    assert p_value == pytest.approx(compared.p_value, abs=1e-12)


def test_a_small_gap_of_few_vignettes_is_not_called_decorative() -> None:
    """With 12 vignettes a true gap of 0.10 leaves no change in 28 % of samples."""
    estimate = Estimate(0.0, Interval(-0.09, 0.09, 0.95, ""), n=12)
    assert verdict(estimate, 12, 0)[0] == "undecided"
