"""Rows of any table or JSON file, each with its place in words: recorded verdicts and choices come so."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, TableError
from concord.files.cells import is_missing
from concord.files.contents import fingerprint, read_bytes
from concord.files.gate import check_json_size
from concord.files.json_text import UnusableError, filled_lines, parsed, parsed_line
from concord.files.tables import TableOptions, TableSource, read_grid
from concord.files.text import plain_utf8
from concord.records import InputFile

Row = Mapping[str, Any]


def names_of_columns(table: str) -> dict[str, tuple[str, ...]]:
    """Return what columns are called by what they hold; of several names the first that is there counts."""
    held = json.loads(resources.files("concord").joinpath("structure", "data", "columns.json").read_bytes())
    return {part: tuple(names.split()) for part, names in held[table].items()}


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Rows of one source, and what messages call it."""

    name: str
    rows: Sequence[Row]
    places: Sequence[str]
    """Where each row is, in words."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()


def rows_of(source: TableSource, options: TableOptions) -> NamedRows:
    """Read the rows of a file, a frame or a list."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.suffix.lower() in (".jsonl", ".json"):
            return _json_rows(path)
    grid = read_grid(
        source, sheet=options.sheet, encoding=options.encoding, decimal_comma=options.decimal_comma
    )
    if grid.problems:
        raise TableError(list(grid.problems))
    columns = [grid.cells(j) for j in range(len(grid.header))]
    rows = [
        {title: None if is_missing(cell) else cell for title, cell in zip(grid.header, cells, strict=True)}
        for cells in zip(*columns, strict=True)
    ]
    places = [f"{grid.place}, row {row}" for row in grid.rows]
    return NamedRows(Path(grid.name).stem, rows, places, grid.inputs, grid.warnings)


def _json_rows(path: Path) -> NamedRows:
    """Read a list of objects, or one object per line."""
    data = read_bytes(path)
    if path.suffix.lower() == ".json":
        rows = parsed(path.name, data)
        places = [f"{path.name}, entry {i}" for i in range(1, len(rows) + 1)]
    else:
        check_json_size(path.name, plain_utf8(data).decode("utf-8", "replace"))
        rows, places = [], []
        for number, raw in filled_lines(path.name, plain_utf8(data)):
            places.append(f"{path.name}, line {number}")
            try:
                rows.append(parsed_line(raw))
            except UnusableError as fault:
                raise FileFormatError(f"{places[-1]}: not valid JSON: {fault.args[1]}") from fault
            if not isinstance(rows[-1], Mapping):
                break
    if not isinstance(rows, list) or not rows or not all(isinstance(row, Mapping) for row in rows):
        raise FileFormatError(f"{path.name}: expected a list of objects with their fields, one per verdict")
    return NamedRows(path.stem, rows, places, (fingerprint(path.name, data),))
