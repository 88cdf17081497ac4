"""The oracle's effects: native, with their standard errors and d-equivalents, one `if` a test type."""

import math

from scipy import stats
from tests.people.reference_sides import cells_of, is_f, need, root, two_by_two

from concord.records import Side

Effect = tuple[float | None, float | None, float | None]
"""Native effect, its standard error, its d-equivalent."""
NO_EFFECT: Effect = (None, None, None)


def effect_of(side: Side, test_type: str, direction: int | None, protocol: str) -> Effect:
    if test_type == "t-independent":
        return _two_sample_d(need(side.statistic), need(side.n1), need(side.n2))
    if test_type in ("t-paired", "t-one-sample"):
        return _one_sample_d(need(side.statistic), need(side.n))
    if is_f(test_type):
        return _f_effect(side, test_type, direction)
    if test_type == "correlation":
        return _correlation_effect(need(side.statistic), need(side.n))
    if test_type == "binomial":
        return _proportion_effect(need(side.k), need(side.n), need(side.p0), protocol)
    if test_type == "mann-whitney":
        return _rank_effect(need(side.statistic), need(side.n1), need(side.n2), protocol)
    if two_by_two(side):
        assert side.table is not None
        return _odds_effect([cell for row in side.table for cell in row])
    has_phi = test_type == "chi-square" and side.table is None and side.df1 == 1 and direction in (-1, 1)
    if has_phi and protocol != "published" and side.statistic is not None:
        phi = direction * math.sqrt(min(side.statistic / need(side.n), 1 - 1e-9))  # type: ignore[operator]
        return None, None, 2 * phi / math.sqrt(1 - phi * phi)
    return NO_EFFECT


def _two_sample_d(t: float, n1: float, n2: float) -> Effect:
    d = t * math.sqrt(1 / n1 + 1 / n2)
    return d, math.sqrt((n1 + n2) / (n1 * n2) + d * d / (2 * (n1 + n2))), d


def _one_sample_d(t: float, n: float) -> Effect:
    d = t / math.sqrt(n)
    return d, math.sqrt(1 / n + d * d / (2 * n)), d


def _f_effect(side: Side, test_type: str, direction: int | None) -> Effect:
    f, df1, df2, n = (need(x) for x in (side.statistic, side.df1, side.df2, side.n))
    if df1 > 1:
        r2 = df1 * f / (df1 * f + df2)
        d = 2 * math.sqrt(r2 / (1 - r2))
        return d, math.sqrt(4 / n + d * d / (2 * n)), d
    t = root(side, 1 if direction is None else direction)  # without a sign: a magnitude
    if test_type == "anova":
        return _two_sample_d(t, *cells_of(side))
    if test_type == "anova-within":
        return _one_sample_d(t, df2 + 1)
    return _correlation_effect(t / math.sqrt(t * t + df2), df2 + 2)


def _correlation_effect(r: float, n: float) -> Effect:
    if abs(r) >= 1 - 1e-6:
        return NO_EFFECT
    return math.atanh(r), 1 / math.sqrt(n - 3) if n > 3 else None, 2 * r / math.sqrt(1 - r * r)


def _odds_effect(cells: list[float]) -> Effect:
    if 0 in cells:
        cells = [cell + 0.5 for cell in cells]
    a, b, c, d = cells
    log_or = math.log(a * d / (b * c))
    return log_or, math.sqrt(sum(1 / cell for cell in cells)), log_or * math.sqrt(3) / math.pi


def _rank_effect(u: float, n1: float, n2: float, protocol: str) -> Effect:
    r = 2 * u / (n1 * n2) - 1 if protocol == "published" else 1 - 2 * u / (n1 * n2)
    if abs(r) >= 1 - 1e-6:
        return NO_EFFECT
    if protocol != "refined":
        return r, math.sqrt(1 / n1 + 1 / n2 + r * r / (2 * (n1 + n2))), 2 * r / math.sqrt(1 - r * r)
    area = (1 + r) / 2
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (n1 - 1) * (q1 - area**2) + (n2 - 1) * (q2 - area**2)
    return r, 2 * math.sqrt(spread / (n1 * n2)), math.sqrt(2) * float(stats.norm.ppf(area))


def _proportion_effect(k: float, n: float, p0: float, protocol: str) -> Effect:
    p = k / n
    if protocol == "refined":
        p = (k + 0.5) / (n + 1)
        effect = math.log(p / (1 - p)) - math.log(p0 / (1 - p0))
        return effect, 1 / math.sqrt((n + 1) * p * (1 - p)), effect * math.sqrt(3) / math.pi
    d = 4 * (p - 0.5) if protocol == "published" else 2 * (p - p0) / math.sqrt(p0 * (1 - p0))
    return p, math.sqrt(p * (1 - p) / n), d
