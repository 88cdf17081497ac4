"""Distances between two distributions of answers.

Shares of options in, the last axis over options, leading axes broadcast. What samples of some size add to a
distance is in `concord.stats.distance_noise`.
"""

import numpy as np
from numpy.typing import ArrayLike

from concord.stats.elementwise import Floats


def total_variation(p: ArrayLike, q: ArrayLike) -> Floats:
    r"""Compute the total variation distance, :math:`\tfrac12 \sum |p_k - q_k|`, over the last axis.

    The share of answers that would have to change. Overlap is 1 minus it.

    References
    ----------
    Levin, D. A., & Peres, Y. (2017). Markov Chains and Mixing Times, chapter 4. AMS.

    Examples
    --------
    >>> float(total_variation([0.5, 0.5, 0.0], [0.25, 0.25, 0.5]))
    0.5
    """
    return np.asarray(0.5 * np.abs(np.asarray(p) - np.asarray(q)).sum(axis=-1))


def kolmogorov_smirnov(p: ArrayLike, q: ArrayLike) -> Floats:
    r"""Compute the largest difference of two cumulative distributions over ordered options.

    References
    ----------
    Smirnov, N. (1948). Table for estimating the goodness of fit of empirical distributions. Annals of
    Mathematical Statistics, 19, 279-281.

    Examples
    --------
    >>> float(kolmogorov_smirnov([0.5, 0.5, 0.0], [0.25, 0.25, 0.5]))
    0.5
    """
    return np.asarray(np.abs(np.cumsum(np.asarray(p) - np.asarray(q), axis=-1)).max(axis=-1))


def wasserstein(p: ArrayLike, q: ArrayLike, positions: ArrayLike, *, scale: float = 1.0) -> Floats:
    r"""Compute the Wasserstein-1 distance :math:`\int |F_p - F_q|` over a scale.

    References
    ----------
    Vallender, S. S. (1974). Calculation of the Wasserstein distance between probability distributions on
    the line. Theory of Probability and its Applications, 18, 784-786.

    Examples
    --------
    >>> float(wasserstein([1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [1, 2, 3], scale=2))
    0.75
    """
    gaps = np.diff(np.asarray(positions, dtype=np.float64))
    apart = np.abs(np.cumsum(np.asarray(p) - np.asarray(q), axis=-1))[..., :-1]
    return np.asarray((apart * gaps).sum(axis=-1) / scale)


def jensen_shannon(p: ArrayLike, q: ArrayLike) -> Floats:
    r"""Compute the Jensen-Shannon divergence in bits: 0 for equal, 1 for disjoint distributions.

    .. math:: H\left(\tfrac{p + q}{2}\right) - \tfrac12 H(p) - \tfrac12 H(q)

    The divergence, not its square root, which is a metric (0.557 in the example).

    References
    ----------
    Lin, J. (1991). Divergence measures based on the Shannon entropy. IEEE Transactions on Information
    Theory, 37, 145-151.

    Examples
    --------
    >>> round(float(jensen_shannon([0.5, 0.5, 0.0], [0.25, 0.25, 0.5])), 4)
    0.3113
    """
    one, two = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    found = entropy((one + two) / 2) - (entropy(one) + entropy(two)) / 2
    return np.asarray(np.maximum(found, 0.0))


def entropy(p: ArrayLike) -> Floats:
    r"""Compute Shannon's entropy in bits, :math:`-\sum p_k \log_2 p_k`, over the last axis.

    References
    ----------
    Shannon, C. E. (1948). A mathematical theory of communication. Bell System Technical Journal, 27, 379-423.

    Examples
    --------
    >>> float(entropy([0.25, 0.25, 0.5]))
    1.5
    """
    shares = np.asarray(p, dtype=np.float64)
    logs = np.log2(shares, out=np.zeros(shares.shape), where=shares > 0)
    return np.asarray(-(shares * logs).sum(axis=-1))
