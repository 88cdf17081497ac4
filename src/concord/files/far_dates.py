"""Dates that a file can hold and Python cannot: asked for one, the engine of tables would panic."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_FIRST_DAY, _LAST_DAY = -719_161, 2_932_895
"""Days from 1970-01-01 that Python's years 1 to 9999 span, a day less at each end for time zones."""
_PER_DAY = {None: 1, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}


def without_far_dates(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return a frame whose columns of dates can be read; one with a date beyond the years is text.

    Examples
    --------
    >>> import polars as pl
    >>> days = pl.DataFrame({"day": pl.Series([0, 10**9], dtype=pl.Int32).cast(pl.Date)})
    >>> without_far_dates(days)["day"].to_list()
    ['1970-01-01', 'day 1000000000 after 1970-01-01']
    """
    import polars as pl

    dated = [column for column in frame.get_columns() if isinstance(column.dtype, pl.Date | pl.Datetime)]
    changed = [text for column in dated if (text := _as_text(column)) is not None]
    return frame.with_columns(changed) if changed else frame


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
