"""Log Bayes factors of contingency tables (Gûnel & Dickey 1974) and the direction of a 2 x 2 table."""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaln, gammaln, logsumexp

from concord.errors import OptionError
from concord.stats.elementwise import Bools, Floats, broadcast, shaped, where_defined

SAMPLINGS = ("joint", "indep_rows", "indep_cols", "poisson", "hypergeom")
_UNDEFINED = "a contingency table needs non-negative counts with a positive total"


def _log_dirichlet(counts: Floats, prior: Floats, axes: tuple[int, ...]) -> Floats:
    """Log of the Dirichlet-multinomial factor B(counts + prior) / B(prior) over some axes."""
    cells = (gammaln(counts + prior) - gammaln(prior)).sum(axis=axes)
    totals = gammaln(prior.sum(axis=axes)) - gammaln((counts + prior).sum(axis=axes))
    return np.asarray(cells + totals)


class _Margins:
    """Row and column totals of tables with the prior of independence on each."""

    def __init__(self, tables: Floats, a: float) -> None:
        rows, columns = tables.shape[-2:]
        self.rows = tables.sum(axis=-1)
        self.columns = tables.sum(axis=-2)
        # xi: margins of the independence prior, matched to concentration a (Gûnel & Dickey 1974, eq. 4.7)
        self.xi_rows = np.full_like(self.rows, columns * a - (columns - 1))
        self.xi_columns = np.full_like(self.columns, rows * a - (rows - 1))
        self.log_rows = _log_dirichlet(self.rows, self.xi_rows, (-1,))
        self.log_columns = _log_dirichlet(self.columns, self.xi_columns, (-1,))


def _joint(tables: Floats, a: float) -> Floats:
    margins = _Margins(tables, a)
    cells = _log_dirichlet(tables, np.full_like(tables, a), (-2, -1))
    return np.asarray(cells - margins.log_rows - margins.log_columns)


def _indep_rows(tables: Floats, a: float) -> Floats:
    """Row totals fixed: each row its own distribution against one common distribution."""
    each = _log_dirichlet(tables, np.full_like(tables, a), (-1,)).sum(axis=-1)
    return np.asarray(each - _Margins(tables, a).log_columns)


def _indep_cols(tables: Floats, a: float) -> Floats:
    return _indep_rows(np.swapaxes(tables, -1, -2), a)


def _poisson(tables: Floats, a: float) -> Floats:
    """Nothing fixed: Gamma(a, rate b) cells against a Gamma total split by independent margins."""
    rows, columns = tables.shape[-2:]
    cells, total = rows * columns, tables.sum(axis=(-2, -1))
    rate = cells * a / total
    independent = cells * a - (rows - 1) * (columns - 1)
    log_cells = (gammaln(tables + a) - gammaln(a)).sum(axis=(-2, -1))
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
    if tables.shape[-2:] != (2, 2):
        raise OptionError(
            "sampling 'hypergeom' is for 2 x 2 tables; use 'joint', 'indep_rows' or 'indep_cols'"
        )
    return np.array([_hypergeom_one(table, a) for table in tables])


_RULES = {
    "joint": _joint,
    "indep_rows": _indep_rows,
    "indep_cols": _indep_cols,
    "poisson": _poisson,
    "hypergeom": _hypergeom,
}


def _tables(table: ArrayLike) -> tuple[Floats, Bools, tuple[int, ...]]:
    """Give tables as N x R x C, which of them are defined, and the leading shape."""
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
        raise OptionError(f"concentration is {a!r}; {shape} need more than {least:.4g}")


def log_bf_contingency(
    table: ArrayLike, *, sampling: str = "joint", concentration: float = 1.0
) -> Floats | float:
    r"""Gûnel-Dickey log Bayes factor of dependence against independence.

    Cells have a Dirichlet (or Gamma) prior of concentration `a`; independence has the margins
    :math:`\xi_{row} = Ca - (C - 1)`, :math:`\xi_{col} = Ra - (R - 1)`; the Poisson rate is
    :math:`b = RCa/n`.

    Parameters
    ----------
    table
        Counts, shape ``... x R x C``.
    sampling
        What was fixed by design: ``joint`` (the total), ``indep_rows`` (row totals), ``indep_cols``
        (column totals), ``poisson`` (nothing), ``hypergeom`` (both margins, 2 x 2 only).
    concentration
        The prior's `a`, 1 by default.

    References
    ----------
    Gûnel, E., & Dickey, J. (1974). Bayes factors for independence in contingency tables. Biometrika,
    61, 545-557.
    Jamil, T., Ly, A., Morey, R. D., Love, J., Marsman, M., & Wagenmakers, E.-J. (2017). Default "Gunel
    and Dickey" Bayes factors for contingency tables. Behavior Research Methods, 49, 638-652.

    Examples
    --------
    >>> round(float(np.exp(log_bf_contingency([[3, 4], [6, 9]]))), 7)
    0.6530989
    >>> round(float(np.exp(log_bf_contingency([[50, 48], [21, 41]], sampling="indep_cols"))), 2)
    1.81
    """
    if sampling not in _RULES:
        raise OptionError(f"sampling is {sampling!r}; expected one of {', '.join(SAMPLINGS)}")
    tables, defined, shape = _tables(table)
    _check_concentration(concentration, sampling, *tables.shape[-2:])
    rule = _RULES[sampling]
    values = where_defined(defined, lambda t: rule(t, concentration), tables)
    return shaped(values, shape, _UNDEFINED)


def prob_first_rate_higher(k1: ArrayLike, n1: ArrayLike, k2: ArrayLike, n2: ArrayLike) -> Floats | float:
    r"""Probability that rate 1 exceeds rate 2, both with uniform priors: two independent Beta posteriors.

    :math:`P(\mathrm{Beta}(k_1+1, n_1-k_1+1) > \mathrm{Beta}(k_2+1, n_2-k_2+1))`, exact: a finite sum over
    the smallest cell, or quadrature over one posterior when every cell is large.

    Parameters
    ----------
    k1, n1, k2, n2
        Successes and trials of each group.

    References
    ----------
    Altham, P. M. E. (1969). Exact Bayesian analysis of a 2 x 2 contingency table, and Fisher's "exact"
    significance test. Journal of the Royal Statistical Society B, 31, 261-269.

    Examples
    --------
    >>> round(prob_first_rate_higher(5, 10, 5, 10), 12)
    0.5
    >>> round(prob_first_rate_higher(9, 10, 5, 10), 4)
    0.9683
    """
    columns, shape = broadcast(k1, n1, k2, n2)
    defined = (columns[0] >= 0) & (columns[0] <= columns[1]) & (columns[2] >= 0) & (columns[2] <= columns[3])
    defined &= np.isfinite(columns[1]) & np.isfinite(columns[3])
    return shaped(
        where_defined(defined, _prob_higher, *columns), shape, "rates need 0 <= k <= n in both groups"
    )


_SUMMED = 64
"""Cells up to this size are summed exactly; above it both posteriors are close to normal in the logit."""


def _prob_higher(k1: Floats, n1: Floats, k2: Floats, n2: Floats) -> Floats:
    a, b, c, d = k1 + 1, n1 - k1 + 1, k2 + 1, n2 - k2 + 1
    smallest = np.min([a, b, c, d], axis=0)
    whole = (k1 == np.round(k1)) & (k2 == np.round(k2)) & (n1 == np.round(n1)) & (n2 == np.round(n2))
    summed = whole & (smallest <= _SUMMED)
    values = np.empty_like(a)
    values[summed] = _exact_sum(a[summed], b[summed], c[summed], d[summed])
    values[~summed] = _quadrature(a[~summed], b[~summed], c[~summed], d[~summed])
    return values


def _exact_sum(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """P(Beta(a, b) > Beta(c, d)), written in whichever of four equal ways sums over the fewest terms.

    P = S(a,b,c,d) = S(d,c,b,a) = 1 - S(c,d,a,b) = 1 - S(b,a,d,c), S summing over its first argument.
    """
    ways = np.array([[a, b, c, d], [d, c, b, a], [c, d, a, b], [b, a, d, c]])
    which = np.argmin(ways[:, 0], axis=0)
    first, second, third, fourth = ways[which, :, np.arange(len(a))].T
    # S = Σ_i T_i, T_0 = B(c, b + d)/B(c, d), T_(i+1)/T_i = (c + i)/(c + i + b + d) · (b + i)/(1 + i)
    i = np.arange(_SUMMED - 1, dtype=np.float64).reshape(-1, 1)
    ratio = (third + i) / (third + i + second + fourth) * ((second + i) / (1 + i))
    start = betaln(third, second + fourth) - betaln(third, fourth)
    terms = np.concatenate([start[np.newaxis], start + np.cumsum(np.log(ratio), axis=0)])
    counted = np.arange(_SUMMED).reshape(-1, 1) < first
    total = np.where(counted, np.exp(terms), 0.0).sum(axis=0)
    return np.asarray(np.clip(np.where(which < 2, total, 1 - total), 0.0, 1.0))


@cache
def _legendre() -> tuple[Floats, Floats]:
    """Points and weights of the rule, as columns; finding them takes longer than using them."""
    nodes, weights = np.polynomial.legendre.leggauss(96)
    return nodes.reshape(-1, 1), weights.reshape(-1, 1)


def _quadrature(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """P(Beta(a, b) > Beta(c, d)): the sharper posterior is integrated, since its cdf would be a step."""
    swap = 1 / c + 1 / d < 1 / a + 1 / b
    sharp = _density_over_cdf(*(np.where(swap, x, y) for x, y in ((c, a), (d, b), (a, c), (b, d))))
    return np.where(swap, 1 - sharp, sharp)


def _density_over_cdf(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Integrate the density of the first logit against the cdf of the second, peak ± 10 deviations."""
    nodes, weights = _legendre()
    centre, reach = np.log(a) - np.log(b), 10 * np.sqrt(1 / a + 1 / b) + 30 / a + 30 / b
    logit = centre + reach * nodes
    density = -a * np.log1p(np.exp(-logit)) - b * np.log1p(np.exp(logit)) - betaln(a, b)
    mass = weights * np.exp(density - density.max(axis=0))
    below = betainc(c, d, 1 / (1 + np.exp(-logit)))
    return np.asarray((mass * below).sum(axis=0) / mass.sum(axis=0))
