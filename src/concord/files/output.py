"""Writing results: CSV that no spreadsheet runs, JSON without NaN, paths that stay in their folder."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from concord.errors import FileFormatError
from concord.files.indented import indented_json
from concord.files.normal_forms import normal_form
from concord.files.safe_csv import csv_text, plain_cell, safe_cell

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "distinct_names",
    "frame_of",
    "plain_cell",
    "safe_cell",
    "safe_name",
    "write_csv",
    "write_json",
    "write_lines",
    "write_text",
]

_NAME_LENGTH = 100
_NAME_BYTES = 240


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows with full precision, UTF-8, line feeds: the same rows give the same bytes."""
    with _writing(path) as file:
        file.writelines(csv_text(columns, rows))


def frame_of(columns: Iterable[str], rows: Iterable[Sequence[object]]) -> "pl.DataFrame":
    """Return the rows that `write_csv` writes as a frame; the type of a column is that of all its cells."""
    import polars as pl

    return pl.DataFrame(list(rows), schema=list(columns), orient="row", infer_schema_length=None)


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document; NaN and infinity are refused, since they are not JSON."""
    text = indented_json(document)
    with _writing(path) as file:
        file.write(text + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text as it is."""
    with _writing(path) as file:
        file.write(text)


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object per line; a line whose text UTF-8 cannot hold is escaped."""
    with _writing(path) as file:
        for row in rows:
            line = json.dumps(row, ensure_ascii=False, allow_nan=False)
            if not _is_utf8(line):
                line = json.dumps(row, ensure_ascii=True, allow_nan=False)
            file.write(line + "\n")


def _is_utf8(text: str) -> bool:
    """Whether text can be written: half of a pair of surrogates cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _writing(path: Path) -> Iterator[IO[str]]:
    """Open a file for writing, its folder made; where the system refuses, say what to do."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            yield file
    except OSError as fault:
        raise FileFormatError(
            f"cannot write {path}: {fault.strerror}; make room or choose another folder with --out"
        ) from fault


_UNSAFE = re.compile(
    r'[\x00-\x1f\x7f-\x9f/\\:*?"<>|\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff'
    r"\U000e0000-\U000e007f]"
)
"""Separators, controls, what turns the direction of text, what is not seen, halves of characters."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)", re.IGNORECASE)
"""Names that Windows keeps for devices, with any extension."""
RESERVED = frozenset({"detailed_stats.csv", "benchmark_summary.json", "plans.json", "tests.json"})
"""Files next to the folders of studies."""


def safe_name(name: str) -> str:
    """Turn any name into one path component that every system can hold and every terminal can show.

    Examples
    --------
    >>> safe_name("a/b"), safe_name("-rf"), safe_name("aux.txt"), safe_name("x. ")
    ('a_b', '_-rf', '_aux.txt', 'x')
    """
    plain = _UNSAFE.sub("_", normal_form("NFC", name)).strip(" .")
    # file systems count bytes: a name of emoji is four times as long as it looks
    plain = plain[: _NAME_LENGTH - 1].encode("utf-8")[:_NAME_BYTES].decode("utf-8", "ignore").strip(" .")
    if not plain:
        return "_"
    if plain.startswith(("-", "~")) or _DEVICES.match(plain) or plain.casefold() in RESERVED:
        return f"_{plain}"
    return plain


def distinct_names(names: Sequence[str]) -> list[str]:
    """Assign each name its own path component; names that fall together are numbered."""
    taken: set[str] = set()
    result = []
    for name in names:
        base = candidate = safe_name(name)
        number = 2
        while candidate.casefold() in taken:
            candidate = f"{base}-{number}"
            number += 1
        taken.add(candidate.casefold())
        result.append(candidate)
    return result
