"""What stands beside the number: fixed-m gap, order effect, shares of variance, flips, a plain sentence."""

import numpy as np

from concord.errors import UndefinedError
from concord.records import Estimate
from concord.stats.bands import MIN_UNITS, GapTable, mean_gap_interval
from concord.stats.flips import flip_excess
from concord.stats.gaps import expected_maximum, fixed_m_gap_binary, fixed_m_gap_cells
from concord.stats.order import OrderEffect, VarianceShares, order_effect, variance_shares
from concord.structure.read.records import Floats, ModelScores
from concord.structure.readings import Counted, column_means
from concord.structure.records import Order, ScoreOptions

STAR_UNKNOWN = "not available: the number of samples behind mean and max is not known (--samples K)"
_BINARY = 1e-6


def star_cells(scores: ModelScores, options: ScoreOptions) -> tuple[Floats | None, str]:
    """Fixed-m gap of every cell (items by arrangements, NaN where undefined) and how it was found."""
    if scores.samples is not None:
        return _star_from_samples(scores, options.m)
    if options.samples is None:
        return None, STAR_UNKNOWN
    if options.samples < options.m:
        return None, f"not available: {options.samples} samples a cell, below m = {options.m}"
    return _star_from_files(scores, options.samples, options.m)


def _star_from_samples(scores: ModelScores, m: int) -> tuple[Floats | None, str]:
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


def _star_from_files(scores: ModelScores, k: int, m: int) -> tuple[Floats, str]:
    """Gap from mean and max files: exact for 0/1 scores, by the normal ratio otherwise."""
    if is_binary(scores, k):
        return fixed_m_gap_binary(
            np.where(np.isnan(scores.largest), np.nan, scores.mean), k, m
        ), "exact for 0/1 scores"
    ratio = expected_maximum(m) / expected_maximum(k)
    note = f"approximate: gap x d({m})/d({k}) = {ratio:.4f}, as for normal scores"
    return (scores.largest - scores.mean) * ratio, note


def is_binary(scores: ModelScores, k: int) -> bool:
    """Tell whether mean and max of k samples can only come from 0/1 scores."""
    paired = ~np.isnan(scores.mean) & ~np.isnan(scores.largest)
    ones = scores.mean[paired] * k
    whole = np.abs(ones - np.rint(ones)) <= _BINARY * k
    return bool(
        np.all(whole) and np.array_equal(scores.largest[paired], (np.rint(ones) > 0).astype(np.float64))
    )


def star_table(cells: Floats, data: Counted) -> GapTable:
    """Fixed-m gaps of the arrangements that count."""
    return GapTable(((1.0, *data.sums(cells)),))


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


def order_block(scores: ModelScores, data: Counted, options: ScoreOptions) -> Order:
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
        note = "; ".join(part for part in (note, "on means of clusters") if part)
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
    )


def _shares(scores: ModelScores, data: Counted, effect: OrderEffect) -> VarianceShares | None:
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


def flip_cells(scores: ModelScores, data: Counted) -> Floats | None:
    """Flip excess of each item, where answers were given."""
    raw = scores.samples
    if raw is None or raw.answer is None:
        return None
    counts = np.array([name in data.names for name in scores.arrangements])
    kept = counts[raw.arrangement]
    return flip_excess(raw.item[kept], raw.arrangement[kept], raw.answer[kept], n_items=len(scores.items))


def flip_estimate(values: Floats, data: Counted, level: float) -> Estimate:
    """Mean flip excess over items, with its interval."""
    there = ~np.isnan(values)
    lost = int((~there).sum())
    if not there.any():
        return Estimate(
            None, n_left_out=lost, note="no item has two samples of one arrangement and two arrangements"
        )
    table = GapTable(((1.0, *data.sums(values[:, None])),))
    used = table.terms[0][2][:, 0] > 0
    interval = mean_gap_interval(GapTable(tuple((s, n[used], d[used]) for s, n, d in table.terms)), level)
    note = "" if interval is not None else f"no interval below {MIN_UNITS} items"
    return Estimate(
        float(values[there].mean()),
        interval,
        int(there.sum()),
        lost,
        "share of unlike pairs between less within arrangements",
        note,
    )


def plain_sentence(model: str, order: Order) -> str:
    """Say how far scores move between arrangements beyond sampling noise."""
    if order.effect is None:
        return f"{model}: whether scores move between arrangements cannot be said: {order.note}."
    seen = f"mean scores run from {order.lowest:.3f} ({order.worst}) to {order.highest:.3f} ({order.best})"
    effect = order.effect
    if effect.p_value is None:
        if effect.tau == 0:
            return f"{model}: scores are the same under every arrangement."
        return f"{model}: {seen}, and every item moves alike (tau {effect.tau:.3f})."
    reach = ""
    if effect.interval is not None:
        reach = f", 95 % {effect.interval.low:.3f} to {effect.interval.high:.3f}"
    p = "p < 0.001" if effect.p_value < 0.001 else f"p = {effect.p_value:.3f}"
    if effect.p_value < 0.05:
        return (
            f"{model}: {seen}; beyond sampling noise the arrangement moves the mean score by about "
            f"{effect.tau:.3f} (tau{reach}; {p})."
        )
    return f"{model}: {seen}; that is no more than sampling noise can do (tau {effect.tau:.3f}{reach}; {p})."
