"""The oracle's reading of the plain facts of a side: direction, p-value, n_eff, cells."""

import math
from functools import cache
from itertools import combinations

from scipy import stats

from concord.records import Side


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


def need(value: float | None) -> float:
    assert value is not None
    return value


def is_f(test_type: str) -> bool:
    return test_type in ("anova", "anova-within", "regression")


def two_by_two(side: Side) -> bool:
    return side.table is not None and len(side.table) == 2 and len(side.table[0]) == 2


def u_z(side: Side) -> float:
    """Mann-Whitney z, group 1 higher positive; U is counted for group 2."""
    if side.z is not None:
        return side.z
    n1, n2 = need(side.n1), need(side.n2)
    return -(need(side.statistic) - n1 * n2 / 2) / math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12)


def root(side: Side, direction: int) -> float:
    return math.copysign(math.sqrt(need(side.statistic)), direction) if direction else 0.0


def cells_of(side: Side) -> tuple[float, float]:
    if side.n1 is not None and side.n2 is not None:
        return side.n1, side.n2
    return need(side.n) / 2, need(side.n) / 2


def chi_square(table: tuple[tuple[float, ...], ...], *, yates: bool) -> tuple[float, float]:
    result = stats.chi2_contingency(table, correction=yates)
    return float(result.statistic), float(result.dof)


def direction_of(side: Side, test_type: str) -> int | None:
    """Sign of the observed effect: from the data where they have one, else as given."""
    if test_type.startswith("t-") or test_type == "correlation":
        return sign(need(side.statistic))
    if test_type == "binomial":
        return sign(need(side.k) / need(side.n) - need(side.p0))
    if test_type == "mann-whitney":
        return sign(u_z(side))
    if test_type == "chi-square" and two_by_two(side):
        assert side.table is not None
        (a, b), (c, d) = side.table
        return sign(a * (c + d) - c * (a + b))
    return side.direction


@cache
def _u_sums(n1: int, n2: int) -> list[int]:
    """U of the second group for every way to share the ranks out."""
    ranks = range(1, n1 + n2 + 1)
    return sorted(sum(own) - n2 * (n2 + 1) // 2 for own in combinations(ranks, n2))


def _exact_u_p(u: float, n1: int, n2: int) -> float:
    """Twice the smaller tail, every order of the ranks counted; halves are ties and take the larger p."""
    sums, smaller = _u_sums(n1, n2), min(u, n1 * n2 - u)
    return min(1.0, 2 * sum(x <= math.ceil(smaller) for x in sums) / len(sums))


def p_value(side: Side, test_type: str, protocol: str = "standard") -> float | None:
    """Two-sided p; a given one wins."""
    if side.p_value is not None:
        return side.p_value
    if test_type == "mann-whitney" and side.z is None and protocol != "published":
        n1, n2 = need(side.n1), need(side.n2)
        if n1 < 10 and n2 < 10:
            return _exact_u_p(need(side.statistic), int(n1), int(n2))
    if test_type == "p-value":
        return None
    if test_type == "chi-square":
        if side.table is None:
            return float(stats.chi2.sf(need(side.statistic), need(side.df1)))
        return float(stats.chi2.sf(*chi_square(side.table, yates=False)))
    if test_type == "binomial":
        return float(stats.binomtest(round(need(side.k)), round(need(side.n)), need(side.p0)).pvalue)
    return _p_of_statistic(side, test_type, need(side.statistic))


def _p_of_statistic(side: Side, test_type: str, x: float) -> float:
    if test_type == "t-independent":
        df = need(side.n1) + need(side.n2) - 2 if side.df2 is None else side.df2
        return float(2 * stats.t.sf(abs(x), df))
    if test_type in ("t-paired", "t-one-sample"):
        return float(2 * stats.t.sf(abs(x), need(side.n) - 1))
    if test_type == "correlation":
        df = need(side.n) - 2
        return 0.0 if abs(x) == 1 else float(2 * stats.t.sf(abs(x) * math.sqrt(df / ((1 - x) * (1 + x))), df))
    if test_type == "mann-whitney":
        return float(2 * stats.norm.sf(abs(u_z(side))))
    ratio = stats.f(need(side.df1), need(side.df2))
    if test_type == "variance-ratio":
        return min(1.0, 2 * min(float(ratio.cdf(x)), float(ratio.sf(x))))
    return float(ratio.sf(x))


def n_eff(side: Side, test_type: str) -> float:
    if test_type == "chi-square" and side.table is not None:
        return sum(map(sum, side.table))
    if test_type in ("t-independent", "mann-whitney"):
        return need(side.n1) + need(side.n2)
    if test_type == "variance-ratio":
        return need(side.df1) + need(side.df2) + 2
    return 1.0 if test_type == "p-value" else need(side.n)
