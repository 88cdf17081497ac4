"""The scores of one model put together: two sides of sheets, or the coded rows of a long table; checked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from concord.errors import CellProblem, InputError, TableError
from concord.files import limits
from concord.files.columns import form_notes
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


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSide:
    """Scores of one side, mean or max, or raw samples: each with the codes of its arrangement and item."""

    arrangement: Codes
    item: Codes
    values: Floats


def join_sides(
    model: str, mean: Sheets, largest: Sheets, *, options: ReadOptions, found: Findings
) -> ScoreGrid:
    """Join the mean and the max data of one model."""
    shared = [key for key in mean if key in largest]
    sheets = [side[key] for side in (mean, largest) for key in shared]
    refuse_cells([sheet.column for sheet in sheets], options)
    for sheet in sheets:
        found.warnings += sheet.warnings
    note_cells(model, [sheet.column for sheet in sheets], options, found)
    pairs = [_named_alike(mean[key], largest[key], found) for key in shared]
    if not pairs:
        raise RefusedError("no arrangement can be scored")
    distinct = dict.fromkeys(sheet.items for pair in pairs for sheet in pair)
    items = tuple(item_order(list({name for names in distinct for name in names})))
    index = {name: i for i, name in enumerate(items)}
    places = {names: np.fromiter(map(index.__getitem__, names), np.int64, len(names)) for names in distinct}
    sides = [
        ScoreSide(
            np.repeat(np.arange(len(pairs)), [len(one.items) for one in own]),
            np.concatenate([places[one.items] for one in own]),
            np.concatenate([one.values for one in own]),
        )
        for own in zip(*pairs, strict=True)
    ]
    counts = [
        replace(
            count,
            text_numbers=sum(one.column.n_text_numbers for one in pair),
            clipped=sum(len(one.column.clipped) for one in pair),
        )
        for count, pair in zip(_cell_counts(sides, (len(items), len(pairs))), pairs, strict=True)
    ]
    names = tuple(one.sheet.strip() for one, _ in pairs)
    low, high = _matrices(sides, (len(items), len(pairs)))
    scores = ScoreGrid(model, names, items, low, high, tuple(counts))
    _note_missing(scores, found)
    check_mean_below_max(scores, found)
    return scores


def refuse_cells(
    columns: Sequence[ScoreColumn], options: ReadOptions, unnamed: Sequence[CellProblem] = ()
) -> None:
    """Refuse a model if a score cell is out of range, a row has no name, or most cells are text; name all."""
    faults = [fault for column in columns for fault in column.faults]
    text = [fault for column in columns for fault in column.lenient]
    if not faults and not unnamed and not _are_most(text, sum(len(column.values) for column in columns)):
        return
    message = str(TableError([*faults, *text, *unnamed]))
    outside = sum(column.out_of_range for column in columns)
    if outside:
        low, high = min(column.low for column in columns), max(column.high for column in columns)
        usable = sum(column.n_usable for column in columns)
        message += f"\n{range_advice(low, high, options, share=outside / (outside + usable))}"
    raise RefusedError(message)


def note_cells(model: str, columns: Sequence[ScoreColumn], options: ReadOptions, found: Findings) -> None:
    """Warn of cells that were read otherwise than they are in the file."""
    text = sum(column.n_text_numbers for column in columns)
    if text:
        places = sorted({str(column.place) for column in columns if column.n_text_numbers})
        found.warnings.append(
            f"{model}: {text} numbers are stored as text and read as numbers ({_few(places)})"
        )
    for form in ("percent", "second"):
        places = sorted({str(column.place) for column in columns if form in column.forms})
        found.warnings += form_notes(f"{model}, {_few(places)}", [form] if places else [])
    lenient = [cell for column in columns for cell in column.lenient]
    for cells, what in (
        ([cell for column in columns for cell in column.clipped], "score cells clipped to [0, 1]"),
        (lenient, "text cells count as missing"),
        (
            [cell for column in columns for cell in column.unstored],
            "formula cells hold no stored value and count as missing; open the workbook in a spreadsheet "
            "program and save it",
        ),
    ):
        if cells:
            named = _few([_place(cell) for cell in cells])
            found.warnings.append(f"{model}: {len(cells)} {what}: {named}")
    found.left_out += [left_out_cell(model, cell) for cell in lenient]
    high = max((column.high for column in columns), default=-np.inf)
    if options.percent and 0 <= high <= 1:
        found.warnings.append(
            f"{model}: --percent, but the largest score is {high:g}; are the scores 0 to 1 already?"
        )


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


def _matrices(sides: Sequence[ScoreSide], shape: tuple[int, int]) -> list[Floats]:
    """Lay the scores of each side out as items by arrangements."""
    made = [np.full(shape, np.nan) for _ in sides]
    for matrix, side in zip(made, sides, strict=True):
        matrix[side.item, side.arrangement] = side.values
    return made


def _cell_counts(sides: Sequence[ScoreSide], shape: tuple[int, int]) -> tuple[ArrangementCounts, ...]:
    """Count usable and missing scores and items on one side only; a raw sample counts once."""
    there = [np.zeros(shape, dtype=bool) for _ in sides]
    for rows, side in zip(there, sides, strict=True):
        rows[side.item, side.arrangement] = True
    first, last = there[0], there[-1]
    usable, missing = (
        [np.bincount(one.arrangement[np.isnan(one.values) == lost], minlength=shape[1]) for one in sides]
        for lost in (False, True)
    )
    only = [(one & ~other).sum(axis=0) for one, other in ((first, last), (last, first))]
    return tuple(
        ArrangementCounts(
            n_mean=int(usable[0][p]),
            n_max=int(usable[-1][p]),
            missing_mean=int(missing[0][p]),
            missing_max=int(missing[1][p]) if len(sides) == 2 else 0,
            only_mean=int(only[0][p]),
            only_max=int(only[1][p]),
        )
        for p in range(shape[1])
    )


def _note_missing(scores: ScoreGrid, found: Findings) -> None:
    """Warn of items on one side only, of missing scores, and of cells with different numbers of samples."""
    named = list(zip(scores.arrangements, scores.counts, strict=True))
    unmatched = [
        f"{name!r} {c.only_mean} only in the mean data, {c.only_max} only in the max data"
        for name, c in named
        if c.only_mean or c.only_max
    ]
    raw = scores.samples is not None
    missing = [
        f"{name!r} {c.missing_mean}" + ("" if raw else f" in the mean data, {c.missing_max} in the max data")
        for name, c in named
        if c.missing_mean or c.missing_max
    ]
    for what, said in (("items on one side only, not paired,", unmatched), ("missing scores", missing)):
        if said:
            found.warnings.append(f"{scores.model}: {what} in {len(said)} arrangements: {_few(said)}")
    if scores.samples is not None:
        count = np.bincount(scores.samples.item * len(scores.arrangements) + scores.samples.arrangement)
        count = count[count > 0]
        if count.min() != count.max():
            found.warnings.append(
                f"{scores.model}: cells have from {count.min()} to {count.max()} samples; "
                "the largest of more samples is larger, so compare the fixed-m gap"
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

    def at(self, where: Codes, options: ReadOptions) -> "LongTable":
        """Return some rows."""
        part: dict[str, Any] = {
            name: getattr(self, name)[where] for name in ("rows", "model", "arrangement", "item")
        }
        for name in ("sample", "answer", "cluster"):
            one = getattr(self, name)
            part[name] = None if one is None else (one[0][where], one[1])
        part["scores"] = tuple(score.part(where, self.rows, options) for score in self.scores)
        return replace(self, **part)


def model_scores(table: LongTable, code: int, *, options: ReadOptions, found: Findings) -> ScoreGrid:
    """Build the scores of one model."""
    model, own = table.models[code], table.at(np.flatnonzero(table.model == code), options)
    refuse_cells(own.scores, options, _unnamed_rows(own))
    note_cells(model, own.scores, options, found)
    _refuse_repeats(own, model)
    used = _usable_arrangements(own, model, found)
    kept = np.isin(own.arrangement, used)
    own = own if kept.all() else own.at(np.flatnonzero(kept), options)
    present = np.flatnonzero(np.bincount(own.item, minlength=len(table.items)))
    items = tuple(item_order([table.items[i] for i in present]))
    places = {name: i for i, name in enumerate(items)}
    recode = np.full(len(table.items), -1, dtype=np.int64)
    recode[present] = [places[table.items[i]] for i in present]
    own = replace(own, item=recode[own.item], arrangement=np.searchsorted(used, own.arrangement))
    refuse_more(len(used), limits.ARRANGEMENTS, "arrangements", table.file, "score some of them")
    shape = (len(items), len(used))
    spanned = shape[0] * shape[1]
    refuse_more(spanned, limits.SPANNED, "items by arrangements", table.file, "score some of the items")
    sides = [ScoreSide(own.arrangement, own.item, one.values) for one in own.scores]
    samples = None
    if len(sides) == 2:
        mean, largest = _matrices(sides, shape)
    else:
        samples, mean, largest = _summarise(own, shape)
    names, counts = tuple(table.arrangements[p] for p in used), _cell_counts(sides, shape)
    scores = ScoreGrid(model, names, items, mean, largest, counts, samples, _clusters(own, items))
    _note_missing(scores, found)
    if samples is None or table.sample is not None:  # that a row is one sample is said of the whole table
        check_mean_below_max(scores, found)
    return scores


def _unnamed_rows(table: LongTable) -> list[CellProblem]:
    """Return the rows of a model without arrangement, item or sample."""
    parts = (table.arrangement, table.item, None if table.sample is None else table.sample[0])
    return [
        CellProblem(table.file, None, int(row), column, None, "a name or a number")
        for codes, column in zip(parts, table.columns, strict=True)
        if codes is not None and column is not None
        for row in table.rows[codes < 0]
    ]


def _refuse_repeats(table: LongTable, model: str) -> None:
    """Refuse the model where a cell (or a sample of it) is there twice: one of its scores is wrong."""
    if len(table.scores) == 1 and table.sample is None:
        return
    key = table.arrangement * np.int64(len(table.items)) + table.item
    if table.sample is not None:
        key = key * np.int64(max(1, len(table.sample[1]))) + table.sample[0]
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    if not again.size:
        return
    first, second = order[again[0]], order[again[0] + 1]
    arrangement, item = table.arrangements[table.arrangement[first]], table.items[table.item[first]]
    sample = "" if table.sample is None else f", sample {table.sample[1][table.sample[0][first]]!r}"
    raise RefusedError(
        f"{table.file}, rows {table.rows[first]} and {table.rows[second]}: model {model!r}, arrangement "
        f"{arrangement!r}, item {item!r}{sample} is there twice ({again.size} such rows); keep one of each, "
        "or number repeated answers in a column 'sample'"
    )


def _usable_arrangements(table: LongTable, model: str, found: Findings) -> Codes:
    """Arrangements with a usable score on every side; summaries and empty ones are named."""
    used = []
    seen = np.bincount(table.arrangement, minlength=len(table.arrangements))
    usable = [
        np.bincount(table.arrangement[~np.isnan(score.values)], minlength=len(seen)) for score in table.scores
    ]
    for p in np.flatnonzero(seen):
        name = table.arrangements[p]
        if is_summary(name):
            found.warnings.append(f"{table.file}, model {model!r}: arrangement {name!r}: a summary, left out")
        elif any(count[p] == 0 for count in usable):
            reason = f"{table.file}, arrangement {name!r}: no usable value"
            found.left_out.append(LeftOut(model, name, table.file, reason))
        else:
            used.append(int(p))
    if not used:
        raise RefusedError("no arrangement can be scored")
    return np.asarray(used, dtype=np.int64)


def _summarise(rows: LongTable, shape: tuple[int, int]) -> tuple[RawSamples, Floats, Floats]:
    """Sort samples by cell and score, and take each cell's mean and maximum."""
    score = rows.scores[0].values
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
    answer = None if rows.answer is None else rows.answer[0][kept]
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


def _clusters(table: LongTable, items: tuple[str, ...]) -> tuple[str, ...] | None:
    """Cluster of each item; an item without one is a cluster of its own."""
    if table.cluster is None:
        return None
    low = np.full(len(items), np.iinfo(np.int64).max)
    high = np.full(len(items), -1, dtype=np.int64)
    np.minimum.at(low, table.item, table.cluster[0])
    np.maximum.at(high, table.item, table.cluster[0])
    mixed = np.flatnonzero(low != high)
    if mixed.size:
        names = [table.cluster[1][c] if c >= 0 else None for c in (low[mixed[0]], high[mixed[0]])]
        raise RefusedError(
            f"{table.file}: item {items[mixed[0]]!r} is in two clusters, {names[0]!r} and {names[1]!r} "
            f"({mixed.size} such items); give every item one cluster"
        )
    return tuple(table.cluster[1][c] if c >= 0 else f"item {items[i]}" for i, c in enumerate(high))
