r"""What the allowance for skewness costs a plan: normal differences look skewed in few items or clusters.

Comparisons replace Student's t by the t joined with Hall's transformation (`skewed_mean`) where they see
skewness. Eight clusters of normal differences look so in 39 % of all cases, and the joined test then finds
less. Given the residuals of the cluster sums the total S is normal, so its chance to lie beyond either limit
needs no draws; only the residuals, which decide the limits, are drawn (seeded).
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from concord.stats.clustered import mean_degrees
from concord.stats.elementwise import Floats
from concord.stats.skewed import FEWEST_DEGREES, FEWEST_UNITS, LEAST_SKEW, followable, inverse_transformed

MOST_UNITS = 150
"""Of more units hardly any sample looks skewed by chance: 1 % at 150."""
_NUMBERS, _FEWEST_DRAWS, _MOST_DRAWS = 60_000, 600, 4_000


@dataclass(frozen=True)
class SkewCost:
    """Limits of Student's t and of the joined test over draws that look skewed; S has a variance of 1."""

    seen: float
    """Share of draws that look skewed."""

    plain: Floats
    """S beyond which Student's t finds a difference, on either side."""
    above: Floats
    below: Floats
    """S above and below which the joined test does."""
    centre: Floats
    """Mean of S given the residuals, where there is no difference."""
    spread: float
    """Standard deviation of S given the residuals."""
    wider: float
    """Mean width of the interval that comparisons show over that of Student's t."""

    def loss(self, shift: float) -> float:
        """Return the power that is lost where the true S is this one."""
        where = self.centre + abs(shift)

        def beyond(low: Floats, high: Floats) -> Floats:
            ends = (where - high) / self.spread, (low - where) / self.spread
            return np.asarray(special.ndtr(ends[0]) + special.ndtr(ends[1]))

        if self.seen == 0:
            return 0.0
        lost = beyond(-self.plain, self.plain) - beyond(self.below, self.above)
        return self.seen * float(np.mean(lost))


def skew_cost(sizes: Floats, correlation: float, *, alpha: float, clustered: bool) -> SkewCost | None:
    """Return what the allowance for skewness costs where normal differences come in clusters of these sizes.

    References
    ----------
    Hall, P. (1992). On the removal of skewness by transformation. Journal of the Royal Statistical Society B,
    54, 221-228.

    Examples
    --------
    >>> cost = skew_cost(np.ones(8), 0.0, alpha=0.05, clustered=False)
    >>> round(cost.loss(3.3), 2), round(cost.wider, 2)
    (0.1, 1.27)
    """
    if not FEWEST_UNITS <= sizes.size <= MOST_UNITS:
        return None
    if np.ptp(sizes) == 0:  # the shape of residuals does not depend on what all clusters share
        return _cost((1.0,) * sizes.size, 0.0, alpha, clustered)
    # two digits are enough: between correlations of 0 and 1 the cost differs by a few points
    return _cost(tuple(sizes.tolist()), round(correlation, 2), alpha, clustered)


@lru_cache(maxsize=256)
def _cost(sizes: tuple[float, ...], correlation: float, alpha: float, clustered: bool) -> SkewCost:
    m = np.array(sizes)
    n, share = m.size, m / m.sum()
    variances = m * (1 + (m - 1) * correlation)
    variances /= variances.sum()
    draws = int(np.clip(_NUMBERS // n, _FEWEST_DRAWS, _MOST_DRAWS))
    sums = np.random.default_rng([8, n]).standard_normal((draws, n)) * np.sqrt(variances)
    residual = sums - share * sums.sum(axis=1, keepdims=True)
    error = np.sqrt(np.sum(residual**2 / (1 - share), axis=1))
    # Y = residual + share S: with normal Y, S given the residuals has precision Σ share²/v
    precision = float(np.sum(share**2 / variances))
    centre = -(residual @ (share / variances)) / precision
    df, tail = mean_degrees(m), 1 - alpha / 2
    plain = float(special.stdtrit(df, tail))
    square = np.mean(residual**2, axis=1)
    skewness = np.mean(residual**3, axis=1) / square**1.5
    seen = np.abs(skewness) > LEAST_SKEW
    residual, square, skewness, widths = residual[seen], square[seen], skewness[seen], 2 * plain * error
    kurtosis = np.mean(residual**4, axis=1) / square**2
    degrees = np.minimum(df, np.maximum(FEWEST_DEGREES, 2 * n / (kurtosis - 1)))
    border, b = special.stdtrit(degrees, tail), skewness * np.sqrt(n - 1) / (n - 2)
    b = followable(b, border) if clustered else b
    above = np.maximum(plain, inverse_transformed(border, b)) * error[seen]
    below = np.minimum(-plain, inverse_transformed(-border, b)) * error[seen]
    wider = 1 + float(np.sum(above - below - widths[seen]) / np.sum(widths))
    limits = plain * error[seen], above, below, centre[seen]
    return SkewCost(float(np.mean(seen)), *limits, 1 / float(np.sqrt(precision)), wider)
