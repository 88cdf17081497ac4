"""Planning a comparison: power, items needed, smallest difference that can be found, interval width."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from concord.errors import OptionError, UndefinedError

LARGEST_N = 100_000_000
"""No plan asks for more items than this."""


@dataclass(frozen=True, slots=True)
class Components:
    """Where the variance of a paired difference comes from."""

    between: float
    """Variance over items of the true difference."""
    within: float
    """Variance over repeats of the same item, both models together."""

    def sd(self, repeats: int = 1) -> float:
        """Give the standard deviation of an item's difference when each model answers it so many times."""
        return float(np.sqrt(self.between + self.within / repeats))


def power_paired(effect: float, sd: float, n: float, *, alpha: float = 0.05) -> float:
    r"""Power of the two-sided paired t test, from the noncentral t distribution.

    Parameters
    ----------
    effect
        True mean difference.
    sd
        Standard deviation of an item's difference.
    n
        Items; with clusters, items over the design effect (`design_effect`).
    alpha
        Level of the test.

    Returns
    -------
    float
        Probability of p < alpha.

    References
    ----------
    Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.), section 2.

    Examples
    --------
    >>> round(power_paired(0.5, 1.0, 34), 4)
    0.8078
    """
    _positive(sd=sd, alpha=alpha)
    if n <= 1:
        return 0.0
    return _power_t(abs(effect) * np.sqrt(n) / sd, n - 1, alpha)


def power_clustered(
    effect: float,
    sd: float,
    n: float,
    *,
    cluster_size: float = 1.0,
    inflation: float = 1.0,
    alpha: float = 0.05,
) -> float:
    """Power of the clustered t test: as many degrees of freedom as clusters less one.

    Parameters
    ----------
    effect, sd, n, alpha
        As in `power_paired`.
    cluster_size
        Items a cluster.
    inflation
        The design effect (`design_effect`).

    Returns
    -------
    float
        Probability of p < alpha.

    References
    ----------
    Donner, A., & Klar, N. (2000). Design and Analysis of Cluster Randomization Trials in Health Research,
    chapter 5. Arnold.

    Examples
    --------
    >>> round(power_clustered(0.1, 0.5, 400, cluster_size=10, inflation=1.9), 4)
    0.8078
    """
    _positive(sd=sd, alpha=alpha, inflation=inflation)
    df = n / cluster_size - 1
    if df <= 0:
        return 0.0
    return _power_t(abs(effect) * float(np.sqrt(n / inflation)) / sd, df, alpha)


def power_two_sample(d: float, n1: float, n2: float, *, alpha: float = 0.05) -> float:
    """Power of the two-sided two-sample t test: participants a group, not items.

    Parameters
    ----------
    d
        True standardised difference.
    n1, n2
        Participants in each group.
    alpha
        Level of the test.

    Returns
    -------
    float
        Probability of p < alpha.

    References
    ----------
    Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.), section 2.

    Examples
    --------
    >>> round(power_two_sample(0.5, 64, 64), 4)
    0.8015
    """
    if n1 + n2 <= 2 or min(n1, n2) <= 0:
        return 0.0
    return _power_t(abs(d) * np.sqrt(n1 * n2 / (n1 + n2)), n1 + n2 - 2, alpha)


def _power_t(shift: float, df: float, alpha: float) -> float:
    """Probability that a noncentral t leaves the interval of Student's t."""
    critical = float(special.stdtrit(df, 1 - alpha / 2))
    inside = special.nctdtr(df, shift, critical) - special.nctdtr(df, shift, -critical)
    if np.isnan(inside):  # scipy gives up on large shifts
        inside = _noncentral_inside(shift, df, critical)
    return float(np.clip(1 - inside, 0.0, 1.0))


def _noncentral_inside(shift: float, df: float, critical: float) -> float:
    """P(|T| < c) as a mean of normal probabilities over w = sqrt(chi2/df): T < c where Z < c w - shift."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    reach = 10 / np.sqrt(2 * df)
    low, high = max(0.0, 1 - reach), 1 + reach
    w = 0.5 * (low + high) + 0.5 * (high - low) * nodes
    log_density = (df - 1) * np.log(w) - df * w * w / 2
    mass = weights * np.exp(log_density - log_density.max())
    return float(np.sum(mass * special.ndtr(critical * w - shift)) / mass.sum())


def detectable_effect(sd: float, n: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Smallest true difference that a paired t test finds with the wanted power.

    Parameters
    ----------
    sd
        Standard deviation of an item's difference.
    n
        Items.
    power, alpha
        Wanted power and level.

    Returns
    -------
    float
        The minimum detectable effect, in the unit of the scores.

    Raises
    ------
    UndefinedError
        Fewer than two items.

    References
    ----------
    Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640, section 5.

    Examples
    --------
    >>> round(detectable_effect(1/3, 971), 6)
    0.029999
    """
    _positive(sd=sd, alpha=alpha)
    _probability(power)
    if n < 2:
        raise UndefinedError("a smallest detectable effect needs at least 2 items")
    high = sd * (10 + 40 / (n - 1)) / float(np.sqrt(n))
    while power_paired(high, sd, n, alpha=alpha) < power:
        high *= 2
    return _root(lambda effect: power_paired(effect, sd, n, alpha=alpha) - power, 0.0, high)


def items_needed(effect: float, sd: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Give the fewest items with which a paired t test finds a difference with the wanted power.

    Parameters
    ----------
    effect
        True mean difference, not 0.
    sd
        Standard deviation of an item's difference; times the root of the design effect with clusters.
    power, alpha
        Wanted power and level.

    Returns
    -------
    int
        Items.

    References
    ----------
    Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640, section 5: about 1,000 questions for a
    difference of 3 points with a power of 80 %.

    Examples
    --------
    >>> items_needed(0.03, 1/3)
    971
    """
    _positive(sd=sd, alpha=alpha)
    return fewest(lambda n: power_paired(effect, sd, n, alpha=alpha), power, effect)


def fewest(power_at: Callable[[int], float], power: float, effect: float) -> int:
    """Give the smallest n with the wanted power, by doubling and halving.

    Parameters
    ----------
    power_at
        Power as a function of n, growing on the whole.
    power
        Wanted power.
    effect
        The difference that is looked for, not 0.

    References
    ----------
    Bisection.

    Examples
    --------
    >>> fewest(lambda n: power_two_sample(0.5, n, n), 0.8, 0.5)
    64
    """
    _probability(power)
    if effect == 0 or not np.isfinite(effect):
        raise OptionError(
            f"the effect is {effect!r}; no number of items finds a difference that is not there"
        )
    high = 4
    while power_at(high) < power:
        high *= 2
        if high > LARGEST_N:
            raise UndefinedError(
                f"more than {LARGEST_N:,} items would be needed; look for a larger difference"
            )
    low = 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return high


def interval_width(sd: float, n: float, *, level: float = 0.95) -> float:
    """Give the expected width of the interval of a mean difference: twice t times the standard error.

    Parameters
    ----------
    sd
        Standard deviation of an item's difference.
    n
        Items.
    level
        Nominal coverage.

    Returns
    -------
    float
        From end to end.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika, 6, 1-25.

    Examples
    --------
    >>> round(interval_width(0.5, 400), 4)
    0.0983
    """
    _positive(sd=sd)
    if n < 2:
        raise UndefinedError("an interval needs at least 2 items")
    return float(2 * special.stdtrit(n - 1, 0.5 + level / 2) * sd / np.sqrt(n))


def design_effect(cluster_size: float, correlation: float) -> float:
    r"""Factor by which clusters inflate the variance of a mean: :math:`1 + (m - 1) \rho`.

    Parameters
    ----------
    cluster_size
        Items a cluster.
    correlation
        Intra-cluster correlation of the differences.

    Returns
    -------
    float
        Items over this number are the items that count.

    References
    ----------
    Kish, L. (1965). Survey Sampling, section 5.4. Wiley.

    Examples
    --------
    >>> round(design_effect(50, 0.04), 2)
    2.96
    """
    if cluster_size < 1 or not -1 <= correlation <= 1:
        raise OptionError("a design effect needs clusters of at least 1 and a correlation from -1 to 1")
    return 1 + (cluster_size - 1) * correlation


@dataclass(frozen=True, slots=True)
class Split:
    """How a budget is best divided between items and repeats."""

    items: int
    repeats: int
    se: float
    """Standard error of the mean difference."""
    calls: int
    """Calls of both models together."""


def best_split(
    components: Components, calls: int, *, most_items: int | None = None, item_cost: float = 0.0
) -> Split:
    r"""Divide a budget of calls between items and repeats so that the standard error is smallest.

    The variance is :math:`(\omega^2 + \sigma^2/K)/n` with :math:`n (2 K + c) \le` the budget. More items beat
    more repeats unless items run out or cost something themselves (c, in calls).

    Parameters
    ----------
    components
        Variance between and within items.
    calls
        Calls that can be paid for, both models together.
    most_items
        Items there are; None: as many as wanted.
    item_cost
        Cost of one more item (writing, rating), in calls.

    Returns
    -------
    Split
        Items and repeats an item and model.

    Raises
    ------
    OptionError
        The budget does not reach for two items.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques (3rd ed.), section 10.6. Wiley.

    Examples
    --------
    >>> best_split(Components(0.05, 0.4), 2000, most_items=200)
    Split(items=200, repeats=5, se=0.025495097567963924, calls=2000)
    """
    limit = LARGEST_N if most_items is None else most_items
    best: Split | None = None
    for repeats in range(1, max(1, calls // 4) + 1):
        items = int(min(limit, calls / (2 * repeats + item_cost)))
        if items < 2:
            break
        split = Split(items, repeats, components.sd(repeats) / float(np.sqrt(items)), 2 * repeats * items)
        if best is None or split.se < best.se:
            best = split
    if best is None:
        raise OptionError(f"{calls} calls do not reach for two items answered by two models")
    return best


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find where a growing function crosses zero, to full precision."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (low, middle) if function(middle) >= 0 else (middle, high)
    return high


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and np.isfinite(value)):
            raise OptionError(f"{name} is {value!r}; expected a positive number")


def _probability(power: float) -> None:
    if not 0 < power < 1:
        raise OptionError(f"power is {power!r}; expected a number between 0 and 1, such as 0.8")
