"""The questions by name, each with its design; studies will plug in here."""

from typing import Any

from concord.errors import OptionError
from concord.records import Design

QUESTIONS = ("people", "structure", "reasoning")
NO_STUDIES = (
    "asking models about people needs studies, and this version of Concord has no study format yet; "
    "score a table of tests with: concord score people TESTS"
)


def lay_out(question: str, **choices: Any) -> Design:
    """Lay out the trials of a question.

    Raises
    ------
    OptionError
        The question is not known, or nothing can be asked for it yet.
    """
    if question == "reasoning":
        from concord.reasoning.design import design_reasoning

        return design_reasoning(choices.pop("samples", None), choices.pop("bias_cases", None), **choices)
    if question == "structure":
        from concord.structure.design import design_structure

        return design_structure(**choices)
    if question == "people":
        raise OptionError(NO_STUDIES)
    raise OptionError(f"question {question!r} is not known; expected {', '.join(QUESTIONS)}")
