"""Tables that the page's script shows: columns, small because repeated text is stored once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from concord.show.svg import visible

DIGITS, DECIMALS = 4, 4
"""Significant digits of numbers and decimals of shares inside the page; the result files hold all."""


@dataclass(frozen=True, slots=True)
class PageColumn:
    """A column: how it is called in data, on the page, and what it holds."""

    key: str
    title: str
    kind: str = "text"
    """``text``, ``long`` (a number of the texts), ``number``, ``p``, ``share`` (four decimals), ``count``
    (a whole number) or ``flag``."""
    shown: bool = True
    """Whether it is a column of the table, or seen in the detail of a row only."""


def rounded(value: object) -> float | int | str | None:
    """Return a number with few digits; limits are words, since JSON has no infinity.

    Examples
    --------
    >>> rounded(0.123456789), rounded(3.0), rounded(float("inf")), rounded(None)
    (0.1235, 3, 'inf', None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def listed(columns: Sequence[PageColumn], document: int, key: str) -> dict[str, Any]:
    """Return a table whose rows are a list inside one of the page's documents: nothing is stored twice."""
    heads = [_head(column) for column in columns]
    return {"document": document, "list": key, "columns": heads}


def packed(columns: Sequence[PageColumn], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a table as the script reads it."""
    return {"n": len(rows), "columns": [_packed_column(column, rows) for column in columns]}


def _head(column: PageColumn) -> dict[str, Any]:
    head: dict[str, Any] = {"key": column.key, "title": column.title, "kind": column.kind}
    return head if column.shown else {**head, "hidden": True}


def _packed_column(column: PageColumn, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    head = _head(column)
    values = [row.get(column.key) for row in rows]
    if column.kind == "share":
        return {**head, "v": [rounded(None if value is None else round(value, DECIMALS)) for value in values]}
    if column.kind == "long":
        return {**head, "v": values}
    if column.kind in ("number", "count", "p"):
        return {**head, "v": [rounded(value) for value in values]}
    if column.kind == "flag":
        return {**head, "v": [None if value is None else int(bool(value)) for value in values]}
    names: dict[str, int] = {}
    index = [names.setdefault("" if value is None else visible(str(value)), len(names)) for value in values]
    return {**head, "names": list(names), "v": index}
