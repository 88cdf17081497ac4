"""Folders that `concord score structure` wrote, read back for comparison."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from concord.errors import FileFormatError, printable
from concord.files.contents import fingerprint, is_file, read_bytes
from concord.files.json_text import parsed
from concord.files.result_folders import folder_name, folder_with
from concord.files.safe_csv import read_back
from concord.records import InputFile
from concord.structure.read.records import Floats

RESULT, CELLS, ITEMS = "result.json", "cells.csv", "items.csv"
SUMMARY = "s_cons_results.csv"
FORMAT = "concord.structure/1"
_AGAIN = "score the same scores again with: concord score structure ... --out FOLDER"
_NUMBERS = ("mean", "max", "star_gap")


@dataclass(frozen=True, slots=True, eq=False)
class ModelCells:
    """One model's scores, items by arrangements, both sorted by name; NaN where there is none."""

    model: str
    items: tuple[str, ...]
    arrangements: tuple[str, ...]
    mean: Floats
    largest: Floats
    star: Floats
    """Fixed-m gap of each cell; NaN throughout where there is none."""
    clusters: tuple[str, ...] | None
    """Family of each item, where the table named one."""
    samples: tuple[int, int] | None
    """Smallest and largest number of samples a cell, where known."""


@dataclass(frozen=True, slots=True, eq=False)
class StructureFolder:
    """Every model of one result."""

    name: str
    reading: str
    baseline: str | None
    fixed_m: int
    models: tuple[ModelCells, ...]
    inputs: tuple[InputFile, ...] = ()


def is_structure_folder(source: object) -> bool:
    """Whether a path is a folder with the files of `concord score structure`."""
    return folder_with(source, SUMMARY) is not None


def read_structure_folder(source: Path) -> StructureFolder:
    """Read one result folder.

    Parameters
    ----------
    source
        The folder that `--out` named, the `consistency` folder in it, or the folder of a run.

    Raises
    ------
    FileFormatError
        A file is missing, damaged, or of another version.
    """
    folder = folder_with(source, SUMMARY)
    if folder is None:
        raise FileFormatError(f"{source}: holds no result about structure ({SUMMARY}); {_AGAIN}")
    document = _document(folder / RESULT)
    raw = {name: _bytes(folder / name) for name in (CELLS, ITEMS)}
    options = document["options"]
    clusters = _clusters(folder / ITEMS, raw[ITEMS])
    samples = {
        str(entry.get("model")): entry.get("samples_per_cell")
        for entry in document["models"]
        if isinstance(entry, dict)
    }
    models = [
        _model(name, cells, clusters.get(name, {}), samples.get(name))
        for name, cells in sorted(_cells(folder / CELLS, raw[CELLS]).items())
    ]
    return StructureFolder(
        folder_name(source),
        str(document.get("reading")),
        options.get("baseline"),
        _whole(folder / RESULT, options.get("m", 2)),
        tuple(models),
        tuple(fingerprint(name, data) for name, data in raw.items()),
    )


def _whole(path: Path, value: object) -> int:
    """Return a whole number that the result says."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise FileFormatError(f"{_named(path)}: options, m: got {value!r}, expected a whole number; {_AGAIN}")
    return value


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
        document = parsed(_named(path), _bytes(path))
    except FileFormatError as error:
        raise FileFormatError(f"{error}; {_AGAIN}") from error
    found = document.get("format") if isinstance(document, dict) else None
    if found != FORMAT:
        raise FileFormatError(f"{_named(path)}: format is {found!r}, this Concord reads {FORMAT!r}; {_AGAIN}")
    if not isinstance(document.get("options"), dict) or not isinstance(document.get("models"), list):
        raise FileFormatError(f"{_named(path)}: names no options and models; {_AGAIN}")
    return dict(document)


def _lines(path: Path, data: bytes, wanted: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Return the wanted cells of every row, with the row's number as a spreadsheet shows it."""
    for number, line in read_back(_named(path), data, wanted, fix=_AGAIN):
        yield number, [line[column] for column in wanted]


_Cells = dict[tuple[str, str], tuple[float, float, float]]


def _cells(path: Path, data: bytes) -> dict[str, _Cells]:
    """Gather the cells of every model."""
    models: dict[str, _Cells] = {}
    for number, (model, item, arrangement, *cells) in _lines(
        path, data, ("Model Name", "item", "arrangement", *_NUMBERS)
    ):
        own = models.setdefault(model, {})
        key = (item, arrangement)
        if key in own:
            raise FileFormatError(
                f"{_named(path)}, row {number}: item {key[0]!r} under {key[1]!r} stands there twice; {_AGAIN}"
            )
        mean, top, star = (
            _score(path, number, name, cell) for name, cell in zip(_NUMBERS, cells, strict=True)
        )
        own[key] = (mean, top, star)
    if not models:
        raise FileFormatError(f"{_named(path)}: holds no scores; {_AGAIN}")
    return models


def _score(path: Path, number: int, column: str, cell: str) -> float:
    """Read a score; an empty cell is none."""
    if cell == "":
        return float("nan")
    try:
        value = float(cell)
    except ValueError:
        value = math.inf
    if math.isnan(value) or not -1 <= value <= 1:
        raise FileFormatError(
            f"{_named(path)}, row {number}, column {column!r}: got {cell!r}, expected a score from 0 "
            f"to 1; {_AGAIN}"
        )
    return value


def _clusters(path: Path, data: bytes) -> dict[str, dict[str, str]]:
    """Return the family of every item, model by model; none where the table named none."""
    found: dict[str, dict[str, str]] = {}
    for _, (model, item, cluster) in _lines(path, data, ("Model Name", "item", "cluster")):
        if cluster:
            found.setdefault(model, {})[item] = cluster
    return found


def _model(name: str, cells: _Cells, clusters: Mapping[str, str], samples: object) -> ModelCells:
    """Lay one model out as items by arrangements."""
    items = tuple(sorted({item for item, _ in cells}))
    arrangements = tuple(sorted({arrangement for _, arrangement in cells}))
    row = {item: k for k, item in enumerate(items)}
    column = {arrangement: k for k, arrangement in enumerate(arrangements)}
    grid = np.full((3, len(items), len(arrangements)), np.nan)
    for (item, arrangement), values in cells.items():
        grid[:, row[item], column[arrangement]] = values
    known = isinstance(samples, list) and len(samples) == 2 and all(type(n) is int for n in samples)
    return ModelCells(
        name,
        items,
        arrangements,
        grid[0],
        grid[1],
        grid[2],
        tuple(clusters[item] for item in items) if clusters.keys() >= set(items) else None,
        (int(samples[0]), int(samples[1])) if known else None,  # type: ignore[index]
    )
