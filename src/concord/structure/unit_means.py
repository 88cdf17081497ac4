"""Means over pairs of answers, or over items, with intervals that hold at the ends of their range."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from concord.records import Estimate, Interval
from concord.stats.bounded_means import bounded_bootstrap, bounded_mean
from concord.stats.clustered import clustered_mean
from concord.stats.elementwise import Floats

MIN_PAIRS = 8
"""Independent units below which a mean gets no interval."""
Ends = tuple[float, float]
UNIT: Ends = (0.0, 1.0)
SIGNED: Ends = (-1.0, 1.0)
"""Of a difference of two shares."""


def mean_over_units(
    values: ArrayLike,
    labels: Sequence[str],
    *,
    level: float,
    reason: str = "",
    ends: Ends = UNIT,
    unit: str = "pairs",
) -> Estimate:
    """Return a mean over the units that have a number, with its interval."""
    x = np.asarray(values, dtype=np.float64)
    there = ~np.isnan(x)
    lost = int((~there).sum())
    if not there.any():
        return Estimate(None, n_left_out=lost, note=reason)
    kept = [label for label, known in zip(labels, there, strict=True) if known]
    clusters = list(dict.fromkeys(kept))
    if len(clusters) < MIN_PAIRS:
        what = unit if len(clusters) == len(kept) else f"clusters of {unit}"
        note = f"no interval below {MIN_PAIRS} {what}"
        return Estimate(float(x[there].mean()), None, len(kept), lost, note=note)
    if len(clusters) == len(kept):
        found = _bounded_ends(x[there], ends, level)
    else:
        found = _clustered(x[there], kept, ends, level)
    return replace(found, n=len(kept), n_left_out=lost)


def mean_over_rows(
    values: ArrayLike, labels: Sequence[str], *, level: float, reason: str, ends: Ends, unit: str
) -> Estimate:
    """Return a mean over units whose numbers are weighted and may leave their range, with Student's t."""
    # Parameters are those of `mean_over_units`; the interval is kept within ``ends``.
    x = np.asarray(values, dtype=np.float64)
    there = ~np.isnan(x)
    kept = [label for label, known in zip(labels, there, strict=True) if known]
    lost = int((~there).sum())
    if len(set(kept)) < MIN_PAIRS:
        return mean_over_units(values, labels, level=level, reason=reason, ends=ends, unit=unit)
    error = clustered_mean(x[there], np.asarray(kept))
    reach = float(stdtrit(error.df, 0.5 + level / 2)) * error.se
    method = f"Student's t over {error.n_clusters} {unit}"
    low, high = max(ends[0], error.mean - reach), min(ends[1], error.mean + reach)
    if error.se == 0:
        note = f"no interval: {unit} do not vary"
        return Estimate(error.mean, None, len(kept), lost, note=note)
    return Estimate(error.mean, Interval(low, high, level, method), len(kept), lost, method)


def _bounded_ends(x: Floats, ends: Ends, level: float) -> Estimate:
    low, width = ends[0], ends[1] - ends[0]
    scaled = np.clip((x - low) / width, 0.0, 1.0)
    # differences of shares are mostly 0 with rare large values: Student's t covers 91 % there, this 94 %
    skewed = ends == SIGNED
    inner = bounded_bootstrap(scaled, level=level) if skewed else bounded_mean(scaled, level=level).interval
    assert inner is not None  # noqa: S101 - there are several units
    interval = Interval(low + width * inner.low, low + width * inner.high, level, inner.method)
    return Estimate(float(x.mean()), interval, method=inner.method)


def _clustered(x: Floats, labels: Sequence[str], ends: Ends, level: float) -> Estimate:
    names = np.asarray(labels)
    error = clustered_mean(x, names)
    if error.se == 0:
        means = np.array([x[names == one].mean() for one in dict.fromkeys(labels)])
        return replace(_bounded_ends(means, ends, level), value=error.mean)
    reach = float(stdtrit(error.df, 0.5 + level / 2)) * error.se
    method = f"clustered t over {error.n_clusters} clusters (CR2)"
    low, high = max(ends[0], error.mean - reach), min(ends[1], error.mean + reach)
    return Estimate(error.mean, Interval(low, high, level, method), method=method)
