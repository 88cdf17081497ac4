"""Small parts of judges and options, worked out by hand."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import concord
from concord.errors import FileFormatError
from concord.records import Estimate, Interval, UnreadBounds
from concord.structure.judging.plain import fits_plain
from concord.structure.judging.result import JudgeScores, PairVotes
from concord.structure.judging.score import (
    FEW,
    Filled,
    _bounded_kappa,
    _kappa_of,
    _length,
    _ways,
    vote_shares,
)
from concord.structure.options.read import _refuse_twice
from concord.structure.options.result import OptionReply
from concord.structure.options.score import (
    MOST_ENUMERATED,
    _without_places,
    agreement_ends,
    least_even,
    most_even,
    pairwise,
)
from concord.structure.score.order import order_deviations
from concord.structure.words.judged import area_under_curve, calibration_of
from concord.unread import withheld
from concord.words import say

NOTHING = Estimate(None)


def judge(**numbers: Estimate) -> JudgeScores:
    names = ("length_slope", "longer", "length_slope_human")
    return JudgeScores("j", dict.fromkeys(names, NOTHING) | numbers, None, None, "not tested", (), ())


def test_a_judge_without_votes_in_an_order_has_none_per_order() -> None:
    assert judge().votes_per_order == (0, 0)
    voted = replace(judge(), pairs=(PairVotes("p", ab=(2, 0, 1), ba=(1, 0, 0)),))
    assert voted.votes_per_order == (1, 3)


def test_kappa_reaches_as_far_as_any_verdicts_of_the_unread_replies() -> None:
    pairs = [
        PairVotes("a", ab=(1, 0, 0), unreadable=(0, 1, 0), human=(1, 0, 0)),
        PairVotes("b", ab=(0, 1, 0), ba=(0, 1, 0), human=(0, 1, 0)),
        PairVotes("c", ba=(1, 0, 0), unreadable=(1, 0, 0), human=(0, 1, 0)),
        PairVotes("d", ab=(0, 0, 1), ba=(1, 0, 0), human=(1, 0, 0)),
    ]
    verdicts = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    values = []
    for one, other in product(verdicts, repeat=2):
        judge, human, _ = vote_shares(
            [replace(pairs[0], ba=one), pairs[1], replace(pairs[2], ab=other), pairs[3]]
        )
        sums = np.column_stack([np.ones(4), (judge * human).sum(axis=1), judge, human])
        values.append(float(_kappa_of(sums.sum(axis=0))))
    found = _bounded_kappa(Estimate(0.5), Filled(pairs), list("abcd"), 0.95).bounds
    assert found is not None
    assert (found.low, found.high) == pytest.approx((min(values), max(values)))


def test_length_is_not_claimed_where_unread_replies_could_overturn_it() -> None:
    slope = Estimate(0.2, Interval(0.1, 0.4, 0.95, ""))
    longer = Estimate(0.7, Interval(0.6, 0.8, 0.95, ""), bounds=UnreadBounds(0.4, 0.8, None, 9))
    open_to_both = _length(judge(length_slope=slope, longer=longer))
    assert open_to_both == withheld(say("judges.length.claim"), longer)
    assert _length(judge(length_slope=slope, longer=replace(longer, bounds=None))) != open_to_both


def test_blocks_of_an_item_are_divided_over_its_own_places() -> None:
    # two items, the right option in places 0 and 1 of one, 1 and 2 of the other, each right in one of two
    found = _without_places(
        np.array([0, 0, 1, 1]), np.array([0, 1, 1, 2]), np.array([1.0, 1, 3, 3]), np.array([1.0, 0, 3, 0]),
        3, 400, np.random.default_rng(1),
    )  # fmt: skip
    wanted = {round(float(np.std([a, (1 - a + b) / 2, 1 - b])), 9) for a in (0, 1) for b in (0, 1)}
    assert set(np.round(found, 9).tolist()) == wanted


def test_a_share_of_noise_above_one_is_told_up_to_any_size() -> None:
    # every answer gets 1 and 3: means do not differ, so that (n MS_w) / (MS_b + (n - 1) MS_w) = 2
    rows: list[dict[str, Any]] = [
        {"item": i, "system": "s", "judge": "j", "repeat": k, "score": score}
        for i in range(6)
        for k, score in enumerate((1, 3))
    ]
    noise = concord.score_judge(rows).judges[0].noise
    assert noise.value == pytest.approx(2.0)
    assert noise.note == "answers differ less than repeats of one answer"


@pytest.mark.parametrize("n", [MOST_ENUMERATED, MOST_ENUMERATED + 1])
def test_numbers_within_ends_are_as_even_and_as_uneven_as_they_can_be(n: int) -> None:
    rng = np.random.default_rng(n)
    low = rng.random(n)
    high = low + 0.5 * rng.random(n)
    every = [np.std(np.where(list(one), high, low)) for one in product((False, True), repeat=n)]
    assert np.std(least_even(low, high)) == pytest.approx(max(every))
    even = most_even(low, high)
    assert ((low - 1e-12 <= even) & (even <= high + 1e-12)).all()
    apart = np.where(even <= low + 1e-9, -1, np.where(even >= high - 1e-9, 1, 0))
    assert (np.sign(even - even.mean())[apart < 0] >= 0).all()  # only what cannot come nearer is apart
    assert (np.sign(even - even.mean())[apart > 0] <= 0).all()
    assert np.abs(even[apart == 0] - even.mean()).max(initial=0.0) < 1e-9


def test_unread_votes_are_divided_in_every_way_or_given_to_one_verdict() -> None:
    assert len(_ways(FEW)) == (FEW + 1) * (FEW + 2) // 2 == len(set(_ways(FEW)))
    assert all(sum(one) == FEW and min(one) >= 0 for one in _ways(FEW))
    assert _ways(FEW + 1) == [(FEW + 1, 0, 0), (0, FEW + 1, 0), (0, 0, FEW + 1)]
    assert _ways(0) == [(0, 0, 0)]


def test_arrangements_of_too_few_items_are_set_against_the_mean_of_all() -> None:
    means = [("a", 0.5), ("b", None), ("c", 0.8)]
    rows = [SimpleNamespace(name=name, mean_score=mean) for name, mean in means]
    model: Any = SimpleNamespace(arrangements=rows, items=[SimpleNamespace(scores=means)])
    found = order_deviations(model, 0.95)
    assert {name: one.value for name, one in found} == pytest.approx({"a": -0.15, "c": 0.15})


def test_meanings_are_told_apart_by_pairs_and_ties_count_half() -> None:
    right, wrong = np.array([0.9, 0.5, 0.2]), np.array([0.5, 0.1])  # 2 + (½ + 1) + 1 of 6
    assert area_under_curve(right, wrong) == pytest.approx(4.5 / 6)
    found = calibration_of("s", "en", np.full((2, 3), np.nan))
    assert (found.n, *found.means.values()) == (0, None, None, None)


def test_agreement_reaches_from_none_to_all_pairs_with_an_unread_reply() -> None:
    """Of q four replies are unread, which is too many to fill in; of p one is, and all ways are looked at."""

    def replies(item: str, **answers: str) -> list[OptionReply]:
        return [
            OptionReply(item, name, None if one == "?" else one, None if one == "?" else 0, 0, 4, None)
            for name, own in answers.items() for one in own
        ]  # fmt: skip

    made = [*replies("p", x="AA", y="B?"), *replies("q", x="AA??", y="AB??")]
    between, within, excess = agreement_ends(made, ["p", "q"], pairwise)
    # p: of 4 pairs between none or two are alike, of 2 within one or both
    # q: of 16 pairs between two are alike and four read, of 12 within one is alike and two are read
    assert np.transpose(between) == pytest.approx(np.array([[0, 2 / 4], [2 / 16, 14 / 16]]))
    assert np.transpose(within) == pytest.approx(np.array([[1 / 2, 1], [1 / 12, 11 / 12]]))
    assert np.transpose(excess)[1] == pytest.approx([1 / 12 - 14 / 16, 11 / 12 - 2 / 16])


def test_replies_without_a_number_are_repeats_and_those_with_one_are_there_once() -> None:
    table: Any = SimpleNamespace(titles={"item", "arrangement", "sample"}, place="t", row=lambda i: i + 2)

    def rows(*samples: int | None) -> list[dict[str, Any]]:
        return [{"item": "a", "arrangement": "x", "sample": one} for one in samples]

    assert _refuse_twice(table, rows(None, None, 1, 2)) == ()
    with pytest.raises(FileFormatError, match=r"row 3, row 4"):
        _refuse_twice(table, rows(None, 1, 1))


@pytest.mark.parametrize(
    ("keys", "fits"),
    [
        ({"verdict", "pair"}, True),
        ({"verdict"}, False),
        ({"pair"}, False),
        ({"response", "pair"}, False),
        ({"response", "pair", "order"}, True),
        ({"response", "order"}, False),
        ({"order", "pair"}, False),
    ],
)
def test_a_table_of_a_judge_has_a_verdict_and_a_pair(keys: set[str], fits: bool) -> None:
    assert fits_plain(frozenset(keys)) == fits
