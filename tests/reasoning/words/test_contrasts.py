"""Another form of the right disease is another diagnosis."""

import pytest

from concord.reasoning.words.correct import Judge
from concord.reasoning.words.names import load_lexicon


@pytest.mark.parametrize(
    ("gold", "answer", "is_right"),
    [
        ("Bacterial meningitis", "Viral meningitis", False),
        ("Bacterial meningitis", "Meningitis, viral", False),
        ("Bacterial meningitis", "Meningitis, bacterial", True),
        ("Bacterial meningitis", "Meningitis", True),
        ("Community-acquired pneumonia", "Aspiration pneumonia", False),
        ("Community-acquired pneumonia", "Nosocomial pneumonia", False),
        ("Community-acquired pneumonia", "CAP", True),
        ("Acute pancreatitis", "Chronic pancreatitis", False),
        ("Acute pancreatitis", "Acute on chronic pancreatitis", True),
        ("Acute pancreatitis", "Gallstone pancreatitis", True),
        ("Ischemic stroke", "Haemorrhagic stroke", False),
        ("Ischaemic stroke", "Acute ischemic stroke", True),
        ("Ischemic stroke", "Stroke", True),
        ("Stroke", "Hemorrhagic stroke", True),
        ("Acute myocardial infarction", "STEMI", True),
        ("Type 2 Diabetes Mellitus", "Diabetes mellitus type II", True),
    ],
)
def test_another_form_is_wrong_and_an_unnamed_form_is_not(gold: str, answer: str, is_right: bool) -> None:
    judge = Judge.of(load_lexicon().aliases, [gold, "Gout"])
    for reply in (answer, f"DIAGNOSIS: {answer}"):
        assert judge.is_right(judge.read(reply, gold), reply, gold) is is_right


def test_both_forms_of_a_disease_in_one_set_are_told_apart() -> None:
    judge = Judge.of(load_lexicon().aliases, ["Ischemic stroke", "Hemorrhagic stroke"])
    for reply, gold, right in (
        ("Hemorrhagic stroke", "Hemorrhagic stroke", True),
        ("Hemorrhagic stroke", "Ischemic stroke", False),
        ("Ischemic stroke, not a hemorrhagic stroke", "Ischemic stroke", True),
    ):
        assert judge.is_right(judge.read(reply, gold), reply, gold) is right
