"""Many comparisons at once: adjusted p-values, and which models cannot be distinguished."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.errors import OptionError
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats

_SLACK = 1e-12


def holm(p_values: ArrayLike) -> Floats:
    r"""Holm's adjusted p-values: the family-wise error rate is kept; NaN stays NaN, outside the family.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1) \, p_{(j)})

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics, 6, 65-70.

    Examples
    --------
    >>> [round(p, 9) for p in holm([0.01, 0.04, 0.03, 0.005]).tolist()]
    [0.03, 0.06, 0.06, 0.02]
    """
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    r"""Benjamini and Hochberg's adjusted p-values: the expected share of false discoveries is kept.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min(1, m \, p_{(j)} / j)

    References
    ----------
    Benjamini & Hochberg (1995), JRSS B, 57, 289-300.

    Examples
    --------
    >>> [round(p, 9) for p in benjamini_hochberg([0.01, 0.04, 0.03, 0.005]).tolist()]
    [0.02, 0.04, 0.04, 0.02]
    """

    def upwards(p: Floats) -> Floats:
        scaled = p * p.size / np.arange(1, p.size + 1)
        return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1])

    return _adjusted(p_values, upwards)


def _adjusted(p_values: ArrayLike, rule: Callable[[Floats], Floats]) -> Floats:
    """Apply a rule to the sorted p-values that exist, and put them back in their order."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or np.any((p < 0) | (p > 1)):
        raise OptionError("adjusting needs a vector of p-values between 0 and 1")
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    result = np.full(p.shape, np.nan)
    result[order] = np.minimum(1.0, rule(p[order]))
    return result


def p_by_interval(
    estimate_at: Callable[[float], Estimate], null: float = 0.0, *, least: float = 1e-6
) -> float | None:
    """Return the p-value that agrees with an interval: 1 minus the highest level at which it excludes null.

    Searched between ``least`` and 1 to a thousandth of itself; intervals must widen with their level.
    """

    def excludes(p: float) -> bool:
        found = estimate_at(1 - p).interval
        return found is not None and not found.low <= null <= found.high

    if estimate_at(0.95).interval is None:
        return None
    if excludes(least):
        return least
    low, high = least, 1 - least
    if not excludes(high):
        return 1.0
    while high / low > 1.001:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if excludes(middle) else (middle, high)
    return high


def p_of_reach(distance: float, reach: float, *, level: float, df: float = np.inf) -> float:
    """Return the two-sided p of a value so far from its null that agrees with the reach of its interval."""
    return float(2 * special.stdtr(df, -special.stdtrit(df, 0.5 + level / 2) * abs(distance) / reach))


def shown_of_several(p_values: Sequence[float | None], *, alpha: float = 0.05) -> list[bool]:
    """Which of several claims are made so that any false one among them has a chance of at most alpha.

    One claim is made where its p lies below alpha, several after Holm; one that was not tested is no claim.
    """
    adjusted = holm([np.nan if p is None else p for p in p_values]) if len(p_values) else np.empty(0)
    return [bool(p < alpha) for p in adjusted]


def distinguishable(p_value: float | None, *, level: float) -> bool:
    """Whether p lies below 1 - level, with 1e-12 slack: counted p-values are often exactly that."""
    return p_value is not None and bool(p_value < 1 - level - _SLACK)


def differs(p_value: float | None, interval: Interval | None, *, level: float) -> bool:
    """Whether a difference is claimed: p lies below 1 - level, and its interval, if it has one, holds no 0.

    Signs of few skewed differences find too much (9 to 10 % of exponential ones, 8 to 14 items); the interval
    allows for skewness, and both together keep 5 %.
    """
    held = interval is not None and interval.low <= 0 <= interval.high
    return distinguishable(p_value, level=level) and not held


def indistinguishable(order: Sequence[int], different: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Group models none of whose pairs differ, so that two share a group just when no difference was found.

    The lines of a critical-difference diagram, from best to worst, each as large as it can be. Groups may
    overlap, and one may pass over a model: noise can leave the first and third undecided where the second
    differs from both.

    References
    ----------
    Demsar (2006), Journal of Machine Learning Research, 7, 1-30.
    Piepho (2004), Journal of Computational and Graphical Statistics, 13, 456-466.

    Examples
    --------
    >>> far_apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> indistinguishable([0, 1, 2], far_apart)
    ((0, 1), (1, 2))
    """
    places = list(order)
    alike = ~np.asarray(different, dtype=np.bool_)[np.ix_(places, places)]
    np.fill_diagonal(alike, val=True)
    shown = np.zeros_like(alike)
    groups: set[tuple[int, ...]] = set()
    for first in range(len(places)):
        for second in range(first, len(places)):
            if alike[first, second] and not shown[first, second]:
                group = _grown(alike, first, second)
                shown[np.ix_(group, group)] = True
                groups.add(tuple(group))
    return tuple(tuple(places[i] for i in group) for group in sorted(groups))


def _grown(alike: NDArray[np.bool_], first: int, second: int) -> list[int]:
    """Enlarge a pair by every model that is like all members so far, those behind the first before others."""
    members = {first, second}
    fits = alike[first] & alike[second]
    for other in (*range(first + 1, len(alike)), *range(first)):
        if fits[other]:
            members.add(other)
            fits &= alike[other]
    return sorted(members)
