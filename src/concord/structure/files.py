"""The result of scoring structure, and its folder: `write` and `read`."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError, OptionError, printable
from concord.files.codec import decode
from concord.files.contents import fingerprint, is_file, read_bytes
from concord.files.documents import check_heading, folder_with, recorded
from concord.files.json_text import parsed
from concord.files.output import frame_of, write_csv, write_json
from concord.files.rows import read_back
from concord.records import InputFile, Provenance, Publishable, ScoredBy
from concord.structure import tables
from concord.structure.document import KIND, document_of, scores_of
from concord.structure.read.records import ReadOptions
from concord.structure.records import CellScore, Difference, ItemRow, ModelResult, StructureScores

if TYPE_CHECKING:
    import polars as pl

FOLDER = "consistency"
SUMMARY, RESULT, CELLS, ITEMS = "s_cons_results.csv", "result.json", "cells.csv", "items.csv"
_AGAIN = "score the same scores again with: concord score structure ... --out FOLDER"
_SCORES = ("mean", "max", "star_gap")


@dataclass(frozen=True, slots=True, repr=False)
class StructureResult(Publishable):
    """Structural consistency of one or more models, ready to be shown, compared and kept.

    ``plot(kind, model=)`` draws ``gaps``, ``means`` or ``heat`` of a model, the first by default.
    """

    scores: StructureScores
    read_options: ReadOptions
    made: Provenance | None = None
    """How the replies behind the scores were made; ``None`` where only scores were given."""
    scored_by: ScoredBy | None = field(default=None, compare=False, repr=False)
    """What computed it, where it was read from files."""

    @property
    def models(self) -> tuple[ModelResult, ...]:
        """Every model that was scored, sorted by name."""
        return self.scores.models

    @property
    def warnings(self) -> tuple[str, ...]:
        """Everything worth knowing that is not an error."""
        return self.scores.warnings

    @property
    def left_out(self) -> tuple[str, ...]:
        """Everything that was given and could not be scored, and why."""
        return tuple(str(entry) for entry in self.scores.left_out)

    def difference(self, first: str, second: str) -> Difference:
        """Difference of two models, first minus second.

        Parameters
        ----------
        first, second
            Names of two scored models, in the order of their names.

        Returns
        -------
        Difference
            E, R, S and tau with their intervals.

        Raises
        ------
        OptionError
            No such pair was scored.
        """
        for entry in self.scores.differences:
            if (entry.first, entry.second) == (first, second):
                return entry
        names = ", ".join(repr(model.model) for model in self.models)
        raise OptionError(f"no difference {first!r} minus {second!r}; scored, in this order: {names}")

    def to_frame(self) -> "pl.DataFrame":
        """One row per model, the columns of `s_cons_results.csv`."""
        return frame_of(tables.S_COLUMNS, [tables.model_row(model) for model in self.models])

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as one JSON-ready document."""
        return document_of(self.scores, self.read_options, self.made) | recorded(self.scored_by)

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the result files into `<out>/consistency/` and return their paths."""
        return write(self, Path(out) / FOLDER)


def write(result: StructureResult, folder: Path) -> tuple[Path, ...]:
    """Write the files of a result; the inverse of `read`."""
    scores = result.scores
    rows = [tables.model_row(model) for model in result.models]
    files: dict[str, tuple[tuple[str, ...], Any]] = {
        "e_perf_results.csv": (("Model Name", "E_perf"), [row[:2] for row in rows]),
        "r_sens_results.csv": (("Model Name", "R_sens"), [[row[0], row[2]] for row in rows]),
        SUMMARY: (tables.S_COLUMNS, rows),
        "arrangements.csv": (tables.ARRANGEMENT_COLUMNS, tables.arrangement_rows(scores)),
        ITEMS: (tables.ITEM_COLUMNS, tables.item_rows(scores)),
        CELLS: (tables.CELL_COLUMNS, tables.cell_rows(scores)),
        "differences.csv": (
            tables.DIFFERENCE_COLUMNS,
            [tables.difference_row(entry) for entry in scores.differences],
        ),
        "left_out.csv": (
            tables.LEFT_OUT_COLUMNS,
            [[e.model, e.arrangement, e.file, e.reason] for e in scores.left_out],
        ),
    }
    for name, (columns, lines) in files.items():
        write_csv(folder / name, columns, lines)
    write_json(folder / RESULT, result.to_dict())
    return tuple(folder / name for name in (*files, RESULT))


def read(source: str | Path) -> StructureResult:
    """Read a result; the inverse of `write`."""
    folder = _folder(source)
    document = _document(folder / RESULT)
    cells = _cells(folder / CELLS)
    items = _items(folder / ITEMS, cells)
    where = _named(folder / RESULT)
    return StructureResult(*scores_of(document, items, where=where), decode(ScoredBy, document, where=where))


def is_structure_folder(source: object) -> bool:
    """Whether a path is a folder with the files of `concord score structure`."""
    return folder_with(source, SUMMARY) is not None


def fingerprints(source: str | Path) -> tuple[InputFile, ...]:
    """Return which bytes a comparison of this result rests on."""
    folder = _folder(source)
    return tuple(fingerprint(name, _bytes(folder / name)) for name in (CELLS, ITEMS))


def _folder(source: str | Path) -> Path:
    folder = folder_with(source, SUMMARY)
    if folder is None:
        raise FileFormatError(f"{source}: holds no result about structure ({SUMMARY}); {_AGAIN}")
    return folder


def _named(path: Path) -> str:
    """Name a file by the folder that holds the result."""
    return printable("/".join(path.absolute().parts[-3:]))


def _bytes(path: Path) -> bytes:
    if not is_file(path):
        raise FileFormatError(f"{_named(path)}: the file is missing; {_AGAIN}")
    return read_bytes(path, name=_named(path))


def _document(path: Path) -> dict[str, Any]:
    """Read what the result says about itself."""
    try:
        return check_heading(parsed(_named(path), _bytes(path)), KIND, where=_named(path))
    except FileFormatError as fault:
        raise FileFormatError(f"{fault}; {_AGAIN}") from fault


def _lines(path: Path, wanted: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Return the wanted cells of every row, with the row's number as a spreadsheet shows it."""
    for number, line in read_back(_named(path), _bytes(path), wanted, fix=_AGAIN):
        yield number, [line[column] for column in wanted]


_Cells = dict[tuple[str, str], dict[str, CellScore]]
"""Scores of each arrangement, by model and item."""


def _cells(path: Path) -> _Cells:
    found: _Cells = {}
    for number, (model, item, arrangement, *scores) in _lines(
        path, ("Model Name", "item", "arrangement", *_SCORES)
    ):
        own = found.setdefault((model, item), {})
        if arrangement in own:
            raise FileFormatError(
                f"{_named(path)}, row {number}: item {item!r} under {arrangement!r} is there twice; {_AGAIN}"
            )
        mean, top, gap = (
            _score_cell(path, number, name, cell) for name, cell in zip(_SCORES, scores, strict=True)
        )
        own[arrangement] = (arrangement, mean, top, gap)
    if not found:
        raise FileFormatError(f"{_named(path)}: holds no scores; {_AGAIN}")
    return found


def _score_cell(path: Path, number: int, column: str, cell: str) -> float | None:
    """Read a score; an empty cell is none."""
    value = _number_cell(path, number, column, cell)
    if value is not None and not -1 <= value <= 1:
        raise FileFormatError(
            f"{_named(path)}, row {number}, column {column!r}: got {cell!r}, expected a score from 0 "
            f"to 1; {_AGAIN}"
        )
    return value


def _number_cell(path: Path, number: int, column: str, cell: str) -> float | None:
    if cell == "":
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise FileFormatError(
            f"{_named(path)}, row {number}, column {column!r}: got {cell!r}, expected a number; {_AGAIN}"
        )
    return value


def _items(path: Path, cells: Mapping[tuple[str, str], dict[str, CellScore]]) -> dict[str, list[ItemRow]]:
    """Return the items of every model with their cells; an empty text is none."""
    found: dict[str, list[ItemRow]] = {}
    columns = tables.ITEM_COLUMNS
    for number, line in _lines(path, columns):
        cell = dict(zip(columns, line, strict=True))
        mean, n, paired, across, flips = (
            _number_cell(path, number, name, cell[name])
            for name in ("mean", "n_arrangements", "paired_gap", "across_gap", "flip_excess")
        )
        texts = (cell[name] or None for name in ("cluster", "worst_arrangement", "best_arrangement"))
        cluster, worst, best = texts
        scores = tuple(cells.get((cell["Model Name"], cell["item"]), {}).values())
        found.setdefault(cell["Model Name"], []).append(
            ItemRow(
                cell["item"], cluster, mean, 0 if n is None else int(n), paired, across, worst, best, flips,
                scores,
            )
        )  # fmt: skip
    return found
