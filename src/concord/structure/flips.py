"""Answers that change with the arrangement, minus those that change between repeats."""

import numpy as np

from concord.records import Estimate
from concord.stats.bands import MIN_UNITS, GapTable, mean_gap_interval
from concord.stats.flips import flip_excess
from concord.structure.definitions import Counted
from concord.structure.read.records import Floats, ScoreGrid


def flip_cells(scores: ScoreGrid, data: Counted) -> Floats | None:
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
        "share of unlike pairs between minus within arrangements",
        note,
    )


def flip_notes(scores: ScoreGrid, flips: Estimate | None) -> tuple[str, ...]:
    """Say why there is no flip excess, and what would give one."""
    if scores.samples is None or scores.samples.answer is None:
        return ("flip excess: not available, it needs samples with a column `answer`",)
    if flips is None or flips.value is None:
        return ("flip excess: not available, it needs two samples per cell (--repeats 2)",)
    return ()
