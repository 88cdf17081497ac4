"""What scoring many agents on the same tests gives: each agent's numbers, all pairs, and who differs."""

from collections.abc import Mapping
from dataclasses import dataclass

from concord.people.result import METRICS, Score

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
class AgentPair:
    """One metric of two agents over the tests that both have; first minus second."""

    first: str
    second: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    """Adjusted for the number of pairs, each metric a family of its own."""
    n_tests: int
    n_studies: int
    note: str = ""


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


def row_of(agent: AgentScores) -> dict[str, object]:
    """Return the row of an agent in a table: numbers, ends of intervals, floor, ceiling and place."""
    row: dict[str, object] = {"agent": agent.name, "n_tests": agent.n_tests, "n_missing": agent.n_missing}
    for metric in METRICS:
        score: Score = getattr(agent, metric)
        row[metric] = score.value
        for name, ends in (("", score.interval), ("_new_participants", score.new_participants)):
            row[f"{metric}{name}_low"] = None if ends is None else ends.low
            row[f"{metric}{name}_high"] = None if ends is None else ends.high
        if metric in ("pas", "ecs"):
            bounds = score.bounds
            for end in ("floor", "ceiling", "place"):
                row[f"{metric}_{end}"] = None if bounds is None else getattr(bounds, end).value
    return row
