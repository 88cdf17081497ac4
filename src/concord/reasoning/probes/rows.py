"""Answers to probes as rows: what was changed, and what the model then answered."""

from dataclasses import dataclass

from concord.reasoning.outcome import Outcome

EARLY, FILLER, MISTAKE, PARAPHRASE, PAIRS, HINTS = (
    "early",
    "filler",
    "mistake",
    "paraphrase",
    "pairs",
    "hints",
)
PROBES = (EARLY, FILLER, MISTAKE, PARAPHRASE, HINTS, PAIRS)
"""Every probe, in the order of asking."""
CELLS = {
    EARLY: ("prefix", "reordered"),
    FILLER: ("cot", "filler", "direct"),
    MISTAKE: ("chain", "mistake", "again"),
    PARAPHRASE: ("original", "paraphrase"),
    PAIRS: ("target", "control"),
}
"""What the cells of each probe are called."""
OK = str(Outcome.OK)


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One answer under one intervention."""

    probe: str
    id: str
    """The item; of pairs, the pair."""
    cell: str
    repeat: int = 0
    """Which chain of the item."""
    sample: int = 0
    """Which answer to the same prompt."""
    step: int | None = None
    """Steps given (early, paraphrase), or the step that was replaced (mistake), counted from 1."""
    n_steps: int | None = None
    """Steps of the whole chain."""
    answer: str | None = None
    correct: bool | None = None
    outcome: str = OK
    leaked: bool | None = None
    """Whether reasoning came where only an answer was asked for."""
    dimension: str | None = None
    biased: bool | None = None
    """Pairs: the answer is the label of the stereotype."""
    mentioned: bool | None = None
    """Pairs: the reasoning mentions the feature."""
    model: str | None = None
    step_f1: float | None = None
    """Filler: overlap of the chain's steps with the gold steps, where there are any."""

    @property
    def read(self) -> bool:
        """Whether an answer was found."""
        return self.outcome == OK and self.answer is not None
