"""PAS and APR over other studies like these, for few studies and near the ends of the scale.

A jackknife sees only the studies at hand; five that all agree say little about a sixth. Near the ends the
interval is therefore blended with a Bayesian bootstrap that holds half a study at each end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError
from concord.number_words import number, percent
from concord.records import Estimate, Interval
from concord.stats.bounded_means import MANY_UNITS, bounded_bootstraps
from concord.stats.coverage import coverage_note, rate_look, score_look
from concord.stats.elementwise import Floats
from concord.stats.gamma_ratios import GammaRatio, gamma_ratio_quantiles
from concord.stats.intervals import (
    FEWEST_CLUSTERS,
    bounded_vector,
    checked_level,
    ends_lean,
    ends_weight,
    joined_notes,
    too_few_studies,
)

UNSEEN = "allows for studies unlike those seen"
HIDDEN = "covers about 70 %, not 95, where a study in eight fails and none was seen"
"""Studies in the middle of the scale say nothing of failures (docs/explanation/coverage.md)."""
MANY_STUDIES = 25
"""From so many studies on, a failure of one in eight has been seen in 96 of 100 benchmarks."""


def pas_interval(
    studies: ArrayLike, *, value: float | None = None, jackknife: Interval | None = None, level: float = 0.95
) -> Estimate:
    """Interval of PAS over other studies like these: jackknife-t, near the ends a Bayesian bootstrap.

    It always holds `value`, PAS of the benchmark; none below three studies.

    References
    ----------
    Rubin (1981), Annals of Statistics, 9, 130-134.

    Examples
    --------
    >>> estimate = pas_interval([0.98, 0.99, 0.97, 1.0, 0.96])
    >>> round(estimate.interval.low, 3), round(estimate.interval.high, 3)
    (0.609, 0.987)
    """
    x = bounded_vector(studies)
    centre = float(x.mean()) if value is None else value
    return pas_intervals([x], [centre], [jackknife], level=level)[0]


def pas_intervals(
    samples: Sequence[Floats],
    values: Sequence[float],
    jackknives: Sequence[Interval | None],
    *,
    level: float,
) -> list[Estimate]:
    """Return `pas_interval` of each of many agents, what takes time computed together."""
    weights = [
        1.0 if jackknife is None else _weight(x, np.unique(x).size)
        for x, jackknife in zip(samples, jackknives, strict=True)
    ]
    asked = [
        x for x, weight in zip(samples, weights, strict=True) if weight > 0 and x.size >= FEWEST_CLUSTERS
    ]
    outer = iter(bounded_bootstraps(asked, level=level))
    found = []
    for x, centre, jackknife, weight in zip(samples, values, jackknives, weights, strict=True):
        if x.size < FEWEST_CLUSTERS:
            found.append(Estimate(centre, None, int(x.size), note=too_few_studies(x.size)))
            continue
        seen = coverage_note("PAS", x.size, score_look(x))
        if weight == 0 and jackknife is not None:
            note = joined_notes(HIDDEN if x.size < MANY_STUDIES else "", seen)
            found.append(Estimate(centre, jackknife, int(x.size), method=jackknife.method, note=note))
            continue
        blended = _blended(centre, jackknife, next(outer), weight, int(x.size))
        found.append(replace(blended, note=joined_notes(blended.note, seen)))
    return found


def _weight(x: Floats, distinct: int) -> float:
    """Return how much of the outer interval counts; beyond `MANY_UNITS` studies unlike each other none."""
    return ends_weight(x) if distinct <= MANY_UNITS else 0.0


def _blended(centre: float, inner: Interval | None, outer: Interval, weight: float, n: int) -> Estimate:
    """Mix two intervals by their ends, and let the result hold the centre."""
    if inner is None:
        low, high, method = outer.low, outer.high, outer.method
    else:
        low, high = (
            (1 - weight) * a + weight * b for a, b in ((inner.low, outer.low), (inner.high, outer.high))
        )
        method = f"{inner.method}; {percent(weight)} {outer.method}" if weight > 0 else inner.method
    interval = Interval(min(low, centre), max(high, centre), outer.level, method)
    return Estimate(centre, interval, n, method=method, note=UNSEEN if weight > 0 else "")


def apr_interval(passes: ArrayLike, tests: ArrayLike, *, level: float = 0.95) -> Estimate:
    r"""Interval of a rate of passed tests over other studies like these.

    The cluster-robust (CR2) variance on the logit, :math:`w_k = m_k/N`, :math:`p = (S + ½)/(N + 1)`, :math:`V
    = \sum w_k^2 e_k^2/(1 - w_k)`, with Satterthwaite's degrees of freedom. Near the ends it is blended with a
    Bayesian bootstrap that holds half a study of tests that all fail (below) or pass (above); where studies
    lie near one end only, the near limit has up to both tails. ``note`` says when one study holds most tests.

    References
    ----------
    Bell & McCaffrey (2002), Survey Methodology, 28, 169-181. Rubin (1981), Annals of Statistics, 9, 130-134.

    Examples
    --------
    >>> estimate = apr_interval([6, 5, 8, 4, 7], [6, 5, 8, 4, 7])
    >>> estimate.value, round(estimate.interval.low, 3), estimate.interval.high
    (1.0, 0.587, 1.0)
    """
    return apr_intervals([(passes, tests)], level=level)[0]


def apr_intervals(counts: Sequence[tuple[ArrayLike, ArrayLike]], *, level: float) -> list[Estimate]:
    """Return `apr_interval` of each of many agents, what takes time computed together."""
    tail = 0.5 * (1 - checked_level(level))
    rates = [_Rates.of(passes, tests, tail) for passes, tests in counts]
    outer = iter(_apr_outer([one for one in rates if one.needs_outer], level))
    return [_apr_estimate(one, next(outer) if one.needs_outer else None, level) for one in rates]


@dataclass(frozen=True, slots=True, eq=False)
class _Rates:
    """Tests passed and tests of every study, with how far they lie at an end."""

    s: Floats
    m: Floats
    weight: float
    tails: tuple[float, float]

    @classmethod
    def of(cls, passes: ArrayLike, tests: ArrayLike, tail: float) -> "_Rates":
        s, m = (np.asarray(x, dtype=np.float64) for x in (passes, tests))
        if s.shape != m.shape or s.ndim != 1 or (m <= 0).any() or (s < 0).any() or (s > m).any():
            raise OptionError(
                "a rate over studies needs 0 <= passes <= tests and tests > 0, one of each per study"
            )
        if s.size < FEWEST_CLUSTERS:
            return cls(s, m, 0.0, (tail, tail))
        lean = ends_lean(s / m)
        return cls(
            s,
            m,
            _weight(s / m, len(np.unique(np.stack([s, m]), axis=1).T)),
            (tail * (1 + max(0.0, -lean)), tail * (1 + max(0.0, lean))),
        )

    @property
    def needs_outer(self) -> bool:
        """The outer interval takes a hundred times as long, and counts only near the ends."""
        return self.weight > 0


def _apr_estimate(rates: _Rates, outer: Interval | None, level: float) -> Estimate:
    s, m, k = rates.s, rates.m, int(rates.s.size)
    total = float(m.sum())
    rate = float(s.sum()) / total if k else float("nan")
    if k < FEWEST_CLUSTERS:
        return Estimate(rate if k else None, None, k, note=too_few_studies(k))
    inner = _apr_inner(s, m, rates.tails, level)
    found = _blended(rate, inner, inner if outer is None else outer, rates.weight, k)
    worth = 1 / float(np.sum((m / total) ** 2))
    warning = (
        f"one study holds most tests: worth {number(worth, 1)} studies of one size" if worth < k / 2 else ""
    )
    note = joined_notes(found.note, warning, coverage_note("APR", k, rate_look(s, m)))
    return Estimate(rate, found.interval, k, method=found.method, note=note)


def _apr_inner(s: Floats, m: Floats, tails: tuple[float, float], level: float) -> Interval:
    total = m.sum()
    w, p = m / total, (s.sum() + 0.5) / (total + 1)
    e = (s + 0.5 * w) / (m + w) - p
    variance = float(np.sum(w**2 * e**2 / (1 - w)))
    # G = S (diag(1/m) - 1/N) S with S = diag(w/√(1 - w)): df = tr(G)² / tr(G²), without the K x K matrix
    c = w * w / (1 - w)
    trace = np.sum(c * (1 / m - 1 / total))
    squares = np.sum(c * c * (1 / m - 2 / total) / m) + (c.sum() / total) ** 2
    df = max(1.0, float(trace**2 / squares))
    reach = special.stdtrit(df, [tails[0], 1 - tails[1]]) * np.sqrt(variance) / (p * (1 - p))
    low, high = special.expit(special.logit(p) + reach)
    return Interval(float(low), float(high), level, f"CR2 on the logit, {number(df, 1)} degrees of freedom")


def _apr_outer(rates: Sequence[_Rates], level: float) -> list[Interval]:
    wanted = []
    for one in rates:
        mean = float(one.m.mean())
        # studies alike: their Gamma weights add up
        (passed, tests), alike = np.unique(np.stack([one.s, one.m]), axis=1, return_counts=True)
        sizes, shapes = np.append(tests, mean), np.append(alike, 0.5)
        low, high = one.tails[0], 1 - one.tails[1]
        wanted += [
            GammaRatio.of(low, np.append(passed, 0.0), sizes, shapes),
            GammaRatio.of(high, np.append(passed, mean), sizes, shapes),
        ]
    found = iter(gamma_ratio_quantiles(wanted))
    method = "Bayesian bootstrap of studies with half a study beyond"
    return [Interval(next(found), next(found), level, method) for _ in rates]
