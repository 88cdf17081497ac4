"""Intervals over other studies like these, inside a study over its findings, for every number.

Under a protocol with ``intervals="by-data"`` the data choose: near the ends, with few studies and with heavy
tails other intervals replace the plain jackknife-t.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.people.protocol import Protocol
from concord.people.score.levels import (
    FEWEST_TESTS,
    Layout,
    Levels,
    Passes,
    Profiles,
    apr_passes,
    ecs_levels,
    pas_levels,
    strict_levels,
)
from concord.people.score.test_scores import TestScores
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS, Scale, jackknife_t
from concord.stats.pooling import fisher_z
from concord.stats.study_intervals import (
    StudyEffects,
    apr_intervals,
    ecs_intervals,
    pas_intervals,
    unseen_weights,
)


@dataclass(frozen=True, slots=True)
class Bound:
    """An interval, or why there is none; beside an interval the note says when it misses."""

    interval: Interval | None
    note: str = ""


_SEED = 1989
"""Of the draws behind one end of the interval of ECS: the same for all agents."""
_DRAWS = 2000


def too_few(clusters: int) -> Bound:
    """Say that there are too few studies or findings."""
    return Bound(None, f"withheld: at least {FEWEST_CLUSTERS} clusters are needed, {clusters} found")


def means_by_data(samples: Sequence[Floats], jackknives: Sequence[Bound], level: float) -> list[Bound]:
    """Return the interval of each mean of defined numbers in [0, 1] over clusters, given its jackknife."""
    centres = [float(values.mean()) for values in samples]
    inner = [jackknife.interval for jackknife in jackknives]
    return [_bound_of(found) for found in pas_intervals(samples, centres, inner, level=level)]


def ecs_by_data(
    parts: Sequence[tuple[Profiles, NDArray[np.bool_], float]],
    clusters: NDArray[np.intp],
    human_se: Floats,
    level: float,
) -> list[Bound]:
    """Return the interval of ECS over clusters of each part: a profile, the tests that count, and the ECS."""
    found = [_effects(profiles, value, inside, clusters, human_se) for profiles, inside, value in parts]
    known = [one for one in found if isinstance(one, StudyEffects)]
    ends = iter(ecs_intervals(known, _weights, level=level))
    return [one if isinstance(one, Bound) else _bound_of(next(ends)) for one in found]


def _effects(
    profiles: Profiles,
    value: float,
    inside: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    human_se: Floats,
) -> StudyEffects | Bound:
    """Return the effects that count, or why there is no interval."""
    used = profiles.used & inside
    if np.isnan(value) or int(used.sum()) < FEWEST_TESTS:
        return Bound(None, "the number itself is undefined")
    labels = clusters[used]
    n = len(np.unique(labels))
    if n < FEWEST_CLUSTERS:
        return too_few(n)
    return StudyEffects(
        profiles.x[used], profiles.y[used], labels, value, human_se[used], profiles.weights[used]
    )


@lru_cache(maxsize=32)
def _weights(n_studies: int) -> Floats:
    """Return the weights of studies: domains and agents of as many studies share them."""
    weights = unseen_weights(n_studies, _DRAWS, np.random.default_rng(_SEED))
    weights.flags.writeable = False
    return weights


def _bound_of(found: Estimate) -> Bound:
    note = found.note.replace("no interval:", "withheld:", 1)
    return Bound(found.interval, note)


_SCALES: dict[str, Scale] = {"pas": "logit", "ecs": "atanh", "apr": "logit", "ecs_strict": "logit"}


def all_levels(
    scores: TestScores, layout: Layout, protocol: Protocol
) -> tuple[dict[str, Levels], Profiles, Passes]:
    """Every metric that gets intervals, at every level; and the profiles and passes behind ECS and APR."""
    profiles, passes = Profiles(scores, layout, protocol), apr_passes(scores, layout, protocol.apr_over)
    found = {
        "pas": pas_levels(scores, layout, protocol),
        "ecs": ecs_levels(profiles, layout),
        "apr": passes.rates(),
        "ecs_strict": strict_levels(scores, layout, protocol),
    }
    return found, profiles, passes


class Jackknife:
    """Intervals over clusters: studies for the benchmark and domains, findings inside a study."""

    def __init__(
        self,
        scores: TestScores,
        layout: Layout,
        protocol: Protocol,
        level: float,
        human_se: Floats | None = None,
    ) -> None:
        self.scores, self.layout, self.protocol, self.level = scores, layout, protocol, level
        self.levels, self.profiles, self.passes = all_levels(scores, layout, protocol)
        self.human_se = np.full(len(layout.rows), np.nan) if human_se is None else human_se
        self.by_data = protocol.intervals == "by-data"

    def benchmark(self, metric: str) -> Bound:
        """Interval of the whole, over studies."""
        return self._over_studies(metric, np.ones(len(self.layout.studies), dtype=np.bool_))

    def domain(self, metric: str, domain: int) -> Bound:
        """Interval of one domain, over its studies."""
        return self._over_studies(metric, self.layout.in_domain(domain))

    def studies(self, metric: str) -> list[Bound]:
        """Intervals of all studies, each over its findings."""
        if metric == "ecs":
            return self._ecs_over_findings()
        each = range(len(self.layout.studies))
        strict = metric != "pas"
        groups = self.layout.full if strict else self.layout.grouping(self.protocol.finding_key)
        inside = [groups.study_of_finding == study for study in each]
        if metric == "apr":
            passed, tests = self.passes.passed.finding, self.passes.tests.finding
            return rate_bounds(
                [(passed[own], tests[own]) for own in inside], self.level, by_data=self.by_data
            )
        values = [self.levels[metric].finding[own] for own in inside]
        if not strict and self.protocol.study_pooling == "mean-z":
            return [_mean_z_bound(own, self.level) for own in values]
        return mean_bounds(metric, values, self.level, by_data=self.by_data)

    def _over_studies(self, metric: str, chosen: NDArray[np.bool_]) -> Bound:
        if metric == "ecs":
            study = self.layout.study_of_test
            inside = chosen[study]
            whole = float(self.profiles.ecs(inside))
            if self.by_data:
                return ecs_by_data([(self.profiles, inside, whole)], study, self.human_se, self.level)[0]
            clusters = np.unique(study[self.profiles.used & inside])
            without = np.array([float(self.profiles.ecs(inside & (study != i))) for i in clusters])
            return jackknife_bound("ecs", whole, without, self.level)
        if metric == "apr":
            counts = (self.passes.passed.study[chosen], self.passes.tests.study[chosen])
            return rate_bounds([counts], self.level, by_data=self.by_data)[0]
        return mean_bounds(metric, [self.levels[metric].study[chosen]], self.level, by_data=self.by_data)[0]

    def _ecs_over_findings(self) -> list[Bound]:
        finding, of_study = self.layout.full.finding_of_test, self.layout.study_of_test
        wholes = self.levels["ecs"].study
        inside = [of_study == study for study in range(len(wholes))]
        if self.by_data:
            parts = [(self.profiles, own, float(whole)) for own, whole in zip(inside, wholes, strict=True)]
            return ecs_by_data(parts, finding, self.human_se, self.level)
        found = []
        for own, whole in zip(inside, wholes, strict=True):
            clusters = np.unique(finding[own & self.profiles.used])
            without = [float(self.profiles.ecs_of_study(own & (finding != i))) for i in clusters]
            found.append(jackknife_bound("ecs", float(whole), np.array(without), self.level))
        return found


def mean_bounds(
    metric: str, samples: Sequence[Floats], level: float, *, by_data: bool = False
) -> list[Bound]:
    """Return the interval of each mean of cluster values: jackknife, or by data where it does not hold."""
    defined = [values[~np.isnan(values)] for values in samples]
    enough = [values for values in defined if len(values) >= FEWEST_CLUSTERS]
    found = [
        jackknife_bound(metric, float(values.mean()), _leave_one_out_means(values), level)
        for values in enough
    ]
    each = iter(means_by_data(enough, found, level) if by_data else found)
    return [next(each) if len(values) >= FEWEST_CLUSTERS else too_few(len(values)) for values in defined]


def _mean_z_bound(values: Floats, level: float) -> Bound:
    """Jackknife of PAS pooled as a mean of Fisher z over clusters."""
    z = np.asarray(fisher_z(2 * values[~np.isnan(values)] - 1))
    if len(z) < FEWEST_CLUSTERS:
        return too_few(len(z))
    whole, without = 0.5 * (np.tanh(z.mean()) + 1), 0.5 * (np.tanh(_leave_one_out_means(z)) + 1)
    return jackknife_bound("pas", float(whole), without, level)


def rate_bounds(
    counts: Sequence[tuple[Floats, Floats]], level: float, *, by_data: bool = False
) -> list[Bound]:
    """Return the interval of each pooled rate: by data, or a jackknife with half a pass and failure added."""
    if by_data:
        # the interval of each pooled rate over clusters; clusters without a test do not count
        there = [(passed[tests > 0], tests[tests > 0]) for passed, tests in counts]
        found = iter(apr_intervals([one for one in there if len(one[0]) >= FEWEST_CLUSTERS], level=level))
        return [
            _bound_of(next(found)) if len(passed) >= FEWEST_CLUSTERS else too_few(len(passed))
            for passed, _ in there
        ]
    return [_rate_jackknife(passed, tests, level) for passed, tests in counts]


def _rate_jackknife(passed: Floats, tests: Floats, level: float) -> Bound:
    passed, tests = passed[tests > 0], tests[tests > 0]
    if not tests.sum():
        return too_few(0)
    whole = (passed.sum() + 0.5) / (tests.sum() + 1)
    without = (passed.sum() - passed + 0.5) / (tests.sum() - tests + 1)
    bound = jackknife_bound("apr", float(whole), without, level)
    # widen an interval to its own estimate: the halves pull a rate of 0 or 1 off the edge
    value = float(passed.sum() / tests.sum())
    old = bound.interval
    if old is None or old.low <= value <= old.high:
        return bound
    return Bound(Interval(min(old.low, value), max(old.high, value), old.level, old.method))


def jackknife_bound(metric: str, whole: float, without: Floats, level: float) -> Bound:
    """Return the jackknife-t interval of a number on the scale of its metric, or why there is none."""
    if np.isnan(whole):
        return Bound(None, "the number itself is undefined")
    if len(without) < FEWEST_CLUSTERS:
        return too_few(len(without))
    try:
        return Bound(jackknife_t(whole, without, level=level, scale=_SCALES[metric]))
    except UndefinedError as reason:
        return Bound(None, f"withheld: {reason}")


def _leave_one_out_means(values: Floats) -> Floats:
    return np.asarray((values.sum() - values) / (len(values) - 1))
