"""Scripted judges: what they do is found, and what they do not do is not claimed."""

import json
import math
from typing import Any

import numpy as np
import pytest
from tests.structure.judging import scripted

import concord
from concord.stats.votes import seat_numbers, seat_test, sign_test
from concord.structure.judging.result import JudgeScores, PairVotes
from concord.structure.judging.score import score_votes


def _scored(vote: scripted.Vote, **how: int) -> JudgeScores:
    found: JudgeScores = concord.score_judge(scripted.rows(vote, **how), judge="j").judge()
    return found


def _value(judge: JudgeScores, name: str) -> float:
    value = judge.numbers[name].value
    assert value is not None
    return value


def test_a_judge_that_always_takes_the_first_seat_is_found_out() -> None:
    judge = _scored(scripted.always_first)
    assert [_value(judge, name) for name in ("inconsistency", "preference", "flip_excess")] == [1, 0.5, 1]
    assert judge.position == "first"
    assert judge.preference_p is not None and judge.preference_p < 1e-20
    assert [round(wins.rate.value or 0, 6) for wins in judge.wins] == [0.5, 0.5]
    interval = judge.numbers["preference"].interval
    assert interval is not None and interval.high == 0.5 and interval.low > 0.45


def test_a_fair_coin_has_no_flip_excess_and_no_position_bias() -> None:
    judge = _scored(scripted.fair_coin, n=200)
    interval = judge.numbers["flip_excess"].interval
    assert interval is not None and interval.low < 0 < interval.high
    assert abs(_value(judge, "inconsistency") - 0.5) < 0.1
    assert judge.position == "not shown"
    assert "No position bias could be shown" in judge.sentence


def test_a_consistent_judge_never_flips() -> None:
    judge = _scored(scripted.consistent)
    assert [_value(judge, name) for name in ("inconsistency", "preference", "flip_excess")] == [0, 0, 0]
    assert judge.position == "not shown"


def test_a_length_lover_is_recovered() -> None:
    judge = _scored(scripted.length_lover, n=400)
    interval = judge.numbers["length_slope"].interval
    assert interval is not None and interval.low < 1.5 < interval.high
    assert interval.low > 0.8
    assert "Longer answers win more often" in judge.sentence
    assert judge.position == "not shown"


def test_a_judge_that_length_decides_has_no_finite_slope_but_a_share() -> None:
    rows = scripted.rows(lambda rng, order, q, x: "first" if (x > 0) == (order == "ab") else "second")
    judge = concord.score_judge(rows, judge="j").judge()
    assert judge.numbers["length_slope"].value is None
    assert "no finite value" in judge.numbers["length_slope"].note
    assert _value(judge, "longer") == 1
    assert "The longer answer wins in 100 %" in judge.sentence


def test_one_vote_in_each_order_has_no_flip_excess_and_says_what_to_do() -> None:
    judge = _scored(scripted.always_first, k=1)
    assert judge.numbers["flip_excess"].value is None
    assert "--votes 2" in judge.numbers["flip_excess"].note
    assert judge.position == "first"


def test_ties_everywhere_are_nothing_to_be_consistent_about() -> None:
    judge = _scored(lambda *_: "tie")
    assert judge.gate.endswith("are ties, so consistency cannot be judged")
    assert judge.position == "not tested"


def test_verdicts_that_are_missing_in_one_order_are_a_warning_and_bounded() -> None:
    rows = scripted.rows(scripted.always_first)
    for i, row in enumerate(rows):
        if row["order"] == "ab" and i % 16 == 0:
            row["verdict"] = "unreadable"
    result = concord.score_judge(rows, judge="j")
    judge = result.judge()
    assert judge.n_unreadable == 20
    assert result.sentences()[0].startswith("Warning: j: 20 of ")
    assert "differs by order (AB 12 %, BA 0 %; p < .001)" in result.sentences()[0]
    bounds = judge.numbers["preference"].bounds
    assert bounds is not None and bounds.n_unread == 20
    assert bounds.high == 0.5 and 0.4 < bounds.low < 0.5
    assert judge.position == "first"  # whatever the twenty said


def _with_lost(rows: list[dict[str, Any]], share: float, *, of: str, seed: int) -> list[dict[str, Any]]:
    """Return rows in which verdicts of one kind cannot be read, as of a judge who explains them at length."""
    rng = np.random.default_rng(seed)
    return [
        row | {"verdict": "unreadable"} if row["verdict"] == of and rng.random() < share else row
        for row in rows
    ]


def test_a_fair_judge_whose_verdicts_for_one_seat_are_lost_is_not_called_biased() -> None:
    naive, said, warned = 0, 0, 0
    for seed in range(20):
        rows = _with_lost(scripted.rows(scripted.fair_coin, n=150, seed=seed), 0.3, of="second", seed=seed)
        read = [row for row in rows if row["verdict"] != "unreadable"]
        naive += concord.score_judge(read, judge="j", n_permutations=99).judge().position == "first"
        judge = concord.score_judge(rows, judge="j", n_permutations=99).judge()
        said += judge.position in ("first", "second", "varying")
        warned += "It is not said whether there is position bias" in judge.sentence
    assert naive >= 15  # what was read alone says so
    assert said <= 2  # 5 % of them, the lost ones being as bad as they can
    assert warned >= 15


def test_a_strong_preference_is_said_although_verdicts_are_lost() -> None:
    for seed in range(5):
        rows = _with_lost(scripted.rows(scripted.always_first, n=60, seed=seed), 0.1, of="first", seed=seed)
        judge = concord.score_judge(rows, judge="j", n_permutations=99).judge()
        assert judge.numbers["preference"].bounds is not None
        assert judge.position == "first"
        assert "prefers whichever answer comes first" in judge.sentence


def test_orders_that_lose_alike_are_no_warning() -> None:
    warned = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows = [
            row | {"verdict": "unreadable"} if rng.random() < 0.1 else row
            for row in scripted.rows(scripted.fair_coin, n=40, seed=seed)
        ]
        warned += any(one.differs for one in concord.score_judge(rows, n_permutations=99).unread)
    assert warned <= 5


def test_bounds_are_those_of_the_best_and_the_worst_verdict_by_hand() -> None:
    # AB: A and one unread, BA: B (first seat twice): the unread is A, a tie or B
    pairs = tuple(PairVotes(f"p{i}", (1, 0, 0), (0, 1, 0), unreadable=(1, 0, 0)) for i in range(10))
    (judge,) = score_votes({"j": pairs}, n_permutations=99)
    expected = {"preference": (0.25, 0.5), "inconsistency": (0.5, 1.0), "ties": (0.0, 1 / 3)}
    for name, (low, high) in expected.items():
        bounds = judge.numbers[name].bounds
        assert bounds is not None and (bounds.low, bounds.high) == pytest.approx((low, high)), name
    wins = judge.wins[0].rate.bounds
    assert wins is not None and (wins.low, wins.high) == pytest.approx((0.25, 0.5))


def test_nothing_unread_leaves_the_document_without_bounds() -> None:
    document = json.dumps(concord.score_judge(scripted.rows(scripted.fair_coin, n=20)).to_dict())
    assert "bounds" not in document and '"unread"' not in document


def test_few_pairs_get_no_interval() -> None:
    judge = _scored(scripted.fair_coin, n=5)
    assert judge.numbers["preference"].interval is None
    assert judge.numbers["preference"].note == "no interval below 8 pairs"


def test_the_same_seed_gives_the_same_document() -> None:
    rows = scripted.rows(scripted.fair_coin, n=20)
    assert concord.score_judge(rows).to_dict() == concord.score_judge(rows).to_dict()


def test_the_flip_excess_of_one_pair_is_counted_by_hand() -> None:
    # AB: A, A; BA: A, B. Between: 2 of 4 pairs of votes differ. Within: AB 0 of 1, BA 1 of 1.
    found = seat_numbers([[[2, 0, 0], [1, 1, 0]]])
    assert (found.inconsistency[0], found.repeat[0], found.flip_excess[0]) == (0.5, 0.5, 0.0)
    # first seat: AB 2 of 2, BA 1 of 2
    assert found.preference[0] == 0.25
    assert found.win[0] == 0.75


def test_the_sign_test_is_the_exact_binomial() -> None:
    values = np.array([0.5] * 9 + [-0.5] + [0.0] * 30)
    assert sign_test(values) == pytest.approx(2 * (1 + 10) / 2**10)  # by hand: 0 or 1 of 10


def test_the_test_of_flips_does_not_depend_on_which_answer_is_called_a() -> None:
    """Calling the answers by each other's names swaps the orders and the verdicts; the draws are the same."""
    for seed in range(20):
        votes = np.random.default_rng(seed).integers(2, 5, (12, 2, 3)).astype(float)
        swapped = votes[:, ::-1][:, :, [1, 0, 2]]
        p = [seat_test(v, n_permutations=499, rng=np.random.default_rng(3)) for v in (votes, swapped)]
        assert p[0] == p[1]


def test_the_permutation_test_of_two_pairs_is_counted_by_hand() -> None:
    # of 6 divisions of two A and two B between the orders, two separate them: p = (2/6)^2
    votes = np.array([[[2, 0, 0], [0, 2, 0]]] * 2)
    p = seat_test(votes, n_permutations=40_000, rng=np.random.default_rng(3))
    assert p == pytest.approx(1 / 9, abs=0.005)


def _truth(bias: float, spread: float) -> dict[str, float]:
    """Preference and flip excess of a judge with log odds quality + bias for the first seat."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / math.sqrt(2 * math.pi)
    ab, ba = (1 / (1 + np.exp(-(spread * nodes + sign * bias))) for sign in (1, -1))
    between = 1 - ab * ba - (1 - ab) * (1 - ba)
    within = ab * (1 - ab) + ba * (1 - ba)
    return {
        "preference": float(weights @ ((ab - ba) / 2)),
        "inconsistency": float(weights @ between),
        "flip_excess": float(weights @ (between - within)),
    }


def _drawn(rng: np.random.Generator, bias: float, spread: float, n: int, k: int) -> np.ndarray:
    quality = spread * rng.normal(size=n)
    votes = np.zeros((n, 2, 3))
    for order, sign in ((0, 1), (1, -1)):
        votes[:, order, 0] = rng.binomial(k, 1 / (1 + np.exp(-(quality + sign * bias))))
        votes[:, order, 1] = k - votes[:, order, 0]
    return votes


def _simulated(n_runs: int, populations: list[tuple[float, float]]) -> list[dict[str, float]]:
    found = []
    for bias, spread in populations:
        rng = np.random.default_rng(11)
        truth, covered, claims = _truth(bias, spread), dict.fromkeys(_truth(bias, spread), 0), 0
        for run in range(n_runs):
            votes = _drawn(rng, bias, spread, 80, 2).astype(int)
            pairs = [PairVotes(str(i), tuple(v[0]), tuple(v[1])) for i, v in enumerate(votes.tolist())]
            judge = score_votes({"j": pairs}, n_permutations=199, seed=run)[0]
            claims += judge.position in ("first", "second", "varying")
            for name, value in truth.items():
                interval = judge.numbers[name].interval
                assert interval is not None
                covered[name] += interval.low - 1e-9 <= value <= interval.high + 1e-9
        found.append({name: count / n_runs for name, count in covered.items()} | {"claims": claims / n_runs})
    return found


def _preferring_by_cluster(rng: np.random.Generator, n_clusters: int, size: int) -> list[PairVotes]:
    """Let a judge prefer one seat in some questions and the other in others, neither overall."""
    pairs = []
    for cluster in range(n_clusters):
        chance = 0.9 if rng.random() < 0.5 else 0.1
        for i in range(size):
            first, second = rng.binomial(2, chance, size=2).tolist()
            votes = ((first, 2 - first, 0), (2 - second, second, 0))
            pairs.append(PairVotes(f"{cluster} {i}", *votes, cluster=f"q{cluster}"))
    return pairs


def test_seats_preferred_by_question_are_not_a_seat_preferred_throughout() -> None:
    """With pairs as witnesses instead of questions, 42 % of such judges were said to prefer one."""
    rng = np.random.default_rng(4)
    found = [score_votes({"j": _preferring_by_cluster(rng, 8, 10)}, n_permutations=99)[0] for _ in range(60)]
    assert {judge.position for judge in found} <= {"varying", "first", "second"}
    assert sum(judge.position != "varying" for judge in found) <= 60 * 0.05 + 3 * math.sqrt(60 * 0.05 * 0.95)
    assert "without preferring one of them throughout" in found[0].sentence


def test_a_seat_preferred_in_every_question_is_found() -> None:
    rows = [
        row | {"cluster": f"q{int(row['pair'][1:]) % 12}"} for row in scripted.rows(scripted.always_first)
    ]
    judge = concord.score_judge(rows, judge="j").judge()
    assert judge.position == "first"
    assert judge.preference_p == pytest.approx(2 / 2**12)  # twelve questions, all of one sign


@pytest.mark.long
def test_position_bias_is_rarely_claimed_where_there_is_none() -> None:
    for found in _simulated(60, [(0.0, 0.0), (0.0, 2.0)]):
        assert found["claims"] <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 60)


POPULATIONS = [(0.0, 0.0), (0.0, 2.0), (0.0, 6.0), (0.5, 2.0), (2.0, 2.0), (1.0, 6.0)]


@pytest.mark.slow
@pytest.mark.parametrize("population", POPULATIONS, ids=str)
def test_intervals_of_judges_cover(population: tuple[float, float]) -> None:
    (found,) = _simulated(4000, [population])
    claims = found.pop("claims")
    assert population[0] != 0 or claims <= 0.05
    for name, share in found.items():
        assert 0.93 <= share <= 0.97, name


def test_why_there_are_no_flips_is_said() -> None:
    """One order alone, no order at all, one vote in each order: three reasons."""
    one = [PairVotes(str(i), (2, 0, 0), (0, 0, 0)) for i in range(10)]
    none = [PairVotes(str(i), (0, 0, 0), (0, 0, 0), unordered=(1, 1, 0)) for i in range(10)]
    single = [PairVotes(str(i), (1, 0, 0), (0, 1, 0)) for i in range(10)]
    notes = [
        score_votes({"j": pairs}, n_permutations=99)[0].numbers["flip_excess"].note
        for pairs in (one, none, single)
    ]
    assert notes[0] == "no pair was judged in both orders"
    assert notes[1] == "the order in which answers were shown is not recorded"
    assert notes[2].startswith("needs two votes in one order")


def test_numbers_of_a_judge_are_means_over_pairs_by_hand() -> None:
    """Ten pairs of A, A | A, B: reversals 1/2 of winners; one pair of ties in ten; A wins 3/4 of nine."""
    pairs = [PairVotes(str(i), (2, 0, 0), (1, 1, 0), model_a="x", model_b="y") for i in range(9)]
    pairs.append(PairVotes("t", (0, 0, 2), (0, 0, 1), model_a="x", model_b="y"))
    judge = score_votes({"j": pairs}, n_permutations=99)[0]
    assert _value(judge, "reversal") == pytest.approx(0.5)
    assert _value(judge, "ties") == pytest.approx(0.1)
    # preference for the first seat: (1 + 1/2)/2 - 1/2 in nine, none in the tie
    assert _value(judge, "preference") == pytest.approx(0.9 * 0.25)
    assert _value(judge, "inconsistency") == pytest.approx(0.9 * 0.5)
    # repeats: of 2 pairs of votes within an order 1 is unlike; the tie has one pair, which is alike
    assert _value(judge, "repeat") == pytest.approx(0.9 * 0.5)
    wins = {one.model: one.rate.value for one in judge.wins}
    assert wins == pytest.approx({"x": 0.9 * 0.75 + 0.1 * 0.5, "y": 0.9 * 0.25 + 0.1 * 0.5})
