"""Frames and lists of rows to grids: polars, pandas, mappings."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from concord.errors import FileFormatError
from concord.files.gate import check_size
from concord.files.grids import Grid, positioned
from concord.files.text import fixed_text

if TYPE_CHECKING:
    import polars as pl
    from polars._typing import PolarsDataType


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


_FIRST_DAY, _LAST_DAY = -719_161, 2_932_895
"""Days from 1970-01-01 that Python's years 1 to 9999 span, a day less at each end for time zones."""
_PER_DAY = {None: 1, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_LONGEST = 999_999_999
"""Days that Python's longest duration spans."""


def without_far_dates(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return a frame whose columns can all be read."""
    # A column with a date beyond the years is text, as is every duration; dates inside lists and structures,
    # which nothing reads, are the whole numbers that stand for them.
    changed = [made for column in frame.get_columns() if (made := _changed(column)) is not None]
    return frame.with_columns(changed) if changed else frame


def _changed(column: "pl.Series") -> "pl.Series | None":
    """Return a column in a form that can be read, or nothing where it is so already."""
    import polars as pl

    if isinstance(column.dtype, pl.Date | pl.Datetime):
        return _far_dates_as_text(column)
    if isinstance(column.dtype, pl.Duration):
        return _durations(column)
    if column.dtype.is_nested():
        plain = _without_dates(column.dtype)
        return None if plain == column.dtype else column.cast(plain)
    return None


def _durations(column: "pl.Series") -> "pl.Series":
    """Return durations as text."""
    import polars as pl

    per_day = _PER_DAY[getattr(column.dtype, "time_unit", None)]
    texts = [None if n is None else _duration(n, per_day) for n in column.to_physical().to_list()]
    return pl.Series(column.name, texts, dtype=pl.String)


def _duration(number: int, per_day: int) -> str:
    days, rest = divmod(number, per_day)
    if abs(days) >= _LONGEST:
        return f"{days} days"
    return str(timedelta(days=days, microseconds=rest * (86_400 * 10**6) // per_day))


def _without_dates(kind: "pl.DataType") -> "pl.DataType":
    """Return a type whose dates and times, however deep inside, are whole numbers."""
    import polars as pl

    if isinstance(kind, pl.List):
        return pl.List(_without_dates(_instance(kind.inner)))
    if isinstance(kind, pl.Array):
        return pl.Array(_without_dates(_instance(kind.inner)), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _without_dates(_instance(field.dtype)) for field in kind.fields})
    if isinstance(kind, pl.Date):
        return pl.Int32()
    return pl.Int64() if kind.is_temporal() else kind


def _instance(kind: "PolarsDataType") -> "pl.DataType":
    """Return a type of a column from itself or its class."""
    made: pl.DataType = kind() if isinstance(kind, type) else kind
    return made


def _far_dates_as_text(column: "pl.Series") -> "pl.Series | None":
    """Return a column of dates as text where one of them is beyond the years, else nothing."""
    import polars as pl

    per_day = _PER_DAY[getattr(column.dtype, "time_unit", None)]
    day = column.to_physical().cast(pl.Int64) // per_day
    far = ((day < _FIRST_DAY) | (day > _LAST_DAY)).fill_null(value=False)
    if not far.any():
        return None
    held = pl.select(pl.when(far).then(None).otherwise(column)).to_series().cast(pl.String).to_list()
    texts = [
        f"day {number} after 1970-01-01" if beyond else text
        for text, beyond, number in zip(held, far.to_list(), day.to_list(), strict=True)
    ]
    return pl.Series(column.name, texts, dtype=pl.String)


def records_of(source: object) -> object:
    """Return the rows of a polars or pandas frame (whose missing cells are NaN), or what was given."""
    if hasattr(source, "to_dicts"):
        rows: object = without_far_dates(source).to_dicts()  # type: ignore[arg-type]
        return rows
    if hasattr(source, "to_dict") and not isinstance(source, Mapping):
        held = source.to_dict("records")
        return [{str(key): None if _is_nan(value) else value for key, value in row.items()} for row in held]
    return source


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and value != value
