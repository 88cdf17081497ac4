"""Standard errors of a mean whose units come in clusters: families of items, studies, participants.

Wilson's interval of a rate over clusters: items with repeats, families of items.

How near numbers between 0 and 1 lie to the ends of their scale, where intervals need another form.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.records import Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import checked_level, wilson_interval


@dataclass(frozen=True, slots=True)
class MeanError:
    """A mean, its standard error and the degrees of freedom that go with it."""

    mean: float
    se: float
    df: float
    n: int
    n_clusters: int


def clustered_mean(values: ArrayLike, clusters: ArrayLike | None = None) -> MeanError:
    r"""Mean with a cluster-robust standard error and its degrees of freedom.

    .. math:: SE^2 = \frac{1}{n^2} \sum_c \frac{\left(\sum_{i \in c} e_i\right)^2}{1 - m_c/n}

    with residuals e and clusters of size m: the bias-reduced form (CR2) of the sandwich estimator for a mean.
    The degrees of freedom are those of Bell and McCaffrey, :math:`n^2 / (\sum m_c^2 + (\sum q_c)^2 -
    \sum q_c^2)` with :math:`q_c = m_c^2/(n - m_c)`. Without clusters both are those of the one-sample t test;
    with clusters of one size, those of a t test of the cluster means.

    Parameters
    ----------
    values
        One number a unit.
    clusters
        What unit belongs to which cluster, any labels; ``None``: every unit is its own.

    Returns
    -------
    MeanError
        Mean, standard error, degrees of freedom, units and clusters.

    Raises
    ------
    UndefinedError
        Fewer than two clusters.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with
    multi-stage samples. Survey Methodology, 28, 169-181. Imbens, G. W., & Kolesar, M. (2016). Robust standard
    errors in small samples. Review of Economics and Statistics, 98, 701-712.

    Examples
    --------
    >>> one = clustered_mean([1, 2, 3, 4, 6, 8], ["a", "a", "b", "b", "c", "c"])
    >>> round(one.mean, 6), round(one.se, 6), round(one.df, 6)
    (4.0, 1.607275, 2.0)
    """
    x = finite_vector(values)
    n = x.size
    mean = float(x.mean()) if n else float("nan")
    codes, sizes = cluster_codes(clusters, n)
    if sizes.size < 2:
        raise UndefinedError(f"a standard error needs at least 2 clusters, there are {sizes.size}")
    residual = x - mean if np.ptp(x) > 0 else np.zeros_like(x)  # a mean of equal numbers may be rounded
    sums = residual if codes is None else np.bincount(codes, weights=residual)
    variance = float(np.sum(sums**2 / (1 - sizes / n))) / n**2
    return MeanError(mean, float(np.sqrt(variance)), mean_degrees(sizes), n, int(sizes.size))


def clustered_se(values: ArrayLike, clusters: ArrayLike) -> float:
    r"""Clustered standard error of an evaluation score as in "Adding error bars to evals".

    .. math:: SE^2 = SE_{CLT}^2 + \frac{1}{n^2} \sum_c \sum_i \sum_{j \ne i} e_{ic} e_{jc}

    The uncorrected sandwich (CR0) with an unbiased diagonal. It is too small when clusters are few;
    `clustered_mean` is what comparisons use.

    Parameters
    ----------
    values, clusters
        As in `clustered_mean`.

    Returns
    -------
    float
        The standard error.

    Raises
    ------
    UndefinedError
        Fewer than two units, or covariances inside clusters so negative that no variance is left.

    References
    ----------
    Miller, E. (2024). Adding error bars to evals: a statistical approach to language model evaluations.
    arXiv:2411.00640, section 2.2.

    Examples
    --------
    >>> round(clustered_se([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"]), 6)
    0.252763
    """
    x = finite_vector(values)
    n = x.size
    if n < 2:
        raise UndefinedError("a standard error needs at least 2 units")
    codes, _ = cluster_codes(clusters, n)
    residual = x - x.mean()
    squares = float(np.sum(residual**2))
    between = float(np.sum(np.bincount(codes, weights=residual) ** 2)) - squares if codes is not None else 0.0
    variance = squares / (n * (n - 1)) + between / n**2
    if variance < 0:
        raise UndefinedError("the covariances inside clusters leave no variance")
    return float(np.sqrt(variance))


def finite_vector(values: ArrayLike) -> Floats:
    """One finite number a unit."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise OptionError("a mean needs a vector of finite numbers")
    return x


def cluster_codes(clusters: ArrayLike | None, n: int) -> tuple[NDArray[np.intp] | None, Floats]:
    """Clusters as 0 ... G-1 and their sizes; no codes where every unit is its own cluster."""
    if clusters is None:
        return None, np.ones(n)
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise OptionError(f"there are {labels.size} cluster labels for {n} units")
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return codes.astype(np.intp), sizes.astype(np.float64)


def mean_degrees(sizes: Floats) -> float:
    """Bell and McCaffrey's degrees of freedom of a mean."""
    n = sizes.sum()
    q = sizes**2 / (n - sizes)
    return float(n**2 / (np.sum(sizes**2) + q.sum() ** 2 - np.sum(q**2)))


NEAR, FULL, STRENGTH = 0.10, 0.05, 3.0
"""A unit nearer to an end than NEAR counts, nearer than NEAR - FULL in full; their mean times STRENGTH."""


def ends_weight(values: ArrayLike) -> float:
    """Return how far the interval of numbers between 0 and 1 leans on `bounded_bootstrap`, from 0 to 1.

    Parameters
    ----------
    values
        One number per study, in [0, 1].

    Returns
    -------
    float
        0 where no study is within 0.10 of an end, 1 where a third of them are within 0.05.

    References
    ----------
    The thresholds were chosen by simulation; ``benchmarks/coverage.py`` shows what they give.

    Examples
    --------
    >>> ends_weight([0.5, 0.6, 0.7]), ends_weight([0.5, 0.97, 0.99])
    (0.0, 1.0)
    """
    x = bounded_vector(values)
    return min(1.0, STRENGTH * _nearness(np.minimum(x, 1 - x)))


def ends_lean(values: ArrayLike) -> float:
    """Return towards which end numbers between 0 and 1 lean: 1 the upper, -1 the lower, 0 none or both alike.

    References
    ----------
    The thresholds are those of `ends_weight`.

    Examples
    --------
    >>> ends_lean([0.5, 0.97, 0.99]), ends_lean([0.02, 0.99, 0.5])
    (1.0, 0.0)
    """
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
