"""Paired proportions and what stands beside them: Bonett-Price, McNemar, sign flips, clustered Wilson."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.records import Interval
from concord.stats.engine import SERIAL, Engine
from concord.stats.intervals import checked_level, wilson_interval

BLOCK = 1000
"""Replicates per random stream: results do not depend on how many blocks run at once."""

EXACT_FLIPS = 14
"""Up to this many non-zero differences all sign patterns are counted instead of drawn."""

_TIE = 1e-12


class PermutationTest(NamedTuple):
    """A permutation p-value and how it was made."""

    p_value: float
    method: str


def _z(level: float) -> float:
    """Two-sided normal quantile."""
    return float(special.ndtri(0.5 + checked_level(level) / 2))


def _whole(name: str, value: int) -> int:
    """Check a count."""
    if int(value) != value or value < 0:
        raise OptionError(f"{name} = {value!r} does not fit: expected a whole number, 0 or more")
    return int(value)


def wilson_clustered(
    successes: ArrayLike, trials: ArrayLike, *, n_replies: int, level: float = 0.95
) -> Interval:
    r"""Wilson interval of a ratio over clusters, at its effective sample size.

    :math:`\hat p = \sum s_c / \sum t_c`, its variance from the clusters' residuals
    :math:`\sum (s_c - \hat p t_c)^2 / (\sum t_c)^2`, and :math:`n_e = \hat p(1-\hat p)/\mathrm{var}`, never
    above the number of single replies. Where the clusters do not vary :math:`n_e` is their number. With
    one trial a cluster this is Wilson's interval; with ``trials`` all 1 and ``successes`` the clusters'
    own proportions it is the interval of the mean of item means.

    Parameters
    ----------
    successes, trials
        One number per cluster.
    n_replies
        Single replies in all clusters.
    level
        Confidence level.

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
    n = clusters if variance <= _TIE**2 else min(p * (1 - p) / variance, float(n_replies))
    base = wilson_interval(p * n, n, level=level)
    return Interval(base.low, base.high, level, "Wilson at the effective sample size, items the clusters")


def bonett_price_interval(differences: ArrayLike, *, level: float = 0.95) -> Interval:
    r"""Bonett-Price: adjusted Wald interval of the mean of paired differences in [-1, 1].

    Two imagined pairs, one with difference +1 and one with -1, are added, and the Wald interval of the
    :math:`n + 2` differences is taken. For differences of two 0-1 outcomes this is Bonett and Price's
    interval: :math:`\tilde p_{12} - \tilde p_{21} \pm z\sqrt{(\tilde p_{12} + \tilde p_{21} -
    (\tilde p_{12} - \tilde p_{21})^2)/(n+2)}` with :math:`\tilde p = (f+1)/(n+2)`.
    For item means over repeats it is the same sum over items, which are then the clusters.

    Parameters
    ----------
    differences
        One difference per item, each in [-1, 1].
    level
        Confidence level.

    Raises
    ------
    UndefinedError
        No pair.

    References
    ----------
    Bonett, D. G., & Price, R. M. (2012). Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data. Journal of Educational and Behavioral Statistics, 37(4), 479-488.

    Examples
    --------
    >>> d = [1] * 9 + [-1] * 2 + [0] * 89
    >>> interval = bonett_price_interval(d)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0006, 0.1366)
    """
    d = np.asarray(differences, dtype=np.float64)
    if len(d) == 0:
        raise UndefinedError("no pair: a difference of nothing has no interval")
    if float(np.max(np.abs(d))) > 1 + _TIE:
        raise OptionError(f"differences reach {float(np.max(np.abs(d)))!r}: expected values from -1 to 1")
    m = len(d) + 2
    centre = float(np.sum(d)) / m
    variance = (float(np.sum(d * d)) + 2) / m - centre**2
    half = _z(level) * float(np.sqrt(variance / m))
    return Interval(max(-1.0, centre - half), min(1.0, centre + half), level, "Bonett-Price")


def mcnemar_exact(n10: int, n01: int) -> float:
    r"""Two-sided exact McNemar test of paired 0-1 outcomes.

    :math:`p = \min(1, 2\,P(X \le \min(n_{10}, n_{01})))`, :math:`X \sim B(n_{10} + n_{01}, 1/2)`.
    Without discordant pairs nothing speaks against equality: p = 1.

    Parameters
    ----------
    n10, n01
        Pairs where only the first, only the second is a success.

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or
    percentages. Psychometrika, 12(2), 153-157.

    Examples
    --------
    >>> mcnemar_exact(1, 9)
    0.021484375
    >>> mcnemar_exact(0, 0)
    1.0
    """
    low = min(_whole("n10", n10), _whole("n01", n01))
    total = int(n10) + int(n01)
    return min(1.0, 2 * float(special.bdtr(low, total, 0.5)))


def sign_flip_test(
    differences: ArrayLike, *, rng: np.random.Generator, n_flips: int = 9999
) -> PermutationTest:
    r"""Two-sided sign-flip permutation test of a zero mean.

    Every sign pattern of the non-zero differences is counted when there are at most 14 of them;
    otherwise patterns are drawn and :math:`p = (1 + \#\{|S^*| \ge |S|\})/(1 + B)`.

    Parameters
    ----------
    differences
        One difference per item; repeats are averaged before.
    rng
        Source of randomness. No default: a run must be repeatable.
    n_flips
        Patterns drawn where not all are counted.

    Raises
    ------
    UndefinedError
        No difference.

    References
    ----------
    Phipson, B., & Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical
    Applications in Genetics and Molecular Biology, 9(1), Article 39.

    Examples
    --------
    >>> sign_flip_test([1, 1, 1, 1, 1, 0], rng=np.random.default_rng(0))
    PermutationTest(p_value=0.0625, method='sign flips, all patterns')
    """
    d = np.asarray(differences, dtype=np.float64)
    if len(d) == 0:
        raise UndefinedError("no pair: there is nothing to flip")
    d = d[d != 0]
    observed = abs(float(np.sum(d))) - _TIE * max(1.0, len(d))
    if len(d) <= EXACT_FLIPS:
        signs = 1 - 2 * ((np.arange(2 ** len(d))[:, None] >> np.arange(len(d))) & 1)
        return PermutationTest(float(np.mean(np.abs(signs @ d) >= observed)), "sign flips, all patterns")
    hits = 0
    for child, size in _blocks(rng, n_flips):
        signs = 1 - 2 * child.integers(0, 2, size=(size, len(d)), dtype=np.int8)
        hits += int(np.sum(np.abs(signs @ d) >= observed))
    return PermutationTest((1 + hits) / (1 + n_flips), f"sign flips, {n_flips} drawn")


def _blocks(rng: np.random.Generator, total: int) -> list[tuple[np.random.Generator, int]]:
    """One random stream for each fixed-size block of replicates."""
    sizes = [min(BLOCK, total - start) for start in range(0, total, BLOCK)]
    return list(zip(rng.spawn(len(sizes)), sizes, strict=True))


def bootstrap_mean_interval(
    values: ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int = 10_000,
    level: float = 0.95,
    expanded: bool = False,
    engine: Engine = SERIAL,
) -> Interval:
    r"""Percentile bootstrap interval of a mean.

    Resampling :math:`n` items with replacement is drawing multinomial counts of the distinct values, which
    is what is done: time and memory grow with the number of distinct values, not of items.

    Parameters
    ----------
    values
        One value per item.
    rng
        Source of randomness. No default: a run must be repeatable.
    n_resamples
        Bootstrap replicates.
    level
        Confidence level.
    expanded
        Take wider percentiles, :math:`\Phi(-\sqrt{n/(n-1)}\,t_{n-1})`, which make up for a bootstrap of few
        items being too narrow (92 % instead of 95 % at n = 20 for Step-F1).
    engine
        Where blocks of resamples are computed; changes nothing in the result.

    Raises
    ------
    UndefinedError
        Fewer than two values.

    References
    ----------
    Efron, B., & Tibshirani, R. J. (1993). An introduction to the bootstrap. Chapman & Hall.
    Hesterberg, T. C. (2015). What teachers should know about the bootstrap. The American Statistician,
    69(4), 371-386.

    Examples
    --------
    >>> interval = bootstrap_mean_interval([0, 0, 1, 1, 1, 1], rng=np.random.default_rng(1))
    >>> round(interval.low, 3), interval.high
    (0.333, 1.0)
    """
    x = np.asarray(values, dtype=np.float64)
    if len(x) < 2:
        raise UndefinedError(f"{len(x)} value(s): a bootstrap needs at least two")
    distinct, counts = np.unique(x, return_counts=True)
    parts = engine.map(partial(_resampled_means, distinct, counts), _blocks(rng, n_resamples))
    tail = (1 - checked_level(level)) / 2
    method = "percentile bootstrap over items"
    if expanded:
        n = len(x)
        tail = float(special.ndtr(np.sqrt(n / (n - 1)) * special.stdtrit(n - 1, tail)))
        method = "expanded percentile bootstrap over items"
    low, high = np.quantile(np.concatenate(parts), [tail, 1 - tail])
    return Interval(float(low), float(high), level, method)


def _resampled_means(
    distinct: NDArray[np.float64], counts: NDArray[np.intp], block: tuple[np.random.Generator, int]
) -> NDArray[np.float64]:
    """Means of one block of resamples, drawn as counts of the distinct values."""
    rng, size = block
    n = int(counts.sum())
    means: NDArray[np.float64] = rng.multinomial(n, counts / n, size=size) @ distinct / n
    return means
