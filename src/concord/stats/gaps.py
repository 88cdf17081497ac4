"""Gaps between the largest and the mean of samples, comparable between numbers of samples; bands."""

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
    """Return the expected maximum of ``k`` standard normal variables: ∫₀^∞ (1 - Φ(x)^k - Φ(-x)^k) dx."""
    if k < 1:
        raise UndefinedError(f"the maximum of {k} variables is not defined")
    nodes, weights = np.polynomial.legendre.leggauss(256)
    x = _REACH / 2 * (nodes + 1)
    upper = -np.expm1(k * special.log_ndtr(x)) - np.exp(k * special.log_ndtr(-x))
    return float(_REACH / 2 * (weights @ upper))


@lru_cache(maxsize=4096)
def maximum_weights(k: int, m: int) -> tuple[float, ...]:
    """Weights of sorted samples whose sum is the expected maximum of ``m`` of them: C(j-1, m-1) / C(k, m)."""
    if not 1 <= m <= k:
        raise UndefinedError(f"the maximum of {m} of {k} samples is not defined")
    return tuple(comb(j - 1, m - 1) / comb(k, m) for j in range(1, k + 1))


def fixed_m_gap(samples: ArrayLike, m: int = 2) -> NDArray[np.float64]:
    r"""Estimate the maximum of ``m`` samples (last axis) minus their mean, unbiased for any number k >= m.

    .. math:: \hat{g}_m = \sum_j \frac{\binom{j-1}{m-1}}{\binom{k}{m}} y_{(j)} - \bar{y}

    The plain gap ``max - mean`` grows with k; this one does not.

    References
    ----------
    Hoeffding (1948), Annals of Mathematical Statistics, 19(3), 293-325.

    Examples
    --------
    >>> float(fixed_m_gap([0.0, 1.0]))
    0.5
    """
    values = np.sort(np.asarray(samples, dtype=np.float64), axis=-1)
    weights = np.asarray(maximum_weights(values.shape[-1], m))
    above = values - values[..., :1]  # equal samples then have a gap of exactly 0
    return np.asarray(above @ weights - above.mean(axis=-1))


def fixed_m_gap_cells(
    cell: NDArray[np.int64], score: NDArray[np.float64], n_cells: int, *, m: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Fixed-m gap of many cells with any number of samples each."""
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
    """Fixed-m gap of 0/1 scores from the mean of ``k`` samples alone, exact: 1 - C(k-c, m)/C(k, m) - c/k."""
    # c = k · mean; the first two terms are the unbiased pass@k of Chen et al. (2021), arXiv:2107.03374.
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
    """Compute the mean deviation of every arrangement from its items' own means, with a band for all at once.

    d_ij = x_ij - mean_i; mean_j ± t(1 - α/2k, n - 1) s_j/√n, Bonferroni (Dunn 1961, JASA, 56, 52-64).
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
