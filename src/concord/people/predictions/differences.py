"""Two agents on the same effects: a paired jackknife of every metric, Holm over the pairs of agents."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.errors import UndefinedError
from concord.people.predictions.conclusions import conclude
from concord.people.predictions.controls import Sides, shared_variance, split_controls
from concord.people.predictions.measured import REASONS, by_cluster, metric_values
from concord.people.predictions.result import AgentDifference
from concord.people.predictions.table import EffectPair, Prediction, PredictionTable
from concord.records import Estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import effective_clusters, jackknife_t
from concord.stats.multiple import holm
from concord.stats.predicted_effects import MIN_PAIRS

COMPARED = ("pearson", "rmse", "direction", "pas", "apr")


def agent_differences(
    table: PredictionTable, names: Sequence[str], codes: Sequence[str], *, level: float
) -> list[AgentDifference]:
    """Compare all pairs of agents on the effects both predicted, Holm's correction per metric."""
    rows = [
        row
        for first, second in combinations(names, 2)
        for row in _table_differences(table, first, second, codes, level=level)
    ]
    adjusted: list[AgentDifference] = []
    for metric in COMPARED:
        own = [row for row in rows if row.metric == metric]
        p = np.array([np.nan if row.p_value is None else row.p_value for row in own])
        for row, value in zip(own, holm(p) if own else [], strict=True):
            adjusted.append(
                AgentDifference(
                    row.first, row.second, metric, row.difference, row.p_value,
                    None if np.isnan(value) else float(value),
                )
            )  # fmt: skip
    return adjusted


def _table_differences(
    table: PredictionTable, first: str, second: str, codes: Sequence[str], *, level: float
) -> list[AgentDifference]:
    """Compare two agents of a table on the effects both predicted."""
    one, two = table.agents[first], table.agents[second]
    chosen = [i for i, pair in enumerate(table.pairs) if pair.key in one and pair.key in two]
    pairs = [table.pairs[i] for i in chosen]
    sides = [[given[pair.key] for pair in pairs] for given in (one, two)]
    found = paired_differences(pairs, sides, [codes[i] for i in chosen], level=level)
    return [AgentDifference(first, second, metric, *found[metric], None) for metric in COMPARED]


def paired_differences(
    pairs: Sequence[EffectPair],
    sides: Sequence[Sequence[Prediction]],
    codes: Sequence[str],
    *,
    level: float,
) -> Mapping[str, tuple[Estimate, float | None]]:
    """Compute a paired jackknife of every metric, first minus second, and its p-value.

    Parameters
    ----------
    pairs, sides
        Effects of people, and the predictions of two agents.
    codes
        Cluster of each effect: both agents lose the same one at a time.
    level
        Nominal coverage.
    """
    if len(pairs) < MIN_PAIRS:
        note = f"{len(pairs)} effects predicted by both; at least {MIN_PAIRS} are needed"
        return {metric: (Estimate(None, n=len(pairs), note=note), None) for metric in COMPARED}
    labels = np.asarray(codes)
    concluded = [(side, conclude(pairs, side)) for side in sides]

    def gaps(kept: object = None) -> list[float]:
        left, right = (metric_values(pairs, *side, kept) for side in concluded)
        return [left[metric] - right[metric] for metric in COMPARED]

    values = gaps()
    without = np.array([gaps(labels != label) for label in dict.fromkeys(labels.tolist())])
    # the errors of a few clusters may carry both sums of squares
    degrees = {"rmse": _effective_errors(pairs, sides, labels)}
    both = [(pairs, side) for side in sides]
    shared = shared_variance(both, _moved_gaps) if split_controls(pairs, codes) else {}
    return {
        metric: _gap_estimate(
            metric, values[i], without[:, i], len(pairs), level, degrees.get(metric), shared.get(metric, 0.0)
        )
        for i, metric in enumerate(COMPARED)
    }


def _moved_gaps(sides: Sequence[Sides]) -> Mapping[str, float]:
    """Compute the differences of two agents anew, conclusions too."""
    left, right = (metric_values(pairs, side, conclude(pairs, side)) for pairs, side in sides)
    return {metric: left[metric] - right[metric] for metric in COMPARED}


def _gap_estimate(
    metric: str, value: float, without: Floats, n: int, level: float, df: float | None, shared: float
) -> tuple[Estimate, float | None]:
    """Return a difference with its interval, and the p of none."""
    if np.isnan(value):
        return Estimate(None, n=n, note=REASONS.get(metric, "undefined")), None
    try:
        if np.isnan(shared):
            raise UndefinedError("with a control group moved by its standard error the value is undefined")
        interval = jackknife_t(value, without, level=level, df=df, shared=shared)
    except UndefinedError as fault:
        return Estimate(value, n=n, note=f"no interval: {fault}"), None
    p = _jackknife_p(value, without, df, shared)
    return Estimate(value, interval, n=n, method="paired jackknife-t"), p


def _effective_errors(
    pairs: Sequence[EffectPair], sides: Sequence[Sequence[Prediction]], labels: NDArray[np.str_]
) -> float:
    """Return how many clusters are effectively behind the squared errors of two agents."""
    squares = (
        [(one.estimate - pair.estimate) ** 2 for one, pair in zip(side, pairs, strict=True)] for side in sides
    )
    return effective_clusters(*(by_cluster(one, labels) for one in squares))


def _jackknife_p(value: float, without: Floats, df: float | None, shared: float) -> float:
    """Compute the two-sided p of no difference from the jackknife's standard error and Student's t."""
    k = without.size
    own = (k - 1) / k * float(np.sum((without - without.mean()) ** 2))
    degrees = (k - 1 if df is None else min(df, k - 1)) * ((own + shared) / own) ** 2
    return float(2 * special.stdtr(degrees, -abs(value) / np.sqrt(own + shared)))
