"""The table of tests of a result, `detailed_stats.csv`: checked as people's programs save it again."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from concord.errors import FileFormatError
from concord.files.contents import read_bytes
from concord.files.delimited import text_records
from concord.files.json_text import decoded

FLAGS = (
    "In_ECS",
    "Two_States",
    "Human_Significant",
    "Agent_Significant",
    "Direction_Match",
    "Replicated",
)
"""Columns that hold true, false or nothing; spreadsheets write them in capitals."""
_ROUNDING = 1e-9
_WORDS = {"": None, "true": True, "false": False}


def flag(cell: str) -> bool | None:
    """Return what a flag says, in any case; None where it is empty.

    Examples
    --------
    >>> flag("TRUE"), flag("false"), flag("")
    (True, False, None)
    """
    word = cell.strip().casefold()
    if word not in _WORDS:
        raise FileFormatError(f"is {cell!r}; expected true, false or nothing")
    return _WORDS[word]


def check_rows(rows: Sequence[Mapping[str, str]], n_tests: int | None) -> None:
    """Refuse rows that were changed or lost since they were written."""
    if n_tests is not None and len(rows) != n_tests:
        raise FileFormatError(
            f"holds {len(rows)} rows, the summary counts {n_tests} tests: the file was cut or joined; "
            "score the table again"
        )
    for place, row in enumerate(rows, 2):
        for name in FLAGS:
            try:
                flag(row.get(name, ""))
            except FileFormatError as fault:
                raise FileFormatError(f"row {place}, column {name!r} {fault}") from None
        _check_share(place, "PAS_Raw", row.get("PAS_Raw", ""))


def _check_share(place: int, name: str, cell: str) -> None:
    text = cell.strip()
    try:
        value = float(text) if text else 0.0
    except ValueError:
        value = math.nan
    if not -_ROUNDING <= value <= 1 + _ROUNDING:
        raise FileFormatError(
            f"row {place}, column {name!r} is {cell!r}; expected a number from 0 to 1, or nothing"
        )


def check_detailed(path: Path, n_tests: int) -> None:
    """Check the table of tests next to a summary, where there is one."""
    if not path.is_file():
        return
    try:
        records = text_records(str(path), decoded(str(path), read_bytes(path)))
        keys = next(records, [])
        rows = [dict(zip(keys, row, strict=False)) for row in records if row]
    except FileFormatError as fault:
        raise FileFormatError(f"{fault}; score the table again") from fault
    try:
        check_rows(rows, n_tests)
    except FileFormatError as fault:
        raise FileFormatError(f"{path}: {fault}") from None
