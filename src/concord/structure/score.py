"""Scores of models to their structural consistency: E_perf, R_sens, S_Cons and what stands beside them."""

from math import isnan

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine
from concord.errors import InputError, OptionError
from concord.stats.bands import ItemWeights
from concord.structure.beside import (
    flip_cells,
    flip_estimate,
    order_block,
    plain_sentence,
    star_cells,
    star_table,
)
from concord.structure.difference import all_differences
from concord.structure.parts import Part, Parts, resampled_tau, tau_columns, whole_layout
from concord.structure.read.records import Floats, ModelScores, ScoreSet
from concord.structure.read.sheet import fold
from concord.structure.readings import (
    Counted,
    across_gaps,
    column_means,
    counted,
    from_table,
    paired_table,
    peak_gaps,
    read_gaps,
    resample_tables,
    unpaired_table,
)
from concord.structure.records import (
    READINGS,
    ArrangementRow,
    Consistency,
    ItemRow,
    ModelResult,
    Order,
    ScoreOptions,
    StructureScores,
)

BESIDE = ("paired", "across")
"""Readings shown beside whichever was chosen."""


def check_options(options: ScoreOptions) -> None:
    """Refuse options that cannot be meant.

    Raises
    ------
    OptionError
        An unknown reading, or a number out of range.
    """
    if options.reading not in READINGS:
        raise OptionError(f"reading {options.reading!r} is not known; choose one of {', '.join(READINGS)}")
    for name, value, least in (
        ("--samples", options.samples, 1),
        ("--fixed-m", options.m, 2),
        ("--resamples", options.resamples, 200),
        ("--seed", options.seed, 0),
    ):
        if value is not None and value < least:
            raise OptionError(f"{name} {value}: expected a whole number from {least} on")


def score(scores: ScoreSet, options: ScoreOptions, *, engine: Engine = SERIAL) -> StructureScores:
    """Score every model that was read; the engine computes resamples and changes nothing in the result.

    Raises
    ------
    InputError
        No model can be scored; the message lists why.
    """
    check_options(options)
    if not scores.models:
        reasons = "\n".join(str(entry) for entry in scores.left_out)
        raise InputError(f"no model could be scored\n{reasons}")
    parts = Parts(options, ItemWeights(options.seed, options.resamples, options.splits, engine))
    warnings = list(scores.warnings)
    results, data = [], {}
    for model in scores.models:
        used = _counted_arrangements(model, options, warnings)
        data[model.model] = counted(model, used)
        results.append(score_model(model, used, data[model.model], options=options, parts=parts))
    differences = all_differences(data, parts)
    return StructureScores(
        options, tuple(results), differences, scores.left_out, tuple(warnings), scores.inputs
    )


def _counted_arrangements(
    model: ModelScores, options: ScoreOptions, warnings: list[str]
) -> NDArray[np.bool_]:
    """All arrangements but the baseline."""
    used = np.ones(len(model.arrangements), dtype=np.bool_)
    if options.baseline is None:
        return used
    used = np.array([fold(name) != fold(options.baseline) for name in model.arrangements])
    if used.all():
        listed = ", ".join(repr(name) for name in model.arrangements[:5])
        warnings.append(
            f"{model.model}: no arrangement {options.baseline!r} (--baseline); it has {listed}, ..."
        )
    if not used.any():
        raise OptionError(f"--baseline {options.baseline!r} is the only arrangement of model {model.model!r}")
    return used


def score_model(
    model: ModelScores, used: NDArray[np.bool_], data: Counted, *, options: ScoreOptions, parts: Parts
) -> ModelResult:
    """Score one model, and keep in ``parts`` what comparisons will need."""
    cells, star_note = star_cells(model, options)
    order = order_block(model, data, options)
    readings, star = _all_readings(data, None if cells is None else cells[:, used], order, parts)
    main = readings[options.reading]
    others = tuple(readings[name] for name in BESIDE if name != options.reading)
    flips = flip_cells(model, data)
    counts = [c for c, kept in zip(model.counts, used, strict=True) if kept]
    return ModelResult(
        model.model,
        main,
        others,
        star,
        star_note,
        order,
        None if flips is None else flip_estimate(flips, data, options.level),
        _arrangement_rows(model, used, main, cells=cells, options=options),
        _item_rows(data, model, flips, None if cells is None else cells[:, used]),
        _n_items(data, options.reading),
        sum(gap is not None for gap in main.gaps) if options.reading != "across" else len(data.names),
        sum(c.missing_mean + c.missing_max for c in counts),
        _samples_per_cell(model, options),
        plain_sentence(model.model, order),
    )


def _all_readings(
    data: Counted, cells: Floats | None, order: Order, parts: Parts
) -> tuple[dict[str, Consistency], Consistency | None]:
    """Compute the chosen reading, those beside it and the fixed-m gap, all resamples in one product."""
    options, weights = parts.options, parts.weights
    names = ["paired"] + (["unpaired"] if options.reading == "unpaired" else [])
    tables = [paired_table(data) if name == "paired" else unpaired_table(data) for name in names]
    if cells is not None:
        tables.append(star_table(cells, data))
    layout = whole_layout(data)
    beside = None if layout is None else tau_columns(layout)
    resampled, sums = resample_tables(tables, weights, level=options.level, beside=beside)
    compared = resampled[len(names) - 1]
    taus = resampled_tau(layout, sums)
    parts.keep(data.model, data, Part(compared.table, compared.draws, order.effect, taus))
    readings = {
        name: from_table(name, data, entry, options, weights)
        for name, entry in zip(names, resampled, strict=False)
    }
    wanted = {"across", options.reading} - set(readings)
    readings |= {name: read_gaps(name, data, options, weights) for name in sorted(wanted)}
    star = None
    if cells is not None:
        star = from_table(f"fixed m = {options.m}", data, resampled[-1], options, weights)
    return readings, star


def _n_items(data: Counted, reading: str) -> int:
    """Items the reading rests on."""
    mean, largest = ~np.isnan(data.mean), ~np.isnan(data.largest)
    there = {"paired": mean & largest, "across": mean}.get(reading, mean | largest)
    return int(there.any(axis=1).sum())


def _samples_per_cell(model: ModelScores, options: ScoreOptions) -> tuple[int, int] | None:
    """Smallest and largest number of samples a cell, where known."""
    if model.samples is None:
        return None if options.samples is None else (options.samples, options.samples)
    count = np.bincount(model.samples.item * model.mean.shape[1] + model.samples.arrangement)
    count = count[count > 0]
    return int(count.min()), int(count.max())


def _arrangement_rows(
    model: ModelScores,
    used: NDArray[np.bool_],
    main: Consistency,
    *,
    cells: Floats | None,
    options: ScoreOptions,
) -> tuple[ArrangementRow, ...]:
    """Per-arrangement detail, the baseline included."""
    whole = counted(model, np.ones(len(used), dtype=np.bool_))
    paired = paired_table(whole).gaps()
    tables = {"peak": peak_gaps(model.mean, model.largest), "unpaired": unpaired_table(whole).gaps()}
    gaps = tables.get(options.reading, paired)
    star = np.full(len(used), np.nan) if cells is None else column_means(cells)
    means, tops = column_means(model.mean), column_means(model.largest)
    intervals = dict(zip(np.flatnonzero(used).tolist(), main.gap_intervals, strict=False))
    both = (~np.isnan(model.mean) & ~np.isnan(model.largest)).sum(axis=0)
    one = (~np.isnan(model.mean)).sum(axis=0)
    n = both if options.reading == "paired" else one
    return tuple(
        ArrangementRow(
            name, not used[p], number(gaps[p]), intervals.get(p), number(paired[p]), number(star[p]),
            number(means[p]), number(tops[p]), int(n[p]), model.counts[p],
        )
        for p, name in enumerate(model.arrangements)
    )  # fmt: skip


def _item_rows(
    data: Counted, model: ModelScores, flips: Floats | None, star: Floats | None
) -> tuple[ItemRow, ...]:
    """Per-item detail over the arrangements that count."""
    means = column_means(data.mean.T)
    paired = column_means((data.largest - data.mean).T)
    across = across_gaps(data.mean)
    cells = (~np.isnan(data.mean)).sum(axis=1)
    worst = np.argmin(np.where(np.isnan(data.mean), np.inf, data.mean), axis=1)
    best = np.argmax(np.where(np.isnan(data.mean), -np.inf, data.mean), axis=1)
    nothing = np.full(data.mean.shape, np.nan)
    tables = [_cells(table) for table in (data.mean, data.largest, nothing if star is None else star)]
    return tuple(
        ItemRow(
            name,
            None if model.clusters is None else model.clusters[i],
            number(means[i]),
            int(cells[i]),
            number(paired[i]),
            number(across[i]),
            data.names[worst[i]] if cells[i] else None,
            data.names[best[i]] if cells[i] else None,
            None if flips is None else number(flips[i]),
            tuple(zip(data.names, *(table[i] for table in tables), strict=True)),
        )
        for i, name in enumerate(data.items)
    )


def _cells(table: Floats) -> list[list[float | None]]:
    """Turn a whole table of cells into lists, ``None`` where there is no number."""
    cells = table.astype(object)
    cells[np.isnan(table)] = None
    rows: list[list[float | None]] = cells.tolist()
    return rows


def number(value: float) -> float | None:
    """Turn NaN, the absence of a number inside arrays, into ``None``."""
    return None if isnan(value) else float(value)
