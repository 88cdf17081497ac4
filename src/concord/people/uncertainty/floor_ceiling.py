"""Floor and ceiling: what agents without effects and perfect replications would score on the same tests.

Blocks of simulated agents are drawn from true effects and scored as the agent was; a score has its place
between their means.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine
from concord.people.evidence import Brief, Evidence
from concord.people.families.base import Family, HumanEffects, SmoothFamily, Truth
from concord.people.protocol import Protocol
from concord.people.result import Bounds
from concord.people.same_people import SamePeople
from concord.people.score.levels import Ends, Layout, Profiles, apr_ends, ecs_ends, pas_levels
from concord.people.score.sides import SideTable, split_by_sign
from concord.people.score.test_scores import (
    Context,
    TestScores,
    direction_match,
    known_scores,
    pas_of,
    pass_rules,
)
from concord.people.uncertainty.bayes_tables import Lookup, make_lookup, subset, subset_context
from concord.people.uncertainty.true_effects import (
    DrawnEffects,
    EffectPopulation,
    EffectTally,
    NormalEffects,
    chains_behind,
    fit_population,
    human_effects,
    lacking,
)
from concord.people.words import ADJUSTED
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import percentile_interval
from concord.stats.resample import seeds
from concord.stats.true_effects import Chains
from concord.words import say

SMALLEST_RANGE = 0.05
"""Below this distance between floor and ceiling a place between them says nothing."""
WIDEST_PLACE = 1.0
"""Width of an interval beyond which a place says nothing."""


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
    adjusted: dict[str, Ends] = field(default_factory=dict)
    """Ceilings of human effects with their selection undone."""
    drawn: bool = False
    """The distribution of true effects was drawn: place carries the range of the ceiling."""
    selected: str = ""
    """Why the ceiling is that of human effects with their selection undone; empty where it is not."""

    def undone(self, why: str) -> "Simulation":
        """Return floor and ceiling for human effects that were selected: their selection is undone."""
        if not self.adjusted or not self.drawn:
            return self
        return replace(self, ceilings=self.adjusted, known={}, selected=why)

    def bounds(self, metric: str, score: Estimate, *, domain: int | None = None) -> Bounds | None:
        """Return floor, ceiling and place of a score; None where nothing was simulated."""
        if not self.floors or score.value is None:
            return None
        if (metric, domain) not in self.known:
            floor = self._end(self.floors[metric], domain, say("people.bounds.floor"))
            self.known[metric, domain] = (
                floor,
                self._end(self.ceilings[metric], domain, self._twins),
            )
        floor, ceiling = self.known[metric, domain]
        twins = _of(self.ceilings[metric], domain)
        place = _place_in_range(score, floor, ceiling) if self.drawn else _place(score, floor, ceiling)
        ends = place.interval
        if ends is not None and ends.high - ends.low > WIDEST_PLACE:
            place = Estimate(None, note=say("people.bounds.says_nothing", low=ends.low, high=ends.high))
        return Bounds(floor, ceiling, place, percentile(score.value, twins))

    @property
    def _twins(self) -> str:
        plain = say("people.bounds.ceiling")
        return f"{plain} {ADJUSTED}" if self.selected else plain

    def adjusted_ceiling(self, metric: str) -> Estimate | None:
        """Return the ceiling of the benchmark once selection is undone; None where it was not simulated."""
        if not self.adjusted:
            return None
        return self._end(self.adjusted[metric], None, f"perfect replications {ADJUSTED}")

    def _end(self, levels: Ends, domain: int | None, who: str) -> Estimate:
        draws = _of(levels, domain)
        defined = draws[~np.isnan(draws)]
        undefined = draws.size - defined.size
        note = say("people.bounds.undefined", k=undefined, n=draws.size) if undefined else ""
        if undefined > 0.1 * draws.size:
            return Estimate(None, None, int(defined.size), undefined, note=note)
        method = say("people.bounds.method", n=draws.size, who=who)
        if np.ptp(defined) == 0:
            return Estimate(float(defined[0]), None, int(defined.size), undefined, method, note)
        mean = float(defined.mean())
        return Estimate(mean, self._range(defined, mean), int(defined.size), undefined, method, note)

    def _range(self, draws: Floats, mean: float) -> Interval:
        """Return where most agents score: beyond the mean, too, where a few rare scores are behind it."""
        plain = percentile_interval(draws, level=self.level)
        low = min(plain.low, float(draws.max(initial=draws.min(), where=draws <= mean)))
        high = max(plain.high, float(draws.min(initial=draws.max(), where=draws >= mean)))
        wider = (low, high) != (plain.low, plain.high)
        where = say("people.bounds.where_least" if wider else "people.bounds.where", level=self.level)
        return Interval(low, high, self.level, where)


def _of(levels: Ends, domain: int | None) -> Floats:
    return levels.benchmark if domain is None else levels.domain[:, domain]


def percentile(value: float, twins: Floats) -> float | None:
    """Return the share of perfect replications that score lower, ties by half."""
    known = twins[~np.isnan(twins)]
    if not known.size:
        return None
    return float(np.mean(known < value) + 0.5 * np.mean(known == value))


def _place_in_range(score: Estimate, floor: Estimate, ceiling: Estimate) -> Estimate:
    """Place a score, withheld where perfect replications may score as agents without effects do."""
    plain = _place(score, floor, ceiling)
    if plain.value is None or floor.value is None or ceiling.value is None:
        return plain
    reach = ceiling.interval
    if reach is None:
        return plain
    if reach.low <= floor.value:
        note = say("people.bounds.not_apart", level=reach.level, reach=reach, floor=floor.value)
        return Estimate(None, note=note)
    if plain.interval is None or score.value is None:
        return plain
    # both errors together (Zou and Donner 2008): that of the score, and that of the ceiling
    above, place = score.value - floor.value, plain.value
    ends = sorted(above / (end - floor.value) for end in (reach.low, reach.high))
    low = place - float(np.hypot(place - plain.interval.low, place - ends[0]))
    high = place + float(np.hypot(plain.interval.high - place, ends[1] - place))
    method = f"{plain.interval.method.split(', carried over')[0]}, carried over with the range of the ceiling"
    interval = Interval(low, high, plain.interval.level, method)
    return Estimate(place, interval, plain.n, plain.n_left_out, plain.method)


def _place(score: Estimate, floor: Estimate, ceiling: Estimate) -> Estimate:
    """Place a score between floor and ceiling."""
    if score.value is None or floor.value is None or ceiling.value is None:
        return Estimate(None, note=say("people.bounds.no_ends"))
    width = ceiling.value - floor.value
    if width < SMALLEST_RANGE:
        note = say("people.bounds.narrow", width=width, least=f"{SMALLEST_RANGE:g}")
        return Estimate(None, note=note)
    base = floor.value
    interval = None
    if score.interval is not None:
        old = score.interval
        low, high = ((end - base) / width for end in (old.low, old.high))
        method = f"{old.method}, carried over; floor and ceiling held fixed"
        interval = Interval(low, high, old.level, method)
    return Estimate((score.value - base) / width, interval, score.n, score.n_left_out, "place")


METRICS = ("pas", "ecs", "apr")


@dataclass(frozen=True, slots=True)
class FamilyTests:
    """Tests of one family of the agent, scored by a table or one by one."""

    index: NDArray[np.intp]
    """Their places among all tests."""
    family: Family
    says: Brief
    """What people say on them."""
    context: Context
    lookup: Lookup | None
    """Where PAS is smooth in one statistic."""


@dataclass(frozen=True, slots=True)
class Work:
    """What every block of simulated agents needs: sent once to every worker."""

    parts: tuple[FamilyTests, ...]
    n_eff: Floats
    human: Evidence
    context: Context
    layout: Layout
    protocol: Protocol
    people: HumanEffects
    same: SamePeople
    effects: tuple[NormalEffects | DrawnEffects, ...]
    """Where true effects are drawn from: as published and, where asked for, with selection undone."""


@dataclass(frozen=True, slots=True)
class Task:
    """One block of simulated agents: a few numbers, which travel in no time."""

    seed: np.random.SeedSequence
    rows: range
    """Their numbers among all agents of their kind."""
    source: int | None
    """Which of the work's effects they have; None: agents without effects."""


@dataclass(frozen=True, slots=True)
class Block:
    """What one block of simulated agents scores, and what true effects it had."""

    ends: dict[str, Ends]
    tally: EffectTally


def family_tests(
    says: Brief, context: Context, protocol: Protocol, part: tuple[NDArray[np.intp], Family]
) -> FamilyTests:
    """Take the tests of one family, with their table where PAS is smooth in one statistic."""
    (index, family), own = part, subset_context(context, part[0])
    lookup = agent_lookup(family, own.agent_odds, protocol)
    return FamilyTests(index, family, subset(says, index), own, lookup)


def agent_lookup(family: Family, odds: Floats, protocol: Protocol) -> Lookup | None:
    """Return tables of Bayes factors, one for all tests of a design; None where PAS is not smooth."""
    smooth = family.smooth
    if smooth is None or not len(odds):
        return None
    record: Any = smooth.with_statistic(np.zeros((1, len(odds))))
    arrays = [
        value for field in fields(record) if isinstance(value := getattr(record, field.name), np.ndarray)
    ]
    # of what changes with the statistic only whether it is there belongs to the design: a direction
    key = np.stack([odds, *(one if one.ndim == 1 else np.isnan(one[0]) for one in arrays)], axis=-1)
    same = np.where(np.isnan(key), -np.inf, key)  # undefined is a value of its own here
    _, first, design = np.unique(same, axis=0, return_index=True, return_inverse=True)
    some = smooth.pick(first)
    at = partial(_at, some, replace(protocol, capped=False))
    return make_lookup(at, np.log(odds[first]), some.limits(protocol), design.reshape(-1))


def _at(family: SmoothFamily, protocol: Protocol, s: Floats, chosen: NDArray[np.bool_]) -> Brief:
    """Return the evidence of some tests of a family at given statistics (n, m)."""
    return split_by_sign(family.pick(chosen).with_statistic(s).brief(protocol), protocol)


def simulated_block(work: Work, task: Task) -> Block:
    """Score one block of simulated agents."""
    rng = np.random.default_rng(task.seed)
    shape = (len(task.rows), work.people.d.size)
    null = task.source is None
    effects = np.zeros(shape) if task.source is None else work.effects[task.source].draw(_numbers(task), rng)
    truth = Truth(effects, work.people, null)
    noise = work.same.noise(rng, len(task.rows))
    pas, agent_d, passes = (np.full(shape, np.nan) for _ in range(3))
    for part in work.parts:
        drawn = part.family.replicate(truth.of(part.index), work.protocol, noise(part.index))
        found = _simulated_scores(part, drawn, work.protocol)
        for whole, one in zip((pas, agent_d, passes), found, strict=True):
            whole[:, part.index] = one
    scores = _scores(pas, agent_d, passes, work)
    levels = pas_levels(scores, work.layout, work.protocol)
    ends = {
        "pas": Ends(levels.domain, levels.benchmark),
        "ecs": ecs_ends(Profiles(scores, work.layout, work.protocol), work.layout),
        "apr": apr_ends(scores, work.layout, work.protocol.apr_over),
    }
    return Block(ends, EffectTally.of(effects))


def _numbers(task: Task) -> NDArray[np.intp]:
    return np.arange(task.rows.start, task.rows.stop)


def _simulated_scores(part: FamilyTests, drawn: Family, protocol: Protocol) -> tuple[Floats, Floats, Floats]:
    """Return PAS, d and passes of simulated agents on one family."""
    codes = drawn.outcome_codes()
    if codes is not None:
        return _by_distinct_counts(part, drawn, codes, protocol)
    smooth = drawn.smooth
    if part.lookup is None or smooth is None:
        return _exactly(part, part.says, part.context, drawn, protocol)
    s = smooth.statistic()
    log_bf, up = part.lookup.read(s)
    d = drawn.d(protocol)
    brief = Brief(log_bf, up, np.where(np.isnan(up), np.nan, np.sign(s)), d)
    pas = pas_of(part.says, brief, part.context, protocol)
    called = drawn.is_significant(part.context.alpha, protocol)
    if called is None:
        called = drawn.evidence(protocol).p_value < part.context.alpha
    passes = called & (direction_match(part.says.direction, brief.direction) == 1)
    outside = part.lookup.outside(s)
    if outside.any():
        pas[outside] = _one_by_one(part, drawn, np.nonzero(outside), protocol)[0]
    return pas, d, passes.astype(np.float64)


def _exactly(
    part: FamilyTests, says: Brief, context: Context, drawn: Family, protocol: Protocol
) -> tuple[Floats, Floats, Floats]:
    """Return PAS, d and passes by the exact kernel."""
    found = split_by_sign(drawn.evidence(protocol), protocol)
    same = direction_match(says.direction, found.direction)
    passes = (found.p_value < context.alpha) * same
    return pas_of(says, found, context, protocol), found.effect_d, passes


def _one_by_one(
    part: FamilyTests, drawn: Family, place: tuple[NDArray[np.intp], ...], protocol: Protocol
) -> tuple[Floats, Floats, Floats]:
    """Return PAS, d and passes of single outcomes (draw, test) by the exact kernel."""
    draw, test = place
    says, context = subset(part.says, test), subset_context(part.context, test)
    return _exactly(part, says, context, drawn.pick_outcomes(draw, test), protocol)


def _by_distinct_counts(
    part: FamilyTests, drawn: Family, coded: tuple[NDArray[np.int64], int], protocol: Protocol
) -> tuple[Floats, Floats, Floats]:
    """Score each distinct outcome of each test once: counts of few participants come again and again."""
    codes, n_codes = coded
    first, back = distinct(codes.reshape(-1), n_codes)
    found = _one_by_one(part, drawn, np.unravel_index(first, codes.shape), protocol)
    pas, d, passes = (values[back].reshape(codes.shape) for values in found)
    return pas, d, passes


def distinct(codes: NDArray[np.int64], n_codes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where each distinct code is first (or last), and for every code its place among the distinct."""
    # Where codes are dense a list of all possible ones is cheaper than sorting.
    if n_codes > 8 * codes.size:
        _, first, back = np.unique(codes, return_index=True, return_inverse=True)
        return first, back
    seen = np.full(n_codes, -1, dtype=np.intp)
    seen[codes] = np.arange(codes.size)
    held = np.flatnonzero(seen >= 0)
    rank = np.empty(n_codes, dtype=np.intp)
    rank[held] = np.arange(held.size)
    return seen[held], rank[codes]


def _scores(pas: Floats, agent_d: Floats, passes: Floats, work: Work) -> TestScores:
    """Test scores of which only what PAS, ECS and APR need is known."""
    significant, counted = pass_rules(work.human, work.context, work.protocol)
    return known_scores(
        {
            "pas": pas,
            "agent_d": agent_d,
            "human_d": work.human.effect_d,
            "n_eff": work.n_eff,
            "passes": np.where(np.isnan(counted), np.nan, np.where(counted == 0, 0.0, passes)),
            "human_significant": significant,
        }
    )


def joined_blocks(blocks: Sequence[Block], n: int) -> dict[str, Ends]:
    """Put blocks together; of the last one only what was asked for."""
    levels = {metric: zip(*(block.ends[metric] for block in blocks), strict=True) for metric in METRICS}
    return {metric: Ends(*[np.concatenate(parts)[:n] for parts in found]) for metric, found in levels.items()}


N_SIMULATIONS = 1000
"""Simulated agents of each kind: the mean of PAS is then known to about 0.001."""
N_ADJUSTED = 300
"""Simulated replications behind a ceiling of human effects with their selection undone."""


def assumption(protocol: Protocol, selected: str = "") -> str:
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
    undone = f"; the ceiling's human effects corrected for publication bias ({selected})" if selected else ""
    return f"human results as observed; {together}; true effects from {effects}{undone}"


_MOST_NAMED = 3
_BLOCK_TESTS, _SMALLEST_BLOCK, _LARGEST_BLOCK = 500_000, 70, 1000


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
    undo: bool = False,
) -> Simulation:
    """Simulate agents without effects and perfect replications, and score them as the agent was scored.

    Where asked for, also replications of effects that were published because they were significant.
    """
    raw = human.is_raw & agent.is_raw & np.isnan(context.given_pas)
    fixed = int((context.present & ~raw).sum())
    if n_simulations == 0 or fixed:
        note = "not asked for" if not fixed else say("people.note.precomputed", n=fixed)
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
    more = []
    if undo:
        few = min(size, N_ADJUSTED)
        again = -(-min(n_simulations, N_ADJUSTED) // few)
        significant = says.p_value < context.alpha
        more = chains_behind(people, again * few, seeds(rng, 1)[0], significant)
        tasks.append(_tasks(seeds(rng, again), few, 1))
    # chains take as long as several blocks, and agents without effects do not need them
    visiting, visiting_more = (engine.start(Chains.run, some) for some in (chains, more))
    work = Work(
        parts=tuple(engine.map(partial(family_tests, says, context, protocol), both.families)),
        n_eff=own.n_eff,
        human=says,
        context=context,
        layout=layout,
        protocol=protocol,
        people=people,
        same=SamePeople.of(layout.rows, protocol.within_study),
        effects=(),
    )
    floor_blocks = engine.start(partial(simulated_block, work), tasks[0])
    effects = NormalEffects(fit_population(people, says.p_value), people) if normal else None
    published = DrawnEffects.of(people, visiting()) if effects is None else effects
    work = replace(work, effects=(published, DrawnEffects.of(people, visiting_more())))
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


def _missing_note(missing: list[int], layout: Layout) -> str:
    """Say which tests ask for a human number that is not there."""
    names = [f"{row.study}/{row.finding}/{row.test}" for row in (layout.rows[i] for i in missing)]
    some = ", ".join(names[:_MOST_NAMED]) + (" ..." if len(names) > _MOST_NAMED else "")
    return say("people.note.unnumbered", n=len(names), some=some)
