"""Planning for right and wrong: power of McNemar's test, and what two means and a correlation imply."""

import numpy as np
from scipy import special

from concord.errors import OptionError
from concord.stats.elementwise import Floats

_REACH = 9.0
"""Standard deviations of the number of disagreements beyond which nothing is counted."""


def power_mcnemar(
    only_first: float, only_second: float, n: int, *, alpha: float = 0.05, mid_p: bool = False
) -> float:
    r"""Power of McNemar's exact test (or its mid-p form), unconditional over the number of disagreements.

    .. math:: \sum_m \mathrm{Bin}(m; n, \psi) \, P(\text{reject} \mid m), \quad \psi = p_{10} + p_{01}

    Parameters
    ----------
    only_first, only_second
        Probabilities that only the first, only the second model is right.
    n
        Items.
    alpha
        Level of the test.
    mid_p
        The mid-p form.

    Returns
    -------
    float
        Probability of p < alpha.

    References
    ----------
    Duffy, S. W. (1984). Asymptotic and exact power for the McNemar test and its analogue with R controls per
    case. Biometrics, 40, 1005-1015.

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
    r"""Return the standard deviation of the difference of two 0-1 scores with given means and correlation.

    Parameters
    ----------
    first, second
        Expected means, from 0 to 1.
    correlation
        Correlation of the two models' scores.

    Returns
    -------
    float
        :math:`\sqrt{p_1 q_1 + p_2 q_2 - 2 \rho \sqrt{p_1 q_1 p_2 q_2}}`.

    References
    ----------
    Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640, section 4.

    Examples
    --------
    >>> round(paired_sd(0.655, 0.63, 0.5), 4)
    0.4791
    """
    for value in (first, second):
        if not 0 <= value <= 1:
            raise OptionError(f"the mean of 0-1 scores is {value!r}; expected a number from 0 to 1")
    if not -1 <= correlation <= 1:
        raise OptionError(f"the correlation is {correlation!r}; expected a number from -1 to 1")
    one, two = first * (1 - first), second * (1 - second)
    return float(np.sqrt(max(0.0, one + two - 2 * correlation * np.sqrt(one * two))))


def disagreements(first: float, second: float, correlation: float) -> tuple[float, float]:
    """Probabilities that only the first, only the second of two models is right.

    Parameters
    ----------
    first, second, correlation
        As in `paired_sd`.

    Returns
    -------
    tuple
        Both probabilities.

    Raises
    ------
    OptionError
        Means like these cannot have that correlation.

    References
    ----------
    McNemar, Q. (1947). Psychometrika, 12, 153-157.

    Examples
    --------
    >>> [round(p, 4) for p in disagreements(0.655, 0.63, 0.5)]
    [0.1276, 0.1026]
    """
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

    Parameters
    ----------
    disagreement
        Share of items on which only one model is right (ψ).
    effect
        True difference (δ).
    n
        Items.
    level
        Nominal coverage.

    Returns
    -------
    float
        From end to end.

    References
    ----------
    Bonett, D. G., & Price, R. M. (2012). Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data. Journal of Educational and Behavioral Statistics, 37, 479-488.

    Examples
    --------
    >>> round(counted_interval_width(0.22, 0.05, 500), 4)
    0.0821
    """
    z = float(special.ndtri(0.5 + level / 2))
    # the squared centre has its own variance on top of the square of its mean
    centre = (n * effect**2 * n + n * (disagreement - effect**2)) / (n + 2) ** 2
    return float(2 * z * np.sqrt(((n * disagreement + 2) / (n + 2) - centre) / (n + 2)))
