"""The four definitions of the gap between the best a model can do and what it does, and the fixed-m gap."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.number_words import number
from concord.records import Estimate, Interval
from concord.stats.bands import (
    MIN_UNITS,
    GapBand,
    GapTable,
    ItemWeights,
    band_from_draws,
    cross_fit_worst,
    mean_gap_interval,
    unit_mean_interval,
)
from concord.stats.gaps import expected_maximum, fixed_m_gap_binary, fixed_m_gap_cells
from concord.structure.records import Codes, Consistency, Floats, ScoreGrid, ScoreOptions

PEAK_NOTE = (
    "no interval: the largest value over items does not show how much larger it could be; see `paired`"
)
FEW_NOTE = f"no interval below {MIN_UNITS} items"
SAME_SCORES = "mean and max hold the same scores, so that S_Cons would be 1 whatever the arrangement does"
_SAME = 1e-12
PEAK_SPLITS = 20
"""Extremes over halves cannot be had from sums, so fewer splits are taken."""
S_METHOD = "from the ends of the E and R intervals, conservative"


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The arrangements of a model that count in E and R, and its units."""

    model: str
    names: tuple[str, ...]
    items: tuple[str, ...]
    mean: Floats
    maximum: Floats
    units: Codes
    """Unit (item or cluster) of each item, ascending from 0."""
    n_units: int
    unit_names: tuple[str, ...]
    flips: Floats | None = None
    """Flip excess of each item, where answers were given."""

    def sums(self, values: Floats) -> tuple[Floats, Floats]:
        """Return sums and counts of the values that are there, per unit and arrangement."""
        there = ~np.isnan(values)
        filled, ones = np.where(there, values, 0.0), there.astype(np.float64)
        if self.n_units == len(self.items):
            return filled, ones
        return self._by_unit(filled), self._by_unit(ones)

    def _by_unit(self, values: Floats) -> Floats:
        """Add the items of each unit."""
        summed = np.zeros((self.n_units, values.shape[1]))
        np.add.at(summed, self.units, values)
        return summed


def counted(scores: ScoreGrid, counts: NDArray[np.bool_]) -> Counted:
    """Take the arrangements that count; items are the units, or clusters of items where given."""
    kept = tuple(name for name, used in zip(scores.arrangements, counts, strict=True) if used)
    mean, maximum = scores.mean[:, counts], scores.maximum[:, counts]
    return counted_cells(scores.model, (kept, scores.items), mean, maximum, clusters=scores.clusters)


def counted_cells(
    model: str,
    names: tuple[tuple[str, ...], tuple[str, ...]],
    mean: Floats,
    maximum: Floats,
    *,
    clusters: tuple[str, ...] | None,
) -> Counted:
    """Lay out cells whose arrangements all count; ``names`` are those of arrangements and items."""
    arrangements, items = names
    labels = items if clusters is None else clusters
    unit_names = items if clusters is None else tuple(sorted(set(clusters)))
    index = {name: i for i, name in enumerate(unit_names)}
    units = np.fromiter((index[name] for name in labels), dtype=np.int64, count=len(labels))
    return Counted(model, arrangements, items, mean, maximum, units, len(unit_names), unit_names)


@dataclass(frozen=True, slots=True, eq=False)
class ResampledGaps:
    """Gaps with their simultaneous band, where there are units enough for one."""

    table: GapTable
    band: GapBand | None
    draws: Floats | None = None
    """Gaps under each resample, resamples by arrangements; ``None`` where there are too few units."""


def resample_tables(
    tables: Sequence[GapTable], weights: ItemWeights, *, level: float, more: Floats | None = None
) -> tuple[list[ResampledGaps], Floats | None]:
    """Resample several tables over the same units in one matrix product."""
    # ``more`` is any further matrix over those units whose weighted sums are wanted.
    n = tables[0].n_units
    if n < MIN_UNITS:
        return [ResampledGaps(table, None) for table in tables], None
    columns = [np.hstack(table.columns()) for table in tables]
    stack = np.hstack([*columns, *([] if more is None else [more])])
    sums = weights.sums(stack)
    size, at = np.full(len(sums), float(n)), 0
    results = []
    for table, part in zip(tables, columns, strict=True):
        draws = table.from_sums(sums[:, at : at + part.shape[1]], size)
        at += part.shape[1]
        results.append(ResampledGaps(table, band_from_draws(table, draws, level=level), draws))
    return results, None if more is None else sums[:, at:]


def paired_table(data: Counted) -> GapTable:
    """Gaps item by item, over items present on both sides."""
    return GapTable(((1.0, *data.sums(data.maximum - data.mean)),))


def unpaired_table(data: Counted) -> GapTable:
    """Mean of the max data minus mean of the mean data."""
    return GapTable(((1.0, *data.sums(data.maximum)), (-1.0, *data.sums(data.mean))))


def worst_table(data: Counted) -> GapTable:
    """Mean scores with their sign turned, so that the largest belongs to the worst arrangement."""
    return GapTable(((-1.0, *data.sums(data.mean)),))


def peak_gaps(mean: Floats, maximum: Floats) -> Floats:
    """Largest score of an arrangement in the max data minus its mean score in the mean data."""
    return _nanmax(maximum) - column_means(mean)


def across_gaps(mean: Floats) -> Floats:
    """Per item, largest minus mean of its cell means over arrangements; missing cells are skipped."""
    return _nanmax(mean.T) - column_means(mean.T)


def _nanmax(values: Floats) -> Floats:
    """Largest of each column, NaN where nothing is there."""
    top = np.max(np.where(np.isnan(values), -np.inf, values), axis=0, initial=-np.inf)
    return np.where(np.isneginf(top), np.nan, top)


def column_means(values: Floats) -> Floats:
    """Mean of each column, NaN where nothing is there."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    total = np.where(there, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def read_gaps(definition: str, data: Counted, options: ScoreOptions, weights: ItemWeights) -> Consistency:
    """Compute E, R and S under a definition that is no ratio of sums."""
    return _peak(data, options, weights) if definition == "peak" else _across(data, options)


def from_table(
    definition: str, data: Counted, resampled: ResampledGaps, options: ScoreOptions, weights: ItemWeights
) -> Consistency:
    """Compute E, R and S of gaps that are ratios of sums over units, with intervals and cross-fit."""
    table, band = resampled.table, resampled.band
    gaps = table.gaps()
    if np.isnan(gaps).all():
        return _undefined(definition, len(gaps), "no item has a score on both sides")
    e_interval = mean_gap_interval(table, options.level)
    r_interval = None if band is None else band.worst()
    note = FEW_NOTE if band is None else _resample_note(band.n_undefined, options.resamples)
    per_gap: list[Interval | None] = [None] * len(gaps)
    if band is not None:
        low, high = band.ends(band.critical)
        for k, p in enumerate(np.flatnonzero(~np.isnan(gaps))):
            per_gap[p] = Interval(float(low[k]), float(high[k]), options.level, "simultaneous max-t band")
    found = _assemble(
        definition, gaps, data.names,
        e_interval=e_interval, r_interval=r_interval, note=note, n=table.n_units,
        crossfit=_cross_fit(table, options, weights), gap_intervals=tuple(per_gap),
    )  # fmt: skip
    return replace(found, s_cons=Estimate(None, note=SAME_SCORES)) if hold_the_same(gaps) else found


def hold_the_same(gaps: Floats) -> bool:
    """Tell whether mean and max scores are the same throughout: no order effect could move such a gap."""
    return bool(np.nanmax(np.abs(gaps)) <= _SAME)


def _resample_note(n_undefined: int, resamples: int) -> str:
    """Count resamples in which an arrangement had no item."""
    return (
        f"{n_undefined} of {resamples} resamples left some arrangement without items" if n_undefined else ""
    )


def _cross_fit(table: GapTable, options: ScoreOptions, weights: ItemWeights) -> Estimate:
    """Cross-fit the worst gap over random halves of the units."""
    try:
        value, lost = cross_fit_worst(*table.on_halves(weights.splits(table.n_units)))
    except UndefinedError as error:
        return Estimate(None, note=str(error))
    note = f"{lost} of {options.splits} splits undefined" if lost else ""
    method = f"worst picked on one half of the items, read on the other, {options.splits} splits"
    return Estimate(value, n=table.n_units, n_left_out=lost, method=method, note=note)


def _peak(data: Counted, options: ScoreOptions, weights: ItemWeights) -> Consistency:
    """Largest score minus mean score of each arrangement: the words of the source."""
    gaps = peak_gaps(data.mean, data.maximum)
    return _assemble(
        "peak", gaps, data.names, note=PEAK_NOTE, n=len(data.items), crossfit=_peak_cross_fit(data, weights)
    )


def _peak_cross_fit(data: Counted, weights: ItemWeights) -> Estimate:
    """Cross-fit under `peak`: halves of the items have lower peaks, so the value is lower still."""
    try:
        members = weights.splits(data.n_units)[:PEAK_SPLITS, data.units]
        first, second = (
            np.array([peak_gaps(data.mean[half], data.maximum[half]) for half in halves])
            for halves in (members, ~members)
        )
        value, lost = cross_fit_worst(first, second)
    except UndefinedError as error:
        return Estimate(None, note=str(error))
    note = "under `peak` read on half of the items, whose peak is lower"
    return Estimate(
        value, n=data.n_units, n_left_out=lost, method="cross-fit over halves of the items", note=note
    )


def _across(data: Counted, options: ScoreOptions) -> Consistency:
    """Variation of an item's score with the arrangement."""
    cells = (~np.isnan(data.mean)).sum(axis=1)
    if not (cells >= 2).any():
        return _undefined("across", len(data.items), "no item has a score under two arrangements")
    gaps = across_gaps(data.mean)
    defined = gaps[~np.isnan(gaps)]
    sums, counts = data.sums(gaps[:, None])
    if data.n_units == len(data.items):
        interval = unit_mean_interval(defined, options.level) if len(defined) >= MIN_UNITS else None
    else:
        interval = mean_gap_interval(GapTable(((1.0, sums, counts),)), options.level)
    single = int((cells == 1).sum())
    note = "R has no interval: the largest gap over items does not show how much larger it could be"
    if single:
        note += f"; {single} items have one arrangement only, their gap is 0 by construction"
    result = _assemble("across", gaps, data.items, e_interval=interval, note=note, n=len(defined))
    none = Estimate(None, note="R of `across` runs over items, not over arrangements")
    return Consistency(
        result.definition, result.e_perf, result.r_sens, result.s_cons, result.r_at, none, result.gaps
    )


def _assemble(
    definition: str,
    gaps: Floats,
    names: Sequence[str],
    *,
    note: str,
    n: int,
    e_interval: Interval | None = None,
    r_interval: Interval | None = None,
    crossfit: Estimate | None = None,
    gap_intervals: tuple[Interval | None, ...] = (),
) -> Consistency:
    """Put E, R and S together."""
    defined = ~np.isnan(gaps)
    lost = int((~defined).sum())
    e, worst = float(gaps[defined].mean()), int(np.argmax(np.where(defined, gaps, -np.inf)))
    r = float(gaps[worst])
    s_interval = None
    if e_interval is not None and r_interval is not None:
        s_interval = Interval(
            (1 - e_interval.high) * (1 - r_interval.high),
            (1 - e_interval.low) * (1 - r_interval.low),
            e_interval.level,
            S_METHOD,
        )
    return Consistency(
        definition,
        Estimate(e, e_interval, n, lost, "mean gap", note if e_interval is None else ""),
        Estimate(r, r_interval, n, lost, "largest gap", note),
        Estimate(
            (1 - e) * (1 - r), s_interval, n, lost, "(1 - E)(1 - R)", note if s_interval is None else ""
        ),
        names[worst],
        crossfit,
        tuple(None if np.isnan(gap) else float(gap) for gap in gaps),
        gap_intervals,
    )


def _undefined(definition: str, n_gaps: int, note: str) -> Consistency:
    """Say that a definition does not exist for these data."""
    none = Estimate(None, n_left_out=n_gaps, note=note)
    return Consistency(definition, none, none, none, None, none, (None,) * n_gaps)


UNKNOWN = "not available: the number of samples behind mean and max is not known (--samples K)"
_BINARY = 1e-6


def fixed_m_cells(scores: ScoreGrid, options: ScoreOptions) -> tuple[Floats | None, str]:
    """Fixed-m gap of every cell (items by arrangements, NaN where undefined) and how it was found."""
    if scores.samples is not None:
        return _from_samples(scores, options.m)
    if options.samples is None:
        return None, UNKNOWN
    if options.samples < options.m:
        return None, f"not available: {options.samples} samples per cell, below m = {options.m}"
    # gap from mean and max files: exact for 0/1 scores, by the normal ratio otherwise
    if is_binary(scores, options.samples):
        return fixed_m_gap_binary(
            np.where(np.isnan(scores.maximum), np.nan, scores.mean), options.samples, options.m
        ), "exact for 0/1 scores"
    ratio = expected_maximum(options.m) / expected_maximum(options.samples)
    note = (
        f"approximate: gap x d({options.m})/d({options.samples}) = {number(ratio, 4)}, as for normal scores"
    )
    return (scores.maximum - scores.mean) * ratio, note


def _from_samples(scores: ScoreGrid, m: int) -> tuple[Floats | None, str]:
    """Exactly unbiased gap from raw samples."""
    raw = scores.samples
    assert raw is not None  # noqa: S101 - the caller looked
    n_cells = scores.mean.size
    cell = raw.item * scores.mean.shape[1] + raw.arrangement
    gaps, counts = fixed_m_gap_cells(cell, raw.score, n_cells, m=m)
    short = int(((counts > 0) & (counts < m)).sum())
    if not (counts >= m).any():
        return None, f"not available: no cell has {m} samples"
    note = f"{short} cells with fewer than {m} samples left out" if short else ""
    return gaps.reshape(scores.mean.shape), note


def is_binary(scores: ScoreGrid, k: int) -> bool:
    """Tell whether mean and max of k samples can only come from 0/1 scores."""
    paired = ~np.isnan(scores.mean) & ~np.isnan(scores.maximum)
    ones = scores.mean[paired] * k
    whole = np.abs(ones - np.rint(ones)) <= _BINARY * k
    return bool(
        np.all(whole) and np.array_equal(scores.maximum[paired], (np.rint(ones) > 0).astype(np.float64))
    )


def fixed_m_table(cells: Floats, data: Counted) -> GapTable:
    """Fixed-m gaps of the arrangements that count."""
    return GapTable(((1.0, *data.sums(cells)),))
