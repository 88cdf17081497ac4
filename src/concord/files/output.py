"""Writing results: CSV that no spreadsheet runs, JSON without NaN, paths that stay in their folder."""

import csv
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from concord.errors import FileFormatError

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_NAME_LENGTH = 100
_NAME_BYTES = 240


def safe_cell(value: object) -> object:
    """Make a cell that a spreadsheet shows and does not run: text that starts like a formula gets a quote.

    Numbers pass as they are, undefined is an empty cell, flags are ``true`` and ``false``.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.lstrip("'").startswith(_FORMULA_STARTS):
        return "'" + value
    return value


def plain_cell(cell: str) -> str:
    """Take off the quote that keeps a spreadsheet from running a cell; the inverse of `safe_cell` for text.

    Examples
    --------
    >>> [plain_cell(str(safe_cell(text))) for text in ("=1+1", "'=1+1", "it's", "＝x")]
    ['=1+1', "'=1+1", "it's", '＝x']
    """
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA_STARTS) else cell


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows with full precision, UTF-8, line feeds: the same rows give the same bytes."""
    with _writing(path) as file:
        writer = csv.writer(_LineFeeds(file))
        writer.writerow(columns)
        writer.writerows([safe_cell(cell) for cell in row] for row in rows)


class _LineFeeds:
    """Takes rows that end in CR LF, so that a cell with either of the two is quoted, and writes LF alone."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, row: str) -> None:
        self._file.write(row.removesuffix("\r\n") + "\n")


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document; NaN and infinity are refused, since they are not JSON."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    with _writing(path) as file:
        file.write(text + "\n")


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line; a line whose text UTF-8 cannot hold is escaped."""
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
    """Open a file for writing, its folder made; a refusal by the system becomes a message with a way out."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as fault:
        raise FileFormatError(
            f"cannot write {path}: {fault.strerror}; make room or choose another folder with --out"
        ) from fault


def safe_name(name: str) -> str:
    """Turn any name into one path component: no separators, no dots alone, no control characters."""
    plain = unicodedata.normalize("NFC", name)
    plain = re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|\ud800-\udfff]', "_", plain).strip(" .")
    if not plain:
        return "_"
    # file systems count bytes: a name of emoji is four times as long as it looks
    return plain[:_NAME_LENGTH].encode("utf-8")[:_NAME_BYTES].decode("utf-8", "ignore")


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
