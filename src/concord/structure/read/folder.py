"""Two folders of scores, one file (or one set of files) per model: matched, read, joined."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from concord.errors import FileFormatError, InputError, OptionError, listed
from concord.files.contents import (
    display_name,
    fingerprint,
    first_bytes,
    is_file,
    is_folder,
    read_bytes,
    unreadable,
)
from concord.files.grids import EmptyTableError, Grid
from concord.files.rows import read_delimited
from concord.files.text import decode
from concord.files.workbooks import ZIP_MAGIC, open_workbook, quiet_engine
from concord.records import InputFile
from concord.structure.read.join import Findings, RefusedError, join_sides
from concord.structure.read.sheet import (
    SheetFaultError,
    SheetScores,
    fold,
    is_row_layout,
    is_summary,
    is_wanted,
    read_sheet,
    row_sheets,
    tidy,
)
from concord.structure.records import LeftOut, ReadOptions, ScoreGrid, ScoreSet

WORKBOOKS = frozenset({".xlsx", ".xlsm"})
TEXTS = frozenset({".csv", ".tsv"})
OTHER_TABLES = frozenset({".xls", ".xlsb", ".ods", ".numbers", ".parquet", ".json", ".txt"})
_LONGEST_HEADER = 1_000_000
WORKERS = 4
"""Models read at the same time; the engine works outside the interpreter lock."""


@dataclass(slots=True)
class ModelFiles:
    """The files of one model on one side: a workbook, or one text file per arrangement."""

    model: str
    workbooks: list[Path] = field(default_factory=list)
    sheets: list[tuple[str, Path]] = field(default_factory=list)
    """Arrangement and file."""
    tables: list[Path] = field(default_factory=list)
    """Text files with one row per arrangement."""

    def first(self) -> str:
        """Name one of the files."""
        path = [*self.workbooks, *(path for _, path in self.sheets), *self.tables][0]
        return display_name(path)


@dataclass(slots=True)
class _Side:
    """What was read of one model on one side."""

    sheets: dict[str, SheetScores] = field(default_factory=dict)
    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Folded name to file and name as written, of every arrangement seen."""
    inputs: list[InputFile] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One arrangement of one side, not read yet."""

    name: str
    file: str
    where: str
    """What messages call it."""
    load: Callable[[], Grid]


def read_folders(mean: Path, largest: Path, options: ReadOptions) -> ScoreSet:
    """Read the folders of mean and of max scores."""
    found = Findings()
    sides = [list_folder(folder, option, found) for folder, option in ((mean, "--mean"), (largest, "--max"))]
    _note_one_sided(sides[0], sides[1], (mean, largest), found)
    names = sorted(set(sides[0]) & set(sides[1]))
    with quiet_engine(), ThreadPoolExecutor(min(WORKERS, os.cpu_count() or 1)) as pool:
        outcomes = list(pool.map(lambda name: _try_model(sides[0][name], sides[1][name], options), names))
    for outcome in outcomes:
        found.warnings += outcome.found.warnings
        found.left_out += outcome.found.left_out
    found.left_out.sort(key=lambda entry: entry.model)
    models = tuple(outcome.scores for outcome in outcomes if outcome.scores is not None)
    inputs = tuple(entry for outcome in outcomes for entry in outcome.inputs)
    return ScoreSet(models, tuple(found.left_out), tuple(found.warnings), inputs)


@dataclass(slots=True)
class _Outcome:
    """What became of one model."""

    scores: ScoreGrid | None = None
    found: Findings = field(default_factory=Findings)
    inputs: list[InputFile] = field(default_factory=list)


def _try_model(mean: ModelFiles, largest: ModelFiles, options: ReadOptions) -> _Outcome:
    """Read a model, or say why it cannot be read."""
    outcome = _Outcome()
    try:
        outcome.scores = _read_model(mean, largest, options, outcome.found, outcome.inputs)
    except InputError as error:
        outcome.found.left_out.append(LeftOut(mean.model, None, mean.first(), str(error)))
    return outcome


def list_folder(folder: Path, option: str, found: Findings) -> dict[str, ModelFiles]:
    """Find the files of each model; whatever is not a file of scores is named."""
    models: dict[str, ModelFiles] = {}
    try:
        paths = sorted(p for p in folder.iterdir() if not p.name.startswith(("~$", ".")))
    except (FileNotFoundError, NotADirectoryError) as error:
        what = "no such folder" if isinstance(error, FileNotFoundError) else "is a file, not a folder"
        raise FileFormatError(
            f"{option} {folder.name}: {what}; give the folder with one file per model"
        ) from error
    except (OSError, ValueError) as error:
        raise FileFormatError(unreadable(f"{option} {folder.name[:100]}", error)) from error
    for path in paths:
        _sort_in(path, models, found)
    if not models:
        raise FileFormatError(
            f"{option} {folder.name}: holds no .xlsx workbook and no <model>_<arrangement>.csv file"
            + _hint(paths)
        )
    return models


def _hint(paths: Iterable[Path]) -> str:
    """Say what the folder holds instead."""
    listed = [path.name for path in paths]
    if {"baseline_mean", "baseline_max"} & set(listed):
        return "; give its subfolders: --mean baseline_mean --max baseline_max"
    return f"; it holds {', '.join(listed[:5])}" if listed else "; it is empty"


def _sort_in(path: Path, models: dict[str, ModelFiles], found: Findings) -> None:
    """Assign a file to its model."""
    ending, stem = path.suffix.lower(), tidy(path.stem)
    if is_folder(path):
        found.warnings.append(f"{display_name(path)}: a folder, not read")
    elif ending in WORKBOOKS:
        models.setdefault(stem, ModelFiles(stem)).workbooks.append(path)
    elif ending in TEXTS:
        _sort_in_text(path, stem, models, found)
    elif ending in OTHER_TABLES:
        reason = f"{display_name(path)}: {ending} files are not read here; save it as .xlsx or .csv"
        found.left_out.append(LeftOut(stem, None, display_name(path), reason))
    else:
        found.warnings.append(f"{display_name(path)}: not an .xlsx or .csv file, not read")


def _sort_in_text(path: Path, stem: str, models: dict[str, ModelFiles], found: Findings) -> None:
    """Assign a text file to its model: the arrangement is what follows the last underscore."""
    if _starts_like_a_workbook(path):
        found.warnings.append(f"{display_name(path)}: a workbook named {path.suffix}, read as a workbook")
        models.setdefault(stem, ModelFiles(stem)).workbooks.append(path)
        return
    model, _, arrangement = stem.rpartition("_")
    if is_row_layout(_header(path), named=bool(model.strip() and arrangement.strip())):
        models.setdefault(stem, ModelFiles(stem)).tables.append(path)
        return
    if not model.strip() or not arrangement.strip():
        reason = (
            f"{display_name(path)}: the name gives no model and arrangement; "
            "call it <model>_<arrangement>.csv, or give one long table with --scores"
        )
        found.left_out.append(LeftOut(stem, None, display_name(path), reason))
        return
    model = model.strip()
    models.setdefault(model, ModelFiles(model)).sheets.append((arrangement.strip(), path))


def _header(path: Path) -> list[str]:
    """Return the column names of a text file, roughly; a file that cannot be opened has none here."""
    try:
        start = first_bytes(path, _LONGEST_HEADER).partition(b"\n")[0] if is_file(path) else b""
    except OSError:
        return []
    text = start.decode("utf-8-sig", "replace")
    return [cell.strip().strip('"') for cell in text.split(max(",;\t", key=text.count))]


def _starts_like_a_workbook(path: Path) -> bool:
    """Look at the first bytes; a file that cannot be opened is told of when it is read."""
    try:
        return is_file(path) and first_bytes(path, 4) == ZIP_MAGIC  # a pipe would wait for ever
    except OSError:
        return False


def _note_one_sided(
    mean: dict[str, ModelFiles], largest: dict[str, ModelFiles], folders: tuple[Path, Path], found: Findings
) -> None:
    """Name models that one folder lacks."""
    for has, lacks, where in ((mean, largest, folders[1]), (largest, mean, folders[0])):
        for name in sorted(set(has) - set(lacks)):
            reason = f"{has[name].first()}: no counterpart in the folder {where.name!r}; add it there"
            alike = [other for other in lacks if other.casefold() == name.casefold()]
            if alike:
                reason += f" (it holds {alike[0]!r}: rename one)"
            found.left_out.append(LeftOut(name, None, has[name].first(), reason))


def _read_model(
    mean: ModelFiles, largest: ModelFiles, options: ReadOptions, found: Findings, inputs: list[InputFile]
) -> ScoreGrid:
    """Read and join both sides of a model."""
    sides = [_read_side(files, options, found) for files in (mean, largest)]
    inputs += [entry for side in sides for entry in side.inputs]
    _note_identical(mean.model, sides[0].inputs, sides[1].inputs, found)
    for one, other, label in ((sides[0], sides[1], "mean"), (sides[1], sides[0], "max")):
        for key in [key for key in one.sheets if key not in other.names]:
            file, name = one.names[key]
            reason = f"{file}, sheet {name!r}: only in the {label} data"
            found.left_out.append(LeftOut(mean.model, name.strip(), file, reason))
            del one.sheets[key]
    return join_sides(mean.model, sides[0].sheets, sides[1].sheets, options=options, found=found)


def _note_identical(model: str, mean: list[InputFile], largest: list[InputFile], found: Findings) -> None:
    """Warn of files that are the same, byte for byte, on both sides."""
    seen = {entry.sha256: entry.name for entry in mean}
    same = [(seen[entry.sha256], entry.name) for entry in largest if entry.sha256 in seen]
    if same:
        first = f"{same[0][0]} and {same[0][1]}"
        found.warnings.append(f"{model}: {len(same)} mean and max files are identical ({first})")


def _read_side(files: ModelFiles, options: ReadOptions, found: Findings) -> _Side:
    """Read every arrangement of one side, or leave it out, named."""
    if len(files.workbooks) + bool(files.sheets) + len(files.tables) > 1:
        several = [*files.workbooks, *(p for _, p in files.sheets[:1]), *files.tables]
        raise RefusedError(
            f"several files for one model: {', '.join(display_name(p) for p in several)}; keep one"
        )
    side = _Side()
    kind = _in_workbook if files.workbooks else _in_rows if files.tables else _in_texts
    sheets = list(kind(files, side, options, found))
    used = _usable(files.model, sheets, side, found)
    if files.workbooks and not used:
        held = listed([one.name for one in sheets])
        raise RefusedError(f"{sheets[0].file}: no sheet but {held}; add one per arrangement")
    for sheet in used:
        try:
            read = read_sheet(sheet.load(), sheet.name.strip(), options)
        except (EmptyTableError, SheetFaultError) as fault:
            empty = isinstance(fault, EmptyTableError)
            reason = f"{sheet.where}: the sheet is empty" if empty else str(fault)
            found.left_out.append(LeftOut(files.model, sheet.name.strip(), sheet.file, reason))
            continue
        side.sheets[fold(sheet.name)] = read
    return side


def _in_workbook(files: ModelFiles, side: _Side, options: ReadOptions, found: Findings) -> Iterator[_Sheet]:
    """Return every sheet of a workbook."""
    path = files.workbooks[0]
    name, data = display_name(path), _bytes(path)
    side.inputs.append(fingerprint(name, data))
    book = open_workbook(data, name)

    def load(sheet: str) -> Grid:
        grid = book.fast(sheet, partial(is_wanted, arrangement=sheet.strip(), options=options))
        return book.grid(sheet) if grid is None else grid

    for sheet in book.sheets:
        yield _Sheet(sheet, name, f"{name}, sheet {sheet!r}", partial(load, sheet))


def _bytes(path: Path) -> bytes:
    """Read a file that must hold something."""
    data = read_bytes(path, name=display_name(path))
    if not data:
        raise FileFormatError(f"{display_name(path)}: the file is empty (0 bytes); export it again")
    return data


def _text_grid(path: Path, side: _Side, options: ReadOptions, found: Findings) -> Grid:
    """Read a text file."""
    name, data = display_name(path), read_bytes(path, name=display_name(path))
    if not data:
        raise SheetFaultError(f"{name}: the file is empty (0 bytes)")
    side.inputs.append(fingerprint(name, data))
    grid = read_delimited(name, decode(name, data, options.encoding))
    found.warnings += grid.warnings
    return grid


def _in_texts(files: ModelFiles, side: _Side, options: ReadOptions, found: Findings) -> Iterator[_Sheet]:
    """Return one text file per arrangement."""
    for arrangement, path in files.sheets:
        name = display_name(path)
        yield _Sheet(arrangement, name, name, partial(_text_grid, path, side, options, found))


def _in_rows(files: ModelFiles, side: _Side, options: ReadOptions, found: Findings) -> Iterator[_Sheet]:
    """Return the rows of one text file, one per arrangement."""
    path = files.tables[0]
    _bytes(path)
    for arrangement, grid in row_sheets(_text_grid(path, side, options, found)):
        yield _Sheet(arrangement, display_name(path), display_name(path), partial(replace, grid))  # as it is


def _usable(model: str, sheets: Sequence[_Sheet], side: _Side, found: Findings) -> list[_Sheet]:
    """Leave out summaries and names that are equal after trimming and case folding; name both."""
    usable: dict[str, list[_Sheet]] = {}
    for one in sheets:
        if is_summary(one.name):
            found.warnings.append(f"{one.file}, sheet {one.name!r}: a summary, left out")
        else:
            usable.setdefault(fold(one.name), []).append(one)
    for key, same in usable.items():
        side.names[key] = (same[0].file, same[0].name)
        if len(same) > 1:
            named = " and ".join(f"{one.file}, sheet {one.name!r}" for one in same)
            reason = f"{named}: equal after trimming and case folding; rename or delete one"
            found.left_out.append(LeftOut(model, same[0].name.strip(), same[0].file, reason))
    return [same[0] for same in usable.values() if len(same) == 1]


def check_sources(mean: object, largest: object, scores: object) -> None:
    """Check that exactly one way of giving scores was chosen."""
    if scores is not None:
        if mean is not None or largest is not None:
            raise OptionError("give --scores or the two folders --mean and --max, not both")
        return
    if mean is None and largest is None:
        raise OptionError("no scores given: give --mean DIR and --max DIR, or --scores FILE")
    if mean is None or largest is None:
        given, lacking = ("--max", "--mean") if mean is None else ("--mean", "--max")
        raise OptionError(f"{given} without {lacking}: both folders are needed, or one table with --scores")
