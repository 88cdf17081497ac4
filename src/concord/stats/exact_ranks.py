"""Exact p-values of rank tests with few observations: no normal curve, ties by permutation."""

from functools import lru_cache
from itertools import combinations, permutations
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats

LARGEST_EXACT = 10
"""Below this many observations per group (or pairs) the exact distribution is used."""
LARGEST_WILCOXON = 50
_SLACK = 1e-9
"""Sums of mid-ranks that should be equal may differ in their last digits."""


def mean_ranks(values: ArrayLike) -> Floats:
    """Return ranks from 1 on along the last axis; ties share the mean of theirs."""
    x = np.asarray(values, dtype=np.float64)
    ranks = np.empty(x.shape)
    for at in np.ndindex(x.shape[:-1]):
        ordered = np.sort(x[at])
        below, up_to = (np.searchsorted(ordered, x[at], side) for side in ("left", "right"))
        ranks[at] = (below + up_to + 1) / 2
    return ranks


@lru_cache(maxsize=256)
def _u_counts(n1: int, n2: int) -> Floats:
    """Count arrangements by their U without ties, exact in the lower tail, where no large counts cancel."""
    # The generating function of the counts is the product of (1 - q^(n2 + i)) / (1 - q^i), i = 1 ... n1.
    counts = np.zeros(n1 * n2 + 1)
    counts[0] = 1.0
    for i in range(1, n1 + 1):
        counts[n2 + i :] -= counts[: -(n2 + i)].copy() if n2 + i < len(counts) else 0.0
        for start in range(i):
            counts[start::i] = np.cumsum(counts[start::i])
    return counts


def p_mann_whitney_exact(u: float, n1: int, n2: int) -> float:
    """Exact two-sided p-value of a Mann-Whitney U without ties: twice the smaller tail, at most 1.

    Halves, which come from ties, take the larger of their neighbours' p.

    References
    ----------
    Mann & Whitney (1947), Annals of Mathematical Statistics, 18, 50-60.

    Examples
    --------
    >>> p_mann_whitney_exact(0, 3, 3)
    0.1
    """
    if not (n1 >= 1 and n2 >= 1 and 0 <= u <= n1 * n2):
        raise UndefinedError("an exact Mann-Whitney test needs 0 <= U <= n1 n2 and both n >= 1")
    counts = _u_counts(*sorted((int(n1), int(n2))))
    smaller = min(u, n1 * n2 - u)
    tail = counts[: int(np.ceil(smaller - _SLACK)) + 1].sum() / comb(int(n1 + n2), int(n1))
    return float(min(1.0, 2 * tail))


def p_mann_whitney_permutation(first: ArrayLike, second: ArrayLike) -> float:
    """Exact two-sided p-value of the Mann-Whitney test from observations, ties included, below 10 a group.

    The share of all divisions into groups of these sizes whose U is as far from the middle.

    References
    ----------
    Lehmann (1975), Nonparametrics: Statistical Methods Based on Ranks, chapter 1. Holden-Day.

    Examples
    --------
    >>> p_mann_whitney_permutation([1, 2, 3], [4, 5, 6])
    0.1
    """
    a, b = (np.asarray(x, dtype=np.float64) for x in (first, second))
    if max(a.size, b.size) >= LARGEST_EXACT or min(a.size, b.size) < 1:
        raise OptionError(f"an exact test needs 1 to {LARGEST_EXACT - 1} observations in each group")
    ranks = mean_ranks(np.concatenate([a, b]))
    chosen = np.array(list(combinations(range(ranks.size), a.size)))
    sums = ranks[chosen].sum(axis=1)
    middle = a.size * (ranks.size + 1) / 2
    far = abs(float(ranks[: a.size].sum()) - middle)
    return float(np.mean(np.abs(sums - middle) >= far - _SLACK))


def p_wilcoxon_exact(w: float, n: int, ranks: ArrayLike | None = None) -> float:
    """Exact two-sided p-value of a Wilcoxon signed-rank sum of n ≤ 50 pairs that differ.

    The share of all patterns of signs whose sum is as far from the middle; `ranks` where some sizes tie.

    References
    ----------
    Wilcoxon (1945), Biometrics Bulletin, 1, 80-83.

    Examples
    --------
    >>> p_wilcoxon_exact(0, 5), p_wilcoxon_exact(15, 5)
    (0.0625, 0.0625)
    """
    given = (
        np.arange(1, int(n) + 1, dtype=np.float64) if ranks is None else np.asarray(ranks, dtype=np.float64)
    )
    total = float(given.sum())
    if not 1 <= n <= LARGEST_WILCOXON or given.size != n or not 0 <= w <= total:
        raise UndefinedError("an exact Wilcoxon test needs 1 to 50 differences and a sum within their ranks")
    doubled = np.round(2 * given).astype(np.intp)  # mid-ranks are halves
    counts = np.zeros(int(doubled.sum()) + 1)
    counts[0] = 1.0
    for step in doubled:
        counts[step:] += counts[: counts.size - step].copy()
    sums = np.arange(counts.size) / 2
    far = np.abs(sums - total / 2) >= abs(w - total / 2) - _SLACK
    return float(counts[far].sum() / counts.sum())


@lru_cache(maxsize=16)
def _permutation_products(x: tuple[float, ...], y: tuple[float, ...]) -> Floats:
    """Compute the sums of products of x with every permutation of y."""
    return np.asarray(np.array(list(permutations(y))) @ np.array(x))


def p_spearman_exact(first: ArrayLike, second: ArrayLike) -> float:
    """Exact two-sided p-value of Spearman's rank correlation, ties included, 3 to 9 pairs.

    The share of all permutations whose correlation is as far from 0.

    References
    ----------
    Best & Roberts (1975), Applied Statistics, 24, 377-379.

    Examples
    --------
    >>> p_spearman_exact([1, 2, 3, 4], [1, 2, 3, 4])
    0.08333333333333333
    """
    x, y = mean_ranks(first), mean_ranks(second)
    if x.size != y.size or not 3 <= x.size < LARGEST_EXACT:
        raise OptionError(f"an exact Spearman test needs 3 to {LARGEST_EXACT - 1} pairs")
    x, y = x - x.mean(), y - y.mean()
    sums = _permutation_products(tuple(x.tolist()), tuple(y.tolist()))
    return float(np.mean(np.abs(sums) >= abs(float(x @ y)) - _SLACK))


def p_spearman_exact_rho(rho: float, n: int) -> float:
    """Exact two-sided p-value of a Spearman correlation of 3 to 9 pairs without ties, from rho alone.

    A rounded rho counts as the nearest that n pairs can have.

    References
    ----------
    Best & Roberts (1975), Applied Statistics, 24, 377-379.

    Examples
    --------
    >>> p_spearman_exact_rho(1.0, 4)
    0.08333333333333333
    """
    if not 3 <= n < LARGEST_EXACT or not -1 <= rho <= 1:
        raise UndefinedError(f"an exact Spearman test needs |rho| <= 1 and 3 to {LARGEST_EXACT - 1} pairs")
    ranks = np.arange(n) - (n - 1) / 2
    sums = _permutation_products(tuple(ranks.tolist()), tuple(ranks.tolist())) / float(ranks @ ranks)
    possible = np.unique(np.round(np.abs(sums), 9))
    nearest = float(possible[np.argmin(np.abs(possible - abs(rho)))])
    return float(np.mean(np.abs(sums) >= nearest - 1e-6))


@lru_cache(maxsize=256)
def _w_counts(n: int) -> Floats:
    """Count patterns of signs by the sum of the positive ranks 1 to n."""
    counts = np.ones(1)
    for rank in range(1, n + 1):
        counts = np.concatenate([counts, np.zeros(rank)]) + np.concatenate([np.zeros(rank), counts])
    return counts


def _two_sided(statistic: Floats, counts: Floats) -> Floats:
    """Return twice the smaller tail of a symmetric count."""
    # Halves, which come from ties, take the larger of their neighbours' p; what lies between, which no ranks
    # give but noise drawn as if continuous, counts as the nearest whole number.
    tails = np.minimum(1.0, 2 * np.cumsum(counts) / counts.sum())
    halves = np.abs(2 * statistic - np.round(2 * statistic)) < _SLACK
    whole = np.where(halves, statistic, np.round(statistic))
    smaller = np.minimum(whole, counts.size - 1 - whole)
    return np.asarray(tails[np.ceil(smaller - _SLACK).astype(np.intp)])


def small_rank_p(statistic: Floats, n1: Floats, n2: Floats | None = None) -> Floats:
    """Exact two-sided p-values of U (two groups) or W (one) without ties; NaN from ten observations on."""
    found = np.full(statistic.shape, np.nan)
    sizes = (n1,) if n2 is None else (n1, n2)
    whole = np.all([(n >= 1) & (n < LARGEST_EXACT) & (n == np.round(n)) for n in sizes], axis=0)
    for i in np.flatnonzero(whole):
        own = [int(n[i]) for n in sizes]
        counts = _w_counts(own[0]) if n2 is None else _u_counts(*sorted(own))
        one = statistic[..., i]
        known = np.isfinite(one)
        found[..., i] = np.where(known, _two_sided(np.where(known, one, 0.0), counts), np.nan)
    return found
