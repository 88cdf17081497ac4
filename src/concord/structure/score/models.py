"""Scores of models to their structural consistency: tables read, order effect, flips, gaps, all rows."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine, chosen_engine
from concord.errors import InputError, OptionError
from concord.files.missing import declared_missing
from concord.numeric import COUNT, DRAWN, NumberRule, gated, whole
from concord.stats.bands import ItemWeights
from concord.stats.elementwise import or_none
from concord.structure.read.sheet import fold
from concord.structure.records import (
    DEFINITIONS,
    ArrangementRow,
    Consistency,
    Floats,
    ItemRow,
    ModelResult,
    Order,
    ScoreGrid,
    ScoreOptions,
    ScoreSet,
    StructureScores,
)
from concord.structure.result import StructureResult, with_sentences
from concord.structure.score.definitions import (
    Counted,
    ResampledGaps,
    across_gaps,
    column_means,
    counted,
    fixed_m_cells,
    fixed_m_table,
    from_table,
    paired_table,
    peak_gaps,
    read_gaps,
    resample_tables,
    unpaired_table,
    worst_table,
)
from concord.structure.score.difference import (
    ResampledModels,
    all_differences,
    resampled_model,
    resampled_tau,
    tau_columns,
    whole_layout,
)
from concord.structure.score.order import (
    coverage_notes,
    flip_cells,
    flip_estimate,
    flip_notes,
    flips_p,
    gate_of,
    order_block,
    release_ceilings,
    worst_estimate,
)

ALSO = ("paired", "across")
"""Definitions shown next to whichever was chosen."""


def check_options(options: ScoreOptions) -> None:
    """Refuse options that cannot be meant."""
    if options.definition not in DEFINITIONS:
        raise OptionError(
            f"reading {options.definition!r} is not known; choose one of {', '.join(DEFINITIONS)}"
        )


def score(scores: ScoreSet, options: ScoreOptions, *, engine: Engine = SERIAL) -> StructureScores:
    """Score every model that was read; the engine computes resamples and changes nothing in the result."""
    check_options(options)
    if not scores.models:
        reasons = "\n".join(str(entry) for entry in scores.left_out)
        raise InputError(f"no model could be scored\n{reasons}")
    parts = ResampledModels(options, ItemWeights(options.seed, options.resamples, options.splits, engine))
    warnings = list(scores.warnings)
    results, data = [], {}
    for model in scores.models:
        used = _counted_arrangements(model, options, warnings)
        cells = counted(model, used)
        data[model.model] = replace(cells, flips=flip_cells(model, cells, options.samples))
        results.append(score_model(model, used, data[model.model], options=options, parts=parts))
    differences = all_differences(data, parts)
    return StructureScores(
        options,
        with_sentences(release_ceilings(results)),
        differences,
        scores.left_out,
        tuple(warnings),
        scores.inputs,
    )


def _counted_arrangements(model: ScoreGrid, options: ScoreOptions, warnings: list[str]) -> NDArray[np.bool_]:
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
    model: ScoreGrid, used: NDArray[np.bool_], data: Counted, *, options: ScoreOptions, parts: ResampledModels
) -> ModelResult:
    """Score one model, and keep in ``parts`` what comparisons will need."""
    cells, fixed_m_note = fixed_m_cells(model, options)
    order = order_block(model, data, options)
    definitions, fixed_m, scores = _all_definitions(
        data, None if cells is None else cells[:, used], order, parts
    )
    main = definitions[options.definition]
    others = tuple(definitions[name] for name in ALSO if name != options.definition)
    flips = None if data.flips is None else flip_estimate(data.flips, data, options.level)
    gate = gate_of(data, options.chance)
    counts = [c for c, kept in zip(model.counts, used, strict=True) if kept]
    # items the definition rests on
    mean, maximum = ~np.isnan(data.mean), ~np.isnan(data.maximum)
    there = {"paired": mean & maximum, "across": mean}.get(options.definition, mean | maximum)
    return ModelResult(
        model.model,
        main,
        others,
        fixed_m,
        fixed_m_note,
        order,
        flips,
        _arrangement_rows(model, used, main, cells=cells, options=options),
        _item_rows(data, model, data.flips, None if cells is None else cells[:, used]),
        int(there.any(axis=1).sum()),
        sum(gap is not None for gap in main.gaps) if options.definition != "across" else len(data.names),
        sum(c.missing_mean + c.missing_max for c in counts),
        _samples_per_cell(model, options),
        "",
        (*flip_notes(model, flips), *coverage_notes(data, order, options.level)),
        worst_estimate(data, scores),
        gate,
        None if data.flips is None else flips_p(data.flips, data),
    )


def _all_definitions(
    data: Counted, cells: Floats | None, order: Order, parts: ResampledModels
) -> tuple[dict[str, Consistency], Consistency | None, ResampledGaps]:
    """Compute the chosen definition, the others and the fixed-m gap, all resamples in one product."""
    options, weights = parts.options, parts.weights
    names = ["paired"] + (["unpaired"] if options.definition == "unpaired" else [])
    tables = [paired_table(data) if name == "paired" else unpaired_table(data) for name in names]
    tables += [worst_table(data)] if cells is None else [worst_table(data), fixed_m_table(cells, data)]
    layout = whole_layout(data)
    more = None if layout is None else tau_columns(layout)
    resampled, sums = resample_tables(tables, weights, level=options.level, more=more)
    compared, scores = resampled[len(names) - 1], resampled[len(names)]
    taus = resampled_tau(layout, sums)
    parts.keep(data.model, data, resampled_model(data, compared, scores, order.effect, taus))
    definitions = {
        name: from_table(name, data, entry, options, weights)
        for name, entry in zip(names, resampled, strict=False)
    }
    wanted = {"across", options.definition} - set(definitions)
    definitions |= {name: read_gaps(name, data, options, weights) for name in sorted(wanted)}
    fixed_m = None
    if cells is not None:
        fixed_m = from_table(f"fixed m = {options.m}", data, resampled[-1], options, weights)
    return definitions, fixed_m, scores


def _samples_per_cell(model: ScoreGrid, options: ScoreOptions) -> tuple[int, int] | None:
    """Smallest and largest number of samples per cell, where known."""
    if model.samples is None:
        return None if options.samples is None else (options.samples, options.samples)
    count = np.bincount(model.samples.item * model.mean.shape[1] + model.samples.arrangement)
    count = count[count > 0]
    return int(count.min()), int(count.max())


def _arrangement_rows(
    model: ScoreGrid,
    used: NDArray[np.bool_],
    main: Consistency,
    *,
    cells: Floats | None,
    options: ScoreOptions,
) -> tuple[ArrangementRow, ...]:
    """Per-arrangement detail, the baseline included."""
    whole = counted(model, np.ones(len(used), dtype=np.bool_))
    paired = paired_table(whole).gaps()
    tables = {"peak": peak_gaps(model.mean, model.maximum), "unpaired": unpaired_table(whole).gaps()}
    gaps = tables.get(options.definition, paired)
    fixed_m = np.full(len(used), np.nan) if cells is None else column_means(cells)
    means, tops = column_means(model.mean), column_means(model.maximum)
    intervals = dict(zip(np.flatnonzero(used).tolist(), main.gap_intervals, strict=False))
    both = (~np.isnan(model.mean) & ~np.isnan(model.maximum)).sum(axis=0)
    one = (~np.isnan(model.mean)).sum(axis=0)
    n = both if options.definition == "paired" else one
    return tuple(
        ArrangementRow(
            name, not used[p], or_none(gaps[p]), intervals.get(p), or_none(paired[p]), or_none(fixed_m[p]),
            or_none(means[p]), or_none(tops[p]), int(n[p]), model.counts[p],
        )
        for p, name in enumerate(model.arrangements)
    )  # fmt: skip


def _item_rows(
    data: Counted, model: ScoreGrid, flips: Floats | None, fixed_m: Floats | None
) -> tuple[ItemRow, ...]:
    """Per-item detail over the arrangements that count."""
    means = column_means(data.mean.T)
    paired = column_means((data.maximum - data.mean).T)
    across = across_gaps(data.mean)
    cells = (~np.isnan(data.mean)).sum(axis=1)
    worst = np.argmin(np.where(np.isnan(data.mean), np.inf, data.mean), axis=1)
    best = np.argmax(np.where(np.isnan(data.mean), -np.inf, data.mean), axis=1)
    nothing = np.full(data.mean.shape, np.nan)
    tables = [
        _rows_of_cells(table) for table in (data.mean, data.maximum, nothing if fixed_m is None else fixed_m)
    ]
    return tuple(
        ItemRow(
            name,
            None if model.clusters is None else model.clusters[i],
            or_none(means[i]),
            int(cells[i]),
            or_none(paired[i]),
            or_none(across[i]),
            data.names[worst[i]] if cells[i] else None,
            data.names[best[i]] if cells[i] else None,
            None if flips is None else or_none(flips[i]),
            tuple(zip(data.names, *(table[i] for table in tables), strict=True)),
        )
        for i, name in enumerate(data.items)
    )


def _rows_of_cells(table: Floats) -> list[list[float | None]]:
    """Turn a whole table of cells into lists, ``None`` where there is no number."""
    cells = table.astype(object)
    cells[np.isnan(table)] = None
    rows: list[list[float | None]] = cells.tolist()
    return rows


@gated(
    samples=COUNT,
    fixed_m=whole(2, 1000),
    resamples=whole(200, DRAWN),
    chance=NumberRule(0, 1, "the score of guessing, a number from 0 to below 1", open_high=True, share=True),
)
def score_structure(
    mean: str | Path | None = None,
    max: str | Path | None = None,
    scores: Any = None,
    *,
    reading: str = "peak",
    column: str | None = None,
    percent: bool = False,
    missing: str | Iterable[object] | None = None,
    strict: bool = False,
    samples: int | None = None,
    baseline: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    sheet: str | None = None,
    cluster: str | None = None,
    seed: int = 0,
    fixed_m: int = 2,
    resamples: int = 2000,
    level: float = 0.95,
    chance: float | None = None,
    engine: str | Engine = "serial",
) -> StructureResult:
    """Score structural consistency: whether a model stays the same when only the arrangement changes.

    Parameters
    ----------
    mean, max
        Folders of mean and of max scores, one file (or one set of files) per model.
    scores
        Instead of the folders: one long table (a path to CSV, XLSX, Parquet or JSON, a polars or pandas
        frame, or a list of rows), with the columns `model, arrangement, item`
        and `S_mean, S_max` or `sample, S_Acc`.
    reading
        What the gap runs over: ``peak``, ``paired``, ``unpaired`` or ``across``.
    column
        Name of the score column, where it does not end in S_Acc or several do.
    percent
        Scores run from 0 to 100.
    missing
        Codes for no score, such as ``"99,-1,refused"``.
    strict
        A score cell that holds text refuses the model; otherwise it counts as missing, and is listed in
        ``left_out.csv``, while that is at most half of the model's cells.
    samples
        Samples per cell behind mean and max, where known; in a long table with one row per cell, the draws
        behind each share of right answers.
    baseline
        Arrangement that is shown with E and R, not counted in them.
    cluster
        Column of a long table that names the family of an item (``cluster``): families are then the units.
    fixed_m
        Size of the subsets of the fixed-m gap.
    resamples
        Resamples of the items behind simultaneous bands.
    chance
        Score of guessing, for multiple choice: a model that is not shown to be above it has nothing to be
        consistent about.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({
    ...     "model": ["m"] * 4, "arrangement": ["AB", "AB", "BA", "BA"], "item": ["x", "y", "x", "y"],
    ...     "S_mean": [0.5, 0.6, 0.4, 0.6], "S_max": [0.6, 0.8, 0.6, 0.8],
    ... })
    >>> result = score_structure(scores=table, reading="paired")
    >>> round(result.models[0].consistency.s_cons.value, 4)
    0.66
    """
    from concord.structure.read.folder import check_sources, read_folders
    from concord.structure.read.long import read_long
    from concord.structure.records import ReadOptions, ScoreOptions

    check_sources(mean, max, scores)
    options = ScoreOptions(reading, samples, baseline, seed, fixed_m, resamples, level=level, chance=chance)
    check_options(options)
    reading_options = ReadOptions(
        column, percent, strict, encoding, decimal_comma, sheet, cluster, declared_missing(missing).shown
    )
    if scores is not None:
        data = read_long(scores, reading_options)
    else:
        assert mean is not None and max is not None  # noqa: S101 - check_sources looked
        data = read_folders(Path(mean), Path(max), reading_options)
    return StructureResult(score(data, options, engine=chosen_engine(engine)), reading_options)
