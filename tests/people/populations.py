"""Populations of studies with known true effects, for measuring what intervals cover.

Every test is a two-sample t with 40 a group on both sides, so evidence is one function of t and is read
off a fine grid: thousands of tables a minute. What is measured, the aggregation and the intervals, is the
library's own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from concord.people.families import t as family_t
from concord.people.families.t import TTests
from concord.people.protocol import STANDARD, Protocol
from concord.people.score.levels import Layout, Profiles, apr_passes, lay_out, pas_levels
from concord.people.score.sides import Precomputed, SideTable
from concord.people.score.test_scores import Context, TestScores, score_tests
from concord.people.uncertainty.new_participants import new_participants
from concord.people.uncertainty.other_studies import Jackknife
from concord.records import Interval, TestRow
from concord.stats import bayes, pvalues

Floats = NDArray[np.float64]
N = 40
"""Participants a group."""
DF = 2 * N - 2
STUDIES, FINDINGS, TESTS = 12, 5, 2
METRICS = ("pas", "ecs", "apr")
N_RESAMPLES = 100
"""Fresh samples behind one standard error; its own error of 7 % costs a tenth of a percent of coverage."""


@dataclass(frozen=True)
class Population:
    """Normal true effects: human d = mean + study + finding + test, agent d = slope · human + discrepancy."""

    human: tuple[float, float, float]
    """Standard deviations between studies, findings and tests."""
    slope: float
    discrepancy: tuple[float, float, float]
    mean: float

    def effects(self, studies: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """True human and agent effects of some studies, in the order of the rows."""
        human = self.mean + _nested(self.human, studies, rng)
        agent = self.slope * human + _nested(self.discrepancy, studies, rng)
        return human.reshape(-1), agent.reshape(-1)


def _nested(sds: tuple[float, float, float], studies: int, rng: np.random.Generator) -> Floats:
    shapes = ((studies, 1, 1), (studies, FINDINGS, 1), (studies, FINDINGS, TESTS))
    parts = [sd * rng.standard_normal(shape) for sd, shape in zip(sds, shapes, strict=True)]
    return np.asarray(parts[0] + parts[1] + parts[2])


POPULATIONS = {
    "between": Population((0.45, 0.10, 0.10), 0.8, (0.30, 0.08, 0.08), 0.3),
    "mixed": Population((0.25, 0.25, 0.25), 0.8, (0.20, 0.20, 0.20), 0.3),
    "within": Population((0.05, 0.30, 0.35), 0.8, (0.04, 0.20, 0.30), 0.3),
    "strong": Population((0.30, 0.30, 0.30), 0.9, (0.20, 0.20, 0.20), 1.0),
}


STEP = 0.001
REACH = 45.0


@cache
def _curves() -> tuple[Floats, Floats]:
    """Log BF and P(positive) over a fine grid of t: linear between its points, to 1e-7."""
    t = np.arange(-REACH, REACH + STEP, STEP)
    return np.asarray(bayes.log_bf_t(t, N, N)), np.asarray(bayes.prob_positive_t(t, N, N))


def _read_off(t: Floats, n1: Floats, n2: Floats, protocol: Protocol) -> tuple[Floats, Floats]:
    """Log BF and P(positive) from the grid, in place of the library's quadrature."""
    assert (n1 == N).all()
    assert (n2 == N).all()
    place = (t + REACH) / STEP
    left = place.astype(np.intp)
    part = place - left
    log_bf, positive = ((1 - part) * curve[left] + part * curve[left + 1] for curve in _curves())
    return log_bf, positive


def _coarse_p(t: Floats, df: Floats) -> Floats:
    """A p on the right side of .05, which is all that is asked of it here."""
    return np.where(np.abs(t) > stdtrit(DF, 0.975), 0.001, 0.5)


@contextmanager
def quickly() -> Iterator[None]:
    """Let the library's t tests read their evidence off the grid; all else stays as it is."""
    with (
        patch.object(family_t, "jzs", _read_off),
        patch.object(pvalues, "p_t", _coarse_p),
        patch("concord.people.uncertainty.new_participants.BLOCK", N_RESAMPLES),
    ):
        yield


def observed(effects: Floats, rng: np.random.Generator, size: int | None = None) -> Floats:
    """t statistics of fresh samples with these true effects."""
    shape = effects.shape if size is None else (size, *effects.shape)
    noise = rng.standard_normal(shape) + effects * np.sqrt(N / 2)
    return np.asarray(noise / np.sqrt(rng.chisquare(DF, shape) / DF))


def _side(t: Floats) -> SideTable:
    size = t.shape[-1]
    nothing, n = np.full(size, np.nan), np.full(size, float(N))
    family = TTests(t, n, n, nothing, np.full(t.shape, np.nan))
    given = Precomputed(nothing, nothing, nothing, nothing)
    return SideTable(size, ((np.arange(size), family),), given, np.ones(size))


def _context(size: int) -> Context:
    ones, nothing, yes = np.ones(size), np.full(size, np.nan), np.ones(size, dtype=np.bool_)
    return Context(ones, ones, 0.05 * ones, nothing, nothing, yes, yes, yes, ~yes)


@cache
def layout(studies: int) -> Layout:
    """The tree of a benchmark of this many studies."""
    return lay_out(
        [
            TestRow(f"s{s:04}", "", f"f{f}", f"t{t}", "t-independent")
            for s in range(studies)
            for f in range(FINDINGS)
            for t in range(TESTS)
        ]
    )


def scored(human: Floats, agent: Floats) -> TestScores:
    """Score tables of t statistics, shape (..., T)."""
    sides = [_side(t).evidence(STANDARD, t.shape[:-1]) for t in (human, agent)]
    return score_tests(sides[0], sides[1], _context(human.shape[-1]), STANDARD)


def benchmark(scores: TestScores, studies: int) -> dict[str, Floats]:
    """PAS, ECS and APR of the whole, shape (...)."""
    tree = layout(studies)
    return {
        "pas": pas_levels(scores, tree, STANDARD).benchmark,
        "ecs": Profiles(scores, tree, STANDARD).ecs(slice(None)),
        "apr": apr_passes(scores, tree, STANDARD.apr_over).rates().benchmark,
    }


def infinite_population(population: Population, studies: int, rng: np.random.Generator) -> dict[str, float]:
    """The scores of endlessly many such studies at this n, from enough of them to count as endless."""
    human, agent = population.effects(studies, rng)
    values = benchmark(scored(observed(human, rng), observed(agent, rng)), studies)
    return {metric: float(value) for metric, value in values.items()}


@dataclass
class Tally:
    """How often intervals of one metric held their target."""

    hits: int = 0
    below: int = 0
    """Targets below the interval."""
    above: int = 0
    withheld: int = 0

    def count(self, interval: Interval | None, target: float) -> None:
        """Count one interval."""
        if interval is None:
            self.withheld += 1
        elif target < interval.low:
            self.below += 1
        elif target > interval.high:
            self.above += 1
        else:
            self.hits += 1

    @property
    def coverage(self) -> float:
        """Share of intervals given that held their target."""
        return self.hits / (self.hits + self.below + self.above)


def headline_coverage(name: str, runs: int, seed: int, n_infinite: int = 20_000) -> dict[str, Tally]:
    """Jackknife over studies against the score in the infinite population."""
    population, rng = POPULATIONS[name], np.random.default_rng([seed, 1])
    truth = infinite_population(population, n_infinite, np.random.default_rng([seed, 2]))
    tallies = {metric: Tally() for metric in METRICS}
    for _ in range(runs):
        human, agent = population.effects(STUDIES, rng)
        scores = scored(observed(human, rng), observed(agent, rng))
        jackknife = Jackknife(scores, layout(STUDIES), STANDARD, 0.95)
        for metric, tally in tallies.items():
            tally.count(jackknife.benchmark(metric).interval, truth[metric])
    return tallies


APART = replace(STANDARD, within_study=0.0)
"""Tests of these populations have people of their own."""


def fresh_coverage(name: str, runs: int, seed: int, n_target: int = 200) -> dict[str, Tally]:
    """New participants: against the mean score of fresh samples of both sides, true effects fixed."""
    population, rng = POPULATIONS[name], np.random.default_rng([seed, 3])
    context, tree = _context(STUDIES * FINDINGS * TESTS), layout(STUDIES)
    tallies = {metric: Tally() for metric in METRICS}
    for _ in range(runs):
        human, agent = population.effects(STUDIES, rng)
        again = benchmark(scored(observed(human, rng, n_target), observed(agent, rng, n_target)), STUDIES)
        seen = observed(human, rng), observed(agent, rng)
        values = benchmark(scored(*seen), STUDIES)
        options: dict[str, Any] = {"level": 0.95, "n_resamples": N_RESAMPLES, "rng": rng}
        fresh = new_participants((_side(seen[0]), _side(seen[1])), context, tree, APART, **options)
        for metric, tally in tallies.items():
            interval = fresh.bound(metric, float(values[metric]), "benchmark").interval
            tally.count(interval, float(again[metric].mean()))
    return tallies
