"""Judges, places of options and margins compared: differences, ranks and intervals by hand or by scipy."""

from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.structure.options.scripted import replies

import concord
from concord.comparing.doubts import other_settings
from concord.comparing.kinds import at_level, known_metric, ranked_interval
from concord.comparing.metrics import MetricCompareResult, RefereeNumbers
from concord.comparing.result import TaskMeans, _task_columns, _TaskRow
from concord.comparing.structure import _same_samples
from concord.errors import OptionError
from concord.records import Estimate, Interval
from concord.structure.options.result import OptionReply, OptionResult
from concord.structure.options.score import score_options


def by_metric(*sources: Path, **how: Any) -> MetricCompareResult:
    found = concord.compare(*sources, **how)
    assert isinstance(found, MetricCompareResult)
    return found


def stored(folder: Path, model: str, made: list[OptionReply]) -> Path:
    scores = score_options(made, n_permutations=9)
    OptionResult(model, scores, "s", "options-cyclic", tuple(made)).write(folder)
    return folder


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[list[OptionReply]], list[Path]]:
    root = tmp_path_factory.mktemp("options")
    made = [replies(0.5, 0.6, n=20, seed=1), replies(0.1, 0.6, n=22, seed=2)]
    return made, [stored(root / name, name, own) for name, own in zip("ab", made, strict=True)]


def shares(made: list[OptionReply], place: int, n: int) -> np.ndarray:
    """Share of choices of a place by item; every right option was in every place, as often."""
    found = np.array([one.place == place for one in made], float).reshape(-1, 8)
    return np.asarray(found.mean(axis=1)[:n] - 0.25)


def test_places_of_options_are_compared_item_by_item(
    options: tuple[list[list[OptionReply]], list[Path]],
) -> None:
    made, folders = options
    found = by_metric(*folders, metric="first_option")
    (pair,) = found.pairs
    assert (pair.n_common, pair.only_first, pair.only_second) == (20, 0, 2)
    first, second = (shares(own, 0, 20) for own in made)
    one = pair.metric("first_option")
    assert (one.first, one.second) == pytest.approx((first.mean(), second.mean()))
    assert one.difference.value == pytest.approx((first - second).mean())
    last = pair.metric("last_option")
    assert last.first == pytest.approx(shares(made[0], 3, 20).mean())
    # ranked by the size of a preference, the smallest first; of all its own questions
    assert found.standing.order == ("b", "a")
    assert dict(found.standing.values)["a"] == pytest.approx(first.mean())
    assert dict(found.standing.values)["b"] == pytest.approx(abs(shares(made[1], 0, 22).mean()))
    assert (found.to_dict()["items"], found.to_dict()["arranger"]) == ("s", "options-cyclic")
    assert found.fail_if_worse(margin=None).found  # a prefers the first place more than b


def test_spreads_over_places_are_compared_by_the_jackknife(
    options: tuple[list[list[OptionReply]], list[Path]],
) -> None:
    made, folders = options

    def rstd(own: list[OptionReply], left_out: int | None = None) -> float:
        """Standard deviation over places of the mean accuracy where the right option is there."""
        rows = [one for one in own if int(one.item[1:]) < 20 and one.item != f"i{left_out}"]
        at = [[float(bool(one.correct)) for one in rows if one.right_place == place] for place in range(4)]
        return float(np.std([np.mean(own) for own in at]))

    one = by_metric(*folders, metric="rstd").pairs[0].metric("rstd")
    assert (one.first, one.second) == pytest.approx((rstd(made[0]), rstd(made[1])))
    without = np.array([rstd(made[0], i) - rstd(made[1], i) for i in range(20)])
    error = np.sqrt(19 / 20 * np.sum((without - without.mean()) ** 2))
    value = rstd(made[0]) - rstd(made[1])
    assert one.p_value == pytest.approx(2 * stats.t.sf(abs(value) / error, 19))
    assert one.difference.interval is not None
    reach = stats.t.ppf(0.975, 19) * error
    assert one.difference.interval.high == pytest.approx(value + reach)
    assert one.n_clusters == 20


def test_few_items_have_a_difference_and_no_test(tmp_path: Path) -> None:
    folders = [stored(tmp_path / name, name, replies(0.4, 0.5, n=4, seed=i)) for i, name in enumerate("ab")]
    one = by_metric(*folders, metric="rstd").pairs[0].metric("rstd")
    assert one.difference.note == "no interval below 5 items"
    assert (one.difference.interval, one.p_value) == (None, None)


def judged(folder: Path, judge: str, votes: dict[str, str]) -> Path:
    """Write verdicts such as ``fs``: the first seat in the first order, the second in the second."""
    seats = {"f": "first", "s": "second", "t": "tie"}
    rows = [
        {"pair": pair, "order": order, "verdict": seats[letter]}
        for pair, letters in votes.items()
        for order, letter in zip(("ab", "ba", "ab", "ba"), letters, strict=True)
    ]
    concord.score_judge(rows, judge=judge, n_permutations=99).write(folder)
    return folder


def test_judges_are_compared_on_the_pairs_that_both_judged(tmp_path: Path) -> None:
    one = {f"p{i}": "ffff" for i in range(8)} | {"p8": "fsfs"}
    two = {f"p{i}": "fsfs" for i in range(8)} | {"q": "ffff", "r": "tttt"}
    found = by_metric(judged(tmp_path / "a", "a", one), judged(tmp_path / "b", "b", two))
    (pair,) = found.pairs
    assert (pair.n_common, pair.only_first, pair.only_second) == (8, 1, 2)
    assert found.metric == "flip_excess"
    # always the first seat flips between orders and never within one; the other judge never flips
    assert (pair.metric("flip_excess").first, pair.metric("flip_excess").second) == (1.0, 0.0)
    assert pair.metric("preference").difference.value == 0.5
    assert pair.metric("ties").difference.value == 0.0
    assert pair.metric("agreement").difference.note == "undefined: no pair of both judges has it"
    assert found.standing.order == ("b", "a")
    by_preference = by_metric(tmp_path / "a", tmp_path / "b", metric="preference").standing
    assert dict(by_preference.values) == pytest.approx({"a": 8 / 9 * 0.5, "b": 0.1 * 0.5})


def test_one_vote_in_each_order_is_compared_by_inconsistency(tmp_path: Path) -> None:
    rows = [
        {"judge": judge, "pair": str(i), "order": order, "verdict": "first"}
        for judge in ("x", "y")
        for i in range(8)
        for order in ("ab", "ba")
    ]
    concord.score_judge(rows, n_permutations=99).write(tmp_path)
    found = by_metric(tmp_path)
    assert found.metric == "inconsistency"
    assert found.to_dict()["n_judges"] == 2


def test_a_margin_of_a_kind_without_one_of_its_own_is_by_students_t(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    row = {"finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 3.0, "human_n": 60}
    for name in ("a", "b"):
        rows = [
            row | {"study": f"S{i}", "agent_statistic": float(rng.normal(3, 0.6)), "agent_n": 60}
            for i in range(7)
        ]
        concord.score_people(rows, n_resamples=0, n_simulations=0).write(tmp_path / name)
    one = by_metric(tmp_path / "a", tmp_path / "b", margin=0.9).pairs[0].metric("pas")
    ends, value = one.difference.interval, one.difference.value
    assert ends is not None and value is not None and one.within is not None
    assert one.within.interval is not None
    # 90 % inside 95 %: the same standard error, another quantile
    shrunk = stats.t.ppf(0.95, 6) / stats.t.ppf(0.975, 6)
    assert one.within.interval.low == pytest.approx(value - (value - ends.low) * shrunk)
    assert one.within.interval.high == pytest.approx(value + (ends.high - value) * shrunk)
    assert one.within.shown is (max(-one.within.interval.low, one.within.interval.high) < 0.9)


def test_an_interval_belongs_to_the_number_that_ranks() -> None:
    ends = Interval(0.1, 0.3, 0.95, "t")
    assert ranked_interval(Estimate(0.2, ends), 0.2 + 1e-13) == ends
    assert ranked_interval(Estimate(0.2, ends), 0.21) is None
    assert ranked_interval(Estimate(0.0, ends), 0.0) == ends
    assert ranked_interval(Estimate(None), 0.2) is None and ranked_interval(None, 0.2) is None
    assert ranked_interval(Estimate(0.2, ends), None) is None
    assert at_level(ends, 0.95) == ends and at_level(ends, 0.9) is None and at_level(None, 0.95) is None


def test_metrics_are_known_in_any_case() -> None:
    assert known_metric("pas", ("PAS", "ecs")) == "PAS"
    assert known_metric("ecs", ("ECS", "ecs")) == "ecs"
    with pytest.raises(OptionError, match="no metric 'x'; expected one of PAS, ecs"):
        known_metric("x", ("PAS", "ecs"))


def test_settings_that_differ_are_named_where_all_are_known() -> None:
    one, two = {"temperature": "0", "shots": "5"}, {"temperature": "1", "shots": "5"}
    (told,) = other_settings([one, two])
    assert "temperature (0, 1); the difference" in told and "shots" not in told
    assert "shots (5, not given)" in other_settings([one, {"temperature": "0"}])[0]
    assert other_settings([one, one]) == other_settings([one, {}]) == other_settings([one]) == []


@pytest.mark.parametrize(
    ("second", "refused"),
    [
        ([10, 5, 3, 8], True),
        ([9.9, 5, 3, 8], False),
        ([100, 50, 20, 5], True),
        ([101, 50, 20, 5], False),
        ([0.5, 0.2, 30, 40], False),
        ([0.5, 10, 30, 40], True),
    ],
)
def test_percentages_reach_from_10_to_100_and_lie_mostly_above_1(second: list[float], refused: bool) -> None:
    sides = [[{"item": i, "score": x} for i, x in enumerate(own)] for own in ([0.5, 0.2, 0.9, 1.0], second)]
    if refused:
        with pytest.raises(concord.errors.MismatchError, match="shares beside percentages"):
            concord.compare(*sides)
    else:
        assert concord.compare(*sides).difference is not None


def test_scores_beyond_0_and_1_have_no_wrong_answer_of_their_own() -> None:
    def missing(*values: float) -> Any:
        rows = [{"item": i, "score": x} for i, x in enumerate(values)]
        found: Any = concord.compare(rows, [*rows[:-1], {"item": 9, "score": 0.5}])
        return found.pairs[0].missing

    assert missing(0.0, 0.5, 1.0, 1.0).absent_as_wrong == pytest.approx((1 - 0.5) / 5)
    assert missing(0.0, 0.5, 1.1, 1.0).absent_as_wrong is None
    assert missing(-0.1, 0.5, 1.0, 1.0).absent_as_wrong is None


def test_repeats_that_failed_count_as_the_score_of_a_wrong_answer() -> None:
    """By hand, wrong = 1: (4 + 1)/2 - 2 and 3 - 3; a failed item 1 - 5."""
    answers: list[list[int | None]] = [[4, None], [3, 3], [None, None]]
    first = [{"item": i, "repeat": r, "score": x} for i, own in enumerate(answers) for r, x in enumerate(own)]
    second = [{"item": i, "repeat": 0, "score": x} for i, x in enumerate([2, 3, 5])]
    found: Any = concord.compare(first, second, wrong=1.0)
    missing = found.pairs[0].missing
    assert found.difference.value == pytest.approx((2 + 0) / 2)
    assert missing.failed_as_wrong == pytest.approx((0.5 + 0 - 4) / 3)
    assert (missing.partly_failed, missing.failed_first) == (1, 1)


def test_a_difference_of_effects_has_an_interval_where_its_level_is_known() -> None:
    nothing: dict[str, Any] = {field.name: None for field in fields(RefereeNumbers)}
    whole = RefereeNumbers(**nothing | {"difference_d": 0.2, "difference_d_interval": (0.1, 0.3)})
    assert whole.d == Estimate(0.2)
    assert replace(whole, difference_d_level=0.9).d.interval == Interval(0.1, 0.3, 0.9, "")
    assert replace(whole, difference_d_interval=None, difference_d_level=0.9).d == Estimate(0.2)


def test_numbers_of_samples_are_a_matter_where_some_are_not_known() -> None:
    def asked(*samples: tuple[int, int] | None) -> list[str]:
        models: Any = [SimpleNamespace(model=f"m{i}", samples_per_cell=one) for i, one in enumerate(samples)]
        return _same_samples(models)

    assert asked((2, 2), (2, 2)) == asked(None, None) == []
    assert "known for some models only (m0: 2)" in asked((2, 2), None)[0]
    assert "fewer samples than others (m0: 2; m1: 1 to 2)" in asked((2, 2), (1, 2))[0]


def test_tasks_show_the_first_model_minus_the_second() -> None:
    rows = [_TaskRow(("a", "b"), TaskMeans("t", 5, (0.75, 0.5)))]
    *means, gap = _task_columns(rows)
    getters = [column.get for column in (*means, gap) if column.get is not None]
    assert [get(rows[0]) for get in getters] == [0.75, 0.5, 0.25]


def test_the_ten_effects_that_moved_most_are_named(tmp_path: Path) -> None:
    for name, step in (("old", 0.0), ("new", 0.3)):
        rows = [
            {"study": f"S{i}", "finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 2.5,
             "human_n": 60, "agent_statistic": 1.0 + i * step, "agent_n": 60} for i in range(13)
        ]  # fmt: skip
        concord.score_people(rows, model="m", n_resamples=0, n_simulations=0).write(tmp_path / name)
    found = concord.compare(tmp_path / "old", tmp_path / "new", as_people=True).to_dict()["moved"]
    assert [row["test"].split(" / ")[0] for row in found] == [f"S{i}" for i in range(12, 2, -1)]
