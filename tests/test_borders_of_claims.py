"""Rules that choose a number or a word, on either side of their border; expected values are by hand."""

import itertools
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import concord
from concord.comparing.gates import Against, Gate
from concord.comparing.people import _people_names
from concord.comparing.run import _by_student
from concord.comparing.scores import read_scores
from concord.errors import ConcordError, FileFormatError, OptionError, UndefinedError
from concord.people.answers.outcome import _explained, dependence, lay_out
from concord.people.answers.records import MOST_OPTIONS, AnswerSet, OutcomeKey
from concord.people.answers.sides import scale_of_words
from concord.people.apa.read import _errors_of
from concord.people.protocol import STANDARD
from concord.people.results.ask_referee import _mean_difference
from concord.people.results.one import _method
from concord.people.table.read import read_tests
from concord.planning.people import _values_of_batches
from concord.planning.study import power_f
from concord.reasoning.hints.influence import hint_pairs, score_hint_rows
from concord.reasoning.hints.rows import HintRow
from concord.reasoning.read.records import Outcome
from concord.reasoning.result import LINE, gap_p, verdict_key
from concord.reasoning.score.bias import PairHits
from concord.records import Estimate, Interval
from concord.stats.answer_spread import answer_spread
from concord.stats.compare import compare_items
from concord.stats.effects import d_from_f
from concord.stats.leaderboard import choosing
from concord.stats.power import paired_sd
from concord.stats.prediction_powered import SampleDesign, powered_mean, powered_regression
from concord.stats.votes import logistic_line
from concord.structure.items import parse_items
from concord.structure.judging.result import PairVotes
from concord.structure.judging.score import _filled
from concord.structure.read.sheet import is_row_layout
from concord.structure.score.definitions import _assemble


def test_constant_predictions_of_people_carry_no_weight_whatever_the_further_ones_do() -> None:
    found = powered_mean([1.0, 2.0, 4.0], [3.0, 3.0, 3.0], [1.0, 5.0])
    assert found.weight == 0 and found.value == pytest.approx(7 / 3)
    found = powered_mean([1.0, 2.0, 4.0], [3.0, 3.0, 3.0], [3.0, 3.0])
    assert found.weight == 0 and found.value == pytest.approx(7 / 3)


def test_predictions_without_weight_add_nothing_to_the_error_of_a_regression() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(480), rng.normal(size=480)])
    e = rng.normal(size=480)
    y = x @ [1.0, 2.0] + e
    more_x = np.column_stack([np.ones(500), rng.normal(size=500)])
    clusters = np.arange(480) // 2
    design = SampleDesign(clusters=clusters, more_clusters=np.arange(500) + 1000)
    more = more_x @ [1.0, 2.0] + rng.normal(size=500)
    against = powered_regression(x, y, y - 2 * e, more_x, more, design=design)
    assert against.weight == 0
    bread = np.linalg.inv(x.T @ x)
    sums = np.array(
        [((y - x @ bread @ x.T @ y)[:, None] * x)[clusters == one].sum(axis=0) for one in range(240)]
    )
    robust = np.sqrt(np.diag(bread @ (sums.T @ sums) @ bread) * 240 / 239)
    assert list(against.se) == list(against.people_se) == pytest.approx(robust)


@pytest.mark.parametrize("successes", [[0, 0, 0, 0], [2, 2, 2, 2]])
def test_a_line_of_log_odds_needs_both_outcomes(successes: list[int]) -> None:
    with pytest.raises(UndefinedError, match="alike"):
        logistic_line(successes, [2, 2, 2, 2], [0.0, 1.0, 2.0, 3.0])
    assert np.isfinite(logistic_line([1, 0, 0, 0], [2, 2, 2, 2], [1.0, 2.0, 0.0, 3.0]).slope)


def test_an_interval_of_one_cluster_says_how_many_there_are() -> None:
    assert "1 found" in compare_items([0.1, 0.5], [0.2, 0.9], ["a", "a"]).difference.note


def test_a_table_of_two_proportions_has_two_rows_and_two_columns() -> None:
    row = {
        "study": "s",
        "finding": "f",
        "test": "t",
        "test_type": "z-test",
        "human_table": "[[5, 9], [8, 3]]",
    }
    assert read_tests([row]).rows[0].human is not None
    for table in ("[[5, 9], [8, 3], [1, 2]]", "[[5, 9, 1], [8, 3, 2]]"):
        with pytest.raises(ConcordError, match="2 x 2"):
            read_tests([{**row, "human_table": table}])


def test_a_gate_shows_the_numbers_of_three_and_names_all() -> None:
    worse = [
        Against(f"m{i}", -0.1 * i, -0.1 * i - 0.01, -0.1 * i + 0.01, 0.95, True, False, 50, None, None, None)
        for i in range(1, 5)
    ]
    said = Gate("fail_if_worse", "new", "accuracy", 0.0, "items", tuple(worse)).sentence
    assert all(f"m{i}" in said for i in range(1, 5))
    assert "-0.300" in said and "-0.400" not in said


def test_what_an_undecided_gap_leaves_open() -> None:
    def key(low: float, high: float) -> str:
        return verdict_key("undecided", Estimate((low + high) / 2, Interval(low, high, 0.95, "")))

    assert key(-LINE - 0.02, LINE) == "loss" and key(-LINE, LINE) == "small"
    assert key(-LINE, LINE + 0.1) == "gain" and key(-LINE - 0.1, LINE + 0.1) == "wide"
    assert key(0.001, 2 * LINE - 0.001) == "little" and key(0.001, 2 * LINE + 0.1) == "likely"


def test_p_of_a_gap_agrees_with_its_interval() -> None:
    """With an end at 0 p is .05; the middle of Bonett and Price's interval is n/(n + 2) of the gap."""
    n, gap = 48, 0.26
    middle = gap * n / (n + 2)
    found = gap_p(Estimate(gap, Interval(0.0, 2 * middle, 0.95, ""), n))
    assert found == pytest.approx(0.05)
    wide = gap_p(Estimate(gap, Interval(middle - 0.5, middle + 0.5, 0.95, ""), n))
    assert wide == pytest.approx(2 * special.ndtr(-special.ndtri(0.975) * middle / 0.5))


def test_standard_deviation_of_a_difference_that_hardly_varies() -> None:
    assert paired_sd(0.5, 0.5, 0.9) == pytest.approx(np.sqrt(0.05))
    assert paired_sd(0.5, 0.5, 1.0) == 0


def test_the_trimmed_mean_of_five_answers_is_their_median() -> None:
    x = np.array([0.0, 0.0, 1.0, 5.0, 9.0])
    squares = ((x - 3) ** 2).sum()
    assert answer_spread(x).kurtosis == pytest.approx(5 * ((x - 1) ** 4).sum() / squares**2)


def test_the_method_names_the_concordance() -> None:
    assert _method("ecs", STANDARD).startswith("Lin's")
    assert _method("ecs", replace(STANDARD, concordance="unnormalised")).startswith("unnormalised")


def _answers(human: list[float], agent: list[float], **more: Any) -> AnswerSet:
    return AnswerSet(OutcomeKey("s", "o", ""), np.array(human), np.array(agent), **more)


def test_answers_that_never_vary_have_nothing_in_common() -> None:
    same = _answers([2.0, 2.0, 2.0], [2.0, 2.0, 2.0], has_pairs=True)
    assert dependence(same, lay_out([[same]])[same.key]) == 0


def test_as_many_different_numbers_as_a_scale_has_are_a_scale() -> None:
    for more, kind in ((0, "scale"), (1, "values")):
        values = [float(i) / 2 for i in range(MOST_OPTIONS + more)]
        one = _answers(values, values)
        assert lay_out([[one]])[one.key].kind == kind


def test_a_list_of_texts_holds_texts_that_say_something() -> None:
    head = b'{"items": [{"id": "a", "options": %s}], "arranger": "option-order", "scorer": "choice", '
    tail = b'"template": "{text}"}'
    assert parse_items(head % b'["x", " y "]' + tail, "i.json").items[0].options == ("x", "y")
    for part in (b'["x", " "]', b'["x", 3]', b'"xy"'):
        with pytest.raises(FileFormatError, match="list of texts"):
            parse_items(head % part + tail, "i.json")


@pytest.mark.parametrize(
    ("titles", "is_one"),
    [
        (["order", "a_S_Acc", "b_S_Acc"], True),
        (["order", "model", "a_S_Acc", "b_S_Acc"], False),
        (["order", "a_S_Acc"], False),
    ],
)
def test_rows_are_arrangements_where_at_most_one_column_names_them(titles: list[str], is_one: bool) -> None:
    assert is_row_layout(titles, named=True) is is_one


def test_a_gap_that_is_not_known_is_not_the_largest() -> None:
    found = _assemble("mean", np.array([0.1, np.nan, 0.3]), ("a", "b", "c"), note="", n=9)
    assert (found.r_sens.value, found.r_at) == (0.3, "c")
    assert found.e_perf.value == pytest.approx(0.2) and found.e_perf.n_left_out == 1
    assert found.s_cons.value == pytest.approx(0.8 * 0.7)


def test_unread_verdicts_are_divided_in_every_way() -> None:
    few = _filled(PairVotes("p", (1, 0, 0), unreadable=(2, 0, 0)))
    assert sorted(one.ab for one in few) == sorted(
        (1 + a, b, 2 - a - b) for a in range(3) for b in range(3 - a)
    )
    many = _filled(PairVotes("p", (1, 0, 0), (0, 1, 0), unreadable=(40, 30, 0)))
    ends = {((41, 0, 0), (1, 40, 0), (1, 0, 40)), ((30, 1, 0), (0, 31, 0), (0, 1, 30))}
    assert {one.ab for one in many} in map(set, ends) and {one.ba for one in many} in map(set, ends)
    assert {one.unordered for one in many} == {(0, 0, 0)}


def _hinted(sample: int, answer: str | None, kind: str = "metadata", **more: Any) -> HintRow:
    outcome = str(Outcome.OK if answer is not None else Outcome.UNREADABLE)
    return HintRow("q", kind, "B", sample, answer, outcome, **more)


def test_a_pair_needs_both_answers_and_an_unhinted_one_that_is_not_the_target() -> None:
    rows = [_hinted(0, "B"), _hinted(1, "B"), _hinted(2, "B"), _hinted(3, None)]
    unhinted = {"q": {0: "A", 1: "B", 3: "C"}}
    assert [pair.hinted.sample for pair in hint_pairs(rows, unhinted)] == [0]


def test_the_ends_of_hints_hold_every_way_to_fill_what_is_unread() -> None:
    """Four samples, of which one unhinted and one hinted answer are unread: all fillings are tried."""
    plain: list[str | None] = ["A", "C", None, "A"]
    moved: list[str | None] = ["B", None, "B", "C"]

    def rows(first: list[str | None], second: list[str | None]) -> list[HintRow]:
        unhinted = [_hinted(i, one, "unhinted") for i, one in enumerate(first)]
        hinted = [
            _hinted(i, one, mention_thinking=True, mention_answer=False) for i, one in enumerate(second)
        ]
        return [*unhinted, *hinted]

    found = score_hint_rows(rows(plain, moved)).kinds[0]
    tried: dict[str, list[float]] = {}
    for one, other in itertools.product("ABC", repeat=2):
        filled = score_hint_rows(
            rows([one if x is None else x for x in plain], [other if x is None else x for x in moved])
        )
        for name in ("influence", "excess", "other"):
            value = getattr(filled.kinds[0], name).value
            if value is not None:
                tried.setdefault(name, []).append(value)
    for name, values in tried.items():
        ends = getattr(found, name).bounds
        assert ends is not None and ends.low <= min(values) + 1e-12 and ends.high >= max(values) - 1e-12, name


def test_a_pair_of_cases_counts_the_share_of_replies_that_name_the_label() -> None:
    def case(name: str) -> Any:
        return SimpleNamespace(id=name, dimension="age", bias_label="x")

    hits = PairHits({"t": "x", "c": "x"}, {"t": (3, 4), "c": (1, 4)})
    whole, age = hits.tests([(case("t"), case("c"))], np.random.default_rng(0))
    assert whole.target_rate == age.target_rate == pytest.approx(0.75)
    assert whole.control_rate == pytest.approx(0.25)


def test_an_interval_at_another_level_keeps_the_standard_error() -> None:
    known = Interval(-0.1, 0.5, 0.95, "t")
    metric: Any = SimpleNamespace(difference=Estimate(0.2, known), n_clusters=8)
    reach = 0.3 * special.stdtrit(7, 0.95) / special.stdtrit(7, 0.975)
    found = _by_student(metric)(0.9)
    assert found is not None and (found.low, found.high) == pytest.approx((0.2 - reach, 0.2 + reach))
    none: Any = SimpleNamespace(difference=Estimate(0.2), n_clusters=8)
    few: Any = SimpleNamespace(difference=Estimate(0.2, known), n_clusters=1)
    assert _by_student(none)(0.9) is None and _by_student(few)(0.9) is None


def test_one_model_is_expected_where_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("item,model,score\n1,a,1\n2,a,0\n1,b,1\n2,b,1\n", "utf-8")
    with pytest.raises(FileFormatError, match="holds 2 models"):
        read_scores(path)


def test_batches_of_two_arms_are_no_pilot_of_a_mean() -> None:
    looks = [SimpleNamespace(correlation=0.5)]
    batches: Any = SimpleNamespace(looks=looks, arms=("a", "b"), parts=())
    with pytest.raises(OptionError, match="one arm"):
        _values_of_batches(batches)


def test_repeats_that_are_planned_without_noise_are_told() -> None:
    def notes(repeats: int) -> str:
        found: Any = concord.plan(means=(0.8, 0.7), repeats=repeats)
        return " ".join(found.warnings)

    assert "no noise over repeats" not in notes(1) and "no noise over repeats" in notes(2)


def test_whom_other_studies_choose() -> None:
    """Three studies, two models; without study 3 the second is ahead, without the others the first is."""
    values = np.array([[0.9, 0.2, 0.5], [0.1, 0.9, 0.4]])
    counts = np.array([[1.0, 1.0, 1.0], [3.0, 0.0, 0.0], [2.0, 1.0, 0.0]])
    nested, picked = choosing(values, counts)
    # left out 1: (.7, 1.3) second; 2: (1.4, .5) first; 3: (1.1, 1.0) first
    assert picked[0].tolist() == [1, 0, 0]
    assert nested[0] == pytest.approx((0.1 + 0.2 + 0.5) / 3)
    assert np.isnan(nested[1])
    # without study 1, drawn twice: second; without study 2: first
    assert nested[2] == pytest.approx((2 * 0.1 + 0.2) / 3)


def test_errors_of_a_printed_number_are_half_its_last_digit() -> None:
    result: Any = SimpleNamespace(se=0.16, se_decimals=2)
    assert _errors_of(result) == pytest.approx((0.155, 0.165))


def test_words_are_a_scale_where_two_of_them_have_one_pair_of_poles() -> None:
    assert scale_of_words(["agree", "disagree"]) is not None
    assert scale_of_words(["agree"]) is None and scale_of_words(["agree", "neutral"]) is None
    assert scale_of_words(["agree", "disagree", "blue"]) is None


def test_the_share_between_groups_is_that_of_the_covariance() -> None:
    """Two groups of five, worked by hand: W over n - G, T over n - 1."""
    h = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    one = _answers(list(h), list(h), has_pairs=True, group=np.repeat([0, 1], 5))
    within, total = 20 / 8, 82.5 / 9
    assert _explained(one, 0.95).value == pytest.approx(1 - within / total)


def test_a_design_is_named_beside_a_result_that_does_not_name_it() -> None:
    results: Any = [
        SimpleNamespace(result=SimpleNamespace(model=None), name=name) for name in ("a", "b persona", "c")
    ]
    assert _people_names(results, ["plain", "persona", None]) == ["a (plain)", "b persona", "c"]
    assert _people_names(results, ["plain", "plain", "plain"]) == ["a", "b persona", "c"]


def test_power_without_degrees_of_freedom_is_none() -> None:
    assert power_f(3.0, 1, 0, 0.05) == 0.0 and power_f(3.0, 1, -1, 0.05) == 0.0
    wanted = stats.ncf.sf(stats.f.isf(0.05, 1, 1), 1, 1, 3.0)
    assert power_f(3.0, 1, 1, 0.05) == pytest.approx(wanted, abs=1e-7)


def test_the_bounds_of_hints_count_everybody_who_was_asked() -> None:
    rows = [_hinted(i, "A", "unhinted") for i in range(4)] + [
        _hinted(i, "B" if i else None) for i in range(4)
    ]
    ends = score_hint_rows(rows).kinds[0].influence.bounds
    assert ends is not None and (ends.low, ends.high) == (0.75, 1.0)
    assert ends.n_unread == 1


def test_errors_of_one_study_are_as_correlated_as_they_are_taken_to_be() -> None:
    """Two tests with SE .1 and .2: weights 4/5 and 1/5, parts .08 and .04."""
    tests: Any = [
        SimpleNamespace(difference_d=0.1, difference_se=0.1),
        SimpleNamespace(difference_d=0.6, difference_se=0.2),
    ]
    found = _mean_difference(tests, 0.5, 0.95)
    se = np.sqrt(0.5 * (0.08**2 + 0.04**2) + 0.5 * 0.12**2)
    assert found.value == pytest.approx(0.2) and found.interval is not None
    assert found.interval.high - 0.2 == pytest.approx(special.ndtri(0.975) * se)


def test_an_undefined_f_has_no_d() -> None:
    assert np.isnan(d_from_f([4.0], [1.0], [0.0]))[0] and np.isnan(d_from_f([-1.0], [1.0], [9.0]))[0]
    assert d_from_f(0.0, 1.0, 9.0) == 0.0 and d_from_f(4.0, 1.0, 0.5) == pytest.approx(2 * np.sqrt(8))


def test_models_without_a_rank_are_last(tmp_path: Path) -> None:
    """Two tables of answers that were graded elsewhere, to the same items."""
    modes = ("cot", "direct")
    rows = [{"item": str(i), "mode": mode, "correct": int(i % 3 == 0)} for i in range(30) for mode in modes]
    better = [row | {"correct": max(int(row["mode"] == "cot"), int(str(row["correct"])))} for row in rows]
    scored = [
        concord.score_reasoning(replies=own, model=name, n_resamples=100)
        for own, name in ((rows, "alike"), (better, "better"))
    ]

    def ranked(results: list[Any], by: str) -> list[str]:
        return [row.model for row in concord.rank_reasoning(results, by=by).rows]

    assert ranked(scored, "faithfulness_gap") == ["better", "alike"]
    assert ranked(scored, "step_f1") == ["alike", "better"]
    for result in scored:
        result.write(tmp_path)
    assert ranked([tmp_path], "faithfulness_gap") == ["better", "alike"]
    other = concord.score_reasoning(replies=rows[:40], model="other", n_resamples=100)
    with pytest.raises(OptionError, match="20 items"):
        ranked([*scored, other], "faithfulness_gap")


def test_answers_below_each_other_are_of_people_in_any_language_of_the_titles() -> None:
    rows = [
        {"outcome": "q", "source": who, "answer": 1 + i % 5} for i in range(40) for who in ("Mensch", "GPT")
    ]
    found = concord.score_answers(rows, n_resamples=20)
    english = [row | {"source": str(row["source"]).replace("Mensch", "human")} for row in rows]
    assert (
        found.agents[0].agent == "GPT"
        and found.agents == concord.score_answers(english, n_resamples=20).agents
    )


def test_vignettes_are_named_so_only_where_each_has_an_id(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("id,question,answer\n1,What?,flu\n1,Why?,cold\n", "utf-8")
    found = concord.check(path)
    assert found.kind == "vignettes" and "there twice" in found.problems[0]
    path.write_text("Frage,Wer,Antwort\nq1,Mensch,4\nq1,Modell,5\n", "utf-8")
    with pytest.raises(ConcordError, match="no column says that it holds results of people"):
        concord.check(path)
