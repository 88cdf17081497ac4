"""Two models on the items and arrangements they share: differences of E, R, S and tau, with intervals."""

from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from concord.errors import UndefinedError
from concord.readers.structure_records import Floats
from concord.records import Estimate, Interval
from concord.stats.bands import GapBand, GapTable, ItemWeights, max_t_band, mean_t_interval
from concord.stats.order import OrderEffect, order_effect
from concord.structure.beside import complete_units
from concord.structure.readings import Counted, paired_table, unpaired_table
from concord.structure.records import Difference, ScoreOptions

_CONSERVATIVE = "ends of a simultaneous band over both models, items resampled jointly; conservative"
_TAU = "MOVER from both noncentral F intervals, correlation from items resampled jointly"


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One model on the shared items and arrangements."""

    table: GapTable
    band: GapBand | None
    effect: OrderEffect | None
    taus: Floats
    """tau of each resample."""


@dataclass(slots=True)
class _Parts:
    """Models on shared items and arrangements, computed once each."""

    options: ScoreOptions
    weights: ItemWeights
    known: dict[tuple[str, tuple[str, ...], tuple[str, ...]], _Part] = field(default_factory=dict)

    def get(self, model: str, data: Counted) -> _Part:
        """Compute a model's part, or take it from the last comparison on the same items."""
        key = (model, data.items, data.names)
        if key not in self.known:
            self.known[key] = self._compute(data)
        return self.known[key]

    def _compute(self, data: Counted) -> _Part:
        """Compute gaps, band, order effect and its resamples."""
        table = unpaired_table(data) if self.options.reading == "unpaired" else paired_table(data)
        band = max_t_band(table, self.weights, level=self.options.level, with_mean=True)
        layout, lost = complete_units(data)
        try:
            effect = order_effect(layout, level=self.options.level)
        except UndefinedError:
            return _Part(table, band, None, np.empty(0))
        taus = np.empty(0) if lost else resampled_tau(layout, self.weights)
        return _Part(table, band, effect, taus)


def resampled_tau(layout: Floats, weights: ItemWeights) -> Floats:
    """Tau of each resample of the items.

    A resample carries the noise of the data and its own, so the residual mean square is taken off twice.
    """
    n, p = layout.shape
    centred = layout - layout.mean(axis=1, keepdims=True)
    within = np.sum(centred**2, axis=1)
    parts = []
    for block in weights.blocks(n):
        columns = block @ centred / n
        ss_arrangement = n * np.sum(columns**2, axis=1)
        ms_arrangement = ss_arrangement / (p - 1)
        ms_residual = (block @ within - ss_arrangement) / ((n - 1) * (p - 1))
        parts.append(np.sqrt(np.maximum(0.0, (ms_arrangement - 2 * ms_residual) / n)))
    return np.concatenate(parts)


def all_differences(
    models: dict[str, Counted], options: ScoreOptions, weights: ItemWeights
) -> tuple[Difference, ...]:
    """Compare every pair of models that share items and arrangements."""
    parts = _Parts(options, weights)
    return tuple(compare(first, second, models, parts) for first, second in combinations(sorted(models), 2))


def compare(first: str, second: str, models: dict[str, Counted], parts: _Parts) -> Difference:
    """Compare two models; what one of them lacks is left out and counted in the note."""
    reading = "unpaired" if parts.options.reading == "unpaired" else "paired"
    shared = _shared(models[first], models[second])
    if shared is None:
        none = Estimate(None, note="the two models share no items or no arrangements")
        return Difference(first, second, reading, none, none, none, none, 0, 0, none.note)
    one, two = shared
    a, b = parts.get(first, one), parts.get(second, two)
    note = "" if (one.items, one.names) == (models[first].items, models[first].names) == (
        models[second].items, models[second].names) else "on shared items and arrangements only"  # fmt: skip
    e, r, s = _gap_differences(a, b, parts.options.level)
    return Difference(
        first,
        second,
        reading,
        e,
        r,
        s,
        _tau_difference(a, b, parts.options.level),
        len(one.items),
        len(one.names),
        note,
    )


def _shared(first: Counted, second: Counted) -> tuple[Counted, Counted] | None:
    """Restrict two models to the items and arrangements both have."""
    same = first.items == second.items and first.names == second.names
    if same and first.n_units == second.n_units and np.array_equal(first.units, second.units):
        return first, second
    folded = {name.casefold(): name for name in second.names}
    names = [name for name in first.names if name.casefold() in folded]
    items = [item for item in first.items if item in set(second.items)]
    if not names or not items:
        return None
    one = _restrict(first, items, names)
    two = _restrict(second, items, [folded[name.casefold()] for name in names])
    return one, replace(two, units=one.units, n_units=one.n_units, unit_names=one.unit_names)


def _restrict(data: Counted, items: list[str], names: list[str]) -> Counted:
    """Keep some items and arrangements, in the given order."""
    rows = [data.items.index(item) for item in items]
    columns = [data.names.index(name) for name in names]
    units = data.units[rows]
    present, codes = np.unique(units, return_inverse=True)
    cut = np.ix_(rows, columns)
    unit_names = tuple(data.unit_names[u] for u in present)
    return Counted(
        tuple(names), tuple(items), data.mean[cut], data.largest[cut], codes, len(present), unit_names
    )


def _gap_differences(a: _Part, b: _Part, level: float) -> tuple[Estimate, Estimate, Estimate]:
    """Differences of E (paired t over items), R and S (a band that covers both models at once)."""
    gaps = [part.table.gaps() for part in (a, b)]
    if any(np.isnan(g).all() for g in gaps):
        none = Estimate(None, note="no item has a score on both sides in one of the models")
        return none, none, none
    (e1, r1), (e2, r2) = ((float(np.nanmean(g)), float(np.nanmax(g))) for g in gaps)
    n = a.table.n_units
    e = Estimate(e1 - e2, _paired_t(a.table, b.table, level), n, method="paired t over items")
    if a.band is None or b.band is None:
        note = "no interval below 20 items"
        return (
            e,
            Estimate(r1 - r2, n=n, note=note),
            Estimate((1 - e1) * (1 - r1) - (1 - e2) * (1 - r2), n=n, note=note),
        )
    c = float(np.quantile(np.maximum(a.band.deviations, b.band.deviations), level))
    bands = [(part.band.worst(c), _mean_band(part, c)) for part in (a, b) if part.band is not None]
    (w1, m1), (w2, m2) = bands
    r_interval = Interval(w1.low - w2.high, w1.high - w2.low, level, _CONSERVATIVE)
    s_low = [(1 - m[1]) * (1 - w.high) for w, m in bands]
    s_high = [(1 - m[0]) * (1 - w.low) for w, m in bands]
    s_interval = Interval(s_low[0] - s_high[1], s_high[0] - s_low[1], level, _CONSERVATIVE)
    return (
        e,
        Estimate(r1 - r2, r_interval, n, method="largest gaps", note="conservative"),
        Estimate(
            (1 - e1) * (1 - r1) - (1 - e2) * (1 - r2),
            s_interval,
            n,
            method="(1 - E)(1 - R)",
            note="conservative",
        ),
    )


def _paired_t(first: GapTable, second: GapTable, level: float) -> Interval | None:
    """Student interval for the difference of mean gaps, item by item."""
    both = [table.influence()[:, ~np.isnan(table.gaps())].mean(axis=1) for table in (first, second)]
    shift = float(np.nanmean(first.gaps()) - np.nanmean(second.gaps()))
    interval = mean_t_interval(both[0] - both[1] + shift, level)
    return None if interval is None else Interval(interval.low, interval.high, level, "paired t over items")


def _mean_band(part: _Part, critical: float) -> tuple[float, float]:
    """Give the ends of the mean gap within the simultaneous band."""
    gaps = part.table.gaps()
    contributions = part.table.influence()[:, ~np.isnan(gaps)].mean(axis=1)
    n = part.table.n_units
    half = critical * float(np.sqrt(np.sum(contributions**2) / (n * (n - 1))))
    centre = float(np.nanmean(gaps))
    return centre - half, min(centre + half, 1.0)


def _tau_difference(a: _Part, b: _Part, level: float) -> Estimate:
    """Difference of the two spreads; the interval joins both intervals, with their correlation."""
    if a.effect is None or b.effect is None:
        return Estimate(None, note="an order effect is undefined for one of the models")
    shift, n = a.effect.tau - b.effect.tau, a.effect.n_items
    if a.effect.interval is None or b.effect.interval is None:
        return Estimate(shift, n=n, note="no interval: one of the models has none")
    rho = _correlation(a.taus, b.taus)
    down = (a.effect.tau - a.effect.interval.low, b.effect.interval.high - b.effect.tau)
    up = (a.effect.interval.high - a.effect.tau, b.effect.tau - b.effect.interval.low)
    low, high = (float(np.sqrt(max(0.0, x**2 + y**2 - 2 * rho * x * y))) for x, y in (down, up))
    return Estimate(shift, Interval(shift - low, shift + high, level, _TAU), n, method="tau of both models")


def _correlation(first: Floats, second: Floats) -> float:
    """Correlate resampled spreads; 0 where that is unknown, which widens the interval if it is positive."""
    if not len(first) or len(first) != len(second) or np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
