"""Floor and ceiling: what agents without effects and perfect replications would score on the same tests."""

from dataclasses import dataclass, field, fields, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine
from concord.people.aggregate import Ends, Profiles, ecs_ends, pas_levels
from concord.people.evidence import Brief, Evidence
from concord.people.families.base import Family, SmoothFamily
from concord.people.families.truth import HumanEffects, Truth
from concord.people.layout import Layout
from concord.people.lookup import Lookup, make_lookup, subset, subset_context
from concord.people.protocol import Protocol
from concord.people.result import Bounds
from concord.people.scored import Context, TestScores, pas_of
from concord.people.sides import SideTable, split_by_sign
from concord.people.truth import EffectPopulation, fit_population, human_effects, lacking
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
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
_MOST_NAMED = 3
_BLOCK_TESTS, _SMALLEST_BLOCK, _LARGEST_BLOCK = 500_000, 70, 1000


@dataclass(frozen=True, slots=True)
class Simulation:
    """Simulated scores of both kinds of agents, or why there are none."""

    floors: dict[str, Ends]
    ceilings: dict[str, Ends]
    """With replicates on the first axis: benchmark (B,), domain (B, D)."""
    population: EffectPopulation | None
    n_simulations: int
    level: float
    note: str = ""
    known: dict[tuple[str, int | None], tuple[Estimate, Estimate]] = field(default_factory=dict)
    """Floor and ceiling by metric and domain: the same for all agents of a design."""

    def bounds(self, metric: str, score: Estimate, *, domain: int | None = None) -> Bounds | None:
        """Return floor, ceiling and place of a score; None where nothing was simulated."""
        if not self.floors or score.value is None:
            return None
        if (metric, domain) not in self.known:
            floor = self._end(self.floors[metric], domain, "agents without effects")
            self.known[metric, domain] = (
                floor,
                self._end(self.ceilings[metric], domain, "perfect replications"),
            )
        floor, ceiling = self.known[metric, domain]
        return Bounds(floor, ceiling, _place(score, floor, ceiling))

    def _end(self, levels: Ends, domain: int | None, who: str) -> Estimate:
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
    """Their places among all tests."""
    family: Family
    says: Brief
    """What people say on them."""
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
    people: HumanEffects
    population: EffectPopulation
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
    evidence: tuple[Evidence, Evidence] | None = None,
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
    evidence
        What both sides say, where it is known already.
    """
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
    population = fit_population(people, says.p_value)
    size = int(np.clip(_BLOCK_TESTS // max(1, human.size), _SMALLEST_BLOCK, _LARGEST_BLOCK))
    # tables of Bayes factors take as long as several blocks: they are spread like them
    parts = tuple(engine.map(partial(_part, says, context, protocol), both.families))
    work = _Work(
        parts=parts,
        n_eff=own.n_eff,
        human_d=says.effect_d,
        layout=layout,
        protocol=protocol,
        people=people,
        population=population,
        size=size,
    )
    count = -(-n_simulations // size)
    tasks = [(seed, null) for null in (True, False) for seed in seeds(rng, count)]
    blocks = engine.map(partial(_simulated_block, work), tasks)
    floors, ceilings = (_joined_blocks(half, n_simulations) for half in (blocks[:count], blocks[count:]))
    return Simulation(floors, ceilings, population, n_simulations, level)


def _missing_note(missing: list[int], layout: Layout) -> str:
    """Say which tests ask for a human number that is not there."""
    names = [f"{row.study}/{row.finding}/{row.test}" for row in (layout.rows[i] for i in missing)]
    some = ", ".join(names[:_MOST_NAMED]) + (" ..." if len(names) > _MOST_NAMED else "")
    return (
        f"{len(names)} test(s) have no human number of the kind that the agent's design asks for (its table, "
        f"its ratio, its degrees of freedom): nothing to simulate ({some})"
    )


def _part(says: Brief, context: Context, protocol: Protocol, own: tuple[NDArray[np.intp], Family]) -> _Part:
    """Take one family of the agent's side, with its table where PAS is smooth in one statistic."""
    index, family = own
    human, around = subset(says, index), subset_context(context, index)
    return _Part(index, family, human, around, agent_lookup(family, context, index, protocol))


def agent_lookup(
    family: Family, context: Context, index: NDArray[np.intp], protocol: Protocol
) -> Lookup | None:
    """Return the tables of the agent's Bayes factors; None where PAS is not smooth in one statistic."""
    smooth = family.smooth
    if smooth is None:
        return None
    at = partial(_at, smooth, replace(protocol, capped=False))
    return make_lookup(at, np.log(context.agent_odds[index]), smooth.limits(protocol))


def _at(family: SmoothFamily, protocol: Protocol, s: Floats, chosen: NDArray[np.bool_]) -> Brief:
    """Return the evidence of some tests of a family at given statistics (n, m)."""
    return _brief(family.pick(chosen).with_statistic(s), protocol)


def _brief(family: Family, protocol: Protocol) -> Brief:
    return split_by_sign(family.brief(protocol), protocol)


def _simulated_block(work: _Work, task: tuple[np.random.SeedSequence, bool]) -> dict[str, Ends]:
    """Score one block of simulated agents."""
    seed, null = task
    rng = np.random.default_rng(seed)
    shape = (work.size, work.people.d.size)
    d = np.zeros(shape) if null else work.population.draw(work.people, rng, work.size)
    truth = Truth(d, work.people, null)
    pas, agent_d = np.full(shape, np.nan), np.full(shape, np.nan)
    for part in work.parts:
        drawn = part.family.replicate(truth.of(part.index), work.protocol, rng)
        pas[:, part.index], agent_d[:, part.index] = _simulated_scores(part, drawn, work.protocol)
    scores = _scores(pas, agent_d, work)
    levels = pas_levels(scores, work.layout, work.protocol)
    return {
        "pas": Ends(levels.domain, levels.benchmark),
        "ecs": ecs_ends(Profiles(scores, work.layout, work.protocol), work.layout),
    }


def _simulated_scores(part: _Part, drawn: Family, protocol: Protocol) -> tuple[Floats, Floats]:
    """Return PAS and d of simulated agents on one family."""
    codes = drawn.outcome_codes()
    if codes is not None:
        return _by_distinct_counts(part, drawn, codes, protocol)
    smooth = drawn.smooth
    if part.lookup is None or smooth is None:
        brief = _brief(drawn, protocol)
        return pas_of(part.says, brief, part.context, protocol), brief.effect_d
    s = smooth.statistic()
    log_bf, up = part.lookup.read(s)
    d = drawn.d(protocol)
    pas = pas_of(part.says, Brief(log_bf, up, np.sign(s), d), part.context, protocol)
    outside = part.lookup.outside(s)
    if outside.any():
        pas[outside] = _one_by_one(part, drawn, np.nonzero(outside), protocol)[0]
    return pas, d


def _one_by_one(
    part: _Part, drawn: Family, place: tuple[NDArray[np.intp], ...], protocol: Protocol
) -> tuple[Floats, Floats]:
    """Return PAS and d of single outcomes (draw, test) by the exact kernel."""
    draw, test = place
    brief = _brief(drawn.pick_outcomes(draw, test), protocol)
    pas = pas_of(subset(part.says, test), brief, subset_context(part.context, test), protocol)
    return pas, brief.effect_d


def _by_distinct_counts(
    part: _Part, drawn: Family, coded: tuple[NDArray[np.int64], int], protocol: Protocol
) -> tuple[Floats, Floats]:
    """Score each distinct outcome of each test once: counts of few participants come again and again."""
    codes, n_codes = coded
    first, back = distinct(codes.reshape(-1), n_codes)
    pas, d = _one_by_one(part, drawn, np.unravel_index(first, codes.shape), protocol)
    return pas[back].reshape(codes.shape), d[back].reshape(codes.shape)


def distinct(codes: NDArray[np.int64], n_codes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where each distinct code is first (or last), and for every code its place among the distinct.

    Where codes are dense a list of all possible ones is cheaper than sorting.
    """
    if n_codes > 8 * codes.size:
        _, first, back = np.unique(codes, return_index=True, return_inverse=True)
        return first, back
    seen = np.full(n_codes, -1, dtype=np.intp)
    seen[codes] = np.arange(codes.size)
    held = np.flatnonzero(seen >= 0)
    rank = np.empty(n_codes, dtype=np.intp)
    rank[held] = np.arange(held.size)
    return seen[held], rank[codes]


def _scores(pas: Floats, agent_d: Floats, work: _Work) -> TestScores:
    """Test scores of which only what PAS and ECS need is known."""
    nothing = np.broadcast_to(np.nan, pas.shape)
    known = {"pas": pas, "agent_d": agent_d, "human_d": work.human_d, "n_eff": work.n_eff}
    values = {field.name: known.get(field.name, nothing) for field in fields(TestScores)}
    return TestScores(**values)


def _joined_blocks(parts: list[dict[str, Ends]], n: int) -> dict[str, Ends]:
    """Put blocks together; of the last one only what was asked for."""

    def column(metric: str, level: str) -> Floats:
        return np.concatenate([getattr(part[metric], level) for part in parts])[:n]

    return {metric: Ends(*(column(metric, level) for level in Ends.__slots__)) for metric in METRICS}
