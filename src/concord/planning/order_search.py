"""Designs that show an order effect: items, arrangements and repeats, the cheapest first."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy import special

from concord.errors import OptionError
from concord.stats.bands import MIN_UNITS

MOST_ITEMS = 1_000_000
ARRANGEMENTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24)
"""Numbers of arrangements that are tried; four options or four characters have 24 orders."""
REPEATS = (2, 3, 4, 5, 8)
"""Repeats that are tried: two at least, since flips are counted against those between repeats."""
_QUANTILES = (np.arange(9) + 0.5) / 9
"""Results over which an expected width is averaged."""


@dataclass(frozen=True, slots=True)
class OrderAssumptions:
    """What a plan takes scores to be like."""

    tau: float
    """Order effect: standard deviation of the arrangements' true mean scores."""
    interaction: float
    """Variance of what an arrangement does to single items, beyond what it does to the mean."""
    noise: float | None
    """Variance of one sample around its cell's mean; ``None``: not known, contained in the interaction."""

    def cell_variance(self, repeats: int) -> float:
        """Return the variance of a cell's mean around the means of its item and its arrangement."""
        return self.interaction + (0.0 if self.noise is None else self.noise / repeats)


@dataclass(frozen=True, slots=True)
class OrderDesign:
    """So many items, arrangements and repeats, and what they show."""

    items: int
    arrangements: int
    repeats: int
    power: float
    width: float
    """Expected width of the interval of tau."""
    price: float
    """Calls, and new items at what one costs."""

    @property
    def calls(self) -> int:
        """Calls of one model."""
        return self.items * self.arrangements * self.repeats


@dataclass(frozen=True, slots=True)
class OrderGoal:
    """What a design must reach, and what it may take."""

    power: float = 0.8
    width: float | None = None
    """Wanted width of the interval of tau; ``None``: the power decides."""
    level: float = 0.95
    most_items: int | None = None
    most_calls: int | None = None
    item_cost: float = 0.0


def assumed_variances(
    *, tau: float, accuracy: float | None, interaction_sd: float, noise_sd: float | None
) -> OrderAssumptions:
    """Return assumptions; without a noise that of right and wrong answers of this accuracy.

    The variance of one answer is accuracy (1 - accuracy). What the arrangement explains of it is taken off,
    what items explain is not: this is the most noise there could be.

    Examples
    --------
    >>> assumed_variances(tau=0.1, accuracy=0.5, interaction_sd=0.2, noise_sd=None).noise
    0.2
    """
    if not 0 < tau < 1:
        raise OptionError(f"the order effect is {tau!r}; expected a standard deviation between 0 and 1")
    if not 0 <= interaction_sd < 1:
        raise OptionError(f"--order-item-sd {interaction_sd!r}; expected a number from 0 to below 1")
    if accuracy is not None and not 0 < accuracy < 1:
        raise OptionError(f"--accuracy {accuracy!r}; expected a mean score between 0 and 1")
    if noise_sd is not None:
        if not 0 <= noise_sd <= 1:
            raise OptionError(f"--noise-sd {noise_sd!r}; expected a number from 0 to 1")
        return OrderAssumptions(tau, interaction_sd**2, noise_sd**2)
    if accuracy is None:
        raise OptionError(
            "a plan about structure needs to know how scores vary: give the result of a pilot (concord plan "
            "structure RESULTS); or, for right and wrong answers, the share that is expected to be right "
            "(--accuracy 0.7); or, for other scores, the standard deviation of repeated answers (--noise-sd)"
        )
    noise = round(accuracy * (1 - accuracy) - tau**2 - interaction_sd**2, 15)
    if noise < 0:
        whole = float(np.sqrt(accuracy * (1 - accuracy)))
        raise OptionError(
            f"right and wrong answers of accuracy {accuracy:g} vary by {whole:.3f} in all; "
            f"an order effect of {tau:g} with {interaction_sd:g} by item is more than that"
        )
    return OrderAssumptions(tau, interaction_sd**2, noise)


def order_power(tau: float, variance: float, items: int, arrangements: int, *, alpha: float = 0.05) -> float:
    """Return the power of the test of no order effect, noise alike in all arrangements.

    Examples
    --------
    >>> round(order_power(0.05, 0.02, 40, 6), 2), round(order_power(1e-9, 0.02, 40, 6), 2)
    (0.98, 0.05)
    """
    if variance == 0:
        return 1.0
    df1, df2 = arrangements - 1, (items - 1) * (arrangements - 1)
    line = special.fdtri(df1, df2, 1 - alpha)
    return float(1 - special.ncfdtr(df1, df2, items * df1 * tau**2 / variance, line))


def order_width(tau: float, variance: float, items: int, arrangements: int, *, level: float = 0.95) -> float:
    """Return the expected width of the interval of tau: the mean over results that such data give.

    Examples
    --------
    >>> round(order_width(0.05, 0.02, 40, 6), 3), round(order_width(0.05, 0.02, 4000, 6), 4)
    (0.043, 0.0041)
    """
    if variance == 0:
        return 0.0
    df1, df2 = arrangements - 1, (items - 1) * (arrangements - 1)
    unit = variance / (items * df1)
    f = special.ncfdtri(df1, df2, tau**2 / unit, _QUANTILES)
    tail = (1 - level) / 2
    high, low = (_noncentrality(df1, df2, p, f) for p in (tail, 1 - tail))
    return float(np.mean(np.sqrt(unit * high) - np.sqrt(unit * low)))


def _noncentrality(df1: int, df2: int, probability: float, f: np.ndarray) -> np.ndarray:
    """Return the noncentrality at which a value of F is this quantile; 0 where every one is too large."""
    reached = special.fdtr(df1, df2, f) > probability
    found = np.zeros_like(f)
    found[reached] = special.ncfdtrinc(df1, df2, probability, f[reached])
    return found


def design_of(
    assumed: OrderAssumptions, goal: OrderGoal, items: int, arrangements: int, repeats: int
) -> OrderDesign:
    """Return what a design shows."""
    variance = assumed.cell_variance(repeats)
    power = order_power(assumed.tau, variance, items, arrangements, alpha=1 - goal.level)
    width = order_width(assumed.tau, variance, items, arrangements, level=goal.level)
    price = items * (arrangements * repeats + goal.item_cost)
    return OrderDesign(items, arrangements, repeats, power, width, price)


def fewest_items(
    assumed: OrderAssumptions, goal: OrderGoal, arrangements: int, repeats: int, *, least: int = 2
) -> int | None:
    """Return the fewest items that reach the goal; ``None`` where so many cannot be had."""
    variance, alpha = assumed.cell_variance(repeats), 1 - goal.level

    def enough(n: int) -> bool:
        if goal.width is None:
            return order_power(assumed.tau, variance, n, arrangements, alpha=alpha) >= goal.power
        return order_width(assumed.tau, variance, n, arrangements, level=goal.level) <= goal.width

    return _first(enough, least, MOST_ITEMS)


def _first(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the smallest number from ``least`` on that is enough, by doubling and halving."""
    if enough(least):
        return least
    low, high = least, 2 * least
    while not enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def search(
    assumed: OrderAssumptions,
    goal: OrderGoal,
    *,
    arrangements: Iterable[int] = ARRANGEMENTS,
    repeats: Iterable[int] = REPEATS,
) -> tuple[OrderDesign, ...]:
    """Return, for every number of arrangements and repeats, the fewest items that do; the cheapest first.

    Examples
    --------
    >>> assumed = assumed_variances(tau=0.05, accuracy=0.7, interaction_sd=0.1, noise_sd=None)
    >>> best = search(assumed, OrderGoal())[0]
    >>> best.items * best.arrangements * best.repeats == best.calls, best.power >= 0.8
    (True, True)
    """
    repeats = tuple(repeats)
    found = []
    for p in arrangements:
        for k in repeats:
            items = fewest_items(assumed, goal, p, k, least=MIN_UNITS)
            if items is None or (goal.most_items is not None and items > goal.most_items):
                continue
            one = design_of(assumed, goal, items, p, k)
            if goal.most_calls is None or one.calls <= goal.most_calls:
                found.append(one)
    return tuple(sorted(found, key=lambda one: (one.price, one.arrangements, one.repeats)))
