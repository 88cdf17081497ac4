"""The design of a comparison: where its variance comes from, and what so many items could find."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats
from concord.stats.power import (
    Components,
    design_effect,
    fewest,
    power_clustered,
)
from concord.stats.power_counts import disagreements, paired_sd, power_mcnemar


@dataclass(frozen=True, slots=True)
class Design:
    """What is known or assumed about paired differences before they are collected."""

    components: Components
    cluster_size: float = 1.0
    cluster_correlation: float = 0.0
    disagreement: float | None = None
    """0-1 scores without repeats and clusters: share of items on which only one model is right."""
    alpha: float = 0.05

    @property
    def inflation(self) -> float:
        """The design effect of the clusters."""
        return design_effect(self.cluster_size, self.cluster_correlation)

    def power(self, effect: float, items: int, repeats: int = 1) -> float:
        """Give the power to find a difference with so many items and repeats.

        0-1 scores answered once and without clusters are tested by McNemar's exact test, others by t.
        """
        if self.disagreement is not None and repeats == 1:
            first = (self.disagreement + abs(effect)) / 2
            if first > self.disagreement:  # the models must disagree at least as often as they differ
                return power_mcnemar(abs(effect), 0.0, items, alpha=self.alpha)
            return power_mcnemar(first, self.disagreement - first, items, alpha=self.alpha)
        return power_clustered(
            effect,
            self.components.sd(repeats),
            items,
            cluster_size=self.cluster_size,
            inflation=self.inflation,
            alpha=self.alpha,
        )

    def sd(self, repeats: int = 1) -> float:
        """Give the standard deviation of an item's difference, clusters included."""
        return self.components.sd(repeats) * float(np.sqrt(self.inflation))

    def items_needed(self, effect: float, power: float, repeats: int = 1) -> int:
        """Give the fewest items that find a difference with the wanted power."""
        return fewest(lambda n: self.power(effect, n, repeats), power, effect)

    def detectable(self, items: int, power: float, repeats: int = 1) -> float:
        """Give the smallest difference that so many items find with the wanted power."""
        if items < 2:
            raise UndefinedError("a smallest detectable difference needs at least 2 items")
        high = 12 * self.sd(repeats) / float(np.sqrt(items))
        if self.disagreement is not None and repeats == 1:
            high = 1.0
        if self.power(high, items, repeats) < power:
            raise UndefinedError(f"{items} items find no difference with a power of {power:g}")
        return _smallest(lambda effect: self.power(effect, items, repeats) >= power, high)


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
    cluster_size: float = 1.0,
    cluster_correlation: float = 0.0,
    alpha: float = 0.05,
) -> Design:
    """Make a design from assumptions, before anything was run.

    Parameters
    ----------
    means, correlation
        Expected means of two models' 0-1 scores and the correlation of these scores.
    sd_between, sd_within
        Instead: standard deviation of the true difference over items, and of its noise over repeats.
    cluster_size, cluster_correlation
        Items a cluster and intra-cluster correlation.
    alpha
        Level of the test.

    References
    ----------
    Miller, E. (2024). Adding error bars to evals. arXiv:2411.00640, section 5.

    Examples
    --------
    >>> assumed_design(means=(0.655, 0.63)).items_needed(0.025, 0.8)
    2962
    """
    if (means is None) == (sd_between is None):
        raise OptionError("a plan needs either the expected means of 0-1 scores or a standard deviation")
    clustered = cluster_size > 1
    if means is not None:
        only_first, only_second = disagreements(*means, correlation)
        sd = paired_sd(*means, correlation)
        share = None if clustered or sd_within > 0 else only_first + only_second
        components = Components(max(0.0, sd**2 - sd_within**2), sd_within**2)
        return Design(components, cluster_size, cluster_correlation, share, alpha)
    assert sd_between is not None
    if sd_between < 0 or sd_within < 0 or sd_between + sd_within == 0:
        raise OptionError("standard deviations are 0 or more, and one of them must be more")
    return Design(Components(sd_between**2, sd_within**2), cluster_size, cluster_correlation, None, alpha)


@dataclass(frozen=True, slots=True)
class Pilot:
    """Paired item scores of a first run."""

    differences: Floats
    within: Floats
    """Variance over repeats of an item's difference of means, both models together; NaN without repeats."""
    repeats: float
    """Repeats an item and model, on average."""
    binary: bool
    clusters: ArrayLike | None = None


def pilot_design(pilot: Pilot, *, alpha: float = 0.05) -> Design:
    """Make a design from a pilot: variance components, clusters, share of disagreements.

    Parameters
    ----------
    pilot
        Differences of item means, and their variance over repeats.
    alpha
        Level of the test.

    References
    ----------
    Searle, S. R., Casella, G., & McCulloch, C. E. (1992). Variance Components, section 3.5. Wiley.

    Examples
    --------
    >>> d = np.array([0.0, 1.0, 0.0, -1.0, 1.0, 0.0])
    >>> design = pilot_design(Pilot(d, np.full(6, np.nan), 1.0, True))
    >>> design.disagreement, round(design.components.between, 3)
    (0.5, 0.567)
    """
    d = pilot.differences
    if d.size < 3:
        raise UndefinedError(f"a pilot of {d.size} paired item(s) says nothing about variance; 3 are needed")
    known = ~np.isnan(pilot.within)
    noise = float(pilot.within[known].mean()) if known.any() else 0.0
    total = float(d.var(ddof=1))
    if total == 0:
        raise UndefinedError("every item of the pilot has the same difference: its variance says nothing")
    components = Components(max(0.0, total - noise), noise * pilot.repeats)
    size, correlation = (1.0, 0.0) if pilot.clusters is None else _clusters(d, np.asarray(pilot.clusters))
    share = float(np.mean(d != 0)) if pilot.binary and pilot.clusters is None else None
    return Design(components, size, correlation, share, alpha)


def _clusters(d: Floats, labels: np.ndarray) -> tuple[float, float]:
    """Cluster size and intra-cluster correlation by one-way analysis of variance; not below zero."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    groups, n = len(sizes), d.size
    if groups < 2 or groups == n:
        return (float(n), 1.0) if groups < 2 else (1.0, 0.0)
    means = np.bincount(codes, weights=d) / sizes
    between = float(np.sum(sizes * (means - d.mean()) ** 2)) / (groups - 1)
    within = float(np.sum((d - means[codes]) ** 2)) / (n - groups)
    typical = (n - float(np.sum(sizes**2)) / n) / (groups - 1)
    rho = (between - within) / (between + (typical - 1) * within) if between + within > 0 else 0.0
    # the size that enters the design effect weighs clusters by their items
    return float(np.sum(sizes**2)) / n, max(0.0, rho)
