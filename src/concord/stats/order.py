"""The order effect: how far mean scores move between arrangements beyond what items and noise explain."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import UndefinedError
from concord.records import Interval
from concord.stats.elementwise import Floats
from concord.stats.spread import spread_of

METHOD = "spread of means with their covariance over items"
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

    .. math:: \hat\varepsilon = \frac{\operatorname{tr}(S)^2}{(P-1)\operatorname{tr}(S^2)}, \quad
        \tilde\varepsilon = \frac{N(P-1)\hat\varepsilon - 2}{(P-1)(N-1-(P-1)\hat\varepsilon)}

    S is the doubly centred covariance; both within [1/(P-1), 1]. Without a positive denominator (more
    conditions than units) the first stands for the second. Huynh & Feldt (1976), J. Educational Statistics,
    1(1), 69-82.
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

    Huynh-Feldt degrees of freedom: the plain F gives far too many false alarms when some arrangements are
    noisier. The interval inverts the distribution of the spread of means with the covariance seen over items
    (`concord.stats.spread`), so that it holds where the order effect differs by item. Box (1954), Annals of
    Mathematical Statistics, 25(3), 484-498.
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
    p_value = float(special.fdtrc(df1, df2, f))
    return OrderEffect(tau, _tau_interval(y, p_value, level), f, p_value, epsilon, df1, df2, **shape,
                       n_items=n, n_arrangements=p, note="")  # fmt: skip


def permuted_order_p(scores: Floats, *, n_blocks: int = 50, seed: int = 0) -> float:
    """P-value of no order effect: scores of each item dealt to the arrangements anew, 200 times per block."""
    # Rows keep their sums, so that the sum of squares of the arrangements' means orders layouts as F does.
    y = scores - scores.mean(axis=1, keepdims=True)
    seen = float(np.sum(y.mean(axis=0) ** 2)) * (1 - 1e-12)
    rng = np.random.default_rng(seed)
    as_large = 1
    for _ in range(n_blocks):
        dealt = rng.permuted(np.broadcast_to(y, (200, *y.shape)), axis=2)
        as_large += int(np.sum(np.sum(dealt.mean(axis=1) ** 2, axis=1) >= seen))
    return as_large / (1 + 200 * n_blocks)


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


def _tau_interval(y: Floats, p_value: float, level: float) -> Interval:
    """Return the limits of the spread of means; the lower is 0 where the test does not reach its level."""
    low, high = spread_of(y).ends(level)
    return Interval(low if p_value < 1 - level else 0.0, high, level, METHOD)


def variance_shares(effect: OrderEffect, noise: float, inverse_k: float) -> VarianceShares:
    """Split the variance of one sample's score into item, arrangement, interaction and decoding noise."""
    # The residual mean square of cell means is σ²_AI + σ²_e mean(1/k). Searle et al. (1992), ch. 4.
    item = max(0.0, (effect.ms_item - effect.ms_residual) / effect.n_arrangements)
    interaction = max(0.0, effect.ms_residual - noise * inverse_k)
    parts = np.array([item, effect.tau**2, interaction, noise])
    total = float(parts.sum())
    if total < _ZERO:
        raise UndefinedError("no score varies, so its variance has no shares")
    shares = parts / total
    return VarianceShares(*(float(share) for share in shares))
