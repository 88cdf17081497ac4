"""Planning a comparison: power, items needed, smallest difference that can be found, interval width."""

from collections.abc import Callable

import numpy as np
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats

LARGEST_N = 100_000_000
"""No plan asks for more items than this."""
_MANY_SIGNS = 40
"""Beyond this many differences the steps of a permutation p-value are of no account."""
_SAW_TEETH = 400
"""Sizes looked at below the one that bisection finds: exact tests gain power in saw teeth."""


def power_paired(effect: float, sd: float, n: float, *, alpha: float = 0.05) -> float:
    """Power of the two-sided paired t test, from the noncentral t distribution.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences (2nd ed.), section 2.

    Examples
    --------
    >>> round(power_paired(0.5, 1.0, 34), 4)
    0.8078
    """
    _positive(sd=sd, alpha=alpha)
    if n <= 1:
        return 0.0
    return _power_t(abs(effect) * np.sqrt(n) / sd, n - 1, alpha)


def power_two_sample(d: float, n1: float, n2: float, *, alpha: float = 0.05) -> float:
    """Power of the two-sided two-sample t test: participants per group, not items.

    References
    ----------
    Cohen (1988), as for `power_paired`.

    Examples
    --------
    >>> round(power_two_sample(0.5, 64, 64), 4)
    0.8015
    """
    if n1 + n2 <= 2 or min(n1, n2) <= 0:
        return 0.0
    return _power_t(abs(d) * np.sqrt(n1 * n2 / (n1 + n2)), n1 + n2 - 2, alpha)


def power_signs(effect: float, sd: float, n: int, *, alpha: float = 0.05) -> float:
    """Power of the sign-flip test (`sign_flip`) of normal differences."""
    # The smallest p is 2^(1-n): five differences find nothing at the 5 % level. The true level is the largest
    # multiple of it below ``alpha``; power is about that of the t test at this level (Lehmann & Romano 2005,
    # 15.2), and Φ(δ/σ)^n + Φ(-δ/σ)^n where only equal signs are significant. The mid-p form, which
    # comparisons use, loses nothing by ties.
    _positive(sd=sd, alpha=alpha)
    if n > _MANY_SIGNS:
        return power_paired(effect, sd, n, alpha=alpha)
    significant = np.ceil(alpha * 2.0 ** (n - 1)) - 1
    if significant < 1:
        return 0.0
    if significant < 2:
        d = effect / sd
        return float(special.ndtr(d) ** n + special.ndtr(-d) ** n)
    return power_paired(effect, sd, n, alpha=float(significant * 2.0 ** (1 - n)))


def _power_t(shift: float, df: float, alpha: float) -> float:
    """Probability that a noncentral t leaves the interval of Student's t."""
    return noncentral_beyond(shift, df, float(special.stdtrit(df, 1 - alpha / 2)))


def noncentral_beyond(shift: float, df: float, critical: float) -> float:
    """Probability that a noncentral t is further from zero than a critical value."""
    inside = special.nctdtr(df, shift, critical) - special.nctdtr(df, shift, -critical)
    if np.isnan(inside):  # scipy gives up on large shifts
        # p(|T| < c) as a mean of normal probabilities over w = sqrt(chi2/df): T < c where Z < c w - shift
        nodes, weights = np.polynomial.legendre.leggauss(200)
        reach = 10 / np.sqrt(2 * df)
        low, high = max(0.0, 1 - reach), 1 + reach
        w = 0.5 * (low + high) + 0.5 * (high - low) * nodes
        log_density = (df - 1) * np.log(w) - df * w * w / 2
        mass = weights * np.exp(log_density - log_density.max())
        inside = float(np.sum(mass * special.ndtr(critical * w - shift)) / mass.sum())
    return float(np.clip(1 - inside, 0.0, 1.0))


def detectable_effect(sd: float, n: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Smallest true difference that a paired t test finds with the wanted power; undefined below two items.

    References
    ----------
    Miller (2024), Adding error bars to evals. arXiv:2411.00640, section 5.

    Examples
    --------
    >>> round(detectable_effect(1/3, 971), 6)
    0.029999
    """
    _positive(sd=sd, alpha=alpha)
    _probability(power)
    if n < 2:
        raise UndefinedError("a smallest detectable effect needs at least 2 items")
    high = sd * (10 + 40 / (n - 1)) / float(np.sqrt(n))
    while power_paired(high, sd, n, alpha=alpha) < power:
        high *= 2
    return _root(lambda effect: power_paired(effect, sd, n, alpha=alpha) - power, 0.0, high)


def items_needed(effect: float, sd: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the fewest items with which a paired t test finds a difference with the wanted power.

    References
    ----------
    Miller (2024), Adding error bars to evals. arXiv:2411.00640, section 5: about 1,000 questions for a
    difference of 3 points with a power of 80 %.

    Examples
    --------
    >>> items_needed(0.03, 1/3)
    971
    """
    _positive(sd=sd, alpha=alpha)
    return fewest(lambda n: power_paired(effect, sd, n, alpha=alpha), power, effect)


def fewest(power_at: Callable[[int], float], power: float, effect: float) -> int:
    """Return the smallest n with the wanted power, by doubling and halving."""
    # The power of an exact test grows in saw teeth: n within a few teeth below are looked at one by one
    # (Chernick & Liu 2002, The American Statistician, 56, 149-155).
    _probability(power)
    if effect == 0 or not np.isfinite(effect):
        raise OptionError(
            f"the effect is {effect!r}; no number of items finds a difference that is not there"
        )
    high = 4
    while power_at(high) < power:
        high *= 2
        if high > LARGEST_N:
            raise UndefinedError(
                f"more than {LARGEST_N:,} items would be needed; look for a larger difference"
            )
    low = 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    teeth = min(_SAW_TEETH, 10 + int(4 * np.sqrt(high)))
    return next((n for n in range(max(2, high - teeth), high) if power_at(n) >= power), high)


def interval_width(sd: float, n: float, *, level: float = 0.95) -> float:
    """Return the expected width of the t interval of a mean difference, SE taken at its mean (`root_bias`).

    References
    ----------
    Kupper & Hafner (1989), The American Statistician, 43, 101-105.

    Examples
    --------
    >>> round(interval_width(0.5, 400), 4), round(interval_width(0.5, 10), 4)
    (0.0982, 0.6958)
    """
    _positive(sd=sd)
    if n < 2:
        raise UndefinedError("an interval needs at least 2 items")
    error = sd / float(np.sqrt(n)) * root_bias(n - 1)
    return float(2 * special.stdtrit(n - 1, 0.5 + level / 2) * error)


def root_bias(df: float) -> float:
    """Return the mean of √(χ²_ν/ν): standard deviations over their root mean square (Holtzman 1950)."""
    if df > 1e5:  # gammaln would cancel; the series is exact to 1e-16
        return 1 - 1 / (4 * df) + 1 / (32 * df**2)
    log = special.gammaln((df + 1) / 2) - special.gammaln(df / 2) + 0.5 * np.log(2 / df)
    return float(np.exp(log))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where a growing function crosses zero, to full precision."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (low, middle) if function(middle) >= 0 else (middle, high)
    return high


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and np.isfinite(value)):
            raise OptionError(f"{name} is {value!r}; expected a positive number")


def _probability(power: float) -> None:
    if not 0 < power < 1:
        raise OptionError(f"power is {power!r}; expected a number between 0 and 1, such as 0.8")


_REACH = 9.0
"""Standard deviations of the number of disagreements beyond which nothing is counted."""


def power_mcnemar(
    only_first: float, only_second: float, n: int, *, alpha: float = 0.05, mid_p: bool = False
) -> float:
    r"""Power of McNemar's exact test (or its mid-p form), unconditional over the number of disagreements.

    .. math:: \sum_m \mathrm{Bin}(m; n, \psi) \, P(\text{reject} \mid m), \quad \psi = p_{10} + p_{01}

    References
    ----------
    Duffy (1984), Biometrics, 40, 1005-1015.

    Examples
    --------
    >>> round(power_mcnemar(0.25, 0.10, 100), 3)
    0.674
    """
    psi = only_first + only_second
    if not (0 <= only_first <= 1 and 0 <= only_second <= 1 and psi <= 1):
        raise OptionError("probabilities of disagreement must lie from 0 to 1, and so must their sum")
    if psi == 0 or n < 1:
        return 0.0
    spread = np.sqrt(n * psi * (1 - psi))
    low, high = int(max(0, n * psi - _REACH * spread - 10)), int(min(n, n * psi + _REACH * spread + 10))
    m = np.arange(low, high + 1, dtype=np.float64)
    mass = np.exp(_log_binomial(m, float(n), psi))
    edge = _critical(m, alpha, mid_p=mid_p)
    share = only_first / psi
    below, above = _at_most(edge, m, share), _at_most(edge, m, 1 - share)
    return float(np.clip(np.sum(mass * (below + above)), 0.0, 1.0))


def _log_binomial(k: Floats, n: float, p: float) -> Floats:
    """Log probability of k of n."""
    choose = -np.log1p(n) - special.betaln(n - k + 1, k + 1)
    return np.asarray(choose + special.xlogy(k, p) + special.xlog1py(n - k, -p))


def _at_most(k: Floats, n: Floats, p: float) -> Floats:
    """Probability of at most k of n; 0 for a negative k."""
    return np.where(k >= 0, special.betainc(np.maximum(n - k, 1e-300), np.maximum(k, 0) + 1, 1 - p), 0.0)


def _critical(m: Floats, alpha: float, *, mid_p: bool) -> Floats:
    """Largest smaller count that is significant among m disagreements; -1 where none is."""
    edge = np.floor(m / 2 + special.ndtri(alpha / 2) * np.sqrt(m) / 2) + 3
    edge = np.minimum(edge, np.ceil(m / 2) - 1)
    for _ in range(12):
        p = 2 * _at_most(edge, m, 0.5)
        if mid_p:
            p = p - np.exp(_log_half(np.maximum(edge, 0), m))
        wrong = (edge >= 0) & (p >= alpha)
        if not wrong.any():
            break
        edge = np.where(wrong, edge - 1, edge)
    return np.asarray(edge)


def _log_half(k: Floats, m: Floats) -> Floats:
    """Log probability of k of m tosses of a fair coin."""
    return np.asarray(-np.log1p(m) - special.betaln(m - k + 1, k + 1) - m * np.log(2.0))


def paired_sd(first: float, second: float, correlation: float) -> float:
    """Return the SD of the difference of two correlated 0-1 scores: √(p1 q1 + p2 q2 - 2ρ √(p1 q1 p2 q2))."""
    for value in (first, second):
        if not 0 <= value <= 1:
            raise OptionError(f"the mean of 0-1 scores is {value!r}; expected a number from 0 to 1")
    if not -1 <= correlation <= 1:
        raise OptionError(f"the correlation is {correlation!r}; expected a number from -1 to 1")
    one, two = first * (1 - first), second * (1 - second)
    return float(np.sqrt(max(0.0, one + two - 2 * correlation * np.sqrt(one * two))))


def disagreements(first: float, second: float, correlation: float) -> tuple[float, float]:
    """Probabilities that only the first, only the second of two models is right, if possible."""
    paired_sd(first, second, correlation)
    both = first * second + correlation * float(np.sqrt(first * (1 - first) * second * (1 - second)))
    only_first, only_second = first - both, second - both
    if min(both, only_first, only_second, 1 - first - second + both) < -1e-12:
        raise OptionError(f"means of {first:g} and {second:g} cannot have a correlation of {correlation:g}")
    return max(0.0, only_first), max(0.0, only_second)


def counted_interval_width(disagreement: float, effect: float, n: int, *, level: float = 0.95) -> float:
    r"""Return the expected width of Bonett and Price's interval of a difference of paired proportions.

    .. math:: 2 z \sqrt{\frac{1}{n+2} \left(\frac{n \psi + 2}{n + 2} -
        \left(\frac{n \delta}{n + 2}\right)^2 - \frac{n (\psi - \delta^2)}{(n+2)^2}\right)}
    """
    z = float(special.ndtri(0.5 + level / 2))
    # the squared centre has its own variance on top of the square of its mean
    centre = (n * effect**2 * n + n * (disagreement - effect**2)) / (n + 2) ** 2
    return float(2 * z * np.sqrt(((n * disagreement + 2) / (n + 2) - centre) / (n + 2)))
