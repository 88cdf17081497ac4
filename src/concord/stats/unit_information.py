r"""The Bayes factor of an estimate with its standard error: a prior worth one observation.

Without the sample size there is no t. An estimate :math:`b \pm s` is then taken as normal, and under an
effect its true value as :math:`N(0, \sigma^2)`, where :math:`\sigma` is the standard deviation of a single
answer: a prior that knows as much as one observation. With :math:`n = \sigma^2 / s^2` and :math:`z = b / s`,

.. math:: \log BF_{10} = \tfrac12 \left( z^2 \frac{n}{n + 1} - \log(1 + n) \right).

References
----------
Jeffreys, H. (1961). Theory of Probability (3rd ed.). Oxford. Kass, R. E., & Wasserman, L. (1995). A reference
Bayesian test for nested hypotheses and its relationship to the Schwarz criterion. JASA, 90, 928-934.
Rouder, J. N., Speckman, P. L., Sun, D., Morey, R. D., & Iverson, G. (2009). Bayesian t tests for accepting
and rejecting the null hypothesis. Psychonomic Bulletin & Review, 16, 225-237.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.stats.elementwise import Floats


def log_bf_unit_information(estimate: ArrayLike, se: ArrayLike, unit_sd: ArrayLike) -> Floats:
    """Compute the log Bayes factor of an effect, from an estimate and its standard error.

    References
    ----------
    Kass, R. E., & Wasserman, L. (1995). JASA, 90, 928-934.

    Examples
    --------
    >>> round(float(log_bf_unit_information(2.0, 1.0, 10.0)), 3)
    -0.327
    """
    z, n = _z_and_size(estimate, se, unit_sd)
    return np.asarray((z * z * n / (n + 1) - np.log1p(n)) / 2)


def prob_positive_unit_information(estimate: ArrayLike, se: ArrayLike, unit_sd: ArrayLike) -> Floats:
    r"""Compute how probable a positive effect is where there is one, :math:`\Phi(z \sqrt{n/(n + 1)})`.

    References
    ----------
    Kass, R. E., & Wasserman, L. (1995). JASA, 90, 928-934.

    Examples
    --------
    >>> round(float(prob_positive_unit_information(2.0, 1.0, 10.0)), 4)
    0.9767
    """
    z, n = _z_and_size(estimate, se, unit_sd)
    return np.asarray(special.ndtr(z * np.sqrt(n / (n + 1))))


def _z_and_size(estimate: ArrayLike, se: ArrayLike, unit_sd: ArrayLike) -> tuple[Floats, Floats]:
    b, s, sd = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in (estimate, se, unit_sd)))
    usable = (s > 0) & (sd > 0)
    s, sd = np.where(usable, s, np.nan), np.where(usable, sd, np.nan)
    return np.asarray(b / s), np.asarray((sd / s) ** 2)
