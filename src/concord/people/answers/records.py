"""What was answered, people's and the agent's side by side, and what scoring it gives: frozen records."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.records import Estimate, InputFile, LeftOutCell
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
    weight: Floats | None = None
    """What each row counts for, where the table says."""
    n_unread: int = 0
    """Answers of the agent that could not be read."""

    def weights_of(self, side: Floats) -> Floats | None:
        """Return the weights of the answers of a side."""
        return None if self.weight is None else self.weight[~np.isnan(side)]

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
    left_out: tuple[LeftOutCell, ...] = ()

    @property
    def n_answers(self) -> int:
        """Answers of all agents together."""
        rows = (one for found in self.sets.values() for one in found)
        return sum(one.agent_n if isinstance(one, Moments) else one.replies.size for one in rows)


COVERS_LESS = "the interval may cover less than it says"
"""How a note ends that stands beside an interval which simulations found too short."""

METRICS = {
    "variance_ratio": "variance, model to people",
    "entropy_ratio": "entropy, model to people",
    "tvd": "total variation distance",
    "overlap": "overlap",
    "w1": "Wasserstein distance, share of the scale",
    "ks": "Kolmogorov-Smirnov distance",
    "jsd": "Jensen-Shannon divergence, bits",
    "simbench": "SimBench score",
    "mean_gap": "mean, model minus people, in SDs of people",
    "person_r": "correlation over persons",
    "r_explained": "share of it between groups",
}
"""Every number, with the words that a table heads it with."""
DISTANCES = ("tvd", "w1", "ks", "jsd")
"""Those with a noise floor, references and a place."""
RATIOS = ("variance_ratio", "entropy_ratio")
"""Those that are summarised by their median and whose 1 means 'as people'."""


@dataclass(frozen=True, slots=True)
class AnswerNumber:
    """One number and what it is read against."""

    estimate: Estimate
    people: Estimate | None = None
    """Two samples of people at the same sizes: the noise floor; its interval is their range."""
    random: float | None = None
    """Random answers, as many as the agent gave."""
    place: Estimate | None = None
    """1: as near as another sample of people; 0: as far as random answers."""


@dataclass(frozen=True, slots=True)
class OutcomeAnswers:
    """One outcome of one agent."""

    study: str
    outcome: str
    condition: str
    kind: str
    """``choice``, ``scale``, ``values`` or ``moments``."""
    n_people: int
    n_agent: int
    n_persons: int
    """Persons on both sides."""
    numbers: dict[str, AnswerNumber]
    labels: tuple[str, ...] = ()
    """Options, or the left ends of the cells of a grid."""
    human_shares: tuple[float, ...] = ()
    agent_shares: tuple[float, ...] = ()
    means: tuple[float | None, float | None] = (None, None)
    """Of people and of the agent."""
    kish_n: float | None = None
    """People of equal weight who would say as much, where answers are weighted."""

    @property
    def effective_n(self) -> float:
        """People, or Kish's n where they are weighted."""
        return self.n_people if self.kish_n is None else self.kish_n

    @property
    def name(self) -> str:
        """Outcome and condition."""
        return f"{self.outcome} · {self.condition}" if self.condition else self.outcome

    @property
    def full_name(self) -> str:
        """Study, outcome and condition."""
        return self.name if self.study == "all" else f"{self.study}: {self.name}"

    @property
    def spread(self) -> AnswerNumber | None:
        """How much answers vary: the variance ratio, of options the ratio of entropies."""
        return self.numbers.get("variance_ratio", self.numbers.get("entropy_ratio"))

    def people_bands(self, level: float) -> list[tuple[float, float]]:
        """Return where so many of other samples of people of the agent's size lie, around the shares seen."""
        reach = float(special.ndtri(0.5 + level / 2))
        noise = 1 / max(self.effective_n, 1) + 1 / max(self.n_agent, 1)
        ends = ((p, reach * math.sqrt(max(0.0, p * (1 - p)) * noise)) for p in self.human_shares)
        return [(max(0.0, p - half), min(1.0, p + half)) for p, half in ends]


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """Outcomes together: a study, or all of them."""

    name: str
    n_outcomes: int
    n_studies: int
    numbers: dict[str, AnswerNumber]


@dataclass(frozen=True, slots=True)
class GroupAnswers:
    """One group of people, over outcomes."""

    group: str
    n_people: int
    n_outcomes: int
    error: Estimate
    """Mean error of the group's means, agent minus people, in SDs of people."""
    absolute_error: Estimate
    human_deviation: float | None
    """How far the group's mean lies from that of all people, averaged over outcomes, in SDs."""
    agent_deviation: float | None


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """All groups of one agent."""

    groups: tuple[GroupAnswers, ...]
    slope: Estimate
    """Groups' deviations, agent on people, people's noise taken out: above 1 groups are exaggerated."""
    parity_gap: Estimate
    """Largest minus smallest mean absolute error of groups."""
    too_small: tuple[str, ...] = ()
    """Groups of fewer than 30 people, which are not scored."""


@dataclass(frozen=True, slots=True)
class AgentAnswers:
    """Everything about one agent."""

    agent: str
    overall: AnswerSummary
    studies: tuple[AnswerSummary, ...]
    outcomes: tuple[OutcomeAnswers, ...]
    groups: GroupSummary | None = None


def noted_outcomes(agents: Iterable[AgentAnswers]) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return each reason why intervals may cover less than they say: of how many outcomes, which numbers."""
    found: dict[str, tuple[int, tuple[str, ...]]] = {}
    for agent in agents:
        for outcome in agent.outcomes:
            by_note: dict[str, list[str]] = {}
            for name, number in outcome.numbers.items():
                if number.estimate.note.endswith(COVERS_LESS):
                    by_note.setdefault(number.estimate.note, []).append(name)
            for note, names in by_note.items():
                count, known = found.get(note, (0, ()))
                found[note] = count + 1, tuple(dict.fromkeys((*known, *names)))
    return found
