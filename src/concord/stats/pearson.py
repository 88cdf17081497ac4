"""Pearson's chi-square statistic of contingency tables."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from concord.errors import UndefinedError
from concord.stats.elementwise import Floats, cells_first
from concord.stats.shaping import shaped


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """Pearson's statistic of one contingency table, or of many."""

    statistic: Floats | float
    df: int
    """(R - 1)(C - 1), the same for all tables of a batch."""


def chi_square(table: ArrayLike, *, yates: bool = False) -> ChiSquare:
    r"""Pearson's chi-square of a contingency table.

    .. math:: \chi^2 = \sum_{ij} \frac{(O_{ij} - E_{ij})^2}{E_{ij}}, \qquad E_{ij} = R_i C_j / n

    Parameters
    ----------
    table
        Counts, shape ...xRxC; leading axes are a batch of tables.
    yates
        Move each cell of a 2x2 table by up to 1/2 toward its expectation (Yates). It leaves larger
        tables alone.

    Raises
    ------
    UndefinedError
        A single table with an empty row or column, a negative count or a NaN; fewer than two rows or
        columns in any case. Within a batch such a table is NaN.

    References
    ----------
    Pearson, K. (1900). On the criterion that a given system of deviations from the probable in the case
    of a correlated system of variables is such that it can be reasonably supposed to have arisen from
    random sampling. Philosophical Magazine, 50, 157-175.

    Yates, F. (1934). Contingency tables involving small numbers and the chi-square test. Supplement to
    the Journal of the Royal Statistical Society, 1(2), 217-235.

    Examples
    --------
    >>> found = chi_square([[10, 2], [3, 15]])
    >>> round(found.statistic, 4), found.df
    (13.0317, 1)
    >>> round(chi_square([[10, 2], [3, 15]], yates=True).statistic, 4)
    10.4581
    """
    observed = np.asarray(table, dtype=np.float64)
    if observed.ndim < 2 or min(observed.shape[-2:]) < 2:
        raise UndefinedError(
            f"a contingency table needs two rows and two columns; got shape {observed.shape}"
        )
    shape, size = observed.shape[:-2], observed.shape[-2:]
    corrected = yates and size == (2, 2)
    statistic = cells_first(lambda cells: _statistic(cells, corrected), observed.reshape(-1, *size))
    undefined = "chi-square needs counts >= 0 with no empty row or column"
    return ChiSquare(shaped(statistic, shape, undefined), (size[0] - 1) * (size[1] - 1))


def _statistic(observed: Floats, corrected: bool) -> Floats:
    """Pearson's statistic of R x C x N tables, NaN where a row or column is empty."""
    rows, columns = observed.sum(axis=1), observed.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = rows[:, None] * columns / rows.sum(axis=0)
        gap = np.abs(observed - expected)
        if corrected:
            gap -= np.minimum(0.5, gap)
        gap *= gap
        gap /= expected
    defined = (rows > 0).all(axis=0) & (columns > 0).all(axis=0) & (observed >= 0).all(axis=(0, 1))
    return np.where(defined, gap.sum(axis=(0, 1)), np.nan)
