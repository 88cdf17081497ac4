"""Floor and ceiling: what agents without effects and perfect replications would score on the same tests."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine
from concord.people.aggregate import Ends, Profiles, apr_ends, ecs_ends, pas_levels
from concord.people.evidence import Brief, Evidence, given_first
from concord.people.families.base import Family, SmoothFamily
from concord.people.families.truth import HumanEffects, Truth
from concord.people.floor_ceiling import Simulation
from concord.people.layout import Layout
from concord.people.lookup import Lookup, make_lookup, subset, subset_context
from concord.people.protocol import Protocol
from concord.people.same_people import SamePeople
from concord.people.scored import Context, TestScores, direction_match, known_scores, pas_of, pass_rules
from concord.people.sides import SideTable, split_by_sign
from concord.people.truth import (
    EffectPopulation,
    described,
    drawn_effects,
    fit_population,
    human_effects,
    lacking,
)
from concord.stats.elementwise import Floats
from concord.stats.resample import seeds

N_SIMULATIONS = 1000
"""Simulated agents of each kind: the mean of PAS is then known to about 0.001."""
N_ADJUSTED = 300
"""Simulated replications behind a ceiling whose human effects are adjusted for selection."""
METRICS = ("pas", "ecs", "apr")


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
    human: Evidence
    context: Context
    layout: Layout
    protocol: Protocol
    people: HumanEffects
    same: SamePeople
    population: EffectPopulation | None
    """The normal population; None where true effects are drawn before."""
    size: int


@dataclass(frozen=True, slots=True)
class _Task:
    """One block of simulated agents."""

    seed: np.random.SeedSequence
    null: bool
    d: Floats | None = None
    """True effects (B, T) that were drawn before; None: drawn from the normal population of the work."""


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
    adjusted
        Human d and their standard errors with selection undone (NaN: as published): a second ceiling.
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
    size = int(np.clip(_BLOCK_TESTS // max(1, human.size), _SMALLEST_BLOCK, _LARGEST_BLOCK))
    # tables of Bayes factors take as long as several blocks: they are spread like them
    parts = tuple(engine.map(partial(_part, says, context, protocol), both.families))
    work = _Work(
        parts=parts,
        n_eff=own.n_eff,
        human=says,
        context=context,
        layout=layout,
        protocol=protocol,
        people=people,
        same=SamePeople.of(layout, protocol.within_study),
        population=fit_population(people, says.p_value) if protocol.true_effects == "normal" else None,
        size=size,
    )
    count = -(-n_simulations // size)
    population, rows = work.population, None
    if population is None:
        # drawn before the blocks are handed out, so that no engine changes a digit
        drawn = drawn_effects(people, count * size, np.random.default_rng(seeds(rng, 1)[0]))
        population, rows = described(drawn), drawn.reshape(count, size, -1)
    tasks = [_Task(seed, null=True) for seed in seeds(rng, count)]
    tasks += [
        _Task(seed, null=False, d=None if rows is None else rows[i])
        for i, seed in enumerate(seeds(rng, count))
    ]
    tasks += _adjusted_tasks(work, adjusted, n_simulations, rng)
    blocks = engine.map(partial(_simulated_block, work), tasks)
    thirds = blocks[:count], blocks[count : 2 * count], blocks[2 * count :]
    floors, ceilings = (_joined_blocks(half, n_simulations) for half in thirds[:2])
    return Simulation(
        floors,
        ceilings,
        population,
        n_simulations,
        level,
        drawn=rows is not None,
        adjusted=_joined_blocks(thirds[2], min(n_simulations, N_ADJUSTED)) if thirds[2] else {},
    )


def _adjusted_tasks(
    work: _Work, adjusted: tuple[Floats, Floats] | None, n_simulations: int, rng: np.random.Generator
) -> list[_Task]:
    """Return the blocks of perfect replications of human effects whose selection is undone."""
    if adjusted is None or not n_simulations:
        return []
    old = work.people
    people = replace(old, d=given_first(adjusted[0], old.d), se=given_first(adjusted[1], old.se))
    count = -(-min(n_simulations, N_ADJUSTED) // work.size)
    chains = np.random.default_rng(seeds(rng, 1)[0])
    rows = drawn_effects(people, count * work.size, chains, n_chains=16).reshape(count, work.size, -1)
    return [_Task(seed, null=False, d=d) for seed, d in zip(seeds(rng, count), rows, strict=True)]


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


def _simulated_block(work: _Work, task: _Task) -> dict[str, Ends]:
    """Score one block of simulated agents."""
    rng = np.random.default_rng(task.seed)
    shape = (work.size, work.people.d.size)
    truth = Truth(_true_effects(work, task, rng), work.people, task.null)
    noise = work.same.noise(rng, work.size)
    pas, agent_d, passes = (np.full(shape, np.nan) for _ in range(3))
    for part in work.parts:
        drawn = part.family.replicate(truth.of(part.index), work.protocol, noise(part.index))
        found = _simulated_scores(part, drawn, work.protocol)
        for whole, one in zip((pas, agent_d, passes), found, strict=True):
            whole[:, part.index] = one
    scores = _scores(pas, agent_d, passes, work)
    levels = pas_levels(scores, work.layout, work.protocol)
    return {
        "pas": Ends(levels.domain, levels.benchmark),
        "ecs": ecs_ends(Profiles(scores, work.layout, work.protocol), work.layout),
        "apr": apr_ends(scores, work.layout, work.protocol.apr_over),
    }


def _true_effects(work: _Work, task: _Task, rng: np.random.Generator) -> Floats:
    """Return the true effects of a block: none, drawn before, or from the normal population."""
    if task.null:
        return np.zeros((work.size, work.people.d.size))
    if task.d is not None:
        return task.d
    assert work.population is not None
    return work.population.draw(work.people, rng, work.size)


def _simulated_scores(part: _Part, drawn: Family, protocol: Protocol) -> tuple[Floats, Floats, Floats]:
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
    called = drawn.is_significant(part.context.alpha)
    if called is None:
        called = drawn.evidence(protocol).p_value < part.context.alpha
    passes = called & (direction_match(part.says.direction, brief.direction) == 1)
    outside = part.lookup.outside(s)
    if outside.any():
        pas[outside] = _one_by_one(part, drawn, np.nonzero(outside), protocol)[0]
    return pas, d, passes.astype(np.float64)


def _exactly(
    part: _Part, says: Brief, context: Context, drawn: Family, protocol: Protocol
) -> tuple[Floats, Floats, Floats]:
    """Return PAS, d and passes by the exact kernel."""
    found = split_by_sign(drawn.evidence(protocol), protocol)
    same = direction_match(says.direction, found.direction)
    passes = (found.p_value < context.alpha) * same
    return pas_of(says, found, context, protocol), found.effect_d, passes


def _one_by_one(
    part: _Part, drawn: Family, place: tuple[NDArray[np.intp], ...], protocol: Protocol
) -> tuple[Floats, Floats, Floats]:
    """Return PAS, d and passes of single outcomes (draw, test) by the exact kernel."""
    draw, test = place
    says, context = subset(part.says, test), subset_context(part.context, test)
    return _exactly(part, says, context, drawn.pick_outcomes(draw, test), protocol)


def _by_distinct_counts(
    part: _Part, drawn: Family, coded: tuple[NDArray[np.int64], int], protocol: Protocol
) -> tuple[Floats, Floats, Floats]:
    """Score each distinct outcome of each test once: counts of few participants come again and again."""
    codes, n_codes = coded
    first, back = distinct(codes.reshape(-1), n_codes)
    found = _one_by_one(part, drawn, np.unravel_index(first, codes.shape), protocol)
    pas, d, passes = (values[back].reshape(codes.shape) for values in found)
    return pas, d, passes


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


def _scores(pas: Floats, agent_d: Floats, passes: Floats, work: _Work) -> TestScores:
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


def _joined_blocks(parts: list[dict[str, Ends]], n: int) -> dict[str, Ends]:
    """Put blocks together; of the last one only what was asked for."""

    def column(metric: str, level: str) -> Floats:
        return np.concatenate([getattr(part[metric], level) for part in parts])[:n]

    return {metric: Ends(*(column(metric, level) for level in Ends.__slots__)) for metric in METRICS}
