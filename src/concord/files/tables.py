"""Any table to a grid of cells: the one way in for every command that reads tables.

CSV and TSV, XLSX, Parquet and JSON files, polars and pandas frames and lists of rows all become a `Grid`,
under the same limits, with the same words for a missing cell (`concord.files.cells`) and the same messages.
Rows are numbered as a spreadsheet shows them: the header is row 1 and blank rows count. JSON and Parquet
files, frames and lists have no header row: their first row is row 2, as if the table were saved as CSV.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypedDict

from concord.errors import FileFormatError, OptionError, listed
from concord.files import limits
from concord.files.contents import fingerprint, is_folder, kept, read_bytes
from concord.files.frames import from_mappings, from_pandas, from_polars, is_lazy, is_pandas, is_polars
from concord.files.grids import Grid, RawTable, plain_title
from concord.files.json_text import line_rows, parsed
from concord.files.missing import MissingCodes, declared_missing
from concord.files.text import decode

KINDS = {
    ".csv": "text",
    ".tsv": "text",
    ".tab": "text",
    ".txt": "text",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".eval": "log",
}
"""What a file is taken for, by its extension."""


_SHEETS = ("xlsx", "text")
"""Files that hold a sheet, on which a table may be anywhere."""
NOT_USED = "-"
"""What a mapping writes for a column that holds nothing of use."""
LINES = (".jsonl", ".ndjson")
"""Extensions of JSON lines: one row object per line."""


class FrameLike(Protocol):
    """What polars and pandas frames have in common."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


TableSource = str | os.PathLike[str] | FrameLike | Sequence[Mapping[str, object]]
"""What a table can be read from: a path, a polars or pandas frame, a list of row mappings."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table is to be read; the same for every command."""

    sheet: str | None = None
    """Sheet of a workbook; ``None``: the first that is shown."""
    encoding: str | None = None
    """Encoding of text files; ``None``: UTF-8 with or without a byte order mark, and nothing else."""
    decimal_comma: bool = False
    """``0,85`` is a number."""
    missing: MissingCodes = MissingCodes()
    """Codes for no answer that a user declared."""
    strict: bool = False
    """A cell that cannot be read refuses the table."""
    mapping: tuple[tuple[str, str], ...] = ()
    """Titles, and the columns that a user says they are."""
    map_only: bool = False
    """No column that the mapping does not name is used."""
    maps: bool = False
    """The user can give a mapping, so that messages may name it."""


class TableChoices(TypedDict, total=False):
    """How a table is to be read, as users say it: the same keywords of every function that takes tables."""

    sheet: str | None
    """Sheet of a workbook; the first that is shown by default."""
    encoding: str | None
    """Encoding of a text file; UTF-8 by default."""
    decimal_comma: bool
    """``0,85`` is a number."""
    missing: str | Iterable[object] | None
    """Codes for no answer or no score, as a text (``"99,-1,refused"``) or a list."""
    strict: bool
    """A cell that cannot be read refuses the table; otherwise what it belongs to is left out, counted and
    listed in ``left_out.csv``, and a table is refused where that is more than half of its rows."""
    mapping: Mapping[str, str] | None
    """What columns hold, by their titles: ``{"Antwort": "answer", "Notes": "-"}``; these are not guessed."""
    map_only: bool
    """No column that `mapping` does not name is used."""


def table_options(
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    missing: str | Iterable[object] | None = None,
    strict: bool = False,
    mapping: Mapping[str, str] | None = None,
    map_only: bool = False,
) -> TableOptions:
    """Return how a table is to be read, as users say it."""
    if map_only and not mapping:
        raise OptionError("--map-only goes with --map: it uses no column that a mapping does not name")
    mapped = () if mapping is None else tuple(mapping.items())
    return TableOptions(
        sheet, encoding, decimal_comma, declared_missing(missing), strict, mapped, map_only, True
    )


def read_grid(
    source: TableSource,
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
) -> Grid:
    """Read the cells of a table."""
    if isinstance(source, (str, os.PathLike)):
        path, options = Path(source), TableOptions(sheet, encoding)
        grid = kept(("grid", path, options), lambda: _read_file(path, options))
    elif sheet is not None:
        raise OptionError(f"sheet={sheet!r} was given, but only XLSX files have sheets")
    else:
        grid = read_object(source)
    if not grid.rows and not grid.problems:
        raise FileFormatError(f"{grid.name}: found a header but no rows below it; expected at least one")
    return replace(grid, decimal_comma=decimal_comma or grid.decimal_comma)


def grid_of(source: TableSource, options: TableOptions) -> Grid:
    """Read the cells of the table that is meant, as options say."""
    from concord.files.raw import meant_table

    grid = read_grid(
        source, sheet=options.sheet, encoding=options.encoding, decimal_comma=options.decimal_comma
    )
    of_sheet = isinstance(source, str | os.PathLike) and KINDS[Path(source).suffix.lower()] in _SHEETS
    grid = meant_table(grid, (lambda: read_raw(source, options)) if of_sheet else None)
    return replace(grid, header=mapped_header(grid.place, grid.header, options))


def title_key(title: str) -> str:
    """Return a title as mappings compare it: case and white space do not matter."""
    return " ".join(title.casefold().split())


def mapped_header(place: str, header: Sequence[str], options: TableOptions) -> tuple[str, ...]:
    """Return titles, those that a user mapped as the columns they are; what they displace has no title."""
    taken = {column for _, column in options.mapping}
    made = ["" if options.map_only or plain_title(title) in taken else title for title in header]
    for title, column in options.mapping:
        places = [j for j, own in enumerate(header) if title_key(own) == title_key(title)]
        if not places:
            raise OptionError(f"--map: {place} has no column {title!r}; found {listed(header)}")
        for j in places:
            made[j] = "" if column == NOT_USED else column
    return tuple(made)


def read_raw(source: TableSource | Grid, options: TableOptions) -> RawTable:
    """Read the records of a table."""
    from concord.files.raw import of_grid, raw_text, raw_workbook

    if isinstance(source, str | os.PathLike):
        path = Path(source)
        kind = kind_of(path, options)
        if kind in _SHEETS:
            data = read_bytes(path)
            check_content(path.name, kind, data, options.encoding)
            if kind == "xlsx":
                return raw_workbook(path.name, data, options.sheet)
            return raw_text(path.name, data, options.encoding)
    if isinstance(source, Grid):
        return of_grid(source)
    return of_grid(read_grid(source, sheet=options.sheet, decimal_comma=options.decimal_comma))


def other_sheets(source: object, options: TableOptions) -> tuple[str, ...]:
    """Return the sheets of a workbook that are shown, after the first; none where one was chosen."""
    if not isinstance(source, str | os.PathLike) or options.sheet is not None:
        return ()
    path = Path(source)
    if kind_of(path, options) != "xlsx":
        return ()
    from concord.files.workbooks import open_workbook

    book = open_workbook(read_bytes(path), path.name)
    return tuple(title for title in book.sheets if title not in book.hidden)[1:]


def read_object(source: object) -> Grid:
    """Read a frame or a list of rows."""
    if is_lazy(source):
        source = source.collect()  # type: ignore[attr-defined]
    if is_polars(source):
        return from_polars(source, "frame")  # type: ignore[arg-type]
    if is_pandas(source):
        return from_pandas(source)
    if isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        return from_mappings(source, "list")
    raise OptionError(
        f"got {type(source).__name__}, expected a path, a polars or pandas frame or a list of row mappings"
    )


def kind_of(path: Path, options: TableOptions) -> str:
    """Return what a file is by its extension; an option that does not fit it is refused."""
    if is_folder(path):
        raise FileFormatError(f"{path.name}: got a folder, expected a file")
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise FileFormatError(
            f"{path.name}: got the extension {path.suffix!r}, expected one of {', '.join(KINDS)}"
        )
    if options.sheet is not None and kind != "xlsx":
        raise OptionError(
            f"sheet={options.sheet!r} was given, but {path.name} has no sheets: only XLSX files do"
        )
    return kind


def _read_file(path: Path, options: TableOptions) -> Grid:
    """Read a file by its extension, after a look at whether its content fits."""
    kind = kind_of(path, options)
    data = read_bytes(path)
    if not data.strip():
        raise FileFormatError(f"{path.name}: the file is empty; expected a header and rows below it")
    if kind == "log" or path.suffix.lower() == ".json":
        from concord.files.inspect_logs import log_grid

        if (log := log_grid(path, data)) is not None:
            return log
    check_content(path.name, kind, data, options.encoding)
    grid = _parse(path, kind, data, options)
    return replace(grid, inputs=(fingerprint(path.name, data),))


def _parse(path: Path, kind: str, data: bytes, options: TableOptions) -> Grid:
    """Hand the bytes to the reader of their kind."""
    if kind == "xlsx":
        from concord.files.workbooks import read_workbook

        return read_workbook(path.name, data, options.sheet)
    if kind == "parquet":
        from concord.files.parquet import open_parquet

        return from_polars(open_parquet(path, rows=limits.ROWS).read(), path.name)
    text = decode(path.name, data, options.encoding)
    if kind == "json":
        of_lines = path.suffix.casefold() in LINES
        return _read_json_lines(path, text) if of_lines else _read_json(path.name, text)
    from concord.files.rows import read_delimited

    return read_delimited(path.name, text)


def _content(data: bytes) -> tuple[str, str]:
    """Say what bytes look like: the kind, and a word for it."""
    if data.startswith(b"PK\x03\x04"):
        return "xlsx", "a ZIP archive such as an XLSX workbook"
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "ole", "an old-format (.xls) or password-protected workbook"
    if data.startswith(b"PAR1"):
        return "parquet", "Parquet data"
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start in (b"[", b"{"):
        return "json", "JSON"
    if start == b"<":
        return "markup", "an HTML or XML page"
    return "text", "text"


def check_content(name: str, kind: str, data: bytes, encoding: str | None = None) -> None:
    """Refuse a file whose content is of another kind than its extension says."""
    found, words = _content(data)
    if found == kind or (kind == "json" and (found == "text" or encoding is not None)):
        return  # text that is not JSON gets the JSON parser's own message, with the line
    if found == "ole":
        fix = "open it in a spreadsheet program and save it as .xlsx without a password"
    else:
        fix = "give it the extension of its content or save it again in the format its name says"
    wanted = {"text": "CSV text", "xlsx": "an XLSX workbook", "parquet": "Parquet data", "json": "JSON"}[kind]
    raise FileFormatError(f"{name}: found {words}, expected {wanted} by the extension; {fix}")


def _read_json(name: str, text: str) -> Grid:
    """Read a list of row objects, which may lie under a key; NaN and Infinity stay words, as cells may be."""
    document = parsed(name, text, constants=str)
    told: tuple[str, ...] = ()
    if isinstance(document, dict) and (key := rows_key(document)):
        others = [one for one in document if one != key]
        unused = f"; not used: {listed(others, shown=8)}" if others else ""
        document, told = document[key], (f"{name}: rows are those of {key!r}{unused}",)
    if not isinstance(document, list):
        found = type(document).__name__
        if isinstance(document, dict):
            found = f"one object with the keys {listed(list(document), shown=5)}"
        raise FileFormatError(f"{name}: found {found}, expected a list of row objects: [{{...}}, {{...}}]")
    grid = from_mappings(document, name)
    return replace(grid, warnings=(*grid.warnings, *told))


def rows_key(document: Mapping[str, object]) -> str:
    """Return the key under which the rows of a document lie: its one list, of objects; empty where none is.

    Beside it single values may stand, such as a date; what holds values of its own is no table.
    """
    held = [key for key, value in document.items() if isinstance(value, list | dict)]
    rows = document[held[0]] if len(held) == 1 else None
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        return ""
    return held[0]


def _read_json_lines(path: Path, text: str) -> Grid:
    """Read row objects, one per line; a line that is none is named."""
    from concord.files.inspect_logs import is_lm_eval, lm_eval_rows

    rows = line_rows(path.name, text.encode("utf-8", "replace"))
    if rows and is_lm_eval(rows[0]):
        rows = lm_eval_rows(path, rows)
    return from_mappings(rows, path.name)
