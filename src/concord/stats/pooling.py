"""Pooling of tests into findings: PAS by Fisher z, ECS-strict from differences in standard errors.

Units lie on the last axis; NaN marks one that is undefined and left out. What has no defined unit is an
`UndefinedError` alone, NaN in a batch or among groups. The ``_groups`` forms pool runs of the last axis that
begin at ``starts``, the layout of ``numpy.ufunc.reduceat``.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.special import expit

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats, broadcast, shaped

Integers = NDArray[np.intp]


def mean_groups(values: ArrayLike, starts: ArrayLike) -> Floats:
    """Plain mean of every group (`starts`), undefined units left out: findings to studies to a benchmark.

    References
    ----------
    The layout is that of ``numpy.ufunc.reduceat``.

    Examples
    --------
    >>> mean_groups([1.0, 3.0, float("nan"), 5.0], [0, 2]).tolist()
    [2.0, 5.0]
    """
    units = np.asarray(values, dtype=np.float64)
    begin = checked_starts(starts, units)
    defined = ~np.isnan(units)
    count = sums(defined.astype(np.float64), begin)
    return quotient(sums(np.where(defined, units, 0.0), begin), count)


def checked_starts(starts: ArrayLike, values: Floats) -> Integers:
    """Group starts that begin with 0 and rise inside the last axis (reduceat would accept others)."""
    begin = np.asarray(starts, dtype=np.intp)
    length = values.shape[-1] if values.ndim else 0
    if (
        begin.ndim != 1
        or begin.size == 0
        or begin[0] != 0
        or np.any(np.diff(begin) < 1)
        or begin[-1] >= length
    ):
        raise OptionError(f"group starts must rise from 0 inside the {length} units, got {begin.tolist()}")
    return begin


def sums(values: Floats, begin: Integers) -> Floats:
    """Sum of every group along the last axis."""
    return np.add.reduceat(values, begin, axis=-1)


def quotient(above: Floats, below: Floats) -> Floats:
    """Quotient, NaN where the divisor is not positive."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


def one_group(units: Floats, pool: Callable[[Floats], Floats]) -> float | Floats:
    """Pool the whole last axis as one group; a single undefined answer raises."""
    if units.ndim == 0:
        raise OptionError("pooling needs an array of units, got a scalar")
    pooled = pool(units)[..., 0] if units.shape[-1] else np.full(units.shape[:-1], np.nan)
    if pooled.ndim:
        return pooled
    if np.isnan(pooled):
        raise UndefinedError("there is no defined unit to pool")
    return float(pooled)


LARGEST_R = 1 - 1e-6
"""Where correlations are clamped before the inverse hyperbolic tangent."""
DEGENERATE = 1e-8
"""Below this size of 2H - 1 the human side cannot be told from a coin, and PAS is not normalised by it."""
_SLACK = 1e-9
"""How far rounding may carry a probability outside [0, 1] before it is refused."""


def fisher_z(r: ArrayLike) -> float | Floats:
    """Fisher's z of a correlation, atanh of r clamped to +-(1 - 1e-6); NaN stays NaN.

    References
    ----------
    Fisher (1921), Metron, 1, 3-32.

    Examples
    --------
    >>> round(fisher_z(0.5), 6), round(fisher_z(1.0), 6)
    (0.549306, 7.254329)
    """
    z: Floats = np.arctanh(np.clip(np.asarray(r, dtype=np.float64), -LARGEST_R, LARGEST_R))
    return z if z.ndim else float(z)


def fisher_z_inverse(z: ArrayLike) -> float | Floats:
    """Correlation of a Fisher z, its hyperbolic tangent.

    References
    ----------
    Fisher (1921), as for `fisher_z`.

    Examples
    --------
    >>> round(fisher_z_inverse(fisher_z(0.25)), 12)
    0.25
    """
    r: Floats = np.tanh(np.asarray(z, dtype=np.float64))
    return r if r.ndim else float(r)


def pool_pas_groups(pas: ArrayLike, weights: ArrayLike | None, starts: ArrayLike) -> Floats:
    r"""PAS of every finding (groups at `starts`) from the PAS of its tests, by Fisher z.

    .. math:: \bar z = \sum w z / \sum w, \quad z = \operatorname{atanh}(2\,PAS - 1), \quad
        PAS = (\tanh \bar z + 1) / 2

    `weights` are n_eff of the agent's tests. A group with one defined test returns it exactly; where weights
    sum to zero the mean of z is unweighted; NaN without a defined test.

    References
    ----------
    Fisher (1921), Metron, 1, 3-32.

    Examples
    --------
    >>> pool_pas_groups([0.9, 0.5, 0.7, 1.0], [10, 10, 10, 3], [0, 2, 3]).round(4).tolist()
    [0.75, 0.7, 1.0]
    """
    units = _probabilities(pas, "PAS")
    z = np.asarray(fisher_z(2 * units - 1))
    return _pooled(units, z, weights, starts, lambda mean: 0.5 * (np.tanh(mean) + 1))


def pool_pas(pas: ArrayLike, weights: ArrayLike | None = None) -> float | Floats:
    """PAS of one finding from the PAS of its tests: one test is itself, several are pooled by Fisher z.

    References
    ----------
    Fisher (1921), Metron, 1, 3-32.

    Examples
    --------
    >>> pool_pas([0.3]), round(pool_pas([0.9, 0.5], weights=[30, 10]), 6)
    (0.3, 0.83861)
    """
    return one_group(np.asarray(pas, dtype=np.float64), lambda units: pool_pas_groups(units, weights, [0]))


def pool_normalised_groups(
    pas: ArrayLike, human: ArrayLike, weights: ArrayLike | None, starts: ArrayLike
) -> Floats:
    r"""Normalised PAS of every finding: two-state agreement over what the human side allows.

    .. math:: r' = (2\,PAS - 1) / (2H - 1), \quad H = \pi_h^2 + (1 - \pi_h)^2

    Several tests are pooled by Fisher z of r'. A test with :math:`|2H - 1| < 10^{-8}` is left out among
    several; alone in its finding it scores 0.0. One test keeps its r', which may exceed 1 in size.

    References
    ----------
    Fisher (1921), Metron, 1, 3-32.

    Examples
    --------
    >>> pool_normalised_groups([0.82, 0.5], [0.9, 0.5], None, [0, 1]).round(6).tolist()
    [1.0, 0.0]
    """
    units, posterior = np.broadcast_arrays(_probabilities(pas, "PAS"), _probabilities(human, "a posterior"))
    begin = checked_starts(starts, units)
    certainty = (2 * posterior - 1) ** 2  # 2H - 1, in the form that does not cancel
    defined = ~(np.isnan(units) | np.isnan(posterior))
    coin = defined & (certainty < DEGENERATE)
    ratio = np.where(defined & ~coin, (2 * units - 1) / np.where(coin, 1.0, certainty), np.nan)
    pooled = _pooled(ratio, np.asarray(fisher_z(ratio)), weights, starts, np.tanh)
    alone = sums(defined * 1.0, begin) == 1
    pooled = np.where(alone, pooled, np.clip(pooled, -LARGEST_R, LARGEST_R))
    return np.where(alone & (sums(coin * 1.0, begin) == 1), 0.0, pooled)


def pool_normalised(pas: ArrayLike, human: ArrayLike, weights: ArrayLike | None = None) -> float | Floats:
    """Normalised PAS of one finding; see `pool_normalised_groups`.

    References
    ----------
    Fisher (1921), as for `pool_pas`.

    Examples
    --------
    >>> round(pool_normalised([0.66], [0.9]), 6)
    0.5
    """
    return one_group(
        np.asarray(pas, dtype=np.float64), lambda units: pool_normalised_groups(units, human, weights, [0])
    )


def _pooled(
    units: Floats,
    z: Floats,
    weights: ArrayLike | None,
    starts: ArrayLike,
    back: Callable[[Floats], Floats],
) -> Floats:
    """Weighted mean of z per group carried back; a lone defined unit is returned as it is."""
    begin = checked_starts(starts, units)
    defined = ~np.isnan(units)
    count = sums(defined.astype(np.float64), begin)
    w = _checked_weights(weights, defined)
    z = np.where(defined, z, 0.0)
    total, weighted = sums(w, begin), sums(w * z, begin)
    mean = np.where(total > 0, quotient(weighted, total), quotient(sums(z, begin), count))
    lone = sums(np.where(defined, units, 0.0), begin)
    return np.where(count == 1, lone, back(mean))


def _checked_weights(weights: ArrayLike | None, defined: NDArray[np.bool_]) -> Floats:
    """Weights in the shape of the units, 0 for undefined units; anything unusable is refused."""
    if weights is None:
        return defined.astype(np.float64)
    given = np.broadcast_to(np.asarray(weights, dtype=np.float64), defined.shape)
    if not np.all(np.isfinite(given) & (given >= 0) | ~defined):
        raise OptionError("pooling weights must be finite and not negative wherever a unit is defined")
    return np.where(defined, given, 0.0)


def _probabilities(values: ArrayLike, what: str) -> Floats:
    """Values in [0, 1] or NaN; rounding just outside is brought back, more is refused."""
    array = np.asarray(values, dtype=np.float64)
    wrong = array[(array < -_SLACK) | (array > 1 + _SLACK)]
    if wrong.size:
        raise OptionError(f"{what} must lie in [0, 1], got {wrong.flat[0]!r}")
    return np.asarray(np.clip(array, 0.0, 1.0))


def z_agreement(z: ArrayLike) -> float | Floats:
    r"""Two-sided tail :math:`2(1 - \Phi(|z|))`, from the complementary error function; NaN stays NaN.

    References
    ----------
    Abramowitz & Stegun (1964), Handbook of Mathematical Functions, 7.1.22 and 26.2.29.

    Examples
    --------
    >>> z_agreement(0.0), round(z_agreement(1.959963984540054), 6)
    (1.0, 0.05)
    >>> f"{z_agreement(-12.0):.4e}"
    '3.5530e-33'
    """
    tail: Floats = np.asarray(special.erfc(np.abs(np.asarray(z, dtype=np.float64)) / np.sqrt(2.0)))
    return tail if tail.ndim else float(tail)


def rms_z_groups(z: ArrayLike, starts: ArrayLike) -> Floats:
    """Root mean square of the z values of every group (shape (..., G)): the pooling of ECS-strict."""
    return np.asarray(np.sqrt(mean_groups(np.square(np.asarray(z, dtype=np.float64)), starts)))


def rms_z(z: ArrayLike) -> float | Floats:
    """Root mean square of z values, undefined ones left out.

    References
    ----------
    The pooling of ECS-strict; `calibrated_agreement` is the form that is a p-value.

    Examples
    --------
    >>> round(rms_z([3.0, -4.0]), 4)
    3.5355
    """
    return one_group(np.asarray(z, dtype=np.float64), lambda units: rms_z_groups(units, [0]))


def calibrated_agreement_groups(z: ArrayLike, starts: ArrayLike) -> Floats:
    """Upper tail of Σ z² under χ²_K for every group, K its defined values."""
    values = np.asarray(z, dtype=np.float64)
    begin = checked_starts(starts, values)
    defined = ~np.isnan(values)
    count = sums(defined.astype(np.float64), begin)
    total = sums(np.where(defined, values, 0.0) ** 2, begin)
    tail = special.gammaincc(np.maximum(count, 1.0) / 2, total / 2)
    return np.where(count > 0, tail, np.nan)


def calibrated_agreement(z: ArrayLike) -> float | Floats:
    r"""Upper tail of :math:`\sum z^2` under :math:`\chi^2_K`: a p-value, which the RMS form is not.

    References
    ----------
    Abramowitz & Stegun (1964), Handbook of Mathematical Functions, 26.4.19.

    Examples
    --------
    >>> round(calibrated_agreement([1.0, -1.0]), 6)
    0.367879
    """
    return one_group(np.asarray(z, dtype=np.float64), lambda units: calibrated_agreement_groups(units, [0]))


SIGN_SPLIT = 1e-4
"""What the `sign` split leaves to the direction that was not observed."""
_ROUNDING = 1e-6
"""Published states have a few digits."""


def posterior(log_bf: ArrayLike, prior_odds: ArrayLike = 1.0) -> Floats | float:
    r"""Posterior probability of an effect, :math:`\pi = BF \cdot o / (1 + BF \cdot o)`, from the log BF.

    References
    ----------
    Kass & Raftery (1995), JASA, 90, 773-795.

    Examples
    --------
    >>> posterior(0.0), round(posterior(np.log(3)), 4), posterior(5000.0)
    (0.5, 0.75, 1.0)
    """
    (log_bf_, odds), shape = broadcast(log_bf, prior_odds)
    values = np.where(odds > 0, expit(log_bf_ + np.log(np.where(odds > 0, odds, 1.0))), np.nan)
    return shaped(values, shape, "a posterior needs a log Bayes factor and positive prior odds")


def posterior_states(log_bf: ArrayLike, prob_positive: ArrayLike, prior_odds: ArrayLike = 1.0) -> Floats:
    """Three states, positive effect, negative effect, no effect: they sum to one along the last axis.

    References
    ----------
    Kass & Raftery (1995), JASA, 90, 773-795.

    Examples
    --------
    >>> posterior_states(np.log(3), 0.9).round(3).tolist()
    [0.675, 0.075, 0.25]
    """
    bf, positive, odds = np.broadcast_arrays(
        *(np.asarray(argument, dtype=np.float64) for argument in (log_bf, prob_positive, prior_odds))
    )
    if ((positive < -_ROUNDING) | (positive > 1 + _ROUNDING)).any():
        raise OptionError("prob_positive is a probability: every number lies in [0, 1]")
    if (odds <= 0).any():
        raise OptionError("prior odds are positive")
    log_odds = bf + np.log(odds)
    effect, none = expit(log_odds), expit(-log_odds)
    return np.stack([effect * positive, effect * (1 - positive), none], axis=-1)


def pas_states(human: ArrayLike, agent: ArrayLike) -> Floats | float:
    r"""PAS of one test from two distributions over states: the probability that both are in the same.

    References
    ----------
    Two independent draws from the posteriors fall in one state with probability :math:`\sum_s \pi^h_s
    \pi^a_s`.

    Examples
    --------
    >>> round(pas_states([0.9, 0.0, 0.1], [0.0, 0.9, 0.1]), 3)
    0.01
    """
    states = [np.asarray(side, dtype=np.float64) for side in (human, agent)]
    for side in states:
        if (side < -_ROUNDING).any() or (np.abs(side.sum(axis=-1) - 1) > _ROUNDING).any():
            raise OptionError("states are probabilities that sum to one along the last axis")
    agreement = (states[0] * states[1]).sum(axis=-1)
    return shaped(np.atleast_1d(agreement), np.shape(agreement), "PAS needs both sides' states")


def pas_two_states(human: ArrayLike, agent: ArrayLike) -> Floats | float:
    r"""PAS of one test from the probabilities of an effect: :math:`\pi^h\pi^a + (1-\pi^h)(1-\pi^a)`.

    References
    ----------
    As `pas_states`, with the states effect and no effect.

    Examples
    --------
    >>> round(pas_two_states(0.9, 0.9), 3), pas_two_states(0.5, 0.2)
    (0.82, 0.5)
    """
    (h, a), shape = broadcast(human, agent)
    return shaped(h * a + (1 - h) * (1 - a), shape, "PAS needs both sides' posteriors")


def sign_split(direction: ArrayLike) -> Floats | float:
    """Probability of a positive effect by the observed sign alone: 1 - 1e-4, 1e-4, or 0.5 for a zero.

    References
    ----------
    The rule of the first benchmark of this kind; the exact posterior is `prob_positive_t` and its kin.

    Examples
    --------
    >>> sign_split(1), sign_split(-1), sign_split(0)
    (0.9999, 0.0001, 0.5)
    """
    (sign,), shape = broadcast(direction)
    split = np.select([sign > 0, sign < 0, sign == 0], [1 - SIGN_SPLIT, SIGN_SPLIT, 0.5], np.nan)
    return shaped(split, shape, "there is no direction to split by")
