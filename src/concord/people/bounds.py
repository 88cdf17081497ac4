"""Floor and ceiling: what agents without effects and perfect replications would score on the same tests."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from concord.people.aggregate import Levels, Profiles, ecs_levels, pas_levels
from concord.people.evidence import Evidence, Family
from concord.people.families_counts import Binomials, Tables
from concord.people.layout import Layout
from concord.people.lookup import Lookup, make_lookup, subset, subset_context
from concord.people.protocol import Protocol
from concord.people.replicas import Truth, d_of, replicate, statistic_of, tabled, with_statistic
from concord.people.result import Bounds
from concord.people.sides import Given, SideTable
from concord.people.tests import Context, TestScores, pas_of
from concord.people.truth import Effects, Population, fit_population, human_effects
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.engine import SERIAL, Engine
from concord.stats.intervals import percentile_interval
from concord.stats.resample import seeds

N_SIMULATIONS = 1000
"""Simulated agents of each kind: the mean of PAS is then known to about 0.001."""
METRICS = ("pas", "ecs")
SMALLEST_RANGE = 0.05
"""Below this distance between floor and ceiling a place between them says nothing."""
ASSUMPTION = (
    "human results as observed; every test drawn by itself, though tests of a finding share participants; "
    "true effects from the empirical-Bayes posterior of the human effects"
)
_BLOCK_TESTS, _SMALLEST_BLOCK, _LARGEST_BLOCK = 500_000, 70, 1000


@dataclass(frozen=True, slots=True)
class Simulation:
    """Simulated scores of both kinds of agents, or why there are none."""

    floors: dict[str, Levels]
    ceilings: dict[str, Levels]
    """Levels with replicates on the first axis: benchmark (B,), domain (B, D)."""
    population: Population | None
    n_simulations: int
    level: float
    note: str = ""

    def bounds(self, metric: str, score: Estimate, *, domain: int | None = None) -> Bounds | None:
        """Give floor, ceiling and place of a score; None where nothing was simulated."""
        if not self.floors or score.value is None:
            return None
        floor = self._end(self.floors[metric], domain, "agents without effects")
        ceiling = self._end(self.ceilings[metric], domain, "perfect replications")
        return Bounds(floor, ceiling, _place(score, floor, ceiling))

    def _end(self, levels: Levels, domain: int | None, who: str) -> Estimate:
        draws = levels.benchmark if domain is None else levels.domain[:, domain]
        defined = draws[~np.isnan(draws)]
        undefined = draws.size - defined.size
        note = f"undefined for {undefined} of {draws.size} simulated agents" if undefined else ""
        if undefined > 0.1 * draws.size:
            return Estimate(None, None, int(defined.size), undefined, note=note)
        method = f"mean of {draws.size} simulated {who} at the agent's n"
        if np.ptp(defined) == 0:
            return Estimate(float(defined[0]), None, int(defined.size), undefined, method, note)
        interval = percentile_interval(
            defined, level=self.level, method=f"where {self.level:.0%} of them fall"
        )
        return Estimate(float(defined.mean()), interval, int(defined.size), undefined, method, note)


def _place(score: Estimate, floor: Estimate, ceiling: Estimate) -> Estimate:
    """Place a score between floor and ceiling."""
    if score.value is None or floor.value is None or ceiling.value is None:
        return Estimate(None, note="floor or ceiling is undefined")
    width = ceiling.value - floor.value
    if width < SMALLEST_RANGE:
        note = f"undefined: floor and ceiling are {width:.3f} apart, at least {SMALLEST_RANGE} are needed"
        return Estimate(None, note=note)
    base = floor.value
    interval = None
    if score.interval is not None:
        old = score.interval
        low, high = ((end - base) / width for end in (old.low, old.high))
        method = f"{old.method}, carried over; floor and ceiling held fixed"
        interval = Interval(low, high, old.level, method)
    return Estimate((score.value - base) / width, interval, score.n, score.n_left_out, "place")


@dataclass(frozen=True, slots=True)
class _Part:
    """Tests of one family of the agent, scored by a table or one by one."""

    index: NDArray[np.intp]
    agent: SideTable
    """The family alone, its tests renumbered."""
    says: Evidence
    context: Context
    lookup: Lookup | None


@dataclass(frozen=True, slots=True)
class _Work:
    """What every block of simulated agents needs."""

    parts: tuple[_Part, ...]
    n_eff: Floats
    human_d: Floats
    layout: Layout
    protocol: Protocol
    people: Effects
    population: Population
    size: int


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
) -> Simulation:
    """Simulate agents without effects and perfect replications, and score them as the agent was scored.

    Parameters
    ----------
    human, agent
        Both sides of the tests.
    context, layout, protocol
        As the agent was scored.
    level
        Share of simulated agents inside the intervals of floor and ceiling.
    n_simulations
        Agents of each kind.
    rng
        Source of randomness; every block of agents has its own child of its seed.
    engine
        Where blocks are computed; changes nothing in the result.
    """
    raw = human.is_raw & agent.is_raw & np.isnan(context.given_pas)
    fixed = int((context.present & ~raw).sum())
    if n_simulations == 0 or fixed:
        note = (
            "not asked for" if not fixed else f"{fixed} test(s) hold precomputed numbers: nothing to simulate"
        )
        return Simulation({}, {}, None, 0, level, note)
    says, people = human.evidence(protocol), human_effects(human, protocol)
    lacking = _lacking(agent, people)
    if lacking:
        note = f"{lacking} larger table(s) of the agent have no table on the human side: nothing to simulate"
        return Simulation({}, {}, None, 0, level, note)
    population = fit_population(people, says.p_value)
    size = int(np.clip(_BLOCK_TESTS // max(1, human.size), _SMALLEST_BLOCK, _LARGEST_BLOCK))
    own = agent.evidence(protocol)
    parts = tuple(_parts(says, agent, context, protocol))
    work = _Work(parts, own.n_eff, says.effect_d, layout, protocol, people, population, size)
    count = -(-n_simulations // size)
    tasks = [(seed, null) for null in (True, False) for seed in seeds(rng, count)]
    blocks = engine.map(partial(_block, work), tasks)
    floors, ceilings = (_joined(half, n_simulations) for half in (blocks[:count], blocks[count:]))
    return Simulation(floors, ceilings, population, n_simulations, level)


def _lacking(agent: SideTable, people: Effects) -> int:
    """Count larger tables that have no human table of the same shape."""
    missing = 0
    for index, family in agent.families:
        if isinstance(family, Tables) and family.tables.shape[-2:] != (2, 2):
            shape = family.tables.shape[-2:]
            known = [people.shares.get(int(i)) for i in index]
            missing += sum(pair is None or pair[0].shape != shape for pair in known)
    return missing


def _parts(says: Evidence, agent: SideTable, context: Context, protocol: Protocol) -> Iterator[_Part]:
    """Take the agent's side apart by family, each with its table where PAS is smooth in one statistic."""
    for index, family in agent.families:
        place = np.asarray(index, dtype=np.intp)
        given = Given(*(getattr(agent.given, field.name)[place] for field in fields(Given)))
        alone = SideTable(len(place), ((np.arange(len(place)), family),), given, agent.prior_odds[place])
        human, around = subset(says, place), subset_context(context, place)
        lookup = None
        if tabled(family, protocol):
            lookup = make_lookup(partial(_at, alone, family, protocol), human, around, protocol)
        yield _Part(place, alone, human, around, lookup)


def _at(side: SideTable, family: Family, protocol: Protocol, s: Floats) -> Evidence:
    """Give the evidence of one family at given statistics (n, k)."""
    moved = replace(side, families=((np.arange(side.size), with_statistic(family, s)),))
    return moved.evidence(protocol, (len(s),))


def _block(work: _Work, task: tuple[np.random.SeedSequence, bool]) -> dict[str, Levels]:
    """Score one block of simulated agents."""
    seed, null = task
    rng = np.random.default_rng(seed)
    shape = (work.size, work.people.d.size)
    d = np.zeros(shape) if null else work.population.draw(work.people, rng, work.size)
    truth = Truth(d, work.people, null)
    pas, agent_d = np.full(shape, np.nan), np.full(shape, np.nan)
    for part in work.parts:
        pas[:, part.index], agent_d[:, part.index] = _scored(part, truth, work.protocol, rng)
    scores = _scores(pas, agent_d, work)
    return {
        "pas": pas_levels(scores, work.layout, work.protocol),
        "ecs": ecs_levels(Profiles(scores, work.layout, work.protocol), work.layout),
    }


def _scored(part: _Part, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Give PAS and d of the simulated agents on one family."""
    drawn = replicate(part.agent, truth.of(part.index), protocol, rng)
    family = drawn.families[0][1]
    if part.lookup is not None:
        return part.lookup.pas(statistic_of(family)), d_of(family, protocol)
    if isinstance(family, Binomials) or (isinstance(family, Tables) and family.direction.ndim == 1):
        return _by_distinct_counts(part, family, protocol)
    evidence = drawn.evidence(protocol, (len(truth.d),))
    return pas_of(part.says, evidence, part.context, protocol), evidence.effect_d


def _by_distinct_counts(part: _Part, family: Tables | Binomials, protocol: Protocol) -> tuple[Floats, Floats]:
    """Score each distinct outcome of each test once: counts of few participants come again and again."""
    codes = _codes(family)
    _, first, back = np.unique(codes, return_index=True, return_inverse=True)
    test = first % codes.shape[1]
    given = Given(*(getattr(part.agent.given, field.name)[test] for field in fields(Given)))
    chosen = ((np.arange(len(first)), _picked(family, first, test)),)
    side = SideTable(len(first), chosen, given, part.agent.prior_odds[test])
    evidence = side.evidence(protocol)
    pas = pas_of(subset(part.says, test), evidence, subset_context(part.context, test), protocol)
    return pas[back].reshape(codes.shape), evidence.effect_d[back].reshape(codes.shape)


def _codes(family: Tables | Binomials) -> NDArray[np.int64]:
    """Give outcomes (B, k) a number: the same test and counts, the same number; row totals are fixed."""
    if isinstance(family, Binomials):
        counts, width = family.k.astype(np.int64), int(family.n.max()) + 1
    else:
        cells = family.tables.astype(np.int64)
        span = int(cells.sum(axis=-1).max()) + 1
        counts, width = cells[..., 0, 0] * span + cells[..., 1, 0], span * span
    return np.asarray(np.arange(counts.shape[1]) * width + counts)


def _picked(family: Tables | Binomials, first: NDArray[np.intp], test: NDArray[np.intp]) -> Family:
    """Give some replicates of some tests as tests of their own."""
    nothing = np.full(len(first), np.nan)
    if isinstance(family, Binomials):
        k = family.k.reshape(-1)[first]
        return replace(family, k=k, n=family.n[test], p0=family.p0[test], p_value=nothing)
    tables = family.tables.reshape(-1, *family.tables.shape[-2:])[first]
    return replace(family, tables=tables, direction=family.direction[test], p_value=nothing)


def _scores(pas: Floats, agent_d: Floats, work: _Work) -> TestScores:
    """Test scores of which only what PAS and ECS need is known."""
    nothing = np.broadcast_to(np.nan, pas.shape)
    known = {"pas": pas, "agent_d": agent_d, "human_d": work.human_d, "n_eff": work.n_eff}
    values = {field.name: known.get(field.name, nothing) for field in fields(TestScores)}
    return TestScores(**values)


def _joined(parts: list[dict[str, Levels]], n: int) -> dict[str, Levels]:
    """Put blocks together; of the last one only what was asked for."""

    def column(metric: str, level: str) -> Floats:
        return np.concatenate([getattr(part[metric], level) for part in parts])[:n]

    return {metric: Levels(*(column(metric, level) for level in Levels.__slots__)) for metric in METRICS}
