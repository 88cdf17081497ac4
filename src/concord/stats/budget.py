"""Where the variance of a comparison comes from, and how a budget is best divided."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.records import Interval
from concord.stats.clustered import finite_vector
from concord.stats.intervals import checked_level
from concord.stats.power import LARGEST_N

_MOST_REPEATS = 1_000_000
"""More repeats than this are never better than more items."""


@dataclass(frozen=True, slots=True)
class Components:
    """Where the variance of a paired difference comes from."""

    between: float
    """Variance over items of the true difference."""
    within: float
    """Variance over repeats of the same item, both models together."""

    def sd(self, repeats: int = 1) -> float:
        """Return the standard deviation of an item's difference when each model answers it so many times."""
        return float(np.sqrt(self.between + self.within / repeats))


@dataclass(frozen=True, slots=True)
class BudgetSplit:
    """How a budget is best divided between items and repeats."""

    items: int
    repeats: int
    se: float
    """Standard error of the mean difference."""
    calls: int
    """Calls of both models together."""


def best_split(
    components: Components, calls: int, *, most_items: int | None = None, item_cost: float = 0.0
) -> BudgetSplit:
    """Divide a budget of calls between items and repeats so that the standard error is smallest."""
    # The variance is (ω² + σ²/K)/n with n (2K + c) ≤ budget; c is what an item costs itself, in calls.
    # Cochran (1977), Sampling Techniques (3rd ed.), section 10.6.
    if most_items is not None and most_items < 2:
        raise OptionError(f"there are {most_items} items; a comparison needs at least 2")
    if not (item_cost >= 0 and np.isfinite(item_cost)):
        raise OptionError(f"the cost of an item is {item_cost!r} calls; expected 0 or more")
    limit = LARGEST_N if most_items is None else most_items
    repeats = np.arange(1, min(max(1, calls // 4), _MOST_REPEATS) + 1)
    items = np.minimum(limit, calls // (2 * repeats + item_cost)).astype(np.int64)
    repeats, items = repeats[items >= 2], items[items >= 2]
    if repeats.size == 0:
        raise OptionError(f"{calls} calls do not reach for two items answered by two models")
    errors = np.sqrt((components.between + components.within / repeats) / items)
    best = int(np.argmin(errors))
    n, k = int(items[best]), int(repeats[best])
    return BudgetSplit(n, k, float(errors[best]), 2 * k * n)


FEWEST = 8
"""Below this many values the fourth moment says nothing."""


def variance_interval(values: ArrayLike, *, level: float = 0.95) -> Interval:
    r"""Interval of a variance that does not need normal values; undefined below eight values.

    .. math:: \exp\left[\ln(c s^2) \pm z c \sqrt{\frac{\hat\gamma_4 - (n - 3)/n}{n - 1}}\right],
        \quad c = \frac{n}{n - z}

    The kurtosis is about a mean trimmed by :math:`1/(2\sqrt{n - 4})` at both ends. Bonett (2006),
    Computational Statistics & Data Analysis, 50, 775-782.
    """
    x = np.sort(finite_vector(values))
    n = x.size
    if n < FEWEST:
        raise UndefinedError(f"the interval of a variance needs at least {FEWEST} values, there are {n}")
    squares = float(np.sum((x - x.mean()) ** 2))
    if squares == 0:
        raise UndefinedError("every value is the same: their variance has no interval")
    z = float(special.ndtri(0.5 + checked_level(level) / 2))
    cut = int(n / (2 * np.sqrt(n - 4)))
    centre = x[cut : n - cut].mean()
    kurtosis = n * float(np.sum((x - centre) ** 4)) / squares**2
    c = n / (n - z)
    reach = z * c * float(np.sqrt((kurtosis - (n - 3) / n) / (n - 1)))
    middle = c * squares / (n - 1)
    return Interval(float(middle * np.exp(-reach)), float(middle * np.exp(reach)), level, "Bonett (2006)")
