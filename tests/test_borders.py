"""Small rules at their borders, and formulas with few numbers: every expected value is worked out by hand."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concord
from concord.comparing.comparison import FEW_PAIRS
from concord.comparing.harnesses import _openai_answers
from concord.comparing.judges import _judge_rank
from concord.comparing.metrics import _first_models
from concord.comparing.records import distinct
from concord.comparing.result import MOST_TASKS, _pairs_in_detail, _tasks_title
from concord.comparing.run import few_clusters
from concord.people.answers.outcome import _far_ends
from concord.people.result import Score
from concord.people.table.handmade.cells import Quantity
from concord.people.table.handmade.sides import _sd
from concord.people.table.handmade.words import _is_version
from concord.people.uncertainty.floor_ceiling import _place_in_range
from concord.people.uncertainty.true_effects import EffectPopulation
from concord.people.words import conclusion_words
from concord.planning.pilots import vote_variances
from concord.planning.study import power_f, power_of_test
from concord.reasoning.compare import _line
from concord.reasoning.hints.counts import _impossible
from concord.reasoning.probes.chains import leak_gate
from concord.reasoning.probes.records import ProbeRow
from concord.reasoning.read.replies import _graded
from concord.reasoning.result import LEAK_SHARE, LINE
from concord.reasoning.score.gap import Items
from concord.records import Estimate, Interval
from concord.structure.items import ArrangedItem
from concord.structure.options.result import OptionReply
from concord.structure.options.score import unread_replies
from concord.structure.words.scorers import Asked, named_options


def test_a_tie_is_half_a_vote_and_its_square_a_quarter() -> None:
    """Two pairs, two votes per order; shares for the first seat 3/4 and 1/2, 1/4 and 1/2."""
    votes = np.array([[[1, 0, 1], [1, 1, 0]], [[0, 1, 1], [0, 0, 2]]], dtype=float)
    # variance of one vote: (1 + 1/4)/2 - 9/16 = 1/16; (1)/2 - 1/4 = 1/4; (0 + 1/4)/2 - 1/16 = 1/16; 1/4 - 1/4
    single = np.array([[1 / 16, 1 / 4], [1 / 16, 0]]) * 2
    spread = ((5 / 8 - 1 / 2) ** 2 + (3 / 8 - 1 / 2) ** 2) / 1
    noise = float(np.mean(single.sum(axis=1) / 2) / 4)
    between, within = vote_variances(votes)
    assert (between, within) == pytest.approx((max(0.0, spread - noise), single.mean() / 2))


def _study_of_six_cells() -> Any:
    def factor(*names: str) -> Any:
        return SimpleNamespace(names=names, vary="between")

    factors = {"three": factor("a", "b", "c"), "two": factor("x", "y")}
    return SimpleNamespace(experiments={"e": SimpleNamespace(factors=factors)})


def _noncentral_f(strength: float, df1: float, df2: float) -> float:
    return float(stats.ncf.sf(stats.f.isf(0.05, df1, df2), df1, df2, strength))


def _noncentral_t(shift: float, df: float) -> float:
    return _noncentral_f(shift**2, 1, df)


BY_TWO, BY_THREE = SimpleNamespace(by="two"), SimpleNamespace(by="three")
RANKS = 180 * 3 / math.pi
"""Of 180 participants a test of ranks uses as much as one of means does of so many."""


@pytest.mark.parametrize(
    ("kind", "more", "wanted"),
    [
        ("t-independent", {"groups": BY_TWO}, _noncentral_t(0.5 * math.sqrt(90 / 2), 178)),
        ("t-welch", {"groups": BY_THREE}, _noncentral_t(0.5 * math.sqrt(60 / 2), 118)),
        ("mann-whitney", {}, _noncentral_t(0.5 * math.sqrt(RANKS / 4), RANKS - 2)),
        ("t-one-sample", {}, _noncentral_t(0.5 * math.sqrt(180), 179)),
        ("t-paired", {}, _noncentral_t(0.5 * math.sqrt(180 / 1.4), 179)),
        ("wilcoxon", {}, _noncentral_t(0.5 * math.sqrt(RANKS / 1.4), RANKS - 1)),
        # f = d √(1/2k) for each factor: 1/16 · 2/3 of three levels, and 1/4 · 1/6 · 1/4 of both
        ("anova", {"groups": BY_THREE}, _noncentral_f(180 / 24, 2, 177)),
        ("anova", {"effect": ("three", "two")}, _noncentral_f(180 / 96, 2, 174)),
        ("anova", {"effect": "two", "between": ("three", "two")}, _noncentral_f(180 / 16, 1, 174)),
        ("anova-within", {"measures": "abc"}, _noncentral_f(180 * 3 / 24 / 0.3, 2, 2 * 179)),
        ("regression", {"predictors": "x", "covariates": ("z",)}, _noncentral_f(180 / 16, 1, 177)),
        ("pearson", {}, _noncentral_f(180 / 16, 1, 178)),
        ("chi-square", {}, float(stats.ncx2.sf(stats.chi2.isf(0.05, 1), 1, 180 / 16))),
    ],
)
def test_power_of_planned_tests_is_of_noncentral_distributions(kind: str, more: Any, wanted: float) -> None:
    """Six cells of 30 and d = .5."""
    usual = dict.fromkeys(("groups", "effect", "between", "measures", "predictors"))
    test: Any = SimpleNamespace(**{"test": kind, "experiment": "e", "covariates": (), **usual, **more})
    found = power_of_test(_study_of_six_cells(), test, d=0.5, correlation=0.7 if "anova" in kind else 0.3,
                          alpha=0.05)  # fmt: skip
    assert found(30) == pytest.approx(wanted, abs=1e-7)


def test_an_f_test_without_degrees_of_freedom_has_no_power() -> None:
    assert power_f(5.0, 1, 0, 0.05) == 0.0
    assert power_f(5.0, 1, 1, 0.05) == pytest.approx(_noncentral_f(5.0, 1, 1), abs=1e-7)


def test_a_share_of_leaks_at_the_border_is_no_leak() -> None:
    n = 1000
    at = round(LEAK_SHARE * n)
    assert leak_gate(n, at) == ""
    assert leak_gate(n, at + 1) != ""
    assert leak_gate(0, 0) == ""


def test_an_interval_that_touches_the_line_is_across_it() -> None:
    def at(low: float, high: float) -> str:
        return _line(Interval(low, high, 0.95, ""))

    assert at(LINE, LINE + 0.1) == at(LINE - 0.1, LINE) == "across"
    assert at(LINE + 1e-6, LINE + 0.1) == "above" and at(LINE - 0.1, LINE - 1e-6) == "below"
    assert _line(None) == "unsure of"


def test_a_probe_is_read_where_it_has_an_answer_and_nothing_went_wrong() -> None:
    rows = [
        ProbeRow("early", "a", "prefix", answer=answer, outcome=outcome)
        for answer, outcome in (("A", "ok"), (None, "ok"), ("A", "no answer"), (None, "no answer"))
    ]
    assert [row.read for row in rows] == [True, False, False, False]


def test_a_rate_of_one_is_possible_and_a_larger_one_is_not() -> None:
    assert not list(_impossible({"sycophancy": 1.0}))
    assert [found[0] for found in _impossible({"sycophancy": 1.01})] == ["sycophancy"]


def test_three_clusters_are_warned_about_and_two_have_no_interval_to_warn_about() -> None:
    assert few_clusters(["a", "b", "a"]) == ()
    assert "3 clusters" in few_clusters(["a", "b", "c"])[0]
    assert few_clusters(None) == ()


def test_an_end_is_far_where_one_answer_there_would_double_the_variance() -> None:
    answers = np.array([4.0, 5.0, 6.0])  # mean 5, variance 2/3: .65 x 3 x 2/3 = 1.3
    assert not _far_ends(answers, (4.0, 6.1))
    assert _far_ends(answers, (3.8, 6.0))


def test_what_ended_without_a_score_is_named_where_none_is_there() -> None:
    said = conclusion_words(Score(Estimate(None), None), [], {"scored": 4, "missing": 7})
    assert "7 missing" in said and "4" not in said


def test_a_place_needs_score_floor_and_ceiling() -> None:
    known, none = Estimate(0.6), Estimate(None, note="nothing")
    for sides in ((none, known, known), (known, none, known), (known, known, none)):
        assert _place_in_range(*sides).value is None


def test_options_have_the_names_of_their_own_arrangement() -> None:
    item = ArrangedItem("q", options=("x", "y"))
    assert list(named_options(Asked(item, "option-ids", "1 2 3"))) == ["1", "2"]
    assert list(named_options(Asked(item, "formats", "1 2 3"))) == ["A", "B"]


def test_a_graded_answer_keeps_its_question_and_mode() -> None:
    found = _graded({"id": 7, "mode": "direct", "answer": "flu", "correct": "1.0"}, 3)
    assert (found.id, found.mode, found.right, found.line) == ("7", "direct", True, 3)


def test_one_reply_an_item_in_each_mode_is_not_repeated() -> None:
    def items(n_cot: int, n_direct: int) -> Items:
        return Items(np.arange(3), np.ones(3), np.ones(3), n_cot, n_direct, 3, 3)

    assert [items(*n).repeated for n in ((3, 3), (4, 3), (3, 4))] == [False, True, True]
    assert items(6, 3).repeats == pytest.approx(4 / 3)


def test_a_digit_belongs_to_the_name_of_a_model_once() -> None:
    assert _is_version("4", ["gpt"])
    assert not _is_version("4", ["gpt3"])
    assert not _is_version("treatment", ["gpt"])


def test_a_standard_deviation_is_that_of_the_error_and_n() -> None:
    group = Quantity(se=0.5)
    assert _sd(group, 16.0) == 2.0
    assert _sd(group, None) is None and _sd(Quantity(), 16.0) is None
    assert _sd(Quantity(sd=3.0), None) == 3.0


def test_only_a_preference_is_ranked_by_its_size() -> None:
    side: Any = SimpleNamespace(
        scores=SimpleNamespace(numbers={"preference": Estimate(-0.2), "flip_excess": Estimate(-0.1)})
    )
    assert _judge_rank(side, "preference", ()) == 0.2
    assert _judge_rank(side, "flip_excess", ()) == -0.1


def test_replies_are_compared_by_arrangement_only_where_some_are_read_and_some_are_not() -> None:
    def replies(*answers: str | None) -> list[OptionReply]:
        return [
            OptionReply(
                f"i{i}", str(i % 2), one, None if one is None else 0, 0, 4, None if one is None else True
            )
            for i, one in enumerate(answers)
        ]

    assert unread_replies(replies("A", "B", "A")) == ()
    assert unread_replies(replies(None, None)) == ()
    assert unread_replies(replies("A", None, "A", None))


def test_true_effects_are_drawn_from_nulls_and_a_normal() -> None:
    """Two effects with SE 1: posterior mean and chance of a null by Bayes, by hand."""
    population = EffectPopulation(null_share=0.3, tau2=4.0, n_tests=2)
    d = np.array([0.5, 3.0])
    effects: Any = SimpleNamespace(d=d, se=np.ones(2))
    drawn = population.draw(effects, np.random.default_rng(1), 200_000)
    slab, null = stats.norm(0, math.sqrt(5)).pdf(d), stats.norm(0, 1).pdf(d)
    chance = 0.3 * null / (0.3 * null + 0.7 * slab)
    assert (drawn == 0).mean(axis=0) == pytest.approx(chance, abs=0.005)
    assert drawn.mean(axis=0) == pytest.approx((1 - chance) * d * 4 / 5, abs=0.01)


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (("p/a/run.json", "p/b/run.json"), ["a/run.json", "b/run.json"]),
        (("p/a/x.json", "p/a/y.json"), ["x.json", "y.json"]),
        (("p/a/run.json", "q/a/run.json"), ["p/a/run.json", "q/a/run.json"]),
        (("run.json", "run.json"), ["m [1]", "m [2]"]),
    ],
)
def test_models_of_one_name_are_told_apart_by_as_little_of_their_files_as_does(
    sources: tuple[str, str], names: list[str]
) -> None:
    assert distinct(["m", "m", "n"], [*sources, "other.json"]) == [*names, "n"]


def test_details_are_shown_of_few_pairs() -> None:
    def shown(n: int) -> int:
        rows = [SimpleNamespace(of=SimpleNamespace(comparison=one)) for one in (1, None, 2)]
        return len(_pairs_in_detail(SimpleNamespace(pairs=[None] * n, every_pair=lambda: rows)))  # type: ignore[arg-type]

    assert (shown(FEW_PAIRS), shown(FEW_PAIRS + 1)) == (2, 0)


def test_many_tasks_and_models_are_counted_beyond_those_shown() -> None:
    def title(n: int) -> str:
        return _tasks_title(SimpleNamespace(tasks=[None] * n))  # type: ignore[arg-type]

    assert "more" not in title(MOST_TASKS) and "; 1 more in comparison.json" in title(MOST_TASKS + 1)
    row: Any = SimpleNamespace(order=["a", "b", "c"], pas={"a": 0.5, "b": 0.25, "c": 0.0})
    assert _first_models(row, 2) == "a 0.500, b 0.250, and 1 more"
    assert _first_models(row, 3) == "a 0.500, b 0.250, c 0.000"


def test_a_planned_test_has_two_participants_in_a_cell_at_least() -> None:
    plan: Any = concord.plan("study", "framing", effect=20.0)
    assert {one.n_per_cell for one in plan.tests} == {2}


@pytest.mark.parametrize(("called", "model"), [(["m", "n"], "m"), ([], "log"), ("m", "log"), (None, "log")])
def test_a_model_is_called_as_its_log_says_or_else_as_its_file(called: Any, model: str) -> None:
    rows: list[dict[str, Any]] = [
        {"spec": {"completion_fns": called}},
        {"sample_id": "a", "type": "match", "data": {"correct": True}},
    ]
    assert [one.model for one in _openai_answers(Path("log.jsonl"), rows)] == [model]
