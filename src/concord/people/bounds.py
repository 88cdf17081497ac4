"""Floor and ceiling: what agents without effects and perfect replications would score on the same tests."""

from dataclasses import replace
from functools import partial

import numpy as np

from concord.engine import SERIAL, Engine
from concord.people.evidence import Evidence, given_first
from concord.people.floor_ceiling import Simulation
from concord.people.layout import Layout
from concord.people.protocol import Protocol
from concord.people.same_people import SamePeople
from concord.people.scored import Context
from concord.people.sides import SideTable
from concord.people.simulated import FamilyTests, Task, Work, joined_blocks, simulated_block, with_lookup
from concord.people.truth import (
    DrawnEffects,
    EffectTally,
    NormalEffects,
    chains_behind,
    fit_population,
    human_effects,
    lacking,
)
from concord.stats.elementwise import Floats
from concord.stats.resample import seeds
from concord.stats.true_effects import Chains, EffectStates

N_SIMULATIONS = 1000
"""Simulated agents of each kind: the mean of PAS is then known to about 0.001."""
N_ADJUSTED = 300
"""Simulated replications behind a ceiling whose human effects are adjusted for selection."""


def assumption(protocol: Protocol) -> str:
    """Say what floor and ceiling assume."""
    together = (
        f"tests of a study correlate {protocol.within_study:g}, as tests of the same people do"
        if protocol.within_study
        else "every test drawn by itself, though tests of a finding share participants"
    )
    effects = (
        "a mixture (around a common size, outliers, nulls) that is drawn with them"
        if protocol.true_effects == "mixture"
        else "the empirical-Bayes posterior of the human effects"
    )
    return f"human results as observed; {together}; true effects from {effects}"


_MOST_NAMED = 3
_BLOCK_TESTS, _SMALLEST_BLOCK, _LARGEST_BLOCK = 500_000, 70, 1000
_FEW_CHAINS = 16
"""Behind the few replications of adjusted effects."""


def simulate_bounds(
    human: SideTable,
    agent: SideTable,
    context: Context,
    layout: Layout,
    protocol: Protocol,
    *,
    level: float,
    n_simulations: int,
    rng: np.random.Generator,
    engine: Engine = SERIAL,
    evidence: tuple[Evidence, Evidence] | None = None,
    adjusted: tuple[Floats, Floats] | None = None,
) -> Simulation:
    """Simulate agents without effects and perfect replications, and score them as the agent was scored."""
    raw = human.is_raw & agent.is_raw & np.isnan(context.given_pas)
    fixed = int((context.present & ~raw).sum())
    if n_simulations == 0 or fixed:
        note = (
            "not asked for" if not fixed else f"{fixed} test(s) hold precomputed numbers: nothing to simulate"
        )
        return Simulation({}, {}, None, 0, level, note)
    says, own = (human.evidence(protocol), agent.evidence(protocol)) if evidence is None else evidence
    people = human_effects(human, protocol)
    both = agent.part(np.flatnonzero(context.present))
    missing = lacking(both, people)
    if missing:
        return Simulation({}, {}, None, 0, level, _missing_note(missing, layout))
    size = int(np.clip(_BLOCK_TESTS // max(1, human.size), _SMALLEST_BLOCK, _LARGEST_BLOCK))
    count, normal = -(-n_simulations // size), protocol.true_effects == "normal"
    chains = [] if normal else chains_behind(people, count * size, seeds(rng, 1)[0])
    tasks = [_tasks(seeds(rng, count), size, source) for source in (None, 0)]
    undone, more = people, []
    if adjusted is not None:
        undone = replace(people, d=given_first(adjusted[0], people.d), se=given_first(adjusted[1], people.se))
        few = min(size, N_ADJUSTED)
        again = -(-min(n_simulations, N_ADJUSTED) // few)
        more = chains_behind(undone, again * few, seeds(rng, 1)[0], n_chains=_FEW_CHAINS)
        tasks.append(_tasks(seeds(rng, again), few, 1))
    # chains take as long as several blocks, and agents without effects do not need them
    visiting, visiting_more = (engine.start(_visited, some) for some in (chains, more))
    tests = [FamilyTests.of(index, family, says, context) for index, family in both.families]
    work = Work(
        parts=tuple(engine.map(partial(with_lookup, protocol=protocol), tests)),
        n_eff=own.n_eff,
        human=says,
        context=context,
        layout=layout,
        protocol=protocol,
        people=people,
        same=SamePeople.of(layout, protocol.within_study),
        effects=(),
    )
    floor_blocks = engine.start(partial(simulated_block, work), tasks[0])
    effects = NormalEffects(fit_population(people, says.p_value), people) if normal else None
    published = DrawnEffects.of(people, visiting()) if effects is None else effects
    work = replace(work, effects=(published, DrawnEffects.of(undone, visiting_more())))
    blocks = iter(engine.map(partial(simulated_block, work), [task for kind in tasks[1:] for task in kind]))
    ceilings, *others = ([next(blocks) for _ in kind] for kind in tasks[1:])
    floors = floor_blocks()
    return Simulation(
        joined_blocks(floors, n_simulations),
        joined_blocks(ceilings, n_simulations),
        EffectTally.described([block.tally for block in ceilings]) if effects is None else effects.population,
        n_simulations,
        level,
        drawn=not normal,
        adjusted=joined_blocks(others[0], min(n_simulations, N_ADJUSTED)) if others else {},
    )


def _tasks(own: list[np.random.SeedSequence], size: int, source: int | None) -> list[Task]:
    """Return blocks of simulated agents of one kind, one for each seed."""
    return [Task(seed, range(i * size, (i + 1) * size), source) for i, seed in enumerate(own)]


def _visited(chains: Chains) -> EffectStates:
    """Return what a group of chains visits."""
    return chains.run()


def _missing_note(missing: list[int], layout: Layout) -> str:
    """Say which tests ask for a human number that is not there."""
    names = [f"{row.study}/{row.finding}/{row.test}" for row in (layout.rows[i] for i in missing)]
    some = ", ".join(names[:_MOST_NAMED]) + (" ..." if len(names) > _MOST_NAMED else "")
    return (
        f"{len(names)} test(s) have no human number of the kind that the agent's design asks for (its table, "
        f"its ratio, its degrees of freedom): nothing to simulate ({some})"
    )
