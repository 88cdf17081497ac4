"""The scores of one model put together: two sides of sheets, or the coded rows of a long table; checked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from concord.errors import CellProblem, InputError, TableError
from concord.files import limits
from concord.files.gate import refuse_more
from concord.files.left_out import LEAST_SHARE
from concord.structure.read.sheet import ScoreColumn, SheetScores, is_summary, range_advice
from concord.structure.records import (
    ArrangementCounts,
    CellPlace,
    Codes,
    Floats,
    LeftOut,
    RawSamples,
    ReadOptions,
    ScoreGrid,
)

ABOVE = 1e-9
"""A mean this little above its maximum is rounding."""
_POSITION = re.compile(r"position (\d+)")


class RefusedError(InputError):
    """The model cannot be scored; the others are."""


@dataclass(slots=True)
class Findings:
    """What was noticed while reading: warnings, and what was left out."""

    warnings: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


Sheets = Mapping[str, SheetScores]
"""Sheets of one side by their folded name."""


def item_order(items: Sequence[str]) -> list[str]:
    """Sort items by name, positions by number, so that models with the same items share their order."""

    def key(name: str) -> tuple[int, int, str]:
        match = _POSITION.fullmatch(name)
        return (0, int(match[1]), "") if match else (1, 0, name)

    return sorted(items, key=key)


def join_sides(
    model: str, mean: Sheets, largest: Sheets, *, options: ReadOptions, found: Findings
) -> ScoreGrid:
    """Join the mean and the max data of one model."""
    shared = [key for key in mean if key in largest]
    sheets = [side[key] for side in (mean, largest) for key in shared]
    _refuse_faults(sheets, options)
    _note_sheets(model, sheets, options, found)
    pairs = [_named_alike(mean[key], largest[key], found) for key in shared]
    if not pairs:
        raise RefusedError("no arrangement can be scored")
    scores = _matrices(model, pairs)
    _note_unmatched(scores, found)
    check_mean_below_max(scores, found)
    return scores


def _refuse_faults(sheets: Sequence[SheetScores], options: ReadOptions) -> None:
    """Refuse the model if any score cell is text or out of range, naming every such cell."""
    faults = [fault for sheet in sheets for fault in sheet.column.faults]
    text = [fault for sheet in sheets for fault in sheet.column.lenient]
    if not faults and not _are_most(text, sum(len(sheet.values) for sheet in sheets)):
        return
    faults += text
    message = str(TableError(faults))
    if any(sheet.column.out_of_range for sheet in sheets):
        low = min(sheet.column.low for sheet in sheets)
        high = max(sheet.column.high for sheet in sheets)
        outside = sum(sheet.column.out_of_range for sheet in sheets)
        usable = sum(sheet.column.n_usable for sheet in sheets)
        message += f"\n{range_advice(low, high, options, share=outside / (outside + usable))}"
    raise RefusedError(message)


def _note_sheets(model: str, sheets: Sequence[SheetScores], options: ReadOptions, found: Findings) -> None:
    """Warn of everything that was read otherwise than it is in the file."""
    for sheet in sheets:
        found.warnings += sheet.warnings
    text = sum(sheet.column.n_text_numbers for sheet in sheets)
    if text:
        files = sorted({f"{s.file}, sheet {s.sheet!r}" for s in sheets if s.column.n_text_numbers})
        found.warnings.append(
            f"{model}: {text} numbers are stored as text and read as numbers ({_few(files)})"
        )
    _note_cells(model, "score cells clipped to [0, 1]", [c for s in sheets for c in s.column.clipped], found)
    text_cells = [cell for sheet in sheets for cell in sheet.column.lenient]
    _note_cells(model, "text cells count as missing", text_cells, found)
    found.left_out += [left_out_cell(model, cell) for cell in text_cells]
    _note_cells(
        model, "formula cells hold no stored value and count as missing; open the workbook in a spreadsheet "
        "program and save it", [c for s in sheets for c in s.column.unstored], found
    )  # fmt: skip
    high = max((sheet.column.high for sheet in sheets), default=-np.inf)
    if options.percent and 0 <= high <= 1:
        found.warnings.append(
            f"{model}: --percent, but the largest score is {high:g}; are the scores 0 to 1 already?"
        )


def _note_cells(model: str, what: str, cells: Sequence[CellProblem], found: Findings) -> None:
    """Warn of named cells, three of them by place and value."""
    if cells:
        found.warnings.append(f"{model}: {len(cells)} {what}: {_few([_place(cell) for cell in cells])}")


def _are_most(cells: Sequence[CellProblem], n: int) -> bool:
    """Whether more than half of the cells of a model cannot be read."""
    return len(cells) > n * LEAST_SHARE


def left_out_cell(model: str, cell: CellProblem) -> LeftOut:
    """Return the record of a score cell that counts as missing."""
    held = CellPlace(cell.sheet, cell.row, cell.column, str(cell.value)[:200], f"expected {cell.expected}")
    return LeftOut(model, None, cell.file, "cannot be read", held)


def _place(cell: CellProblem) -> str:
    """Name a cell and its value, without judging it."""
    return str(cell).partition(", expected")[0]


def _few(texts: Sequence[str], shown: int = 3) -> str:
    """List a few texts and count the rest."""
    more = f"; ... and {len(texts) - shown} more" if len(texts) > shown else ""
    return "; ".join(texts[:shown]) + more


def _named_alike(mean: SheetScores, largest: SheetScores, found: Findings) -> tuple[SheetScores, SheetScores]:
    """Where only one side names its items, lend the names to the other side's rows, by position."""
    if mean.by_position == largest.by_position:
        return mean, largest
    named, bare = (largest, mean) if mean.by_position else (mean, largest)
    count = min(len(named.items), len(bare.items))
    rest = tuple(f"position {i + 1}" for i in range(count, len(bare.items)))
    lent = replace(bare, items=named.items[:count] + rest)
    found.warnings.append(f"{bare.file}, sheet {bare.sheet!r}: items named after the rows of {named.file}")
    return (lent, largest) if mean.by_position else (mean, lent)


def _matrices(model: str, pairs: Sequence[tuple[SheetScores, SheetScores]]) -> ScoreGrid:
    """Lay the sheets of both sides out as items by arrangements."""
    distinct = dict.fromkeys(sheet.items for pair in pairs for sheet in pair)
    items = item_order(list({name for names in distinct for name in names}))
    index = {name: i for i, name in enumerate(items)}
    places = {names: np.fromiter(map(index.__getitem__, names), np.intp, len(names)) for names in distinct}
    shape = (len(items), len(pairs))
    mean, largest = np.full(shape, np.nan), np.full(shape, np.nan)
    for p, (low, high) in enumerate(pairs):
        mean[places[low.items], p] = low.values
        largest[places[high.items], p] = high.values
    counts = tuple(_sheet_counts(low, high) for low, high in pairs)
    names = tuple(low.sheet.strip() for low, _ in pairs)
    return ScoreGrid(model, names, tuple(items), mean, largest, counts)


def _sheet_counts(mean: SheetScores, largest: SheetScores) -> ArrangementCounts:
    """Count what was found in both sheets of an arrangement."""
    same = mean.items == largest.items
    return ArrangementCounts(
        n_mean=mean.column.n_usable,
        n_max=largest.column.n_usable,
        missing_mean=mean.column.n_missing,
        missing_max=largest.column.n_missing,
        only_mean=0 if same else len(set(mean.items) - set(largest.items)),
        only_max=0 if same else len(set(largest.items) - set(mean.items)),
        text_numbers=mean.column.n_text_numbers + largest.column.n_text_numbers,
        clipped=mean.column.n_clipped + largest.column.n_clipped,
    )


def _note_unmatched(scores: ScoreGrid, found: Findings) -> None:
    """Warn of items on one side only and of missing scores, per arrangement."""
    unmatched = [
        f"{name!r} {c.only_mean} only in the mean data, {c.only_max} only in the max data"
        for name, c in zip(scores.arrangements, scores.counts, strict=True)
        if c.only_mean or c.only_max
    ]
    if unmatched:
        found.warnings.append(
            f"{scores.model}: items on one side only, not paired, in {len(unmatched)} arrangements: "
            f"{_few(unmatched)}"
        )
    missing = [
        f"{name!r} {c.missing_mean} in the mean data, {c.missing_max} in the max data"
        for name, c in zip(scores.arrangements, scores.counts, strict=True)
        if c.missing_mean or c.missing_max
    ]
    if missing:
        found.warnings.append(
            f"{scores.model}: missing scores in {len(missing)} arrangements: {_few(missing)}"
        )


def check_mean_below_max(scores: ScoreGrid, found: Findings) -> None:
    """Warn of cells whose mean lies above their maximum; refuse the model if most do."""
    paired = ~np.isnan(scores.mean) & ~np.isnan(scores.maximum)
    above = paired & (scores.mean > scores.maximum + ABOVE)
    n_above, n_paired = int(above.sum()), int(paired.sum())
    if n_above:
        texts = [_above(scores, int(i), int(p)) for i, p in np.argwhere(above)[:3]]
        listed = "; ".join(texts) + (f"; ... and {n_above - 3} more" if n_above > 3 else "")
        message = f"mean above max in {n_above} of {n_paired} paired cells: {listed}"
        if 2 * n_above > n_paired:
            raise RefusedError(f"{message}; are the mean and max folders (or columns) swapped?")
        found.warnings.append(f"{scores.model}: {message}")
    if n_paired and np.array_equal(scores.mean[paired], scores.maximum[paired]):
        found.warnings.append(
            f"{scores.model}: mean and max hold the same scores in all {n_paired} paired cells; "
            "the same data given twice, or one sample per cell? Gaps under `paired` are then always 0"
        )


def _above(scores: ScoreGrid, item: int, arrangement: int) -> str:
    """Name a cell with its mean and maximum."""
    return (
        f"sheet {scores.arrangements[arrangement]!r}, item {scores.items[item]!r}: "
        f"mean {scores.mean[item, arrangement]:g}, max {scores.maximum[item, arrangement]:g}"
    )


Coded = tuple[Codes, tuple[str, ...]]
"""A code for each row, and the name of each code."""


@dataclass(frozen=True, slots=True, eq=False)
class LongTable:
    """A long table with names as codes and scores as numbers."""

    file: str
    rows: Codes
    models: tuple[str, ...]
    model: Codes
    arrangements: tuple[str, ...]
    arrangement: Codes
    items: tuple[str, ...]
    item: Codes
    scores: tuple[ScoreColumn, ...]
    """Mean and max, or the raw samples alone."""
    columns: tuple[str, str, str | None]
    """Names of the arrangement, item and sample columns."""
    sample: Coded | None = None
    answer: Coded | None = None
    cluster: Coded | None = None


@dataclass(slots=True, eq=False)
class _Rows:
    """The rows of one model."""

    arrangement: Codes
    item: Codes
    scores: tuple[Floats, ...]
    sample: Codes | None
    answer: Codes | None
    cluster: Codes | None
    item_names: list[str] = field(default_factory=list, kw_only=True)

    def keep(self, mask: NDArray[np.bool_]) -> "_Rows":
        """Keep some rows."""
        optional = [None if part is None else part[mask] for part in (self.sample, self.answer, self.cluster)]
        scores = tuple(score[mask] for score in self.scores)
        return _Rows(self.arrangement[mask], self.item[mask], scores, *optional, item_names=self.item_names)


def model_scores(table: LongTable, code: int, *, options: ReadOptions, found: Findings) -> ScoreGrid:
    """Build the scores of one model."""
    where = np.flatnonzero(table.model == code)
    _refuse_rows(table, where, options)
    _note_column_cells(table, code, where, options, found)
    rows = _Rows(
        table.arrangement[where],
        table.item[where],
        tuple(score.values[where] for score in table.scores),
        *(None if part is None else part[0][where] for part in (table.sample, table.answer, table.cluster)),
        item_names=list(table.items),
    )
    _refuse_repeats(table, code, where, rows)
    used = _usable_arrangements(table, code, rows, found)
    recode = np.full(len(table.arrangements), -1, dtype=np.int64)
    recode[used] = np.arange(len(used))
    rows.arrangement = recode[rows.arrangement]
    if (rows.arrangement < 0).any():
        rows = rows.keep(rows.arrangement >= 0)
    items = _index_items(rows)
    refuse_more(len(used), limits.ARRANGEMENTS, "arrangements", table.file, "score some of them")
    spanned = len(items) * len(used)
    refuse_more(spanned, limits.SPANNED, "items by arrangements", table.file, "score some of the items")
    names = tuple(table.arrangements[p] for p in used)
    return _build(table, code, rows, arrangements=names, items=items, found=found)


def _build(
    table: LongTable,
    code: int,
    rows: _Rows,
    *,
    arrangements: tuple[str, ...],
    items: tuple[str, ...],
    found: Findings,
) -> ScoreGrid:
    """Fill the matrices of a model and check them."""
    shape = (len(items), len(arrangements))
    samples = None
    if len(rows.scores) == 2:
        mean, largest = np.full(shape, np.nan), np.full(shape, np.nan)
        mean[rows.item, rows.arrangement], largest[rows.item, rows.arrangement] = rows.scores
    else:
        samples, mean, largest = _summarise(rows, shape)
    scores = ScoreGrid(
        table.models[code], arrangements, items, mean, largest, _cell_counts(rows, shape), samples,
        _clusters(table, rows, items),
    )  # fmt: skip
    _note_missing(scores, found)
    if samples is None or table.sample is not None:  # that a row is one sample is said of the whole table
        check_mean_below_max(scores, found)
    return scores


def _refuse_rows(table: LongTable, where: Codes, options: ReadOptions) -> None:
    """Refuse the model for a bad score cell, or for a row without arrangement, item or sample."""
    own = set(table.rows[where].tolist()) if any(s.faults for s in table.scores) else set()
    faults = [fault for score in table.scores for fault in score.faults if fault.row in own]
    lost = [cell for score in table.scores for cell in score.lenient]
    if lost:
        rows = set(table.rows[where].tolist())
        lost = [cell for cell in lost if cell.row in rows]
        faults += lost if faults or _are_most(lost, len(where) * len(table.scores)) else []
    parts = (table.arrangement, table.item, None if table.sample is None else table.sample[0])
    for codes, column in zip(parts, table.columns, strict=True):
        if codes is not None and column is not None:
            empty = where[codes[where] < 0]
            faults += [
                CellProblem(table.file, None, int(table.rows[i]), column, None, "a name or a number")
                for i in empty
            ]
    if not faults:
        return
    message = str(TableError(faults))
    numbers = [fault.value for fault in faults if isinstance(fault.value, float) and np.isfinite(fault.value)]
    if numbers:
        low, high = (f([f(numbers), *(f(s.values[where], initial=f(numbers), where=~np.isnan(s.values[where]))
                                      for s in table.scores)]) for f in (np.min, np.max))  # fmt: skip
        usable = sum(int(np.count_nonzero(~np.isnan(s.values[where]))) for s in table.scores)
        message += f"\n{range_advice(low, high, options, share=len(numbers) / (len(numbers) + usable))}"
    raise RefusedError(message)


def _note_column_cells(
    table: LongTable, code: int, where: Codes, options: ReadOptions, found: Findings
) -> None:
    """Warn of cells that were clipped, counted as missing, or read from text."""
    own: set[int | None] | None = None
    for score in table.scores:
        for cells, what in (
            (score.clipped, "clipped to [0, 1]"),
            (score.lenient, "counted as missing"),
        ):
            if not cells:
                continue
            own = set(table.rows[where].tolist()) if own is None else own
            mine = [cell for cell in cells if cell.row in own]
            _note_cells(table.models[code], f"score cells {what}", mine, found)
            if cells is score.lenient:
                found.left_out += [left_out_cell(table.models[code], cell) for cell in mine]
        _note_percent(table, code, score.values[where], options, found)
        if score.n_text_numbers and code == 0:
            found.warnings.append(
                f"{table.file}: {score.n_text_numbers} numbers are stored as text, read as numbers"
            )


def _note_percent(table: LongTable, code: int, scores: Floats, options: ReadOptions, found: Findings) -> None:
    """Warn of percentages none of which is above 1: they were shares already."""
    usable = scores[~np.isnan(scores)]
    if options.percent and usable.size and usable.max() <= 0.01:
        found.warnings.append(
            f"{table.models[code]}: --percent, but the largest score is {100 * usable.max():g}; "
            "are the scores 0 to 1 already?"
        )


def _refuse_repeats(table: LongTable, code: int, where: Codes, rows: _Rows) -> None:
    """Refuse the model where a cell (or a sample of it) is there twice: one of its scores is wrong."""
    if len(rows.scores) == 1 and rows.sample is None:
        return
    key = rows.arrangement * np.int64(len(table.items)) + rows.item
    if rows.sample is not None and table.sample is not None:
        key = key * np.int64(max(1, len(table.sample[1]))) + rows.sample
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    if not again.size:
        return
    first, second = order[again[0]], order[again[0] + 1]
    arrangement, item = table.arrangements[rows.arrangement[first]], table.items[rows.item[first]]
    sample = ""
    if rows.sample is not None and table.sample is not None:
        sample = f", sample {table.sample[1][rows.sample[first]]!r}"
    raise RefusedError(
        f"{table.file}, rows {table.rows[where[first]]} and {table.rows[where[second]]}: model "
        f"{table.models[code]!r}, arrangement {arrangement!r}, item {item!r}{sample} is there twice "
        f"({again.size} such rows); keep one of each, or number repeated answers in a column 'sample'"
    )


def _usable_arrangements(table: LongTable, code: int, rows: _Rows, found: Findings) -> Codes:
    """Arrangements with a usable score on every side; summaries and empty ones are named."""
    used = []
    seen = np.bincount(rows.arrangement, minlength=len(table.arrangements))
    usable = [np.bincount(rows.arrangement[~np.isnan(score)], minlength=len(seen)) for score in rows.scores]
    for p in np.flatnonzero(seen):
        name = table.arrangements[p]
        if is_summary(name):
            found.warnings.append(
                f"{table.file}, model {table.models[code]!r}: arrangement {name!r}: a summary, left out"
            )
        elif any(count[p] == 0 for count in usable):
            reason = f"{table.file}, arrangement {name!r}: no usable value"
            found.left_out.append(LeftOut(table.models[code], name, table.file, reason))
        else:
            used.append(int(p))
    if not used:
        raise RefusedError("no arrangement can be scored")
    return np.asarray(used, dtype=np.int64)


def _index_items(rows: _Rows) -> tuple[str, ...]:
    """Recode items in the order of their names."""
    present = np.flatnonzero(np.bincount(rows.item, minlength=len(rows.item_names)))
    items = item_order([rows.item_names[i] for i in present])
    index = {name: i for i, name in enumerate(items)}
    recode = np.full(len(rows.item_names), -1, dtype=np.int64)
    recode[present] = [index[rows.item_names[i]] for i in present]
    rows.item = recode[rows.item]
    return tuple(items)


def _summarise(rows: _Rows, shape: tuple[int, int]) -> tuple[RawSamples, Floats, Floats]:
    """Sort samples by cell and score, and take each cell's mean and maximum."""
    score = rows.scores[0]
    usable = np.flatnonzero(~np.isnan(score))
    cell = rows.item[usable] * shape[1] + rows.arrangement[usable]
    n_cells = shape[0] * shape[1]
    count = np.bincount(cell, minlength=n_cells)
    order = _by_cell_and_score(cell, score[usable], count)
    cell, kept = cell[order], usable[order]
    values = score[kept]
    filled = count > 0
    last = np.cumsum(count)[filled] - 1
    largest, smallest = np.full(n_cells, np.nan), np.full(n_cells, np.nan)
    largest[filled], smallest[filled] = values[last], values[last - count[filled] + 1]
    total = np.bincount(cell, weights=values, minlength=n_cells)
    mean = np.divide(total, count, out=np.full(n_cells, np.nan), where=filled)
    mean = np.clip(mean, smallest, largest)  # a rounded mean of equal samples must not pass them
    answer = None if rows.answer is None else rows.answer[kept]
    samples = RawSamples(cell // shape[1], cell % shape[1], values, answer)
    return samples, mean.reshape(shape), largest.reshape(shape)


def _by_cell_and_score(cell: Codes, score: Floats, count: Codes) -> Codes:
    """Order samples by cell, then by score; cells of one size are sorted side by side, which is faster."""
    sizes = np.unique(count[count > 0])
    if len(sizes) != 1:
        return np.asarray(np.lexsort((score, cell)))
    order = np.argsort(cell, kind="stable").reshape(-1, sizes[0])
    inner = np.argsort(score[order], axis=1, kind="stable")
    return np.take_along_axis(order, inner, axis=1).reshape(-1)


def _cell_counts(rows: _Rows, shape: tuple[int, int]) -> tuple[ArrangementCounts, ...]:
    """Count usable and missing scores per arrangement; a raw sample counts once."""
    usable = [np.bincount(rows.arrangement[~np.isnan(s)], minlength=shape[1]) for s in rows.scores]
    missing = [np.bincount(rows.arrangement[np.isnan(s)], minlength=shape[1]) for s in rows.scores]
    raw = len(rows.scores) == 1
    return tuple(
        ArrangementCounts(
            n_mean=int(usable[0][p]),
            n_max=int(usable[-1][p]),
            missing_mean=int(missing[0][p]),
            missing_max=0 if raw else int(missing[1][p]),
        )
        for p in range(shape[1])
    )


def _clusters(table: LongTable, rows: _Rows, items: tuple[str, ...]) -> tuple[str, ...] | None:
    """Cluster of each item; an item without one is a cluster of its own."""
    if rows.cluster is None or table.cluster is None:
        return None
    low = np.full(len(items), np.iinfo(np.int64).max)
    high = np.full(len(items), -1, dtype=np.int64)
    np.minimum.at(low, rows.item, rows.cluster)
    np.maximum.at(high, rows.item, rows.cluster)
    mixed = np.flatnonzero(low != high)
    if mixed.size:
        names = [table.cluster[1][c] if c >= 0 else None for c in (low[mixed[0]], high[mixed[0]])]
        raise RefusedError(
            f"{table.file}: item {items[mixed[0]]!r} is in two clusters, {names[0]!r} and {names[1]!r} "
            f"({mixed.size} such items); give every item one cluster"
        )
    return tuple(table.cluster[1][c] if c >= 0 else f"item {items[i]}" for i, c in enumerate(high))


def _note_missing(scores: ScoreGrid, found: Findings) -> None:
    """Warn of missing scores and of cells with different numbers of samples."""
    missing = {
        name: c.missing_mean + c.missing_max
        for name, c in zip(scores.arrangements, scores.counts, strict=True)
    }
    listed = [f"{name!r} {count}" for name, count in missing.items() if count]
    if listed:
        found.warnings.append(f"{scores.model}: missing scores per arrangement: {_few(listed)}")
    if scores.samples is not None:
        cell = scores.samples.item * len(scores.arrangements) + scores.samples.arrangement
        count = np.bincount(cell)
        count = count[count > 0]
        if count.min() != count.max():
            found.warnings.append(
                f"{scores.model}: cells have from {count.min()} to {count.max()} samples; "
                "the largest of more samples is larger, so compare the fixed-m gap"
            )
