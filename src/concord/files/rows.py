"""Delimited text, and records as rows of it and back: one column per field."""

import csv
import math
import types
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, astuple, fields, replace
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from concord.errors import FileFormatError, listed
from concord.files.codec import decode
from concord.files.contents import read_bytes
from concord.files.gate import check_record
from concord.files.grids import Grid, Numbered, from_records, is_blank
from concord.files.output import plain_cell, write_csv
from concord.files.text import decode as decoded_text

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
"""The delimiters that are recognised, with their names."""
_LOOKED_AT = 2**20
"""Bytes of the beginning in which the header is looked for."""


def read_delimited(name: str, text: str) -> Grid:
    """Read delimited text; a record that spans lines is one row, as a spreadsheet shows it."""
    delimiter = recognise_delimiter(text)
    grid = from_records(name, None, records_of(name, text, delimiter))
    return replace(grid, warnings=(*delimiter_note(name, delimiter), *grid.warnings))


def delimiter_note(name: str, delimiter: str) -> tuple[str, ...]:
    """Say so when a file is not delimited as its extension promises."""
    if delimiter == "," or (delimiter == "\t" and name.lower().endswith((".tsv", ".tab"))):
        return ()
    return (f"{name}: read with {DELIMITERS[delimiter]} as the delimiter",)


def recognise_delimiter(text: str) -> str:
    """Choose the delimiter that splits the first filled line into most cells; a comma when none does."""
    return max(DELIMITERS, key=lambda delimiter: len(header_of(text, delimiter)))


def header_of(text: str, delimiter: str) -> list[str]:
    """Return the first filled record; one empty cell when nothing is split this way."""
    try:
        for record in _reader(text[:_LOOKED_AT], delimiter, strict=False):
            if not all(map(is_blank, record)):
                return record
    except csv.Error:
        return [""]
    return [""]


def _reader(text: str, delimiter: str, *, strict: bool) -> Iterator[list[str]]:
    # a StringIO would hold four bytes per character, and splitlines would part lines at form feeds
    lines: Iterable[str] = TextIOWrapper(BytesIO(text.encode("utf-8", "surrogatepass")),
                                         encoding="utf-8", errors="surrogatepass", newline="")  # fmt: skip
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def records_of(name: str, text: str, delimiter: str) -> Iterator[Numbered]:
    """Split text into numbered records, blank ones included; a broken quote is an error with its row."""
    yield from enumerate(text_records(name, text, delimiter), 1)


def text_records(name: str, text: str, delimiter: str = ",") -> Iterator[list[str]]:
    """Split text into records under the limits on tables; a broken quote is an error with its row."""
    row, cells = 0, 0
    try:
        for record in _reader(text, delimiter, strict=True):
            row, cells = row + 1, cells + len(record)
            check_record(name, row, len(record), cells)
            yield record
    except csv.Error as error:
        raise FileFormatError(
            f"{name}: row {row + 1} cannot be split into cells ({error}); "
            'check its quotes: a quote inside a quoted cell is doubled, ""'
        ) from error


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
