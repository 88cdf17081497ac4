"""Paired right and wrong: McNemar's exact test and the interval of a difference of paired proportions."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from concord.errors import OptionError
from concord.records import Interval
from concord.stats.intervals import checked_level


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two-sided p-values of the hypothesis that both kinds of disagreement are equally likely."""

    exact: float
    """Exact conditional p: at most the nominal share of false positives, often fewer."""
    mid_p: float
    """The same with half the probability of the observed split: close to the nominal share."""


def mcnemar(only_first: int, only_second: int) -> McNemar:
    r"""McNemar's exact conditional test and its mid-p form.

    .. math:: p = \min\left(1, 2 \sum_{j \le \min(b, c)} \binom{b+c}{j} 2^{-(b+c)}\right)

    Mid-p takes off the probability of the observed split. Without any disagreement both are 1.

    Parameters
    ----------
    only_first, only_second
        Items that only the first, only the second model got right (b and c).

    Returns
    -------
    McNemar
        ``exact`` and ``mid_p``.

    References
    ----------
    McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or
    percentages. Psychometrika, 12, 153-157. Fagerland, M. W., Lydersen, S., & Laake, P. (2013). The McNemar
    test for binary matched-pairs data. BMC Medical Research Methodology, 13, 91.

    Examples
    --------
    >>> result = mcnemar(1, 7)
    >>> round(result.exact, 4), round(result.mid_p, 4)
    (0.0703, 0.0391)
    """
    b, c = _counts(only_first, only_second)
    n, least = b + c, min(b, c)
    below = float(special.bdtr(least, n, 0.5)) if n else 1.0
    log_mass = special.gammaln(n + 1) - special.gammaln(b + 1) - special.gammaln(c + 1) - n * np.log(2.0)
    mass = float(np.exp(log_mass))
    if n == 0:
        return McNemar(1.0, 1.0)
    if b == c:
        return McNemar(1.0, 1.0 - 0.5 * mass)
    return McNemar(min(1.0, 2 * below), min(1.0, 2 * below - mass))


def paired_proportions_interval(
    only_first: int, only_second: int, n: int, *, level: float = 0.95
) -> Interval:
    r"""Interval of a difference of paired proportions, Bonett and Price's adjusted Wald form.

    .. math:: \tilde p_{b} - \tilde p_{c} \pm z \sqrt{\frac{\tilde p_{b} + \tilde p_{c} -
        (\tilde p_{b} - \tilde p_{c})^2}{n + 2}}, \quad \tilde p_b = \frac{b + 1}{n + 2}

    It exists without any disagreement, and covers well from a dozen items on.

    Parameters
    ----------
    only_first, only_second
        Items that only the first, only the second model got right.
    n
        Items in all.
    level
        Nominal coverage.

    Returns
    -------
    Interval
        Of first minus second, kept within -1 and 1.

    References
    ----------
    Bonett, D. G., & Price, R. M. (2012). Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data. Journal of Educational and Behavioral Statistics, 37, 479-488.
    Fagerland, M. W., Lydersen, S., & Laake, P. (2014). Recommended tests and confidence intervals for paired
    binomial proportions. Statistics in Medicine, 33, 2850-2875.

    Examples
    --------
    >>> interval = paired_proportions_interval(1, 7, 21)
    >>> round(interval.low, 3), round(interval.high, 3)
    (-0.508, -0.013)
    """
    b, c = _counts(only_first, only_second)
    if b + c > n:
        raise OptionError(f"{b + c} disagreements among {n} items")
    z = float(special.ndtri(0.5 + checked_level(level) / 2))
    first, second = (b + 1) / (n + 2), (c + 1) / (n + 2)
    centre = first - second
    reach = z * float(np.sqrt((first + second - centre**2) / (n + 2)))
    low, high = max(-1.0, centre - reach), min(1.0, centre + reach)
    return Interval(low, high, level, "paired proportions (Bonett-Price)")


def _counts(first: int, second: int) -> tuple[int, int]:
    """Two whole, non-negative counts."""
    if first != int(first) or second != int(second) or first < 0 or second < 0:
        raise OptionError(f"disagreements are counts, got {first!r} and {second!r}")
    return int(first), int(second)
