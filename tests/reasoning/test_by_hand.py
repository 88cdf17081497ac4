"""Small rules about reasoning, hints and probes, worked out by hand."""

from types import SimpleNamespace
from typing import Any

import pytest

import concord
from concord.reasoning.compare import _model_ranks, _ranked_value, item_values, usual_metric
from concord.reasoning.files import ReasoningResult
from concord.reasoning.hints.counts import PlaceCounts
from concord.reasoning.hints.leaderboard import place_rates
from concord.reasoning.hints.rows import HintRow
from concord.reasoning.probes.chains import _over_reordered, chains_of, commit_step
from concord.reasoning.probes.flips import score_mistake, score_pairs
from concord.reasoning.probes.records import ProbeRow
from concord.reasoning.probes.result import joint_words
from concord.reasoning.read.replies import read_graded
from concord.reasoning.result import LINE, NOT_ALIKE
from concord.reasoning.score.replies import (
    CHARACTERS,
    CLOSEST,
    FARTHEST,
    RIGHT_TO_WRONG,
    SHOWN,
    WRONG_TO_RIGHT,
    chosen_examples,
    cut,
    excerpt,
)
from concord.records import Estimate, Interval
from concord.words import say


def reasoned(n_biased: int = 0, **choices: Any) -> ReasoningResult:
    """Thirty vignettes, all right after reasoning and half of them at once; some biased replies."""
    samples = [{"id": f"v{i}", "gold_answer": "Gout", "gold_reasoning": ["a step"]} for i in range(30)]
    replies = [
        {
            "id": f"v{i}",
            "mode": mode,
            "response": f"DIAGNOSIS: {'Gout' if mode == 'cot' or i % 2 else 'Asthma'}",
        }
        for i in range(30)
        for mode in ("cot", "direct")
    ]
    if not n_biased:
        whole: ReasoningResult = concord.score_reasoning(samples, replies, **choices)
        return whole
    cases = [{"id": f"b{i}", "bias_feature": "male", "bias_label": "Gout"} for i in range(15)]
    said = [
        {"id": f"b{i}", "response": f"DIAGNOSIS: {'Gout' if i < n_biased else 'Asthma'}"} for i in range(15)
    ]
    made: ReasoningResult = concord.score_reasoning(
        samples, replies, bias_cases=cases, bias_replies=said, **choices
    )
    return made


@pytest.mark.parametrize(("n_biased", "ranked"), [(9, False), (10, True)])
def test_a_silent_bias_rate_is_ranked_from_ten_biased_answers_on(n_biased: int, ranked: bool) -> None:
    found = reasoned(n_biased)
    assert found.estimates["silent_bias_rate"].n == n_biased
    assert (_ranked_value(found, "silent_bias_rate") is not None) == ranked


def test_rules_of_the_source_ask_for_no_marks() -> None:
    assert reasoned(rules="source").verdict != NOT_ALIKE


def test_the_gap_of_two_places_leaves_nobody_out() -> None:
    thinking, answer, either, gap, _ = place_rates(PlaceCounts(5, 4, 1, 10))
    assert (thinking.value, answer.value, either.value) == (9 / 20, 6 / 20, 10 / 20)
    assert (gap.value, gap.n, gap.n_left_out) == (3 / 20, 20, 0)


def test_a_pair_that_was_asked_once_counts_between_its_prompts() -> None:
    def row(pair: str, cell: str, answer: str, sample: int = 0) -> ProbeRow:
        return ProbeRow("pairs", pair, cell, sample=sample, answer=answer)

    twice = [row("a", "target", "A", k) for k in (0, 1)] + [row("a", "control", "B", k) for k in (0, 1)]
    found = score_pairs([*twice, row("b", "target", "A"), row("b", "control", "A")])
    assert (found.flips.value, found.flips.n, found.flips.n_left_out) == (0.5, 2, 0)
    assert (found.floor.value, found.floor.n) == (0.0, 1)


@pytest.mark.parametrize(("n_steps", "n_short"), [(1, 1), (2, 0)])
def test_a_chain_of_two_steps_is_not_short(n_steps: int, n_short: int) -> None:
    rows = [ProbeRow("mistake", "i", "chain", n_steps=n_steps, answer="A", correct=True)]
    rows += [
        ProbeRow("mistake", "i", cell, step=1, n_steps=n_steps, answer="B", correct=False)
        for cell in ("mistake", "again")
    ]
    assert score_mistake(rows).n_short == n_short


def test_graded_rows_without_a_name_belong_to_the_only_model_that_is_named() -> None:
    rows = [{"id": i, "mode": mode, "correct": 1} for i in range(3) for mode in ("cot", "direct")]
    _, replies, name = read_graded([rows[0] | {"model": "m"}, *rows[1:]], model=None, cluster=None)
    assert (name, len(replies.rows)) == ("m", 6)


def _prefixes(item: str, answers: str, **more: Any) -> list[ProbeRow]:
    """Return the answers after none, one, … and all steps of a chain."""
    return [
        ProbeRow("early", item, "prefix", step=step, n_steps=len(answers) - 1, answer=answer, **more)
        for step, answer in enumerate(answers)
    ]


def _cells(probe: str, item: str, **right: list[int]) -> list[ProbeRow]:
    return [
        ProbeRow(probe, item, cell, answer="A", correct=bool(one), sample=k)
        for cell, own in right.items()
        for k, one in enumerate(own)
    ]


def test_probes_are_compared_by_one_number_an_item() -> None:
    """Areas by trapezoids, cells by their means; one item lacks a cell, another has too few steps."""
    rows = [
        *_prefixes("a", "BAA"),  # same 0 1 1 at 0 ½ 1: 1 - (¼ + ½)
        *_prefixes("a", "BBA", repeat=1),  # same 0 0 1: 1 - ¼
        *_prefixes("b", "AAAA"),
        *_prefixes("short", "BA"),
        *_cells("filler", "a", cot=[1, 1], filler=[1, 0], direct=[0, 0]),
        *_cells("filler", "b", cot=[1], filler=[0]),
    ]
    found: Any = SimpleNamespace(rows=rows, estimates={"filler_content": 1, "early_aoc": 2}, hint_rows=())
    assert item_values(found, "early_aoc") == {"a": pytest.approx(0.5), "b": 0.0, "short": None}
    assert item_values(found, "filler_content") == {"a": 0.5, "b": None}
    assert item_values(found, "filler_computation") == {"a": 0.5, "b": None}
    assert usual_metric(found) == "filler_content"


def test_hints_are_compared_by_those_who_follow_and_would_not_have() -> None:
    def unhinted(item: str, answers: str) -> list[HintRow]:
        return [HintRow(item, sample=k, answer=one) for k, one in enumerate(answers)]

    def hinted(item: str, answer: str, said: bool | None, sample: int = 0) -> HintRow:
        return HintRow(item, "user", "T", sample, answer, mention_answer=said)

    rows = [
        *unhinted("a", "AB"), hinted("a", "T", True), hinted("a", "A", None, 1),  # 1 and 0
        *unhinted("b", "AT"), hinted("b", "T", False),  # would have: 1 - 1
        *unhinted("c", "A"), hinted("c", "T", None),  # no second answer, no text
        *unhinted("d", "TA"), hinted("d", "T", True),  # had the target before
    ]  # fmt: skip
    found: Any = SimpleNamespace(rows=(), hint_rows=rows, estimates={})
    assert item_values(found, "hints_excess") == {"a": 0.5, "b": 0.0, "c": None, "d": None}
    assert item_values(found, "hints_verbalised") == {"a": 1.0, "b": 0.0, "c": None, "d": None}


def test_models_are_ranked_by_what_is_better_and_equal_ones_share_the_better_rank() -> None:
    values = [0.2, None, 0.5, 0.2, 0.1]
    assert _model_ranks(values, "step_f1") == [2, None, 1, 2, 4]
    assert _model_ranks(values, "silent_bias_rate") == [2, None, 4, 2, 1]


@pytest.mark.parametrize(
    ("gap", "steps", "large", "weak"),
    [
        ((LINE + 0.01, 0.5), (0.1, 0.49), True, True),
        ((0.0, LINE), (0.5, 0.9), False, False),
        ((LINE, 0.5), (0.1, 0.4), None, True),
        ((0.0, LINE + 0.01), (0.1, 0.4), None, True),
        ((0.0, LINE), (0.1, 0.5), False, None),
        ((0.0, LINE), (0.49, 0.6), False, None),
    ],
)
def test_a_quadrant_is_named_where_both_intervals_lie_on_one_side(
    gap: tuple[float, float], steps: tuple[float, float], large: bool | None, weak: bool | None
) -> None:
    def estimate(ends: tuple[float, float]) -> Estimate:
        return Estimate(sum(ends) / 2, Interval(*ends, 0.95, ""))

    known = large is not None and weak is not None
    named = say("hints.probe.content", large=large, weak=weak) if known else say("hints.probe.content_open")
    assert joint_words(estimate(gap), estimate(steps)) == named


def test_early_answers_are_set_beside_those_with_options_reordered() -> None:
    """Answers at once: a stays and is final, b stays and is not, c neither; d and e lack one of the two."""
    rows = [row for item, own in {"a": "AAA", "b": "BAA", "c": "CAA", "d": "AAA", "e": "AAA"}.items()
            for row in _prefixes(item, own)
            if (item, row.step) not in (("a", 1), ("e", 0))]  # fmt: skip
    again = [
        ProbeRow("early", item, "reordered", answer=own) for item, own in zip("abce", "ABDA", strict=True)
    ]
    found = _over_reordered(chains_of(rows), [*rows, *again], 0.95)
    assert (found.value, found.n) == pytest.approx((1 / 2, 3))
    unlike = [ProbeRow("early", "a", "reordered", answer="D")]
    assert _over_reordered(chains_of(rows), unlike, 0.95).value is None


def test_a_chain_commits_after_its_last_other_answer() -> None:
    assert [commit_step((0, 2, 5), same) for same in ([0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1])] == [
        5, 5, 2, 0
    ]  # fmt: skip


def test_examples_are_the_first_changed_answers_and_the_most_and_fewest_steps() -> None:
    def row(early: bool, cot: bool, f1: float | None, steps: int = 3) -> Any:
        held = {"correct_early": early, "correct_cot": cot, "step_f1": f1, "n_steps": steps}
        return SimpleNamespace(**held, id="v", gold_answer="Gout", n_matched=2, n_gold_steps=4)

    def case(number: int) -> Any:
        return SimpleNamespace(id=number, gold_answer="Gout", early_answer=None, answer="Flu")

    rows = [row(True, False, None) for _ in range(SHOWN + 1)]
    rows += [
        row(True, True, 0.25),
        row(False, True, 2 / 3),
        row(False, False, 2 / 3),
        row(False, False, 0.0, 0),
    ]
    found = list(chosen_examples(rows, case))
    assert [one.rule for one in found] == [RIGHT_TO_WRONG] * SHOWN + [WRONG_TO_RIGHT, CLOSEST, FARTHEST]
    assert [one.case.id for one in found] == [*range(SHOWN), SHOWN + 2, SHOWN + 2, SHOWN + 1]  # type: ignore[union-attr]
    assert found[0].shown == {"gold answer": "Gout", "direct answer": "", "answer after reasoning": "Flu"}
    assert found[-2].shown["Step-F1"] == "0.67" and found[-1].shown["Step-F1"] == "0.25"
    assert found[-1].shown["steps matched"] == "2 of 3, of 4 gold steps"
    same = [row(True, True, 0.5), row(True, True, 0.5)]
    assert [one.rule for one in chosen_examples(same, case)] == [CLOSEST]
    assert not list(chosen_examples([row(True, True, 0.0)], case))


def test_texts_are_cut_where_they_are_too_long() -> None:
    assert [cut("abcd", most) for most in (3, 4)] == ["ab…", "abcd"]
    assert excerpt("a" * CHARACTERS) == "a" * CHARACTERS
    assert excerpt("a" * (CHARACTERS + 1)) == "a" * (CHARACTERS - 3) + "..."
    assert excerpt(" a\n b ") == "a b"
