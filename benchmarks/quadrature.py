"""The JZS integral by `scipy.integrate.quad`, one test at a time, to Concord's accuracy (1e-10)."""

import math

from scipy import integrate

LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
ACCURACY = {"epsabs": 0.0, "epsrel": 1e-10, "limit": 200}


def two_sample(t: float, n1: float, n2: float) -> tuple[float, ...]:
    """The constants a, M, p, S, D of a two-sample t test with prior scale root one half."""
    return n1 * n2 / (n1 + n2) * 0.5, n1 + n2 - 1, 1.0, t * t, n1 + n2 - 2


def one_way(f: float, df1: float, df2: float) -> tuple[float, ...]:
    """The same for a balanced one-way analysis of variance with prior scale one half."""
    total = df1 + df2 + 1
    return total / (df1 + 1) * 0.25, total - 1, df1, df1 * f, df2


def log_bf_by_quad(a: float, m: float, p: float, s: float, d: float) -> float:
    """Integrate over g from 0 to infinity, as the papers print it."""
    q = d / (s + d)

    def integrand(g: float) -> float:
        growth = 0.5 * (m - p) * math.log1p(a * g) - 0.5 * m * math.log1p(a * q * g)
        return math.exp(growth - 0.5 / g - 1.5 * math.log(g) - LOG_ROOT_2PI)

    return math.log(integrate.quad(integrand, 0.0, math.inf, **ACCURACY)[0])


def log_bf_by_quad_in_y(a: float, m: float, p: float, s: float, d: float) -> float:
    """Integrate over y = log(1 + 1/(a q g)) up to where it ends: Concord's own change of variable."""
    q, r2 = d / (s + d), s / (s + d)

    def integrand(y: float) -> float:
        x = math.expm1(y)
        shape = 0.5 * (p - 1) * math.log(x) if p > 1 else 0.0
        fall = 0.5 * (m - p) * math.log1p(-r2 * x / (1 + x)) - 0.5 * a * q * x
        return math.exp((1 - 0.5 * p) * y + fall + shape)

    end = math.log1p(2 * 45 / (a * q))
    area = integrate.quad(integrand, 0.0, end, **ACCURACY)[0]
    return 0.5 * math.log(a) - LOG_ROOT_2PI + 0.5 * (m - p - 1) * math.log1p(s / d) + math.log(area)
