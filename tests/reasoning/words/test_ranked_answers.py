"""Answers that rank or list diagnoses: the first rank is the answer, and a list without one is none."""

import pytest

import concord
from concord.errors import FileFormatError

READ = [
    ("Panic Disorder", "Primary: Panic Disorder\nSecondary: Generalized Anxiety Disorder", True),
    ("Agoraphobia", "Primary: Panic Disorder\nSecondary: Agoraphobia", False),
    ("Panic Disorder", "DIAGNOSIS: Primary: Panic Disorder / Secondary: Agoraphobia", True),
    ("Agoraphobia", "DIAGNOSIS: Primary: Panic Disorder / Secondary: Agoraphobia", False),
    ("Panic Disorder", "**Primary:** Panic Disorder\n**Comorbidity:** Agoraphobia", True),
    ("Secondary hypertension", "DIAGNOSIS: Secondary hypertension", True),
    ("Panic Disorder", "| Field | Value |\n|---|---|\n| Diagnosis | Panic Disorder |\n| Sure | high |", True),
    ("Panic Disorder", "| Diagnosis | Chance |\n|---|---|\n| Panic Disorder | 80% |\n| GAD | 15% |", None),
    ("Panic Disorder", "DIAGNOSIS: none can be established", None),
    ("Asthma", "COPD vs asthma; I favour asthma", True),
    ("COPD", "COPD vs asthma; I favour asthma", False),
    ("COPD", "Diagnosis: Asthma vs COPD", False),
    ("Asthma", "Asthma is favoured over COPD.", None),
    ("Asthma", "I do not favour asthma; COPD fits.", None),
]


@pytest.mark.parametrize(("gold", "reply", "right"), READ)
def test_the_first_rank_is_the_answer(gold: str, reply: str, right: bool | None) -> None:
    sample = {"id": "1", "gold_answer": gold, "gold_reasoning": ["a step"]}
    replies = [{"id": "1", "mode": mode, "response": reply} for mode in ("cot", "direct")]
    (row,) = concord.score_reasoning([sample], replies).to_frame().iter_rows(named=True)
    assert row["correct_early"] is right


BATCH = [
    ("Diabetic ketoacidosis", "I'm not a doctor, but the ketones make DKA the most likely diagnosis.", True),
    ("Diabetic ketoacidosis", "I'm not a doctor. Please see one.", None),
    ("Appendicitis", "It could be appendicitis or ovarian torsion; more information is needed.", None),
    ("Pulmonary embolism", "B", None),
    ("Pulmonary embolism", "Answer: B. Pulmonary embolism", True),
    ("Hypothyroidism", "Hypothyroid", True),
]


@pytest.mark.parametrize(("gold", "reply", "right"), BATCH)
def test_replies_of_batches_are_read_in_both_forms_of_openai(
    gold: str, reply: str, right: bool | None
) -> None:
    sample = {"Case ID": "1", "Gold diagnosis": gold}
    bodies: list[dict[str, object]] = [
        {"choices": [{"message": {"content": reply}, "finish_reason": "stop"}]},
        {"status": "completed", "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I weigh pneumonia."}]},
            {"type": "message", "content": [{"type": "output_text", "text": reply}]},
        ]},
    ]  # fmt: skip
    for body in bodies:
        held = {"status_code": 200, "body": body}
        replies = [{"custom_id": f"1|{mode}", "response": held, "error": None} for mode in ("cot", "direct")]
        (row,) = concord.score_reasoning([sample], replies).to_frame().iter_rows(named=True)
        assert row["correct_cot"] is right


def test_vignettes_without_a_gold_answer_are_refused_once() -> None:
    with pytest.raises(
        FileFormatError, match="no row has 'gold_answer'; fields found: .*; 'gold_answer' may"
    ):
        concord.score_reasoning([{"id": "1", "outcome": "x"}, {"id": "2", "outcome": "y"}], [])


def test_a_bare_letter_is_an_answer_where_labels_are_letters() -> None:
    samples = [{"id": letter, "gold_answer": letter} for letter in "ABCD"]
    replies = [
        {"id": letter, "mode": mode, "response": "**(B)**" if mode == "cot" else "B"}
        for letter in "ABCD"
        for mode in ("cot", "direct")
    ]
    rows = concord.score_reasoning(samples, replies).to_frame().iter_rows(named=True)
    assert [(row["correct_cot"], row["correct_early"]) for row in rows] == [
        (letter == "B", letter == "B") for letter in "ABCD"
    ]
