"""Slow integrals for the oracle: every one straight from its definition, none through the library.

Plain trapezoid sums over the whole line: for integrands that are smooth and vanish at both ends they
converge faster than any power of the step.
"""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import special

LogFunction = Callable[[float], float]


def log_sum(logs: list[float]) -> float:
    """Log of a sum of exponentials."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(value - top) for value in logs))


def log_integral(log_f: LogFunction, low: float, high: float, step: float) -> float:
    """Log of the integral of exp(log_f) by the trapezoid rule, both ends negligible."""
    count = math.ceil((high - low) / step)
    return log_sum([log_f(low + i * step) for i in range(count + 1)]) + math.log(step)


@cache
def log_jzs(a: float, m: float, p: float, s: float, d: float) -> float:
    """Log BF10 = log of the integral of (1+ag)^((M-p)/2) (1+aqg)^(-M/2) IG(g; 1/2, 1/2), g = e^x."""
    q, r2 = d / (s + d), s / (s + d)

    def log_f(x: float) -> float:
        g = math.exp(x)
        fit = 0.5 * m * math.log1p(a * r2 * g / (1 + a * q * g))
        return fit - 0.5 * p * math.log1p(a * g) - 0.5 * x - 0.5 / g - 0.5 * math.log(2 * math.pi)

    return log_integral(log_f, -5.0, 90.0, 1 / 16)


@cache
def jzs_positive(scale: float, size: float, df: float, t: float) -> float:
    """P(delta > 0 | t): a Cauchy(scale) prior times the noncentral t density with ncp delta sqrt(size)."""
    half = {sign: _log_half_cauchy(scale, size, df, sign * t) for sign in (1, -1)}
    return float(special.expit(half[1] - half[-1]))


def _log_half_cauchy(scale: float, size: float, df: float, t: float) -> float:
    """Log of the integral over delta > 0 of Cauchy(delta) x density of t, constants left out."""
    # noncentral t: density ∝ ∫ u^df exp(-u²/2 - (t u/sqrt(df) - ncp)²/2) du, here with u = e^w
    slope = t / math.sqrt(df)
    centre = 0.5 * math.log((df + 1) / (1 + slope * slope))
    left = 10 / math.sqrt(df) + 45 / (df + 1)
    w = centre + np.arange(
        -left, 10 / math.sqrt(df) + 2.5, min(0.08, 0.2 / math.sqrt(df), 0.25 / (1 + abs(t)))
    )
    u = np.exp(w)
    weight = (df + 1) * w - 0.5 * u * u

    widest = math.sqrt(1 + slope * slope) / math.sqrt(size)
    reach = abs(t) / math.sqrt(size) + 12 * widest

    def log_f(y: float) -> float:
        delta = reach * math.exp(y - math.exp(-y))
        inner = weight - 0.5 * (slope * u - delta * math.sqrt(size)) ** 2
        top = float(inner.max())
        density = top + math.log(float(np.exp(inner - top).sum()))
        prior = -math.log1p((delta / scale) ** 2)
        return density + prior + y - math.exp(-y) + math.log1p(math.exp(-y))

    return log_integral(log_f, -3.8, 0.6, min(0.04, 0.25 / (1 + abs(t))))


@cache
def kernel_positive(a: float, m: float, d: float, t: float) -> float:
    """P(delta > 0) when the degrees of freedom are not those of a t test: Student tails averaged over g."""
    q, r2 = d / (t * t + d), t * t / (t * t + d)
    above, logs = [], []
    for i in range(round(95 * 16)):
        g = math.exp(-5 + i / 16)
        fit = 0.5 * m * math.log1p(a * r2 * g / (1 + a * q * g))
        logs.append(fit - 0.5 * math.log1p(a * g) - 0.5 * math.log(g) - 0.5 / g)
        s = a * g / (1 + a * g)
        above.append(float(special.stdtr(m, t * math.sqrt(s * m / (d + (1 - s) * t * t)))))
    top = max(logs)
    mass = [math.exp(value - top) for value in logs]
    return math.fsum(w * p for w, p in zip(mass, above, strict=True)) / math.fsum(mass)


@cache
def correlation_halves(r: float, n: float) -> tuple[float, float]:
    """Log of BF(rho > 0) / 2 and BF(rho < 0) / 2 under a uniform prior on (-1, 1).

    Density of r given rho (Hotelling 1953): ∝ (1-rho²)^((n-1)/2) ∫ (cosh w - rho r)^-(n-1) dw, w > 0.
    """
    null = _log_hotelling(1.0, n)
    return _log_half_rho(r, n) - null - math.log(2), _log_half_rho(-r, n) - null - math.log(2)


def _log_hotelling(gap: float, n: float) -> float:
    """Log of the integral over the whole line of (cosh w - rho r)^-(n-1), gap = 1 - rho r."""
    width = math.sqrt(gap) * 2 / math.sqrt(n)  # about the width of the peak
    x = np.arange(-14, 14.001, 1 / 16)
    w = np.minimum(np.abs(width * np.sinh(x)), 300.0)
    # cosh w - rho r = 2 sinh²(w/2) + gap
    logs = -(n - 1) * np.log1p(2 * np.sinh(w / 2) ** 2 / gap) + np.log(np.cosh(x)) + math.log(width)
    return -(n - 1) * math.log(gap) + math.log(float(np.exp(logs).sum()) / 16)


def _log_half_rho(r: float, n: float) -> float:
    """Log of the integral over rho > 0 of the density, rho = tanh eta, eta = exp(y - exp(-y))."""

    def log_f(y: float) -> float:
        eta = math.exp(y - math.exp(-y))
        squared = -2 * (eta + math.log1p(math.exp(-2 * eta)) - math.log(2))  # log(1 - rho²)
        gap = (1 - r) + r * 2 / (math.exp(2 * eta) + 1)  # 1 - rho r without cancellation
        density = 0.5 * (n - 1) * squared + _log_hotelling(gap, n)
        return density + squared + y - math.exp(-y) + math.log1p(math.exp(-y))

    peak = math.atanh(abs(r)) if abs(r) < 1 else 20.0
    step = min(0.06, 0.25 / (1 + peak * math.sqrt(n)))
    return log_integral(log_f, -3.8, math.log(peak + 60 / math.sqrt(n) + 60 / n), step)


@cache
def first_rate_higher(table: tuple[tuple[float, ...], ...]) -> float:
    """P(Beta(a+1, b+1) > Beta(c+1, d+1)): the sharper density against the cdf of the other, in the logit."""
    (a, b), (c, d) = [[cell + 1 for cell in row] for row in table]
    if 1 / a + 1 / b > 1 / c + 1 / d:
        return 1 - first_rate_higher((table[1], table[0]))
    centre, width = math.log(a / b), math.sqrt(1 / a + 1 / b)
    top = a * math.log(a / (a + b)) + b * math.log(b / (a + b))
    mass, below = [], []
    for i in range(-1200, 1201):
        x = centre + width * i / 20
        mass.append(math.exp(-a * math.log1p(math.exp(-x)) - b * math.log1p(math.exp(x)) - top))
        below.append(mass[-1] * float(special.betainc(c, d, 1 / (1 + math.exp(-x)))))
    return math.fsum(below) / math.fsum(mass)


@cache
def log_contingency(table: tuple[tuple[float, ...], ...], sampling: str) -> float:
    """Gûnel-Dickey with concentration 1, from the marginal likelihoods of each sampling scheme."""
    if sampling == "hypergeom":
        return _log_hypergeom(table)
    if sampling == "indep_cols":
        return log_contingency(tuple(zip(*table, strict=True)), "indep_rows")
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    cells = [cell for row in table for cell in row]
    by_columns = _log_dirichlet(columns, 1.0)
    if sampling == "indep_rows":  # each row uniform on its simplex against one common distribution
        return math.fsum(_log_dirichlet(list(row), 1.0) for row in table) - by_columns
    if sampling == "joint":
        return _log_dirichlet(cells, 1.0) - _log_dirichlet(rows, 1.0) - by_columns
    total, count = sum(cells), len(cells)
    rate = count / total  # poisson: Gamma(1, rate) cells against a Gamma total with independent margins
    freedom = (len(rows) - 1) * (len(columns) - 1)
    effect = math.fsum(math.lgamma(cell + 1) for cell in cells) + freedom * math.log(rate / (1 + rate))
    total_part = math.lgamma(total + count - freedom) - math.lgamma(count - freedom)
    return effect - total_part - _log_dirichlet(rows, 1.0) - by_columns


def _log_dirichlet(counts: list[float], prior: float) -> float:
    """Log of the probability of one sequence with these counts under a symmetric Dirichlet."""
    size = len(counts) * prior
    parts = math.fsum(math.lgamma(count + prior) - math.lgamma(prior) for count in counts)
    return parts + math.lgamma(size) - math.lgamma(size + sum(counts))


def _log_hypergeom(table: tuple[tuple[float, ...], ...]) -> float:
    """Both margins fixed: with concentration 1 every table of the margins is equally probable under H1."""
    (a, b), (c, d) = table
    first, second, left = a + b, c + d, a + c
    low, high = max(0.0, left - second), min(first, left)
    hypergeometric = _log_choose(first, a) + _log_choose(second, c) - _log_choose(first + second, left)
    return -math.log(high - low + 1) - hypergeometric


def _log_choose(n: float, k: float) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
