r"""Is an agent's effect what a human replication would give: prediction interval, replication Bayes factor.

Effects and standard errors are on one scale of the test (d, log odds, Fisher's z), estimates about normal.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError
from concord.stats.elementwise import Bools, Floats, broadcast, shaped, where_defined
from concord.stats.intervals import checked_level

_NEEDS = "needs finite effects and positive standard errors"


class PredictionInterval(NamedTuple):
    """Where replications at the agent's n would lie, and whether the agent does."""

    low: Floats
    high: Floats
    inside: Bools
    """False also where a number is missing; `defined` tells them apart."""
    defined: Bools
    p_value: Floats
    """Two-sided p of the difference of agent and human effect."""


def replication_interval(
    human: ArrayLike, human_se: ArrayLike, agent: ArrayLike, agent_se: ArrayLike, *, level: float = 0.95
) -> PredictionInterval:
    r"""Prediction interval of a human replication at the agent's n: :math:`h \pm z\sqrt{SE_h^2 + SE_a^2}`.

    References
    ----------
    Patil et al. (2016), A statistical view of replicability in psychological science. Perspectives on
    Psychological Science, 11, 539-544.

    Examples
    --------
    >>> found = replication_interval([0.5, 0.5], [0.2, 0.2], [0.9, 1.4], [0.2, 0.2])
    >>> found.inside.tolist(), found.high.round(3).tolist()
    ([True, False], [1.054, 1.054])
    """
    (h, hs, a, as_), _ = broadcast(human, human_se, agent, agent_se)
    defined = np.isfinite(h) & np.isfinite(a) & (hs > 0) & (as_ > 0) & np.isfinite(hs) & np.isfinite(as_)
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.where(defined, np.hypot(hs, as_), np.nan)
        reach = special.ndtri(0.5 + checked_level(level) / 2) * se
        inside = np.abs(a - h) <= reach
        p = 2 * special.ndtr(-np.abs(a - h) / se)
    return PredictionInterval(h - reach, h + reach, inside, defined, p)


def log_bf_replication(
    original: ArrayLike, original_se: ArrayLike, replication: ArrayLike, replication_se: ArrayLike
) -> Floats | float:
    r"""Log Bayes factor of a replication: the original's posterior as the prior, against no effect.

    .. math:: \log \frac{N(r; o, SE_r^2 + SE_o^2)}{N(r; 0, SE_r^2)}

    References
    ----------
    Verhagen & Wagenmakers (2014), Journal of Experimental Psychology: General, 143, 1457-1475.
    Ly et al. (2019), Behavior Research Methods, 51, 2498-2508.

    Examples
    --------
    >>> [round(log_bf_replication(0.5, 0.15, effect, 0.15), 3) for effect in (0.45, 0.0)]
    [4.126, -3.124]
    """
    (o, os_, r, rs), shape = broadcast(original, original_se, replication, replication_se)
    defined = np.isfinite(o) & np.isfinite(r) & (os_ > 0) & (rs > 0) & np.isfinite(os_) & np.isfinite(rs)

    def compute(o: Floats, os_: Floats, r: Floats, rs: Floats) -> Floats:
        total = os_**2 + rs**2
        return np.asarray(0.5 * (np.log(rs**2 / total) + (r / rs) ** 2 - (r - o) ** 2 / total))

    return shaped(
        where_defined(defined, compute, o, os_, r, rs), shape, f"a replication Bayes factor {_NEEDS}"
    )


class SmallTelescope(NamedTuple):
    """Whether an effect is smaller than what the original study could have seen."""

    detectable: float
    """The effect that the original design would have found with the given power."""
    p_smaller: float
    """One-sided p that the replication's true effect is at least that large."""
    too_small: bool


def small_telescopes(
    original_se: float, replication: float, replication_se: float, *, power: float = 0.33, level: float = 0.95
) -> SmallTelescope:
    """Whether a replication's effect is smaller than the original's telescope could see (`power`, 33 %).

    The effect is signed so that the original's direction is positive; ``too_small`` where p is below 1 -
    level.

    References
    ----------
    Simonsohn (2015), Psychological Science, 26, 559-569.

    Examples
    --------
    >>> small = small_telescopes(0.25, 0.02, 0.1)
    >>> round(small.detectable, 3), round(small.p_smaller, 4), small.too_small
    (0.38, 0.0002, True)
    """
    from scipy.optimize import brentq  # loaded when needed

    alpha = 1 - checked_level(level)
    if not (original_se > 0 and replication_se > 0 and np.isfinite(replication)) or not alpha < power < 1:
        raise OptionError(f"small telescopes {_NEEDS}, and a power between the test's level and 1")
    border = float(special.ndtri(1 - alpha / 2))

    def short(z: float) -> float:
        return float(special.ndtr(z - border) + special.ndtr(-z - border)) - power

    detectable = float(brentq(short, 0.0, border + 10)) * original_se
    p = float(special.ndtr((replication - detectable) / replication_se))
    return SmallTelescope(detectable, p, p < alpha)


class SelectedEffect(NamedTuple):
    """An effect as it was published, and as it is once selection for significance is undone."""

    effect: Floats
    low: Floats
    high: Floats
    adjusted: Bools
    """Whether the estimate was significant, so that selection had to be undone."""


def selection_adjusted(
    effect: ArrayLike, se: ArrayLike, *, alpha: float = 0.05, level: float = 0.95
) -> SelectedEffect:
    r"""Conditional maximum likelihood of an effect that was published because it was significant at `alpha`.

    Maximises :math:`N(d; \theta, SE^2) / P_\theta(|d| > z_{\alpha/2} SE)`; estimates that are not significant
    stay as they are. The interval inverts the conditional distribution function of the estimate.

    References
    ----------
    Zhong & Prentice (2008), Biostatistics, 9, 621-634.
    Hedges (1984), Journal of Educational Statistics, 9, 61-85.

    Examples
    --------
    >>> found = selection_adjusted([0.42, 0.80, 0.10], [0.2, 0.2, 0.2])
    >>> found.effect.round(3).tolist(), found.adjusted.tolist()
    ([0.113, 0.789, 0.1], [True, True, False])
    """
    (d, s), _ = broadcast(effect, se)
    border = float(special.ndtri(1 - alpha / 2))
    tail = 0.5 * (1 - checked_level(level))
    values, low, high = d.copy(), np.full_like(d, np.nan), np.full_like(d, np.nan)
    adjusted = np.zeros(d.shape, dtype=np.bool_)
    for i in np.flatnonzero(np.isfinite(d) & (s > 0) & np.isfinite(s)):
        z, sign = abs(d[i]) / s[i], np.sign(d[i])
        if z <= border:
            reach = special.ndtri(1 - tail) * s[i]
            low[i], high[i] = d[i] - reach, d[i] + reach
            continue
        adjusted[i] = True
        ends = [_conditional_quantile(z, border, q) * s[i] * sign for q in (1 - tail, tail)]
        values[i] = _conditional_maximum(z, border) * s[i] * sign
        low[i], high[i] = min(ends), max(ends)
    return SelectedEffect(values, low, high, adjusted)


def _conditional_maximum(z: float, border: float) -> float:
    """Root of the conditional score: z = E(Z | |Z| > border) under the true effect; in [0, z]."""
    from scipy.optimize import brentq

    def miss(mu: float) -> float:
        up, down = border - mu, border + mu
        share = special.ndtr(-up) + special.ndtr(-down)
        return float(mu + (_density(up) - _density(down)) / share - z)

    return float(brentq(miss, 0.0, z)) if miss(z) > 0 else z


def _density(x: float) -> float:
    return float(np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi))


def _conditional_quantile(z: float, border: float, probability: float) -> float:
    """Return the true effect under which a selected estimate is at most z with this probability."""
    from scipy.optimize import brentq

    def miss(mu: float) -> float:
        share = special.ndtr(mu - border) + special.ndtr(-mu - border)
        at_most = special.ndtr(-border - mu) + special.ndtr(z - mu) - special.ndtr(border - mu)
        return float(at_most / share) - probability

    return float(brentq(miss, -border - 12.0, z + 12.0))
