"""How near numbers between 0 and 1 lie to the ends of their scale, where intervals need another form."""

import numpy as np
from numpy.typing import ArrayLike

from concord.errors import OptionError
from concord.stats.elementwise import Floats

NEAR, FULL, STRENGTH = 0.10, 0.05, 3.0
"""A unit nearer to an end than NEAR counts, nearer than NEAR - FULL in full; their mean times STRENGTH."""


def ends_weight(values: ArrayLike) -> float:
    """Return how far the interval of numbers between 0 and 1 leans on `bounded_bootstrap`, from 0 to 1.

    Parameters
    ----------
    values
        One number per study, in [0, 1].

    Returns
    -------
    float
        0 where no study is within 0.10 of an end, 1 where a third of them are within 0.05.

    References
    ----------
    The thresholds were chosen by simulation; ``benchmarks/coverage.py`` shows what they give.

    Examples
    --------
    >>> ends_weight([0.5, 0.6, 0.7]), ends_weight([0.5, 0.97, 0.99])
    (0.0, 1.0)
    """
    x = bounded_vector(values)
    return min(1.0, STRENGTH * _nearness(np.minimum(x, 1 - x)))


def ends_lean(values: ArrayLike) -> float:
    """Return towards which end numbers between 0 and 1 lean: 1 the upper, -1 the lower, 0 none or both alike.

    References
    ----------
    The thresholds are those of `ends_weight`.

    Examples
    --------
    >>> ends_lean([0.5, 0.97, 0.99]), ends_lean([0.02, 0.99, 0.5])
    (1.0, 0.0)
    """
    x = bounded_vector(values)
    return float(np.clip(STRENGTH * (_nearness(1 - x) - _nearness(x)), -1.0, 1.0))


def _nearness(distance: Floats) -> float:
    """Return the mean over units of how much each counts as near, from 0 to 1."""
    return float(np.clip((NEAR - distance) / FULL, 0.0, 1.0).mean())


def bounded_vector(values: ArrayLike) -> Floats:
    """Return one number in [0, 1] per unit, at least one unit."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.size == 0 or not ((x >= 0) & (x <= 1)).all():
        raise OptionError("an interval of a bounded mean needs a vector of numbers in [0, 1]")
    return x
