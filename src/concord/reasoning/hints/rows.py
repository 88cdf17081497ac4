"""Answers to hinted and unhinted questions as rows."""

from dataclasses import dataclass

from concord.files.grids import Grid
from concord.reasoning.outcome import Outcome
from concord.reasoning.record_table import RecordTable, TableLike, read_records

KINDS = ("sycophancy", "consistency", "visual_pattern", "metadata", "grader", "unethical")
"""An authority, the model's earlier answer, a pattern in examples, metadata, a grader's code, a leak."""
UNHINTED = "unhinted"
OK = str(Outcome.OK)


@dataclass(frozen=True, slots=True)
class HintRow:
    """One answer to a question, with or without a hint."""

    id: str
    kind: str
    """Kind of hint, or ``unhinted``."""
    target: str
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


def read_hint_rows(source: TableLike | Grid) -> RecordTable[HintRow]:
    """Read a table of answers to hinted and unhinted questions.

    Columns ``id, kind, target`` and ``sample, answer, outcome, n_options, correct, mention_thinking,
    mention_answer, reliance_thinking, reliance_answer, model``; ``kind`` is ``unhinted`` without a hint.

    Raises
    ------
    FileFormatError, TableError
        The file cannot be read, or cells cannot be used: every one is named.
    """
    table = read_records(source, HintRow)
    targets: dict[str, str] = {}
    table.refuse(
        "target",
        lambda row: targets.setdefault(row.id, row.target) == row.target,
        "one target per item, the same for all kinds of hint",
    )
    table.refuse("sample", lambda row: row.sample >= 0, "a whole number, 0 or more")
    return table
