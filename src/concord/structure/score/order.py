"""The order effect of one model: test, shares of variance, flips, worst arrangement, gate, sentence."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy import special

from concord.errors import UndefinedError
from concord.records import Estimate, Interval
from concord.stats.bands import MIN_UNITS, STILL, GapBand, GapTable, mean_gap_interval
from concord.stats.bounded_means import bounded_bootstrap
from concord.stats.clustered import clustered_mean
from concord.stats.coverage import coverage_note, difference_look, score_look, spread_look
from concord.stats.gaps import deviation_band
from concord.stats.multiple import p_by_interval
from concord.stats.order import OrderEffect, VarianceShares, order_effect, variance_shares
from concord.stats.spread import flip_excess, flip_excess_of_shares
from concord.structure.records import Floats, ModelResult, Order, ScoreGrid, ScoreOptions
from concord.structure.score.definitions import FEW_NOTE, Counted, ResampledGaps, column_means
from concord.words import say

FLOOR, CEILING = 0.05, 0.95
_LEVEL = 0.05


def gate_of(data: Counted, chance: float | None) -> str:
    """Return why there is nothing to be consistent about; empty where there is."""
    means = column_means(data.mean.T)
    there = ~np.isnan(means)
    mean = float(means[there].mean())
    reason = mean_gate(mean)
    if reason or chance is None:
        return reason
    units = data.units[there]
    error = clustered_mean(means[there], units) if len(set(units.tolist())) > 1 else None
    if error is not None and error.mean > chance:
        t = np.inf if error.se == 0 else (error.mean - chance) / error.se
        if special.stdtr(error.df, -t) < _LEVEL:
            return ""
    return say("structure.gate.chance", mean=mean, chance=chance)


def mean_gate(mean: float) -> str:
    """Return why a mean score leaves nothing to be consistent about; empty where it does not."""
    if mean < FLOOR:
        return say("structure.gate.below", mean=mean, floor=f"{FLOOR:g}")
    return say("structure.gate.score", mean=mean, above=_above_ceiling()) if mean > CEILING else ""


def _above_ceiling() -> str:
    return say("structure.gate.above", ceiling=f"{CEILING:g}")


def flip_cells(scores: ScoreGrid, data: Counted, draws: int | None) -> Floats | None:
    """Flip excess of each item, where answers were given, or shares of so many right draws."""
    raw = scores.samples
    if raw is None:
        return None
    if raw.answer is None:
        one_each = len(raw.item) == int((~np.isnan(scores.mean)).sum())
        return (
            flip_excess_of_shares(data.mean, draws) if one_each and draws is not None and draws > 1 else None
        )
    counts = np.array([name in data.names for name in scores.arrangements])
    kept = counts[raw.arrangement]
    return flip_excess(raw.item[kept], raw.arrangement[kept], raw.answer[kept], n_items=len(scores.items))


def flip_estimate(values: Floats, data: Counted, level: float) -> Estimate:
    """Mean flip excess over items, with its interval."""
    there = ~np.isnan(values)
    lost = int((~there).sum())
    if not there.any():
        return Estimate(None, n_left_out=lost, note=say("structure.answers.no_pairs"))
    table = GapTable(((1.0, *data.sums(values[:, None])),))
    used = table.terms[0][2][:, 0] > 0
    interval = mean_gap_interval(GapTable(tuple((s, n[used], d[used]) for s, n, d in table.terms)), level)
    note = "" if interval is not None else say("structure.answers.few", n=MIN_UNITS)
    return Estimate(
        float(values[there].mean()),
        interval,
        int(there.sum()),
        lost,
        "share of unlike pairs between minus within arrangements",
        note,
    )


def flips_p(values: Floats, data: Counted) -> float | None:
    """Return the p of answers that change no more with the order, which agrees with their interval."""
    return p_by_interval(partial(flip_estimate, values, data))


def flip_notes(scores: ScoreGrid, flips: Estimate | None) -> tuple[str, ...]:
    """Say why there is no flip excess, and what would give one."""
    if flips is None and (scores.samples is None or scores.samples.answer is None):
        return (say("structure.answers.needs_answers"),)
    if flips is None or flips.value is None:
        return (say("structure.answers.needs_repeats"),)
    return ()


def complete_units(data: Counted) -> tuple[Floats, int]:
    """Cell means of items with every arrangement (averaged within clusters), and how many items lack one."""
    complete = ~np.isnan(data.mean).any(axis=1)
    kept = data.mean[complete]
    lost = int((~complete).sum())
    if data.n_units == len(data.items):
        return kept, lost
    present, codes = np.unique(data.units[complete], return_inverse=True)
    sums = np.zeros((len(present), data.mean.shape[1]))
    np.add.at(sums, codes, kept)
    return sums / np.bincount(codes, minlength=len(present))[:, None], lost


def order_block(scores: ScoreGrid, data: Counted, options: ScoreOptions) -> Order:
    """Order effect, shares of variance, worst and best arrangement."""
    means = column_means(data.mean)
    low, high = int(np.nanargmin(means)), int(np.nanargmax(means))
    layout, lost = complete_units(data)
    effect, note = None, ""
    try:
        effect = order_effect(layout, level=options.level)
        note = effect.note
    except UndefinedError as error:
        note = str(error)
    if data.n_units != len(data.items):
        note = "; ".join(part for part in (note, say("structure.note.clusters")) if part)
    return Order(
        effect,
        None if effect is None else _shares(scores, data, effect),
        data.names[low],
        data.names[high],
        float(means[low]),
        float(means[high]),
        float(means[high] - means[low]),
        lost,
        note,
        difference=_of_two(layout, (low, high), options.level),
    )


def _of_two(layout: Floats, places: tuple[int, int], level: float) -> Estimate | None:
    """Return the difference of two arrangements, best minus worst, with Student's t over items."""
    n, p = layout.shape
    if p != 2 or n < 2:
        return None
    moved = layout[:, places[1]] - layout[:, places[0]]
    mean, se = float(moved.mean()), float(moved.std(ddof=1) / np.sqrt(n))
    if se <= STILL:
        return Estimate(mean, None, n, note="no interval: every item gives the same difference")
    reach = float(special.stdtrit(n - 1, 0.5 + level / 2)) * se
    return Estimate(mean, Interval(mean - reach, mean + reach, level, "paired t over items"), n)


def _shares(scores: ScoreGrid, data: Counted, effect: OrderEffect) -> VarianceShares | None:
    """Shares of variance, where samples tell decoding noise from the rest."""
    raw = scores.samples
    if raw is None or data.n_units != len(data.items):
        return None
    complete = np.asarray(~np.isnan(data.mean).any(axis=1))
    kept = np.array([name in data.names for name in scores.arrangements])
    used = complete[raw.item] & kept[raw.arrangement]
    cell = (raw.item * scores.mean.shape[1] + raw.arrangement)[used]
    shift = raw.score[used] - scores.mean.reshape(-1)[cell]
    count = np.bincount(cell, minlength=scores.mean.size)
    squares = np.bincount(cell, weights=shift**2, minlength=scores.mean.size)
    several = count >= 2
    if not several.any():
        return None
    noise = float(np.mean(squares[several] / (count[several] - 1)))
    try:
        return variance_shares(effect, noise, float(np.mean(1.0 / count[count > 0])))
    except UndefinedError:
        return None


def worst_estimate(data: Counted, scores: ResampledGaps) -> Estimate:
    """Return the mean score under the worst arrangement; its interval is a simultaneous one."""
    means = -scores.table.gaps()
    lost = int(np.isnan(means).sum())
    if lost == len(means):
        return Estimate(None, n_left_out=lost, note=say("structure.note.no_mean"))
    method, interval = "lowest mean score of an arrangement", None
    if scores.band is not None:
        interval = _worst_interval(scores.band)
    note = FEW_NOTE if interval is None else ""
    return Estimate(float(np.nanmin(means)), interval, data.n_units, lost, method, note)


def _worst_interval(band: GapBand) -> Interval:
    """Return the interval of the lowest mean; a mean over units that are all equal has a reach as well."""
    below, above = band.ends(band.critical)
    low, high = -above, -below
    each = 1 - (1 - band.level) / len(band.gaps)
    for i in np.flatnonzero(band.standard_errors == 0):
        equal = np.full(band.n_units, min(1.0, max(0.0, -float(band.gaps[i]))))
        reach = bounded_bootstrap(equal, level=each)
        low[i], high[i] = reach.low, reach.high
    method = band.worst().method
    return Interval(max(0.0, float(low.min())), min(1.0, float(high.min())), band.level, method)


def release_ceilings(models: Sequence[ModelResult]) -> tuple[ModelResult, ...]:
    """Read models above the ceiling where the same items are no ceiling for others, whose scores move."""
    others = {one.model for one in models if not one.gate and _moves(one)}
    return tuple(
        replace(one, gate="")
        if at_ceiling(one) and any(_shares_items(one, other) for other in models if other.model in others)
        else one
        for one in models
    )


def at_ceiling(model: ModelResult) -> bool:
    """Tell whether a model is gated because its mean score leaves no room above."""
    return model.gate.endswith(_above_ceiling())


def _moves(model: ModelResult) -> bool:
    """Tell whether any item scores otherwise under another arrangement."""
    return any(len({cell[1] for cell in item.scores if cell[1] is not None}) > 1 for item in model.items)


def _shares_items(one: ModelResult, other: ModelResult) -> bool:
    return not {item.name for item in one.items}.isdisjoint(item.name for item in other.items)


def coverage_notes(data: Counted, order: Order, level: float) -> tuple[str, ...]:
    """Return notes on the intervals of the order effect, the mean gap and the flip excess."""
    found: list[tuple[str, str]] = []
    effect = order.effect
    if effect is not None and effect.interval is not None:
        found.append(
            (
                say("structure.note.order_effect"),
                coverage_note("tau", effect.n_items, spread_look(effect.p_value), level=level),
            )
        )
    gaps = column_means((data.maximum - data.mean).T)
    gaps = np.clip(gaps[~np.isnan(gaps)], 0.0, 1.0)
    if gaps.size:
        found.append(
            (
                say("structure.note.e_perf"),
                coverage_note("E_perf", data.n_units, score_look(gaps), level=level),
            )
        )
    flips = np.empty(0) if data.flips is None else data.flips[~np.isnan(data.flips)]
    if flips.size > 1:
        found.append(
            (
                say("structure.note.flip_excess"),
                coverage_note("flips", flips.size, difference_look(flips), level=level),
            )
        )
    return tuple(say("structure.note.coverage", name=name, note=note) for name, note in found if note)


def order_deviations(model: ModelResult, level: float) -> tuple[tuple[str, Estimate], ...]:
    """Return how far the mean score of each arrangement lies from that of all, with a band for all at once.

    Where single scores are not known, or too few, deviations of the mean scores are all there is.
    """
    names = list(dict.fromkeys(cell[0] for item in model.items for cell in item.scores))
    place = {name: p for p, name in enumerate(names)}
    scores = np.full((len(model.items), len(names)), np.nan)
    for i, item in enumerate(model.items):
        for name, mean, *_ in item.scores:
            scores[i, place[name]] = np.nan if mean is None else mean
    band = deviation_band(scores, level=level)
    if band is None:
        known = [(row.name, row.mean_score) for row in model.arrangements if row.mean_score is not None]
        middle = sum(mean for _, mean in known) / len(known) if known else 0.0
        return tuple((name, Estimate(mean - middle)) for name, mean in known)
    ends = (
        Interval(float(low), float(high), level, band.method)
        for low, high in zip(band.low, band.high, strict=True)
    )
    values = zip(names, band.values.tolist(), ends, strict=True)
    return tuple((name, Estimate(value, interval, band.n_items)) for name, value, interval in values)
