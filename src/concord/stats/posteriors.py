"""From log Bayes factors to posterior states and to PAS, the probability that two sides agree."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from concord.errors import OptionError
from concord.stats.elementwise import Floats, broadcast, shaped

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
