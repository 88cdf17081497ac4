"""The difference of two maxima over shared units: an extreme has no standard error, its contrasts have."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from concord.errors import OptionError
from concord.records import Interval
from concord.stats.bands import MIN_UNITS, STILL
from concord.stats.elementwise import Floats
from concord.stats.intervals import checked_level

METHOD = "max-t band over all contrasts of arrangements, items resampled jointly; conservative"

_SMALLEST = 1e-12
"""Tails of an approximation say nothing below this, and a p-value is never 0."""
_NOTHING_MOVES = "no interval: every item gives the same difference"


@dataclass(frozen=True, slots=True, eq=False)
class MaximumSide:
    """Numbers of which a maximum is taken, and how the units move them."""

    values: Floats
    """One number a part, P of them."""
    influence: Floats
    """Linearised contribution of each unit to each number, units by parts; the mean over units is 0."""
    draws: Floats
    """The numbers under each resample of the units, resamples by parts; NaN where one was undefined."""


@dataclass(frozen=True, slots=True)
class MaximaDifference:
    """Largest number of the first side minus largest of the second."""

    value: float
    interval: Interval | None
    p_value: float | None
    note: str = ""


def difference_of_maxima(first: MaximumSide, second: MaximumSide, *, level: float = 0.95) -> MaximaDifference:
    r"""Difference of two maxima with an interval and a p-value from jointly resampled units.

    .. math:: \max_p a_p - \max_q b_q = \min_q \max_p (a_p - b_q) = \max_p \min_q (a_p - b_q)

    Each contrast :math:`a_p - b_q` is smooth and paired. A simultaneous band over all of them goes through
    both monotone forms, of which each end takes the one that is closer to the value,

    .. math:: [\min_q \max_p (\hat d_{pq} - c\, se_{pq}),\ \max_p \min_q (\hat d_{pq} + c\, se_{pq})]

    with c the quantile over resamples of :math:`\max_{pq} |\hat d^*_{pq} - \hat d_{pq}| / se_{pq}` on the
    Student scale. It covers at least as often as it says, whichever parts are the largest and however close
    the next ones are. The p-value is 1 less the level at which the interval just reaches zero: the share of
    resamples that move some contrast as far as :math:`\min_q \max_p \hat d_{pq}/se_{pq}` (or its mirror);
    where none does, Bonferroni's bound over the contrasts if it is smaller.

    References
    ----------
    Romano, J. P., & Wolf, M. (2005). Exact and approximate stepdown methods for multiple hypothesis
    testing. Journal of the American Statistical Association, 100(469), 94-108. Chernozhukov, V., Lee, S., &
    Rosen, A. M. (2013). Intersection bounds: estimation and inference. Econometrica, 81(2), 667-737.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.random((40, 3))
    >>> picks = rng.integers(0, 40, (500, 40))
    >>> sides = [MaximumSide(y.mean(0), y - y.mean(0), y[picks].mean(1)) for y in (x + [0, 0, 0.3], x)]
    >>> one = difference_of_maxima(*sides)
    >>> round(one.value, 3), one.interval.low > 0, one.p_value < 0.05
    (0.3, True, True)
    """
    n = len(first.influence)
    if n != len(second.influence) or len(first.draws) != len(second.draws):
        raise OptionError("two maxima compare over the same units and the same resamples")
    checked_level(level)
    value = float(first.values.max() - second.values.max())
    if n < MIN_UNITS:
        return MaximaDifference(value, None, None, f"no interval below {MIN_UNITS} items")
    errors = _standard_errors(first.influence, second.influence)
    if not (errors > 0).any():
        return MaximaDifference(value, None, None, _NOTHING_MOVES)
    largest = _largest_deviation(first, second, errors)
    contrasts = first.values[:, None] - second.values[None, :]
    reach = _student(_order_statistic(largest, level), n) * errors
    low, high = float((contrasts - reach).max(axis=0).min()), float((contrasts + reach).min(axis=1).max())
    if high - low <= STILL:
        return MaximaDifference(value, None, None, _NOTHING_MOVES)
    interval = Interval(max(low, -1.0), min(high, 1.0), level, METHOD)
    return MaximaDifference(
        value, interval, _p_value(contrasts, errors, largest, n), "interval and p are conservative"
    )


def _standard_errors(first: Floats, second: Floats) -> Floats:
    """Return the standard error of each contrast, P by Q; 0 where no unit moves it."""
    n = len(first)
    squares = [np.sum((first[:, [p]] - second) ** 2, axis=0) for p in range(first.shape[1])]
    errors = np.sqrt(np.array(squares) / (n * (n - 1)))
    return np.where(errors > STILL, errors, 0.0)


def _largest_deviation(first: MaximumSide, second: MaximumSide, errors: Floats) -> Floats:
    """Largest standardised move of any contrast in each resample."""
    a, b = (_moves(side) for side in (first, second))
    weights = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
    largest = np.zeros(len(a))
    room = np.empty_like(b)
    for p in range(a.shape[1]):
        np.subtract(a[:, [p]], b, out=room)
        np.abs(room, out=room)
        room *= weights[p]
        np.maximum(largest, room.max(axis=1), out=largest)
    return largest


def _moves(side: MaximumSide) -> Floats:
    """How far each resample moves each number; not at all where it was undefined."""
    return np.where(np.isnan(side.draws), 0.0, side.draws - side.values)


def _order_statistic(deviations: Floats, level: float) -> float:
    """Smallest deviation that all but a share of 1 - level of the resamples and the data keep below."""
    place = min(int(np.ceil(level * (len(deviations) + 1))), len(deviations)) - 1
    return float(np.partition(deviations, place)[place])


def _student(deviation: float, n: int) -> float:
    """Move a deviation to the Student scale: resamples are standardised by one fixed standard error."""
    c = deviation * float(np.sqrt(n / (n - 1)))
    tail = float(special.ndtr(-c))
    return c if tail < 1e-15 else max(c, -float(special.stdtrit(n - 1, tail)))


def _normal(t: float, n: int) -> float:
    """Undo `_student`."""
    tail = float(special.stdtr(n - 1, -t))
    c = t if tail < 1e-15 else min(t, -float(special.ndtri(tail)))
    return c * float(np.sqrt((n - 1) / n))


def _p_value(contrasts: Floats, errors: Floats, largest: Floats, n: int) -> float:
    """Share of resamples that move some contrast as far as the data are from no difference."""
    still = np.where(contrasts == 0, 0.0, np.copysign(np.inf, contrasts))
    ratios = np.divide(contrasts, errors, out=still, where=errors > 0)
    t = max(0.0, float(ratios.max(axis=0).min()), -float(ratios.min(axis=1).max()))
    hits = int(np.sum(largest >= _normal(t, n))) if np.isfinite(t) else 0
    share = (hits + 1) / (len(largest) + 1)
    if hits or not np.isfinite(t):
        return share
    bound = 2 * int((errors > 0).sum()) * float(special.stdtr(n - 1, -t))
    return min(share, max(bound, _SMALLEST))
