"""The design of a comparison: where its variance comes from, and what so many items could find."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.errors import OptionError, UndefinedError
from concord.number_words import significant
from concord.records import Interval
from concord.stats.clustered import finite_vector
from concord.stats.elementwise import Floats
from concord.stats.intervals import FEWEST_CLUSTERS, checked_level
from concord.stats.power import (
    LARGEST_N,
    MOST_UNITS,
    Clusters,
    SkewCost,
    counted_interval_width,
    design_effect,
    disagreements,
    fewest,
    interval_width,
    paired_sd,
    power_clustered,
    power_mcnemar,
    power_signs,
    skew_cost,
    spread_of,
)

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


@dataclass(frozen=True, slots=True)
class PairedDesign:
    """What is known or assumed about paired differences before they are collected."""

    components: Components
    clusters: Clusters = field(default_factory=Clusters)
    disagreement: float | None = None
    """0-1 scores: share of items on which only one model is right, one answer each; None: other scores."""
    alpha: float = 0.05

    @property
    def clustered(self) -> bool:
        """Whether items come in families."""
        return self.clusters.size > 1

    def test(self, repeats: int = 1) -> str:
        """Name the test that a comparison of this design uses."""
        if self.clustered:
            return "clustered t"
        return "exact McNemar" if self._counted(repeats) else "sign flip"

    def parts(self, effect: float = 0.0) -> Components:
        """Return the variance between and within items at a true difference: ω² + σ² = disagreements - δ²."""
        if self.disagreement is None:
            return self.components
        within = self.components.within
        return Components(max(0.0, self._share(effect) - effect**2 - within), within)

    def sd(self, repeats: int = 1, effect: float = 0.0) -> float:
        """Return the standard deviation of an item's difference."""
        return self.parts(effect).sd(repeats)

    def correlation(self, repeats: int = 1, effect: float = 0.0) -> float:
        """Return the correlation of two items of a cluster: repeats leave less noise that is not shared."""
        parts = self.parts(effect)
        total = parts.between + parts.within / repeats
        return self.clusters.correlation * parts.between / total if total > 0 else 0.0

    def inflation(self, repeats: int = 1, effect: float = 0.0) -> float:
        """Return the design effect of the clusters."""
        rho = self.correlation(repeats, effect)
        return design_effect(self.clusters.size, rho, cv=self.clusters.cv)

    def scaled(self, factor: float) -> "PairedDesign":
        """Return the same design with all variance multiplied."""
        parts = Components(self.components.between * factor, self.components.within * factor)
        share = None if self.disagreement is None else min(1.0, self.disagreement * factor)
        return replace(self, components=parts, disagreement=share)

    def power(self, effect: float, items: int, repeats: int = 1) -> float:
        """Return the power of the test that `compare_items` uses, with so many items and repeats."""
        if self._counted(repeats):
            first = (self._share(effect) + abs(effect)) / 2
            return power_mcnemar(first, self._share(effect) - first, items, alpha=self.alpha)
        sd = self.sd(repeats, effect)
        if sd == 0:  # every item gives the same difference: a sign test of n equal signs
            return float(effect != 0 and 2.0 ** (1 - items) < self.alpha and not self.clustered)
        if self.clustered:
            found = power_clustered(effect, sd, items, self._families(repeats, effect), alpha=self.alpha)
        else:
            found = power_signs(effect, sd, items, alpha=self.alpha)
        cost = self._skew_cost(items, repeats, effect)
        if cost is None or found == 0:
            return found
        error = sd * float(np.sqrt(self._inflation_of(items, repeats, effect) / items))
        return float(np.clip(found - cost.loss(effect / error), 0.0, 1.0))

    def items_needed(self, effect: float, power: float, repeats: int = 1) -> int:
        """Return the fewest items that find a difference with the wanted power, in whole clusters."""
        if not self.clustered:
            return fewest(lambda n: self.power(effect, n, repeats), power, effect)
        families = self.clusters
        groups = fewest(lambda g: self.power(effect, families.items(g), repeats), power, effect)
        return families.items(groups)

    def detectable(self, items: int, power: float, repeats: int = 1) -> float:
        """Return the smallest difference that so many items find with the wanted power, if any."""
        high = 1.0 if self.disagreement is not None else 12 * self.sd(repeats)
        if self.power(high, items, repeats) < power:
            few = f"{items} items" + (f" in {self.clusters.number(items)} clusters" if self.clustered else "")
            raise UndefinedError(
                f"{few} find no difference, however large, with a power of {power:g}; plan more"
            )
        return _smallest(lambda effect: self.power(effect, items, repeats) >= power, high)

    def width(self, items: int, repeats: int = 1, effect: float = 0.0) -> float:
        """Return the expected width of the difference's interval; undefined below 2 items or 3 clusters."""
        level = 1 - self.alpha
        if self._counted(repeats):
            return counted_interval_width(self._share(effect), abs(effect), items, level=level)
        cost = self._skew_cost(items, repeats, effect)
        wider = 1.0 if cost is None else cost.wider
        if not self.clustered:
            return wider * interval_width(self.sd(repeats, effect), items, level=level)
        found = self.clusters.number(items)
        if found < FEWEST_CLUSTERS:
            raise UndefinedError(f"an interval needs at least {FEWEST_CLUSTERS} clusters, there are {found}")
        spread = spread_of(items, self._families(repeats, effect))
        return wider * spread.width(self.sd(repeats, effect), items, level)

    def split(self, calls: int, *, most_items: int | None = None, item_cost: float = 0.0) -> BudgetSplit:
        """Divide a budget of calls between items and repeats; clusters inflate what lies between items."""
        parts = self.parts()
        shared = Components(parts.between * self._between_inflation(), parts.within)
        return best_split(shared, calls, most_items=most_items, item_cost=item_cost)

    def _skew_cost(self, items: int, repeats: int, effect: float) -> SkewCost | None:
        """Return what the allowance for skewness costs so many items, where comparisons make it."""
        if self.sd(repeats, effect) == 0:
            return None
        if not self.clustered:
            return (
                skew_cost(np.ones(items), 0.0, alpha=self.alpha, clustered=False)
                if items <= MOST_UNITS
                else None
            )
        groups = self.clusters.number(items)
        if groups > MOST_UNITS:
            return None
        families = self._families(repeats, effect)
        sizes = spread_of(items, families).sizes
        laid_out = np.ones(groups) if sizes is None else sizes
        return skew_cost(laid_out, families.correlation, alpha=self.alpha, clustered=True)

    def _inflation_of(self, items: int, repeats: int, effect: float) -> float:
        """Return the variance of a mean of so many items over that of items that stand alone."""
        return spread_of(items, self._families(repeats, effect)).inflation if self.clustered else 1.0

    def _between_inflation(self) -> float:
        families = self.clusters
        return design_effect(families.size, families.correlation, cv=families.cv)

    def _counted(self, repeats: int) -> bool:
        """Whether McNemar's test fits: right or wrong, one answer, no clusters."""
        return self.disagreement is not None and repeats == 1 and not self.clustered

    def _share(self, effect: float) -> float:
        """Share of disagreements; the models must disagree at least as often as they differ."""
        assert self.disagreement is not None
        return max(self.disagreement, abs(effect))

    def _families(self, repeats: int, effect: float) -> Clusters:
        """Return the clusters with the correlation that repeats leave."""
        return replace(self.clusters, correlation=self.correlation(repeats, effect))


def _smallest(found: Callable[[float], bool], high: float) -> float:
    """Halve an interval until its end is the smallest number that is found."""
    low = 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def assumed_design(
    *,
    means: tuple[float, float] | None = None,
    correlation: float = 0.5,
    sd_between: float | None = None,
    sd_within: float = 0.0,
    clusters: Clusters | None = None,
    alpha: float = 0.05,
) -> PairedDesign:
    """Make a design from assumptions, before anything was run (Miller 2024, arXiv:2411.00640, section 5)."""
    if (means is None) == (sd_between is None):
        raise OptionError(
            "a plan needs either the expected means of 0-1 scores (means) or a "
            "standard deviation (sd_between)"
        )
    families = Clusters() if clusters is None else clusters
    for value in (sd_within, 0.0 if sd_between is None else sd_between):
        if not (value >= 0 and np.isfinite(value)):
            raise OptionError(f"a standard deviation is {value!r}; expected a number of 0 or more")
    if means is not None:
        return _counted_design(means, correlation, sd_within, families, alpha)
    assert sd_between is not None
    if sd_between + sd_within == 0:
        raise OptionError("both standard deviations are 0; one of them must be more")
    return PairedDesign(Components(sd_between**2, sd_within**2), families, None, alpha)


def _counted_design(
    means: tuple[float, float], correlation: float, sd_within: float, clusters: Clusters, alpha: float
) -> PairedDesign:
    """Make a design of 0-1 scores."""
    only_first, only_second = disagreements(*means, correlation)
    sd = paired_sd(*means, correlation)
    if only_first + only_second == 0:
        raise OptionError(
            f"means of {means[0]:g} and {means[1]:g} with a correlation of {correlation:g} leave no item on "
            "which the models disagree; there is nothing to find"
        )
    if sd_within > sd:
        raise OptionError(
            f"the standard deviation over repeats is {sd_within:g}, more than that of a single answer's "
            f"difference ({significant(sd, 3)}) which includes it"
        )
    components = Components(sd**2 - sd_within**2, sd_within**2)
    return PairedDesign(components, clusters, only_first + only_second, alpha)


@dataclass(frozen=True, slots=True)
class Pilot:
    """Paired item scores of a first run."""

    differences: Floats
    """First minus second, one per item: means over repeats."""
    within: Floats
    """2 x items: variance of each model's scores over repeats; NaN where an item was answered once."""
    repeats: Floats
    """2 x items: answers of each model."""
    binary: bool
    """Whether single answers score 0 or 1."""
    clusters: ArrayLike | None = None


def pilot_design(pilot: Pilot, *, alpha: float = 0.05) -> PairedDesign:
    """Make a design from a pilot: variance components (Searle et al. 1992, 3.5), clusters, disagreements."""
    # A model that answered every item once has its noise counted as variance between items.
    d = pilot.differences
    if d.size < 3:
        raise UndefinedError(f"a pilot of {d.size} paired item(s) says nothing about variance; 3 are needed")
    total = float(d.var(ddof=1))
    if total == 0:
        raise UndefinedError("every item of the pilot has the same difference: its variance says nothing")
    noise = np.array([_noise(row) for row in pilot.within])
    left = float(noise @ (1 / pilot.repeats).mean(axis=1))
    between, within = max(0.0, total - left), float(noise.sum())
    families = Clusters()
    if pilot.clusters is not None:
        families = _clusters(d, np.asarray(pilot.clusters), share=between / total)
    # E d² = ω² + δ² + Σ σ²/K; with one answer each the share of disagreements is ω² + δ² + Σ σ²
    share = min(1.0, float(np.mean(d**2)) - left + within) if pilot.binary else None
    return PairedDesign(Components(between, within), families, share, alpha)


def _noise(variances: Floats) -> float:
    """Mean variance over repeats; 0 where no item was repeated and it cannot be told from the rest."""
    known = ~np.isnan(variances)
    return float(variances[known].mean()) if known.any() else 0.0


def _clusters(d: Floats, labels: np.ndarray, *, share: float) -> Clusters:
    """Sizes and the correlation by one-way analysis of variance, not below zero, over the noiseless share."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    groups, n = len(sizes), d.size
    if groups == n:
        return Clusters()
    if groups < 2:
        raise UndefinedError("the pilot has one cluster: nothing can be said about others")
    means = np.bincount(codes, weights=d) / sizes
    between = float(np.sum(sizes * (means - d.mean()) ** 2)) / (groups - 1)
    within = float(np.sum((d - means[codes]) ** 2)) / (n - groups)
    typical = (n - float(np.sum(sizes**2)) / n) / (groups - 1)
    rho = (between - within) / (between + (typical - 1) * within) if between + within > 0 else 0.0
    true = min(1.0, max(0.0, rho) / share) if share > 0 else 0.0
    return Clusters(n / groups, float(sizes.std() / sizes.mean()), true)
