"""Two models on the items and arrangements they share: differences of E, R, S and tau, with intervals."""

from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from concord.errors import UndefinedError
from concord.readers.structure_records import Floats
from concord.records import Estimate, Interval
from concord.stats.bands import GapBand, GapTable, ItemWeights, mean_t_interval, on_exact_grid
from concord.stats.order import OrderEffect, order_effect
from concord.structure.beside import complete_units
from concord.structure.readings import Counted, paired_table, resample_tables, unpaired_table
from concord.structure.records import Difference, ScoreOptions

_CONSERVATIVE = "ends of a simultaneous band over both models, items resampled jointly; conservative"
_TAU = "MOVER from both noncentral F intervals, correlation from items resampled jointly"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One model on given items and arrangements: gaps, band, order effect and its resamples."""

    table: GapTable
    band: GapBand | None
    effect: OrderEffect | None
    taus: Floats
    """tau of each resample; empty where it was not resampled."""


@dataclass(slots=True)
class Parts:
    """Models on shared items and arrangements, computed once each."""

    options: ScoreOptions
    weights: ItemWeights
    known: dict[tuple[str, tuple[str, ...], tuple[str, ...], bytes], Part] = field(default_factory=dict)

    def keep(self, model: str, data: Counted, part: Part) -> None:
        """Keep what scoring has computed already."""
        self.known[model, data.items, data.names, data.units.tobytes()] = part

    def get(self, model: str, data: Counted) -> Part:
        """Compute a model's part, or take it from an earlier comparison on the same items."""
        key = (model, data.items, data.names, data.units.tobytes())
        if key not in self.known:
            self.known[key] = self._compute(data)
        return self.known[key]

    def _compute(self, data: Counted) -> Part:
        """Compute gaps, band, order effect and its resamples."""
        table = unpaired_table(data) if self.options.reading == "unpaired" else paired_table(data)
        layout = whole_layout(data)
        beside = None if layout is None else tau_columns(layout)
        (resampled,), sums = resample_tables([table], self.weights, level=self.options.level, beside=beside)
        try:
            effect = order_effect(complete_units(data)[0], level=self.options.level)
        except UndefinedError:
            effect = None
        return Part(table, resampled.band, effect, resampled_tau(layout, sums))


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


def all_differences(models: dict[str, Counted], parts: Parts) -> tuple[Difference, ...]:
    """Compare every pair of models that share items and arrangements."""
    return tuple(compare(first, second, models, parts) for first, second in combinations(sorted(models), 2))


def compare(first: str, second: str, models: dict[str, Counted], parts: Parts) -> Difference:
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
        data.model,
        tuple(names),
        tuple(items),
        data.mean[cut],
        data.largest[cut],
        codes,
        len(present),
        unit_names,
    )


def _gap_differences(a: Part, b: Part, level: float) -> tuple[Estimate, Estimate, Estimate]:
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
    deviations = [np.maximum(band.deviations, band.mean_deviations) for band in (a.band, b.band)]
    c = a.band.corrected(np.maximum(*deviations))
    bands = [(band.worst(c), band.mean_ends(c)) for band in (a.band, b.band)]
    (w1, _), (w2, _) = bands
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


def _tau_difference(a: Part, b: Part, level: float) -> Estimate:
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
