"""How well the intervals of one model hold, by the simulations that the package carries."""

import numpy as np

from concord.stats.coverage import coverage_note, difference_look, score_look, spread_look
from concord.structure.definitions import Counted, column_means
from concord.structure.records import Order


def coverage_notes(data: Counted, order: Order) -> tuple[str, ...]:
    """Return notes on the intervals of the order effect, the mean gap and the flip excess."""
    found = []
    effect = order.effect
    if effect is not None and effect.interval is not None:
        found.append(("order effect", coverage_note("tau", effect.n_items, spread_look(effect.p_value))))
    gaps = column_means((data.maximum - data.mean).T)
    gaps = np.clip(gaps[~np.isnan(gaps)], 0.0, 1.0)
    if gaps.size:
        found.append(("E_perf, paired", coverage_note("E_perf", data.n_units, score_look(gaps))))
    flips = np.empty(0) if data.flips is None else data.flips[~np.isnan(data.flips)]
    if flips.size > 1:
        found.append(("flip excess", coverage_note("flips", flips.size, difference_look(flips))))
    return tuple(f"{name}: {note}" for name, note in found if note)
