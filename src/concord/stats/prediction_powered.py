"""Means and regressions from people and predictions together: people keep it right, predictions narrow it.

Angelopoulos et al. (2023), Science, 382, 669-674, and PPI++, arXiv:2311.01453. Broska et al. (2025), The
mixed subjects design, Sociological Methods & Research.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats

FEWEST_PEOPLE = 20
"""People below which there is no interval: the weight of the predictions is chosen on them too."""
NORMAL_FROM = 100
"""People from which normal quantiles are used; fewer get Student's t and variances over n - 1."""


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """A mean from people and predictions."""

    value: float
    se: float
    low: float
    high: float
    weight: float
    """λ: 0 uses people alone, 1 trusts predictions as far as they go."""
    people: float
    """The mean of people alone, and its standard error."""
    people_se: float
    correlation: float
    """Of answers and predictions over people; NaN where predictions are constant."""


def powered_mean(
    y: ArrayLike,
    f: ArrayLike,
    more: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    more_weights: ArrayLike | None = None,
    level: float = 0.95,
) -> PoweredMean:
    r"""Compute a mean from n people with predictions and N further predictions.

    .. math:: \hat\theta = \overline{y} + \hat\lambda(\overline{f}_N - \overline{f}_n), \quad
              \hat\lambda = \frac{\mathrm{cov}(y, f)}{(1 + n/N)\,\mathrm{var} f} \in [0, 1]

    A biased model costs nothing: its bias cancels. Weighted means are ratios (Hájek 1971): values count as
    deviations from their weighted mean; an interval of plain weighted sums far from 0 would cover 100 %.
    """
    answers, at, further = (np.asarray(x, dtype=np.float64) for x in (y, f, more))
    w, v = _weights(weights, answers.size), _weights(more_weights, further.size)
    _check_sizes(answers, at, further)
    n, m = answers.size, further.size
    middle = (float((w * at).sum()) + float((v * further).sum())) / (n + m)
    a, b, c = _weighed(answers, w), w * (at - middle), v * (further - middle)
    spread = float(np.concatenate([b, c]).var(ddof=1))
    covariance = float(((a - a.mean()) * (b - b.mean())).mean())
    constant = np.ptp(at) == 0
    tuned = 0.0 if constant or spread <= 0 else covariance / ((1 + n / m) * spread)
    weight = float(np.clip(tuned, 0.0, 1.0))
    value = float((v * weight * further).mean() + (w * (answers - weight * at)).mean())
    few = int(n < NORMAL_FROM)
    own, theirs = _weighed(answers - weight * at, w), _weighed(weight * further, v)
    se = float(np.sqrt(own.var(ddof=few) / n + (theirs.var(ddof=few) / m if m > few else 0.0)))
    reach = quantile(n, level) * se
    alone = float(a.var(ddof=few) / n) ** 0.5
    r = float("nan") if constant or np.ptp(answers) == 0 else _weighted_r(answers, at, w)
    return PoweredMean(value, se, value - reach, value + reach, weight, float((w * answers).mean()), alone, r)


def powered_deviations(
    y: ArrayLike,
    f: ArrayLike,
    more: ArrayLike,
    weight: float,
    *,
    weights: ArrayLike | None = None,
    more_weights: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Compute what each person and each further prediction does to a powered mean, times their number."""
    answers, at, further = (np.asarray(x, dtype=np.float64) for x in (y, f, more))
    w, v = _weights(weights, answers.size), _weights(more_weights, further.size)
    return _weighed(answers - weight * at, w), _weighed(weight * further, v)


def _weighed(values: Floats, w: Floats) -> Floats:
    """Return what each value does to the weighted mean: w (x - mean), weights scaled to a mean of 1."""
    return np.asarray(w * (values - (w * values).mean()))


def quantile(n: int, level: float) -> float:
    """Return the two-sided quantile for n people: normal from `NORMAL_FROM` on, Student's t below."""
    at = 0.5 + level / 2
    return float(special.ndtri(at) if n >= NORMAL_FROM else special.stdtrit(n - 1, at))


def _weighted_r(y: Floats, f: Floats, w: Floats) -> float:
    dy, df = y - np.average(y, weights=w), f - np.average(f, weights=w)
    below = np.sqrt(np.average(dy**2, weights=w) * np.average(df**2, weights=w))
    return float(np.average(dy * df, weights=w) / below) if below > 0 else float("nan")


def _weights(weights: ArrayLike | None, size: int) -> Floats:
    """Return weights with a mean of 1."""
    if weights is None:
        return np.ones(size)
    found = np.asarray(weights, dtype=np.float64)
    if found.size != size:
        raise OptionError(f"{found.size} weights for {size} rows")
    if (found < 0).any() or not found.sum() > 0:
        raise OptionError("weights are negative, or all 0")
    return np.asarray(found / found.sum() * size)


def _check_sizes(y: Floats, f: Floats, more: Floats) -> None:
    if y.size != f.size:
        raise OptionError(f"{y.size} answers of people, {f.size} predictions for them: one each is needed")
    if y.size < 2:
        raise UndefinedError(f"{y.size} people: a mean with a standard error needs two")
    if more.size < 1:
        raise UndefinedError("no further prediction: there is nothing to combine with")


@dataclass(frozen=True, slots=True, eq=False)
class PoweredRegression:
    """Coefficients of a linear regression from people and predictions; arrays over coefficients."""

    value: Floats
    se: Floats
    low: Floats
    high: Floats
    weight: float
    people: Floats
    people_se: Floats


def powered_regression(
    x: ArrayLike,
    y: ArrayLike,
    f: ArrayLike,
    more_x: ArrayLike,
    more: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    more_weights: ArrayLike | None = None,
    level: float = 0.95,
) -> PoweredRegression:
    r"""Compute least-squares coefficients from people with predictions and further predictions.

    .. math:: \hat\theta = \hat\beta(X_N, \lambda f_N) + \hat\beta(X_n, y - \lambda f)

    One weight for all coefficients makes the sum of their variances small; sandwich standard errors.
    """
    xs, ys, fs, xn, fn = (np.asarray(one, dtype=np.float64) for one in (x, y, f, more_x, more))
    w, v = _weights(weights, ys.size), _weights(more_weights, fn.size)
    _check_sizes(ys, fs, fn)
    if np.linalg.matrix_rank(xs) < xs.shape[1] or np.linalg.matrix_rank(xn) < xn.shape[1]:
        raise UndefinedError("covariates are collinear, or fewer rows than coefficients")
    first = _least_squares(xn, fn, v) + _least_squares(xs, ys - fs, w)
    weight = _tuned(xs, ys, fs, xn, fn, w=w, v=v, at=first)
    value = _least_squares(xn, weight * fn, v) + _least_squares(xs, ys - weight * fs, w)
    se = _sandwich(xs, ys, fs, xn, fn, w=w, v=v, at=value, weight=weight)
    alone = _least_squares(xs, ys, w)
    alone_se = _sandwich(xs, ys, fs, xn, fn, w=w, v=v, at=alone, weight=0.0)
    reach = quantile(ys.size, level) * se
    return PoweredRegression(value, se, value - reach, value + reach, weight, alone, alone_se)


def _least_squares(x: Floats, y: Floats, w: Floats) -> Floats:
    root = np.sqrt(w)
    return np.asarray(np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0])


def _gradients(x: Floats, y: Floats, w: Floats, at: Floats) -> Floats:
    return np.asarray((w * (x @ at - y))[:, None] * x)


def _tuned(
    x: Floats, y: Floats, f: Floats, xn: Floats, fn: Floats, *, w: Floats, v: Floats, at: Floats
) -> float:
    """Return the weight of predictions that makes the trace of the covariance smallest, from 0 to 1."""
    n, m = y.size, fn.size
    inverse = np.linalg.inv(((x * w[:, None]).T @ x + (xn * v[:, None]).T @ xn) / (n + m))
    own, theirs, more = _gradients(x, y, w, at), _gradients(x, f, w, at), _gradients(xn, fn, v, at)
    dy, df = own - own.mean(axis=0), theirs - theirs.mean(axis=0)
    covariance = (dy.T @ df + df.T @ dy) / n
    variance = np.atleast_2d(np.cov(np.concatenate([theirs, more]).T))
    below = 2 * (1 + n / m) * float(np.trace(inverse @ variance @ inverse))
    return float(np.clip(np.trace(inverse @ covariance @ inverse) / below, 0, 1)) if below > 0 else 0.0


def _sandwich(
    x: Floats,
    y: Floats,
    f: Floats,
    xn: Floats,
    fn: Floats,
    *,
    w: Floats,
    v: Floats,
    at: Floats,
    weight: float,
) -> Floats:
    n, m = y.size, fn.size
    if weight == 0:
        inverse = np.linalg.inv((x * w[:, None]).T @ x / n)
    else:
        inverse = np.linalg.inv(((x * w[:, None]).T @ x + (xn * v[:, None]).T @ xn) / (n + m))
    own, theirs, more = _gradients(x, y, w, at), _gradients(x, f, w, at), _gradients(xn, fn, v, at)
    middle = np.atleast_2d(np.cov((own - weight * theirs).T))
    if weight > 0:
        middle = middle + n / m * np.atleast_2d(np.cov(weight * more.T))
    return np.asarray(np.sqrt(np.diag(inverse @ middle @ inverse) / n))


def effective_people(n: ArrayLike, m: ArrayLike, correlation: ArrayLike) -> Floats:
    """Compute how many people would give the same standard error: n/(1 - ρ² N/(n + N)), ρ at least 0."""
    people, replies = np.asarray(n, dtype=np.float64), np.asarray(m, dtype=np.float64)
    r = np.maximum(np.asarray(correlation, dtype=np.float64), 0.0)
    return np.asarray(people / (1 - r**2 * replies / (people + replies)))


@dataclass(frozen=True, slots=True)
class MixedDesign:
    """The cheapest numbers of people and of predictions for a standard error."""

    people: int
    replies: int
    cost: float
    se: float
    people_alone: int
    """People that would be needed without predictions, and what they cost."""
    cost_alone: float


def cheapest_mixed(
    correlation: float, *, sd: float, se: float, person_cost: float, reply_cost: float
) -> MixedDesign:
    """Find the cheapest (n, N) with SE² = σ²/n (1 - ρ² N/(n + N)); every person needs a prediction too."""
    if not (0 <= correlation < 1) or sd <= 0 or se <= 0 or person_cost <= 0 or reply_cost < 0:
        raise OptionError(
            "a plan needs a correlation from 0 to below 1, sd, se and the price of a person above 0, and the "
            "price of a reply of 0 or more"
        )
    correlation = correlation if correlation > 1e-6 else 0.0  # less is worth nothing, and overflows
    whole = (sd / se) ** 2
    alone = max(2, int(np.ceil(whole * (1 - 1e-12))))
    least = int(np.floor(whole * (1 - correlation**2))) + 1
    n = np.unique(np.round(np.linspace(min(max(least, 2), alone), alone, 200_001)).astype(np.int64))
    share = np.clip(1 - n / whole, 0.0, None) / correlation**2 if correlation > 0 else np.zeros(n.size)
    possible = share < 1
    with np.errstate(divide="ignore", invalid="ignore"):
        replies = np.where(possible, np.ceil(n * share / (1 - share) * (1 - 1e-12)), np.inf)
    cost = np.where(replies > 0, n * (person_cost + reply_cost) + replies * reply_cost, n * person_cost)
    if correlation == 0:
        cost = np.where(n == alone, n * person_cost, np.inf)
    best = int(np.nanargmin(cost))
    people, more = int(n[best]), int(replies[best])
    reached = sd / float(np.sqrt(effective_people(people, max(more, 1), correlation if more else 0.0)))
    return MixedDesign(people, more, float(cost[best]), reached, alone, alone * person_cost)
