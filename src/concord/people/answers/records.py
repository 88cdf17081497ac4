"""What was answered: one set of answers per agent and outcome, people's and the agent's side by side."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concord.records import InputFile
from concord.stats.elementwise import Floats

MOST_OPTIONS = 25
"""Numbers with more distinct values than this are values, not options of a scale."""


class OutcomeKey(NamedTuple):
    """What names a set of answers."""

    study: str
    outcome: str
    condition: str = ""

    @property
    def words(self) -> str:
        """The name of the outcome, and of its condition where there is one."""
        return self.outcome if not self.condition else f"{self.outcome} ({self.condition})"


@dataclass(frozen=True, slots=True, eq=False)
class AnswerSet:
    """Answers to one outcome; a row is a person where persons are known, else one answer of either side."""

    key: OutcomeKey
    human: Floats
    """Numbers, or places in ``options``; NaN where this row has none."""
    agent: Floats
    group: NDArray[np.intp] | None = None
    """Place of each row's group in `AnswerSets.groups`; -1 where it has none."""
    options: tuple[str, ...] = ()
    """Names of options without an order; empty for numbers."""
    scale: tuple[float, float] | None = None
    """Ends of the scale, where the table says."""
    has_pairs: bool = False
    """Whether a row's two answers are of the same person."""

    @property
    def people(self) -> Floats:
        """Answers of people."""
        return self.human[~np.isnan(self.human)]

    @property
    def replies(self) -> Floats:
        """Answers of the agent."""
        return self.agent[~np.isnan(self.agent)]

    @property
    def pairs(self) -> tuple[Floats, Floats]:
        """Answers of persons who are on both sides; empty where persons are not known."""
        if not self.has_pairs:
            return np.empty(0), np.empty(0)
        both = ~np.isnan(self.human) & ~np.isnan(self.agent)
        return self.human[both], self.agent[both]


@dataclass(frozen=True, slots=True)
class Moments:
    """Means and standard deviations of one outcome, where single answers are not known."""

    key: OutcomeKey
    human_mean: float
    human_sd: float
    human_n: int
    agent_mean: float
    agent_sd: float
    agent_n: int
    r: float | None = None
    """Correlation over persons, where it is known."""


@dataclass(frozen=True, slots=True)
class AnswerSets:
    """All answers of a table, by agent."""

    sets: dict[str, tuple[AnswerSet | Moments, ...]]
    groups: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def n_answers(self) -> int:
        """Answers of all agents together."""
        rows = (one for found in self.sets.values() for one in found)
        return sum(one.agent_n if isinstance(one, Moments) else one.replies.size for one in rows)
