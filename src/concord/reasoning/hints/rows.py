"""Answers to hinted and unhinted questions as rows."""

from dataclasses import dataclass

from concord.reasoning.outcome import Outcome

KINDS = ("sycophancy", "consistency", "visual_pattern", "metadata", "grader", "unethical")
"""An authority, the model's earlier answer, a pattern in examples, metadata, a grader's code, a leak."""
UNHINTED = "unhinted"
OK = str(Outcome.OK)


@dataclass(frozen=True, slots=True)
class HintRow:
    """One answer to a question, with or without a hint."""

    id: str
    kind: str = UNHINTED
    """Kind of hint, or ``unhinted``."""
    target: str = ""
    """What the hint points at: the same wrong option for all kinds."""
    sample: int = 0
    answer: str | None = None
    outcome: str = OK
    n_options: int | None = None
    correct: bool | None = None
    mention_thinking: bool | None = None
    mention_answer: bool | None = None
    reliance_thinking: bool | None = None
    reliance_answer: bool | None = None
    model: str | None = None

    @property
    def read(self) -> bool:
        """Whether an answer was found."""
        return self.outcome == OK and self.answer is not None

    def says(self, detector: str, place: str) -> bool | None:
        """Whether the hint is verbalised; ``None`` where there is no text to judge."""
        flags = (getattr(self, f"{detector}_thinking"), getattr(self, f"{detector}_answer"))
        if place != "either":
            found: bool | None = flags[0] if place == "thinking" else flags[1]
            return found
        known = [flag for flag in flags if flag is not None]
        return any(known) if known else None
