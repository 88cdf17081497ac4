"""Structural consistency as rows of numbers: the columns of every result file."""

from collections.abc import Iterator

from concord.records import Estimate, Interval
from concord.structure.records import Consistency, Difference, ModelResult, StructureScores

S_COLUMNS = (
    "Model Name", "E_perf", "R_sens", "S_Cons", "reading", "E_low", "E_high", "R_low", "R_high", "S_low",
    "S_high", "R_crossfit", "E_star", "R_star", "S_star", "tau", "tau_low", "tau_high", "p_order",
    "n_items", "n_arrangements", "n_missing",
    "paired_E_perf", "paired_R_sens", "paired_S_Cons", "paired_E_low", "paired_E_high", "paired_R_low",
    "paired_R_high", "paired_S_low", "paired_S_high", "paired_R_crossfit",
    "across_E_perf", "across_R_sens", "across_S_Cons", "across_E_low", "across_E_high",
    "E_star_low", "E_star_high", "R_star_low", "R_star_high", "S_star_low", "S_star_high",
    "R_star_crossfit",
    "star_note", "R_at", "worst_arrangement", "worst_mean", "best_arrangement", "best_mean", "spread",
    "F_order", "epsilon", "n_incomplete", "share_item", "share_arrangement", "share_interaction",
    "share_noise",
    "flip_excess", "flip_low", "flip_high", "samples_low", "samples_high", "worst_low", "worst_high", "gate",
)  # fmt: skip

ARRANGEMENT_COLUMNS = (
    "Model Name", "arrangement", "reading", "gap", "low", "high", "mean", "n", "baseline", "max",
    "paired_gap", "star_gap", "n_mean", "n_max", "n_missing_mean", "n_missing_max", "n_only_mean",
    "n_only_max",
    "n_text_numbers", "n_clipped",
)  # fmt: skip

ITEM_COLUMNS = (
    "Model Name", "item", "cluster", "mean", "n_arrangements", "paired_gap", "across_gap",
    "worst_arrangement", "best_arrangement", "flip_excess",
)  # fmt: skip

CELL_COLUMNS = ("Model Name", "item", "arrangement", "mean", "max", "star_gap")

DIFFERENCE_COLUMNS = (
    "first", "second", "reading", "E_perf", "E_low", "E_high", "R_sens", "R_low", "R_high", "S_Cons", "S_low",
    "S_high", "tau", "tau_low", "tau_high", "n_items", "n_arrangements", "note", "E_p", "R_p",
    "S_p", "flip_excess", "flip_low", "flip_high", "worst", "worst_low", "worst_high", "tau_p", "flip_p",
    "worst_p",
)  # fmt: skip

LEFT_OUT_COLUMNS = ("Model Name", "arrangement", "file", "reason")

Row = list[object]


def _end_cells(interval: Interval | None) -> Row:
    """Low and high end."""
    return [None, None] if interval is None else [interval.low, interval.high]


def _with_ends(estimate: Estimate) -> Row:
    """Value, low and high end."""
    return [estimate.value, *_end_cells(estimate.interval)]


def _gap_cells(definition: Consistency | None) -> Row:
    """E, R and S."""
    if definition is None:
        return [None, None, None]
    return [definition.e_perf.value, definition.r_sens.value, definition.s_cons.value]


def _all_ends(definition: Consistency | None) -> Row:
    """Return the ends of E, R and S."""
    if definition is None:
        return [None] * 6
    return [
        end
        for part in (definition.e_perf, definition.r_sens, definition.s_cons)
        for end in _end_cells(part.interval)
    ]


def _crossfit(definition: Consistency | None) -> float | None:
    """Cross-fit R."""
    return None if definition is None or definition.r_crossfit is None else definition.r_crossfit.value


def model_row(model: ModelResult) -> Row:
    """One model as a row of `s_cons_results.csv`."""
    main, paired, across = model.consistency, model.definition("paired"), model.definition("across")
    return [
        model.model, *_gap_cells(main), main.definition, *_all_ends(main), _crossfit(main),
        *_gap_cells(model.fixed_m), *_order_columns(model),
        model.n_items, model.n_arrangements, model.n_missing,
        *_gap_cells(paired), *_all_ends(paired), _crossfit(paired),
        *_gap_cells(across), *_all_ends(across)[:2], *_all_ends(model.fixed_m), _crossfit(model.fixed_m),
        model.fixed_m_note, main.r_at, *_detail_columns(model),
    ]  # fmt: skip


def _order_columns(model: ModelResult) -> Row:
    """Tau, its interval and the test."""
    effect = model.order.effect
    return [None] * 4 if effect is None else [effect.tau, *_end_cells(effect.interval), effect.p_value]


def _detail_columns(model: ModelResult) -> Row:
    """Worst and best arrangement, shares of variance, flips, samples per cell."""
    order, effect, flips = model.order, model.order.effect, model.flip_excess
    k = model.samples_per_cell
    return [
        order.worst, order.lowest, order.best, order.highest, order.spread,
        *([None, None] if effect is None else [effect.f, effect.epsilon]), order.n_incomplete,
        *_share_columns(model),
        *([None] * 3 if flips is None else _with_ends(flips)),
        *([None, None] if k is None else k), *_end_cells(model.worst.interval), model.gate,
    ]  # fmt: skip


def _share_columns(model: ModelResult) -> Row:
    """Shares of variance."""
    shares = model.order.shares
    if shares is None:
        return [None] * 4
    return [shares.item, shares.arrangement, shares.interaction, shares.noise]


def arrangement_rows(scores: StructureScores) -> Iterator[Row]:
    """Rows of `arrangements.csv`."""
    for model in scores.models:
        for row in model.arrangements:
            c = row.counts
            yield [
                model.model, row.name, model.consistency.definition, row.gap, *_end_cells(row.interval),
                row.mean_score, row.n, row.is_baseline, row.max_score, row.paired_gap, row.fixed_m_gap,
                c.n_mean, c.n_max,
                c.missing_mean, c.missing_max, c.only_mean, c.only_max, c.text_numbers, c.clipped,
            ]  # fmt: skip


def item_rows(scores: StructureScores) -> Iterator[Row]:
    """Rows of `items.csv`."""
    for model in scores.models:
        for row in model.items:
            yield [
                model.model, row.name, row.cluster, row.mean_score, row.n_arrangements, row.paired_gap,
                row.across_gap, row.worst_arrangement, row.best_arrangement, row.flip_excess,
            ]  # fmt: skip


def cell_rows(scores: StructureScores) -> Iterator[Row]:
    """Rows of `cells.csv`: the scores of every item under every arrangement, all that a comparison needs."""
    for model in scores.models:
        for row in model.items:
            for cell in row.scores:
                yield [model.model, row.name, *cell]


def difference_row(entry: Difference) -> Row:
    """One pair of models as a row of `differences.csv`."""
    numbers = (entry.e_perf, entry.r_sens, entry.s_cons, entry.tau)
    values = [part for number in numbers for part in _with_ends(number)]
    return [
        entry.first, entry.second, entry.definition, *values, entry.n_items, entry.n_arrangements, entry.note,
        *entry.p_values, *_with_ends(entry.flip_excess), *_with_ends(entry.worst), *entry.order_p_values,
    ]  # fmt: skip
