"""What scoring answers gives: frozen, full precision, undefined is ``None`` with a reason."""

from collections.abc import Iterable
from dataclasses import dataclass

from concord.records import Estimate

COVERS_LESS = "the interval may cover less than it says"
"""How a note ends that stands beside an interval which simulations found too short."""

METRICS = {
    "variance_ratio": "variance, agent to people",
    "entropy_ratio": "entropy, agent to people",
    "tvd": "total variation distance",
    "overlap": "overlap",
    "w1": "Wasserstein distance, share of the scale",
    "ks": "Kolmogorov-Smirnov distance",
    "jsd": "Jensen-Shannon divergence, bits",
    "simbench": "SimBench score",
    "mean_gap": "mean, agent minus people, in SDs of people",
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


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """Two agents on the outcomes both answered: first minus second."""

    first: str
    second: str
    metric: str
    difference: Estimate
    p_value: float | None
    p_holm: float | None


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
