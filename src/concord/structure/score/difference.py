"""Two models on what they share: their gaps under joint resamples, and differences of each number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations

import numpy as np
from scipy import special

from concord.engine import SERIAL, Engine
from concord.errors import MismatchError, UndefinedError
from concord.records import Estimate, Interval
from concord.stats.bands import (
    MIN_UNITS,
    STILL,
    GapTable,
    ItemWeights,
    MaximaDifference,
    MaximumSide,
    difference_of_maxima,
    on_exact_grid,
)
from concord.stats.clustered import clustered_mean
from concord.stats.elementwise import or_nan
from concord.stats.order import OrderEffect, order_effect, permuted_order_p
from concord.stats.pairs import MetricDifference, ModelPair, RankedPairs, adjusted, rows_of_pairs, standing
from concord.stats.skewed import skewed_mean
from concord.stats.spread import MeansSpread, StillSpread, spread_difference, spread_of
from concord.structure.records import Codes, Difference, Floats, ModelResult, ScoreOptions
from concord.structure.score.definitions import (
    PEAK_NOTE,
    SAME_SCORES,
    Counted,
    ResampledGaps,
    across_gaps,
    column_means,
    counted_cells,
    hold_the_same,
    paired_table,
    peak_gaps,
    resample_tables,
    unpaired_table,
    worst_table,
)
from concord.structure.score.order import complete_units

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
    layout: Floats | None = None
    """Cell means of items with every arrangement."""

    @cached_property
    def worst(self) -> MaximumSide:
        """Return the gaps, whose maximum is R."""
        return _maximum_side(self.table, self.draws)

    @cached_property
    def lowest(self) -> MaximumSide | None:
        """Return mean scores with their sign turned: the largest is that of the worst arrangement."""
        return None if self.scores is None else _maximum_side(self.scores.table, self.scores.draws)

    @cached_property
    def loss(self) -> MaximumSide:
        """Return 1 - (1 - E)(1 - gap) of every arrangement, whose maximum is 1 - S."""
        gaps, influence = self.worst.values, self.worst.influence
        draws = np.where(np.isnan(self.worst.draws), gaps, self.worst.draws)
        e, moves = gaps.mean(), influence.mean(axis=1, keepdims=True)
        losses = 1 - (1 - draws.mean(axis=1, keepdims=True)) * (1 - draws)
        return MaximumSide(1 - (1 - e) * (1 - gaps), (1 - gaps) * moves + (1 - e) * influence, losses)


def _maximum_side(table: GapTable, draws: Floats | None) -> MaximumSide:
    gaps = table.gaps()
    there = ~np.isnan(gaps)
    moved = np.empty((0, len(gaps))) if draws is None else draws
    return MaximumSide(gaps[there], table.influence()[:, there], moved[:, there])


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
        return resampled_model(data, resampled, scores, effect, resampled_tau(layout, sums))


def resampled_model(
    data: Counted, gaps: ResampledGaps, scores: ResampledGaps, effect: OrderEffect | None, taus: Floats
) -> ResampledModel:
    """Put a model's part together: with limits of tau at any level, where there are any."""
    layout = complete_units(data)[0]
    try:
        spread = spread_of(layout)
    except UndefinedError:
        spread = None
    return ResampledModel(gaps.table, gaps.draws, effect, taus, spread, scores, data.flips, layout)


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
    """Tau of each resample of the items."""
    # A resample carries the noise of the data and its own, so the residual mean square is taken off twice.
    if layout is None or sums is None:
        return np.empty(0)
    n, p = layout.shape
    ss_arrangement = np.sum(sums[:, :p] ** 2, axis=1) / n
    ms_arrangement = ss_arrangement / (p - 1)
    ms_residual = (sums[:, p] - ss_arrangement) / ((n - 1) * (p - 1))
    return np.asarray(np.sqrt(np.maximum(0.0, (ms_arrangement - 2 * ms_residual) / n)))


_GAP_METRICS = ("E_perf", "R_sens", "S_Cons")
_TAU = "MOVER from the limits of both spreads, correlation from items resampled jointly"
_STILL_TAU = "arrangements permuted within items; one model moves every item alike"
_FEW = f"no interval below {MIN_UNITS} items"
_NOTHING = "the two models share no items or no arrangements"
_NO_GAP = "no cell that both models have holds a mean and a max score"


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Two models cut to what both have."""

    first: Counted
    second: Counted
    only_first: int
    only_second: int
    """Cells with a score that only one of the two has."""

    @property
    def n_cells(self) -> int:
        """Cells that both have."""
        return int((~np.isnan(self.first.mean)).sum())


def all_differences(models: dict[str, Counted], parts: ResampledModels) -> tuple[Difference, ...]:
    """Compare every pair of models that share items and arrangements."""
    return tuple(
        compared_models(first, second, models, parts) for first, second in combinations(sorted(models), 2)
    )


def compared_models(
    first: str, second: str, models: dict[str, Counted], parts: ResampledModels
) -> Difference:
    """Compare two models; what one of them lacks is left out and counted in the note."""
    definition = "unpaired" if parts.options.definition == "unpaired" else "paired"
    cut = shared(models[first], models[second])
    if cut is None:
        none = Estimate(None, note=_NOTHING)
        return Difference(first, second, definition, none, none, none, none, 0, 0, none.note)
    a, b = parts.get(first, cut.first), parts.get(second, cut.second)
    e, r, s = gap_differences(a, b, parts.options.level)
    tau, flips, worst = order_differences(a, b, cut.first, parts.options.level)
    return Difference(
        first,
        second,
        definition,
        e.difference,
        r.difference,
        s.difference,
        tau.difference,
        len(cut.first.items),
        len(cut.first.names),
        "on shared items and arrangements only" if cut.only_first or cut.only_second else "",
        (e.p_value, r.p_value, s.p_value),
        flips.difference,
        worst.difference,
        (tau.p_value, flips.p_value, worst.p_value),
    )


def shared(first: Counted, second: Counted) -> Shared | None:
    """Cut two models to the items, arrangements and cells that both have; ``None`` where there are none."""
    one, two = first, second
    same = first.items == second.items and first.names == second.names
    if not (same and first.n_units == second.n_units and np.array_equal(first.units, second.units)):
        folded = {name.casefold(): name for name in second.names}
        names = [name for name in first.names if name.casefold() in folded]
        has = set(second.items)
        items = [item for item in first.items if item in has]
        if not names or not items:
            return None
        one = _restrict(first, items, names)
        two = _restrict(second, items, [folded[name.casefold()] for name in names])
        two = replace(two, units=one.units, n_units=one.n_units, unit_names=one.unit_names)
    one, two = _same_cells(one, two)
    counts = [int((~np.isnan(whole.mean)).sum()) for whole in (first, second, one, two)]
    return Shared(one, two, counts[0] - counts[2], counts[1] - counts[3])


def _same_cells(one: Counted, two: Counted) -> tuple[Counted, Counted]:
    """Leave out a score in a cell that the other model lacks: items differ in difficulty."""
    no_mean = np.isnan(one.mean) | np.isnan(two.mean)
    no_top = np.isnan(one.maximum) | np.isnan(two.maximum)

    def cut(data: Counted) -> Counted:
        if np.array_equal(np.isnan(data.mean), no_mean) and np.array_equal(np.isnan(data.maximum), no_top):
            return data
        mean, maximum = np.where(no_mean, np.nan, data.mean), np.where(no_top, np.nan, data.maximum)
        return replace(data, mean=mean, maximum=maximum)

    return cut(one), cut(two)


def _restrict(data: Counted, items: list[str], names: list[str]) -> Counted:
    """Keep some items and arrangements, in the given order."""
    row, column = ({name: k for k, name in enumerate(part)} for part in (data.items, data.names))
    rows, columns = [row[item] for item in items], [column[name] for name in names]
    units = data.units[rows]
    present, codes = np.unique(units, return_inverse=True)
    cut = np.ix_(rows, columns)
    unit_names = tuple(data.unit_names[u] for u in present)
    return Counted(
        data.model,
        tuple(names),
        tuple(items),
        data.mean[cut],
        data.maximum[cut],
        codes,
        len(present),
        unit_names,
        None if data.flips is None else data.flips[rows],
    )


def gap_differences(a: ResampledModel, b: ResampledModel, level: float) -> tuple[MetricDifference, ...]:
    """Differences of E (paired t over items), R and S (a band over contrasts of both models)."""
    gaps = [part.table.gaps() for part in (a, b)]
    n = a.table.n_units
    if any(np.isnan(g).all() for g in gaps):
        none = Estimate(None, note=_NO_GAP)
        return tuple(MetricDifference(name, None, None, none, None, 0) for name in _GAP_METRICS)
    (e1, r1), (e2, r2) = ((float(np.nanmean(g)), float(np.nanmax(g))) for g in gaps)
    e, p = _paired_t(a, b, e1 - e2, level)
    r, s = _extremes(a, b, level)
    s1, s2 = (
        None if hold_the_same(one) else (1 - mean) * (1 - most)
        for one, mean, most in zip(gaps, (e1, e2), (r1, r2), strict=True)
    )
    apart = MetricDifference("S_Cons", s1, s2, Estimate(None, note=SAME_SCORES), None, 0)
    if s1 is not None and s2 is not None:
        apart = MetricDifference("S_Cons", s1, s2, _estimate(s1 - s2, s, n, "(1 - E)(1 - R)"), s.p_value, n)
    return (
        MetricDifference("E_perf", e1, e2, e, p, n),
        MetricDifference("R_sens", r1, r2, _estimate(r1 - r2, r, n, "largest gaps"), r.p_value, n),
        apart,
    )


def _extremes(
    a: ResampledModel, b: ResampledModel, level: float
) -> tuple[MaximaDifference, MaximaDifference]:
    """R as a difference of largest gaps; S the other way round: 1 - S is a largest loss."""
    return (
        difference_of_maxima(a.worst, b.worst, level=level),
        difference_of_maxima(b.loss, a.loss, level=level),
    )


def _estimate(value: float, found: MaximaDifference, n: int, method: str) -> Estimate:
    return Estimate(value, found.interval, n, method=method, note=found.note)


def _paired_t(
    a: ResampledModel, b: ResampledModel, shift: float, level: float
) -> tuple[Estimate, float | None]:
    """Student's t of the difference of mean gaps, item by item."""
    n = a.table.n_units
    if n < MIN_UNITS:
        return Estimate(shift, None, n, method=_PAIRED, note=_FEW), None
    sides = [part.worst.influence.mean(axis=1) for part in (a, b)]
    moves = sides[0] - sides[1]
    se = float(np.sqrt(np.sum((moves - moves.mean()) ** 2) / (n * (n - 1))))
    found = Estimate(shift, None, n, method=_PAIRED)
    return _with_t(found, (se, n - 1), shift + moves - moves.mean(), None, level)


_PAIRED = "paired t over items"


def _with_t(
    found: Estimate, error: tuple[float, float], values: Floats, units: Codes | None, level: float
) -> tuple[Estimate, float | None]:
    """Return a mean difference with its interval and p: Student's t, or with skewness where it is seen."""
    (se, df), shift = error, or_nan(found.value)
    if se <= STILL:
        return replace(found, note="no interval: every item gives the same difference"), None
    skewed = skewed_mean(values, units, level=level)
    if skewed.seen:
        return replace(found, interval=skewed.interval, method=f"{_PAIRED}, skewed"), skewed.p_value
    reach = float(special.stdtrit(df, (1 + level) / 2)) * se
    interval = Interval(shift - reach, shift + reach, level, _PAIRED)
    return replace(found, interval=interval), float(2 * special.stdtr(df, -abs(shift) / se))


def order_differences(
    a: ResampledModel, b: ResampledModel, data: Counted, level: float
) -> tuple[MetricDifference, MetricDifference, MetricDifference]:
    """Differences of tau, of flip excess and of the worst arrangement's mean score."""
    return _tau_difference(a, b, level), _flip_difference(a, b, data, level), _worst_difference(a, b, level)


def _tau_difference(a: ResampledModel, b: ResampledModel, level: float) -> MetricDifference:
    """Difference of the two spreads; the interval joins both intervals, with their correlation."""
    if a.effect is None or b.effect is None:
        none = Estimate(None, note="an order effect is undefined for one of the models")
        return MetricDifference("tau", None, None, none, None, 0)
    one, two, n = a.effect.tau, b.effect.tau, a.effect.n_items
    if a.spread is None and b.spread is None:
        note = "no interval: every item of both models moves alike"
        return MetricDifference("tau", one, two, Estimate(one - two, n=n, note=note), None, n)
    still = a.spread is None or b.spread is None
    few = _FEW if n < MIN_UNITS else ""
    if few and not still:
        return MetricDifference("tau", one, two, Estimate(one - two, None, n, note=few), None, n)
    first, second = (
        StillSpread(n, effect.n_arrangements, effect.tau) if spread is None else spread
        for spread, effect in ((a.spread, a.effect), (b.spread, b.effect))
    )
    _, ends, p = spread_difference(first, second, _spread_correlation(a.taus, b.taus), level=level)
    method = _STILL_TAU if still else _TAU
    if still and a.layout is not None and b.layout is not None:
        # what does not vary is known: the other's scores about it, dealt to arrangements anew
        p = max(p, permuted_order_p(a.layout - b.layout))
    interval = None if few else Interval(*ends, level, method)
    return MetricDifference("tau", one, two, Estimate(one - two, interval, n, 0, method, few), p, n)


def _flip_difference(a: ResampledModel, b: ResampledModel, data: Counted, level: float) -> MetricDifference:
    """Mean difference of flip excess over the items for which both have one, by families where given."""
    name = "flip_excess"
    if a.flips is None or b.flips is None:
        none = Estimate(None, note="one of the models has no answers, or none asked twice")
        return MetricDifference(name, None, None, none, None, 0)
    there = ~(np.isnan(a.flips) | np.isnan(b.flips))
    lost = int((~there).sum())
    if not there.any():
        none = Estimate(None, n_left_out=lost, note="no item shows changed answers of both models")
        return MetricDifference(name, None, None, none, None, 0)
    one, two = a.flips[there], b.flips[there]
    values, n = (float(one.mean()), float(two.mean())), len(set(data.units[there].tolist()))
    found, p = Estimate(values[0] - values[1], None, n, lost, _PAIRED, _FEW if n < MIN_UNITS else ""), None
    if n >= MIN_UNITS:
        error = clustered_mean(one - two, data.units[there])
        found, p = _with_t(found, (error.se, error.df), one - two, data.units[there], level)
    return MetricDifference(name, *values, found, p, n)


def _worst_difference(a: ResampledModel, b: ResampledModel, level: float) -> MetricDifference:
    """Difference of the lowest mean scores: a band over contrasts, with the signs turned."""
    one, two = a.lowest, b.lowest
    if one is None or two is None or not one.values.size or not two.values.size:
        none = Estimate(None, note="one of the models has no mean score")
        return MetricDifference("worst", None, None, none, None, 0)
    found = difference_of_maxima(two, one, level=level)
    low, high, n = -float(one.values.max()), -float(two.values.max()), len(one.influence)
    return MetricDifference(
        "worst", low, high, _estimate(low - high, found, n, "lowest means"), found.p_value, n
    )


def _spread_correlation(first: Floats, second: Floats) -> float:
    """Correlate resampled spreads; 0 where that is unknown, which widens the interval if it is positive."""
    if not len(first) or len(first) != len(second) or np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


ORDER_METRICS = ("tau", "flip_excess", "worst")
"""What answers whether a model agrees with itself; comparable whatever the definition of the gap."""
SOURCE_METRICS = ("S_Cons", "E_perf", "R_sens")
"""As defined in the source."""
METRICS = (*ORDER_METRICS, *SOURCE_METRICS)
FIXED_M = ("S_star", "E_star", "R_star")
"""The same numbers of the fixed-m gap, which does not depend on the number of samples per cell."""
LOWER_IS_STEADIER = ("tau", "flip_excess", "E_perf", "R_sens", "E_star", "R_star")
_ACROSS = "no interval: the largest gap over items does not show how much larger it could be; see `paired`"
_SHOWN = 3


def compare_structure(
    models: Sequence[Counted],
    options: ScoreOptions,
    *,
    metric: str = "tau",
    gates: Mapping[str, str] | None = None,
    with_source: bool = True,
    engine: Engine = SERIAL,
) -> RankedPairs:
    """Compare every pair of models on the items, arrangements and cells that both have."""
    # tau: limits of both spreads, joined with their correlation. flip excess and E_perf: paired t over items.
    # The worst arrangement, R_sens and S_Cons: a simultaneous band over the contrasts of both models'
    # arrangements, items resampled as whole rows for both models at once (`difference_of_maxima`).
    weights = ItemWeights(options.seed, options.resamples)
    parts = ResampledModels(options, weights)
    names = FIXED_M if metric in FIXED_M else METRICS if with_source else ORDER_METRICS
    gates = {} if gates is None else gates
    blocks = rows_of_pairs(len(models))
    found = engine.map(partial(_row, tuple(models), parts, names), blocks)
    pairs = adjusted([pair for row in found for pair in row])
    common = _cut_to_all(models)
    n_items, n_arrangements = (len(common[0].items), len(common[0].names)) if common else (0, 0)
    values = {
        data.model: None if gates.get(data.model) else _ranking_value(data, options.definition, metric)
        for data in common
    }
    place = standing(metric, values, pairs, level=options.level, lowest_first=metric in LOWER_IS_STEADIER)
    return RankedPairs(pairs, place, {"n_items": n_items, "n_arrangements": n_arrangements})


def counted_model(model: ModelResult, name: str, *, fixed_m: bool = False) -> Counted:
    """Lay out the cells of a scored model, items and arrangements sorted by name."""
    rows = sorted(model.items, key=lambda item: item.name)
    names = tuple(sorted({cell[0] for item in rows for cell in item.scores}))
    place = {name: p for p, name in enumerate(names)}
    grid = np.full((3, len(rows), len(names)), np.nan)
    for i, item in enumerate(rows):
        for arrangement, *numbers in item.scores:
            grid[:, i, place[arrangement]] = [np.nan if one is None else one for one in numbers]
    mean, maximum, gap = grid
    if fixed_m:
        mean, maximum = np.where(np.isnan(gap), np.nan, 0.0), gap
    clusters = tuple(item.cluster for item in rows if item.cluster is not None)
    whole = clusters if len(clusters) == len(rows) else None
    laid_out = counted_cells(name, (names, tuple(item.name for item in rows)), mean, maximum, clusters=whole)
    if all(item.flip_excess is None for item in rows):
        return laid_out
    flips = [np.nan if item.flip_excess is None else item.flip_excess for item in rows]
    return replace(laid_out, flips=np.array(flips))


def _row(
    models: tuple[Counted, ...], parts: ResampledModels, names: tuple[str, ...], row: tuple[int, ...]
) -> list[ModelPair]:
    """Compare one model with all that come after it."""
    return [_pair(models[row[0]], models[j], parts, names) for j in row[1:]]


def _pair(first: Counted, second: Counted, parts: ResampledModels, names: tuple[str, ...]) -> ModelPair:
    cut = shared(first, second)
    if cut is None:
        raise MismatchError(_apart(first, second))
    a, b = parts.get(first.model, cut.first), parts.get(second.model, cut.second)
    metrics: list[MetricDifference] = []
    if "tau" in names:
        metrics += order_differences(a, b, cut.first, parts.options.level)
    if len(names) > len(metrics):
        e, r, s = gap_differences(a, b, parts.options.level)
        metrics += [
            replace(one, metric=name) for name, one in zip(names[len(metrics) :], (s, e, r), strict=True)
        ]
        metrics += _as_defined(cut.first, cut.second, parts.options.definition) if "tau" in names else []
    return ModelPair(first.model, second.model, tuple(metrics), cut.n_cells, cut.only_first, cut.only_second)


def _apart(first: Counted, second: Counted) -> str:
    """Say what two models do not share."""
    what = "arrangement" if set(first.items) & set(second.items) else "item"
    sides = (first.names, second.names) if what == "arrangement" else (first.items, second.items)
    listed = "; ".join(
        f"{data.model}: {', '.join(map(repr, names[:_SHOWN]))}, ..."
        for data, names in zip((first, second), sides, strict=True)
    )
    return (
        f"{first.model} and {second.model} have no {what} in common ({listed}); scores compare cell by cell: "
        "score both models on the same items under the same arrangements, with the same names"
    )


def _as_defined(first: Counted, second: Counted, definition: str) -> list[MetricDifference]:
    """Return S, E and R under a definition without an honest interval, on the shared cells."""
    if definition not in ("peak", "across"):
        return []
    sides = [_gaps_of(data, definition) for data in (first, second)]
    note = PEAK_NOTE if definition == "peak" else _ACROSS
    found = []
    for name, one, two in zip(SOURCE_METRICS, *sides, strict=True):
        value = None if one is None or two is None else one - two
        estimate = Estimate(value, None, len(first.items), method=f"definition {definition}", note=note)
        found.append(MetricDifference(f"{definition}_{name}", one, two, estimate, None, len(first.items)))
    return found


def _gaps_of(data: Counted, definition: str) -> tuple[float | None, float | None, float | None]:
    """S, E and R of one model under a definition."""
    if definition == "peak":
        gaps = peak_gaps(data.mean, data.maximum)
    elif definition == "across":
        gaps = across_gaps(data.mean)
    else:
        gaps = (unpaired_table(data) if definition == "unpaired" else paired_table(data)).gaps()
    defined = gaps[~np.isnan(gaps)]
    if not defined.size:
        return None, None, None
    e, r = float(defined.mean()), float(defined.max())
    same = definition in ("paired", "unpaired") and hold_the_same(defined)
    return None if same else (1 - e) * (1 - r), e, r


def _ranking_value(data: Counted, definition: str, metric: str) -> float | None:
    """Return the number that ranks: of the definition that the tests are about."""
    if metric == "tau":
        layout, _ = complete_units(data)
        # tau of a whole layout; nothing where it is undefined
        try:
            return order_effect(layout).tau
        except UndefinedError:
            return None
    if metric == "flip_excess":
        there = np.empty(0) if data.flips is None else data.flips[~np.isnan(data.flips)]
        return float(there.mean()) if there.size else None
    if metric == "worst":
        means = column_means(data.mean)
        return None if np.isnan(means).all() else float(np.nanmin(means))
    place = (FIXED_M if metric in FIXED_M else SOURCE_METRICS).index(metric)
    return _gaps_of(data, "unpaired" if definition == "unpaired" else "paired")[place]


def _cut_to_all(models: Sequence[Counted]) -> list[Counted]:
    """Cut every model to what all of them have; nothing where they share nothing."""
    least = models[0]
    for other in models[1:]:
        if (cut := shared(least, other)) is None:
            return []
        least = cut.first
    found = []
    for data in models:
        if (cut := shared(least, data)) is None:
            return []
        found.append(replace(cut.second, model=data.model))
    return found
