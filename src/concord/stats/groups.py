"""Groups as runs of the last axis: where they begin, their sums and means.

The layout is that of ``numpy.ufunc.reduceat``: group g holds the units from ``starts[g]`` to the next start.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats

Integers = NDArray[np.intp]


def group_starts(*keys: ArrayLike) -> Integers:
    """Where runs of equal keys begin, for the ``starts`` of the grouped forms.

    Parameters
    ----------
    keys
        One or more index arrays of one length, each sorted; a run ends where any of them changes.

    Returns
    -------
    array
        The first position of every run, beginning with 0 (empty for empty keys).

    References
    ----------
    The layout is that of ``numpy.ufunc.reduceat``.

    Examples
    --------
    >>> group_starts([0, 0, 1, 1], [0, 0, 0, 1]).tolist()
    [0, 2, 3]
    """
    columns = [np.asarray(key) for key in keys]
    if len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
        raise OptionError("group keys must be one-dimensional and of one length")
    if columns[0].size == 0:
        return np.zeros(0, dtype=np.intp)
    changes = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.concatenate([[0], np.flatnonzero(changes) + 1]).astype(np.intp)


def mean_groups(values: ArrayLike, starts: ArrayLike) -> Floats:
    """Plain mean of every group, undefined units left out: findings to studies, studies to a benchmark.

    Parameters
    ----------
    values
        Shape (..., T); NaN is undefined.
    starts
        Where each group begins, as from `group_starts`.

    Returns
    -------
    array
        Shape (..., G); NaN for a group with no defined unit.

    References
    ----------
    The layout is that of ``numpy.ufunc.reduceat``.

    Examples
    --------
    >>> mean_groups([1.0, 3.0, float("nan"), 5.0], [0, 2]).tolist()
    [2.0, 5.0]
    """
    units = np.asarray(values, dtype=np.float64)
    begin = checked_starts(starts, units)
    defined = ~np.isnan(units)
    count = sums(defined.astype(np.float64), begin)
    return quotient(sums(np.where(defined, units, 0.0), begin), count)


def checked_starts(starts: ArrayLike, values: Floats) -> Integers:
    """Group starts that begin with 0 and rise inside the last axis (reduceat would accept others)."""
    begin = np.asarray(starts, dtype=np.intp)
    length = values.shape[-1] if values.ndim else 0
    if (
        begin.ndim != 1
        or begin.size == 0
        or begin[0] != 0
        or np.any(np.diff(begin) < 1)
        or begin[-1] >= length
    ):
        raise OptionError(f"group starts must rise from 0 inside the {length} units, got {begin.tolist()}")
    return begin


def sums(values: Floats, begin: Integers) -> Floats:
    """Sum of every group along the last axis."""
    return np.add.reduceat(values, begin, axis=-1)


def quotient(above: Floats, below: Floats) -> Floats:
    """Quotient, NaN where the divisor is not positive."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


def one_group(units: Floats, pool: Callable[[Floats], Floats]) -> float | Floats:
    """Pool the whole last axis as one group; a single undefined answer raises."""
    if units.ndim == 0:
        raise OptionError("pooling needs an array of units, got a scalar")
    pooled = pool(units)[..., 0] if units.shape[-1] else np.full(units.shape[:-1], np.nan)
    if pooled.ndim:
        return pooled
    if np.isnan(pooled):
        raise UndefinedError("there is no defined unit to pool")
    return float(pooled)
