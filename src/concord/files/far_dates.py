"""Dates and durations that a frame can hold and Python cannot: asked for one, the engine of tables panics."""

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    from polars._typing import PolarsDataType

_FIRST_DAY, _LAST_DAY = -719_161, 2_932_895
"""Days from 1970-01-01 that Python's years 1 to 9999 span, a day less at each end for time zones."""
_PER_DAY = {None: 1, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
_LONGEST = 999_999_999
"""Days that Python's longest duration spans."""


def without_far_dates(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return a frame whose columns can all be read.

    A column with a date beyond the years is text, as is every duration; dates inside lists and structures,
    which nothing reads, are the whole numbers that stand for them.

    Examples
    --------
    >>> import polars as pl
    >>> days = pl.DataFrame({"day": pl.Series([0, 10**9], dtype=pl.Int32).cast(pl.Date)})
    >>> without_far_dates(days)["day"].to_list()
    ['1970-01-01', 'day 1000000000 after 1970-01-01']
    """
    changed = [made for column in frame.get_columns() if (made := _changed(column)) is not None]
    return frame.with_columns(changed) if changed else frame


def _changed(column: "pl.Series") -> "pl.Series | None":
    """Return a column in a form that can be read, or nothing where it is so already."""
    import polars as pl

    if isinstance(column.dtype, pl.Date | pl.Datetime):
        return _as_text(column)
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


def _as_text(column: "pl.Series") -> "pl.Series | None":
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
