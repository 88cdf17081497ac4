"""Reported statistics, such as ``F(1, 312) = 49.1, p < .001``: read, found in a text, checked."""

import math
from dataclasses import dataclass

from concord.errors import UndefinedError
from concord.number_words import number, significant
from concord.people.apa.parse import ApaScan, find_apa, parse_apa, scan_apa
from concord.people.apa.records import ApaCheck, ApaResult, Verdict
from concord.stats.pvalues import (
    p_binomial,
    p_chi_square,
    p_correlation,
    p_f,
    p_mann_whitney,
    p_mann_whitney_exact,
    p_t,
    p_wilcoxon_exact,
    p_z,
)

__all__ = ["ApaCheck", "ApaResult", "ApaScan", "check_apa", "find_apa", "parse_apa", "scan_apa"]


_SLACK = 1e-9  # relative; boundaries such as .0125 are not exact in binary
_USUAL_BOUNDS = frozenset({0.1, 0.05, 0.025, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0001})
_RANKS = frozenset({"rs", "rₛ", "rho", "ρ", "ρs", "ρₛ"})
_EXACT_U = 50  # group size up to which programs compute the exact distribution of U


@dataclass(frozen=True, slots=True)
class _Range:
    """Two-sided p-values that the printed statistic can stand for."""

    value: float
    """Of the statistic as printed."""
    low: float
    high: float
    note: str = ""
    bounded: bool = False
    """The text gives only a bound of the statistic, so ``value`` is a bound as well."""
    open_below: str = ""
    """Why the true p may lie below ``low``, where it may."""


class _NotCheckableError(Exception):
    """There is nothing to recompute from; the message says what is missing."""


def check_apa(
    result: ApaResult, *, alpha: float = 0.05, n1: float | None = None, n2: float | None = None
) -> ApaCheck:
    """Say whether a reported p-value follows from its statistic.

    The printed statistic stands for all values that round to it, and so does the printed p; the two are
    consistent when some value of the first gives some value of the second. ``p = .000`` stands for
    p < .0005. The verdict is ``decision error`` when the reported and the recomputed p lie on different
    sides of `alpha`, and ``not checkable`` when something is missing. A p that fits a one-tailed test is
    consistent where the text says one-tailed; where it does not, it is ``inconsistent``, even across
    `alpha`, and the reason names the possibility.

    Parameters
    ----------
    result
        What `parse_apa` or `find_apa` gave.
    alpha
        The level of significance.
    n1, n2
        Group sizes (or, for a correlation, n1 pairs) where the text does not give them.

    References
    ----------
    Nuijten et al. (2016), Behavior Research Methods, 48(4), 1205-1226.

    Examples
    --------
    >>> from concord.people.apa.read import parse_apa
    >>> check_apa(parse_apa("F(1, 312) = 49.1, p < .001")).verdict
    'consistent'
    >>> check = check_apa(parse_apa("t(20) = 1.85, p = .03"))
    >>> check.verdict, round(check.p_value, 3)
    ('decision error', 0.079)
    >>> check_apa(parse_apa("t(20) = 1.85, p = .04")).reason.partition("; ")[2]
    'it would fit a one-tailed test, which the text does not say'
    """
    try:
        found = _recompute(result, n1, n2)
    except (_NotCheckableError, UndefinedError) as missing:
        return ApaCheck("not checkable", str(missing))
    verdict, reason = _judge(result, found, alpha)
    reason += f" ({found.note})" if found.note else ""
    return ApaCheck(verdict, reason, found.value, found.low, found.high)


def _judge(result: ApaResult, found: _Range, alpha: float) -> tuple[Verdict, str]:
    """Compare the reported p with what the statistic gives."""
    gives = f"the statistic gives p = {_shown(found)}"
    if result.p_relation is None:
        return "not checkable", f"no p-value is reported; {gives}"
    says = f"reported {_printed(result)}"
    if _fits(result, found, 1.0, alpha):
        return "consistent", f"{says}, {gives}"
    half = f"half of that (one-tailed) is {_shown(found, 0.5)}"
    if result.one_tailed and _fits(result, found, 0.5, alpha):
        return "consistent", f"{says}, one-tailed; {gives} two-sided, {half}"
    if found.open_below and result.p_bounds()[1] < found.low:
        return "not checkable", f"{says}, {gives}; {found.open_below}"
    if _fits(result, found, 0.5, alpha):
        return "inconsistent", f"{says}, {gives}; it would fit a one-tailed test, which the text does not say"
    claimed, recomputed = result.significant(alpha), _decision(found, result.one_tailed, alpha)
    hint = _hint(result, found)
    if claimed is None or recomputed is None or claimed == recomputed:
        return "inconsistent", f"{says}, {gives}{hint}"
    sides = ("significant", "not significant") if claimed else ("not significant", "significant")
    return "decision error", f"{says} is {sides[0]} at {alpha:g}; {gives}, which is {sides[1]}{hint}"


def _fits(result: ApaResult, found: _Range, factor: float, alpha: float) -> bool:
    """Say whether some p that the statistic allows is one that the printed p stands for."""
    low, high = found.low * factor, found.high * factor
    if result.p_relation == "ns":
        return high >= alpha
    smallest, largest = result.p_bounds()
    return low <= largest * (1 + _SLACK) and high >= smallest * (1 - _SLACK)


def _decision(found: _Range, one_tailed: bool, alpha: float) -> bool | None:
    """Say whether the recomputed p is significant; ``None`` where rounding leaves it open."""
    factor = 0.5 if one_tailed else 1.0
    if found.high * factor < alpha:
        return True
    return False if found.low * factor >= alpha else None


def _hint(result: ApaResult, found: _Range) -> str:
    """Name the usual slip, where the numbers fit it."""
    if result.p_relation == "=" and result.p_value in _USUAL_BOUNDS and found.high < result.p_value:
        return f"; it would fit p < {_p_shown(result.p_value)}"
    fits_two_sided = result.kind == "F" and _fits(result, _Range(0, 2 * found.low, 2 * found.high), 1.0, 0.0)
    return "; it would fit a two-sided test of a variance ratio" if fits_two_sided else ""


def _p_shown(p: float) -> str:
    """Write a p-value for reading."""
    return significant(p, 3)


def _shown(found: _Range, factor: float = 1.0) -> str:
    """Write recomputed p-values: one number, or the range that is left open."""
    low, value, high = (_p_shown(p * factor) for p in (found.low, found.value, found.high))
    if found.bounded:
        return f"{value} or {'less' if found.value == found.high else 'more'}"
    if low == high:
        return value
    return f"{value} ({low} to {high}{'' if found.open_below else ' within rounding'})"


def _printed(result: ApaResult) -> str:
    """Write what was reported."""
    if result.p_relation == "ns" or result.p_value is None:
        return "ns"
    if result.p_value == 0 and result.p_decimals is not None:
        printed = number(0, max(0, result.p_decimals))
        return f"p {result.p_relation} {printed}, read as p < {_p_shown(result.p_bounds()[1])} (no p is 0)"
    return f"p {result.p_relation} {_p_shown(result.p_value)}"


def _recompute(result: ApaResult, n1: float | None, n2: float | None) -> _Range:
    """Return the p-values that a statistic allows."""
    first = n1 if result.n1 is None else float(result.n1)
    second = n2 if result.n2 is None else float(result.n2)
    if result.kind == "p":
        raise _NotCheckableError("only a p-value is reported; there is no statistic to recompute it from")
    if result.kind == "binomial":
        return _binomial(result)
    if result.kind == "U":
        return _u(result, first, second)
    if result.kind == "W":
        return _w(result, first if result.n is None else float(result.n))
    if result.kind in {"b", "OR"}:
        return _coefficient(result)
    return _by_rounding(result, _df(result, first, second))


def _of_printed_z(result: ApaResult, note: str) -> _Range | None:
    """Return the p-values of the z that is printed beside a rank sum, where there is one."""
    if result.z is None or result.z_decimals is None:
        return None
    half = 0.5 * 10.0**-result.z_decimals
    high, low = (float(p_z(end)) for end in (max(0.0, abs(result.z) - half), abs(result.z) + half))
    return _Range(float(p_z(result.z)), low, high, note)


def _by_ranks(plain: float, others: list[float], name: str) -> _Range:
    """Return the p-values that programs give for a rank sum without ties."""
    note = f"normal, corrected and exact p of {name} without ties"
    ties = "ties, which the text does not report, make p smaller"
    return _Range(plain, min(plain, *others), max(plain, *others), note, open_below=ties)


def _w(result: ApaResult, n: float | None) -> _Range:
    """Return the p-values of a signed-rank W: from its printed z, or normal with and without correction."""
    printed = _of_printed_z(result, "from the z beside W")
    if printed is not None:
        return printed
    if n is None or result.statistic is None or result.statistic_relation != "=":
        raise _NotCheckableError("W needs the number of pairs, or its z")
    sigma = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    gap, total = abs(result.statistic - n * (n + 1) / 4), n * (n + 1) / 2
    plain, corrected = (float(p_z(max(0.0, gap - off) / sigma)) for off in (0.0, 0.5))
    is_exact = n <= _EXACT_U and 0 <= result.statistic <= total
    exact = [p_wilcoxon_exact(result.statistic, int(n))] if is_exact else []
    return _by_ranks(plain, [corrected, *exact], "W")


def _coefficient(result: ApaResult) -> _Range:
    """Return the p-values of b/SE, or of a log odds ratio, by t where df are printed and else by z."""
    if result.statistic is None or result.statistic_decimals is None or result.statistic_relation != "=":
        raise _NotCheckableError("no coefficient is reported")
    half = 0.5 * 10.0**-result.statistic_decimals
    ends = (result.statistic - half, result.statistic, result.statistic + half)
    if result.kind == "OR":
        if ends[0] <= 0:
            raise _NotCheckableError("an odds ratio rounded to 0")
        ends = (math.log(ends[0]), math.log(ends[1]), math.log(ends[2]))
    errors = _errors_of(result)
    ratios = sorted(abs(end) / error for end in (ends[0], ends[2]) for error in errors)
    smallest = 0.0 if ends[0] < 0 < ends[2] else ratios[0]
    middle = abs(ends[1]) / (sum(errors) / 2)

    def p(t: float) -> float:
        return float(p_z(t) if result.df2 is None else p_t(t, result.df2))

    return _Range(p(middle), p(ratios[-1]), p(smallest), "from the coefficient and its standard error")


def _errors_of(result: ApaResult) -> tuple[float, float]:
    """Return the smallest and largest standard error that the printed one, or the interval, allows."""
    if result.se is not None and result.se_decimals is not None:
        half = 0.5 * 10.0**-result.se_decimals
        return max(1e-12, result.se - half), result.se + half
    if result.ci_low is None or result.ci_high is None or result.ci_high <= result.ci_low:
        raise _NotCheckableError("no standard error and no interval is reported")
    low, high = result.ci_low, result.ci_high
    if result.kind == "OR":
        if low <= 0:
            raise _NotCheckableError("the interval of an odds ratio reaches 0")
        low, high = math.log(low), math.log(high)
    se = (high - low) / (2 * 1.959963984540054)
    return 0.97 * se, 1.03 * se  # ends of an interval are rounded too


def _df(result: ApaResult, n1: float | None, n2: float | None) -> tuple[float, float]:
    """Return the degrees of freedom of a t, F, r or chi-square; those a statistic does not have are 0."""
    if result.kind == "z":
        return 0.0, 0.0
    if result.kind == "F" and result.df1 is not None and result.df2 is not None:
        return result.df1, result.df2
    if result.kind in {"chi2", "H", "Q"} and result.df1 is not None:
        return result.df1, 0.0
    if result.kind in {"t", "r"} and result.df2 is not None:
        return 0.0, result.df2
    pairs = n1 if result.n is None else float(result.n)
    if result.kind == "r" and pairs is not None:
        return 0.0, pairs - 2
    if result.kind == "t" and n1 is not None and n2 is not None:
        return 0.0, n1 + n2 - 2
    raise _NotCheckableError(f"the degrees of freedom of {result.label} are not reported")


def _p(kind: str, statistic: float, df1: float, df2: float) -> float:
    """Recompute one p-value."""
    if kind == "t":
        return float(p_t(statistic, df2))
    if kind == "F":
        return float(p_f(statistic, df1, df2))
    if kind == "r":
        return float(p_correlation(min(statistic, 1.0), df2 + 2))
    return float(p_chi_square(statistic, df1) if kind in {"chi2", "H", "Q"} else p_z(statistic))


def _by_rounding(result: ApaResult, df: tuple[float, float]) -> _Range:
    """Return the p-values of all statistics that round to the printed one or are beyond its bound."""
    if result.statistic is None or result.statistic_decimals is None:
        raise _NotCheckableError("no statistic is reported")
    size, half = abs(result.statistic), 0.5 * 10.0**-result.statistic_decimals
    value = _p(result.kind, size, *df)
    ranks = "".join(filter(str.isalnum, result.label)) in _RANKS
    note = "by the t approximation for rank correlations" if ranks else ""
    if result.statistic_relation == "=":
        high, low = (_p(result.kind, bound, *df) for bound in (max(0.0, size - half), size + half))
        return _Range(value, low, high, note)
    # |t| < 2 bounds p from below; t < -2 is |t| > 2.
    beyond = (result.statistic_relation == ">") == (result.statistic >= 0)
    low, high = (0.0, value) if beyond else (value, 1.0)
    return _Range(value, low, high, note, bounded=True)


def _binomial(result: ApaResult) -> _Range:
    """Return the exact p of counts; without a reported p0 only agreement with 1/2 says anything."""
    if result.k is None or result.n is None:
        raise _NotCheckableError("k and n are not both reported")
    p = float(p_binomial(result.k, result.n, 0.5 if result.p0 is None else result.p0))
    if result.p0 is not None:
        return _Range(p, p, p)
    assumed = _Range(p, p, p, "against p0 = .5, which the text does not say")
    if result.p_relation is not None and not _fits(result, assumed, 1.0, 0.0):
        raise _NotCheckableError(f"p0 is not reported; against .5 the counts give p = {_p_shown(p)}")
    return assumed


def _u(result: ApaResult, n1: float | None, n2: float | None) -> _Range:
    """Return the p-values of a U: from its printed z, or normal with and without correction, and exact."""
    printed = _of_printed_z(result, "from the z beside U" + _z_of_u(result, n1, n2))
    if printed is not None:
        return printed
    if n1 is None or n2 is None or result.statistic is None:
        raise _NotCheckableError("U needs both group sizes, or its z")
    if result.statistic_relation != "=":
        raise _NotCheckableError("U is only bounded")
    plain = float(p_mann_whitney(result.statistic, n1, n2))
    middle = n1 * n2 / 2
    corrected = middle - max(0.0, abs(result.statistic - middle) - 0.5)
    others = [float(p_mann_whitney(corrected, n1, n2))]
    if max(n1, n2) <= _EXACT_U:
        smaller = math.floor(min(result.statistic, n1 * n2 - result.statistic))
        others.append(p_mann_whitney_exact(smaller, int(n1), int(n2)))
    return _by_ranks(plain, others, "U")


def _z_of_u(result: ApaResult, n1: float | None, n2: float | None) -> str:
    """Say what z U itself gives, where it differs from the printed one."""
    if n1 is None or n2 is None or result.statistic is None or result.z is None or result.z_decimals is None:
        return ""
    if min(n1, n2) <= 0:
        return ""
    own = abs(result.statistic - n1 * n2 / 2) / math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12)
    if abs(own - abs(result.z)) <= 0.5 * 10.0**-result.z_decimals:
        return ""
    return f"; without ties U itself gives z = {number(own, max(0, result.z_decimals))}"
