"""Agents on the same tests: what they must have in common, and what is then computed once for all of them."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np

from concord.people.evidence import Evidence
from concord.people.floor_ceiling import Simulation
from concord.records import TestRow

_DESIGN = ("df1", "df2", "n1", "n2", "n", "p0", "se", "prior_odds")
"""Fields of a side that belong to the design: agents that differ in them are computed apart."""
_design_of = attrgetter(*_DESIGN)
_given = attrgetter("statistic", "k", "p_value", "z", "effect_d", "log_bf")
MOST_TESTS = 2000
"""Tests up to which drawn human sides are kept: four blocks of them take 58 kB a test."""


def design_of(rows: Sequence[TestRow]) -> Hashable:
    """Return what must agree for two agents to be computed together on some tests."""
    return tuple(_of_row(row) for row in rows)


def _of_row(row: TestRow) -> Hashable:
    side = row.agent
    if side is None:
        return (row.agent_outcome, row.pas is None)
    shape = None if side.table is None else tuple(sum(cells) for cells in side.table)
    directed = None if side.direction is None else abs(side.direction)
    given = tuple([value is None for value in _given(side)])
    return (_design_of(side), shape, directed, given, row.pas is None, row.n_eff)


@dataclass(slots=True)
class DrawnOnce:
    """What was computed for one agent and is the same for the next on the same tests, to the last digit.

    Floor and ceiling rest on people and on the agent's design; new samples of people come first from the
    generator of their block, which then stands where the agent's begin.
    """

    simulations: dict[Hashable, Simulation] = field(default_factory=dict)
    blocks: dict[Hashable, tuple[Evidence, dict[str, Any]]] = field(default_factory=dict)

    def people(self, rng: np.random.Generator, correlation: float, draw: Callable[[], Evidence]) -> Evidence:
        """Return the new samples of people of a block, drawn or kept; the generator stands behind them."""
        seed: Any = rng.bit_generator.seed_seq
        key = (correlation, seed.entropy, seed.spawn_key)
        if key in self.blocks:
            found, rng.bit_generator.state = self.blocks[key]
            return found
        found = draw()
        if found.log_bf.shape[-1] <= MOST_TESTS:
            self.blocks[key] = found, dict(rng.bit_generator.state)
        return found
