"""These studies with new participants: both sides of every test are drawn again at their own n, and scored.

Bayes factors of new samples are read from tables of each design, one for all agents and samples that have it.
Where every sample defines the same tests, ECS is made of fixed weighted sums over them.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from concord.engine import SERIAL, Engine
from concord.people.evidence import Brief, Evidence
from concord.people.families.base import Family
from concord.people.protocol import Protocol
from concord.people.result import METRICS
from concord.people.same_people import SamePeople
from concord.people.score.levels import (
    FEWEST_TESTS,
    Layout,
    Levels,
    Profiles,
    apr_passes,
    ecs_levels,
    ecs_weights,
    pas_levels,
    strict_levels,
)
from concord.people.score.sides import SideTable
from concord.people.score.test_scores import Context, TestScores, redrawn_scores
from concord.people.uncertainty.bayes_tables import Lookup
from concord.people.uncertainty.floor_ceiling import agent_lookup, distinct
from concord.people.uncertainty.other_studies import Bound
from concord.records import Interval
from concord.stats.elementwise import Bools, Floats
from concord.words import say

BLOCK = 200
"""New samples that share one seed: results do not depend on how blocks are spread over workers."""
MOST_TESTS = 2000
"""Tests up to which drawn human sides are kept: four blocks of them take 58 kB a test."""
_RANGE = {"pas": (0.0, 1.0), "ecs": (-1.0, 1.0), "apr": (0.0, 1.0), "ecs_strict": (0.0, 1.0)}
_NOT_ASKED = "not asked for (resamples = 0)"
Tables = tuple[Lookup | None, ...]
"""Bayes factors of the families of a side; None where they are computed one by one."""


@dataclass(frozen=True, slots=True)
class NewSamples:
    """Standard errors of every metric at every level over resampled participants."""

    errors: dict[str, Levels]
    level: float
    n_resamples: int
    note: str
    """Why there are none, or empty."""
    correlation: float = 0.0
    """Of the tests of a study."""

    def bound(self, metric: str, value: float | None, level: str, i: int | None = None) -> Bound:
        """Return the interval of a number of a level, of its i-th unit."""
        if not self.errors:
            return self._interval(metric, value, float("nan"))
        errors = getattr(self.errors[metric], level)
        return self._interval(metric, value, float(errors if i is None else errors[i]))

    def _interval(self, metric: str, value: float | None, se: float) -> Bound:
        """Estimate ± z·SE, kept inside the range of the metric."""
        if self.note or value is None:
            return Bound(None, self.note if value is not None else "")  # why it is undefined is said once
        if np.isnan(se):
            return Bound(None, "withheld: undefined in more than a tenth of the new samples")
        if se == 0:
            return Bound(None, "withheld: every new sample gave the same value")
        low, high = _RANGE[metric]
        reach = float(ndtri(0.5 + self.level / 2)) * se
        method = f"these studies, new participants: estimate ± z·SE, {self.n_resamples} parametric samples"
        if self.correlation:
            method += f", tests of a study correlate {self.correlation:g}"
        return Bound(Interval(max(low, value - reach), min(high, value + reach), self.level, method))


@dataclass(slots=True)
class PeopleDrawn:
    """New samples of people: the same for all agents on the same tests, so drawn once in each process.

    They come first from the generator of their block, which then stands where the agent's samples begin.
    """

    tables: Tables | None = None
    blocks: dict[Hashable, tuple[Evidence, dict[str, Any]]] = field(default_factory=dict)

    def block(self, rng: np.random.Generator, correlation: float, draw: Callable[[], Evidence]) -> Evidence:
        """Return the new samples of a block, drawn or kept; the generator stands behind them."""
        seed: Any = rng.bit_generator.seed_seq
        key = (correlation, repr(seed.entropy), seed.spawn_key)  # a seed may be a list
        if key in self.blocks:
            found, rng.bit_generator.state = self.blocks[key]
            return found
        found = draw()
        if found.log_bf.shape[-1] <= MOST_TESTS:
            self.blocks[key] = found, dict(rng.bit_generator.state)
        return found


@dataclass(frozen=True, slots=True)
class _Redraw:
    """What every block of resampled participants needs."""

    human: SideTable
    agent: SideTable
    context: Context
    layout: Layout
    protocol: Protocol
    same: SamePeople
    tables: tuple[Tables, Tables]
    people: PeopleDrawn


def new_participants(
    sides: tuple[SideTable, SideTable],
    context: Context,
    layout: Layout,
    protocol: Protocol,
    *,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
    engine: Engine = SERIAL,
    people: PeopleDrawn | None = None,
    agent_tables: Tables | None = None,
) -> NewSamples:
    """Redraw both sides (human, agent) of every test, and score each new table as the table was scored."""
    # `people` keeps what is the same for the next agent, and `agent_tables` is what agents of a design share.
    note = why_not_redrawn(sides, context, n_resamples)
    if note:
        return NewSamples({}, level, 0, note)
    work = _redraw(sides, context, layout, protocol, (engine, people, agent_tables))
    blocks = engine.map(partial(_fresh_block, work), rng.spawn(-(-n_resamples // BLOCK)))
    errors = {metric: spread([block[metric] for block in blocks], n_resamples) for metric in METRICS}
    return NewSamples(errors, level, n_resamples, "", protocol.within_study)


def why_not_redrawn(sides: tuple[SideTable, SideTable], context: Context, n_resamples: int) -> str:
    """Say why there are no new participants, or nothing."""
    if not n_resamples:
        return _NOT_ASKED
    raw = sides[0].is_raw & sides[1].is_raw & np.isnan(context.given_pas)
    n_fixed = int((context.present & ~raw).sum())
    return say("people.note.fixed", n=n_fixed) if n_fixed else ""


def _redraw(
    sides: tuple[SideTable, SideTable],
    context: Context,
    layout: Layout,
    protocol: Protocol,
    shared: tuple[Engine, PeopleDrawn | None, Tables | None],
) -> _Redraw:
    """Gather what blocks need; what is shared is the engine, people's samples and the agent's tables."""
    (human, agent), (engine, people, agent_tables) = sides, shared
    kept = PeopleDrawn() if people is None else people
    theirs = tables_of_side(human, context.human_odds, protocol) if kept.tables is None else kept.tables
    kept.tables = theirs
    own = tables_of_side(agent, context.agent_odds, protocol) if agent_tables is None else agent_tables
    same = SamePeople.of(layout.rows, protocol.within_study)
    if engine.name != "serial":  # other processes share no memory
        kept = PeopleDrawn(theirs)
    return _Redraw(human, agent, context, layout, protocol, same, (theirs, own), kept)


def redrawn_numbers(
    sides: tuple[SideTable, SideTable],
    context: Context,
    layout: Layout,
    protocol: Protocol,
    *,
    masks: Sequence[tuple[str, Bools]],
    own: int,
    n_resamples: int,
    rng: np.random.Generator,
    shared: tuple[Engine, PeopleDrawn | None, Tables | None],
) -> Floats:
    """Return metrics over some of the tests (a metric and its tests each) in new samples, (M, B)."""
    # Agents share people's samples, and each has noise of its own, by its number `own`.
    work = _redraw(sides, context, layout, protocol, shared)
    blocks = shared[0].map(partial(_numbers_block, work, masks, own), rng.spawn(-(-n_resamples // BLOCK)))
    return np.concatenate(blocks, axis=1)[:, :n_resamples]


def tables_of_side(side: SideTable, odds: Floats, protocol: Protocol) -> Tables:
    """Return the tables of Bayes factors of a side's families."""
    return tuple(
        None if family.location is None else agent_lookup(family, odds[index], protocol)
        for index, family in side.families
    )


def _fresh_block(work: _Redraw, rng: np.random.Generator) -> dict[str, Levels]:
    """Score one block of resampled participants."""
    return redrawn_levels(_block_scores(work, rng, rng), work.layout, work.protocol)


def _numbers_block(
    work: _Redraw, masks: Sequence[tuple[str, Bools]], own: int, rng: np.random.Generator
) -> Floats:
    """Score one block of the same people and an agent's own noise, over some of the tests."""
    seed: Any = rng.bit_generator.seed_seq
    theirs = np.random.default_rng([int(seed.generate_state(1)[0]), own])
    scores = _block_scores(work, rng, theirs)
    columns = ("pas", "human_d", "agent_d", "passes")
    found = np.empty((len(masks), BLOCK))
    for i, (metric, used) in enumerate(masks):
        chosen = {name: np.where(used, getattr(scores, name), np.nan) for name in columns}
        found[i] = _HEADLINE[metric](replace(scores, **chosen), work.layout, work.protocol).benchmark
    return found


def _block_scores(work: _Redraw, rng: np.random.Generator, theirs: np.random.Generator) -> TestScores:
    """Draw people and then the agent, each from its generator."""

    def drawn(side: SideTable, tables: Tables, rng: np.random.Generator) -> Evidence:
        families = zip(side.draw(rng, BLOCK, work.same).families, tables, strict=True)
        alpha, protocol = work.context.alpha, work.protocol
        found = [_evidence(family, table, alpha[index], protocol) for (index, family), table in families]
        return side.gathered(found, protocol, (BLOCK,))

    tables, correlation = work.tables, work.same.correlation
    human = work.people.block(rng, correlation, lambda: drawn(work.human, tables[0], rng))
    return redrawn_scores(human, drawn(work.agent, tables[1], theirs), work.context, work.protocol)


def _evidence(drawn: Family, table: Lookup | None, alpha: Floats, protocol: Protocol) -> Evidence:
    """Return the evidence of new samples (B, k): from a table, or of each distinct outcome once."""
    location = drawn.location
    if table is not None and location is not None:
        s = location.statistic()
        log_bf, up = table.read(s)
        outside = table.outside(s)
        if outside.any():
            exact = location.pick_outcomes(*np.nonzero(outside)).brief(protocol)
            log_bf[outside], up[outside] = exact.log_bf, exact.prob_positive
        brief = Brief(log_bf, up, np.sign(s), location.d(protocol))
        # only which side of alpha p lies on is asked of new samples
        called = np.where(location.is_significant(alpha, protocol), 0.0, 1.0)
        return location.with_brief(brief, protocol, called)
    codes = drawn.outcome_codes()
    if codes is None:
        return drawn.evidence(protocol)
    first, back = distinct(codes[0].reshape(-1), codes[1])
    shape = codes[0].shape
    found = drawn.pick_outcomes(*np.unravel_index(first, shape)).evidence(protocol)
    return Evidence(**{f.name: getattr(found, f.name)[back].reshape(shape) for f in fields(Evidence)})


def spread(parts: list[Levels], n_resamples: int) -> Levels:
    """Return standard deviation over replicates; NaN where more than a tenth of them are undefined."""
    columns = []
    for level in zip(*parts, strict=True):
        values = np.concatenate(level)[:n_resamples]
        defined = ~np.isnan(values)
        count = defined.sum(axis=0)
        mean = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(count, 1)
        squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0)
        enough = (count >= 0.9 * len(values)) & (count > 1)
        columns.append(np.where(enough, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan))
    return Levels(*columns)


def redrawn_levels(scores: TestScores, layout: Layout, protocol: Protocol) -> dict[str, Levels]:
    """Return every metric of studies, domains and the benchmark for tables (B, T)."""
    return {name: of(scores, layout, protocol) for name, of in _HEADLINE.items()} | {
        "ecs_strict": strict_levels(scores, layout, protocol)
    }


def _apr(scores: TestScores, layout: Layout, protocol: Protocol) -> Levels:
    return apr_passes(scores, layout, protocol.apr_over).rates()


def _always(values: Floats) -> Bools | None:
    """Return which tests every table defines; None where tables differ in it."""
    defined = ~np.isnan(values)
    first: Bools = defined[0]
    return first if np.array_equal(defined, np.broadcast_to(first, defined.shape)) else None


def _levels(study: Floats, ends: Floats) -> Levels:
    """Return levels from studies (B, S), and domains with the benchmark last (B, D + 1)."""
    return Levels(np.empty((len(study), 0)), study, ends[:, :-1], ends[:, -1])


def _ecs(scores: TestScores, layout: Layout, protocol: Protocol) -> Levels:
    """Lin's concordance, 2 s_xy / (s_x² + s_y² + (mean x - mean y)²), from weighted sums."""
    ours, theirs = _always(scores.agent_d), _always(scores.human_d)
    if ours is None or theirs is None or protocol.concordance != "lin":
        return ecs_levels(Profiles(scores, layout, protocol), layout)
    used = ours & theirs
    weights, domain_of = ecs_weights(used, layout, protocol), layout.domain_of_study[layout.study_of_test]
    parts = [*(domain_of == i for i in range(len(layout.domains))), np.ones_like(used)]
    columns = [_normalised(np.where(part, weights, 0.0), used & part) for part in parts]
    matrix = np.stack(columns, axis=-1)
    starts = np.searchsorted(layout.study_of_test, np.arange(len(layout.studies)))
    inside = np.concatenate(
        [
            _normalised(w, u)
            for w, u in zip(np.split(weights, starts[1:]), np.split(used, starts[1:]), strict=True)
        ]
    )
    x, y = np.where(used, scores.human_d, 0.0), np.where(used, scores.agent_d, 0.0)
    # taken from a point between the profiles: sums of squares then lose no digits
    middle = x.mean(axis=0)
    whole = np.where(used, np.nansum(middle * matrix[:, -1]), 0.0)
    own = np.where(
        used,
        np.repeat(np.add.reduceat(middle * np.nan_to_num(inside), starts), np.diff([*starts, len(used)])),
        0.0,
    )
    return _levels(
        _concordance(x - own, y - own, lambda part: np.add.reduceat(part * inside, starts, axis=-1)),
        _concordance(x - whole, y - whole, lambda part: part @ matrix),
    )


def _normalised(weights: Floats, used: Bools) -> Floats:
    """Return weights that sum to 1; undefined where too few tests are used."""
    enough = int(used.sum()) >= FEWEST_TESTS
    return weights / weights.sum() if enough else np.full(len(weights), np.nan)


def _concordance(x: Floats, y: Floats, mean: Callable[[Floats], Floats]) -> Floats:
    """Return the concordance of parts, over which `mean` takes weighted means; NaN where there is none."""
    mean_x, mean_y, xx, yy, xy = (mean(part) for part in (x, y, x * x, y * y, x * y))
    below = (xx - mean_x**2) + (yy - mean_y**2) + (mean_x - mean_y) ** 2
    good = below > 0
    return np.where(good, np.clip(2 * (xy - mean_x * mean_y) / np.where(good, below, 1.0), -1.0, 1.0), np.nan)


_HEADLINE: Mapping[str, Callable[[TestScores, Layout, Protocol], Levels]] = {
    "pas": pas_levels,
    "ecs": _ecs,
    "apr": _apr,
}
