"""Hand-written replies in every dress and six languages: read right or left unread, alike in both modes."""

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
WORDS = {
    Outcome.OK: "answered",
    Outcome.SEVERAL: "answered",
    Outcome.UNREADABLE: "no answer",
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
    return WORDS[found.outcome], found.right[HEADLINE] if found.usable else None


def became_of(row: dict[str, Any], labels: list[str]) -> str:
    """Say whether a reply is read right, left unread, or misread."""
    reply = RecordedReply("1", row.get("mode", "cot"), row["reply"])
    if parser(tuple(labels)).reply(reply, row["gold"]).outcome is Outcome.SEVERAL and row["correct"]:
        return "unread"
    outcome, correct = read(labels, row["reply"], row["gold"], row.get("mode", "cot"))
    # two answers at once are an answer, and a wrong one
    wanted = "answered" if row["outcome"] == "several" else row["outcome"]
    if outcome == wanted == "answered":
        return "right" if correct == row["correct"] else "misread"
    return "misread" if outcome == "answered" else "unread" if wanted == "answered" else "right"


@pytest.mark.parametrize(
    ("name", "labels", "most_unread"),
    [("reply_set", None, 0.06), ("hard_replies", "hard_labels", 0.25), ("probes", "probe_labels", 0.18)],
)
def test_next_to_nothing_is_misread_and_only_free_text_is_left_unread(
    name: str, labels: str | None, most_unread: float
) -> None:
    own = None if labels is None else json.loads((DATA / f"{labels}.json").read_text("utf-8"))
    found = [(became_of(row, own or row["labels"]), row["reply"]) for row in rows(f"{name}.jsonl")]
    wrong = [reply for what, reply in found if what == "misread"]
    assert len(wrong) <= 0.005 * len(found) + 0.5, wrong
    assert sum(what == "unread" for what, _ in found) <= most_unread * len(found)


def test_no_mode_is_read_better() -> None:
    by_pair: dict[str, dict[str, bool]] = {}
    for row in rows("reply_set.jsonl"):
        by_pair.setdefault(row["pair"], {})[row["mode"]] = became_of(row, row["labels"]) == "right"
    assert sum(len(modes) for modes in by_pair.values()) >= 600
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


def test_a_gap_between_answers_that_are_read_and_unread_is_withheld() -> None:
    samples = [{"id": f"v{k}", "gold_answer": PANIC} for k in range(100)]
    replies = replies_with_the_same_answers("DIAGNOSIS: ")
    for row in replies[:60:2]:
        row["response"] = "It is hard to tell the attacks from the worry in this story."
    result = concord.score_reasoning(samples, replies, n_resamples=100)
    assert result.verdict == "not read alike"
    assert result.scores.gap.found["cot"] == {"structured": 0, "marked": 70, "bare": 0, "none": 30}
    assert result.scores.gap.found["direct"]["marked"] == 100
    assert any("concord audit" in warning for warning in result.warnings)


def test_names_outside_the_list_are_wrong_answers_and_stay_in_the_denominator() -> None:
    samples = [{"id": f"v{k}", "gold_answer": PANIC} for k in range(60)]
    replies = [
        {"id": f"v{k}", "mode": mode, "response": "DIAGNOSIS: Panic Disorder" if k < 30 else
         "The diagnosis is **Codependency**."}
        for k in range(60)
        for mode in ("cot", "direct")
    ]  # fmt: skip
    result = concord.score_reasoning(samples, replies, n_resamples=100)
    assert (result.scores.gap.acc_cot.value, result.scores.gap.acc_cot.n) == (0.5, 60)


THOUGHT = "At first the DIAGNOSIS: Panic Disorder"
FORMS = [
    "<think>{}</think>", "<thinking>{}</thinking>", "<reasoning>{}</reasoning>", "<thought>{}</thought>",
    "<scratchpad>{}</scratchpad>", "<seed:think>{}</seed:think>", "[THINK]{}[/THINK]", "◁think▷{}◁/think▷",
    "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_what_was_thought_is_never_the_answer(form: str) -> None:
    reply = f"{form.format(THOUGHT)}\nDIAGNOSIS: Generalized Anxiety Disorder"
    assert read([PANIC, WORRY], reply, WORRY) == ("answered", True)
    assert read([PANIC, WORRY], form.format(THOUGHT), PANIC)[1] is None


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
