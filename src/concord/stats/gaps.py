"""Gaps between the largest and the mean of samples, made comparable between numbers of samples.

How far each arrangement lies from the mean of all, with a band that holds for all of them at once.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.errors import UndefinedError
from concord.stats.elementwise import Floats

_REACH = 12.0
"""Beyond this many standard deviations a normal density adds nothing to a double."""


@lru_cache(maxsize=1024)
def expected_maximum(k: int) -> float:
    r"""Return the expected maximum of ``k`` independent standard normal variables.

    .. math:: d(k) = \int_0^\infty \left(1 - \Phi(x)^k - \Phi(-x)^k\right) dx

    Result: ``d(k)``; 0 for one variable. `UndefinedError`: ``k`` is below 1.

    References
    ----------
    Harter, H. L. (1961). Expected values of normal order statistics. Biometrika, 48(1/2), 151-165.

    Examples
    --------
    >>> round(expected_maximum(2), 10), round(expected_maximum(5), 10)
    (0.5641895835, 1.1629644736)
    """
    if k < 1:
        raise UndefinedError(f"the maximum of {k} variables is not defined")
    nodes, weights = np.polynomial.legendre.leggauss(256)
    x = _REACH / 2 * (nodes + 1)
    upper = -np.expm1(k * special.log_ndtr(x)) - np.exp(k * special.log_ndtr(-x))
    return float(_REACH / 2 * (weights @ upper))


@lru_cache(maxsize=4096)
def maximum_weights(k: int, m: int) -> tuple[float, ...]:
    r"""Weights of sorted samples whose sum is the expected maximum of ``m`` of them.

    The j-th smallest of k samples is the largest of a random subset of m with probability
    :math:`\binom{j-1}{m-1} / \binom{k}{m}`.

    Source: Hoeffding, W. (1948). A class of statistics with asymptotically normal distribution. Annals of
    Mathematical Statistics, 19(3), 293-325.

    >>> [round(w, 4) for w in maximum_weights(4, 2)]
    [0.0, 0.1667, 0.3333, 0.5]
    """
    if not 1 <= m <= k:
        raise UndefinedError(f"the maximum of {m} of {k} samples is not defined")
    return tuple(comb(j - 1, m - 1) / comb(k, m) for j in range(1, k + 1))


def fixed_m_gap(samples: ArrayLike, m: int = 2) -> NDArray[np.float64]:
    r"""Estimate the maximum of ``m`` samples minus their mean, without bias for any number of samples.

    .. math:: \hat{g}_m = \sum_j \frac{\binom{j-1}{m-1}}{\binom{k}{m}} y_{(j)} - \bar{y}

    The plain gap ``max - mean`` grows with k; this one estimates the same number for every k >= m.

    `UndefinedError`: fewer than ``m`` samples.

    Parameters
    ----------
    samples
        Scores; the last axis holds the samples of a cell.
    m
        Size of the subsets whose maximum is meant.

    References
    ----------
    Hoeffding, W. (1948). A class of statistics with asymptotically normal distribution. Annals of
    Mathematical Statistics, 19(3), 293-325.

    Examples
    --------
    >>> float(fixed_m_gap([0.0, 1.0]))
    0.5
    >>> round(float(fixed_m_gap([0.0, 0.0, 1.0, 1.0])), 4)
    0.3333
    """
    values = np.sort(np.asarray(samples, dtype=np.float64), axis=-1)
    weights = np.asarray(maximum_weights(values.shape[-1], m))
    above = values - values[..., :1]  # equal samples then have a gap of exactly 0
    return np.asarray(above @ weights - above.mean(axis=-1))


def fixed_m_gap_cells(
    cell: NDArray[np.int64], score: NDArray[np.float64], n_cells: int, *, m: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Fixed-m gap of many cells with any number of samples each.

    Source: Hoeffding, W. (1948). A class of statistics with asymptotically normal distribution. Annals of
    Mathematical Statistics, 19(3), 293-325.

    >>> gaps, counts = fixed_m_gap_cells(np.array([0, 0, 2]), np.array([0.0, 1.0, 0.5]), 3)
    >>> gaps.tolist(), counts.tolist()
    ([0.5, nan, nan], [2, 0, 1])
    """
    count = np.bincount(cell, minlength=n_cells).astype(np.int64)
    first = (np.cumsum(count) - count)[cell]
    rank = np.arange(len(cell)) - first
    sizes = np.unique(count[count >= m])
    table = np.full((int(count.max(initial=0)) + 1, int(count.max(initial=0)) + 1), np.nan)
    for size in sizes:
        table[size, :size] = np.asarray(maximum_weights(int(size), m)) - 1.0 / size
    weighted = np.bincount(cell, weights=table[count[cell], rank] * (score - score[first]), minlength=n_cells)
    return np.where(count >= m, weighted, np.nan), count


def fixed_m_gap_binary(mean: ArrayLike, k: int, m: int = 2) -> NDArray[np.float64]:
    r"""Fixed-m gap of 0/1 scores from the mean of ``k`` samples alone; exact.

    .. math:: 1 - \binom{k-c}{m} / \binom{k}{m} - c/k, \quad c = k \cdot \text{mean}

    `UndefinedError`: ``m`` is not between 1 and ``k``.

    Parameters
    ----------
    mean
        Share of ones in each cell.
    k
        Number of samples per cell.
    m
        Size of the subsets whose maximum is meant.

    References
    ----------
    Chen, M. et al. (2021). Evaluating large language models trained on code. arXiv:2107.03374 (the
    unbiased pass@k is the first two terms).

    Examples
    --------
    >>> round(float(fixed_m_gap_binary(0.5, 4)), 4)
    0.3333
    """
    if not 1 <= m <= k:
        raise UndefinedError(f"the maximum of {m} of {k} samples is not defined")
    share = np.asarray(mean, dtype=np.float64)
    fails = np.array([comb(k - c, m) / comb(k, m) for c in range(k + 1)])
    known = ~np.isnan(share)
    ones = np.rint(np.where(known, share, 0.0) * k).astype(np.int64)
    return np.where(known, 1.0 - fails[ones] - share, np.nan)


METHOD = "simultaneous: t over items, Bonferroni over arrangements"


@dataclass(frozen=True, slots=True)
class DeviationBand:
    """Deviations of arrangements from the mean over arrangements, item by item."""

    values: Floats
    low: Floats
    high: Floats
    n_items: int
    method: str = METHOD


def deviation_band(scores: ArrayLike, *, level: float = 0.95) -> DeviationBand | None:
    r"""Compute the mean deviation of every arrangement from its items' own means.

    With :math:`x_{ij}` the score of item *i* under arrangement *j* of *k*,
    :math:`d_{ij} = x_{ij} - \bar{x}_{i\cdot}`; the band is
    :math:`\bar{d}_{\cdot j} \pm t_{n-1}(1 - \alpha/2k)\, s_j/\sqrt{n}`, which covers all *k* at once with
    at least the level (Bonferroni).

    Source: Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical
    Association, 56, 52-64.

    >>> band = deviation_band([[1, 0], [1, 0], [1, 1], [0, 0]])
    >>> [round(float(v), 2) for v in (*band.values, band.low[0], band.high[0])]
    [0.25, -0.25, -0.35, 0.85]
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        return None
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    n, k = complete.shape
    if n < 2:
        return None
    off = complete - complete.mean(axis=1, keepdims=True)
    values = off.mean(axis=0)
    wide = special.stdtrit(n - 1, 1 - (1 - level) / (2 * k)) * off.std(axis=0, ddof=1) / np.sqrt(n)
    return DeviationBand(values, values - wide, values + wide, n)
