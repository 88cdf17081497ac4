"""Everything that the scores of tests are read from, computed once: of one agent, or shared by many."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

import numpy as np

from concord.engine import SERIAL, Engine
from concord.number_words import number
from concord.people.evidence import Evidence
from concord.people.families.registry import KINDS
from concord.people.protocol import Protocol
from concord.people.score import levels
from concord.people.score.levels import Layout, Levels, lay_out
from concord.people.score.sides import SideTable
from concord.people.score.sizes import excess_significance
from concord.people.score.test_scores import Context, TestScores, score_tests
from concord.people.uncertainty.floor_ceiling import Simulation, simulate_bounds
from concord.people.uncertainty.new_participants import (
    NewSamples,
    PeopleDrawn,
    Tables,
    new_participants,
    redrawn_numbers,
    tables_of_side,
    why_not_redrawn,
)
from concord.people.uncertainty.other_studies import Jackknife
from concord.people.uncertainty.true_effects import AdjustedEffects, adjusted_effects, human_effects
from concord.records import Side, TestRow
from concord.stats.elementwise import Bools, Floats


@dataclass(frozen=True, slots=True)
class Computed:
    """Everything computed once for a table: its tests, and the uncertainty of their scores."""

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
    jackknife: Jackknife
    new_samples: NewSamples
    new_samples_otherwise: tuple[NewSamples, ...]
    """With other correlations of the tests of a study."""


OTHERWISE = (0.0, 0.8)
"""Other correlations of the tests of a study: what the interval would be if the one assumed is wrong."""
N_OTHERWISE = 200
"""New samples behind each."""
MOST_DESIGNS = 8
"""Designs whose tables of Bayes factors are kept."""
_DESIGN = attrgetter("df1", "df2", "n1", "n2", "n", "p0", "se", "prior_odds")
"""Fields of a side that belong to the design: agents that differ in them are computed apart."""
_GIVEN = attrgetter("statistic", "k", "p_value", "z", "effect_d", "log_bf")


def design_of(rows: Sequence[TestRow]) -> Hashable:
    """Return what must agree for two agents to be computed together on some tests."""
    return tuple(_of_one_row(row) for row in rows)


def _of_one_row(row: TestRow) -> Hashable:
    side = row.agent
    if side is None:
        return (row.agent_outcome, row.pas is None)
    shape = None if side.table is None else tuple(sum(cells) for cells in side.table)
    directed = None if side.direction is None else abs(side.direction)
    given = tuple([value is None for value in _GIVEN(side)])
    return (_DESIGN(side), shape, directed, given, row.pas is None, row.n_eff)


@dataclass(frozen=True, slots=True)
class AgentTests:
    """One agent's side of the tests."""

    layout: Layout
    side: SideTable
    context: Context
    design: Hashable

    @property
    def rows(self) -> tuple[TestRow, ...]:
        """The tests, sorted."""
        return self.layout.rows


@dataclass(frozen=True, slots=True)
class SameTests:
    """Tests as people did them, and what agents on them share: computed when first asked for."""

    layout: Layout
    protocol: Protocol
    level: float
    n_resamples: int
    n_simulations: int
    seed: int
    engine: Engine
    human: SideTable
    says: Evidence
    human_se: Floats
    """Of d."""
    people: PeopleDrawn = field(default_factory=PeopleDrawn)
    tables: dict[Hashable, Tables] = field(default_factory=dict)
    simulations: dict[Hashable, Simulation] = field(default_factory=dict)
    adjusted: dict[bytes, AdjustedEffects] = field(default_factory=dict)
    scaled: dict[Protocol, Evidence] = field(default_factory=dict)
    """What people say under protocols with other priors."""

    @classmethod
    def of(
        cls,
        rows: Sequence[TestRow],
        protocol: Protocol,
        *,
        level: float,
        n_resamples: int,
        n_simulations: int,
        seed: int,
        engine: Engine = SERIAL,
    ) -> "SameTests":
        """Lay out some tests and take what people say on them."""
        layout = lay_out(rows)
        human = SideTable.from_rows(
            layout.rows, [row.human for row in layout.rows], protocol.human_prior_odds, KINDS
        )
        return cls(
            layout=layout,
            protocol=protocol,
            level=level,
            n_resamples=n_resamples,
            n_simulations=n_simulations,
            seed=seed,
            engine=engine,
            human=human,
            says=human.evidence(protocol),
            human_se=human_effects(human, protocol).se,
        )

    def agent(self, rows: Sequence[TestRow]) -> AgentTests:
        """Return an agent's side of these tests, given sorted rows."""
        side = SideTable.from_rows(rows, [row.agent for row in rows], self.protocol.agent_prior_odds, KINDS)
        layout = replace(self.layout, rows=tuple(rows))
        return AgentTests(layout, side, context_of(layout.rows, self.human, side), design_of(rows))

    def new_samples(self, agent: AgentTests, within_study: float | None = None) -> NewSamples:
        """Return the spread over new participants, over fewer with a correlation other than assumed."""
        protocol, n = self.protocol, self.n_resamples
        if within_study is not None:
            protocol, n = replace(protocol, within_study=within_study), min(n, N_OTHERWISE)
        return new_participants(
            (self.human, agent.side),
            agent.context,
            self.layout,
            protocol,
            level=self.level,
            n_resamples=n,
            rng=np.random.default_rng(self.seed),
            engine=self.engine,
            people=self.people,
            agent_tables=self._tables_of(agent) if n else None,
        )

    def _tables_of(self, agent: AgentTests) -> Tables:
        """Return the tables of Bayes factors of an agent's design."""
        if agent.design not in self.tables:
            if len(self.tables) == MOST_DESIGNS:
                self.tables.pop(next(iter(self.tables)))
            self.tables[agent.design] = tables_of_side(agent.side, agent.context.agent_odds, self.protocol)
        return self.tables[agent.design]

    def why_not_redrawn(self, agent: AgentTests) -> str:
        """Say why there are no new participants of an agent, or nothing."""
        return why_not_redrawn((self.human, agent.side), agent.context, self.n_resamples)

    def redrawn(
        self, agent: AgentTests, own: int, masks: Sequence[tuple[str, Bools]], protocol: Protocol
    ) -> Floats:
        """Return metrics over some of the tests in new samples (M, B): people are those of every agent."""
        return redrawn_numbers(
            (self.human, agent.side),
            agent.context,
            self.layout,
            protocol,
            masks=masks,
            own=own,
            n_resamples=self.n_resamples,
            rng=np.random.default_rng(self.seed),
            shared=(self.engine, self.people, self._tables_of(agent)),
        )

    def adjusted_effects(self, scores: TestScores) -> AdjustedEffects:
        """Return the human effects of the tests that ECS uses with their selection undone."""
        key = np.packbits(levels.used_tests(scores)).tobytes()
        if key not in self.adjusted:
            self.adjusted[key] = adjusted_effects(scores, self.human_se)
        return self.adjusted[key]

    def bounds_of(
        self, agent: AgentTests, says: Evidence, scores: TestScores, *, whole: bool = True
    ) -> Simulation:
        """Return floor and ceiling; of human effects with selection undone where they were selected."""
        # Where they were not, ceilings with selection undone are simulated only for the whole of a result.
        excess = excess_significance(scores, self.human_se, self.adjusted_effects(scores).d)
        found = self.simulation(agent, says, undo=whole or excess is not None)
        if excess is None:
            return found
        significant = f"{excess.significant} of {excess.n} human tests are significant"
        return found.undone(f"{significant} where {number(excess.expected, 0)} are expected")

    def simulation(self, agent: AgentTests, says: Evidence, *, undo: bool) -> Simulation:
        """Return floor and ceiling of the agent's design, where asked for also with selection undone."""
        key = (agent.design, undo)
        if key not in self.simulations:
            self.simulations[key] = simulate_bounds(
                self.human,
                agent.side,
                agent.context,
                self.layout,
                self.protocol,
                level=self.level,
                n_simulations=self.n_simulations,
                rng=np.random.default_rng([self.seed, 1]),
                engine=self.engine,
                undo=undo,
                evidence=(self.says, says),
            )
        return self.simulations[key]

    def people_under(self, protocol: Protocol) -> Evidence:
        """Return what people say under a protocol with other priors."""
        if protocol not in self.scaled:
            self.scaled[protocol] = self.human.evidence(protocol)
        return self.scaled[protocol]


def compute(same: SameTests, agent: AgentTests, new_samples: NewSamples | None = None) -> Computed:
    """Compute everything that the results of an agent are read from; `new_samples` where they are known."""
    protocol, layout = same.protocol, agent.layout
    says = agent.side.evidence(protocol)
    scores = score_tests(same.says, says, agent.context, protocol)
    errors = (same.human_se, human_effects(agent.side, protocol).se)
    adjusted = same.adjusted_effects(scores)
    jackknife = Jackknife(scores, layout, protocol, same.level, errors[0])
    return Computed(
        layout=layout,
        protocol=protocol,
        human=same.says,
        agent=says,
        scores=scores,
        levels=jackknife.levels,
        normalised=levels.normalised_levels(scores, layout, protocol),
        jackknife=jackknife,
        new_samples=same.new_samples(agent) if new_samples is None else new_samples,
        new_samples_otherwise=tuple(
            same.new_samples(agent, other) for other in (OTHERWISE if protocol.within_study else ())
        ),
        simulation=same.bounds_of(agent, says, scores),
        errors=errors,
        sides=(same.human, agent.side),
        context=agent.context,
        adjusted=adjusted,
        people_under=same.people_under,
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
