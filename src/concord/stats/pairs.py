"""Pairs of models and several metrics each: p-values adjusted metric by metric, a ranking, its groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from concord.records import Estimate
from concord.stats.elementwise import or_nan, or_none
from concord.stats.equivalence import WithinMargin
from concord.stats.multiple import benjamini_hochberg, differs, holm, indistinguishable


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """One metric of two models over what both have; first minus second."""

    metric: str
    first: float | None
    second: float | None
    """Each model's own number over what both have."""
    difference: Estimate
    p_value: float | None
    n_clusters: int
    """Independent units that the uncertainty rests on: studies, items, families of items."""
    p_holm: float | None = None
    p_bh: float | None = None
    within: WithinMargin | None = None
    """Whether the difference is smaller than a margin, where one was given."""


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two models compared on what both have."""

    first: str
    second: str
    metrics: tuple[MetricDifference, ...]
    n_common: int
    """Tests, or cells of items and arrangements, that both have."""
    only_first: int
    only_second: int
    note: str = ""

    def metric(self, name: str) -> MetricDifference:
        """Return one metric."""
        return next(entry for entry in self.metrics if entry.metric == name)


def adjusted(pairs: Sequence[ModelPair]) -> tuple[ModelPair, ...]:
    """Adjust p-values for the number of pairs (Holm, Benjamini-Hochberg), each metric a family of its own."""
    columns = []
    for i in range(len(pairs[0].metrics)):
        p = np.array([or_nan(pair.metrics[i].p_value) for pair in pairs])
        columns.append((holm(p), benjamini_hochberg(p)))
    return tuple(
        replace(
            pair,
            metrics=tuple(
                replace(metric, p_holm=or_none(columns[i][0][k]), p_bh=or_none(columns[i][1][k]))
                for i, metric in enumerate(pair.metrics)
            ),
        )
        for k, pair in enumerate(pairs)
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """Models in the order of one metric, and which cannot be distinguished."""

    metric: str
    values: tuple[tuple[str, float], ...]
    """Model and number, from the best to the worst, over what all of them have."""
    groups: tuple[tuple[str, ...], ...]
    """Neighbours none of whose pairs differ at the level, after Holm."""

    @property
    def order(self) -> tuple[str, ...]:
        """Models from the best number to the worst."""
        return tuple(name for name, _ in self.values)


@dataclass(frozen=True, slots=True)
class RankedPairs:
    """All pairs of models and their ranking."""

    pairs: tuple[ModelPair, ...]
    standing: Standing
    common: Mapping[str, int] = field(default_factory=dict)
    """What every model has, counted."""


def standing(
    metric: str,
    values: Mapping[str, float | None],
    pairs: Sequence[ModelPair],
    *,
    level: float,
    lowest_first: bool = False,
) -> Standing:
    """Order models by a metric and group those that no test distinguishes (Demsar 2006)."""
    known = {name: value for name, value in values.items() if value is not None}
    names = sorted(known, key=lambda name: known[name] if lowest_first else -known[name])
    place = {name: i for i, name in enumerate(names)}
    different = np.zeros((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        one = pair.metric(metric)
        if pair.first in place and pair.second in place:
            i, j = place[pair.first], place[pair.second]
            different[i, j] = different[j, i] = differs(one.p_holm, one.difference.interval, level=level)
    groups = indistinguishable(range(len(names)), different)
    return Standing(
        metric,
        tuple((name, known[name]) for name in names),
        tuple(tuple(names[i] for i in group) for group in groups),
    )


def rows_of_pairs(n: int) -> list[tuple[int, ...]]:
    """Cut all pairs of n models into blocks that share their first model: (first, second, second, ...)."""
    rows: dict[int, list[int]] = {}
    for i, j in combinations(range(n), 2):
        rows.setdefault(i, [i]).append(j)
    return [tuple(row) for row in rows.values()]
