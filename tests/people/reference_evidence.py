"""The oracle's reading of one side of a test: evidence, direction, p, effect, its error and its d.

Written from the definitions of the scores, one `if` a test type, in plain Python. ``None`` is undefined.
"""

import math
from dataclasses import dataclass
from functools import cache

from scipy import integrate, special, stats
from tests.people import reference_integrals as integrals
from tests.people.reference_effects import effect_of
from tests.people.reference_sides import (
    cells_of,
    chi_square,
    direction_of,
    is_f,
    n_eff,
    need,
    p_value,
    root,
    sign,
    two_by_two,
    u_z,
)

from concord.records import Side

ROOT_HALF = math.sqrt(0.5)
CAPPED = math.log(1e6)


@dataclass(frozen=True)
class Reading:
    """What one side of a test says."""

    log_bf: float | None = None
    positive: float | None = None
    """P(effect > 0 | data, an effect)."""
    direction: int | None = None
    p: float | None = None
    effect: float | None = None
    se: float | None = None
    d: float | None = None
    unsigned: bool = False
    n_eff: float = 1.0


def read(side: Side, test_type: str, sampling: str, protocol: str) -> Reading:
    """Read one side under a protocol; a side that holds only precomputed numbers says only those."""
    if side.log_bf is not None or side.effect_d is not None:
        return _precomputed(side)
    direction, p = direction_of(side, test_type), p_value(side, test_type, protocol)
    effect, se, d = effect_of(side, test_type, direction, protocol)
    return Reading(
        log_bf=_published_log_bf(side, test_type)
        if protocol == "published"
        else _log_bf(side, test_type, sampling),
        positive=_positive(side, test_type, direction, p),
        direction=direction,
        p=p,
        effect=effect,
        se=se,
        d=d,
        unsigned=_unsigned(side, test_type, direction),
        n_eff=n_eff(side, test_type),
    )


def _precomputed(side: Side) -> Reading:
    direction = side.direction
    if direction is None and side.effect_d is not None:
        direction = sign(side.effect_d)
    positive = _toward(direction, side.p_value)
    return Reading(side.log_bf, positive, direction, side.p_value, d=side.effect_d)


def _toward(direction: int | None, p: float | None) -> float | None:
    """1 - p/2 toward a direction that is known only by name."""
    if direction is None or p is None:
        return None
    return 0.5 + 0.5 * direction * (1 - p)


def _unsigned(side: Side, test_type: str, direction: int | None) -> bool:
    """F with df1 > 1 never has a sign, F with df1 = 1 only a given one."""
    return is_f(test_type) and (need(side.df1) > 1 or direction is None)


def _log_bf(side: Side, test_type: str, sampling: str) -> float | None:
    if test_type == "t-independent":
        return _log_two_sample(need(side.statistic), need(side.n1), need(side.n2), ROOT_HALF)
    if test_type in ("t-paired", "t-one-sample"):
        return _log_one_sample(need(side.statistic), need(side.n), ROOT_HALF)
    if is_f(test_type):
        return _log_f(side, test_type)
    if test_type == "correlation":
        r, n = need(side.statistic), need(side.n)
        if abs(r) == 1 and n > 3:
            return math.inf  # the likelihood ratio grows without bound as rho goes to r
        return integrals.log_sum(list(integrals.correlation_halves(r, n)))
    if test_type == "chi-square":
        if side.table is not None:
            return integrals.log_contingency(side.table, sampling)
        return _log_bic(need(side.statistic), need(side.df1), need(side.n))
    if test_type == "binomial":
        return _log_binomial(need(side.k), need(side.n), need(side.p0))
    if test_type == "mann-whitney":
        return _log_two_sample(u_z(side), need(side.n1), need(side.n2), ROOT_HALF)
    if test_type == "variance-ratio":
        return _log_variance_ratio(need(side.statistic), need(side.df1), need(side.df2))
    return _log_bound(p_value(side, test_type))


def _log_variance_ratio(f: float, df1: float, df2: float) -> float:
    """Integrate over the share of precision, ρ = sin²θ with θ uniform: Beta(1/2, 1/2)."""

    def height(rho: float) -> float:
        total = rho * df1 * f + (1 - rho) * df2
        return 0.5 * (df1 * math.log(rho) + df2 * math.log(1 - rho) - (df1 + df2) * math.log(total))

    top = height(1 / (1 + f))
    peak = math.asin(math.sqrt(1 / (1 + f)))
    area = integrate.quad(
        lambda a: math.exp(height(math.sin(a) ** 2) - top),
        0,
        math.pi / 2,
        points=[peak],
        epsrel=1e-12,
        limit=400,
    )[0]
    return math.log(area * 2 / math.pi) + top - height(0.5)


def _log_one_sample(t: float, n: float, r: float) -> float:
    return integrals.log_jzs(n * r * r, n, 1.0, t * t, n - 1)


def _log_two_sample(t: float, n1: float, n2: float, r: float) -> float:
    return integrals.log_jzs(n1 * n2 / (n1 + n2) * r * r, n1 + n2 - 1, 1.0, t * t, n1 + n2 - 2)


def _log_f(side: Side, test_type: str) -> float | None:
    f, df1, df2 = need(side.statistic), need(side.df1), need(side.df2)
    if test_type == "regression":
        n = need(side.n)
        return integrals.log_jzs(n / 4, n - 1, df1, df1 * f, df2)
    if test_type == "anova":
        if df1 == 1:
            n1, n2 = cells_of(side)
            cell = 2 / (1 / n1 + 1 / n2)
        else:
            cell = need(side.n) / (df1 + 1)
        return integrals.log_jzs(cell / 4, df1 + df2, df1, df1 * f, df2)
    if df1 == 1:
        return _log_one_sample(math.sqrt(f), df2 + 1, ROOT_HALF)
    n = df1 + df2  # independent observations of a within-subject design; BIC
    return 0.5 * (n * math.log(1 + df1 * f / df2) - df1 * math.log(n))


def _log_bic(chi2: float, df: float, n: float) -> float:
    return 0.5 * (chi2 - df * math.log(n))


def _log_binomial(k: float, n: float, p0: float) -> float:
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return -(math.log(n + 1) + choose + k * math.log(p0) + (n - k) * math.log(1 - p0))


def _log_bound(p: float | None) -> float | None:
    if p is None:
        return None
    if p == 0:
        return math.inf
    return -math.log(-math.e * p * math.log(p)) if p < 1 / math.e else 0.0


def _published_log_bf(side: Side, test_type: str) -> float | None:
    if test_type == "t-independent":
        return _capped(need(side.statistic), need(side.n1), side.n2)
    if test_type in ("t-paired", "t-one-sample"):
        return _capped(need(side.statistic), need(side.n), None)
    if test_type == "correlation":
        r, n = need(side.statistic), need(side.n)
        return CAPPED if abs(r) == 1 else _capped(r * math.sqrt((n - 2) / (1 - r * r)), n, None)
    if test_type == "mann-whitney":
        return _capped(u_z(side), need(side.n1), side.n2)
    if is_f(test_type):
        f, df1, n = need(side.statistic), need(side.df1), need(side.n)
        return CAPPED if f > 100 else integrals.log_jzs(n / 4, n - 1, df1, df1 * f, need(side.df2))
    if test_type == "chi-square" and side.table is not None:
        chi2, df = chi_square(side.table, yates=two_by_two(side))
        return _log_bic(chi2, df, sum(map(sum, side.table)))
    if test_type == "variance-ratio":
        return _log_bound(p_value(side, test_type))
    return _log_bf(side, test_type, "joint")


def _capped(t: float, n1: float, n2: float | None) -> float:
    """JZS with r = 0.707 and 10^6 from t² > 100 on."""
    if t * t > 100:
        return CAPPED
    return _log_one_sample(t, n1, 0.707) if n2 is None else _log_two_sample(t, n1, n2, 0.707)


@cache
def _positive(side: Side, test_type: str, direction: int | None, p: float | None) -> float | None:
    """P(effect > 0), exact where a signed effect has a likelihood, else 1 - p/2 toward the direction."""
    if direction is None:
        return None
    if test_type == "t-independent":
        return _two_sample_positive(need(side.statistic), need(side.n1), need(side.n2))
    if test_type in ("t-paired", "t-one-sample"):
        return integrals.jzs_positive(ROOT_HALF, need(side.n), need(side.n) - 1, need(side.statistic))
    if is_f(test_type) and side.df1 == 1:
        return _f_positive(side, test_type, root(side, direction))
    if test_type == "correlation":
        if abs(need(side.statistic)) == 1 and need(side.n) > 3:
            return 0.5 * (1 + direction)
        positive, negative = integrals.correlation_halves(need(side.statistic), need(side.n))
        return float(special.expit(positive - negative))
    if test_type == "binomial":
        k, n = need(side.k), need(side.n)
        return float(stats.beta.sf(need(side.p0), k + 1, n - k + 1))
    if test_type == "mann-whitney":
        return _two_sample_positive(u_z(side), need(side.n1), need(side.n2))
    if two_by_two(side):
        assert side.table is not None
        return integrals.first_rate_higher(side.table)
    return _toward(direction, p)


def _two_sample_positive(t: float, n1: float, n2: float) -> float:
    return integrals.jzs_positive(ROOT_HALF, n1 * n2 / (n1 + n2), n1 + n2 - 2, t)


def _f_positive(side: Side, test_type: str, t: float) -> float:
    df2 = need(side.df2)
    if test_type == "anova-within":
        return integrals.jzs_positive(ROOT_HALF, df2 + 1, df2, t)
    if test_type == "anova":
        n1, n2 = cells_of(side)
        return integrals.jzs_positive(ROOT_HALF, n1 * n2 / (n1 + n2), df2, t)
    n = need(side.n)
    if n == df2 + 2:
        return integrals.jzs_positive(0.5, n, df2, t)
    return integrals.kernel_positive(n / 4, n - 1, df2, t)
