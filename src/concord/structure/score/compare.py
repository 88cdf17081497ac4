"""Many models on the same items: all pairs of tau, flip excess, worst arrangement, S, E and R."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from concord.engine import SERIAL, Engine
from concord.errors import MismatchError, UndefinedError
from concord.records import Estimate
from concord.stats.bands import ItemWeights
from concord.stats.order import order_effect
from concord.stats.pairs import MetricDifference, ModelPair, RankedPairs, adjusted, rows_of_pairs, standing
from concord.structure.records import ModelResult, ScoreOptions
from concord.structure.score.definitions import (
    PEAK_NOTE,
    Counted,
    across_gaps,
    column_means,
    counted_cells,
    hold_the_same,
    paired_table,
    peak_gaps,
    unpaired_table,
)
from concord.structure.score.difference import ResampledModels, gap_differences, order_differences, shared
from concord.structure.score.order import complete_units

ORDER_METRICS = ("tau", "flip_excess", "worst")
"""What answers whether a model agrees with itself; comparable whatever the definition of the gap."""
SOURCE_METRICS = ("S_Cons", "E_perf", "R_sens")
"""As defined in the source."""
METRICS = (*ORDER_METRICS, *SOURCE_METRICS)
FIXED_M = ("S_star", "E_star", "R_star")
"""The same numbers of the fixed-m gap, which does not depend on the number of samples per cell."""
LOWER_IS_STEADIER = ("tau", "flip_excess", "E_perf", "R_sens", "E_star", "R_star")
_ACROSS = "no interval: the largest gap over items does not show how much larger it could be; see `paired`"
_SHOWN = 3


def compare_structure(
    models: Sequence[Counted],
    options: ScoreOptions,
    *,
    metric: str = "tau",
    gates: Mapping[str, str] | None = None,
    with_source: bool = True,
    engine: Engine = SERIAL,
) -> RankedPairs:
    """Compare every pair of models on the items, arrangements and cells that both have."""
    # tau: limits of both spreads, joined with their correlation. flip excess and E_perf: paired t over items.
    # The worst arrangement, R_sens and S_Cons: a simultaneous band over the contrasts of both models'
    # arrangements, items resampled as whole rows for both models at once (`difference_of_maxima`).
    weights = ItemWeights(options.seed, options.resamples)
    parts = ResampledModels(options, weights)
    names = FIXED_M if metric in FIXED_M else METRICS if with_source else ORDER_METRICS
    gates = {} if gates is None else gates
    blocks = rows_of_pairs(len(models))
    found = engine.map(partial(_row, tuple(models), parts, names), blocks)
    pairs = adjusted([pair for row in found for pair in row])
    common = _cut_to_all(models)
    n_items, n_arrangements = (len(common[0].items), len(common[0].names)) if common else (0, 0)
    values = {
        data.model: None if gates.get(data.model) else _ranking_value(data, options.definition, metric)
        for data in common
    }
    place = standing(metric, values, pairs, level=options.level, lowest_first=metric in LOWER_IS_STEADIER)
    return RankedPairs(pairs, place, {"n_items": n_items, "n_arrangements": n_arrangements})


def counted_model(model: ModelResult, name: str, *, fixed_m: bool = False) -> Counted:
    """Lay out the cells of a scored model, items and arrangements sorted by name."""
    rows = sorted(model.items, key=lambda item: item.name)
    names = tuple(sorted({cell[0] for item in rows for cell in item.scores}))
    place = {name: p for p, name in enumerate(names)}
    grid = np.full((3, len(rows), len(names)), np.nan)
    for i, item in enumerate(rows):
        for arrangement, *numbers in item.scores:
            grid[:, i, place[arrangement]] = [np.nan if one is None else one for one in numbers]
    mean, maximum, gap = grid
    if fixed_m:
        mean, maximum = np.where(np.isnan(gap), np.nan, 0.0), gap
    clusters = tuple(item.cluster for item in rows if item.cluster is not None)
    whole = clusters if len(clusters) == len(rows) else None
    laid_out = counted_cells(name, (names, tuple(item.name for item in rows)), mean, maximum, clusters=whole)
    if all(item.flip_excess is None for item in rows):
        return laid_out
    flips = [np.nan if item.flip_excess is None else item.flip_excess for item in rows]
    return replace(laid_out, flips=np.array(flips))


def _row(
    models: tuple[Counted, ...], parts: ResampledModels, names: tuple[str, ...], row: tuple[int, ...]
) -> list[ModelPair]:
    """Compare one model with all that come after it."""
    return [_pair(models[row[0]], models[j], parts, names) for j in row[1:]]


def _pair(first: Counted, second: Counted, parts: ResampledModels, names: tuple[str, ...]) -> ModelPair:
    cut = shared(first, second)
    if cut is None:
        raise MismatchError(_apart(first, second))
    a, b = parts.get(first.model, cut.first), parts.get(second.model, cut.second)
    metrics: list[MetricDifference] = []
    if "tau" in names:
        metrics += order_differences(a, b, cut.first, parts.options.level)
    if len(names) > len(metrics):
        e, r, s = gap_differences(a, b, parts.options.level)
        metrics += [
            replace(one, metric=name) for name, one in zip(names[len(metrics) :], (s, e, r), strict=True)
        ]
        metrics += _as_defined(cut.first, cut.second, parts.options.definition) if "tau" in names else []
    return ModelPair(first.model, second.model, tuple(metrics), cut.n_cells, cut.only_first, cut.only_second)


def _apart(first: Counted, second: Counted) -> str:
    """Say what two models do not share."""
    what = "arrangement" if set(first.items) & set(second.items) else "item"
    sides = (first.names, second.names) if what == "arrangement" else (first.items, second.items)
    listed = "; ".join(
        f"{data.model}: {', '.join(map(repr, names[:_SHOWN]))}, ..."
        for data, names in zip((first, second), sides, strict=True)
    )
    return (
        f"{first.model} and {second.model} have no {what} in common ({listed}); scores compare cell by cell: "
        "score both models on the same items under the same arrangements, with the same names"
    )


def _as_defined(first: Counted, second: Counted, definition: str) -> list[MetricDifference]:
    """Return S, E and R under a definition without an honest interval, on the shared cells."""
    if definition not in ("peak", "across"):
        return []
    sides = [_gaps_of(data, definition) for data in (first, second)]
    note = PEAK_NOTE if definition == "peak" else _ACROSS
    found = []
    for name, one, two in zip(SOURCE_METRICS, *sides, strict=True):
        value = None if one is None or two is None else one - two
        estimate = Estimate(value, None, len(first.items), method=f"definition {definition}", note=note)
        found.append(MetricDifference(f"{definition}_{name}", one, two, estimate, None, len(first.items)))
    return found


def _gaps_of(data: Counted, definition: str) -> tuple[float | None, float | None, float | None]:
    """S, E and R of one model under a definition."""
    if definition == "peak":
        gaps = peak_gaps(data.mean, data.maximum)
    elif definition == "across":
        gaps = across_gaps(data.mean)
    else:
        gaps = (unpaired_table(data) if definition == "unpaired" else paired_table(data)).gaps()
    defined = gaps[~np.isnan(gaps)]
    if not defined.size:
        return None, None, None
    e, r = float(defined.mean()), float(defined.max())
    same = definition in ("paired", "unpaired") and hold_the_same(defined)
    return None if same else (1 - e) * (1 - r), e, r


def _ranking_value(data: Counted, definition: str, metric: str) -> float | None:
    """Return the number that ranks: of the definition that the tests are about."""
    if metric == "tau":
        layout, _ = complete_units(data)
        # tau of a whole layout; nothing where it is undefined
        try:
            return order_effect(layout).tau
        except UndefinedError:
            return None
    if metric == "flip_excess":
        there = np.empty(0) if data.flips is None else data.flips[~np.isnan(data.flips)]
        return float(there.mean()) if there.size else None
    if metric == "worst":
        means = column_means(data.mean)
        return None if np.isnan(means).all() else float(np.nanmin(means))
    place = (FIXED_M if metric in FIXED_M else SOURCE_METRICS).index(metric)
    return _gaps_of(data, "unpaired" if definition == "unpaired" else "paired")[place]


def _cut_to_all(models: Sequence[Counted]) -> list[Counted]:
    """Cut every model to what all of them have; nothing where they share nothing."""
    least = models[0]
    for other in models[1:]:
        cut = shared(least, other)
        if cut is None:
            return []
        least = cut.first
    found = []
    for data in models:
        cut = shared(least, data)
        if cut is None:
            return []
        found.append(replace(cut.second, model=data.model))
    return found
