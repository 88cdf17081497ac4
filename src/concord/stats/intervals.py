"""Intervals: Wilson for proportions, over clusters too, jackknife-t, percentiles, the ends of a scale."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.number_words import number
from concord.records import Interval
from concord.stats.elementwise import Floats

Scale = Literal["logit", "atanh", "identity"]

FEWEST_CLUSTERS = 3
"""Below this many clusters the spread between them is not estimated at all."""


class IntervalEnds(NamedTuple):
    """Lower and upper ends of intervals, floats for scalar input and arrays otherwise."""

    low: float | Floats
    high: float | Floats


def wilson(k: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> IntervalEnds:
    r"""Wilson's score interval of a proportion, without a continuity correction; k need not be whole.

    .. math:: \frac{k + z^2/2 \pm z \sqrt{k (n - k) / n + z^2/4}}{n + z^2}

    References
    ----------
    Wilson (1927), JASA, 22, 209-212. Newcombe (1998), Statistics in Medicine, 17, 857-872.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    z = special.ndtri(0.5 + checked_level(level) / 2)
    hits, trials = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    if np.any((hits < 0) | (hits > trials) | np.isinf(trials)):
        raise OptionError("successes must lie between 0 and the number of trials, which must be finite")
    some = np.where(trials > 0, trials, np.nan)
    half = z * np.sqrt(hits * (some - hits) / some + z * z / 4)
    low = np.where(hits == 0, 0.0 * some, (hits + z * z / 2 - half) / (some + z * z))
    high = np.where(hits == trials, some / some, (hits + z * z / 2 + half) / (some + z * z))
    if low.ndim:
        return IntervalEnds(low, high)
    if np.isnan(low):
        raise UndefinedError("a proportion of no trials has no interval")
    return IntervalEnds(float(low), float(high))


def wilson_interval(k: float, n: float, *, level: float = 0.95) -> Interval:
    """Wilson's interval of one proportion, as a record; undefined without trials.

    References
    ----------
    Wilson (1927), JASA, 22, 209-212.

    Examples
    --------
    >>> wilson_interval(0, 20).low
    0.0
    """
    low, high = wilson(float(k), float(n), level=level)
    return Interval(float(low), float(high), level, "Wilson")


def jackknife_t(
    value: float,
    leave_one_out: ArrayLike,
    *,
    level: float = 0.95,
    scale: Scale = "identity",
    df: float | None = None,
    shared: float = 0.0,
) -> Interval:
    r"""Delete-one-cluster jackknife interval with Student's t on a transformed scale.

    .. math:: g(\theta) \pm t_{K-1} \, SE, \quad SE^2 = \frac{K-1}{K} \sum_i (g_i - \bar g)^2

    `scale` is ``logit`` for numbers in (0, 1), ``atanh`` in (-1, 1), ``identity`` for others. `df`, such as
    `effective_clusters`, is never more than K - 1. `shared` is the variance by an error that all clusters
    have in common, which leaving one out does not show. The message of `UndefinedError` is the reason: fewer
    than three clusters, a value undefined without one of them or at the edge of its scale, no spread.

    References
    ----------
    Tukey (1958), Annals of Mathematical Statistics, 29, 614.
    Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 11. Chapman & Hall.

    Examples
    --------
    >>> scores = np.array([0.61, 0.72, 0.55, 0.68])
    >>> without = (scores.sum() - scores) / 3
    >>> interval = jackknife_t(scores.mean(), without, scale="logit")
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.5134, 0.7497)
    """
    clusters = np.asarray(leave_one_out, dtype=np.float64)
    if clusters.ndim != 1 or scale not in _SCALES:
        raise OptionError(f"jackknife-t needs one value per cluster and a scale of {', '.join(_SCALES)}")
    transformed = _SCALES[scale][0](np.append(clusters, value))
    reason = _no_jackknife(np.append(clusters, value), transformed)
    if reason is not None:
        raise UndefinedError(reason)
    k = clusters.size
    g = transformed[:-1]
    own = (k - 1) / k * float(np.sum((g - g.mean()) ** 2))
    common = shared * _SLOPES[scale](value) ** 2
    degrees = k - 1 if df is None else min(df, k - 1)
    # Satterthwaite: the common part is known, so only the clusters' own part has few degrees of freedom
    degrees *= ((own + common) / own) ** 2
    reach = special.stdtrit(degrees, 0.5 + checked_level(level) / 2) * np.sqrt(own + common)
    low, high = _SCALES[scale][1](transformed[-1] + np.array([-reach, reach]))
    clusters_words = f"{k} clusters" if df is None else f"{k} clusters ({number(df, 1)} effective)"
    return Interval(float(low), float(high), level, f"jackknife-t over {clusters_words}, {scale} scale")


def effective_clusters(first: ArrayLike, second: ArrayLike) -> float:
    """Effective number of clusters behind two sums: 1/Σ s_k², shares of both averaged (Kish 1965, 8.2)."""
    # Where few clusters carry two sums of squares, a t with K - 1 degrees of freedom claims too much.
    parts = [np.maximum(np.asarray(one, dtype=np.float64), 0.0) for one in (first, second)]
    shares = [part / part.sum() for part in parts if part.sum() > 0]
    return float(1 / np.sum(np.mean(shares, axis=0) ** 2)) if shares else float("nan")


def percentile_interval(
    replicates: ArrayLike, *, level: float = 0.95, method: str = "percentile bootstrap"
) -> Interval:
    """Equal-tailed percentiles of bootstrap replicates."""
    draws = np.asarray(replicates, dtype=np.float64)
    kept = draws[~np.isnan(draws)]
    if kept.size == 0:
        raise UndefinedError("no replicate is defined")
    if kept.min() == kept.max():
        raise UndefinedError("every replicate gave the same value, which says nothing about its spread")
    tail = 0.5 - checked_level(level) / 2
    low, high = np.quantile(kept, [tail, 1 - tail])
    return Interval(float(low), float(high), level, method)


def checked_level(level: float) -> float:
    """Refuse a level that is not strictly between 0 and 1."""
    if not 0 < level < 1:
        raise OptionError(f"an interval needs a level between 0 and 1, got {level!r}")
    return level


def _atanh(r: Floats) -> Floats:
    """Fisher z without a clamp; infinite at -1 and 1, NaN outside."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.arctanh(r)


def _same(x: Floats) -> Floats:
    """Leave values as they are."""
    return x


_Map = Callable[[Floats], Floats]
_SCALES: dict[str, tuple[_Map, _Map]] = {
    "logit": (lambda p: np.asarray(special.logit(p)), lambda x: np.asarray(special.expit(x))),
    "atanh": (_atanh, np.tanh),
    "identity": (_same, _same),
}


_SLOPES: dict[str, Callable[[float], float]] = {
    "logit": lambda p: 1 / (p * (1 - p)),
    "atanh": lambda r: 1 / (1 - r * r),
    "identity": lambda x: 1.0,
}
"""How steep each scale is."""


def _no_jackknife(values: Floats, transformed: Floats) -> str | None:
    """Say why there is no interval; leave-one-out values come first, the value of all clusters last."""
    if values.size - 1 < FEWEST_CLUSTERS:
        return f"an interval needs at least {FEWEST_CLUSTERS} clusters, there are {values.size - 1}"
    if np.isnan(values[-1]):
        return "the value itself is undefined"
    if np.isnan(values[:-1]).any():
        return f"without {int(np.isnan(values[:-1]).sum())} of the clusters in turn the value is undefined"
    if not np.isfinite(transformed[-1]):
        return f"the value {values[-1]:g} lies at the edge of its scale"
    if not np.isfinite(transformed).all():
        return "without one of the clusters the value lies at the edge of its scale"
    # rounding alone makes leave-one-out means of equal clusters differ in their last digits
    if np.ptp(transformed[:-1]) <= 1e-13 * max(1.0, float(np.abs(transformed).max())):
        return "the value is the same without any of the clusters, which says nothing about their spread"
    return None


def joined_notes(*notes: str) -> str:
    """Return notes as one, empty ones left out."""
    return "; ".join(note for note in notes if note)


def too_few_studies(k: int) -> str:
    """Say that there are too few studies for an interval."""
    return f"no interval: {k} studies, at least {FEWEST_CLUSTERS} are needed"


NEAR, FULL, STRENGTH = 0.10, 0.05, 3.0
"""A unit nearer to an end than NEAR counts, nearer than NEAR - FULL in full; their mean times STRENGTH."""


def ends_weight(values: ArrayLike) -> float:
    """Return how far the interval of numbers between 0 and 1 leans on `bounded_bootstrap`, from 0 to 1."""
    # 0 where no study is within 0.10 of an end, 1 where a third are within 0.05; chosen by
    # ``benchmarks/coverage.py``.
    x = bounded_vector(values)
    return min(1.0, STRENGTH * _nearness(np.minimum(x, 1 - x)))


def ends_lean(values: ArrayLike) -> float:
    """Return the end towards which numbers lean (`ends_weight`): 1 the upper, -1 the lower, 0 none."""
    x = bounded_vector(values)
    return float(np.clip(STRENGTH * (_nearness(1 - x) - _nearness(x)), -1.0, 1.0))


def _nearness(distance: Floats) -> float:
    """Return the mean over units of how much each counts as near, from 0 to 1."""
    return float(np.clip((NEAR - distance) / FULL, 0.0, 1.0).mean())


def bounded_vector(values: ArrayLike) -> Floats:
    """Return one number in [0, 1] per unit, at least one unit."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.size == 0 or not ((x >= 0) & (x <= 1)).all():
        raise OptionError("an interval of a bounded mean needs a vector of numbers in [0, 1]")
    return x


AT_MOST_BOTH_TAILS = 6.0
"""Up to so many clusters the limit near an end of the scale may have both tails; beyond, ever less of it."""
_AT_EFFECTIVE_SIZE = "Wilson at the effective sample size, items the clusters"
_STILL = 1e-24
"""Variances of proportions below this are rounding: the clusters do not vary."""


def wilson_clustered(
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    n_replies: int,
    level: float = 0.95,
    few_clusters: bool = False,
) -> Interval:
    r"""Wilson interval of a ratio over clusters, at its effective sample size.

    :math:`\hat p = \sum s_c / \sum t_c`, variance :math:`\sum (s_c - \hat p t_c)^2 / (\sum t_c)^2`, and
    :math:`n_e = \hat p(1-\hat p)/\mathrm{var}`, never above the single replies; the number of clusters where
    they do not vary. With ``trials`` all 1 it is the interval of the mean of clusters' proportions.

    `few_clusters` allows for their number G: the variance times G/(G - 1), Student's t with 2(G - 1) degrees
    of freedom, fewer where a few clusters decide the variance (2G/(kurtosis - 1)), (G - 1)² where clusters
    vary no more than single replies would. Where clusters lie at one end of the scale the near limit has up
    to both tails (`ends_lean`, times 6/G beyond six). Chosen among 30 forms on 60 random populations.

    References
    ----------
    Franco et al. (2019), Journal of Survey Statistics and Methodology, 7(3), 334-364.

    Examples
    --------
    >>> clustered = wilson_clustered([1, 0, 1, 1], [1, 1, 1, 1], n_replies=4)
    >>> round(clustered.low, 4), round(wilson_interval(3, 4).low, 4)
    (0.3006, 0.3006)
    """
    s, t = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    total = float(np.sum(t))
    if total <= 0:
        raise UndefinedError("no trials: a proportion of nothing has no interval")
    p = min(1.0, float(np.sum(s)) / total)
    variance = float(np.sum((s - p * t) ** 2)) / total**2
    clusters = float(np.count_nonzero(t))
    if not few_clusters or clusters < 2:
        n = clusters if variance <= _STILL else min(p * (1 - p) / variance, float(n_replies))
        base = wilson_interval(p * n, n, level=level)
        return Interval(base.low, base.high, level, _AT_EFFECTIVE_SIZE)
    return _few_clustered(s[t > 0], t[t > 0], p, variance, n_replies, level)


def _few_clustered(s: Floats, t: Floats, p: float, variance: float, n_replies: int, level: float) -> Interval:
    """Return the Wilson interval of few clusters: Student's t, at an end of the scale up to both tails."""
    clusters = s.size
    variance *= clusters / (clusters - 1)
    df = _cluster_degrees(s - p * t)
    n = float(clusters)
    if variance > _STILL:
        n = min(p * (1 - p) / variance, float(n_replies))
        if n == n_replies:
            df = max(df, float((clusters - 1) ** 2))
    lean = ends_lean(np.clip(s / t, 0.0, 1.0)) * min(1.0, AT_MOST_BOTH_TAILS / clusters)
    tail = 0.5 * (1 - checked_level(level))
    low, high = (
        _wilson_end(p, n, side * float(special.stdtrit(df, tail * (1 + max(0.0, -side * lean)))))
        for side in (1.0, -1.0)
    )
    low, high = max(0.0, min(low, p)), min(1.0, max(high, p))
    method = f"{_AT_EFFECTIVE_SIZE}, t with {number(df, 1)} degrees of freedom"
    return Interval(low, high, level, method)


def _wilson_end(p: float, n: float, border: float) -> float:
    """Return an end of Wilson's interval: the lower one for a negative quantile, else the upper one."""
    square = border**2
    reach = border * float(np.sqrt(n * p * (1 - p) + square / 4))
    return (p * n + square / 2 + reach) / (n + square)


def _cluster_degrees(residual: Floats) -> float:
    """Degrees of freedom of a clustered Wilson interval: 2(G - 1), fewer where few clusters decide."""
    n, squares = residual.size, float(np.mean(residual**2))
    most = 2.0 * (n - 1)
    if squares <= _STILL:
        return most
    kurtosis = float(np.mean(residual**4)) / squares**2
    return min(most, max(2.0, 2 * n / (kurtosis - 1))) if kurtosis > 1 else most
