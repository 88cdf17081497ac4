"""Comparisons as files, every kind alike: `comparison.json` and `comparison.csv`, and the margin in them.

The document holds bare numbers under the keys of its kind, and the whole record under ``record``, so that
what was read equals what was written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from concord.files.codec import decode, encode
from concord.files.documents import heading, need_keys, read_document
from concord.files.output import write_csv, write_json
from concord.stats.equivalence import WithinMargin


def margin_document(held: WithinMargin | None) -> dict[str, Any]:
    """Return what JSON says of a margin; nothing where none was given."""
    return {} if held is None else {"within_margin": asdict(held)}


def margin_columns(held: WithinMargin | None) -> dict[str, Any]:
    """Return the same as columns of a table."""
    if held is None:
        return {}
    ends = held.interval
    return {
        "margin": held.margin,
        "within_margin": held.shown,
        "p_margin": held.p_value,
        "p_margin_holm": held.p_holm,
        "margin_low": None if ends is None else ends.low,
        "margin_high": None if ends is None else ends.high,
    }


DOCUMENT, TABLE = "comparison.json", "comparison.csv"
T = TypeVar("T")
NOTHING: Mapping[str, Any] = MappingProxyType({})
"""No further keys."""


def write_comparison(
    folder: Path, kind: str, document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], record: object
) -> tuple[Path, Path]:
    """Write both files; the inverse of `read_comparison`."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    write_json(folder / DOCUMENT, {**heading(kind), **document, "record": encode(record)})
    write_csv(folder / TABLE, columns, [[row.get(key) for key in columns] for row in rows])
    return folder / DOCUMENT, folder / TABLE


def read_comparison(folder: Path, kind: str, record: type[T]) -> T:
    """Read a comparison of one kind back, whole."""
    path = folder / DOCUMENT
    document = read_document(path, kind)
    need_keys(document, ("record",), path)
    return decode(record, document["record"], where=f"{path}, 'record'")
