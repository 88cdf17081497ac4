"""How well a sample knows its variance."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import UndefinedError
from concord.records import Interval
from concord.stats.clustered import finite_vector
from concord.stats.intervals import checked_level

FEWEST = 8
"""Below this many values the fourth moment says nothing."""


def variance_interval(values: ArrayLike, *, level: float = 0.95) -> Interval:
    r"""Interval of a variance that does not need normal values.

    .. math:: \exp\left[\ln(c s^2) \pm z c \sqrt{\frac{\hat\gamma_4 - (n - 3)/n}{n - 1}}\right],
        \quad c = \frac{n}{n - z}

    with the kurtosis :math:`\hat\gamma_4 = n \sum (x - m)^4 / (\sum (x - \bar x)^2)^2` about a mean m that is
    trimmed by :math:`1/(2\sqrt{n - 4})` at both ends.

    Parameters
    ----------
    values
        A sample of at least eight.
    level
        Nominal coverage.

    Returns
    -------
    Interval
        Of the variance.

    Raises
    ------
    UndefinedError
        Fewer than eight values, or no spread.

    References
    ----------
    Bonett, D. G. (2006). Approximate confidence interval for standard deviation of nonnormal distributions.
    Computational Statistics & Data Analysis, 50, 775-782.

    Examples
    --------
    >>> interval = variance_interval([15.83, 16.01, 16.24, 16.42, 15.33, 15.44, 16.88, 16.31])
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.106, 1.175)
    """
    x = np.sort(finite_vector(values))
    n = x.size
    if n < FEWEST:
        raise UndefinedError(f"the interval of a variance needs at least {FEWEST} values, there are {n}")
    squares = float(np.sum((x - x.mean()) ** 2))
    if squares == 0:
        raise UndefinedError("every value is the same: their variance has no interval")
    z = float(special.ndtri(0.5 + checked_level(level) / 2))
    cut = int(n / (2 * np.sqrt(n - 4)))
    centre = x[cut : n - cut].mean()
    kurtosis = n * float(np.sum((x - centre) ** 4)) / squares**2
    c = n / (n - z)
    reach = z * c * float(np.sqrt((kurtosis - (n - 3) / n) / (n - 1)))
    middle = c * squares / (n - 1)
    return Interval(float(middle * np.exp(-reach)), float(middle * np.exp(reach)), level, "Bonett (2006)")
