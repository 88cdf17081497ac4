"""Frames and lists of rows to grids: polars, pandas, mappings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError
from concord.files.far_dates import without_far_dates
from concord.files.grids import Grid, check_size, positioned
from concord.files.json_text import fixed_text

if TYPE_CHECKING:
    import polars as pl


def is_polars(source: object) -> bool:
    """Whether something is a polars frame, told without loading polars."""
    return hasattr(source, "get_columns") and hasattr(source, "columns")


def is_lazy(source: object) -> bool:
    """Whether something is a polars frame that was not computed yet."""
    return hasattr(source, "collect_schema") and hasattr(source, "collect") and not is_polars(source)


def is_pandas(source: object) -> bool:
    """Whether something is a pandas frame, told without loading pandas."""
    return hasattr(source, "iloc") and hasattr(source, "columns")


def from_mappings(items: Sequence[object], name: str) -> Grid:
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
        raise FileFormatError(f"{name}: found an empty list, expected one object per row")
    header = tuple(dict.fromkeys(key for item in rows for key in item))
    check_size(name, len(rows), len(header))
    columns = tuple([item.get(key) for item in rows] for key in header)
    return positioned(name, tuple(map(fixed_text, header)), columns)


def from_polars(frame: "pl.DataFrame", name: str) -> Grid:
    """Take the columns of a polars frame."""
    check_size(name, frame.height, frame.width)
    frame = without_far_dates(frame)
    return positioned(name, tuple(frame.columns), tuple(map(_cells, frame.get_columns())))


def _cells(column: "pl.Series") -> list[Any]:
    """Return the cells of a column; dates beyond the year 9999 exist in files and not in Python."""
    import polars as pl

    try:
        return column.to_list()
    except (ValueError, OverflowError):
        return column.cast(pl.String, strict=False).to_list()


def from_pandas(frame: Any, name: str = "frame") -> Grid:
    """Take the columns of a pandas frame by position, so that equal names are seen; NA becomes empty."""
    check_size(name, len(frame), len(frame.columns))
    header = tuple(fixed_text(str(column)) for column in frame.columns)
    return positioned(name, header, tuple(pandas_cells(frame, j) for j in range(len(header))))


def pandas_cells(frame: Any, position: int) -> list[object]:
    """Return the cells of one column of a pandas frame, NA of every kind as ``None``."""
    series = frame.iloc[:, position]
    absent = series.isna().tolist()
    return [None if gone else cell for gone, cell in zip(absent, series.tolist(), strict=True)]
