"""The order effect: how far mean scores move between arrangements beyond what items and noise explain."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from concord.errors import UndefinedError
from concord.records import Interval

Floats: TypeAlias = NDArray[np.float64]
_SERIES = 1e8
"""Up to this noncentrality scipy sums the series without trouble."""
_ZERO = 1e-24
"""Mean squares of scores in [0, 1] below this are rounding."""


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """Two-way layout items by arrangements, one mean score a cell."""

    tau: float
    """Standard deviation of the arrangements' true means."""
    interval: Interval | None
    f: float | None
    p_value: float | None
    epsilon: float
    """Huynh-Feldt factor on both degrees of freedom."""
    df1: float
    df2: float
    ms_arrangement: float
    ms_residual: float
    ms_item: float
    n_items: int
    n_arrangements: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class VarianceShares:
    """Where the variance of a single sample's score comes from; the four shares sum to 1."""

    item: float
    arrangement: float
    interaction: float
    noise: float


def sphericity(scores: Floats) -> tuple[float, float]:
    r"""Greenhouse-Geisser and Huynh-Feldt factors of a layout of units by conditions.

    .. math::

        \hat\varepsilon = \frac{\operatorname{tr}(S)^2}{(P-1)\operatorname{tr}(S^2)}, \quad
        \tilde\varepsilon = \frac{N(P-1)\hat\varepsilon - 2}{(P-1)(N-1-(P-1)\hat\varepsilon)}

    with S the doubly centred covariance; both are kept within [1/(P-1), 1].

    Parameters
    ----------
    scores
        Units by conditions.

    Returns
    -------
    tuple of float
        The two factors. Where the Huynh-Feldt formula has no positive denominator (more conditions than
        units), the Greenhouse-Geisser factor stands in: it is the more cautious one.

    References
    ----------
    Huynh, H., & Feldt, L. S. (1976). Estimation of the Box correction for degrees of freedom from sample
    data in randomized block and split-plot designs. Journal of Educational Statistics, 1(1), 69-82.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> gg, hf = sphericity(rng.normal(size=(200, 4)))
    >>> 0.9 < gg <= hf <= 1
    True
    """
    n, p = scores.shape
    rows = scores - scores.mean(axis=1, keepdims=True)
    centred = rows - rows.mean(axis=0)
    covariance = centred.T @ centred / (n - 1)
    floor = 1.0 / (p - 1)
    gg = float(np.clip(np.trace(covariance) ** 2 / ((p - 1) * np.sum(covariance**2)), floor, 1.0))
    below = (p - 1) * (n - 1 - (p - 1) * gg)
    hf = (n * (p - 1) * gg - 2) / below if below > 0 else gg
    return gg, float(np.clip(hf, gg, 1.0))


def order_effect(scores: ArrayLike, *, level: float = 0.95) -> OrderEffect:
    r"""Spread of arrangements' mean scores beyond noise, with its test and interval.

    .. math:: \hat\tau^2 = \max\left(0, \frac{MS_{arr} - MS_{res}}{N}\right), \quad F = MS_{arr}/MS_{res}

    The test uses Huynh-Feldt degrees of freedom: the plain F gives far too many false alarms when some
    arrangements are noisier than others. The interval for :math:`\tau` inverts the noncentral F distribution
    with the same degrees of freedom, :math:`\lambda = \varepsilon N (P-1) \tau^2 / \sigma^2`. For its upper
    end an F below the median under no effect counts as that median, since plain inversion would shrink the
    interval to the point 0 when the means differ by less than noise would make them.

    Parameters
    ----------
    scores
        Mean score of each cell, items by arrangements, no cell missing.
    level
        Confidence level of the interval.

    Returns
    -------
    OrderEffect
        Estimate, test and interval; without residual variation there is no test, and the note says so.

    Raises
    ------
    UndefinedError
        Fewer than two items or two arrangements, or a missing cell.

    References
    ----------
    Huynh, H., & Feldt, L. S. (1976). Journal of Educational Statistics, 1(1), 69-82.
    Muller, K. E., & Barton, C. N. (1989). Approximate power for repeated-measures ANOVA lacking sphericity.
    Journal of the American Statistical Association, 84(406), 549-555.
    Steiger, J. H. (2004). Beyond the F test. Psychological Methods, 9(2), 164-182.

    Examples
    --------
    >>> effect = order_effect([[1, 2, 4], [2, 3, 4], [3, 5, 6], [4, 5, 8]])
    >>> round(effect.f, 4), round(effect.tau, 4)
    (29.7273, 1.4814)
    """
    y = np.asarray(scores, dtype=np.float64)
    n, p = _check(y)
    ms_item, ms_arrangement, ms_residual = _mean_squares(y)
    tau = float(np.sqrt(max(0.0, (ms_arrangement - ms_residual) / n)))
    shape = {"ms_arrangement": ms_arrangement, "ms_residual": ms_residual, "ms_item": ms_item}
    if ms_residual < _ZERO:
        note = "no residual variation: the test and the interval are not defined"
        return OrderEffect(tau, None, None, None, 1.0, p - 1, (n - 1) * (p - 1), **shape,
                           n_items=n, n_arrangements=p, note=note)  # fmt: skip
    _, epsilon = sphericity(y)
    df1, df2 = epsilon * (p - 1), epsilon * (n - 1) * (p - 1)
    f = ms_arrangement / ms_residual
    interval = _tau_interval(f, df1, df2, scale=ms_residual / (epsilon * n * (p - 1)), level=level)
    note = "" if interval is not None else "the noncentral F distribution could not be inverted: no interval"
    return OrderEffect(tau, interval, f, float(special.fdtrc(df1, df2, f)), epsilon, df1, df2, **shape,
                       n_items=n, n_arrangements=p, note=note)  # fmt: skip


def _check(y: Floats) -> tuple[int, int]:
    """Refuse a layout in which the effect does not exist."""
    if y.ndim != 2 or y.shape[0] < 2 or y.shape[1] < 2:
        raise UndefinedError("an order effect needs at least two items and two arrangements")
    if np.isnan(y).any():
        raise UndefinedError("an order effect needs every item under every arrangement")
    return y.shape[0], y.shape[1]


def _mean_squares(y: Floats) -> tuple[float, float, float]:
    """Mean squares of items, arrangements and residual, centred first so that nothing cancels."""
    n, p = y.shape
    z = y - y.mean()
    rows, columns = z.mean(axis=1), z.mean(axis=0)
    residual = z - rows[:, None] - columns[None, :]
    return (
        float(p * np.sum(rows**2) / (n - 1)),
        float(n * np.sum(columns**2) / (p - 1)),
        float(np.sum(residual**2) / ((n - 1) * (p - 1))),
    )


def _tau_interval(f: float, df1: float, df2: float, *, scale: float, level: float) -> Interval | None:
    """Invert the noncentral F distribution; ``scale`` turns its noncentrality into a variance."""
    tail = (1 - level) / 2
    low = _noncentrality(f, df1, df2, 1 - tail)
    high = _noncentrality(max(f, float(special.fdtri(df1, df2, 0.5))), df1, df2, tail)
    if low is None or high is None:
        return None
    return Interval(
        float(np.sqrt(low * scale)), float(np.sqrt(high * scale)), level, "noncentral F, Huynh-Feldt"
    )


def _noncentrality(f: float, df1: float, df2: float, probability: float) -> float | None:
    """Noncentrality at which the observed F has this cumulative probability; 0 if none is that small."""

    def excess(noncentrality: float) -> float:
        return _noncentral_f(f, df1, df2, noncentrality) - probability

    if excess(0.0) <= 0:
        return 0.0
    high = max(1.0, df1 * f)
    while (value := excess(high)) > 0 and high < 1e100:
        high *= 2
    if not value <= 0:
        return None
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        if high - low <= 1e-12 * high:
            break
    return (low + high) / 2


def _noncentral_f(f: float, df1: float, df2: float, noncentrality: float) -> float:
    """Cumulative noncentral F; beyond the reach of the exact series, Severo and Zelen's normal form.

    Abramowitz & Stegun (1964), 26.6.27: at these noncentralities right to about 1e-5.
    """
    if noncentrality <= _SERIES:
        return float(special.ncfdtr(df1, df2, noncentrality, f))
    root = np.cbrt(df1 * f / (df1 + noncentrality))
    spread, below = 2 * (df1 + 2 * noncentrality) / (9 * (df1 + noncentrality) ** 2), 2 / (9 * df2)
    return float(special.ndtr((root * (1 - below) - (1 - spread)) / np.sqrt(spread + below * root**2)))


def variance_shares(effect: OrderEffect, noise: float, inverse_k: float) -> VarianceShares:
    r"""Split the variance of one sample's score into item, arrangement, interaction and decoding noise.

    The residual mean square of cell means is :math:`\sigma^2_{AI} + \sigma^2_e \overline{1/k}`.

    Parameters
    ----------
    effect
        The two-way layout of cell means.
    noise
        Pooled variance of samples within cells.
    inverse_k
        Mean of 1/k over cells.

    Returns
    -------
    VarianceShares
        Four shares; negative components count as 0.

    Raises
    ------
    UndefinedError
        Nothing varies.

    References
    ----------
    Searle, S. R., Casella, G., & McCulloch, C. E. (1992). Variance components. Wiley, ch. 4.

    Examples
    --------
    >>> effect = order_effect([[0.1, 0.4], [0.2, 0.5], [0.6, 0.7]])
    >>> shares = variance_shares(effect, noise=0.01, inverse_k=0.25)
    >>> round(shares.item + shares.arrangement + shares.interaction + shares.noise, 12)
    1.0
    """
    item = max(0.0, (effect.ms_item - effect.ms_residual) / effect.n_arrangements)
    interaction = max(0.0, effect.ms_residual - noise * inverse_k)
    parts = np.array([item, effect.tau**2, interaction, noise])
    total = float(parts.sum())
    if total < _ZERO:
        raise UndefinedError("no score varies, so its variance has no shares")
    shares = parts / total
    return VarianceShares(*(float(share) for share in shares))
