"""P-values of reported and recomputed tests, two-sided where a test has two sides.

Every tail is computed as an upper tail (or its mirror image), never as 1 - cdf: the smallest keep their
digits.
"""

from functools import lru_cache
from itertools import combinations, permutations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincc, betaln, chdtrc, fdtr, fdtrc, ndtr, stdtr, xlog1py, xlogy

from concord.errors import OptionError, UndefinedError
from concord.stats.contingency import ChiSquare, chi_square
from concord.stats.elementwise import Floats, broadcast, shaped, where_defined

__all__ = [
    "ChiSquare",
    "chi_square",
    "p_binomial",
    "p_chi_square",
    "p_correlation",
    "p_f",
    "p_mann_whitney",
    "p_t",
    "p_variance_ratio",
    "p_z",
]

# Outcomes within this factor of the observed one's probability count as equally likely: without it,
# rounding would decide whether the mirror image of the observed outcome belongs to the tail.
_EQUALLY_LIKELY = 1 + 1e-7


def _two_sided_t(t: Floats, df: Floats) -> Floats:
    """Double the tail of Student's t; one degree of freedom in closed form (stdtr loses it near t = 0)."""
    return np.where(df == 1, 2 / np.pi * np.arctan2(1.0, np.abs(t)), 2 * stdtr(df, -np.abs(t)))


def p_t(t: ArrayLike, df: ArrayLike) -> Floats | float:
    r"""Two-sided p-value of a t statistic, :math:`2\,T_\nu(-|t|)`; infinite df is the normal distribution.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika, 6(1), 1-25.

    Examples
    --------
    >>> round(p_t(2.086, 20), 4)
    0.05
    """
    (t_, df_), shape = broadcast(t, df)
    p = where_defined(~np.isnan(t_) & (df_ > 0), _two_sided_t, t_, df_)
    return shaped(p, shape, "a t test needs a t and df > 0")


def _f_defined(f: Floats, df1: Floats, df2: Floats) -> NDArray[np.bool_]:
    """Say where an F statistic has a distribution."""
    return (f >= 0) & (df1 > 0) & (df2 > 0) & np.isfinite(df1) & np.isfinite(df2)


def _upper_f(f: Floats, df1: Floats, df2: Floats) -> Floats:
    """Return the upper tail of F."""
    return np.asarray(fdtrc(df1, df2, f), dtype=np.float64)


_NO_F = "an F test needs F >= 0 and finite df1, df2 > 0"


def p_f(f: ArrayLike, df1: ArrayLike, df2: ArrayLike) -> Floats | float:
    r"""Upper-tail p-value of an F statistic, :math:`P(F_{\nu_1, \nu_2} \ge F)`.

    With ``df1 = 1`` the two-sided p of :math:`t = \sqrt F`; for a ratio of variances see `p_variance_ratio`.

    References
    ----------
    Snedecor (1934), Calculation and interpretation of analysis of variance and covariance. Collegiate Press.

    Examples
    --------
    >>> round(p_f(4.0, 1, 60), 4)
    0.05
    """
    (f_, df1_, df2_), shape = broadcast(f, df1, df2)
    p = where_defined(_f_defined(f_, df1_, df2_), _upper_f, f_, df1_, df2_)
    return shaped(p, shape, _NO_F)


def p_variance_ratio(f: ArrayLike, df1: ArrayLike, df2: ArrayLike) -> Floats | float:
    r"""Two-sided p-value of a ratio of two variances, the same whichever variance is on top.

    .. math:: p = \min(1,\; 2 \min(P(F \le f),\, P(F \ge f)))

    References
    ----------
    Snedecor & Cochran (1989), Statistical methods (8th ed.). Iowa State University Press.

    Examples
    --------
    >>> f"{p_variance_ratio(2.99, 131, 131):.2e}"
    '9.98e-10'
    """
    (f_, df1_, df2_), shape = broadcast(f, df1, df2)

    def both_tails(f: Floats, a: Floats, b: Floats) -> Floats:
        return np.asarray(np.minimum(1.0, 2 * np.minimum(fdtr(a, b, f), _upper_f(f, a, b))))

    p = where_defined(_f_defined(f_, df1_, df2_), both_tails, f_, df1_, df2_)
    return shaped(p, shape, _NO_F)


def p_correlation(r: ArrayLike, n: ArrayLike) -> Floats | float:
    r"""Two-sided p-value of a correlation, exact for a bivariate normal, approximate for Spearman's.

    .. math:: p = 2\,T_{n-2}\left(-|r| \sqrt{\frac{n-2}{1-r^2}}\right)

    References
    ----------
    Fisher (1915), Biometrika, 10(4), 507-521.

    Examples
    --------
    >>> round(p_correlation(0.42, 103), 6)
    1e-05
    """
    (r_, n_), shape = broadcast(r, n)

    def through_t(r: Floats, n: Floats) -> Floats:
        with np.errstate(divide="ignore"):  # r = 1 is t = infinity
            return _two_sided_t(r * np.sqrt((n - 2) / ((1 - r) * (1 + r))), n - 2)

    p = where_defined((np.abs(r_) <= 1) & (n_ > 2) & np.isfinite(n_), through_t, r_, n_)
    return shaped(p, shape, "a correlation needs |r| <= 1 and n >= 3")


def p_chi_square(chi2: ArrayLike, df: ArrayLike) -> Floats | float:
    r"""Upper-tail p-value of a chi-square statistic, :math:`P(\chi^2_\nu \ge \chi^2)`.

    References
    ----------
    Pearson (1900), Philosophical Magazine, 50, 157-175.

    Examples
    --------
    >>> round(p_chi_square(3.841459, 1), 6)
    0.05
    """
    (chi2_, df_), shape = broadcast(chi2, df)
    defined = (chi2_ >= 0) & (df_ > 0) & np.isfinite(df_)

    def upper(chi2: Floats, df: Floats) -> Floats:
        return np.asarray(chdtrc(df, chi2), dtype=np.float64)

    p = where_defined(defined, upper, chi2_, df_)
    return shaped(p, shape, "a chi-square test needs chi2 >= 0 and a finite df > 0")


def p_z(z: ArrayLike) -> Floats | float:
    r"""Two-sided p-value of a standard normal statistic, :math:`2\,\Phi(-|z|)`; 0 beyond about 38.5.

    References
    ----------
    Abramowitz & Stegun (1964), Handbook of mathematical functions, 26.2. National Bureau of Standards.

    Examples
    --------
    >>> round(p_z(1.959964), 6)
    0.05
    """
    (z_,), shape = broadcast(z)
    return shaped(2 * ndtr(-np.abs(z_)), shape, "a z test needs a z")


def _log_pmf(k: Floats, n: Floats, p0: Floats) -> Floats:
    """Log probability of k of n, through the beta function: C(n, k) = 1 / ((n + 1) B(n - k + 1, k + 1))."""
    return np.asarray(xlogy(k, p0) + xlog1py(n - k, -p0) - np.log1p(n) - betaln(n - k + 1, k + 1))


_LARGEST_N = 2.0**52
"""Above it floats skip whole numbers, and no search among counts ends."""


def _no_likelier(k: Floats, n: Floats, p0: Floats) -> Floats:
    """Sum the probabilities of the outcomes no likelier than k of n."""
    above = k > n * p0
    # An excess of successes is a lack of failures: one branch serves both sides.
    k_, p_ = np.where(above, n - k, k), np.where(above, 1 - p0, p0)
    # first count above the mean, at least k's mirror in likelihood: P(j) <= P(k), for k below the mean
    j, high = np.ceil(n * p_), n + 1  # n + 1: no outcome above the mean is as unlikely
    limit = _log_pmf(k_, n, p_) + np.log(_EQUALLY_LIKELY)
    while np.any(j < high):  # bisection: above the mean the probabilities only fall
        middle = np.floor((j + high) / 2)
        likelier = _log_pmf(np.minimum(middle, n), n, p_) > limit
        j, high = np.where(likelier & (j < high), middle + 1, j), np.where(likelier, high, middle)
    inside, reached = np.minimum(k_, n - 1), np.clip(j, 1, n)
    # P(X <= k) = I_{1-p}(n - k, k + 1) and P(X >= j) = I_p(j, n - j + 1), in terms of p0 itself.
    near = np.where(above, betainc(n - inside, inside + 1, p0), betaincc(inside + 1, n - inside, p0))
    far = np.where(above, betaincc(n - reached + 1, reached, p0), betainc(reached, n - reached + 1, p0))
    p = np.minimum(1.0, near + np.where(j > n, 0.0, far))
    return np.where((k_ == n) | (k == n * p0), 1.0, p)


def p_binomial(k: ArrayLike, n: ArrayLike, p0: ArrayLike = 0.5) -> Floats | float:
    r"""Exact two-sided p-value of a binomial (or sign) test.

    .. math:: p = \sum_{j:\,P(j) \le P(k)} P(j), \qquad P(j) = \binom{n}{j} p_0^j (1-p_0)^{n-j}

    with a relative slack of :math:`10^{-7}`, as R's ``binom.test`` has it. Doubling the smaller tail gives
    another number (0.1095, not 0.1011, for 7 of 10 against 0.4).

    References
    ----------
    Clopper & Pearson (1934), Biometrika, 26(4), 404-413.
    Conover (1971), Practical nonparametric statistics, pp. 97-104. Wiley.

    Examples
    --------
    >>> round(p_binomial(682, 925, 0.75), 4)
    0.3825
    """
    (k_, n_, p0_), shape = broadcast(k, n, p0)
    whole = (k_ == np.floor(k_)) & (n_ == np.floor(n_)) & np.isfinite(n_)
    defined = whole & (k_ >= 0) & (k_ <= n_) & (n_ >= 1) & (n_ <= _LARGEST_N) & (p0_ >= 0) & (p0_ <= 1)
    p = where_defined(defined, _no_likelier, k_, n_, p0_)
    return shaped(p, shape, "a binomial test needs whole 0 <= k <= n, n >= 1, n <= 2^52 and p0 in [0, 1]")


def p_mann_whitney(
    u: ArrayLike, n1: ArrayLike, n2: ArrayLike, *, tie_sum: ArrayLike | None = None
) -> Floats | float:
    r"""Two-sided p-value of a Mann-Whitney U, normal approximation without continuity correction.

    .. math:: z = \frac{U - n_1 n_2 / 2}{\sigma}, \qquad
        \sigma^2 = \frac{n_1 n_2}{12} \left(N + 1 - \frac{\sum (t^3 - t)}{N (N - 1)}\right)

    `tie_sum` is the sum of t³ - t over the groups of t tied observations, ``None`` where ties are not known.

    References
    ----------
    Mann & Whitney (1947), Annals of Mathematical Statistics, 18(1), 50-60.

    Examples
    --------
    >>> round(p_mann_whitney(341, 30, 31), 4)
    0.0736
    """
    (u_, n1_, n2_, ties), shape = broadcast(u, n1, n2, 0.0 if tie_sum is None else tie_sum)
    total = n1_ + n2_
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = n1_ * n2_ / 12 * (total + 1 - ties / (total * (total - 1)))
    defined = (n1_ >= 1) & (n2_ >= 1) & (u_ >= 0) & (u_ <= n1_ * n2_) & (ties >= 0) & np.isfinite(total)
    # All tied: the variance is 0 up to rounding, which must not be divided by.
    defined &= variance > 1e-12 * n1_ * n2_ * total

    def normal(u: Floats, product: Floats, variance: Floats) -> Floats:
        return np.asarray(2 * ndtr(-np.abs(u - product / 2) / np.sqrt(variance)), dtype=np.float64)

    p = where_defined(defined, normal, u_, n1_ * n2_, variance)
    return shaped(p, shape, "a Mann-Whitney test needs 0 <= U <= n1 n2, both n >= 1 and not all values tied")


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
