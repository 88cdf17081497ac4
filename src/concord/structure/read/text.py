"""Text files of scores: what kind of file it is, its encoding, its separator, its grid."""

import codecs
import csv
import hashlib
import io
from pathlib import Path

from concord.errors import FileFormatError, OptionError, printable
from concord.records import InputFile
from concord.structure.read.grid import Grid
from concord.structure.read.records import ReadOptions

ZIP_MAGIC = b"PK\x03\x04"
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
MAX_TEXT_BYTES = 2 * 1024**3
"""A text file above this size is refused before it is read."""


def display_name(path: Path) -> str:
    """Name a file by its folder and name: enough to find it, and the same on every machine."""
    return printable(f"{path.resolve().parent.name}/{path.name}")


def read_bytes(path: Path, *, limit: int = MAX_TEXT_BYTES) -> bytes:
    """Read a file whole, refusing one that is too big, empty or not readable."""
    name = display_name(path)
    try:
        size = path.stat().st_size
        if size > limit:
            raise FileFormatError(f"{name}: {size} bytes, the limit is {limit}; split the file")
        data = path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"{name}: cannot be read ({error.strerror}); check the path") from error
    if not data:
        raise FileFormatError(f"{name}: the file is empty (0 bytes); export it again")
    return data


def fingerprint(name: str, data: bytes) -> InputFile:
    """Record which bytes went into a result."""
    return InputFile(name, hashlib.sha256(data).hexdigest(), len(data))


def decode(data: bytes, name: str, encoding: str | None) -> str:
    """Decode a text file; without an encoding only UTF-8 is read, because guessing gives mojibake."""
    if encoding is not None:
        return _decode_as(data, name, encoding)
    if data.startswith(_UTF16):
        raise FileFormatError(
            f"{name}: not UTF-8 (it starts like UTF-16); use --encoding utf-16, or save it as UTF-8"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"{name}: not UTF-8 (line {line}, byte {data[error.start]:#04x}); name the encoding with "
            "--encoding (gb18030, shift_jis, cp949, utf-16, ...), or save the file as UTF-8"
        ) from error
    if "\0" in text:
        raise FileFormatError(f"{name}: holds NUL bytes, so it is not a text file; export it as CSV (UTF-8)")
    return text


def _decode_as(data: bytes, name: str, encoding: str) -> str:
    """Decode with the encoding the user named."""
    try:
        return data.decode("utf-8-sig" if encoding.lower() in {"utf-8", "utf8"} else encoding)
    except LookupError as error:
        raise OptionError(f"--encoding {encoding!r} is not an encoding Python knows") from error
    except UnicodeError as error:
        raise FileFormatError(
            f"{name}: cannot be read as {encoding} ({error}); try another --encoding"
        ) from error


def find_separator(text: str) -> str:
    """Find the separator: whichever of comma, semicolon, tab the header row holds most outside quotes."""
    head = text.lstrip("\r\n").split("\n", 1)[0]
    bare = "".join(head.split('"')[::2])
    counts = {separator: bare.count(separator) for separator in _SEPARATORS}
    best = max(counts, key=lambda separator: counts[separator])
    return best if counts[best] else ","


def separator_note(name: str, separator: str) -> list[str]:
    """Say so when a file is not separated by commas."""
    if separator == ",":
        return []
    return [f"{name}: columns are separated by {_SEPARATORS[separator]}"]


def parse_rows(text: str, name: str, separator: str) -> list[list[str]]:
    """Split text into rows of cells."""
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise FileFormatError(f"{name}: not readable as CSV ({error}); check the quotes") from error


def text_grid(data: bytes, name: str, options: ReadOptions) -> tuple[Grid, list[str]]:
    """Read one CSV file as a grid, with what a reader should know about it.

    Raises
    ------
    FileFormatError
        The text cannot be decoded, or a row has more cells than the header.
    """
    text = decode(data, name, options.encoding)
    separator = find_separator(text)
    rows = parse_rows(text, name, separator)
    filled = [(i + 1, cells) for i, cells in enumerate(rows) if any(cell.strip() for cell in cells)]
    if not filled:
        return Grid(name, None, (), (), ()), separator_note(name, separator)
    header = tuple(cell.strip() for cell in filled[0][1])
    for number, cells in filled[1:]:
        if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
            raise FileFormatError(ragged_message(name, number, len(cells), len(header)))
    width = len(header)
    padded = [(cells + [""] * width)[:width] for _, cells in filled[1:]]
    columns: tuple[list[object], ...] = tuple([row[j] for row in padded] for j in range(width))
    return Grid(name, None, header, columns, [n for n, _ in filled[1:]]), separator_note(name, separator)


def ragged_message(name: str, row: int, found: int, expected: int) -> str:
    """Say which row has too many cells and what may be the cause."""
    return (
        f"{name}, row {row}: {found} cells under a header of {expected} columns; an unquoted comma inside a "
        "cell? For decimal commas separate columns by semicolons or quote the cells, and use --decimal-comma"
    )
