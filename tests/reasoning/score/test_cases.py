"""Steps side by side: what a case holds, and how large it may get."""

from typing import Any

import concord
from concord.reasoning.result import Case
from concord.reasoning.score.replies import MOST_STEPS, STEP_CHARACTERS

GOLD = [
    "Low mood and loss of interest have lasted for more than two weeks",
    "Sleep and appetite are disturbed nearly every day of the week",
]
OTHER = "Nothing in the history speaks for a manic episode at any time"


def case_of(cot: dict[str, Any], direct: str | None = "DIAGNOSIS: GAD", **options: Any) -> Case:
    samples = [{"id": "a", "gold_answer": "Major Depressive Disorder", "gold_reasoning": GOLD}]
    replies = [{"id": "a", "mode": "cot", **cot}]
    replies += [] if direct is None else [{"id": "a", "mode": "direct", "response": direct}]
    result = concord.score_reasoning(samples, replies, n_resamples=100, **options)
    case: Case = result.scores.cases[0]
    return case


def test_a_case_says_which_step_matched_which_gold_step() -> None:
    case = case_of({"response": f"REASONING: {OTHER}. {GOLD[1]}. {GOLD[0]}. {GOLD[0]}.\nDIAGNOSIS: MDD"})
    assert case.steps == (OTHER, GOLD[1], GOLD[0], GOLD[0] + ".")
    assert case.gold_steps == tuple(GOLD)
    assert case.pairs == ((1, 1), (2, 0))  # the second mention finds its gold step taken
    assert (case.n_steps, case.n_gold_steps, case.n_matched) == (4, 2, 2)
    assert (case.early_answer, case.answer) == ("GAD", "MDD")


def test_a_case_is_small_however_long_the_reply() -> None:
    steps = ". ".join(f"{number} {'word ' * 200}" for number in range(500))
    case = case_of({"response": f"REASONING: {steps}. {GOLD[0]}.\nDIAGNOSIS: MDD. {'MDD ' * 90_000}"})
    assert (case.n_steps, case.n_matched) == (501, 1)
    assert (len(case.steps), case.pairs) == (MOST_STEPS, ())
    assert max(map(len, case.steps)) == STEP_CHARACTERS
    assert case.steps[0].endswith("…")
    assert case.answer == "MDD"


def test_a_reply_that_was_left_out_has_no_steps_and_a_missing_mode_no_answer() -> None:
    case = case_of({"response": f"REASONING: {GOLD[0]}. {GOLD[1]}. {OTHER}", "status": "failed"}, None)
    assert (case.steps, case.pairs, case.n_steps) == ((), (), 0)
    assert case.early_answer is None


def test_the_document_carries_the_steps_of_its_examples() -> None:
    samples = [{"id": "a", "gold_answer": "Major Depressive Disorder", "gold_reasoning": GOLD}]
    text = f"REASONING: {GOLD[0]}. {GOLD[1]}.\nDIAGNOSIS: MDD"
    replies = [
        {"id": "a", "mode": "cot", "response": text},
        {"id": "a", "mode": "direct", "response": "DIAGNOSIS: GAD"},
    ]
    document = concord.score_reasoning(samples, replies, n_resamples=100).to_dict()
    example = document["examples"][0]
    assert example["rule"] == "reasoning changed the answer from wrong to right"
    assert example["case"]["gold_steps"] == GOLD
    assert example["case"]["pairs"] == [[0, 0], [1, 1]]
