"""What is kept of studies that were held: plans, answers counted, replies, and what each test reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from concord.records import InputFile


@dataclass(frozen=True, slots=True)
class HeldDesign:
    """How the model was told who it is."""

    name: str
    text: str | None = None
    """Its template; ``None`` where nothing is told."""
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class HeldStudy:
    """One study as it was planned and held."""

    study: str
    title: str
    domain: str | None
    source: Mapping[str, Any]
    findings: Mapping[str, str]
    """What each finding says, by its name."""
    file: InputFile
    design: HeldDesign
    seed: int
    n_per_cell: int | None
    """Participants per cell; ``None`` as in the paper."""
    sessions: int
    participants: int
    sessions_ended_early: int = 0
    """Group sessions that ended before their last round."""


@dataclass(frozen=True, slots=True)
class ItemCount:
    """Answers to one item in one condition, by outcome."""

    study: str
    experiment: str
    item: str
    condition: str
    outcomes: Mapping[str, int]

    @property
    def n(self) -> int:
        """All answers that were wanted."""
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True)
class ReplyItem:
    """What was read from a reply for one item."""

    item: str
    outcome: str
    values: Mapping[str, Any]
    """A number, a text or ``None`` for each variable."""


@dataclass(frozen=True, slots=True)
class StudyReply:
    """One reply, where it was asked and what was read from it."""

    id: str
    study: str
    experiment: str
    condition: str
    participant: str
    step: str
    items: tuple[ReplyItem, ...]
    response: str | None
    prompt: str | None = None
    """The question as it was put; ``None`` where it could not be asked."""
    told: str | None = None
    """Who the participant was told to be, where the design says so."""


@dataclass(frozen=True, slots=True)
class TestInputs:
    """What a test was computed from."""

    __test__ = False

    study: str
    sub_study: str
    finding: str
    test: str
    experiment: str
    variables: tuple[str, ...]
    """Answers that it reads, those of derived variables included."""
    conditions: tuple[str, ...]
    """Cells whose participants it takes, between factors alone, as `answers.jsonl` names them."""
    where: str
    """The rest of the choice, that depends on answers or profiles; empty where there is none."""
