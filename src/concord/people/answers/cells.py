"""Answers as counts over cells: options of a scale, or a fixed grid where there are too many values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from concord.people.answers.records import MOST_OPTIONS, AnswerSet, Moments, OutcomeKey
from concord.stats.distance_noise import AnswerCounts
from concord.stats.elementwise import Floats

GRID = 20
"""Cells of the grid on which distributions of values are compared."""
FINE = 64
"""Cells of the grid on which cumulative distributions of values are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of an outcome, the same for all agents."""

    kind: str
    edges: Floats
    """Options, or the left ends of the cells of a grid, ascending."""
    range: float
    """Of the scale where it is given, else of people's answers."""
    pooled: Floats | None = None
    """People's shares over all conditions, where the outcome has several."""
    is_bounded: bool = False
    """Whether the ends of the scale are known, so that random answers are."""

    def counts(self, values: Floats) -> Floats:
        """Count answers per cell."""
        if self.kind != "values":
            place = np.searchsorted(self.edges, values)
        else:
            place = np.clip(np.searchsorted(self.edges, values, side="right") - 1, 0, len(self.edges) - 1)
        return np.bincount(place, minlength=len(self.edges)).astype(np.float64)

    @property
    def labels(self) -> tuple[str, ...]:
        """Cells in words."""
        return tuple(f"{edge:.3g}" if self.kind == "values" else f"{edge:g}" for edge in self.edges)


def lay_out(sets: Iterable[Sequence[AnswerSet | Moments]]) -> dict[OutcomeKey, Cells]:
    """Lay out the cells of every outcome from the answers of people and of all agents."""
    values: dict[tuple[str, str], list[Floats]] = {}
    people: dict[tuple[str, str], dict[str, Floats]] = {}
    example: dict[tuple[str, str], AnswerSet] = {}
    keys: list[OutcomeKey] = []
    for own in sets:
        for one in own:
            if isinstance(one, Moments):
                continue
            name = (one.key.study, one.key.outcome)
            values.setdefault(name, []).extend((one.people, one.replies))
            people.setdefault(name, {}).setdefault(one.key.condition, one.people)
            example.setdefault(name, one)
            keys.append(one.key)
    made = {
        name: _outcome_cells_of(example[name], np.unique(np.concatenate(found)), people[name])
        for name, found in values.items()
    }
    return {key: made[key.study, key.outcome] for key in keys}


def _outcome_cells_of(one: AnswerSet, values: Floats, people: Mapping[str, Floats]) -> Cells:
    everybody = np.concatenate(list(people.values()))
    span = float(np.ptp(everybody)) if everybody.size else 0.0
    if one.options:
        return _with_pooled(Cells("choice", np.arange(len(one.options), dtype=np.float64), 1.0), people)
    low, high = one.scale if one.scale is not None else (np.nan, np.nan)
    bounded = one.scale is not None
    whole = bool(np.all(values == np.round(values)))
    if (
        bounded
        and whole
        and high - low < MOST_OPTIONS
        and values.size
        and low <= values[0]
        and values[-1] <= high
    ):
        return _with_pooled(
            Cells("scale", np.arange(low, high + 1, dtype=np.float64), high - low, is_bounded=True), people
        )
    if values.size <= MOST_OPTIONS:
        return _with_pooled(Cells("scale", values, high - low if bounded else span, is_bounded=True), people)
    begin, width = (low, high - low) if bounded else (float(everybody.min()), span)
    edges = begin + width * np.arange(GRID) / GRID
    return _with_pooled(Cells("values", edges, width, is_bounded=bounded), people)


def _with_pooled(cells: Cells, people: Mapping[str, Floats]) -> Cells:
    """Keep people's shares over all conditions, where there are several."""
    if len(people) < 2:
        return cells
    counts = cells.counts(np.concatenate(list(people.values())))
    return Cells(cells.kind, cells.edges, cells.range, counts / counts.sum(), cells.is_bounded)


def dependence(one: AnswerSet, cells: Cells) -> float:
    """Correlate the two sides' shares over persons: what persons in both samples have in common.

    With indicator variables of cells, 2 Σ cov(1[h = k], 1[a = k]) / Σ (var + var); 0 without pairs.
    """
    h, a = one.pairs
    if h.size < 2 or h.size < 0.5 * min(one.people.size, one.replies.size):
        return 0.0
    p, q = cells.counts(h) / h.size, cells.counts(a) / h.size
    same = _same_cell(h, a, cells)
    variances = float((p * (1 - p)).sum() + (q * (1 - q)).sum())
    if variances <= 0:
        return 0.0
    share = min(1.0, h.size / max(one.people.size, one.replies.size))
    return float(np.clip(2 * (same - float(p @ q)) / variances * share, 0.0, 0.95))


def _same_cell(h: Floats, a: Floats, cells: Cells) -> float:
    """Return the share of persons whose two answers fall into one cell."""
    if cells.kind == "values":
        places = [np.searchsorted(cells.edges, side, side="right") for side in (h, a)]
    else:
        places = [np.searchsorted(cells.edges, side) for side in (h, a)]
    return float(np.mean(places[0] == places[1]))


def as_counts(one: AnswerSet, cells: Cells) -> AnswerCounts:
    """Return both sides as counts over the cells."""
    ordered = cells.kind != "choice" and cells.range > 0
    return AnswerCounts(
        cells.counts(one.people),
        cells.counts(one.replies),
        cells.edges if ordered else None,
        cells.range if ordered else 1.0,
        dependence(one, cells),
    )


def as_fine_counts(one: AnswerSet, cells: Cells, counts: AnswerCounts) -> AnswerCounts:
    """Return values as counts over fine cells, for cumulative distributions."""
    both = np.concatenate([one.people, one.replies])
    edges = np.unique(both)
    if edges.size > FINE:
        edges = np.union1d(np.quantile(both, np.arange(FINE) / FINE, method="lower"), _after_atoms(both))
    fine = Cells("values", edges, cells.range)
    middle = np.bincount(
        np.searchsorted(edges, both, side="right") - 1, weights=both, minlength=edges.size
    ) / np.maximum(np.bincount(np.searchsorted(edges, both, side="right") - 1, minlength=edges.size), 1)
    return AnswerCounts(
        fine.counts(one.people), fine.counts(one.replies), middle, cells.range, counts.dependence
    )


def _after_atoms(values: Floats) -> Floats:
    """Return what follows each value that many gave, so that it has a cell of its own.

    Where 0 shares its cell with small amounts, the largest gap of two distributions is not seen.
    """
    distinct, counts = np.unique(values, return_counts=True)
    many = np.flatnonzero(counts[:-1] * FINE > values.size)
    return np.asarray(distinct[many + 1])


def exact_distances(one: AnswerSet, cells: Cells) -> dict[str, float]:
    """Compute W1 and KS from the answers themselves."""
    at = np.unique(np.concatenate([one.people, one.replies]))
    below = [
        np.searchsorted(np.sort(side), at, side="right") / side.size for side in (one.people, one.replies)
    ]
    apart = np.abs(below[0] - below[1])
    return {"w1": float((apart[:-1] * np.diff(at)).sum() / cells.range), "ks": float(apart.max())}
