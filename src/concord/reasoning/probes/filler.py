r"""The filler control: how much of the gap is words and how much is computation.

.. math:: \Delta = (Acc_{CoT} - Acc_{filler}) + (Acc_{filler} - Acc_{early})

The chain is replaced by dots of equal length, and by nothing; the sum holds exactly, item by item.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from concord.reasoning.item_numbers import TOO_FEW, bounded
from concord.reasoning.limits import MORE_THAN
from concord.reasoning.probes.chains import leak_gate
from concord.reasoning.probes.result import FillerScores
from concord.reasoning.probes.rows import CELLS, FILLER, ProbeRow
from concord.records import Estimate
from concord.stats.clustered_rates import wilson_clustered
from concord.stats.mcnemar import bonett_price_interval


def score_filler(rows: Sequence[ProbeRow]) -> FillerScores:
    """Divide the gap into content and computation, over items with readable answers in all three cells."""
    means = cell_means(rows)
    every = {row.id for row in rows}
    items = [item for item in dict.fromkeys(row.id for row in rows) if len(means.get(item, {})) == 3]
    lost = len(every) - len(items)
    cot, filler, direct = (np.array([means[item][cell] for item in items]) for cell in CELLS[FILLER])
    content, computation = _paired_part(cot - filler, lost), _paired_part(filler - direct, lost)
    gap = _paired_part(cot - direct, lost)
    if content.value is not None and computation.value is not None:
        gap = replace(gap, value=content.value + computation.value)  # exact, not up to rounding
    asked = [row for row in rows if row.cell != "cot"]
    leaked = sum(bool(row.leaked) for row in asked)
    return FillerScores(
        gap,
        content,
        computation,
        _cell_accuracy(cot, rows, lost),
        _cell_accuracy(filler, rows, lost),
        _cell_accuracy(direct, rows, lost),
        len(asked),
        leaked,
        leak_gate(len(asked), leaked),
        bounded(
            [(row.id, row.step_f1) for row in rows if row.step_f1 is not None],
            nothing="no chain has gold steps",
        ),
    )


def cell_means(rows: Sequence[ProbeRow]) -> dict[str, Mapping[str, float]]:
    """Return the mean correctness of each item in each cell; unreadable answers are left out."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row.read and row.correct is not None:
            found.setdefault(row.id, {}).setdefault(row.cell, []).append(float(row.correct))
    return {item: {cell: float(np.mean(own)) for cell, own in cells.items()} for item, cells in found.items()}


def _paired_part(values: NDArray[np.float64], lost: int) -> Estimate:
    if not len(values):
        return Estimate(None, n_left_out=lost, note="no item has a readable answer in all three cells")
    few = len(values) <= MORE_THAN
    interval = None if few else bonett_price_interval(values)
    note = TOO_FEW if few else ""
    return Estimate(float(values.mean()), interval, len(values), lost, "paired by item", note)


def _cell_accuracy(values: NDArray[np.float64], rows: Sequence[ProbeRow], lost: int) -> Estimate:
    if not len(values):
        return Estimate(None, n_left_out=lost, note="no item has a readable answer in all three cells")
    interval = wilson_clustered(values, np.ones(len(values)), n_replies=len(rows))
    return Estimate(float(values.mean()), interval, len(values), lost, "mean of item means")
