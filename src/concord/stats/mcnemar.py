"""Paired right and wrong: McNemar's exact test and the interval of a difference of paired proportions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.records import Interval
from concord.stats.intervals import checked_level

_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two-sided p-values of the hypothesis that both kinds of disagreement are equally likely."""

    exact: float
    """Exact conditional p: at most the nominal share of false positives, often fewer."""
    mid_p: float
    """The same with half the probability of the observed split: close to the nominal share."""


def mcnemar(only_first: int, only_second: int) -> McNemar:
    r"""McNemar's exact conditional test and its mid-p form, of the items that only one model got right.

    .. math:: p = \min\left(1, 2 \sum_{j \le \min(b, c)} \binom{b+c}{j} 2^{-(b+c)}\right)

    Mid-p takes off the probability of the observed split. Without any disagreement both are 1.

    References
    ----------
    McNemar (1947), Psychometrika, 12, 153-157.
    Fagerland et al. (2013), BMC Medical Research Methodology, 13, 91.

    Examples
    --------
    >>> result = mcnemar(1, 7)
    >>> round(result.exact, 4), round(result.mid_p, 4)
    (0.0703, 0.0391)
    """
    b, c = _whole_counts(only_first, only_second)
    n = b + c
    if n == 0:
        return McNemar(1.0, 1.0)
    log_mass = special.gammaln(n + 1) - special.gammaln(b + 1) - special.gammaln(c + 1) - n * np.log(2.0)
    mass = float(np.exp(log_mass))
    if b == c:
        return McNemar(1.0, 1.0 - 0.5 * mass)
    both = 2 * float(special.bdtr(min(b, c), n, 0.5))
    return McNemar(min(1.0, both), both - mass)


def bonett_price_interval(differences: ArrayLike, *, level: float = 0.95, repeats: float = 1.0) -> Interval:
    r"""Bonett-Price: adjusted Wald interval of the mean of paired differences in [-1, 1].

    Two imagined pairs, differences +1 and -1, are added. For two 0-1 outcomes this is :math:`\tilde p_{12} -
    \tilde p_{21} \pm z\sqrt{(\tilde p_{12} + \tilde p_{21} - (\tilde p_{12} - \tilde p_{21})^2)/(n+2)}` with
    :math:`\tilde p = (f+1)/(n+2)`; for item means over `repeats` k the imagined differences are :math:`\pm
    1/\sqrt{k}`, as chance makes means of k replies. It exists without any disagreement.

    References
    ----------
    Bonett & Price (2012), Journal of Educational and Behavioral Statistics, 37(4), 479-488.
    Fagerland et al. (2014), Statistics in Medicine, 33, 2850-2875.

    Examples
    --------
    >>> d = [1] * 9 + [-1] * 2 + [0] * 89
    >>> interval = bonett_price_interval(d)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0006, 0.1366)
    """
    d = np.asarray(differences, dtype=np.float64)
    if len(d) and float(np.max(np.abs(d))) > 1 + _TIE:
        raise OptionError(f"differences reach {float(np.max(np.abs(d)))!r}: expected values from -1 to 1")
    if not repeats >= 1:
        raise OptionError(f"an item has at least one reply, not {repeats!r}")
    return _adjusted_wald(len(d), float(np.sum(d)), float(np.sum(d * d)), 2 / repeats, level)


def bonett_price_of_counts(first: int, second: int, n: int, *, level: float = 0.95) -> Interval:
    """Bonett-Price from counts: how many of n pairs differ one way and the other."""
    return _adjusted_wald(n, float(first - second), float(first + second), 2.0, level)


def _adjusted_wald(n: int, total: float, squares: float, imagined: float, level: float) -> Interval:
    """Wald interval of n differences of this sum and sum of squares, with two imagined ones."""
    if n == 0:
        raise UndefinedError("no pair: a difference of nothing has no interval")
    m = n + 2
    centre = total / m
    variance = (squares + imagined) / m - centre**2
    z = float(special.ndtri(0.5 + checked_level(level) / 2))
    half = z * float(np.sqrt(variance / m))
    return Interval(max(-1.0, centre - half), min(1.0, centre + half), level, "Bonett-Price")


def _whole_counts(first: int, second: int) -> tuple[int, int]:
    """Two whole, non-negative counts."""
    if first != int(first) or second != int(second) or first < 0 or second < 0:
        raise OptionError(f"disagreements are counts, got {first!r} and {second!r}")
    return int(first), int(second)
