"""Bayes factors that can favour the null where only a bound was used: within-subject F, variance ratio."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from concord.stats.elementwise import Floats, broadcast, where_defined
from concord.stats.precision_share import Share
from concord.stats.shaping import shaped


def log_bf_within(
    f: ArrayLike, df1: ArrayLike, df2: ArrayLike, *, n: ArrayLike | None = None
) -> Floats | float:
    r"""BIC approximation of the log Bayes factor of a within-subject F.

    .. math:: \log BF_{10} = \tfrac{n}{2} \log\left(1 + \tfrac{df_1}{df_2} F\right) - \tfrac{df_1}{2} \log n

    with :math:`n = s(c - 1)` independent observations of s participants in c conditions, which is
    df1 + df2. It stands for a unit-information prior, and unlike a bound from p it can favour no effect.

    Parameters
    ----------
    f, df1, df2
        The F statistic and its degrees of freedom, before any correction for sphericity.
    n
        Independent observations; df1 + df2 by default.

    References
    ----------
    Masson, M. E. J. (2011). A tutorial on a practical Bayesian alternative to null-hypothesis significance
    testing. Behavior Research Methods, 43, 679-690. Faulkenberry, T. J. (2018). Computing Bayes factors to
    measure evidence from experiments: an extension of the BIC approximation. Biometrical Letters, 55, 31-43.

    Examples
    --------
    >>> round(log_bf_within(0.01, 2, 6000), 2), round(log_bf_within(12.0, 2, 58), 2)
    (-8.69, 6.29)
    """
    (f_, a_, b_, n_), shape = broadcast(f, df1, df2, np.asarray(df1) + np.asarray(df2) if n is None else n)
    defined = (f_ >= 0) & np.isfinite(f_) & (a_ > 0) & (b_ > 0) & (n_ > 1) & np.isfinite(n_)

    def compute(f: Floats, df1: Floats, df2: Floats, n: Floats) -> Floats:
        return np.asarray(0.5 * (n * np.log1p(df1 * f / df2) - df1 * np.log(n)))

    values = where_defined(defined, compute, f_, a_, b_, n_)
    return shaped(values, shape, "a within-subject F needs F >= 0, df1, df2 > 0 and n > 1")


def log_bf_variance_ratio(
    f: ArrayLike, df1: ArrayLike, df2: ArrayLike, *, a: ArrayLike = 0.5
) -> Floats | float:
    r"""Log Bayes factor of a ratio of two sample variances: unequal against equal population variances.

    Under H1 the first group's share of precision, :math:`\rho = \sigma_1^{-2}/(\sigma_1^{-2} +
    \sigma_2^{-2})`, is Beta(a, a); means are flat and the total precision has Jeffreys' prior, so that only F
    and its degrees of freedom matter.

    Parameters
    ----------
    f, df1, df2
        Variance of the first sample over that of the second, and their degrees of freedom.
    a
        Shape of the prior, 1/2 by default.

    References
    ----------
    Dablander, F., van den Bergh, D., Wagenmakers, E.-J., & Ly, A. (2024). Default Bayes factors for testing
    the (in)equality of several population variances. Bayesian Analysis, 19, 699-723.

    Examples
    --------
    >>> round(log_bf_variance_ratio(1.0, 50, 50), 3), round(log_bf_variance_ratio(4.0, 50, 50), 2)
    (-2.187, 8.75)
    """
    (f_, df1_, df2_, a_), shape = broadcast(f, df1, df2, a)
    defined = (f_ > 0) & np.isfinite(f_) & (df1_ > 0) & (df2_ > 0) & (a_ > 0)
    defined &= np.isfinite(df1_) & np.isfinite(df2_)

    def compute(f: Floats, df1: Floats, df2: Floats, a: Floats) -> Floats:
        return np.asarray(np.logaddexp(*Share.of(f, df1, df2, a).log_halves()))

    values = where_defined(defined, compute, f_, df1_, df2_, a_)
    return shaped(values, shape, "a variance ratio needs F > 0 and positive degrees of freedom")


def prob_positive_variance_ratio(
    f: ArrayLike, df1: ArrayLike, df2: ArrayLike, *, a: ArrayLike = 0.5
) -> Floats | float:
    """Posterior probability that the first population has the larger variance, given that they differ.

    Parameters
    ----------
    f, df1, df2, a
        As in `log_bf_variance_ratio`.

    References
    ----------
    Dablander, F., et al. (2024). Bayesian Analysis, 19, 699-723.

    Examples
    --------
    >>> round(prob_positive_variance_ratio(2.0, 20, 20), 3)
    0.931
    """
    (f_, df1_, df2_, a_), shape = broadcast(f, df1, df2, a)
    defined = (f_ > 0) & np.isfinite(f_) & (df1_ > 0) & (df2_ > 0) & (a_ > 0)
    defined &= np.isfinite(df1_) & np.isfinite(df2_)

    def compute(f: Floats, df1: Floats, df2: Floats, a: Floats) -> Floats:
        below, above = Share.of(f, df1, df2, a).log_halves()
        return np.asarray(expit(below - above))

    values = where_defined(defined, compute, f_, df1_, df2_, a_)
    return shaped(values, shape, "a variance ratio needs F > 0 and positive degrees of freedom")
