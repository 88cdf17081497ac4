"""One block of simulated agents: drawn from true effects, and scored as the agent was scored."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.people.aggregate import Ends, Profiles, apr_ends, ecs_ends, pas_levels
from concord.people.evidence import Brief, Evidence
from concord.people.families.base import Family, HumanEffects, SmoothFamily, Truth
from concord.people.layout import Layout
from concord.people.lookup import Lookup, Quintic, make_lookup, subset, subset_context
from concord.people.protocol import Protocol
from concord.people.same_people import SamePeople
from concord.people.scored import Context, TestScores, direction_match, known_scores, pas_of, pass_rules
from concord.people.sides import split_by_sign
from concord.people.truth import DrawnEffects, EffectTally, NormalEffects
from concord.stats.elementwise import Floats

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
    lookup: Lookup | None = None

    @classmethod
    def of(cls, index: NDArray[np.intp], family: Family, says: Brief, context: Context) -> "FamilyTests":
        """Take the tests of one family, without a table."""
        return cls(index, family, subset(says, index), subset_context(context, index))


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


def with_lookup(part: FamilyTests, protocol: Protocol) -> FamilyTests:
    """Return a part with its table, where PAS is smooth in one statistic."""
    return replace(part, lookup=agent_lookup(part.family, part.context.agent_odds, protocol))


def agent_lookup(family: Family, agent_odds: Floats, protocol: Protocol) -> Lookup | None:
    """Return the tables of the agent's Bayes factors; None where PAS is not smooth in one statistic."""
    smooth = family.smooth
    if smooth is None:
        return None
    at = partial(_at, smooth, replace(protocol, capped=False))
    return make_lookup(at, np.log(agent_odds), smooth.limits(protocol))


def design_tables(family: Family, odds: Floats, protocol: Protocol) -> Quintic | None:
    """Return the tables of Bayes factors of tests, one for all that have the same design; None as above."""
    smooth = family.smooth
    if family.location is None or smooth is None or not len(odds):
        return None
    limits = smooth.limits(protocol)
    record: Any = smooth.with_statistic(np.zeros((1, len(odds))))
    arrays = (getattr(record, field.name) for field in fields(record))
    design = [value for value in arrays if isinstance(value, np.ndarray) and value.ndim == 1]
    key = np.stack([odds, limits.cap, limits.reach, *(value.astype(np.float64) for value in design)], axis=-1)
    same = np.where(np.isnan(key), -np.inf, key)  # undefined is a value of its own here
    _, first, design_of = np.unique(same, axis=0, return_index=True, return_inverse=True)
    found = agent_lookup(smooth.pick(first), odds[first], protocol)
    return None if found is None else Quintic(found, design_of.reshape(-1))


def _at(family: SmoothFamily, protocol: Protocol, s: Floats, chosen: NDArray[np.bool_]) -> Brief:
    """Return the evidence of some tests of a family at given statistics (n, m)."""
    return _brief(family.pick(chosen).with_statistic(s), protocol)


def _brief(family: Family, protocol: Protocol) -> Brief:
    return split_by_sign(family.brief(protocol), protocol)


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

    def column(metric: str, level: str) -> Floats:
        return np.concatenate([getattr(block.ends[metric], level) for block in blocks])[:n]

    return {metric: Ends(*(column(metric, level) for level in Ends.__slots__)) for metric in METRICS}
