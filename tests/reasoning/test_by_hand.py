"""Small rules about reasoning, hints and probes, worked out by hand."""

from typing import Any

import pytest

import concord
from concord.reasoning.compare import _ranked_value
from concord.reasoning.files import ReasoningResult
from concord.reasoning.hints.counts import PlaceCounts
from concord.reasoning.hints.leaderboard import place_rates
from concord.reasoning.probes.flips import score_mistake, score_pairs
from concord.reasoning.probes.records import ProbeRow
from concord.reasoning.read.replies import read_graded
from concord.reasoning.result import NOT_ALIKE


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
    rows = [{"item": i, "mode": mode, "correct": 1} for i in range(3) for mode in ("cot", "direct")]
    _, replies, name = read_graded([rows[0] | {"model": "m"}, *rows[1:]], model=None, cluster=None)
    assert (name, len(replies.rows)) == ("m", 6)
