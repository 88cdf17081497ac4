"""Votes on pairs of answers, shown in both orders: what changes with the seats, and what would anyway.

Votes are counts of shape (pairs, 2, 3): pairs by order (A or B in the first seat) by verdict (A, B, tie).
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.number_words import number
from concord.records import Interval
from concord.stats.clustered import cluster_codes, finite_vector
from concord.stats.elementwise import Floats

MOST_SPLITS = 2000
"""Ways to divide the votes of a pair between the orders that are listed; beyond, so many are drawn."""
MOST_LISTED = 200
"""Votes of a pair that are drawn one by one; of more the verdicts are drawn as counts."""


@dataclass(frozen=True, slots=True, eq=False)
class SeatNumbers:
    """One number per pair; NaN where a pair does not have it."""

    inconsistency: Floats
    """Share of pairs of votes, one of each order, that differ."""
    repeat: Floats
    """Share of pairs of votes of one order that differ."""
    flip_excess: Floats
    """The first minus the second."""
    preference: Floats
    """Share of votes for the first seat minus 1/2, ties half, both orders alike."""
    ties: Floats
    win: Floats
    """Share of votes for A, ties half, both orders alike."""


def seat_numbers(votes: ArrayLike) -> SeatNumbers:
    """Compute what the seats do, pair by pair (Zheng et al. 2023, NeurIPS 36)."""
    c = checked_votes(votes)
    k = c.sum(axis=2)
    both = (k > 0).all(axis=1)
    shares = np.divide(c, k[:, :, None], out=np.full(c.shape, np.nan), where=k[:, :, None] > 0)
    alike = (shares[:, 0] * shares[:, 1]).sum(axis=1)
    inconsistency = np.where(both, 1 - alike, np.nan)
    within = (k * (k - 1)).sum(axis=1)
    unlike = (k * k).sum(axis=1) - (c * c).sum(axis=(1, 2))
    repeat = np.divide(unlike, within, out=np.full(len(c), np.nan), where=within > 0)
    first = np.stack([shares[:, 0, 0], shares[:, 1, 1]], axis=1) + shares[:, :, 2] / 2
    for_a = shares[:, :, 0] + shares[:, :, 2] / 2
    # mean over the orders that were asked
    values = shares[:, :, 2]
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=1)
    none = np.full(len(values), np.nan)
    return SeatNumbers(
        inconsistency,
        repeat,
        inconsistency - repeat,
        np.where(both, first.sum(axis=1) / 2 - 0.5, np.nan),
        np.asarray(np.divide(total, known.sum(axis=1), out=none, where=known.any(axis=1))),
        np.where(both, for_a.sum(axis=1) / 2, np.nan),
    )


def sign_test(values: ArrayLike) -> float | None:
    """Exact two-sided binomial test that values above and below 0 are equally likely; zeros do not count."""
    # With one number per pair it holds whatever the votes of one pair have in common.
    x = np.asarray(values, dtype=np.float64)
    x = x[~np.isnan(x)]
    if x.size == 0:
        return None
    above, n = int((x > 0).sum()), int((x != 0).sum())
    fewer = min(above, n - above)
    return min(1.0, 2 * float(special.bdtr(fewer, n, 0.5))) if n else 1.0


def seat_test(votes: ArrayLike, *, n_permutations: int = 9999, rng: np.random.Generator) -> float | None:
    """Test whether verdicts depend on the seats at all: the votes of a pair divided at random between orders.

    Under no effect any division was as likely as the one seen. One-sided: the mean flip excess is large.
    """
    c = checked_votes(votes)
    c = c[(c.sum(axis=2) >= 2).all(axis=1)]
    if not len(c):
        return None
    observed = float(seat_numbers(c).flip_excess.sum())
    # The excess does not depend on which answer is called A, so neither may the draws: pairs that differ in
    # the names of orders and verdicts alone are of one kind.
    ways = ((sorted(zip(*pair, strict=True)), sorted(zip(*pair[::-1], strict=True))) for pair in c.tolist())
    kinds = sorted(Counter(tuple(max(both)) for both in ways).items())
    drawn = np.zeros(n_permutations)
    for kind, count in kinds:
        excess = seat_numbers(_divisions(np.array(kind).T, rng)).flip_excess
        for _ in range(count):
            drawn += excess[rng.integers(0, excess.size, n_permutations)]
    # sums of the same numbers in another order differ in their last digits
    return (1 + int((drawn >= observed - 1e-9).sum())) / (1 + n_permutations)


def _divisions(votes: Floats, rng: np.random.Generator) -> Floats:
    """Return the ways to divide the votes of a pair between the orders, each as often as it occurs."""
    # Where too many, votes are drawn without replacement: vote by vote, or of very many only how many of each
    # verdict.
    sizes, given = votes.sum(axis=1).astype(int), votes.sum(axis=0).astype(int)
    n = int(sizes.sum())
    if n > MOST_LISTED:
        first = rng.multivariate_hypergeometric(given, int(sizes[0]), size=MOST_SPLITS, method="marginals")
        return np.stack([first, given - first], axis=1).astype(np.float64)
    verdicts = np.repeat([0, 1, 2], given)
    if special.comb(n, sizes[0]) <= MOST_SPLITS:
        picked = np.array(list(combinations(range(n), int(sizes[0]))))
    else:
        picked = np.argsort(rng.random((MOST_SPLITS, n)), axis=1)[:, : sizes[0]]
    first = np.stack([(verdicts[picked] == verdict).sum(axis=1) for verdict in range(3)], axis=1)
    return np.stack([first, given - first], axis=1).astype(np.float64)


def checked_votes(votes: ArrayLike) -> Floats:
    """Return counts of shape (pairs, 2, 3)."""
    c = np.asarray(votes, dtype=np.float64)
    if c.ndim != 3 or c.shape[1:] != (2, 3) or not (c >= 0).all():
        raise OptionError("votes are counts of shape (pairs, 2, 3): order by verdict (A, B, tie)")
    return c


_MOST_STEPS, _SMALL, _SEPARATED = 60, 1e-12, 30.0
"""Newton steps at most, when they end, and the log odds beyond which a fit has no finite maximum."""


@dataclass(frozen=True, slots=True)
class LogisticLine:
    """Log odds as a line: intercept and slope with their standard errors."""

    intercept: float
    slope: float
    intercept_se: float
    slope_se: float
    df: float
    n_clusters: int

    @property
    def p_value(self) -> float:
        """Of no slope; it agrees with the interval at every level."""
        return float(2 * special.stdtr(self.df, -abs(self.slope) / self.slope_se)) if self.slope_se else 0.0

    def interval(self, level: float = 0.95) -> Interval:
        """Return the interval of the slope."""
        reach = float(special.stdtrit(self.df, 0.5 + level / 2)) * self.slope_se
        method = f"cluster-robust (CR1), t with {number(self.df, 0)} degrees of freedom"
        return Interval(self.slope - reach, self.slope + reach, level, method)


def logistic_line(
    successes: ArrayLike, trials: ArrayLike, x: ArrayLike, clusters: ArrayLike | None = None
) -> LogisticLine:
    r"""Fit log odds of success as a line in x, by maximum likelihood with a cluster-robust sandwich.

    .. math:: V = A^{-1} \Big(\sum_c s_c s_c^T\Big) A^{-1} \cdot \frac{G}{G-1} \cdot \frac{N-1}{N-2}

    A is the information, :math:`s_c` the score of cluster c. Liang & Zeger (1986), Biometrika, 73, 13-22.
    """
    k, n, z = (finite_vector(values) for values in (successes, trials, x))
    if not (k.size == n.size == z.size) or (k < 0).any() or (k > n).any():
        raise OptionError("a logistic line needs as many successes, trials and predictors")
    used = n > 0
    k, n, z = k[used], n[used], z[used]
    labels = None if clusters is None else np.asarray(clusters)[used]
    codes, sizes = cluster_codes(labels, k.size)
    if sizes.size < 3:
        raise UndefinedError(f"{sizes.size} clusters; at least 3 are needed")
    if np.ptp(z) == 0:
        raise UndefinedError("the predictor does not vary")
    if k.sum() in (0, n.sum()):
        raise UndefinedError("every trial ended alike")
    design = np.column_stack([np.ones_like(z), z])
    beta = _fitted(k, n, design)
    p = special.expit(design @ beta)
    bread = np.linalg.inv((design.T * (n * p * (1 - p))) @ design)
    scores = design * (k - n * p)[:, None]
    if codes is not None:
        scores = np.stack([np.bincount(codes, weights=column) for column in scores.T], axis=1)
    g, total = sizes.size, float(n.sum())
    meat = scores.T @ scores * (g / (g - 1)) * ((total - 1) / (total - 2))
    variance = np.diag(bread @ meat @ bread)
    errors = np.sqrt(variance)
    return LogisticLine(float(beta[0]), float(beta[1]), float(errors[0]), float(errors[1]), g - 1.0, g)


def _fitted(k: Floats, n: Floats, design: Floats) -> Floats:
    """Climb to the maximum by Newton's steps, halved where they overshoot."""
    beta = np.zeros(2)
    reached = _likelihood(beta, k, n, design)
    for _ in range(_MOST_STEPS):
        p = special.expit(design @ beta)
        information = (design.T * (n * p * (1 - p))) @ design
        if np.linalg.cond(information) > 1e14:
            break
        step = np.linalg.solve(information, design.T @ (k - n * p))
        while _likelihood(beta + step, k, n, design) < reached - _SMALL * abs(reached):
            step = step / 2
        beta = beta + step
        reached = _likelihood(beta, k, n, design)
        if np.abs(design @ beta).max() > _SEPARATED:
            break
        if np.abs(step).max() < _SMALL * max(1.0, float(np.abs(beta).max())):
            return np.asarray(beta)
    raise UndefinedError("the predictor tells all outcomes apart, so that the slope has no finite value")


def _likelihood(beta: Floats, k: Floats, n: Floats, design: Floats) -> float:
    eta = design @ beta
    return float(np.sum(k * eta - n * np.logaddexp(0.0, eta)))
