"""Records as rows of a CSV file and back: one column per field."""

import math
import types
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import MISSING, astuple, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from concord.errors import FileFormatError, listed
from concord.files.codec import decode
from concord.files.contents import read_bytes
from concord.files.delimited import read_delimited
from concord.files.output import plain_cell, write_csv
from concord.files.text import decode as decoded_text

T = TypeVar("T")
_FLAGS = {"true": True, "false": False}


def write_rows(path: Path, kind: type[Any], rows: Iterable[Any]) -> None:
    """Write records as CSV: flags as true and false, undefined as an empty cell."""
    write_csv(path, [one.name for one in fields(kind)], map(astuple, rows))


def read_rows(path: Path, kind: type[T]) -> tuple[T, ...]:
    """Read what `write_rows` wrote."""
    # An empty cell is undefined where the field may be, and an empty text where it may not. Columns that the
    # record does not know are left alone.
    known = _kinds(cast("Hashable", kind))
    needed = [name for name, (_, _, is_needed) in known.items() if is_needed]
    lines = read_back(str(path), read_bytes(path), needed, fix="is this a result that Concord wrote?")
    return tuple(
        decode(
            kind,
            {name: _cell(known[name], text) for name, text in line.items() if name in known},
            where=f"{path}, row {number}",
        )
        for number, line in lines
    )


def read_back(name: str, data: bytes, wanted: Sequence[str], *, fix: str) -> list[tuple[int, dict[str, str]]]:
    """Read back a table that Concord wrote, also after a spreadsheet program saved it again."""
    grid = read_delimited(name, decoded_text(name, data))
    lacking = [column for column in wanted if column not in grid.header]
    if lacking:
        raise FileFormatError(f"{name}: no column {listed(lacking)}; {fix}")
    twice = sorted({column for column in grid.header if column in wanted and grid.header.count(column) > 1})
    if twice:
        raise FileFormatError(f"{name}: the column {listed(twice)} is there twice; {fix}")
    if grid.problems:
        raise FileFormatError(f"{grid.problems[0]}; {fix}")
    columns: Mapping[str, Any] = dict(zip(grid.header, grid.columns, strict=True))
    rows = []
    for i, number in enumerate(grid.rows):
        line = {column: cells[i] for column, cells in columns.items()}
        if None in line.values():
            raise FileFormatError(f"{name}, row {number}: fewer cells than columns; {fix}")
        rows.append((number, {column: plain_cell(cell) for column, cell in line.items()}))
    return rows


@cache
def _kinds(kind: Any) -> dict[str, tuple[type[Any], bool, bool]]:
    """Return each field's type, whether it may be undefined, and whether a file must hold it."""
    hints, found = get_type_hints(kind), {}
    for field in fields(kind):
        hint = hints[field.name]
        union = get_origin(hint) in (Union, types.UnionType)
        plain_type = next(one for one in get_args(hint) if one is not type(None)) if union else hint
        found[field.name] = (plain_type, union, field.default is MISSING)
    return found


def _cell(kind: tuple[type[Any], bool, bool], text: str) -> object:
    """Return a cell as what JSON would hold; what does not fit is left for `decode` to name."""
    wanted, may_lack, _ = kind
    if may_lack and text == "":
        return None
    if wanted is str:
        return text
    if wanted is bool:
        return _FLAGS.get(text.strip().casefold(), text)  # spreadsheet programs write TRUE
    try:
        value = wanted(text)
    except ValueError:
        return text
    return text if isinstance(value, float) and math.isnan(value) else value
