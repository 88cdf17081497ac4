"""The spread of correlated means (units by conditions): its distribution, limits, two spreads compared.

How far a condition moves the score may differ by unit (a random slope): the noise of the means is then
largest in the very direction in which they differ, and a limit that takes it to be alike is too narrow.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.errors import UndefinedError
from concord.stats.elementwise import Floats

_NODES = np.sinh(np.linspace(-4.0, 4.0, 161))
"""Standardised noise along the means' own direction, dense where it is likely."""
_TAILS = np.geomspace(1e-9, 0.5, 60)
"""Tail probabilities at which limits are kept for comparisons."""
_STILL = 1e-24
_ROUNDING = 1e-12
"""Shares of variance below this are rounding."""
_Limits = tuple[Floats | float, Floats | float]


@dataclass(frozen=True)
class MeansSpread:
    r"""Squared length of the centred means, and the noise in it.

    With centred means :math:`\hat m`, their direction u and the covariance S of units' centred scores,

    .. math:: |\hat m|^2 \approx \left(|m| + t_{n-1} \sqrt{u'Su/n}\right)^2 + c\,F_{f,(n-1)f}

    where the second term has mean :math:`(\operatorname{tr} S - u'Su)/n` and the variance of the noise
    orthogonal to u.
    """

    n_units: int
    n_conditions: int
    length2: float
    along: float
    """Variance of the mean along its own direction."""
    rest: float
    rest_half_variance: float

    @property
    def tau(self) -> float:
        """Standard deviation of the true means; 0 where they differ by less than noise would make them."""
        noise = self.along + self.rest
        return float(np.sqrt(max(0.0, (self.length2 - noise) / (self.n_conditions - 1))))

    def below(self, length2: float, length: float) -> float:
        """Return the probability of a squared length up to this one where the true length is ``length``."""
        if self.rest_half_variance == 0:  # two conditions differ in one direction only
            ends = (np.array([1.0, -1.0]) * np.sqrt(length2) - length) / np.sqrt(self.along)
            high, low = special.stdtr(self.n_units - 1, ends)
            return float(high - low)
        left = length2 - (length + np.sqrt(self.along) * _NODES) ** 2
        f = self.rest**2 / self.rest_half_variance
        inside = special.fdtr(f, (self.n_units - 1) * f, np.maximum(left, 0.0) / self.rest)
        return float(self._weights @ inside)

    def low(self, tail: float) -> float:
        """Return the lower limit of tau: a spread below it gives such a length in less than ``tail``."""
        return self._limit(self.length2, 1 - tail)

    def high(self, tail: float) -> float:
        """Return the upper limit of tau; a length below the median of no spread counts as that median."""
        return self._limit(max(self.length2, self._median), tail)

    def ends(self, level: float) -> tuple[float, float]:
        """Return the ends of an interval of tau that holds it equally often for every true spread."""
        # No length excludes a spread below the limit of the median of no spread: such spreads are excluded
        # from below with both tails. With equal tails 97.5 % of intervals would hold a spread of 0.
        tail = (1 - level) / 2
        never_excluded = self._limit(self._median, tail)
        low = self.low(2 * tail)
        if low > never_excluded:
            low = max(self.low(tail), never_excluded)
        return low, self.high(tail)

    def _limit(self, length2: float, probability: float) -> float:
        known = self._limits_found.get((length2, probability))
        if known is None:
            found = _root(lambda length: self.below(length2, length) - probability, float(np.sqrt(length2)))
            known = self._limits_found[length2, probability] = found / float(np.sqrt(self.n_conditions - 1))
        return known

    @cached_property
    def _limits_found(self) -> dict[tuple[float, float], float]:
        """Limits that were asked for: a spread is compared with those of all other models."""
        return {}

    @cached_property
    def _weights(self) -> Floats:
        df = self.n_units - 1
        weights = (1 + _NODES**2 / df) ** (-(df + 1) / 2) * np.gradient(_NODES)
        return np.asarray(weights / weights.sum())

    @cached_property
    def _median(self) -> float:
        """Squared length that means without any spread exceed in half of all samples."""
        start = float(np.sqrt(self.along + self.rest))
        return _root(lambda length: 0.5 - self.below(length**2, 0.0), start) ** 2

    @cached_property
    def limits(self) -> tuple[Floats, Floats]:
        """Lower and upper limits at a range of tail probabilities."""
        return (
            np.array([self.low(float(tail)) for tail in _TAILS]),
            np.array([self.high(float(tail)) for tail in _TAILS]),
        )


@dataclass(frozen=True, slots=True)
class StillSpread:
    """The spread of means of units that were all seen to move alike: known but for units not seen."""

    n_units: int
    n_conditions: int
    tau: float

    def low(self, tail: float) -> float:
        """Return the lower limit: units that move otherwise could take this much away."""
        return max(0.0, self.tau - self._unseen(tail))

    def high(self, tail: float) -> float:
        """Return the upper limit."""
        return self.tau + self._unseen(tail)

    def _unseen(self, tail: float) -> float:
        """Largest spread of scores in [0, 1] by a share of units of which n in a row show none in `tail`."""
        share = -math.expm1(math.log(tail) / self.n_units)
        return share / 2 * math.sqrt(self.n_conditions / (self.n_conditions - 1))

    @property
    def limits(self) -> tuple[Floats, Floats]:
        """Lower and upper limits at a range of tail probabilities."""
        return np.array([self.low(t) for t in _TAILS]), np.array([self.high(t) for t in _TAILS])


def spread_of(scores: ArrayLike) -> MeansSpread:
    """Return the spread of the means of conditions."""
    y = np.asarray(scores, dtype=np.float64)
    if y.ndim != 2 or min(y.shape) < 2:
        raise UndefinedError("a spread of means needs at least two units and two conditions")
    n, p = y.shape
    centred = y - y.mean(axis=1, keepdims=True)
    means = centred.mean(axis=0)
    noise = centred - means
    covariance = noise.T @ noise / (n - 1)
    length2, total = float(means @ means), float(np.trace(covariance))
    if total / (p - 1) < _STILL:
        raise UndefinedError("no residual variation: the test and the interval are not defined")
    # means that are all alike have no direction of their own: that of the largest noise is taken
    alike = length2 <= _STILL * total
    u = np.linalg.eigh(covariance)[1][:, -1] if alike else means / np.sqrt(length2)
    towards = covariance @ u
    along = max(0.0, float(u @ towards))  # a variance: rounding may leave it below 0
    half = float(np.sum(covariance**2)) - 2 * float(towards @ towards) + along**2
    rest = total - along
    if rest <= _ROUNDING * total:
        return MeansSpread(n, p, length2, total / n, 0.0, 0.0)
    return MeansSpread(n, p, length2, along / n, rest / n, max(half, (_ROUNDING * total) ** 2) / n**2)


def spread_difference(
    first: MeansSpread | StillSpread,
    second: MeansSpread | StillSpread,
    correlation: float,
    *,
    level: float = 0.95,
) -> tuple[float, tuple[float, float], float]:
    """Return the difference of two spreads, its interval and the p-value of no difference."""
    # The limits are joined with the correlation of their estimates (MOVER, Zou & Donner 2008, Statistics in
    # Medicine, 27, 1693-1702); where one may be 0 its distance to 0 is added whole. p doubles the largest
    # tail that holds 0.
    shift = first.tau - second.tau
    tail = (1 - level) / 2
    ends: list[_Limits] = [(one.low(tail), one.high(tail)) for one in (first, second)]
    low, high = _difference_limits(first, second, correlation, ends)
    lows, highs = _difference_limits(first, second, correlation, [first.limits, second.limits])
    distance = lows if shift > 0 else -highs
    if shift == 0 or distance[-1] <= 0:
        p = 1.0
    elif distance[0] > 0:
        p = 2 * float(_TAILS[0])
    else:
        p = 2 * float(np.exp(np.interp(0.0, np.maximum.accumulate(distance), np.log(_TAILS))))
    return shift, (float(low), float(high)), min(p, 1.0)


def _difference_limits(
    first: MeansSpread | StillSpread,
    second: MeansSpread | StillSpread,
    correlation: float,
    limits: Sequence[_Limits],
) -> tuple[Floats, Floats]:
    """Join limits of both spreads to limits of their difference."""
    down = [np.maximum(0.0, one.tau - low) for one, (low, _) in zip((first, second), limits, strict=True)]
    up = [np.maximum(0.0, high - one.tau) for one, (_, high) in zip((first, second), limits, strict=True)]
    shift = first.tau - second.tau

    def reach(x: Floats, y: Floats) -> Floats:
        return np.asarray(np.sqrt(np.maximum(0.0, x**2 + y**2 - 2 * correlation * x * y)))

    # MOVER takes errors to be normal; those of a spread that may be 0 are all on one side. With squares, 8 to
    # 11 % of intervals lay below the true difference from a model without any spread; with sums, 2 to 4 %.
    lows = [np.asarray(low) for low, _ in limits]
    return (
        shift - np.where(lows[0] == 0, down[0] + up[1], reach(down[0], up[1])),
        shift + np.where(lows[1] == 0, up[0] + down[1], reach(up[0], down[1])),
    )


def _root(excess: Callable[[float], float], start: float) -> float:
    """Find where a falling function crosses 0; 0 where it is never above."""
    if excess(0.0) <= 0:
        return 0.0
    from scipy.optimize import brentq  # loaded when needed: it takes a tenth of a second

    low, high = 0.0, max(start, 1e-12)
    while excess(high) > 0 and high < 1e100:
        low, high = high, 2 * high
    return float(brentq(excess, low, high, xtol=1e-300, rtol=1e-10))


def flip_excess(
    item: NDArray[np.int64], arrangement: NDArray[np.int64], answer: NDArray[np.int64], *, n_items: int
) -> NDArray[np.float64]:
    """Per item, the share of pairs of samples that differ between arrangements minus that within them."""
    # Decoding noise cancels: 0 is expected for any number of samples when the arrangement has no influence.
    # NaN where an item has no pair of one of the two kinds.
    given = answer >= 0
    item, arrangement, answer = item[given], arrangement[given], answer[given]
    per_cell = _squares(n_items, item, arrangement)
    per_cell_answer = _squares(n_items, item, arrangement, answer)
    per_answer = _squares(n_items, item, answer)
    total = np.bincount(item, minlength=n_items).astype(np.float64)
    # twice the number of pairs: within k(k-1), between K^2 - sum k^2; alike pairs likewise per answer
    within, between = per_cell - total, total**2 - per_cell
    alike_within, alike_between = per_cell_answer - total, per_answer - per_cell_answer
    nothing = np.full(n_items, np.nan)
    share_between = np.divide(between - alike_between, between, out=nothing.copy(), where=between > 0)
    share_within = np.divide(within - alike_within, within, out=nothing.copy(), where=within > 0)
    return np.asarray(share_between - share_within)


def flip_excess_of_shares(share: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    r"""Per item, `flip_excess` from the share of right draws (k of each) under every arrangement.

    .. math:: \overline{p_a(1-p_b) + p_b(1-p_a)} - \overline{2 p_a(1-p_a)}\, k/(k-1)
    """
    there = ~np.isnan(share)
    n = there.sum(axis=1).astype(np.float64)
    total, squares = np.nansum(share, axis=1), np.nansum(share**2, axis=1)
    # over ordered pairs a != b: sum p_a (1 - p_b) = n S - S^2 - (S - Q)
    between = 2 * (n * total - total**2 - (total - squares))
    pairs = np.where(n > 1, n * (n - 1), np.nan)
    within = 2 * (total - squares) / np.where(n > 1, n, np.nan) * draws / (draws - 1)
    return np.asarray(between / pairs - within)


def _squares(n_items: int, item: NDArray[np.int64], *parts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum, for each item, the squared counts of its groups."""
    key = item.copy()
    for part in parts:
        key = key * (int(part.max(initial=0)) + 1) + part
    groups, first, counts = np.unique(key, return_index=True, return_counts=True)
    squares = np.bincount(item[first], weights=counts.astype(np.float64) ** 2, minlength=n_items)
    return squares.astype(np.float64)
