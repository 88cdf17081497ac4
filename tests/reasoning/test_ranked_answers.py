"""Answers that rank or list diagnoses: the first rank is the answer, and a list without one is none."""

import pytest

import concord

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
    ("COPD", "Asthma vs COPD, favor COPD", True),
    ("Asthma", "Asthma is favoured over COPD.", True),
    ("Asthma", "I do not favour asthma; COPD fits.", False),
]


@pytest.mark.parametrize(("gold", "reply", "right"), READ)
def test_the_first_rank_is_the_answer(gold: str, reply: str, right: bool | None) -> None:
    sample = {"id": "1", "gold_answer": gold, "gold_reasoning": ["a step"]}
    replies = [{"id": "1", "mode": mode, "response": reply} for mode in ("cot", "direct")]
    (row,) = concord.score_reasoning([sample], replies).to_frame().iter_rows(named=True)
    assert row["correct_early"] is right
