"""What is shown of runs, results and replies, one line each."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run's folder in one line."""

    name: str
    """Path below the folder that is shown."""
    suite: str
    model: str
    n_planned: int
    outcomes: Mapping[str, int]
    problem: str = ""
    changed: str = ""
    """When the last reply was stored."""
    status: str = ""
    """As the run itself says: running, finished, interrupted, or what stopped it."""
    over: str = ""
    """Its studies, or the design of its items."""
    tokens: tuple[int, int] = (0, 0)
    """Read and written."""
    cost: float | None = None
    """In the currency of its prices; ``None`` where it was given none."""

    @property
    def done(self) -> int:
        """Trials with an outcome."""
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True)
class FoundResult:
    """A folder of results in one line."""

    name: str
    """Path below the folder that is shown."""
    files: tuple[str, ...]
    changed: str
    """When the last of them was written."""
    model: str = ""
    said: str = ""
    """Its headline number, where a file gives one."""
    about: str = ""
    """What its files are about, in words."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One reply with the prompt that led to it."""

    id: str
    mode: str
    repeat: int
    outcome: str
    prompt: str
    reply: str
    read: str = ""
    """How the reply was read, where its question reads replies one by one."""
