"""Intervals of means of numbers between 0 and 1 that hold at the ends: a Bayesian bootstrap without draws."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from concord.number_words import percent
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.gamma_ratios import GammaRatio, gamma_ratio_quantiles
from concord.stats.intervals import FEWEST_CLUSTERS, bounded_vector, checked_level, ends_weight
from concord.stats.skewed import skewed_mean

MANY_UNITS = 500
"""Beyond this many units the ends of the scale need no bootstrap, which would take seconds."""
STILL = 1e-12
"""Numbers that differ by less do not vary."""


def bounded_bootstrap(values: ArrayLike, *, level: float = 0.95) -> Interval:
    """Interval of a mean of numbers between 0 and 1: Bayesian bootstrap with half a unit at each end."""
    # Numbers that are all 0 or 1 get Jeffreys' interval (Brown et al. 2001, Statistical Science, 16,
    # 101-133); equal ones get an interval too, since a unit unlike those seen may exist. It always holds the
    # mean.
    return bounded_bootstraps([bounded_vector(values)], level=level)[0]


def bounded_bootstraps(samples: Sequence[Floats], *, level: float) -> list[Interval]:
    """Return `bounded_bootstrap` of each of many samples, their quantiles found together."""
    tail = 0.5 * (1 - checked_level(level))
    # the Bayesian bootstrap of each sample with a lower and an upper tail
    tails = (tail, tail)
    wanted = []
    for x in samples:
        distinct, counts = np.unique(x, return_counts=True)  # equal units: their Gamma weights add up
        ends, shapes = (*distinct.tolist(), 0.0, 1.0), (*counts.astype(np.float64).tolist(), 0.5, 0.5)
        wanted += [GammaRatio(q, ends, (1.0,) * len(ends), shapes) for q in (tails[0], 1 - tails[1])]
    found = iter(gamma_ratio_quantiles(wanted))
    return [_holding_mean(x, next(found), next(found), level) for x in samples]


def _holding_mean(x: Floats, low: float, high: float, level: float) -> Interval:
    mean = float(x.mean())
    method = f"Bayesian bootstrap of {x.size} units, half a unit at 0 and at 1"
    return Interval(min(low, mean), max(high, mean), level, method)


def bounded_mean(values: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Mean of numbers between 0 and 1 with an interval that holds at the ends.

    Student's t (joined with Hall's transformation where skewness is seen, `skewed_mean`) where no number is
    near an end, a Bayesian bootstrap with half a unit at each end where many are, a mixture between; beyond
    500 units always the first. On eight populations with 8 to 60 units it covered 93 to 100 %, Student's t 24
    to 98 %.

    References
    ----------
    Rubin (1981), Annals of Statistics, 9, 130-134.

    Examples
    --------
    >>> perfect, middle = bounded_mean([1.0] * 12), bounded_mean([0.2, 0.4, 0.5, 0.6])
    >>> round(perfect.interval.low, 4), round(middle.interval.low, 4)
    (0.8147, 0.1532)
    """
    x = bounded_vector(values)
    mean, weight, n = float(x.mean()), ends_weight(x), int(x.size)
    if n < 2:
        return Estimate(mean, None, n, note="no interval: a single unit")
    still = float(np.ptp(x)) <= STILL
    if still or (weight == 1 and n <= MANY_UNITS):
        outer = bounded_bootstrap(x, level=level)
        return Estimate(mean, outer, n, method=outer.method)
    inner = _student(x, level)
    if weight == 0 or n > MANY_UNITS:
        return Estimate(mean, inner, n, method=inner.method)
    outer = bounded_bootstrap(x, level=level)
    low, high = ((1 - weight) * a + weight * b for a, b in ((inner.low, outer.low), (inner.high, outer.high)))
    method = f"{inner.method}; {percent(weight)} {outer.method}"
    return Estimate(mean, Interval(low, high, level, method), n, method=method)


def _student(x: Floats, level: float) -> Interval:
    """Return Student's interval, joined with Hall's where skewness is seen, kept inside the scale."""
    if x.size >= FEWEST_CLUSTERS:
        skewed = skewed_mean(x, level=level)
        if skewed.seen:
            ends = skewed.interval
            return Interval(max(0.0, ends.low), min(1.0, ends.high), level, ends.method)
    mean, se = float(x.mean()), float(x.std(ddof=1) / np.sqrt(x.size))
    reach = float(stdtrit(x.size - 1, 0.5 + level / 2)) * se
    return Interval(max(0.0, mean - reach), min(1.0, mean + reach), level, "Student's t")
