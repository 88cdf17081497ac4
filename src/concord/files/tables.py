"""A file, a frame or a list of rows to a grid of cells that still knows the row each cell stands in.

Rows are numbered as a spreadsheet shows them: the header is row 1 and blank rows count. JSON and Parquet
files, frames and lists have no header row: their first row is row 2, as if the same table were saved as CSV.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from concord.errors import FileFormatError, OptionError
from concord.files.grids import Grid, positioned
from concord.records import InputFile

if TYPE_CHECKING:
    import polars as pl

MAX_FILE_BYTES = 200 * 2**20
"""A larger file is refused unread: no table of results comes near it."""
MAX_ROWS = 1_048_576
"""Rows of the largest sheet a spreadsheet program can hold; a Parquet file with more is refused unread."""

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
}
"""What a file is taken for, by its extension."""


class FrameLike(Protocol):
    """What polars and pandas frames have in common."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


TableSource = str | os.PathLike[str] | FrameLike | Sequence[Mapping[str, object]]
"""What a table can be read from: a path, a polars or pandas frame, a list of row mappings."""


def read_grid(source: TableSource, *, sheet: str | None = None) -> Grid:
    """Read the cells of a table.

    Parameters
    ----------
    source
        Path to a CSV, TSV, XLSX, Parquet or JSON file; or a polars or pandas frame; or a list of mappings.
    sheet
        Name of the sheet of a workbook; the first one when not given.

    Returns
    -------
    Grid
        At least one column and one row.

    Raises
    ------
    FileFormatError
        The file is missing, empty, too large, damaged, protected, or not what its extension says.
    OptionError
        ``source`` is none of the above, or ``sheet`` is given for something that has no sheets.
    """
    if isinstance(source, (str, os.PathLike)):
        grid = _read_file(Path(source), sheet)
    elif sheet is not None:
        raise OptionError(f"sheet={sheet!r} was given, but only XLSX files have sheets")
    else:
        grid = _read_object(source)
    if not grid.rows and not grid.problems:
        raise FileFormatError(f"{grid.name}: found a header but no rows below it; expected at least one")
    return grid


def _read_object(source: object) -> Grid:
    """Read a frame or a list of rows."""
    if hasattr(source, "get_columns") and hasattr(source, "columns"):
        return _from_polars(source, "frame")  # type: ignore[arg-type]
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return _from_pandas(source)
    if isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        return _from_mappings(source, "list")
    raise OptionError(
        f"got {type(source).__name__}, expected a path, a polars or pandas frame or a list of row mappings"
    )


def _read_file(path: Path, sheet: str | None) -> Grid:
    """Read a file by its extension, after a look at whether its content fits."""
    if not path.exists():
        raise FileFormatError(f"{path}: no such file")
    if path.is_dir():
        raise FileFormatError(f"{path.name}: got a folder, expected a file")
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise FileFormatError(
            f"{path.name}: got the extension {path.suffix!r}, expected one of {', '.join(KINDS)}"
        )
    if sheet is not None and kind != "xlsx":
        raise OptionError(f"sheet={sheet!r} was given, but {path.name} has no sheets: only XLSX files do")
    data = _bytes(path)
    _check_content(path.name, kind, data)
    grid = _parse(path, kind, data, sheet)
    return replace(grid, inputs=(InputFile(path.name, hashlib.sha256(data).hexdigest(), len(data)),))


def _parse(path: Path, kind: str, data: bytes, sheet: str | None) -> Grid:
    """Hand the bytes to the reader of their kind."""
    if kind == "xlsx":
        from concord.files.workbooks import read_workbook

        return read_workbook(path.name, data, sheet)
    if kind == "parquet":
        return _read_parquet(path.name, data)
    text = decode(path.name, data)
    if kind == "json":
        return _read_json(path.name, text)
    from concord.files.delimited import read_delimited

    return read_delimited(path.name, text)


def _bytes(path: Path) -> bytes:
    """Read a whole file once: what is hashed is what is parsed."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise FileFormatError(f"{path.name}: {size:,} bytes, expected at most {MAX_FILE_BYTES:,}")
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileFormatError(f"{path}: no such file") from error
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read: {error.strerror}") from error
    if not data.strip():
        raise FileFormatError(f"{path.name}: the file is empty; expected a header and rows below it")
    return data


def _content(data: bytes) -> tuple[str, str]:
    """Say what bytes look like: the kind, and a word for it."""
    if data.startswith(b"PK\x03\x04"):
        return "xlsx", "a ZIP archive such as an XLSX workbook"
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "ole", "an old-format (.xls) or password-protected workbook"
    if data.startswith(b"PAR1"):
        return "parquet", "Parquet data"
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start in (b"[", b"{"):
        return "json", "JSON"
    if start == b"<":
        return "markup", "an HTML or XML page"
    return "text", "text"


def _check_content(name: str, kind: str, data: bytes) -> None:
    """Refuse a file whose content is of another kind than its extension says."""
    found, words = _content(data)
    if found == kind or (kind == "json" and found == "text"):
        return  # text that is not JSON gets the JSON parser's own message, with the line
    if found == "ole":
        way_out = "open it in a spreadsheet program and save it as .xlsx without a password"
    else:
        way_out = "give it the extension of its content or save it again in the format its name says"
    wanted = {"text": "CSV text", "xlsx": "an XLSX workbook", "parquet": "Parquet data", "json": "JSON"}[kind]
    raise FileFormatError(f"{name}: found {words}, expected {wanted} by the extension; {way_out}")


def decode(name: str, data: bytes) -> str:
    """Decode UTF-8 with or without a byte order mark; anything else is an error that says so."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileFormatError(f"{name}: the text is UTF-16, expected UTF-8; save it as UTF-8")
    if b"\x00" in data:
        raise FileFormatError(f"{name}: found binary data (a NUL byte), expected UTF-8 text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"{name}: line {line} holds the byte 0x{data[error.start]:02x}, which is not UTF-8; "
            "save the file as UTF-8 (in a spreadsheet program: 'CSV UTF-8')"
        ) from error


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build a JSON object, refusing a key that stands in it twice: one of the values would vanish."""
    item = dict(pairs)
    if len(item) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        raise ValueError(f"an object holds the key {twice[0]!r} twice")
    return item


def _read_json(name: str, text: str) -> Grid:
    """Read a list of row objects; NaN and Infinity stay words, for the reader of cells to judge."""
    try:
        document = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=str)
    except RecursionError as error:
        raise FileFormatError(f"{name}: the JSON is nested too deeply for a table") from error
    except ValueError as error:
        raise FileFormatError(f"{name}: not valid JSON: {error}") from error
    if not isinstance(document, list):
        found = type(document).__name__
        if isinstance(document, dict):
            found = f"one object with the keys {', '.join(map(repr, list(document)[:5]))}"
        raise FileFormatError(f"{name}: found {found}, expected a list of row objects: [{{...}}, {{...}}]")
    return _from_mappings(document, name)


def _from_mappings(items: Sequence[object], name: str) -> Grid:
    """Lay row mappings under the union of their keys; a key that a row lacks is an empty cell."""
    rows: list[Mapping[str, object]] = []
    for position, item in enumerate(items):
        if not isinstance(item, Mapping) or not all(isinstance(key, str) for key in item):
            raise FileFormatError(
                f"{name}: item {position + 1} is of type {type(item).__name__}, "
                "expected an object with column names as keys"
            )
        rows.append(item)
    if not rows:
        raise FileFormatError(f"{name}: found an empty list, expected one object per test")
    header = tuple(dict.fromkeys(key for item in rows for key in item))
    columns = tuple([item.get(key) for item in rows] for key in header)
    return positioned(name, header, columns)


def _from_polars(frame: "pl.DataFrame", name: str) -> Grid:
    """Take the columns of a polars frame."""
    return positioned(name, tuple(frame.columns), tuple(column.to_list() for column in frame.get_columns()))


def _from_pandas(frame: Any) -> Grid:
    """Take the columns of a pandas frame by position, so that equal names are seen; NA becomes empty."""
    columns = []
    for position in range(len(frame.columns)):
        series = frame.iloc[:, position]
        absent = series.isna().tolist()
        columns.append([None if gone else cell for gone, cell in zip(absent, series.tolist(), strict=True)])
    return positioned("frame", tuple(str(column) for column in frame.columns), tuple(columns))


def _read_parquet(name: str, data: bytes) -> Grid:
    """Read Parquet after a look at the number of rows it declares."""
    import polars as pl

    try:
        declared = pl.scan_parquet(BytesIO(data)).select(pl.len()).collect().item()
        if declared > MAX_ROWS:
            raise FileFormatError(f"{name}: {declared:,} rows, expected at most {MAX_ROWS:,}")
        frame = pl.read_parquet(BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FileFormatError(f"{name}: damaged or not Parquet: {reason}; write the file again") from error
    return _from_polars(frame, name)
