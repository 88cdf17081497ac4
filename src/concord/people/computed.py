"""Everything that the scores of a table of tests are read from, computed once."""

from dataclasses import dataclass, replace

import numpy as np

from concord.engine import Engine
from concord.people import aggregate
from concord.people.bounds import simulate_bounds
from concord.people.families.registry import KINDS
from concord.people.layout import Layout, lay_out
from concord.people.protocol import Protocol
from concord.people.same_tests import DrawnOnce, design_of
from concord.people.scored import Context, score_tests
from concord.people.selection import adjusted_effects
from concord.people.sides import SideTable
from concord.people.truth import human_effects
from concord.people.uncertainty import Jackknife, NewSamples, new_participants
from concord.people.work import ScoredTests
from concord.records import Side, TestRow, TestTable
from concord.stats.elementwise import Floats

OTHERWISE = (0.0, 0.8)
"""Other correlations of the tests of a study: what the interval would be if the one assumed is wrong."""
N_OTHERWISE = 200
"""New samples behind each."""


@dataclass(frozen=True, slots=True)
class Computed(ScoredTests):
    """Everything computed once for a table: its tests, and the uncertainty of their scores."""

    jackknife: Jackknife
    new_samples: NewSamples
    new_samples_otherwise: tuple[NewSamples, ...]
    """With other correlations of the tests of a study."""


def compute(
    table: TestTable,
    protocol: Protocol,
    level: float,
    sizes: tuple[int, int],
    seed: int,
    engine: Engine,
    once: DrawnOnce | None = None,
) -> Computed:
    """Compute everything that the results of a table are read from; sizes are resamples and simulations.

    `once` keeps what is the same for the next agent on these tests.
    """
    n_resamples, n_simulations = sizes
    kept = once if engine.name == "serial" else None  # other processes share no memory
    layout = lay_out(table.rows)
    rows = layout.rows
    human = SideTable.from_rows(rows, [row.human for row in rows], protocol.human_prior_odds, KINDS)
    agent = SideTable.from_rows(rows, [row.agent for row in rows], protocol.agent_prior_odds, KINDS)
    context = context_of(rows, human, agent)
    human_says, agent_says = human.evidence(protocol), agent.evidence(protocol)
    scores = score_tests(human_says, agent_says, context, protocol)
    errors = (human_effects(human, protocol).se, human_effects(agent, protocol).se)
    adjusted = adjusted_effects(scores, errors[0])
    jackknife = Jackknife(scores, layout, protocol, level, errors[0])
    new_samples = _new_samples(
        human, agent, context, layout, protocol, level, n_resamples, seed, engine, kept
    )
    others = tuple(
        _new_samples(
            human,
            agent,
            context,
            layout,
            replace(protocol, within_study=other),
            level,
            min(n_resamples, N_OTHERWISE),
            seed,
            engine,
            kept,
        )
        for other in (OTHERWISE if protocol.within_study else ())
    )
    normalised = aggregate.normalised_levels(scores, layout, protocol)
    design = design_of(rows) if once is not None else None
    simulation = None if once is None else once.simulations.get(design)
    if simulation is None:
        simulation = simulate_bounds(
            human,
            agent,
            context,
            layout,
            protocol,
            level=level,
            n_simulations=n_simulations,
            rng=np.random.default_rng([seed, 1]),
            engine=engine,
            adjusted=(adjusted.d, adjusted.se),
            evidence=(human_says, agent_says),
        )
        if once is not None:
            once.simulations[design] = simulation
    return Computed(
        layout=layout,
        protocol=protocol,
        human=human_says,
        agent=agent_says,
        scores=scores,
        levels=jackknife.levels,
        normalised=normalised,
        jackknife=jackknife,
        new_samples=new_samples,
        new_samples_otherwise=others,
        simulation=simulation,
        errors=errors,
        sides=(human, agent),
        context=context,
        adjusted=adjusted,
    )


def _new_samples(
    human: SideTable,
    agent: SideTable,
    context: Context,
    layout: Layout,
    protocol: Protocol,
    level: float,
    n_resamples: int,
    seed: int,
    engine: Engine,
    once: DrawnOnce | None,
) -> NewSamples:
    if not n_resamples:
        return NewSamples({}, level, 0, "not asked for (resamples = 0)")
    return new_participants(
        human,
        agent,
        context,
        layout,
        protocol,
        level=level,
        n_resamples=n_resamples,
        rng=np.random.default_rng(seed),
        engine=engine,
        once=once,
    )


def context_of(rows: tuple[TestRow, ...], human: SideTable, agent: SideTable) -> Context:
    """Return what belongs to the tests and not to a side."""

    def given(name: str) -> Floats:
        values = [getattr(row, name) for row in rows]
        return np.array([np.nan if value is None else float(value) for value in values])

    def there(side: Side | None) -> bool:
        return side is not None

    present = np.array([there(row.human) and there(row.agent) for row in rows])
    return Context(
        human_odds=human.prior_odds,
        agent_odds=agent.prior_odds,
        alpha=np.array([row.alpha for row in rows]),
        given_pas=given("pas"),
        given_n_eff=given("n_eff"),
        present=present | ~np.isnan(given("pas")),
        human_testable=present & human.testable,
        agent_testable=present & agent.testable,
        agent_absent=np.array([row.human is not None and row.agent is None for row in rows])
        & human.testable
        & np.isnan(given("pas")),
    )
