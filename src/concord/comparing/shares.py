"""Two models' shares, one per pair of answers or per question, compared where both have one."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from concord.engine import Engine
from concord.records import Estimate
from concord.stats.compare import Choices, compare_items
from concord.stats.elementwise import Floats
from concord.stats.pairs import MetricDifference


def difference_of_shares(
    metric: str,
    first: Floats,
    second: Floats,
    choices: Choices,
    engine: Engine,
    *,
    clusters: Sequence[str] | None = None,
    nobody: str,
) -> MetricDifference:
    """Compare one number per unit; NaN is a unit that lacks it on that side."""
    there = ~(np.isnan(first) | np.isnan(second))
    lost = int((~there).sum())
    if not there.any():
        none = Estimate(None, None, 0, lost, note=f"undefined: {nobody}")
        return MetricDifference(metric, None, None, none, None, 0)
    x, y = first[there], second[there]
    labels = np.arange(x.size) if clusters is None else np.asarray(clusters)[there]
    n = len(set(labels.tolist()))
    shares = replace(choices, widest=1.0)
    found = compare_items(x, y, None if n == x.size else labels, choices=shares, engine=engine)
    difference = replace(found.difference, n_left_out=lost)
    return MetricDifference(metric, float(x.mean()), float(y.mean()), difference, found.p_value, n)
