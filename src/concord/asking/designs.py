"""The questions by name, each with its design."""

from typing import Any

from concord.errors import OptionError
from concord.people import NAME as PEOPLE
from concord.reasoning import NAME as REASONING
from concord.records import Design
from concord.structure import NAME as STRUCTURE

QUESTIONS = (PEOPLE, STRUCTURE, REASONING)


def lay_out(question: str, **choices: Any) -> Design:
    """Lay out the trials of a question.

    Raises
    ------
    OptionError
        The question is not known.
    """
    if question == REASONING:
        from concord.reasoning.design import design_reasoning

        return design_reasoning(choices.pop("samples", None), choices.pop("bias_cases", None), **choices)
    if question == STRUCTURE:
        from concord.structure.design import design_structure

        return design_structure(**choices)
    if question == PEOPLE:
        from concord.people.design import design_people

        return design_people(**choices)
    raise OptionError(f"question {question!r} is not known; expected {', '.join(QUESTIONS)}")
