"""Power of a mean over units, by the normal distribution."""

import numpy as np
from scipy import special

from concord.errors import OptionError
from concord.planning.options import MOST, PlanOptions


def power_of_mean(effect: float, variance: float, alpha: float) -> float:
    """Return how often a two-sided test finds a mean of this size.

    Examples
    --------
    >>> round(power_of_mean(0.28, 0.01, 0.05), 2)
    0.8
    """
    if variance == 0:
        return 1.0
    line = float(special.ndtri(1 - alpha / 2))
    shift = effect / float(np.sqrt(variance))
    return float(special.ndtr(shift - line) + special.ndtr(-shift - line))


def units_needed(effect: float, variance: float, wanted: PlanOptions, units: str) -> int:
    """Return how many units find a mean of this size with the wanted power."""
    line = float(special.ndtri(1 - (1 - wanted.level) / 2)) + float(special.ndtri(wanted.power))
    n = max(2, int(np.ceil(variance * (line / effect) ** 2)))
    if n > MOST:
        raise OptionError(f"more than {MOST:,} {units} would be needed to show {effect:g}")
    return n
