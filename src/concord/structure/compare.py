"""Many models on the same items: all pairs of S_Cons, E_perf and R_sens, items resampled jointly."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from concord.engine import SERIAL, Engine
from concord.errors import MismatchError
from concord.records import Estimate
from concord.stats.bands import ItemWeights
from concord.stats.pairs import MetricDifference, ModelPair, Standing, adjusted, rows_of_pairs, standing
from concord.structure.definitions import (
    PEAK_NOTE,
    Counted,
    across_gaps,
    counted_cells,
    paired_table,
    peak_gaps,
    unpaired_table,
)
from concord.structure.difference import gap_differences, shared
from concord.structure.records import ModelResult, ScoreOptions
from concord.structure.resampled import ResampledModels

METRICS = ("S_Cons", "E_perf", "R_sens")
FIXED_M = ("S_star", "E_star", "R_star")
"""The same numbers of the fixed-m gap, which does not depend on the number of samples per cell."""
LOWER_IS_STEADIER = ("E_perf", "R_sens", "E_star", "R_star")
_ACROSS = "no interval: R of `across` is an extreme over items and has no honest one; see `paired`"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class StructureComparison:
    """All pairs of models and their ranking."""

    pairs: tuple[ModelPair, ...]
    standing: Standing
    n_items: int
    n_arrangements: int
    """Items and arrangements that every model has."""


def compare_structure(
    models: Sequence[Counted], options: ScoreOptions, *, metric: str = "S_Cons", engine: Engine = SERIAL
) -> StructureComparison:
    """Compare every pair of models on the items, arrangements and cells that both have.

    E_perf: paired t over items. R_sens and S_Cons: a simultaneous band over the contrasts of both models'
    arrangements, items resampled as whole rows for both models at once (`difference_of_maxima`).

    Parameters
    ----------
    models
        At least two, under distinct names; scores, or fixed-m gaps as their own max (`counted_model`).
    options
        Reading, seed, resamples and level. Under `peak` and `across`, which have no honest interval, tests
        and intervals are those of the paired definition, and the definition's own numbers are given too.
    metric
        The number that ranks: one of `METRICS` or `FIXED_M`.
    engine
        Where pairs are computed; changes nothing in the result.

    Raises
    ------
    MismatchError
        Two models share no item or no arrangement.
    """
    weights = ItemWeights(options.seed, options.resamples)
    parts = ResampledModels(options, weights, with_order=False)
    names = FIXED_M if metric in FIXED_M else METRICS
    blocks = rows_of_pairs(len(models))
    found = engine.map(partial(_row, tuple(models), parts, names), blocks)
    pairs = adjusted([pair for row in found for pair in row])
    common = _cut_to_all(models)
    n_items, n_arrangements = (len(common[0].items), len(common[0].names)) if common else (0, 0)
    values = {data.model: _value(data, options.definition, names.index(metric)) for data in common}
    place = standing(metric, values, pairs, level=options.level, lowest_first=metric in LOWER_IS_STEADIER)
    return StructureComparison(pairs, place, n_items, n_arrangements)


def counted_model(model: ModelResult, name: str, *, fixed_m: bool = False) -> Counted:
    """Lay out the cells of a scored model, items and arrangements sorted by name.

    Parameters
    ----------
    model
        The scored model.
    name
        What the comparison calls it.
    fixed_m
        Whether fixed-m gaps take the place of gaps: a max of the gap over a mean of 0.
    """
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
    return counted_cells(name, (names, tuple(item.name for item in rows)), mean, maximum, clusters=whole)


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
    e, r, s = gap_differences(a, b, parts.options.level)
    metrics = [replace(one, metric=name) for name, one in zip(names, (s, e, r), strict=True)]
    metrics += _as_read(cut.first, cut.second, parts.options.definition) if names == METRICS else []
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


def _as_read(first: Counted, second: Counted, definition: str) -> list[MetricDifference]:
    """Return S, E and R under a definition without an honest interval, on the shared cells."""
    if definition not in ("peak", "across"):
        return []
    sides = [_numbers(data, definition) for data in (first, second)]
    note = PEAK_NOTE if definition == "peak" else _ACROSS
    found = []
    for name, one, two in zip(METRICS, *sides, strict=True):
        value = None if one is None or two is None else one - two
        estimate = Estimate(value, None, len(first.items), method=f"definition {definition}", note=note)
        found.append(MetricDifference(f"{definition}_{name}", one, two, estimate, None, len(first.items)))
    return found


def _numbers(data: Counted, definition: str) -> tuple[float | None, float | None, float | None]:
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
    return (1 - e) * (1 - r), e, r


def _value(data: Counted, definition: str, place: int) -> float | None:
    """Return the number that ranks: of the definition that the tests are about."""
    return _numbers(data, "unpaired" if definition == "unpaired" else "paired")[place]


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
