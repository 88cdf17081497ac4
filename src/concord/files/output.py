"""Writing results: CSV that no spreadsheet runs, JSON without NaN, paths that stay in their folder."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from concord.errors import FileFormatError
from concord.files.text import normal_form

if TYPE_CHECKING:
    import polars as pl


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet program may take for the beginning of a formula."""
_SIGNS = "".join(re.escape(start) for start in FORMULA_STARTS)
_UNSEEN = r"\s\x00-\x20\x7f-\xa0\u00ad\u180e\u200b-\u200f\u2028-\u202f\u2060-\u2069\ufeff"
_FORMULA = re.compile(f"'*[{_UNSEEN}]*[{_SIGNS}]")
"""Blanks and characters that are not seen may come before it."""
_QUOTED = re.compile('[",\r\n]|^ ')
"""Blanks before a cell are skipped when it is read, unless it is quoted."""


def safe_cell(value: object) -> object:
    """Make a cell that a spreadsheet shows and does not run: text that starts like a formula gets a quote."""
    # Numbers pass as they are, undefined is an empty cell, flags are ``true`` and ``false``.
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and _FORMULA.match(value):
        return "'" + value
    return value


def plain_cell(cell: str) -> str:
    """Take off the quote that keeps a spreadsheet from running a cell: the inverse of `safe_cell`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


def csv_line(cells: Sequence[object]) -> str:
    """Return one row as text; a cell that holds a delimiter, a quote or either line end is quoted."""
    # The standard library leaves a lone carriage return bare before Python 3.13, which ends the row there.
    if len(cells) == 1 and cells[0] in (None, ""):
        return '""'
    return ",".join([str(cell) if type(cell) is float else _quoted(cell) for cell in cells])


def _quoted(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if _QUOTED.search(text) else text


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Return the lines of a table, guarded, each with its line feed: the same rows give the same bytes."""
    yield csv_line(columns) + "\n"
    for row in rows:
        yield csv_line([cell if type(cell) is float else safe_cell(cell) for cell in row]) + "\n"


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


def write_bytes(path: Path, data: bytes) -> None:
    """Write bytes as they are."""
    with _beside(path) as new:
        new.write_bytes(data)


@contextmanager
def _writing(path: Path) -> Iterator[IO[str]]:
    """Open a text file for writing."""
    with _beside(path) as new, new.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        yield file


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Let a file be written beside its place, and put it there whole: a link there is replaced, not followed.

    Its folder is made; where the system refuses, what to do is said.
    """
    new = path.with_name(f".{path.name[:_NAME_LENGTH]}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # a device such as /dev/stdout, or a folder
            yield path
            return
        new.unlink(missing_ok=True)
        new.open("xb").close()
        yield new
        new.replace(path)
    except OSError as fault:
        raise FileFormatError(
            f"cannot write {path}: {fault.strerror}; make room or choose another folder with --out"
        ) from fault
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def below(folder: Path, name: str) -> Path:
    """Return a folder inside one that was given for reading, where nothing in it leads elsewhere."""
    place = folder / name
    inside = (Path(at) / one for at, names, _ in os.walk(place) for one in names)
    link = next((one for one in (place, *inside) if one.is_symlink()), None)
    if link is not None:
        raise FileFormatError(
            f"{link} is a link to another folder, in which nothing is written; remove it, or choose a folder "
            "with --out"
        )
    return place


_UNSAFE = re.compile(
    r'[\x00-\x1f\x7f-\x9f/\\:*?"<>|\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff'
    r"\U000e0000-\U000e007f]"
)
"""Separators, controls, what turns the direction of text, what is not seen, halves of characters."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)", re.IGNORECASE)
"""Names that Windows keeps for devices, with any extension."""
RESERVED = frozenset(
    {"agents", "answers", "audit", "figures", "inputs", "judge", "logs", "memory", "plots", "results"}
)
"""Folders that Concord makes: no study, agent or model has a folder of such a name."""
_WRITTEN = (
    *(".csv", ".json", ".jsonl", ".html", ".txt", ".svg", ".png", ".pdf", ".eval", ".xlsx", ".parquet"),
    *(".yaml", ".lock", ".new", ".sha256"),
)
"""Endings of the files that Concord writes beside such folders."""


def safe_name(name: str) -> str:
    """Turn any name into one path component that every system can hold and every terminal can show."""
    plain = _UNSAFE.sub("_", normal_form("NFC", name)).strip(" .")
    # file systems count bytes: a name of emoji is four times as long as it looks
    plain = plain[: _NAME_LENGTH - 1].encode("utf-8")[:_NAME_BYTES].decode("utf-8", "ignore").strip(" .")
    if not plain:
        return "_"
    kept = plain.casefold() in RESERVED or plain.casefold().endswith(_WRITTEN)
    if kept or plain.startswith(("-", "~")) or _DEVICES.match(plain):
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


def indented_json(document: object) -> str:
    """Return a document as JSON; NaN and infinity are refused, since they are not JSON."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
