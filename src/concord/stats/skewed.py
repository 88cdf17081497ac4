r"""Means of skewed and heavy-tailed numbers: Student's t with Hall's transformation, no resampling.

With b the skewness over the root of the number of units and T = (mean - μ)/SE,

.. math:: g(T) = T + \tfrac{b}{3} T^2 + \tfrac{b^2}{27} T^3 + \tfrac{b}{6}

is free of skewness to second order and rises for every T: tests and intervals come from Student's t of g(T)
and its inverse, with the degrees of freedom of the variance, 2n/(κ - 1), where these are fewer. A skewness
seen in few units may be that of a heavy tail: the interval joins both, and p is the larger of the two.
g is flat at T = -3/b, so beyond the border of 95 % p follows T with the correction that it has there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import UndefinedError
from concord.number_words import number
from concord.records import Interval
from concord.stats.clustered import cluster_codes, clustered_mean, finite_vector
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS, checked_level

LEAST_SKEW = 0.5
"""Skewness is seen where it exceeds this; below, both intervals differ little."""
FEWEST_DEGREES = 2.0
"""Degrees of freedom of a variance that a few units decide."""
STEEPEST = 0.4
"""Largest skewness of a sum that its interval follows."""
STEEPEST_CLUSTERS = 0.85
"""Largest b times the border that the interval of clusters follows: at 1 one end runs away.

With six tasks of unequal size the skewness is mostly noise: of normal effects it made intervals 1.5 times
as wide (one in ten twice), one side up to four times the other, for 0.8 points of coverage that was there
already. So held, they are 1.2 times as wide, one side 1.8 times the other at most, and cover 0 to 1 points
less where effects are skewed (exponential 94.0 for 94.3 %, lognormal 89.0 for 89.9 %; Student's t alone 93.0
and 87.1).
"""
FEWEST_UNITS = 5
"""Below this many units skewness cannot be estimated."""


@dataclass(frozen=True, slots=True)
class SkewedMean:
    """A mean of numbers that may be skewed."""

    mean: float
    skewness: float
    """Of units, or of the clusters' sums of residuals."""
    seen: bool
    """Whether the skewness is large enough to matter."""
    p_value: float
    """Of a mean of 0: the larger of Student's and that of the transformed t."""
    interval: Interval
    """Holds Student's interval and that of the transformed t."""
    statistic: float
    df: float
    """Of the transformed t: fewer where a few units decide the variance."""
    student: Interval
    """Student's interval alone."""

    @property
    def chosen(self) -> Interval:
        """The joined interval where skewness is seen, else Student's."""
        return self.interval if self.seen else self.student


def skewed_mean(values: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95) -> SkewedMean:
    """Test and interval of a mean that allow for skewness; ``seen`` says whether to prefer it to Student's t.

    Of thirteen methods on 24 populations with 8 to 200 units, Student's t lay within 93 to 97 % on 46 % of
    them, Hall's transformation on 54 %, both joined with the degrees of freedom of the variance on 92 %.
    Bootstrap-t covers as Hall's does and needs random numbers; BCa covers less.

    References
    ----------
    Hall (1992), JRSS B, 54, 221-228. Zhou & Dinh (2005), Biostatistics, 6, 187-200.

    Examples
    --------
    >>> x = np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.4, 2.5, 0.2, 0.1])
    >>> found = skewed_mean(x)
    >>> found.seen, round(found.interval.low, 3), round(found.interval.high, 3)
    (True, -0.108, 2.095)
    """
    x = finite_vector(values)
    error = clustered_mean(x, clusters)
    if error.n_clusters < FEWEST_CLUSTERS or error.se == 0:
        raise UndefinedError(f"a skewed mean needs {FEWEST_CLUSTERS} clusters or units that vary")
    shape = tail_shape(x, clusters)
    n, t = error.n_clusters, error.mean / error.se
    # the skewness of n units is that of the population times about (n - 2)/sqrt(n (n - 1))
    b = shape.skewness * float(np.sqrt(n - 1)) / (n - 2)
    df = min(error.df, shape.degrees)
    at_95, tail = float(special.stdtrit(df, 0.975)), 0.5 + checked_level(level) / 2
    for_p = _rising(
        abs(t), float(np.copysign(1, t)) * (b if clusters is None else _followable(b, at_95)), at_95
    )
    p = min(1.0, 2 * max(float(special.stdtr(error.df, -abs(t))), float(special.stdtr(df, -for_p))))
    border, plain = (float(special.stdtrit(degrees, tail)) for degrees in (df, error.df))
    b = b if clusters is None else _followable(b, border)
    low = error.mean - max(_inverse(border, b), plain) * error.se
    high = error.mean - min(_inverse(-border, b), -plain) * error.se
    method = (
        f"Student's t joined with Hall's transformation for skewness {number(shape.skewness, 2)}, "
        f"{number(df, 1)} degrees of freedom"
    )
    seen = n >= FEWEST_UNITS and abs(shape.skewness) > LEAST_SKEW
    reach, how = plain * error.se, f"Student's t, {number(error.df, 1)} degrees of freedom"
    student = Interval(error.mean - reach, error.mean + reach, level, how)
    joined = Interval(low, high, level, method)
    return SkewedMean(error.mean, shape.skewness, seen, p, joined, t, df, student)


def skewed_sum_ends(
    value: float, samples: Sequence[Floats], *, sizes: Sequence[float] | None = None, level: float = 0.95
) -> tuple[float, float] | None:
    """Compute the ends of an interval for a sum of means of independent samples."""
    # Student's t (Welch) joined with Hall's transformation, b `STEEPEST` at most: beyond, an end runs away
    # without covering more. Of 30 lognormal amounts Student's t alone covers 86 %, this 93 % at 1.28 times
    # the width. `sizes`: as how many units each sample counts for t, fewer (Kish's) where they weigh
    # differently.
    variances, thirds, doubts = [], [], []
    for i, sample in enumerate(samples):
        n, deviations = sample.size, sample - sample.mean()
        square = float(np.mean(deviations**2))
        if n < 2 or square == 0:
            continue
        variances.append(square / (n - 1))
        # the unbiased third cumulant of a mean: n²/((n - 1)(n - 2)) times the mean cube, over n²
        thirds.append(float(np.mean(deviations**3)) / ((n - 1) * (n - 2)) if n > 2 else 0.0)
        doubts.append(variances[-1] ** 2 / (n - 1 if sizes is None else max(sizes[i] - 1, 1.0)))
    if not variances:
        return None
    total = sum(variances)
    se, tail = float(np.sqrt(total)), 0.5 + checked_level(level) / 2
    b = float(np.clip(sum(thirds) / se**3, -STEEPEST, STEEPEST))
    t = float(special.stdtrit(total**2 / sum(doubts), tail))
    return value - max(_inverse(t, b), t) * se, value - min(_inverse(-t, b), -t) * se


@dataclass(frozen=True, slots=True)
class TailShape:
    """Skewness and tails of units, or of the clusters' sums of residuals."""

    skewness: float
    kurtosis: float
    """3 for a normal distribution."""
    n: int

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the variance: 2n/(kurtosis - 1), two at least."""
        return max(FEWEST_DEGREES, 2 * self.n / (self.kurtosis - 1)) if self.kurtosis > 1 else float(self.n)


def tail_shape(values: ArrayLike, clusters: ArrayLike | None = None) -> TailShape:
    """Return skewness and kurtosis of units or of clusters' residual sums; 0 and 3 where nothing varies."""
    x = finite_vector(values)
    residual = x - x.mean()
    codes, _ = cluster_codes(clusters, residual.size)
    sums = residual if codes is None else np.bincount(codes, weights=residual)
    variance = float(np.mean(sums**2))
    if variance == 0:
        return TailShape(0.0, 3.0, int(sums.size))
    skewness, kurtosis = (float(np.mean(sums**k)) / variance ** (k / 2) for k in (3, 4))
    return TailShape(skewness, kurtosis, int(sums.size))


def followable(b: Floats, border: Floats) -> Floats:
    """Return the skewness of clusters as far as an interval with this border can follow it."""
    most = STEEPEST_CLUSTERS / border
    return np.asarray(np.clip(b, -most, most))


def _followable(b: float, border: float) -> float:
    return float(followable(np.asarray(b), np.asarray(border)))


def _transformed(t: float, b: float) -> float:
    return t + b * t**2 / 3 + b**2 * t**3 / 27 + b / 6


def _rising(t: float, b: float, border: float) -> float:
    """Return g(T) of a positive T up to the border; beyond, T minus the correction at the border."""
    last = _inverse(border, b)
    return _transformed(t, b) if t <= last else border + t - last


def inverse_transformed(y: Floats, b: Floats) -> Floats:
    """Return T where Hall's transformation g(T) is y, for b the skewness over the root of the units."""
    small = np.abs(b) < 1e-8
    safe = np.where(small, 1.0, b)
    return np.asarray(np.where(small, y - b / 6, 3 / safe * (np.cbrt(1 + safe * (y - safe / 6)) - 1)))


def _inverse(y: float, b: float) -> float:
    return float(inverse_transformed(np.asarray(y), np.asarray(b)))
