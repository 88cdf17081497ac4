"""Two sides of a model joined: items matched, mean checked against max, one-sided things named."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from concord.errors import CellProblem, InputError, TableError
from concord.structure.read.records import ArrangementCounts, Floats, LeftOut, ReadOptions, ScoreGrid
from concord.structure.read.sheet import SheetScores
from concord.structure.read.values import range_advice

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
    if not faults:
        return
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
    _note_cells(
        model, "text cells count as missing (--lenient)", [c for s in sheets for c in s.column.lenient], found
    )
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
    if n_paired and _all_equal(scores.mean[paired], scores.maximum[paired]):
        found.warnings.append(
            f"{scores.model}: mean and max hold the same scores in all {n_paired} paired cells; "
            "the same data given twice, or one sample per cell? Gaps under `paired` are then always 0"
        )


def _all_equal(mean: Floats, largest: Floats) -> bool:
    """Tell whether both sides hold the same scores."""
    return bool(np.array_equal(mean, largest))


def _above(scores: ScoreGrid, item: int, arrangement: int) -> str:
    """Name a cell with its mean and maximum."""
    return (
        f"sheet {scores.arrangements[arrangement]!r}, item {scores.items[item]!r}: "
        f"mean {scores.mean[item, arrangement]:g}, max {scores.maximum[item, arrangement]:g}"
    )
