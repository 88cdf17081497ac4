"""Tests with their evidence, scores and levels: what results of tests and of findings are read from."""

from collections.abc import Callable
from dataclasses import dataclass

from concord.people.aggregate import Levels
from concord.people.evidence import Evidence
from concord.people.floor_ceiling import Simulation
from concord.people.layout import Layout
from concord.people.protocol import Protocol
from concord.people.scored import Context, TestScores
from concord.people.selection import AdjustedEffects
from concord.people.sides import SideTable
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True)
class ScoredTests:
    """Everything that is computed for the tests of a table."""

    layout: Layout
    protocol: Protocol
    human: Evidence
    agent: Evidence
    scores: TestScores
    levels: dict[str, Levels]
    normalised: Levels
    simulation: Simulation
    errors: tuple[Floats, Floats]
    """Standard errors of the human and the agent's d; NaN where there is none."""
    sides: tuple[SideTable, SideTable]
    """Human and agent."""
    context: Context
    adjusted: AdjustedEffects
    """Human effects with their selection for significance undone."""
    people_under: Callable[[Protocol], Evidence]
    """What people say under a protocol with other priors."""
