"""Two intervals for every headline number: studies like these, and these studies with new participants."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from concord.engine import SERIAL, Engine
from concord.errors import UndefinedError
from concord.people.aggregate import (
    Levels,
    Profiles,
    apr_passes,
    ecs_levels,
    pas_levels,
    strict_levels,
)
from concord.people.bound import Bound
from concord.people.evidence import Evidence
from concord.people.layout import Layout
from concord.people.protocol import Protocol
from concord.people.result import METRICS
from concord.people.same_people import SamePeople
from concord.people.same_tests import DrawnOnce
from concord.people.scored import Context, TestScores, score_tests
from concord.people.sides import SideTable
from concord.people.study_intervals import ecs_by_data, means_by_data, rates_by_data, too_few
from concord.records import Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS, Scale, jackknife_t
from concord.stats.pooling import fisher_z

BLOCK = 200
"""Replicates that share one seed: results do not depend on how blocks are spread over workers."""
_RANGE = {"pas": (0.0, 1.0), "ecs": (-1.0, 1.0), "apr": (0.0, 1.0), "ecs_strict": (0.0, 1.0)}
_SCALES: dict[str, Scale] = {"pas": "logit", "ecs": "atanh", "apr": "logit", "ecs_strict": "logit"}


def all_levels(scores: TestScores, layout: Layout, protocol: Protocol) -> dict[str, Levels]:
    """Every metric that gets intervals, at every level."""
    return {
        "pas": pas_levels(scores, layout, protocol),
        "ecs": ecs_levels(Profiles(scores, layout, protocol), layout),
        "apr": apr_passes(scores, layout, protocol.apr_over).rates(),
        "ecs_strict": strict_levels(scores, layout, protocol),
    }


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
        self.levels = all_levels(scores, layout, protocol)
        self.profiles = Profiles(scores, layout, protocol)
        self.passes = apr_passes(scores, layout, protocol.apr_over)
        self.human_se = np.full(len(layout.rows), np.nan) if human_se is None else human_se
        self.by_data = protocol.intervals == "by-data"

    def benchmark(self, metric: str) -> Bound:
        """Interval of the whole, over studies."""
        return self._over_studies(metric, np.ones(len(self.layout.studies), dtype=np.bool_))

    def domain(self, metric: str, domain: int) -> Bound:
        """Interval of one domain, over its studies."""
        return self._over_studies(metric, self.layout.in_domain(domain))

    def study(self, metric: str, study: int) -> Bound:
        """Interval of one study, over its findings."""
        if metric == "ecs":
            return self._ecs_over_findings(study)
        if metric == "apr":
            inside = self.layout.full.study_of_finding == study
            return self._rate(self.passes.passed.finding[inside], self.passes.tests.finding[inside])
        strict = metric == "ecs_strict"
        groups = self.layout.full if strict else self.layout.grouping(self.protocol.finding_key)
        values = self.levels[metric].finding[groups.study_of_finding == study]
        if not strict and self.protocol.study_pooling == "mean-z":
            return mean_z_bound(values, self.level)
        return self._mean(metric, values)

    def _mean(self, metric: str, values: Floats) -> Bound:
        return mean_bound(metric, values, self.level, by_data=self.by_data)

    def _rate(self, passed: Floats, tests: Floats) -> Bound:
        return rate_bound(passed, tests, self.level, by_data=self.by_data)

    def _over_studies(self, metric: str, chosen: NDArray[np.bool_]) -> Bound:
        if metric == "ecs":
            return self._ecs_over_studies(chosen)
        if metric == "apr":
            return self._rate(self.passes.passed.study[chosen], self.passes.tests.study[chosen])
        return self._mean(metric, self.levels[metric].study[chosen])

    def _ecs_over_studies(self, chosen: NDArray[np.bool_]) -> Bound:
        study = self.layout.study_of_test
        inside = chosen[study]
        whole = float(self.profiles.ecs(inside))
        if self.by_data:
            return ecs_by_data(self.profiles, inside, study, self.human_se, whole, self.level)
        clusters = np.unique(study[self.profiles.used & inside])
        without = np.array([float(self.profiles.ecs(inside & (study != i))) for i in clusters])
        return jackknife_bound("ecs", whole, without, self.level)

    def _ecs_over_findings(self, study: int) -> Bound:
        part = self.layout.tests_of(study)
        inside = self.layout.study_of_test == study
        finding = self.layout.full.finding_of_test
        whole = float(self.profiles.ecs_of_study(part))
        if self.by_data:
            return ecs_by_data(self.profiles, inside, finding, self.human_se, whole, self.level)
        clusters = np.unique(finding[part][self.profiles.used[part]])
        without = np.array([float(self.profiles.ecs_of_study(inside & (finding != i))) for i in clusters])
        return jackknife_bound("ecs", whole, without, self.level)


def mean_bound(metric: str, values: Floats, level: float, *, by_data: bool = False) -> Bound:
    """Return the interval of a mean of cluster values: jackknife, or by data where it does not hold."""
    return mean_bounds(metric, [values], level, by_data=by_data)[0]


def mean_bounds(
    metric: str, samples: Sequence[Floats], level: float, *, by_data: bool = False
) -> list[Bound]:
    """Return `mean_bound` of each of many agents, computed together."""
    defined = [values[~np.isnan(values)] for values in samples]
    enough = [values for values in defined if len(values) >= FEWEST_CLUSTERS]
    found = [
        jackknife_bound(metric, float(values.mean()), _leave_one_out_means(values), level)
        for values in enough
    ]
    each = iter(means_by_data(enough, found, level) if by_data else found)
    return [next(each) if len(values) >= FEWEST_CLUSTERS else too_few(len(values)) for values in defined]


def mean_z_bound(values: Floats, level: float) -> Bound:
    """Jackknife of PAS pooled as a mean of Fisher z over clusters."""
    z = np.asarray(fisher_z(2 * values[~np.isnan(values)] - 1))
    if len(z) < FEWEST_CLUSTERS:
        return too_few(len(z))
    whole, without = 0.5 * (np.tanh(z.mean()) + 1), 0.5 * (np.tanh(_leave_one_out_means(z)) + 1)
    return jackknife_bound("pas", float(whole), without, level)


def rate_bound(passed: Floats, tests: Floats, level: float, *, by_data: bool = False) -> Bound:
    """Return the interval of a pooled rate: by data, or a jackknife with half a pass and half a failure."""
    return rate_bounds([(passed, tests)], level, by_data=by_data)[0]


def rate_bounds(
    counts: Sequence[tuple[Floats, Floats]], level: float, *, by_data: bool = False
) -> list[Bound]:
    """Return `rate_bound` of each of many agents, computed together."""
    if by_data:
        return rates_by_data(counts, level)
    return [_rate_jackknife(passed, tests, level) for passed, tests in counts]


def _rate_jackknife(passed: Floats, tests: Floats, level: float) -> Bound:
    passed, tests = passed[tests > 0], tests[tests > 0]
    if not tests.sum():
        return too_few(0)
    whole = (passed.sum() + 0.5) / (tests.sum() + 1)
    without = (passed.sum() - passed + 0.5) / (tests.sum() - tests + 1)
    bound = jackknife_bound("apr", float(whole), without, level)
    return _including(bound, float(passed.sum() / tests.sum()))


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


def _including(bound: Bound, value: float) -> Bound:
    """Widen an interval to its own estimate: the halves pull a rate of 0 or 1 off the edge."""
    old = bound.interval
    if old is None or old.low <= value <= old.high:
        return bound
    return Bound(Interval(min(old.low, value), max(old.high, value), old.level, old.method))


def _leave_one_out_means(values: Floats) -> Floats:
    return np.asarray((values.sum() - values) / (len(values) - 1))


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

    def interval(self, metric: str, value: float | None, se: float) -> Bound:
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


def new_participants(
    human: SideTable,
    agent: SideTable,
    context: Context,
    layout: Layout,
    protocol: Protocol,
    *,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
    engine: Engine = SERIAL,
    once: DrawnOnce | None = None,
) -> NewSamples:
    """Redraw both sides of every test at its own n, and score each new table as the table was scored.

    `once` keeps the new samples of people for the next agent, where they are drawn in this process.
    """
    raw = human.is_raw & agent.is_raw & np.isnan(context.given_pas)
    n_fixed = int((context.present & ~raw).sum())
    if n_fixed:
        note = f"{n_fixed} test(s) hold precomputed numbers, which cannot be redrawn"
        return NewSamples({}, level, 0, note)
    people = SamePeople.of(layout, protocol.within_study)
    redrawn = partial(_fresh_block, _Redraw(human, agent, context, layout, protocol, people, once))
    blocks = engine.map(redrawn, rng.spawn(-(-n_resamples // BLOCK)))
    errors = {metric: spread([block[metric] for block in blocks], n_resamples) for metric in METRICS}
    return NewSamples(errors, level, n_resamples, "", protocol.within_study)


@dataclass(frozen=True, slots=True)
class _Redraw:
    """What every block of resampled participants needs."""

    human: SideTable
    agent: SideTable
    context: Context
    layout: Layout
    protocol: Protocol
    people: SamePeople
    once: DrawnOnce | None


def _fresh_block(work: _Redraw, rng: np.random.Generator) -> dict[str, Levels]:
    """Score one block of resampled participants."""

    def drawn(side: SideTable) -> Evidence:
        return side.draw(rng, BLOCK, work.people).evidence(work.protocol, (BLOCK,))

    human = (
        drawn(work.human)
        if work.once is None
        else work.once.people(rng, work.people.correlation, lambda: drawn(work.human))
    )
    scores = score_tests(human, drawn(work.agent), work.context, work.protocol)
    return all_levels(scores, work.layout, work.protocol)


def spread(parts: list[Levels], n_resamples: int) -> Levels:
    """Return standard deviation over replicates; NaN where more than a tenth of them are undefined."""
    columns = []
    for level in Levels.__slots__:
        values = np.concatenate([np.atleast_1d(getattr(part, level)) for part in parts])[:n_resamples]
        defined = ~np.isnan(values)
        count = defined.sum(axis=0)
        mean = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(count, 1)
        squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0)
        enough = (count >= 0.9 * len(values)) & (count > 1)
        columns.append(np.where(enough, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan))
    return Levels(*columns)
