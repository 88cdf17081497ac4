"""New participants for many agents of one design: the human side once, the noise of the agents once.

Where every test of the agents is a statistic plus noise (`LocationFamily`), all agents have the noise of the
single agent with the same seed, and one table of Bayes factors per test serves them all. Other designs are
drawn agent by agent.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.engine import Engine
from concord.people.aggregate import Levels
from concord.people.bound import Bound
from concord.people.evidence import Brief, Evidence
from concord.people.families.base import LocationFamily
from concord.people.families.registry import KINDS
from concord.people.layout import Layout
from concord.people.lookup import Quintic
from concord.people.protocol import Protocol
from concord.people.redrawn import redrawn_ends
from concord.people.result import METRICS
from concord.people.same_people import NoiseOf, SamePeople
from concord.people.scored import Context, TestScores, redrawn_scores
from concord.people.sides import SideTable, split_by_sign
from concord.people.simulated import agent_lookup
from concord.people.uncertainty import BLOCK, NewSamples, new_participants, spread
from concord.records import TestRow
from concord.stats.elementwise import Floats

_CHUNK_TESTS = 120_000
"""Simulated tests that are scored at once."""
_DRAWN = tuple(f.name for f in fields(Evidence) if f.name not in ("form", "n_eff"))
Agents = tuple[SideTable, SideTable, Sequence[tuple[TestRow, ...]]]
"""The first agent's side, all agents' sides one after another, and all agents' rows."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Standard errors over new samples: one record for all agents, or one per agent."""

    each: tuple[NewSamples, ...]
    together: bool
    """Whether the arrays of the one record have the agents first."""

    def bound(self, metric: str, value: float | None, agent: int, domain: int | None) -> Bound:
        """Return the interval of a number of one agent."""
        found = self.each[0] if self.together or len(self.each) == 1 else self.each[agent]
        if not found.errors:
            return found.interval(metric, value, float("nan"))
        levels = found.errors[metric]
        errors = levels.benchmark if domain is None else levels.domain[..., domain]
        return found.interval(metric, value, float(errors[agent] if self.together else errors))


class SharedNoise:
    """A generator that gives every agent, the middle axis of a shape (B, A, k), the same noise."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def standard_normal(self, shape: tuple[int, ...]) -> Floats:
        """Draw (B, k) normals, as (B, 1, k)."""
        return self._rng.standard_normal((shape[0], shape[-1]))[:, None, :]

    def chisquare(self, df: Floats, shape: tuple[int, ...]) -> Floats:
        """Draw (B, k) chi-squares, as (B, 1, k)."""
        return np.asarray(self._rng.chisquare(df, (shape[0], shape[-1])))[:, None, :]


def draws_of_agents(
    human: SideTable,
    agents: Agents,
    context: Context,
    layout: Layout,
    protocol: Protocol,
    *,
    level: float,
    n_resamples: int,
    seed: int,
    engine: Engine,
) -> Draws:
    """Return the standard errors over new samples of participants, for every agent."""
    one, flat, tables = agents
    if not n_resamples:
        return Draws((NewSamples({}, level, 0, "not asked for (resamples = 0)"),), together=False)
    raw = human.is_raw & one.is_raw & np.isnan(context.given_pas)
    n_fixed = int((context.present & ~raw).sum())
    if n_fixed:
        note = f"{n_fixed} test(s) hold precomputed numbers, which cannot be redrawn"
        return Draws((NewSamples({}, level, 0, note),), together=False)
    if any(family.location is None for _, family in one.families):
        sides = [
            SideTable.from_rows(rows, [r.agent for r in rows], protocol.agent_prior_odds, KINDS)
            for rows in tables
        ]
        options: dict[str, Any] = {"level": level, "n_resamples": n_resamples, "engine": engine}
        each = (
            new_participants(
                human, side, context, layout, protocol, rng=np.random.default_rng(seed), **options
            )
            for side in sides
        )
        return Draws(tuple(each), together=False)
    people = SamePeople.of(layout, protocol.within_study)
    families, fixed = _stacked(one, flat, len(tables)), one.evidence(protocol)
    work = _Work(human, families, context, layout, protocol, people, len(tables), fixed)
    errors = _errors(work, one, n_resamples, np.random.default_rng(seed))
    samples = NewSamples(errors, level, n_resamples, "", protocol.within_study)
    return Draws((samples,), together=True)


@dataclass(frozen=True, slots=True)
class _Work:
    human: SideTable
    families: tuple[tuple[NDArray[np.intp], LocationFamily], ...]
    """With statistics (A, k)."""
    context: Context
    layout: Layout
    protocol: Protocol
    people: SamePeople
    n_agents: int
    fixed: Evidence
    """Of the first agent: the form of effects and n_eff belong to the design."""


def _stacked(one: SideTable, flat: SideTable, n: int) -> tuple[tuple[NDArray[np.intp], LocationFamily], ...]:
    """Return the families of one agent with the statistics of all of them, (A, k); designs stay (k,)."""
    stacked = []
    for (index, _), (_, family) in zip(one.families, flat.families, strict=True):
        record: Any = family
        changed = {}
        for field in fields(record):
            value = getattr(record, field.name)
            if isinstance(value, np.ndarray):
                values = value.reshape(n, -1)
                fixed = np.array_equal(values, np.broadcast_to(values[0], values.shape), equal_nan=True)
                changed[field.name] = values[0] if fixed else values
        for name in ("t", "r", "u", "w", "b"):  # the statistic always has the axis of the agents
            if name in changed:
                changed[name] = np.broadcast_to(changed[name], (n, len(index)))
        stacked.append((index, replace(record, **changed)))
    return tuple(stacked)


def _errors(work: _Work, one: SideTable, n_resamples: int, rng: np.random.Generator) -> dict[str, Levels]:
    tables = [
        agent_lookup(family, work.context.agent_odds[index], work.protocol) for index, family in one.families
    ]
    lookups = [None if table is None else Quintic(table) for table in tables]
    n_tests = len(work.layout.rows)
    per_chunk = max(1, _CHUNK_TESTS // (BLOCK * n_tests))
    chunks = [range(i, min(i + per_chunk, work.n_agents)) for i in range(0, work.n_agents, per_chunk)]
    parts: list[list[dict[str, Levels]]] = [[] for _ in chunks]
    for block in rng.spawn(-(-n_resamples // BLOCK)):
        human = work.human.draw(block, BLOCK, work.people).evidence(work.protocol, (BLOCK,))
        spread_out = Evidence(**{f.name: getattr(human, f.name)[:, None, :] for f in fields(Evidence)})
        for place, chunk in enumerate(chunks):
            agent = _drawn(work, chunk, lookups, work.people.noise(copy.deepcopy(block), BLOCK))
            scores = redrawn_scores(spread_out, agent, work.context, work.protocol)
            parts[place].append(_levels(scores, work.layout, work.protocol))
    found = [
        {metric: spread([part[metric] for part in blocks], n_resamples) for metric in METRICS}
        for blocks in parts
    ]
    return {
        metric: Levels(
            *(np.concatenate([getattr(one_[metric], level) for one_ in found]) for level in Levels.__slots__)
        )
        for metric in METRICS
    }


def _drawn(work: _Work, chunk: range, lookups: Sequence[Quintic | None], noise: NoiseOf) -> Evidence:
    """Return the evidence of new samples of some agents, (B, A, T)."""
    shape = (BLOCK * len(chunk), len(work.layout.rows))
    size = (BLOCK, len(chunk), shape[1])
    columns = {name: np.full(shape, np.nan) for name in _DRAWN}
    for (index, family), lookup in zip(work.families, lookups, strict=True):
        generator: Any = SharedNoise(noise(index))
        drawn = _flat(_some(family, chunk).draw(generator, BLOCK), shape[0], len(index))
        said = _read_evidence(drawn, lookup, work.context.alpha[index], work.protocol)
        for name, column in columns.items():
            column[:, index] = getattr(said, name)
    fixed = {name: np.broadcast_to(getattr(work.fixed, name), size) for name in ("form", "n_eff")}
    whole = Evidence(**{name: column.reshape(size) for name, column in columns.items()}, **fixed)
    return split_by_sign(whole, work.protocol)


def _some(family: LocationFamily, chunk: range) -> LocationFamily:
    """Return the family of some agents."""
    record: Any = family
    arrays = {f.name: getattr(record, f.name) for f in fields(record)}
    kept = {
        name: value[chunk.start : chunk.stop]
        for name, value in arrays.items()
        if isinstance(value, np.ndarray) and value.ndim == 2
    }
    some: LocationFamily = replace(record, **kept)
    return some


def _flat(family: Any, rows: int, k: int) -> LocationFamily:
    """Return drawn agents (B, A, k) as replicates (B·A, k)."""
    arrays = {f.name: getattr(family, f.name) for f in fields(family)}
    flat = {
        name: np.broadcast_to(value, (*value.shape[:-1], k)).reshape(rows, k)
        for name, value in arrays.items()
        if isinstance(value, np.ndarray) and value.ndim == 3
    }
    made: LocationFamily = replace(family, **flat)
    return made


def _read_evidence(
    drawn: LocationFamily, lookup: Quintic | None, alpha: Floats, protocol: Protocol
) -> Evidence:
    """Return the evidence of replicates, their Bayes factors read from a table."""
    if lookup is None:
        return drawn.evidence(protocol)
    s = drawn.statistic()
    log_bf, up = lookup.read(s)
    outside = lookup.lookup.outside(s)
    if outside.any():
        exact = drawn.pick_outcomes(*np.nonzero(outside)).brief(protocol)
        log_bf[outside], up[outside] = exact.log_bf, exact.prob_positive
    brief = Brief(log_bf, up, np.sign(s), drawn.d(protocol))
    # only which side of alpha p lies on is asked of new samples
    p_value = np.where(drawn.is_significant(alpha, protocol), 0.0, 1.0)
    return drawn.with_brief(brief, protocol, p_value)


def _levels(scores: TestScores, layout: Layout, protocol: Protocol) -> dict[str, Levels]:
    """Return every metric of the benchmark and of domains, as `all_levels` gives them."""
    none = np.empty((*scores.pas.shape[:-1], 0))
    found = redrawn_ends(scores, layout, protocol)
    return {metric: Levels(none, none, ends.domain, ends.benchmark) for metric, ends in found.items()}
