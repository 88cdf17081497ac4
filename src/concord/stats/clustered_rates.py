"""Wilson's interval of a rate over clusters: items with repeats, families of items."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import UndefinedError
from concord.records import Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import checked_level, wilson_interval
from concord.stats.scale_ends import ends_lean

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

    :math:`\hat p = \sum s_c / \sum t_c`, its variance from the clusters' residuals
    :math:`\sum (s_c - \hat p t_c)^2 / (\sum t_c)^2`, and :math:`n_e = \hat p(1-\hat p)/\mathrm{var}`, never
    above the number of single replies. Where the clusters do not vary :math:`n_e` is their number. With
    one trial per cluster this is Wilson's interval; with ``trials`` all 1 and ``successes`` the clusters'
    own proportions it is the interval of the mean of item means.

    Parameters
    ----------
    successes, trials
        One number per cluster.
    n_replies
        Single replies in all clusters.
    level
        Confidence level.
    few_clusters
        Allow for their number G: the variance times G/(G - 1), Student's t with 2(G - 1) degrees of freedom,
        fewer where a few clusters decide the variance (2G/(kurtosis - 1)), (G - 1)² where the clusters vary
        no more than single replies would, since the variance is then that of a proportion. Where clusters lie
        at one end of the scale the far limit of few hardly ever excludes the truth, and the near one has up
        to both tails (`ends_lean`, times 6/G beyond six clusters). Chosen among 30 forms on 60 random
        populations with 6, 15 and 40 clusters; on 80 others a form that is next to it (the normal quantile in
        place of (G - 1)² degrees of freedom) lay within 93 to 97 % on 84 % of cells, the form without the
        last two steps on 74 %.

    Raises
    ------
    UndefinedError
        No trial.

    References
    ----------
    Franco, C., Little, R. J. A., Louis, T. A., & Slud, E. V. (2019). Comparative study of confidence
    intervals for proportions in complex sample surveys. Journal of Survey Statistics and Methodology,
    7(3), 334-364.

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
    method = f"{_AT_EFFECTIVE_SIZE}, t with {df:.1f} degrees of freedom"
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
