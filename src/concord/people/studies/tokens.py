"""What a study takes, before anything is asked: questions, and tokens at a rule of thumb."""

from dataclasses import dataclass

from concord.people.studies.format import Allocation, Choice, FreeText, Item, Likert, Number, Ranking
from concord.people.studies.plan import StudyPlan
from concord.people.studies.sessions import Question, hold, sessions_of
from concord.people.studies.wording import LETTERS

CHARACTERS_A_TOKEN = 4
"""The usual rule of thumb for English; tokenisers differ by a fifth."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a plan takes."""

    questions: int
    input_tokens: int
    output_tokens: int


def expected_tokens(plan: StudyPlan) -> Expected:
    """Count the questions and estimate the tokens of a plan, from short answers in the middle."""
    counted = [0, 0, 0]

    def agent(question: Question) -> str:
        reply = middle_reply(question)
        counted[0] += 1
        counted[1] += sum(len(message.text) for message in question.messages)
        counted[2] += len(reply)
        return reply

    for session in sessions_of(plan):
        hold(session, agent)
    sent, received = (round(n / CHARACTERS_A_TOKEN) for n in counted[1:])
    return Expected(counted[0], sent, max(received, counted[0]))


def middle_reply(question: Question) -> str:
    """Answer every item in the middle: the shortest reply that can be read."""
    said = [_middle(item) for _, item in question.items]
    return said[0] if len(said) == 1 else "\n".join(f"{i}. {text}" for i, text in enumerate(said, start=1))


def _middle(item: Item) -> str:
    match item:
        case Choice():
            return "A"
        case Ranking():
            return ", ".join(LETTERS[: len(item.options)])
        case Allocation():
            first, *rest = item.to
            return f"{first}: {item.total:g}, " + ", ".join(f"{name}: 0" for name in rest)
        case FreeText():
            return "No idea."
        case Likert():
            return str((item.min + item.max) // 2)
        case Number():
            low = 0.0 if item.min is None else item.min
            high = item.max if isinstance(item.max, float) else low + 2
            return f"{(low + high) // 2:g}"
