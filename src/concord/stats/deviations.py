"""How far each arrangement lies from the mean of all, with a band that holds for all of them at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.stats.elementwise import Floats

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
    r"""Compute the mean deviation of every arrangement from its items' own means.

    With :math:`x_{ij}` the score of item *i* under arrangement *j* of *k*,
    :math:`d_{ij} = x_{ij} - \bar{x}_{i\cdot}`; the band is
    :math:`\bar{d}_{\cdot j} \pm t_{n-1}(1 - \alpha/2k)\, s_j/\sqrt{n}`, which covers all *k* at once with
    at least the level (Bonferroni).

    References
    ----------
    Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical Association, 56,
    52-64.

    Examples
    --------
    >>> band = deviation_band([[1, 0], [1, 0], [1, 1], [0, 0]])
    >>> [round(float(v), 2) for v in (*band.values, band.low[0], band.high[0])]
    [0.25, -0.25, -0.35, 0.85]
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
