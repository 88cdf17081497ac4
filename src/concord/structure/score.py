"""Scores of models to their structural consistency: E_perf, R_sens, S_Cons and what stands beside them."""

import numpy as np
from numpy.typing import NDArray

from concord.errors import InputError, OptionError
from concord.readers.structure_records import Floats, ModelScores, ScoreSet
from concord.readers.structure_sheet import fold
from concord.stats.bands import ItemWeights
from concord.structure.beside import (
    flip_cells,
    flip_estimate,
    order_block,
    plain_sentence,
    star_cells,
    star_reading,
)
from concord.structure.difference import all_differences
from concord.structure.readings import (
    Counted,
    across_gaps,
    column_means,
    counted,
    paired_table,
    peak_gaps,
    read_gaps,
    unpaired_table,
)
from concord.structure.records import (
    READINGS,
    ArrangementRow,
    Consistency,
    ItemRow,
    ModelResult,
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


def score(scores: ScoreSet, options: ScoreOptions) -> StructureScores:
    """Score every model that was read.

    Raises
    ------
    InputError
        No model can be scored; the message lists why.
    """
    check_options(options)
    if not scores.models:
        reasons = "\n".join(str(entry) for entry in scores.left_out)
        raise InputError(f"no model could be scored\n{reasons}")
    weights = ItemWeights(options.seed, options.resamples)
    warnings = list(scores.warnings)
    results, data = [], {}
    for model in scores.models:
        used = _counted_arrangements(model, options, warnings)
        data[model.model] = counted(model, used)
        results.append(score_model(model, used, data[model.model], options, weights))
    return StructureScores(
        options,
        tuple(results),
        all_differences(data, options, weights),
        scores.left_out,
        tuple(warnings),
        scores.inputs,
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
    model: ModelScores, used: NDArray[np.bool_], data: Counted, options: ScoreOptions, weights: ItemWeights
) -> ModelResult:
    """Score one model."""
    main = read_gaps(options.reading, data, options, weights)
    others = tuple(read_gaps(name, data, options, weights) for name in BESIDE if name != options.reading)
    cells, star_note = star_cells(model, options)
    star = None if cells is None else star_reading(cells[:, used], data, options, weights)
    order = order_block(model, data, options)
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
        _item_rows(data, model, flips),
        _n_items(data, options.reading),
        sum(gap is not None for gap in main.gaps) if options.reading != "across" else len(data.names),
        sum(c.missing_mean + c.missing_max for c in counts),
        _samples_per_cell(model, options),
        plain_sentence(model.model, order),
    )


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


def _item_rows(data: Counted, model: ModelScores, flips: Floats | None) -> tuple[ItemRow, ...]:
    """Per-item detail over the arrangements that count."""
    means = column_means(data.mean.T)
    paired = column_means((data.largest - data.mean).T)
    across = across_gaps(data.mean)
    cells = (~np.isnan(data.mean)).sum(axis=1)
    worst = np.argmin(np.where(np.isnan(data.mean), np.inf, data.mean), axis=1)
    best = np.argmax(np.where(np.isnan(data.mean), -np.inf, data.mean), axis=1)
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
        )
        for i, name in enumerate(data.items)
    )


def number(value: float) -> float | None:
    """Turn NaN, the absence of a number inside arrays, into ``None``."""
    return None if np.isnan(value) else float(value)
