"""Tables whose rows are frozen records: any table that Concord reads, and JSON lines."""

import os
import types
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from concord.errors import CellProblem, FileFormatError, LinesError, TableError, listed
from concord.files import cells
from concord.files.cells import BadCellError
from concord.files.contents import fingerprint, read_bytes
from concord.files.frames import from_mappings
from concord.files.grids import Grid, Titles, is_blank, own_titles, plain_title
from concord.files.json_text import Problems, filled_lines, parsed_line
from concord.files.tables import TableSource, read_grid
from concord.files.text import plain_utf8
from concord.records import InputFile

T = TypeVar("T")
TableLike = TableSource
NO_OTHERS: Titles = types.MappingProxyType({})
_FLAGS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


@dataclass(slots=True)
class RecordTable(Generic[T]):
    """Rows of a table as records, with the place of each."""

    name: str
    rows: tuple[T, ...]
    lines: tuple[int, ...]
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    sheet: str | None = None
    titles: dict[str, str] = field(default_factory=dict)

    def refuse(self, column: str, fits: Callable[[T], bool], expected: str) -> None:
        """Raise once with every row that does not fit."""
        bad = [
            CellProblem(
                self.name, self.sheet, line, self.titles.get(column, column), getattr(row, column), expected
            )
            for line, row in zip(self.lines, self.rows, strict=True)
            if not fits(row)
        ]
        if bad:
            raise TableError(bad)


def read_table(source: TableLike) -> Grid:
    """Read a table or a file of JSON lines as a grid."""
    if not isinstance(source, str | os.PathLike) or Path(source).suffix.lower() not in (".jsonl", ".ndjson"):
        return read_grid(source)
    path = Path(source)
    data = read_bytes(path)
    problems, rows = Problems(path.name), []
    for number, raw in filled_lines(path.name, plain_utf8(data)):
        with problems.at(number, "line"):
            rows.append(parsed_line(raw))
    if problems.found:
        raise LinesError(problems.found)
    if not rows:
        raise FileFormatError(f"{path.name}: the file is empty; expected one JSON object per line")
    grid = from_mappings(rows, path.name)
    return Grid(
        grid.name,
        None,
        grid.header,
        grid.rows,
        grid.columns,
        (fingerprint(path.name, data),),
        grid.warnings,
        grid.problems,
        grid.typed,
    )


def read_records(
    source: TableLike | Grid, kind: type[T], others: Titles = NO_OTHERS, also: Sequence[str] = ()
) -> RecordTable[T]:
    """Read the rows of a table as records of one kind; ``also`` names columns that are used otherwise."""
    grid = source if isinstance(source, Grid) else read_table(source)
    known = _field_types(kind)
    titles = own_titles(grid.header, known, others)
    lacking = [name for name, (_, needed) in known.items() if needed and name not in titles]
    if lacking:
        also = [f"{name!r} may be called {', '.join(others[name])}" for name in lacking if name in others]
        raise FileFormatError(
            f"{grid.place}: columns are missing: {', '.join(map(repr, lacking))}; found {listed(grid.header)}"
            + "".join(f"; {one}" for one in also)
        )
    columns = {name: grid.cells(titles[name]) for name in known if name in titles}
    problems, rows = list(grid.problems), []
    for index, line in enumerate(grid.rows):
        given: dict[str, Any] = {}
        for name, column in columns.items():
            raw = column[index]
            try:
                value = _typed_cell(known[name][0], raw)
            except BadCellError as error:
                title = grid.header[titles[name]]
                problems.append(CellProblem(grid.name, grid.sheet, line, title, raw, str(error)))
                continue
            if value is None and known[name][1]:
                title = grid.header[titles[name]]
                problems.append(CellProblem(grid.name, grid.sheet, line, title, raw, "a value"))
            elif value is not None:
                given[name] = value
        if not problems:
            rows.append(kind(**given))
    if problems:
        raise TableError(problems)
    used = set(titles.values())
    free = [title for j, title in enumerate(grid.header) if j not in used and title]
    left = [title for title in free if plain_title(title) not in also]
    unused = (f"{grid.place}: columns not used: {listed(left)}",) if left else ()
    named = {name: grid.header[titles[name]] for name in columns}
    warnings = (*grid.warnings, *unused)
    return RecordTable(grid.name, tuple(rows), tuple(grid.rows), grid.inputs, warnings, grid.sheet, named)


def _field_types(kind: Any) -> dict[str, tuple[type[Any], bool]]:
    """Return each field's plain type, and whether a table must hold it."""
    hints, found = get_type_hints(kind), {}
    for one in fields(kind):
        hint = hints[one.name]
        union = get_origin(hint) in (Union, types.UnionType)
        plain = next(option for option in get_args(hint) if option is not type(None)) if union else hint
        found[one.name] = (plain, one.default is MISSING and one.default_factory is MISSING)
    return found


def _typed_cell(kind: type[Any], raw: object) -> object:
    """Return a cell as its type; an empty one is undefined."""
    if is_blank(raw):
        return None
    if kind is bool:
        flag = raw if isinstance(raw, bool) else _FLAGS.get(str(raw).strip().casefold().removesuffix(".0"))
        if flag is None:
            raise BadCellError("true or false")
        return flag
    if kind is int:
        value = cells.whole(raw)
        return None if value is None else int(value)
    if kind is float:
        return cells.number(raw)
    return cells.name(raw)
