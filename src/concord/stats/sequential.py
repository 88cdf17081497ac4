r"""Intervals that may be looked at at any time: means of people, made narrower by predictions.

A path of estimates with the best weight of the predictions is Brownian in time 1/V, whichever of people and
predictions was added: one variance serves both, and what is bought next may depend on the estimate.

References
----------
Lai, T. L. (1976). On confidence sequences. Annals of Statistics, 4, 265-280. Wang, H., & Ramdas, A. (2024).
Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance. Waudby-Smith, I.,
Arbour, D., Sinha, R., Kennedy, E. H., & Ramdas, A. (2024). Time-uniform central limit theory and asymptotic
confidence sequences. Annals of Statistics, 52, 2613-2640. Waudby-Smith, I., & Ramdas, A. (2024). Estimating
means of bounded random variables by betting. JRSS B, 86, 1-27.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats

FIRST_LOOK, FIRST_LOOK_OPEN = 60, 200
"""People before whom nothing is said: with declared ends or yes/no; without ends, or skewed."""
SKEWED = 1.5
"""Skewness from which on `FIRST_LOOK_OPEN` people are waited for, and stopping by width is refused."""
RARER = 10
"""Persons with the rarer of two answers before whom nothing is said."""


def mixture_tuning(level: float = 0.95) -> float:
    r"""Return :math:`q^* = -W_{-1}(-\alpha^2/e) - 1`, which makes the interval narrowest at the planned n.

    >>> round(mixture_tuning(0.95), 3)
    8.212
    """
    alpha = 1 - level
    return float(-special.lambertw(-(alpha**2) / np.e, -1).real - 1)


def mixture_reach(q: ArrayLike, df: ArrayLike, level: float = 0.95) -> Floats:
    r"""Return how many standard errors an interval reaches that may be looked at at any time (t-mixture).

    .. math:: k^2 = \frac{\nu(a - 1)}{1 - a/(1 + q)}, \quad a = (\sqrt{1 + q}/\alpha)^{2/(\nu + 1)}

    It is infinite while a is at least 1 + q. Without a limit of ν it is :math:`k^2 = (1 + 1/q)(\log(1 + q) +
    2\log(1/\alpha))`.

    >>> q = mixture_tuning() * 100 / 300
    >>> [round(float(mixture_reach(q, df)) / 10, 6) for df in (98, np.inf)]
    [0.324787, 0.315916]
    """
    q, nu, alpha = np.asarray(q, dtype=np.float64), np.asarray(df, dtype=np.float64), 1 - level
    evidence = np.log1p(q) + 2 * np.log(1 / alpha)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        less = np.expm1(evidence / (nu + 1))  # a - 1
        squared = np.where(np.isinf(nu), (1 + 1 / q) * evidence, nu * less / (1 - (1 + less) / (1 + q)))
        return np.asarray(np.sqrt(np.where(np.isinf(nu) | (less < q), squared, np.inf)))


def maximum_reach(ahead: ArrayLike, df: ArrayLike, level: float = 0.95) -> Floats:
    r"""Return the same for looks up to a stated maximum: :math:`\Phi^{-1}(1 - \alpha/4)\sqrt{V/V_{end}}`.

    `ahead` is V/V_end; few degrees of freedom widen it as Student's t does a normal interval.

    >>> round(float(maximum_reach(1.0, np.inf)), 4)
    2.2414
    """
    at = 1 - (1 - level) / 4
    nu = np.asarray(df, dtype=np.float64)
    reach = np.where(np.isinf(nu), special.ndtri(at), special.stdtrit(np.where(np.isinf(nu), 1, nu), at))
    return np.asarray(reach * np.sqrt(np.asarray(ahead, dtype=np.float64)))


@dataclass(frozen=True, slots=True, eq=False)
class PeopleSums:
    """Sums over persons, in arrays of any shape: rows m of a person, and their sums of answers y and of f."""

    people: Floats
    m: Floats
    y: Floats
    f: Floats
    mm: Floats
    my: Floats
    mf: Floats
    yy: Floats
    yf: Floats
    ff: Floats
    rows_ff: Floats
    """Σf² over rows."""


def people_sums(units: ArrayLike) -> PeopleSums:
    """Add up persons, each (rows, Σy, Σf, Σf²); the last axis but one is persons."""
    m, y, f, rows_ff = np.moveaxis(np.asarray(units, dtype=np.float64), -1, 0)
    parts = (np.ones_like(m), m, y, f, m * m, m * y, m * f, y * y, y * f, f * f, rows_ff)
    return PeopleSums(*(part.sum(axis=-1) for part in parts))


@dataclass(frozen=True, slots=True, eq=False)
class SequencedMean:
    """A mean of people and predictions at one look; arrays of one shape."""

    value: Floats
    weight: Floats
    """λ: not cut, 0 where predictions do not vary."""
    unit_variance: Floats
    """s²: the variance of what is left of a person's answer, times people over squared rows for V."""
    variance: Floats
    """V: squared standard error."""
    plus: Floats
    """V with the uncertainty of the slope, which the interval uses."""
    people: Floats
    people_value: Floats
    people_variance: Floats
    """The mean of people alone, and V without predictions."""
    correlation: Floats
    """Squared, of persons' answers and predictions, adjusted for n; 0 where none."""
    effective: Floats
    """People who carry as much as people and predictions together: s²/V."""


def sequenced_mean(
    sums: PeopleSums, more: ArrayLike, more_mean: ArrayLike, more_variance: ArrayLike
) -> SequencedMean:
    r"""Compute a mean from persons and N further predictions, from all persons so far.

    .. math:: \hat\theta = \bar y - \lambda(\bar f_n - \bar f_N), \quad
              \lambda = \frac{\mathrm{cov}(y, f)/\mathrm{var}(f)}{1 + n/N}, \quad
              V = \frac{s^2}{n} + \frac{\lambda^2 \mathrm{var} f}{N}

    s² is over n - 2, and V₊ = V + s²(f̄ₙ - f̄_N)²/S_ff adds the slope's. A person with several rows counts
    once: sums of a person's deviations take the place of answers, and rows count as many as they are worth.
    """
    big_n, mean_f, var_f = (np.asarray(x, dtype=np.float64) for x in (more, more_mean, more_variance))
    n, rows = sums.people, sums.m
    y, f = sums.y / rows, sums.f / rows
    with np.errstate(divide="ignore", invalid="ignore"):
        s_ff = sums.ff - 2 * f * sums.mf + f * f * sums.mm
        s_yf = sums.yf - y * sums.mf - f * sums.my + y * f * sums.mm
        s_yy = sums.yy - 2 * y * sums.my + y * y * sums.mm
        spread = sums.rows_ff - rows * f * f
        varies = (s_ff > 1e-12 * np.abs(sums.ff)) & (spread > 0) & (big_n > 1)
        worth = rows * np.where(varies, spread / s_ff, 1.0)  # rows, as many as they are worth
        slope = np.where(varies, s_yf / s_ff, 0.0)
        weight = np.where(varies, slope / (1 + worth / big_n), 0.0)
        left = np.maximum(s_yy - 2 * weight * s_yf + weight**2 * s_ff, 0.0)
        s2 = left / (n - 2)
        own = s2 * n / rows**2
        variance = own + np.where(varies, weight**2 * var_f / big_n, 0.0)
        plus = variance + np.where(varies, s2 * (f - mean_f) ** 2 / s_ff, 0.0)
        r2 = np.where(varies & (s_yy > 0), s_yf**2 / (s_yy * s_ff), 0.0)
        value = y - np.where(varies, weight * (f - mean_f), 0.0)
        effective = np.where(variance > 0, n * own / variance, np.nan)
    adjusted = np.maximum(1 - (1 - r2) * (n - 1) / (n - 2), 0.0)
    alone = s_yy / (n - 1) * n / rows**2
    return SequencedMean(value, weight, s2, variance, plus, n, y, alone, adjusted, effective)


def joined_variance(means: Sequence[SequencedMean], shares: Sequence[float]) -> tuple[Floats, ...]:
    """Join means with the shares they have in an estimate: value, V, V₊, ν (Welch), and effective people."""
    value = sum(c * one.value for c, one in zip(shares, means, strict=True))
    parts = [c * c * one.variance for c, one in zip(shares, means, strict=True)]
    plus = sum(c * c * one.plus for c, one in zip(shares, means, strict=True))
    variance, n = sum(parts), sum(one.people for one in means)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variance**2 / sum(v**2 / (one.people - 2) for v, one in zip(parts, means, strict=True))
        own = sum(v * one.effective / one.people for v, one in zip(parts, means, strict=True))
        effective = n * own / variance
    return tuple(np.asarray(x) for x in (value, variance, plus, df, effective))


def too_few_to_look(
    people: int, skew: float, *, rarer: int | None, has_ends: bool, kurtosis: float = 3.0
) -> str:
    """Say why there is no interval yet, or nothing: `rarer` counts persons with the rarer of two answers.

    Without declared ends the variance, too, must be known as well as that of `FIRST_LOOK` normal answers,
    2n/(kurtosis - 1): the skewness of a heavy tail is seen too late (amounts of skewness 6.8 with predictions
    that follow people's own scale, r = .9: missed in 6.9 % without this, 25 g² alone).
    """
    needed = FIRST_LOOK if rarer is not None or has_ends else FIRST_LOOK_OPEN
    if rarer is None:
        needed = max(needed, int(np.ceil(25 * skew**2)), FIRST_LOOK_OPEN if skew > SKEWED else 0)
        if not has_ends:
            needed = max(needed, int(np.ceil(FIRST_LOOK * (kurtosis - 1) / 2)))
    if people < needed:
        return f"too few to look: {people} people, {needed} are needed"
    if rarer is not None and rarer < RARER:
        return f"too few to look: {rarer} people gave the rarer answer, {RARER} are needed"
    return ""


@dataclass(frozen=True, slots=True)
class NextPurchase:
    """What to buy next, and the whole that is aimed at."""

    people: int
    replies: int
    cost: float
    """Of this purchase."""
    people_in_all: int
    replies_in_all: int
    cost_in_all: float
    """Of all that is still missing."""


def next_purchase(
    sd: float,
    correlation: float,
    *,
    people: int,
    replies: int,
    margin: float,
    planned: float,
    person_cost: float,
    reply_cost: float,
    batch: tuple[int, int] = (20, 2000),
    level: float = 0.95,
    most: int = 1_000_000,
) -> NextPurchase:
    r"""Look ahead to the cheapest people and replies whose interval reaches no further than `margin`.

    By today's spread and squared correlation, :math:`V(n, N) = \sigma^2/n\,(1 - \rho^2 N/(n + N))`, on a grid
    of batches. Of what is missing the replies are bought first where they cost less than the people, or a
    batch of people at most is missing.
    """
    if not (sd > 0 and margin > 0 and person_cost > 0 and reply_cost >= 0 and planned > 0):
        raise OptionError(
            "looking ahead needs a spread, a margin and the price of a person above 0, and the price of a "
            "reply of 0 or more"
        )

    def reaches(n: Floats, more: Floats) -> Floats:
        share = np.where(more > 0, more / (n + more), 0.0)
        variance = sd**2 / n * (1 - correlation * share)
        effective = sd**2 * (1 - correlation * share * (2 - share)) / variance
        return mixture_reach(mixture_tuning(level) * effective / planned, n - 2, level) * np.sqrt(variance)

    further = np.unique(np.concatenate([[0], np.geomspace(1, 4000, 300).astype(np.int64)]))
    grid = replies + batch[1] * (further if correlation > 0 else np.zeros(1, dtype=np.int64))
    low = np.full(grid.size, people, dtype=np.int64)
    steps = max(1, -(-(most - people) // batch[0]))
    first, last = np.zeros(grid.size, dtype=np.int64), np.full(grid.size, steps)
    while np.any(first < last):  # the fewest batches of people, for each number of replies
        middle = (first + last) // 2
        good = reaches((people + batch[0] * middle).astype(np.float64), grid.astype(np.float64)) <= margin
        first, last = np.where(good, first, middle + 1), np.where(good, middle, last)
        first = np.minimum(first, last)
    low = people + batch[0] * first
    reached = reaches(low.astype(np.float64), grid.astype(np.float64)) <= margin
    if not reached.any():
        raise UndefinedError(f"a margin of {margin:g} needs more than {most:,} people")
    each = person_cost + reply_cost  # a person needs a prediction too
    cost = np.where(reached, (low - people) * each + (grid - replies) * reply_cost, np.inf)
    best = int(np.argmin(cost))
    n, more = int(low[best] - people), int(grid[best] - replies)
    first_replies = more > 0 and (more * reply_cost < n * each or n <= batch[0])
    bought = (0, min(more, batch[1])) if first_replies else (min(n, batch[0]), 0)
    paid = bought[0] * each + bought[1] * reply_cost
    return NextPurchase(*bought, paid, people + n, replies + more, float(cost[best]))


def betting_ends(
    values: ArrayLike, *, planned: int, level: float = 0.95, grid: int = 2001
) -> tuple[float, float]:
    r"""Return the ends of a mean of values from 0 to 1 by betting: exact at every n, whatever their form.

    For each candidate m two capitals :math:`\prod(1 \pm \lambda_i(x_i - m))` bet against it with what was
    known before :math:`x_i`; m is left out where half of the larger one ever exceeds :math:`1/\alpha`.

    >>> low, high = betting_ends([0, 1] * 150, planned=300)
    >>> 0.4 < low < 0.5 < high < 0.6
    True
    """
    x, alpha = np.asarray(values, dtype=np.float64), 1 - level
    if x.size == 0 or x.min() < 0 or x.max() > 1:
        raise OptionError("betting needs values from 0 to 1")
    count = np.arange(1, x.size + 1)
    mean = (0.5 + np.cumsum(x)) / (count + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2)) / (count + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    stake = np.sqrt(2 * np.log(2 / alpha) / (before * np.maximum(planned, count)))
    m = np.linspace(0, 1, grid)[1:-1]
    up = np.minimum(stake[:, None], 0.5 / m)
    down = np.minimum(stake[:, None], 0.5 / (1 - m))
    away = x[:, None] - m
    capital = np.maximum(np.cumsum(np.log1p(up * away), axis=0), np.cumsum(np.log1p(-down * away), axis=0))
    kept = m[(capital - np.log(2) < np.log(1 / alpha)).all(axis=0)]
    if kept.size == 0:
        raise UndefinedError("no mean is left: the answers change too much over time for one mean")
    step = 1 / (grid - 1)
    return max(0.0, float(kept[0]) - step), min(1.0, float(kept[-1]) + step)
