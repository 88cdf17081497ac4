"""What scoring agreement with people gives back: numbers with their uncertainty, test by test upwards.

Of one agent, of many agents on the same tests, and of people who repeated studies of people.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from concord.files.codec import KEY, decode
from concord.number_words import significant
from concord.records import Estimate, Interval
from concord.stats.leaderboard import Chosen, Omnibus
from concord.words import say

METRICS = ("pas", "ecs", "apr", "ecs_strict")
"""The numbers of an agent that have intervals."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A score's floor, its ceiling and its place between them."""

    floor: Estimate
    """Mean over agents without effects; the interval is where such agents fall."""
    ceiling: Estimate
    """Mean over perfect replications; the interval is where such agents fall."""
    place: Estimate
    """(score - floor)/(ceiling - floor); the interval is that of the score, with the ceiling's range."""
    percentile: float | None = None
    """Share of perfect replications that score lower: uniform from 0 to 1 for a perfect replication."""


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """A metric with both of its intervals."""

    estimate: Estimate
    """Its interval speaks of other studies like these (inside one study: of findings like these)."""
    new_participants: Interval | None = field(metadata={KEY: "fresh"})
    """These studies, new participants."""
    new_participants_note: str = field(default="", metadata={KEY: "fresh_note"})
    bounds: Bounds | None = None
    """Floor, ceiling and place: PAS, ECS and APR of benchmark and domains; None where not simulated."""
    new_participants_otherwise: tuple[Interval, ...] = field(default=(), metadata={KEY: "fresh_otherwise"})
    """The same with other correlations of the tests of a study; headline numbers only."""

    def __repr__(self) -> str:
        """Return the number with its interval on one line; fields hold the rest."""
        value = "undefined" if self.value is None else significant(self.value, 4)
        ends = (
            ""
            if self.interval is None
            else f", [{significant(self.interval.low, 4)}, {significant(self.interval.high, 4)}]"
        )
        return f"Score({value}{ends})"

    @property
    def value(self) -> float | None:
        """The number itself."""
        return self.estimate.value

    @property
    def interval(self) -> Interval | None:
        """The headline interval."""
        return self.estimate.interval

    @property
    def fresh(self) -> Estimate:
        """The number with its interval over new participants."""
        return Estimate(self.value, self.new_participants, self.estimate.n, note=self.new_participants_note)

    def end(self, name: str) -> Estimate | None:
        """Return its ``floor``, ``ceiling`` or ``place``; None where nothing was simulated."""
        found: Estimate | None = None if self.bounds is None else getattr(self.bounds, name)
        return found

    @property
    def among_twins(self) -> float | None:
        """The percentile among perfect replications."""
        return None if self.bounds is None else self.bounds.percentile


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test, scored; ``None`` is undefined and `reasons` says why."""

    __test__ = False

    study: str
    sub_study: str
    finding: str
    test: str
    test_type: str
    domain: str | None
    outcome: str
    """``scored``, or which side was missing or too small."""
    pas: float | None
    two_states: bool
    ecs_test: float | None
    z_diff: float | None
    human_effect: float | None
    agent_effect: float | None
    human_effect_d: float | None
    agent_effect_d: float | None
    in_ecs: bool
    human_log_bf: float | None
    agent_log_bf: float | None
    human_p: float | None
    agent_p: float | None
    human_direction: int | None
    agent_direction: int | None
    human_significant: bool | None
    agent_significant: bool | None
    direction_match: bool | None
    passed: bool | None
    n_eff: float | None
    human_effect_se: float | None = None
    agent_effect_se: float | None = None
    """Standard errors of the effects in their native form."""
    human_posterior: float | None = None
    agent_posterior: float | None = None
    """P(effect | data) of each side."""
    human_prob_positive: float | None = None
    agent_prob_positive: float | None = None
    """P(effect > 0 | data, effect); undefined where the side has no direction."""
    flags: tuple[str, ...] = ()
    """Assumptions and approximations behind these numbers."""
    reasons: tuple[str, ...] = ()
    """Why numbers are undefined."""

    def states(self, who: str) -> tuple[float | None, float | None, float | None]:
        """Return P(effect upwards), P(none) and P(effect downwards) of a side; None where undefined."""
        effect, up = getattr(self, f"{who}_posterior"), getattr(self, f"{who}_prob_positive")
        null = None if effect is None else 1 - effect
        return (None, null, None) if effect is None or up is None else (effect * up, null, effect * (1 - up))

    @property
    def replicates(self) -> bool | None:
        """Whether a human effect replicates; None where people show none, or significance is not known."""
        known = self.human_significant and self.agent_significant is not None
        return bool(self.passed) if known else None

    @property
    def verdict(self) -> str | None:
        """In words: a human effect replicates or does not; else neither or only the model shows one."""
        if self.human_significant is None or self.agent_significant is None:
            return None
        if self.human_significant:
            return say("people.verdict.replicates" if self.passed else "people.verdict.does_not_replicate")
        return say("people.verdict.only_model" if self.agent_significant else "people.verdict.no_effect")


@dataclass(frozen=True, slots=True)
class FindingResult:
    """One finding with its place among the four quadrants."""

    study: str
    sub_study: str
    finding: str
    n_tests: int
    n_scored: int
    pas: float | None
    normalised_pas: float | None
    ecs_strict: float | None
    apr: float | None
    quadrant: str | None
    reading: str | None
    usual_reason: str | None


@dataclass(frozen=True, slots=True)
class GroupResult:
    """A study or a domain."""

    name: str
    domain: str | None
    pas: Score = field(metadata={KEY: "estimates.pas"})
    ecs: Score = field(metadata={KEY: "estimates.ecs"})
    apr: Score = field(metadata={KEY: "estimates.apr"})
    ecs_strict: Score = field(metadata={KEY: "estimates.ecs_strict"})
    normalised_pas: float | None = field(metadata={KEY: "auxiliary.normalized_score"})
    n_studies: int
    n_findings: int
    n_tests: int
    n_tests_scored: int
    n_tests_with_effects: int


@dataclass(frozen=True, slots=True)
class CompanionNumbers:
    """Companion numbers of the headline ones."""

    pearson: float | None
    caricature_slope: float | None
    """Agent d = slope · human d + intercept: above 1 exaggerates, below 1 flattens."""
    caricature_intercept: float | None
    concordance_about_zero: float | None
    """2Σwxy/(Σwx² + Σwy²): does not depend on how tests are oriented."""
    share_without_effects: float | None
    """Share of tests with both sides that ECS cannot use."""
    apr_human_significant: float | None
    apr_all: float | None
    nulls_kept: float | None
    """Share of human nulls that are null in the agent too."""
    n_human_nulls: int
    normalised_pas: float | None = field(metadata={KEY: "normalized_score"})
    ecs_strict: Score


@dataclass(frozen=True, slots=True)
class SelectedSizes:
    """Sizes against human effects whose selection for significance is undone, where it shows."""

    n_significant: int
    n_tests: int
    n_expected: float
    """Significant human tests that effects without their selection would give."""
    size_ratio: Estimate
    median_ratio: Estimate


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """How large the agent's effects are against the human ones, and ECS under other codings of the tests."""

    size_ratio: Estimate
    """√(mean(d² − SE²) of the agent / of people); its interval is a jackknife-t over studies of its log."""
    slope: Estimate
    """Agent d on human d: attenuated by the errors of the human d, and dependent on the coding of tests."""
    slope_corrected: Estimate
    """The same with the error variances of the human d taken off (errors in variables)."""
    calibration: Estimate
    """Human d on agent d through zero: predictions times it have the human size."""
    calibration_adjusted: Estimate
    """The same with the error variances of the agent d taken off: for an agent asked without end."""
    ecs_codings: Mapping[str, float | None]
    """ECS ``as_given``, ``human_positive``, ``lowest_one_flip``, ``highest_one_flip``, ``about_zero``."""
    median_ratio: Estimate = Estimate(None)
    """Median over tests of the agent's |d| over the human |d|; its interval is a sign test over studies."""
    selected: SelectedSizes | None = None
    """The same once selection is undone; None where human effects do not look selected."""
    claim: str = ""
    """``larger`` or ``smaller`` where that is claimed."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How the metrics relate over tests."""

    correlations: Mapping[str, float | None]
    """Pearson over tests: ``pas_ecs_test``, ``pas_apr``, ``ecs_test_apr``."""
    n_correlated: Mapping[str, int]
    ecs_test_by_direction: Mapping[str, float | None]
    """Mean ECS_Test where directions ``match``, ``mismatch``, have ``opposite`` signs."""
    n_by_direction: Mapping[str, int]
    quadrants: Mapping[str, int]


COMPARED = ("pas", "ecs", "apr")
"""The metrics in which agents are compared pair by pair; each has a standing."""


@dataclass(frozen=True, slots=True)
class AgentScores:
    """One agent among many: the headline numbers, and PAS and ECS by domain."""

    name: str
    pas: Score
    ecs: Score
    apr: Score
    ecs_strict: Score
    domains: Mapping[str, Mapping[str, Score]]
    """By domain, then by metric."""
    n_tests: int = 0
    """Tests that any agent has."""
    n_missing: int = 0
    """Those of them that this agent lacks."""


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """Whether two agents differ, for one of the two questions."""

    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    """Adjusted for the number of pairs, each metric a family of its own."""
    note: str = ""
    """Why there is none."""


@dataclass(frozen=True, slots=True)
class AgentPair:
    """One metric of two agents over the tests that both have; first minus second."""

    first: str
    second: str
    metric: str
    difference: float | None
    these_studies: PairAnswer
    """New people and new replies, the same tests: the spread of redraws in which agents share the people."""
    other_studies: PairAnswer
    """Other studies like these: joint jackknife-t over studies."""
    smallest_found: float | None
    """The difference that would have been found in other studies with 80 %, by Holm's first step."""
    n_tests: int
    n_studies: int
    p_guarded: float | None = None
    """By the guarded studentised range, on which claims rest of 8 to 80 agents on 12 to 19 studies."""

    @property
    def p_other_studies(self) -> float | None:
        """The adjusted p-value that claims about other studies rest on."""
        return self.other_studies.p_holm if self.p_guarded is None else self.p_guarded


@dataclass(frozen=True, slots=True)
class AgentStanding:
    """Agents in the order of one metric, and which cannot be distinguished."""

    metric: str
    order: tuple[str, ...]
    """From the highest number to the lowest; an agent without one has no place."""
    groups: tuple[tuple[str, ...], ...]
    """Agents none of whose pairs differ at the level, after Holm; groups may overlap."""
    n_pairs: int
    n_distinguishable: int
    """In other studies like these, of the pairs that could be tested there."""
    n_pairs_here: int = 0
    n_distinguishable_here: int = 0
    """On these studies, with new people and new replies."""
    smallest_found: float | None = None
    """The difference between two usual agents that would have been found in other studies with 80 %."""
    largest: float | None = None
    """The largest difference between two agents, and the studies that would find it with 80 %."""
    studies_needed: int | None = None
    rule: str = ""
    """How p-values of other studies are adjusted: Holm, or guarded range."""
    best_set: tuple[str, ...] = ()
    """Agents that may be best in other studies: the best one is among them with 95 %."""
    omnibus: Omnibus | None = None
    chosen: Chosen | None = None


SCORES = "people_against_people.json"


@dataclass(frozen=True, slots=True)
class HumanRow:
    """What replications by people score against the original studies."""

    n: int
    pas: Score
    ecs: Score
    apr: Score

    @property
    def label(self) -> str:
        """How the row is called in a leaderboard of other studies."""
        return f"people against people ({self.n} replications)"

    @property
    def label_here(self) -> str:
        """How the row is called among agents on the same effects."""
        return f"people: the original studies of these {self.n} effects"


@cache
def human_row() -> HumanRow:
    """Return the scores of people against people, protocol standard, as they are kept with the table."""
    text = (resources.files("concord.people") / "data" / SCORES).read_text("utf-8")
    return decode(HumanRow, json.loads(text), where=SCORES)
