"""What a comparison needs of one model: its gaps, how resamples of the items move them, its order effect."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from concord.errors import UndefinedError
from concord.stats.bands import GapTable, ItemWeights, on_exact_grid
from concord.stats.maxima import MaximumSide
from concord.stats.order import OrderEffect, order_effect
from concord.stats.spread import MeansSpread, spread_of
from concord.structure.definitions import (
    Counted,
    ResampledGaps,
    paired_table,
    resample_tables,
    unpaired_table,
    worst_table,
)
from concord.structure.order import complete_units
from concord.structure.read.records import Floats
from concord.structure.records import ScoreOptions

MOST_KEPT = 64
"""ResampledModels that are kept for later pairs; beyond, the oldest is computed again when it is needed."""


@dataclass(frozen=True, eq=False)
class ResampledModel:
    """One model on given items and arrangements."""

    table: GapTable
    draws: Floats | None
    """Gaps under each resample of the items; ``None`` below 20 of them."""
    effect: OrderEffect | None
    taus: Floats
    """tau of each resample; empty where it was not resampled."""
    spread: MeansSpread | None = None
    """Limits of tau at any level."""
    scores: ResampledGaps | None = None
    """Mean scores with their sign turned, and their resamples."""
    flips: Floats | None = None
    """Flip excess of each item."""

    @cached_property
    def worst(self) -> MaximumSide:
        """Return the gaps, whose maximum is R."""
        gaps = self.table.gaps()
        there = ~np.isnan(gaps)
        draws = np.empty((0, len(gaps))) if self.draws is None else self.draws
        return MaximumSide(gaps[there], self.table.influence()[:, there], draws[:, there])

    @cached_property
    def lowest(self) -> MaximumSide | None:
        """Return mean scores with their sign turned: the largest is that of the worst arrangement."""
        if self.scores is None:
            return None
        values = self.scores.table.gaps()
        there = ~np.isnan(values)
        draws = np.empty((0, len(values))) if self.scores.draws is None else self.scores.draws
        return MaximumSide(values[there], self.scores.table.influence()[:, there], draws[:, there])

    @cached_property
    def loss(self) -> MaximumSide:
        """Return 1 - (1 - E)(1 - gap) of every arrangement, whose maximum is 1 - S."""
        gaps, influence = self.worst.values, self.worst.influence
        draws = np.where(np.isnan(self.worst.draws), gaps, self.worst.draws)
        e, moves = gaps.mean(), influence.mean(axis=1, keepdims=True)
        losses = 1 - (1 - draws.mean(axis=1, keepdims=True)) * (1 - draws)
        return MaximumSide(1 - (1 - e) * (1 - gaps), (1 - gaps) * moves + (1 - e) * influence, losses)


_Key = tuple[str, tuple[str, ...], tuple[str, ...], bytes, bytes]


@dataclass(slots=True)
class ResampledModels:
    """Models on shared items and arrangements, computed once each."""

    options: ScoreOptions
    weights: ItemWeights
    known: dict[_Key, ResampledModel] = field(default_factory=dict)

    def keep(self, model: str, data: Counted, part: ResampledModel) -> None:
        """Keep what has been computed already."""
        if len(self.known) >= MOST_KEPT:
            self.known.pop(next(iter(self.known)))
        self.known[_key(model, data)] = part

    def get(self, model: str, data: Counted) -> ResampledModel:
        """Compute a model's part, or take it from an earlier comparison on the same items."""
        found = self.known.get(_key(model, data))
        if found is None:
            found = self._compute(data)
            self.keep(model, data, found)
        return found

    def _compute(self, data: Counted) -> ResampledModel:
        """Compute gaps, their resamples, the order effect and its resamples."""
        table = unpaired_table(data) if self.options.definition == "unpaired" else paired_table(data)
        layout = whole_layout(data)
        more = None if layout is None else tau_columns(layout)
        (resampled, scores), sums = resample_tables(
            [table, worst_table(data)], self.weights, level=self.options.level, more=more
        )
        try:
            effect = order_effect(complete_units(data)[0], level=self.options.level)
        except UndefinedError:
            effect = None
        taus = resampled_tau(layout, sums)
        return ResampledModel(table, resampled.draws, effect, taus, spread(data), scores, data.flips)


def spread(data: Counted) -> MeansSpread | None:
    """Limits of tau at any level, where there are any."""
    try:
        return spread_of(complete_units(data)[0])
    except UndefinedError:
        return None


def _key(model: str, data: Counted) -> _Key:
    """Tell two cuts of a model apart: items, arrangements, units and cells that are there."""
    there = np.packbits(np.isnan(data.mean) | np.isnan(data.maximum))
    return model, data.items, data.names, data.units.tobytes(), there.tobytes()


def whole_layout(data: Counted) -> Floats | None:
    """Cell means of all units, if none lacks an arrangement: only then do resamples of units fit."""
    layout, lost = complete_units(data)
    return None if lost or layout.shape[1] < 2 else layout


def tau_columns(layout: Floats) -> Floats:
    """Columns whose sums under a resample give its mean squares."""
    centred = layout - layout.mean(axis=1, keepdims=True)
    return on_exact_grid(np.hstack([centred, np.sum(centred**2, axis=1, keepdims=True)]))


def resampled_tau(layout: Floats | None, sums: Floats | None) -> Floats:
    """Tau of each resample of the items.

    A resample carries the noise of the data and its own, so the residual mean square is taken off twice.
    """
    if layout is None or sums is None:
        return np.empty(0)
    n, p = layout.shape
    ss_arrangement = np.sum(sums[:, :p] ** 2, axis=1) / n
    ms_arrangement = ss_arrangement / (p - 1)
    ms_residual = (sums[:, p] - ss_arrangement) / ((n - 1) * (p - 1))
    return np.asarray(np.sqrt(np.maximum(0.0, (ms_arrangement - 2 * ms_residual) / n)))
