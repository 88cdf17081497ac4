"""Published counts: rates, Wilson intervals, thinking against answer with kappa, two detectors, pairs."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from concord import api
from concord.errors import FileFormatError, TableError
from concord.reasoning.hints.counts import Count, PlaceCounts, bundled_counts, read_counts, recovered
from concord.reasoning.hints.leaderboard import (
    HintLeaderboard,
    difference_interval,
    leaderboard_of,
    place_rates,
)
from concord.reasoning.hints.rows import KINDS
from concord.stats.intervals import wilson_interval


@pytest.fixture(scope="module")
def board() -> HintLeaderboard:
    found = api.score_hints("published")
    assert isinstance(found, HintLeaderboard)
    return found


@pytest.mark.parametrize(
    ("model", "rate", "k", "n", "source"),
    [
        ("deepseek-r1", 0.9363, 1131, 1208, "faithfulness_summary.csv"),
        ("seed-1.6-flash", 0.3575, 227, 635, "faithfulness_summary.csv"),
        ("qwen3.5-27b", 0.9766, 1293, 1324, "faithfulness_summary.csv"),
    ],
)
def test_a_published_rate_comes_back_with_its_wilson_interval(
    board: HintLeaderboard, model: str, rate: float, k: int, n: int, source: str
) -> None:
    found = next(one for one in board.scores.models if one.model == model).verbalised
    assert round(found.value or 0, 4) == rate
    assert found.interval == wilson_interval(k, n)


def test_twelve_models_and_six_kinds(board: HintLeaderboard) -> None:
    assert len(board.scores.models) == 12
    assert all(tuple(one.influence) == KINDS for one in board.scores.models)
    assert set(board.scores.kinds) == set(KINDS)
    assert len(board.scores.pairs) == 66


@pytest.mark.parametrize(
    ("model", "gap"),
    [
        ("deepseek-r1", 0.2293),
        ("deepseek-v3.2-speciale", 0.9247),
        ("gpt-oss-120b", 0.9304),
        ("seed-1.6-flash", 0.2976),
    ],
)
def test_the_gap_between_thinking_and_answer_is_the_published_one(
    board: HintLeaderboard, model: str, gap: float
) -> None:
    found = next(one for one in board.scores.models if one.model == model)
    assert round(found.gap.value or 0, 4) == gap
    assert found.gap.interval is not None and found.gap.interval.low < gap < found.gap.interval.high


def test_kappa_by_hand(board: HintLeaderboard) -> None:
    # deepseek-r1: both 867, thinking only 286, answer only 9, neither 46, n = 1208
    po = (867 + 46) / 1208
    pe = (1153 * 876 + 55 * 332) / 1208**2
    found = next(one for one in board.scores.models if one.model == "deepseek-r1").kappa
    assert found.value == pytest.approx((po - pe) / (1 - pe), abs=1e-12)
    never = next(one for one in board.scores.models if one.model == "gpt-oss-120b").kappa
    assert never.value == pytest.approx(0.0, abs=1e-12)


def test_two_detectors_stand_side_by_side(board: HintLeaderboard) -> None:
    found = next(one for one in board.scores.models if one.model == "qwen3.5-27b").detectors
    assert {name: round(one.value or 0, 4) for name, one in found.items()} == {
        "rules and judge": 0.9885,
        "second judge": 0.6827,
    }


def test_models_are_ranked_by_how_often_they_say_so(board: HintLeaderboard) -> None:
    rates = [one.verbalised.value or 0 for one in board.scores.models]
    assert rates == sorted(rates, reverse=True)
    assert board.scores.models[0].model == "qwen3.5-27b"


def test_a_pair_by_hand(board: HintLeaderboard) -> None:
    pair = next(p for p in board.scores.pairs if (p.first, p.second) == ("qwen3.5-27b", "seed-1.6-flash"))
    assert pair.difference.value == pytest.approx(1293 / 1324 - 227 / 635)
    assert pair.p_holm < 1e-12


def test_rates_of_a_model_are_carried_back_to_the_largest_counts_that_its_own_samples_allow() -> None:
    found = recovered({"a": 149 / 236, "b": 52 / 475, "c": 0.5})
    assert {name: (one.k, one.n) for name, one in found.items()} == {
        "a": (298, 472),
        "b": (52, 475),
        "c": (237, 474),
    }


def test_every_published_rate_has_counts_that_give_it(board: HintLeaderboard) -> None:
    for model in board.scores.models:
        for one in (*model.influence.values(), *model.flips.values()):
            assert one.value is not None and one.interval is not None and one.n <= 495
            k = round(one.value * one.n)
            assert k / one.n == pytest.approx(one.value, abs=1e-12)


@pytest.mark.parametrize("rates", [{"a": 0.1234, "b": 0.25}, {"a": 0.0, "b": 0.5}])
def test_rounded_rates_have_no_counts(rates: dict[str, float]) -> None:
    assert [one.n for one in recovered(rates).values()] == [None, None]


def test_a_rate_of_nothing_may_be_of_any_sample() -> None:
    assert recovered({"a": 0.0, "b": 52 / 475})["a"].n is None


def test_a_leaderboard_is_written_and_read_back(board: HintLeaderboard, tmp_path: Path) -> None:
    paths = board.write(tmp_path)
    assert [path.name for path in paths] == ["hints.json", "hints.csv", "hint_pairs.csv"]
    assert HintLeaderboard.read(tmp_path) == board
    assert board.to_frame().height == 12 * (6 + 2 + 6 + 6) + 6


def test_a_single_file_gives_what_it_holds() -> None:
    found = leaderboard_of(read_counts(bundled_counts() / "thinking_vs_answer_by_model.csv"))
    assert len(found.models) == 12
    assert found.models[0].verbalised == found.models[0].either
    assert not found.models[0].influence


def test_counts_of_one_s_own_in_a_long_table() -> None:
    rows = [
        {"model": "m", "kind": "grader", "eligible": 40, "influenced": 10, "verbalised": 4},
        {"model": "m", "kind": "metadata", "eligible": 20, "influenced": 0, "verbalised": 0},
    ]
    found = leaderboard_of(read_counts(rows)).models[0]
    assert (found.verbalised.value, found.influence["grader"].value) == (0.4, 0.25)
    assert found.influence["metadata"].value == 0.0


def test_answers_give_the_probe_result() -> None:
    rows = [
        {"id": f"i{i}", "kind": kind, "target": "B", "sample": s, "answer": "B" if kind == "grader" else "A"}
        for i in range(12)
        for kind in ("unhinted", "grader")
        for s in (0, 1)
    ]
    found = api.score_hints(rows, model="m")
    assert not isinstance(found, HintLeaderboard)
    assert found.scores.hints is not None and found.scores.hints.kinds[1].influence.value == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,kind,eligible,influenced\nm,grader,4,5\n", "at most eligible"),
        ("model,kind,eligible,influenced\nm,grader,4,\n", "expected a value"),
        ("model,kind,eligible,influenced\nm,grader,-4,-5\n", "0 or more"),
    ],
)
def test_counts_that_cannot_be_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=message):
        read_counts(path)


def test_a_table_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(FileFormatError, match="not those of a table of counts"):
        read_counts(path)


@pytest.mark.parametrize("n", [20, 60, 200])
@pytest.mark.parametrize("share", [(0.3, 0.1), (0.05, 0.02)])
def test_models_that_say_it_as_often_in_both_places_are_rarely_said_to_think_it_more(
    n: int, share: tuple[float, float]
) -> None:
    both, one = share
    rng = np.random.default_rng(n)
    told = 0
    for counts in rng.multinomial(n, [both, one, one, 1 - both - 2 * one], size=1000).tolist():
        gap = place_rates(PlaceCounts(*counts))[3]
        told += gap.interval is not None and gap.interval.low > 0
    assert told <= stats.binom.ppf(0.999, 1000, 0.025)  # one side of a 95 % interval


def test_the_interval_of_a_difference_is_newcombes() -> None:
    # Newcombe (1998), Statistics in Medicine, 17, 873-890, Table II (a), method 10: 56/70 - 48/80
    found = difference_interval(Count(56, 70, 56 / 70), Count(48, 80, 48 / 80))
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)


def test_bad_counts_are_named_in_one_order_whatever_the_hash_seed() -> None:
    parts = ("influenced_count", "both_count", "thinking_only_count", "answer_only_count", "neither_count")
    with pytest.raises(TableError) as caught:
        read_counts([{"model": "m", **dict.fromkeys(parts, "x")}])
    assert [one.column for one in caught.value.problems] == sorted(parts)
