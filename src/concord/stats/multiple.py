"""Many comparisons at once: adjusted p-values, and which models cannot be told apart."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.errors import OptionError
from concord.stats.elementwise import Floats


def holm(p_values: ArrayLike) -> Floats:
    r"""Holm's adjusted p-values: the family-wise error rate is kept whatever the dependence.

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min(1, (m - j + 1) \, p_{(j)})

    Parameters
    ----------
    p_values
        One p-value a comparison; NaN is a comparison without one and stays NaN, outside the family.

    Returns
    -------
    array
        Adjusted p-values in the given order.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics, 6, 65-70.

    Examples
    --------
    >>> [round(p, 9) for p in holm([0.01, 0.04, 0.03, 0.005]).tolist()]
    [0.03, 0.06, 0.06, 0.02]
    """
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    r"""Benjamini and Hochberg's adjusted p-values: the expected share of false discoveries is kept.

    .. math:: \tilde p_{(i)} = \min_{j \ge i} \min(1, m \, p_{(j)} / j)

    Parameters
    ----------
    p_values
        As in `holm`.

    Returns
    -------
    array
        Adjusted p-values in the given order.

    References
    ----------
    Benjamini, Y., & Hochberg, Y. (1995). Controlling the false discovery rate. Journal of the Royal
    Statistical Society B, 57, 289-300.

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


def indistinguishable(order: Sequence[int], different: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Group neighbours in a ranking none of whose pairs differ, each group as long as it can be.

    The lines of a critical-difference diagram. A model that differs from all others is a group of its own;
    groups may overlap.

    Parameters
    ----------
    order
        Models from best to worst.
    different
        Square and symmetric: whether two models were told apart.

    Returns
    -------
    tuple of tuples
        Groups from best to worst, members in the order of the ranking.

    References
    ----------
    Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
    Learning Research, 7, 1-30.

    Examples
    --------
    >>> far_apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> indistinguishable([0, 1, 2], far_apart)
    ((0, 1), (1, 2))
    """
    groups: list[tuple[int, ...]] = []
    reached = 0
    for begin in range(len(order)):
        end = begin + 1
        while end < len(order) and not different[order[end], list(order[begin:end])].any():
            end += 1
        if end > reached:
            groups.append(tuple(order[begin:end]))
            reached = end
    return tuple(groups)
