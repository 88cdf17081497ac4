"""Two agents on the same effects: a paired jackknife of every metric, Holm over the pairs of agents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.errors import UndefinedError
from concord.files.limits import COMPARED_IN_PAIRS, PREDICTOR_PARTS
from concord.people.predictions.controls import split_controls
from concord.people.predictions.measured import REASONS, by_cluster
from concord.people.predictions.moved import Influence, difference_variance, influence
from concord.people.predictions.prepared import Prepared, number_codes, prepare, without_each
from concord.people.predictions.result import AgentDifference
from concord.people.predictions.table import EffectPair, Prediction, PredictionTable
from concord.records import Estimate
from concord.stats.elementwise import Floats
from concord.stats.intervals import effective_clusters, jackknife_t
from concord.stats.multiple import holm
from concord.stats.predicted_effects import MIN_PAIRS

COMPARED = ("pearson", "rmse", "direction", "pas", "apr")


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One agent on the effects that two have in common: values, and those without one cluster at a time."""

    prepared: Prepared
    values: Floats
    without: Floats
    influence: Influence | None
    """Of control groups that lie in several clusters."""


def agent_differences(
    table: PredictionTable, names: Sequence[str], codes: Sequence[str], *, level: float
) -> tuple[list[AgentDifference], tuple[str, ...]]:
    """Compare all pairs of agents on the effects both predicted, Holm's correction per metric."""
    given = {name: np.array([pair.key in table.agents[name] for pair in table.pairs]) for name in names}
    note = _too_many(given, codes)
    if note:
        return [], (note,)
    parts: dict[tuple[str, bytes], _Part] = {}

    def part(name: str, both: NDArray[np.bool_]) -> _Part:
        """Return what an agent has on some effects; most pairs of agents have the same ones in common."""
        known = parts.get((name, both.tobytes()))
        if known is None:
            chosen = np.flatnonzero(both).tolist()
            pairs = [table.pairs[i] for i in chosen]
            predictions = [table.agents[name][pair.key] for pair in pairs]
            known = _jackknifed(pairs, predictions, [codes[i] for i in chosen])
            parts[name, both.tobytes()] = known
        return known

    rows = []
    for first, second in combinations(names, 2):
        both = given[first] & given[second]
        if both.sum() < MIN_PAIRS:
            found = _too_few(int(both.sum()))
        else:
            labels = np.asarray(codes)[both]
            found = _paired(part(first, both), part(second, both), labels, level=level)
        rows += [AgentDifference(first, second, metric, *found[metric], None) for metric in COMPARED]
    return _holm_adjusted(rows), ()


def _too_many(given: Mapping[str, NDArray[np.bool_]], codes: Sequence[str]) -> str:
    """Say that agents are not compared, where that would take minutes; else nothing.

    Agents that predicted the same effects are counted once each; those of which every pair has other
    effects in common have their numbers computed anew for each other agent.
    """
    n = len(given)
    kinds = len({mask.tobytes() for mask in given.values()})
    computed = n * kinds * len(set(codes))
    if n <= COMPARED_IN_PAIRS and computed <= PREDICTOR_PARTS:
        return ""
    return (
        f"{n:,} agents are not compared with each other: pairs are compared for at most "
        f"{COMPARED_IN_PAIRS:,} agents, and fewer where each predicted other effects; score those that "
        "matter in a table of their own"
    )


def _holm_adjusted(rows: Sequence[AgentDifference]) -> list[AgentDifference]:
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


def paired_differences(
    pairs: Sequence[EffectPair],
    sides: Sequence[Sequence[Prediction]],
    codes: Sequence[str],
    *,
    level: float,
) -> Mapping[str, tuple[Estimate, float | None]]:
    """Compute a paired jackknife of every metric, first minus second, and its p-value."""
    if len(pairs) < MIN_PAIRS:
        return _too_few(len(pairs))
    first, second = (_jackknifed(pairs, side, codes) for side in sides)
    return _paired(first, second, np.asarray(codes), level=level)


def _too_few(n: int) -> dict[str, tuple[Estimate, float | None]]:
    note = f"{n} effects predicted by both; at least {MIN_PAIRS} are needed"
    return {metric: (Estimate(None, n=n, note=note), None) for metric in COMPARED}


def _jackknifed(
    pairs: Sequence[EffectPair], predictions: Sequence[Prediction], codes: Sequence[str]
) -> _Part:
    prepared = prepare((pairs, predictions))
    values = prepared.values()
    without = [found for (found,) in without_each([prepared], number_codes(codes))]
    return _Part(
        prepared,
        np.array([values[metric] for metric in COMPARED]),
        np.array([[found[metric] for metric in COMPARED] for found in without]),
        influence(prepared) if split_controls(pairs, codes) else None,
    )


def _paired(
    first: _Part, second: _Part, labels: NDArray[np.str_], *, level: float
) -> dict[str, tuple[Estimate, float | None]]:
    values, without = first.values - second.values, first.without - second.without
    shared: Mapping[str, float] = {}
    if first.influence is not None and second.influence is not None:
        shared = difference_variance(first.influence, second.influence)
    # the errors of a few clusters may carry both sums of squares
    squares = (by_cluster((one.a - one.h) ** 2, labels) for one in (first.prepared, second.prepared))
    degrees = {"rmse": effective_clusters(*squares)}
    n = first.prepared.h.size
    return {
        metric: _gap_estimate(
            metric, float(values[i]), without[:, i], n, level, degrees.get(metric), shared.get(metric, 0.0)
        )
        for i, metric in enumerate(COMPARED)
    }


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


def _jackknife_p(value: float, without: Floats, df: float | None, shared: float) -> float:
    """Compute the two-sided p of no difference from the jackknife's standard error and Student's t."""
    k = without.size
    own = (k - 1) / k * float(np.sum((without - without.mean()) ** 2))
    degrees = (k - 1 if df is None else min(df, k - 1)) * ((own + shared) / own) ** 2
    return float(2 * special.stdtr(degrees, -abs(value) / np.sqrt(own + shared)))
