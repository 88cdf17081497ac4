"""Log Bayes factors of a Pearson correlation: exact (Ly et al. 2016) and JZS (Wetzels 2012)."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, gammaln, hyp2f1

from concord.stats import jzs
from concord.stats.bayes import check_alternative
from concord.stats.elementwise import Bools, Floats, broadcast, shaped, where_defined

_SMALL = "a correlation needs |r| <= 1, n >= 3 and kappa > 0"
_DEPTH = 36.0
_NODES = 64
_SERIES_FROM = 60.0
_INSIDE = 1 - 1e-15


def _defined(r: Floats, n: Floats, kappa: Floats) -> Bools:
    return np.asarray((np.abs(r) <= 1) & (n >= 3) & np.isfinite(n) & (kappa > 0) & np.isfinite(kappa))


def _log_series(a: Floats, c: Floats, z: Floats) -> Floats:
    """Log 2F1(a, a; c; z) by its positive series, for c large: terms fall by about a²/c at first."""
    term = np.ones_like(z)
    total = np.ones_like(z)
    for k in range(20_000):
        term = term * ((a + k) / (c + k)) * ((a + k) / (k + 1)) * z
        total += term
        if np.all(term <= 1e-18 * total):
            break
    return np.log(total)


def _log_two_sided(r: Floats, n: Floats, kappa: Floats) -> Floats:
    """Log BF10 of Ly et al., after Euler's transformation."""
    # 2F1((n-1)/2, (n-1)/2; c; r²) = (1-r²)^(c-n+1) 2F1(1/k + 1/2, 1/k + 1/2; c; r²), c = 1/k + n/2.
    c = 1 / kappa + n / 2
    left = c - n + 1  # of the untransformed 2F1: positive, it stays finite up to r² = 1
    constant = (1 - 2 / kappa) * np.log(2) + 0.5 * np.log(np.pi) - betaln(1 / kappa, 1 / kappa)
    ratio = gammaln(c - 0.5) - gammaln(c)
    log_f = np.empty_like(r)
    plain = (left > 0) & (c <= _SERIES_FROM)
    half = 0.5 * (n[plain] - 1)
    log_f[plain] = np.log(hyp2f1(half, half, c[plain], r[plain] ** 2))
    log_f[~plain] = _log_euler(r[~plain], c[~plain], 1 / kappa[~plain] + 0.5, left[~plain])
    return np.asarray(constant + ratio + log_f)


def _log_euler(r: Floats, c: Floats, a: Floats, left: Floats) -> Floats:
    """Log of (1 - r²)^left 2F1(a, a; c; r²), 1 - r² without cancellation."""
    z = r * r
    log_f = np.empty_like(z)
    series = c > _SERIES_FROM
    log_f[series] = _log_series(a[series], c[series], z[series])
    log_f[~series] = np.log(hyp2f1(a[~series], a[~series], c[~series], z[~series]))
    return np.asarray(left * (np.log1p(-np.abs(r)) + np.log1p(np.abs(r))) + log_f)


def _log_perfect(n: Floats, kappa: Floats) -> Floats:
    """Log BF10 at |r| = 1: finite while the exponent c - n + 1 is positive (Gauss's sum), else infinite."""
    c = 1 / kappa + n / 2
    left = c - n + 1
    values = np.full_like(c, np.inf)
    finite = left > 0
    cf, lf, k, nf = c[finite], left[finite], kappa[finite], n[finite]
    gauss = gammaln(cf) + gammaln(lf) - 2 * gammaln(cf - (nf - 1) / 2)
    constant = (1 - 2 / k) * np.log(2) + 0.5 * np.log(np.pi) - betaln(1 / k, 1 / k)
    values[finite] = constant + gammaln(cf - 0.5) - gammaln(cf) + gauss
    return values


def _exact(r: Floats, n: Floats, kappa: Floats) -> Floats:
    perfect = np.abs(r) == 1
    if not perfect.any():
        return _log_two_sided(r, n, kappa)
    values = np.empty_like(r)
    values[perfect] = _log_perfect(n[perfect], kappa[perfect])
    if not perfect.all():
        values[~perfect] = _log_two_sided(r[~perfect], n[~perfect], kappa[~perfect])
    return values


@cache
def _rule() -> tuple[Floats, Floats]:
    """Gauss-Legendre points and weights on [0, 1], as columns; finding them takes longer than using them."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return 0.5 * (nodes.reshape(-1, 1) + 1), 0.5 * weights.reshape(-1, 1)


def _log_half(r: Floats, n: Floats, kappa: Floats) -> Floats:
    """Log of the integral over rho > 0 of likelihood ratio x prior density, in eta = atanh rho."""
    # The density of r given rho (Hotelling 1953) over that at rho = 0 is proportional to (1-rho²)^((n-1)/2)
    # (1 - rho r)^(-(n-3/2)) 2F1(1/2, 1/2; n-1/2; (1 + rho r)/2).
    power = 1 / kappa + 0.5 * (n - 1)

    def height(eta: Floats) -> Floats:
        rho = np.tanh(eta)
        log_cosh = np.abs(eta) + np.log1p(np.exp(-2 * np.abs(eta))) - np.log(2)
        bend = np.log(hyp2f1(0.5, 0.5, n - 0.5, 0.5 * (1 + rho * r)))
        return np.asarray(-2 * power * log_cosh - (n - 1.5) * np.log1p(-rho * r) + bend)

    top = np.where(r > 0, np.arctanh(np.minimum(np.maximum(r, 0.0), 1 - 1e-15)), 0.0)
    floor = height(top) - _DEPTH
    low = _end(height, np.zeros_like(top), top, floor)
    high = _end(height, top + _DEPTH, top, floor)
    nodes, weights = _rule()
    values = height(low + (high - low) * nodes)
    peak = values.max(axis=0)
    mass = (weights * np.exp(values - peak)).sum(axis=0)
    return np.asarray(peak + np.log(mass * (high - low)))


def _end(height: Callable[[Floats], Floats], outside: Floats, inside: Floats, floor: Floats) -> Floats:
    """Bisect for where the integrand has fallen to the floor; stays at `outside` if it never does."""
    # 18 halvings of a range of at most 40 place an end within 2e-4, the width of the peak for n = 1e9.
    for _ in range(18):
        middle = 0.5 * (outside + inside)
        out = height(middle) < floor
        outside = np.where(out, middle, outside)
        inside = np.where(out, inside, middle)
    return np.asarray(outside)


def _log_share(r: Floats, n: Floats, kappa: Floats) -> Floats:
    """Log posterior probability that rho is positive, given H1: exact in both tails."""
    # At |r| = 1 one half of the integral is all of it where the whole is infinite; where it is finite the
    # value just inside stands for the limit.
    certain = (np.abs(r) == 1) & np.isinf(_log_perfect(n, kappa))
    inside = np.where(certain, 0.0, np.clip(r, -_INSIDE, _INSIDE))
    positive = _log_half(inside, n, kappa)
    negative = _log_half(-inside, n, kappa)
    share = -np.logaddexp(0.0, negative - positive)
    return np.where(certain, np.where(r > 0, 0.0, -np.inf), share)


def log_bf_correlation(
    r: ArrayLike, n: ArrayLike, *, kappa: ArrayLike = 1.0, alternative: str = "two-sided"
) -> Floats | float:
    r"""Exact log Bayes factor of a Pearson correlation under a stretched beta prior.

    .. math:: BF_{10} = \frac{2^{(\kappa-2)/\kappa}\sqrt\pi}{B(1/\kappa, 1/\kappa)}
        \frac{\Gamma(\frac{2 + (n-1)\kappa}{2\kappa})}{\Gamma(\frac{2 + n\kappa}{2\kappa})}
        \,{}_2F_1\!\left(\tfrac{n-1}{2}, \tfrac{n-1}{2}; \tfrac{2 + n\kappa}{2\kappa}; r^2\right)

    `kappa` 1 is uniform on (-1, 1), smaller is narrower (R's BayesFactor: 1/3); `alternative` ``greater`` or
    ``less`` cuts the prior at 0 and doubles it.

    References
    ----------
    Ly et al. (2016), Journal of Mathematical Psychology, 72, 19-32.

    Examples
    --------
    >>> round(log_bf_correlation(0.6, 20), 3)
    2.364
    """
    check_alternative(alternative)
    (r_, n_, kappa_), shape = broadcast(r, n, kappa)

    def compute(r: Floats, n: Floats, kappa: Floats) -> Floats:
        if alternative == "two-sided":
            return _exact(r, n, kappa)
        sign = 1.0 if alternative == "greater" else -1.0
        inside = np.clip(r, -_INSIDE, _INSIDE)
        return np.asarray(_exact(inside, n, kappa) + np.log(2) + _log_share(sign * r, n, kappa))

    return shaped(where_defined(_defined(r_, n_, kappa_), compute, r_, n_, kappa_), shape, _SMALL)


def prob_positive_correlation(r: ArrayLike, n: ArrayLike, *, kappa: ArrayLike = 1.0) -> Floats | float:
    """Posterior probability that the correlation is positive, given H1: BF(+0) / (2 BF(10)).

    References
    ----------
    Ly (2016), Journal of Mathematical Psychology, 72, 19-32.

    Examples
    --------
    >>> round(prob_positive_correlation(0.1, 83), 4)
    0.813
    """
    (r_, n_, kappa_), shape = broadcast(r, n, kappa)
    values = where_defined(
        _defined(r_, n_, kappa_), lambda r, n, k: np.exp(_log_share(r, n, k)), r_, n_, kappa_
    )
    return shaped(values, shape, _SMALL)


def log_bf_correlation_wetzels(r: ArrayLike, n: ArrayLike) -> Floats | float:
    """JZS log Bayes factor of a correlation, the regression prior with scale 1.

    References
    ----------
    Wetzels & Wagenmakers (2012), Psychonomic Bulletin & Review, 19, 1057-1064.

    Examples
    --------
    >>> round(log_bf_correlation_wetzels(0.6, 20), 4)
    2.1067
    """
    (r_, n_), shape = broadcast(r, n)
    one = np.ones_like(r_)
    with np.errstate(invalid="ignore"):
        defined = _defined(r_, n_, one)
        perfect = defined & (np.abs(r_) == 1)

    def compute(r: Floats, n: Floats) -> Floats:
        return jzs.log_bf(n, n - 1, np.ones_like(n), r * r, (1 - r) * (1 + r))

    values = where_defined(defined & ~perfect, compute, r_, n_)
    values[perfect] = np.inf  # the integral diverges from n = 3 on
    return shaped(values, shape, _SMALL)
