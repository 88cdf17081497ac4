r"""Means and differences over items: the item is the unit, its chains and samples the cluster.

For 0-1 events that may occur several times per item the rate is the pooled ratio
:math:`\hat R = \sum_i D_i / \sum_i T_i` with items as clusters. Its interval (`ratio_interval`) carries
Bonett and Price's two imagined pairs over to ratios: two items with the mean number of trials
:math:`\bar T` and :math:`D = \pm\bar T` are added, and the Wald interval of the ratio over the
:math:`n + 2` items is taken with the linearised variance :math:`\sum (D_i - \hat R T_i)^2 / (\sum T_i)^2`.
With one trial per item this is Bonett and Price's interval exactly.
"""

from collections.abc import Iterable, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.reasoning.result import LEVEL, MORE_THAN
from concord.records import Estimate, Interval
from concord.stats.bounded_means import bounded_mean
from concord.stats.intervals import jackknife_t, wilson_clustered
from concord.stats.mcnemar import bonett_price_interval
from concord.unread import holds

Floats = NDArray[np.float64]
TOO_FEW = f"no interval for {MORE_THAN} items or fewer"


def by_item(values: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    """Group values by their item, in the order of first sight."""
    found: dict[str, list[float]] = {}
    for item, value in values:
        found.setdefault(item, []).append(value)
    return found


def item_means(values: Iterable[tuple[str, float]]) -> Floats:
    """Return the mean of each item."""
    return np.array([float(np.mean(own)) for own in by_item(values).values()])


def pooled_rate(
    values: Sequence[tuple[str, float]], *, n_left_out: int = 0, nothing: str = "", level: float = LEVEL
) -> Estimate:
    """Return the share of 0-1 events with a Wilson interval, items the clusters."""
    if not values:
        return Estimate(None, n_left_out=n_left_out, note=nothing)
    hits = np.array([sum(own) for own in by_item(values).values()])
    trials = np.array([float(len(own)) for own in by_item(values).values()])
    interval = wilson_clustered(hits, trials, n_replies=len(values), level=level)
    value = float(hits.sum() / trials.sum())
    return Estimate(value, interval, len(values), n_left_out, "share, items the clusters")


def bounded(
    values: Iterable[tuple[str, float]], *, n_left_out: int = 0, nothing: str = "", level: float = LEVEL
) -> Estimate:
    """Return the mean over items of numbers from 0 to 1, with its interval."""
    means = item_means(values)
    if not len(means):
        return Estimate(None, n_left_out=n_left_out, note=nothing)
    found = bounded_mean(np.clip(means, 0.0, 1.0), level=level)
    return Estimate(found.value, found.interval, found.n, n_left_out, "mean over items", found.note)


def banded(
    values: Iterable[tuple[str, float]], *, n_left_out: int = 0, nothing: str = "", level: float = LEVEL
) -> Estimate:
    """Return the mean over items of numbers from 0 to 1 with a Wilson interval at the effective size."""
    means = item_means(values)
    if not len(means):
        return Estimate(None, n_left_out=n_left_out, note=nothing)
    interval = wilson_clustered(means, np.ones(len(means)), n_replies=len(means), level=level)
    return Estimate(float(means.mean()), interval, len(means), n_left_out, "mean over items")


def paired(
    values: Iterable[tuple[str, float]], *, n_left_out: int = 0, nothing: str = "", level: float = LEVEL
) -> Estimate:
    """Return the mean over items of differences from -1 to 1, with its Bonett-Price interval."""
    means = item_means(values)
    if not len(means):
        return Estimate(None, n_left_out=n_left_out, note=nothing)
    interval = bonett_price_interval(means, level=level) if len(means) > MORE_THAN else None
    note = "" if interval is not None else TOO_FEW
    return Estimate(float(means.mean()), interval, len(means), n_left_out, "paired by item", note)


def ratio_interval(differences: Floats, trials: Floats, *, level: float = LEVEL) -> Interval:
    """Bonett-Price interval of a ratio of sums over items."""
    typical = float(trials.mean())
    d, t = np.append(differences, [typical, -typical]), np.append(trials, [typical, typical])
    ratio = float(d.sum() / t.sum())
    half = NormalDist().inv_cdf(0.5 + level / 2) * float(np.sqrt(np.sum((d - ratio * t) ** 2)) / t.sum())
    return Interval(
        max(-1.0, ratio - half), min(1.0, ratio + half), level, "Bonett-Price, items the clusters"
    )


def pooled_difference(
    values: Sequence[tuple[str, float]], *, n_left_out: int = 0, nothing: str = "", level: float = LEVEL
) -> Estimate:
    """Return the pooled mean of differences from -1 to 1, items the clusters."""
    if not values:
        return Estimate(None, n_left_out=n_left_out, note=nothing)
    groups = by_item(values).values()
    sums = np.array([sum(own) for own in groups])
    trials = np.array([float(len(own)) for own in groups])
    few = len(sums) <= MORE_THAN
    interval = None if few else ratio_interval(sums, trials, level=level)
    value = float(sums.sum() / trials.sum())
    return Estimate(value, interval, len(values), n_left_out, "paired, pooled", TOO_FEW if few else "")


def jackknifed(
    value: float, without: Sequence[float], *, low: float = 0.0, high: float = 1.0, level: float = LEVEL
) -> tuple[Interval | None, str]:
    """Return the jackknife-t interval within its bounds, or why there is none."""
    try:
        found = jackknife_t(value, without, level=level)
    except UndefinedError as reason:
        return None, f"no interval: {reason}"
    return Interval(max(low, found.low), min(high, found.high), found.level, found.method), ""


def kappa_of(n11: int, n10: int, n01: int, n00: int, *, level: float = LEVEL) -> Estimate:
    r"""Cohen's kappa of two yes-no judgements on the same texts, with a jackknife-t interval.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}

    Undefined where both judgements are the same constant.
    """
    cells = (n11, n10, n01, n00)
    n = sum(cells)
    value = _kappa_value(cells)
    if value is None:
        return Estimate(None, n=n, note="both judgements are the same for every text")
    without = []
    for place, count in enumerate(cells):
        if count:
            left = tuple(c - (k == place) for k, c in enumerate(cells))
            one = _kappa_value(left)
            without += [float("nan") if one is None else one] * count
    interval, note = jackknifed(value, without, low=-1.0, level=level)
    return Estimate(value, interval, n, 0, "Cohen's kappa", note)


def _kappa_value(cells: Sequence[int]) -> float | None:
    n = sum(cells)
    if n == 0:
        return None
    n11, n10, n01, n00 = cells
    expected = ((n11 + n10) * (n11 + n01) + (n01 + n00) * (n10 + n00)) / n**2
    return None if expected >= 1 else ((n11 + n00) / n - expected) / (1 - expected)


def outcome_counts(outcomes: Iterable[str]) -> dict[str, int]:
    """Count outcomes by name, in the order of first sight."""
    found: dict[str, int] = {}
    for one in outcomes:
        found[one] = found.get(one, 0) + 1
    return found


FOLLOWS, NOT_SHOWN, NO_EXCESS = "more than noise", "no effect beyond noise could be shown", "undefined"
NOT_SAID = "not said, since answers that could not be read could overturn it"


def verdict_on(excess: Estimate) -> str:
    """Say whether an excess is shown: only where its whole interval lies above 0, whatever was unread."""
    if excess.value is None:
        return NO_EXCESS
    shown = excess.interval is not None and excess.interval.low > 0
    if shown and not holds(excess):
        return NOT_SAID
    return FOLLOWS if shown else NOT_SHOWN
