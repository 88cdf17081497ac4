"""Log Bayes factors (Gûnel & Dickey 1974) and Pearson's chi-square of contingency tables."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from concord.errors import OptionError, UndefinedError
from concord.number_words import significant
from concord.stats.elementwise import Bools, Floats, cells_first, shaped, where_defined


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """Pearson's statistic of one contingency table, or of many."""

    statistic: Floats | float
    df: int
    """(R - 1)(C - 1), the same for all tables of a batch."""


def chi_square(table: ArrayLike, *, yates: bool = False) -> ChiSquare:
    r"""Pearson's chi-square of contingency tables of shape ...xRxC; undefined with an empty row or column.

    .. math:: \chi^2 = \sum_{ij} \frac{(O_{ij} - E_{ij})^2}{E_{ij}}, \qquad E_{ij} = R_i C_j / n

    `yates` moves each cell of a 2x2 table by up to 1/2 toward its expectation; larger tables are left alone.

    References
    ----------
    Pearson (1900), Philosophical Magazine, 50, 157-175.
    Yates (1934), Supplement to the Journal of the Royal Statistical Society, 1(2), 217-235.

    Examples
    --------
    >>> found = chi_square([[10, 2], [3, 15]])
    >>> round(found.statistic, 4), found.df
    (13.0317, 1)
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


SAMPLINGS = ("joint", "indep_rows", "indep_cols", "poisson", "hypergeom")
_UNDEFINED = "a contingency table needs non-negative counts with a positive total"


LARGEST_LISTED = 100_000
"""Counts up to this are looked up in a list of log Gamma, wherever that is shorter than the counts."""


def _log_gamma(counts: Floats, prior: float) -> Floats:
    """Log Gamma(count + prior): whole counts come again and again, so each is computed once."""
    largest = counts.max(initial=0.0)
    if largest <= min(LARGEST_LISTED, counts.size):
        places = counts.astype(np.intp)
        if np.array_equal(places, counts):
            return np.asarray(gammaln(np.arange(int(largest) + 1) + prior)[places])
    return np.asarray(gammaln(counts + prior))


def _log_dirichlet(counts: Floats, prior: float, axes: tuple[int, ...]) -> Floats:
    """Log of the Dirichlet-multinomial factor B(counts + prior) / B(prior) over some axes."""
    size = int(np.prod([counts.shape[axis] for axis in axes]))
    cells = _log_gamma(counts, prior).sum(axis=axes) - size * gammaln(prior)
    totals = gammaln(size * prior) - _log_gamma(counts.sum(axis=axes), size * prior)
    return np.asarray(cells + totals)


class _Margins:
    """Row and column totals of tables with the prior of independence on each."""

    def __init__(self, tables: Floats, a: float) -> None:
        rows, columns = tables.shape[:2]
        # xi: margins of the independence prior, matched to concentration a (Gûnel & Dickey 1974, eq. 4.7)
        self.log_rows = _log_dirichlet(tables.sum(axis=1), columns * a - (columns - 1), (0,))
        self.log_columns = _log_dirichlet(tables.sum(axis=0), rows * a - (rows - 1), (0,))


# Rules take tables with the cells in front, R x C x N: sums over cells then run along whole vectors.


def _joint(tables: Floats, a: float) -> Floats:
    margins = _Margins(tables, a)
    cells = _log_dirichlet(tables, a, (0, 1))
    return np.asarray(cells - margins.log_rows - margins.log_columns)


def _indep_rows(tables: Floats, a: float) -> Floats:
    """Row totals fixed: each row its own distribution against one common distribution."""
    each = _log_dirichlet(tables, a, (1,)).sum(axis=0)
    return np.asarray(each - _Margins(tables, a).log_columns)


def _poisson(tables: Floats, a: float) -> Floats:
    """Nothing fixed: Gamma(a, rate b) cells against a Gamma total split by independent margins."""
    rows, columns = tables.shape[:2]
    cells, total = rows * columns, tables.sum(axis=(0, 1))
    rate = cells * a / total
    independent = cells * a - (rows - 1) * (columns - 1)
    log_cells = _log_gamma(tables, a).sum(axis=(0, 1)) - cells * gammaln(a)
    log_total = gammaln(total + independent) - gammaln(independent)
    # b^shape / (1 + b)^(total + shape) under each hypothesis; (1 + b)^-total cancels
    shrink = (cells * a - independent) * (np.log(rate) - np.log1p(rate))
    margins = _Margins(tables, a)
    return np.asarray(log_cells + shrink - log_total - margins.log_rows - margins.log_columns)


def _hypergeom_one(table: Floats, a: float) -> float:
    """Both margins fixed, one 2 x 2 table: P(table | margins) ∝ Π Γ(y + a)/y! against Π 1/y!."""
    (row1, row2), column1 = table.sum(axis=1), table[:, 0].sum()
    first = np.arange(max(0.0, column1 - row2), min(row1, column1) + 1)
    cells = np.array([first, row1 - first, column1 - first, row2 - column1 + first])
    null = -gammaln(cells + 1).sum(axis=0)
    weight = gammaln(cells + a).sum(axis=0)
    return float(gammaln(table + a).sum() - logsumexp(null + weight) + logsumexp(null))


def _hypergeom(tables: Floats, a: float) -> Floats:
    if tables.shape[:2] != (2, 2):
        raise OptionError(
            "sampling 'hypergeom' is for 2 x 2 tables; use 'joint', 'indep_rows' or 'indep_cols'"
        )
    if a != 1 or not np.array_equal(tables, np.round(tables)):
        return np.array([_hypergeom_one(table, a) for table in np.moveaxis(tables, -1, 0)])
    # a = 1: every table with these margins is as likely as another, and Σ Π 1/y! = n! / Π (margins)!
    rows, columns = tables.sum(axis=1), tables.sum(axis=0)
    possible = np.minimum(rows[0], columns[0]) - np.maximum(0.0, columns[0] - rows[1]) + 1
    margins = _log_gamma(rows, 1.0).sum(axis=0) + _log_gamma(columns, 1.0).sum(axis=0)
    pooled = _log_gamma(rows.sum(axis=0), 1.0) - margins
    return np.asarray(_log_gamma(tables, 1.0).sum(axis=(0, 1)) + pooled - np.log(possible))


_RULES = {
    "joint": _joint,
    "indep_rows": _indep_rows,
    "indep_cols": lambda tables, a: _indep_rows(np.swapaxes(tables, 0, 1), a),
    "poisson": _poisson,
    "hypergeom": _hypergeom,
}


def _tables(table: ArrayLike) -> tuple[Floats, Bools, tuple[int, ...]]:
    """Return tables as N x R x C, which of them are defined, and the leading shape."""
    tables = np.asarray(table, dtype=np.float64)
    if tables.ndim < 2 or min(tables.shape[-2:]) < 2:
        raise OptionError(f"a contingency table has at least 2 rows and 2 columns, got shape {tables.shape}")
    shape = tables.shape[:-2]
    flat = tables.reshape((-1, *tables.shape[-2:]))
    counts = (np.isfinite(flat) & (flat >= 0)).all(axis=(-2, -1))
    return flat, counts & (flat.sum(axis=(-2, -1)) > 0), shape


def _check_concentration(a: float, sampling: str, rows: int, columns: int) -> None:
    """Refuse a concentration whose independence prior does not exist: its margins must be positive."""
    sizes = {"hypergeom": (), "indep_rows": (rows,), "indep_cols": (columns,)}.get(sampling, (rows, columns))
    least = max((1 - 1 / size for size in sizes), default=0.0)
    if not a > least:
        shape = f"{rows} x {columns} tables under {sampling!r}"
        raise OptionError(f"concentration is {a!r}; {shape} need more than {significant(least, 4)}")


def log_bf_contingency(
    table: ArrayLike, *, sampling: str = "joint", concentration: float = 1.0
) -> Floats | float:
    r"""Gûnel-Dickey log Bayes factor of dependence against independence, of tables ``... x R x C``.

    Cells have a Dirichlet (or Gamma) prior of `concentration` a; independence has the margins
    :math:`\xi_{row} = Ca - (C - 1)`, :math:`\xi_{col} = Ra - (R - 1)`; the Poisson rate is :math:`b = RCa/n`.
    `sampling` says what was fixed: ``joint`` (the total), ``indep_rows``, ``indep_cols`` (their totals),
    ``poisson`` (nothing), ``hypergeom`` (both margins, 2 x 2 only).

    References
    ----------
    Gûnel & Dickey (1974), Biometrika, 61, 545-557.
    Jamil et al. (2017), Behavior Research Methods, 49, 638-652.

    Examples
    --------
    >>> round(float(np.exp(log_bf_contingency([[3, 4], [6, 9]]))), 7)
    0.6530989
    """
    if sampling not in _RULES:
        raise OptionError(f"sampling is {sampling!r}; expected one of {', '.join(SAMPLINGS)}")
    tables, defined, shape = _tables(table)
    _check_concentration(concentration, sampling, *tables.shape[-2:])
    rule = _RULES[sampling]
    values = where_defined(
        defined, lambda some: cells_first(lambda cells: rule(cells, concentration), some), tables
    )
    return shaped(values, shape, _UNDEFINED)
