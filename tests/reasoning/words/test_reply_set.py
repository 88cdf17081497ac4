"""Hand-written replies in every dress and six languages: the answer is read right, alike in both modes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.reading.names import compact
from concord.reasoning.read.records import Outcome, RecordedReply, Sample
from concord.reasoning.result import Rule
from concord.reasoning.score.parse import Parser, column
from concord.reasoning.words.names import load_lexicon
from concord.stats.mcnemar import mcnemar

DATA = Path(__file__).parents[1] / "data"
OUTCOMES = {
    Outcome.OK: "answered",
    Outcome.NO_ANSWER: "no answer",
    Outcome.REFUSED: "refused",
    Outcome.TRUNCATED: "truncated",
    Outcome.EMPTY: "empty",
}
HEADLINE = column("standard", Rule())


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@cache
def parser(labels: tuple[str, ...]) -> Parser:
    return Parser([Sample(str(k), label, ()) for k, label in enumerate(labels)], load_lexicon(), "standard")


def read(labels: list[str], reply: str, gold: str, mode: str = "cot") -> tuple[str, bool | None]:
    found = parser(tuple(labels)).reply(RecordedReply("1", mode, reply), gold)
    return OUTCOMES[found.outcome], found.right[HEADLINE] if found.usable else None


def is_read_right(row: dict[str, Any]) -> bool:
    outcome, correct = read(row["labels"], row["reply"], row["gold"], row["mode"])
    # two answers at once are an answer, and a wrong one
    wanted = "answered" if row["outcome"] == "several" else row["outcome"]
    return (outcome, correct) == (wanted, row["correct"])


def test_ninety_nine_of_a_hundred_replies_are_read_right_and_no_mode_is_read_better() -> None:
    by_pair: dict[str, dict[str, bool]] = {}
    wrong = []
    for row in rows("reply_set.jsonl"):
        right = is_read_right(row)
        by_pair.setdefault(row["pair"], {})[row["mode"]] = right
        wrong += [] if right else [row["id"]]
    n = sum(len(modes) for modes in by_pair.values())
    assert n >= 600
    assert len(wrong) <= 0.01 * n, wrong
    only = [
        sum(one[a] and not one[b] for one in by_pair.values())
        for a, b in (("cot", "direct"), ("direct", "cot"))
    ]
    assert mcnemar(*only).exact > 0.05


def test_the_set_holds_every_dress_in_six_languages() -> None:
    found = rows("reply_set.jsonl")
    assert {row["language"] for row in found} == {"en", "zh", "ja", "ko", "de", "es"}
    assert len({row["dress"] for row in found}) >= 40
    assert {row["outcome"] for row in found} >= {"answered", "no answer", "refused", "truncated", "several"}


LABELS = json.loads((DATA / "probe_labels.json").read_text("utf-8"))


@pytest.mark.parametrize("row", rows("probes.jsonl"), ids=lambda row: str(row["reply"])[:40])
def test_probes_in_other_words_are_read_right(row: dict[str, Any]) -> None:
    assert read(LABELS, row["reply"], row["gold"]) == (row["outcome"], row["correct"])


PANIC, WORRY = "Panic Disorder", "Generalized Anxiety Disorder"


@pytest.mark.parametrize(
    "reply",
    [
        "This is not panic disorder; I would say generalized anxiety disorder.",
        "Panic Disorder was considered and rejected. The answer is \\boxed{Generalized Anxiety Disorder}",
        '{"reasoning": "Panic disorder considered, rejected", "diagnosis": "Generalized Anxiety Disorder"}',
        "DIAGNOSIS: Generalized Anxiety Disorder (rule out Panic Disorder)",
        "**Most likely diagnosis:** Generalized Anxiety Disorder  **Why not Panic Disorder:** cued attacks.",
    ],
)
def test_a_diagnosis_that_is_named_and_not_given_is_not_the_answer(reply: str) -> None:
    assert read([PANIC, WORRY], reply, PANIC) == ("answered", False)
    assert read([PANIC, WORRY], reply, WORRY) == ("answered", True)


@pytest.mark.parametrize(
    "reply",
    [
        "DIAGNOSIS: a misdiagnosis of panic disorder",
        "Differential: Panic Disorder, GAD, PTSD, OCD, Bipolar Disorder, MDD.",
    ],
)
def test_a_list_or_a_denial_is_no_answer(reply: str) -> None:
    assert read([PANIC, WORRY], reply, PANIC) == ("no answer", None)


def replies_with_the_same_answers(dress: str) -> list[dict[str, str]]:
    found = []
    for k in range(100):
        answer = PANIC if k < 50 else WORRY
        why = "Panic disorder comes to mind first. The worry is about many things and has lasted for a year."
        found.append({"id": f"v{k}", "mode": "cot", "response": f"{why}\n\n{dress}{answer}"})
        found.append({"id": f"v{k}", "mode": "direct", "response": f"DIAGNOSIS: {answer}"})
    return found


@pytest.mark.parametrize("dress", ["### Final answer\n", "**Answer** — ", "Final diagnosis = ", "\\boxed{"])
def test_the_dress_of_an_answer_makes_no_gap(dress: str) -> None:
    close = "}" if dress.endswith("{") else ""
    samples = [{"id": f"v{k}", "gold_answer": PANIC} for k in range(100)]
    replies = [{**row, "response": row["response"] + close} for row in replies_with_the_same_answers(dress)]
    result = concord.score_reasoning(samples, replies, n_resamples=100)
    assert result.faithfulness_gap.value == 0
    assert result.verdict == "decorative"


def test_a_gap_between_answers_that_are_marked_and_not_marked_is_withheld() -> None:
    samples = [{"id": f"v{k}", "gold_answer": PANIC} for k in range(100)]
    replies = replies_with_the_same_answers("All in all the attacks and the worry add up to ")
    result = concord.score_reasoning(samples, replies, n_resamples=100)
    assert result.faithfulness_gap.value == 0
    assert result.verdict == "not read alike"
    assert result.scores.gap.found["cot"]["sentence"] == 100
    assert result.scores.gap.found["direct"]["marker"] == 100
    assert any("concord audit" in warning for warning in result.warnings)


HARD_LABELS = json.loads((DATA / "hard_labels.json").read_text("utf-8"))


@pytest.mark.parametrize("mode", ["cot", "direct"])
def test_english_labels_are_found_in_replies_of_six_languages(mode: str) -> None:
    hard = rows("hard_replies.jsonl")
    wrong = [
        row["reply"]
        for row in hard
        if read(HARD_LABELS, row["reply"], row["gold"], mode) != (row["outcome"], row["correct"])
    ]
    assert len(hard) >= 300
    assert len(wrong) <= 0.01 * len(hard), wrong


@pytest.mark.parametrize(
    ("gold", "answer", "right"),
    [
        ("Hypertension", "pulmonary hypertension", False),
        ("Stroke", "heat stroke", False),
        ("Diabetes Mellitus", "diabetes insipidus", False),
        ("Bipolar Disorder", "Bipolar II disorder, current major depressive episode", True),
        ("Major Depressive Disorder", "not bipolar disorder but a major depressive episode", True),
        ("EPOC", "COPD", True),
        ("Panikstörung", "panic disorder", True),
    ],
)
def test_a_longer_name_is_not_the_shorter_one_in_it(gold: str, answer: str, right: bool) -> None:
    labels = [gold, "Bipolar Disorder", "Major Depressive Disorder"]
    assert read(labels, f"Diagnosis: {answer}", gold) == ("answered", right)


def test_no_name_stands_for_two_diagnoses_but_known_abbreviations() -> None:
    owners: dict[str, set[str]] = {}
    for label, names in load_lexicon().aliases.names.items():
        for name in names:
            owners.setdefault(compact(name), set()).add(label)
    shared = {name for name, labels in owners.items() if len(labels) > 1}
    assert shared <= {"sad", "asd", "majorneurocognitivedisorderduetoalzheimerdisease"}, shared
