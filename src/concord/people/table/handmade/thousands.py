"""Commas in numbers of a hand-made table: thousands, or decimals; the whole table says which.

A comma before exactly three digits can be either. It parts thousands where no number of the table has a
decimal comma and one has a decimal point, or where a column of the same kind holds whole numbers of three
digits: a mean of 1,240 beside one of 980.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from concord.files.grids import RawTable

_NUM = r"[-−–+]?(?:\d[\d.,]*|[.,]\d+)"
_CELL = re.compile(rf"\s*({_NUM})\s*(?:(?:±|\(|\[)\s*({_NUM})\s*[)\]]?)?\s*(?:%|[*†]+)?\s*")
_AFTER_SIGN = re.compile(rf"[=<>]\s*({_NUM})")
_GROUPED = re.compile(r"[-−–+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_POINT = re.compile(r"[-−–+]?\d*\.\d+")
_WHOLE = re.compile(r"\d{3,}")


def without_thousands(raw: RawTable, alike: Collection[int] = ()) -> RawTable:
    """Return a table whose numbers have no commas between thousands, as far as it says that they are such."""
    seen = _looked_at(raw)
    if not seen.grouped or seen.decimal_comma:
        return raw
    if seen.point:
        chosen = {j for _, j in seen.grouped}
    else:
        whole = {*seen.whole, *(alike if seen.whole & set(alike) else ())}
        chosen = {j for _, j in seen.grouped if j in whole}
    left = [(text, j) for text, j in seen.grouped if j not in chosen]
    records = tuple(
        (row, [_cell_without_thousands(cell) if j in chosen else cell for j, cell in enumerate(cells)])
        for row, cells in raw.records
    )
    return replace(raw, records=records, warnings=(*raw.warnings, *_doubt(raw.place, left)))


def _doubt(place: str, left: list[tuple[str, int]]) -> tuple[str, ...]:
    if not left:
        return ()
    text = left[0][0]
    return (
        f"{place}: {text!r} is read with a decimal comma, since nothing in the table says otherwise; where "
        f"thousands are meant, write {text.replace(',', '')}",
    )


@dataclass(slots=True)
class _Seen:
    """What the numbers of a table look like."""

    grouped: list[tuple[str, int]]
    """Numbers with three digits after each comma, with their columns."""
    whole: set[int]
    """Columns with whole numbers of three digits and more."""
    decimal_comma: bool = False
    point: bool = False


def _looked_at(raw: RawTable) -> _Seen:
    seen = _Seen([], set())
    for _, cells in raw.records:
        for j, cell in enumerate(cells):
            if isinstance(cell, float) and not cell.is_integer():
                seen.point = True
            for text in _numbers_in_cell(cell):
                if _GROUPED.fullmatch(text):
                    seen.grouped.append((text, j))
                elif "," in text:
                    seen.decimal_comma = True
                elif _POINT.fullmatch(text):
                    seen.point = True
                elif _WHOLE.fullmatch(text):
                    seen.whole.add(j)
    return seen


def _numbers_in_cell(cell: object) -> list[str]:
    if isinstance(cell, float | int) and not isinstance(cell, bool):
        return [str(int(cell))] if float(cell).is_integer() else []
    if not isinstance(cell, str) or len(cell) > 200:
        return []
    whole = _CELL.fullmatch(cell)
    if whole is not None:
        return [one.rstrip(".,") for one in whole.groups() if one is not None]
    return [one.rstrip(".,") for one in _AFTER_SIGN.findall(cell)]


def _cell_without_thousands(cell: object) -> object:
    """Return a cell whose only numbers are written without commas between thousands."""
    if not isinstance(cell, str) or len(cell) > 200 or _CELL.fullmatch(cell) is None:
        return cell
    return _GROUPED.sub(lambda found: found[0].replace(",", ""), cell)
