"""XLSX archives, whatever they hold: one guard against bombs, lies, passwords and stray cells far out."""

import re
import struct
import zipfile
import zlib
from functools import lru_cache
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from concord.errors import FileFormatError
from concord.files import limits

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    OSError,
    ValueError,
    EOFError,
    IndexError,
    KeyError,
    OverflowError,
)
"""What the standard library raises on archives with flipped bits."""
# Attributes may be in either kind of quotes.
_REFERENCE = re.compile(rb"""\sr=["']([A-Za-z]*)([0-9]*)""")


def unpack_workbook(name: str, data: bytes) -> dict[str, bytes]:
    """Unpack the XML of a workbook, after checking every declared and every true size."""
    members: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_declared(name, entries, len(data))
            for entry in entries:
                path = entry.filename.replace("\\", "/").lower().lstrip("/")
                if path in members:
                    raise zipfile.BadZipFile(f"the member {path!r} is in it twice")
                members[path] = _member(name, data, entry)
    except BROKEN as error:
        raise FileFormatError(damaged(name, str(error))) from error
    if "xl/workbook.xml" not in members:
        raise FileFormatError(f"{name}: a zip archive, but not an .xlsx workbook; save it as .xlsx")
    return members


def damaged(name: str, detail: str) -> str:
    """Say that a workbook cannot be read."""
    return f"{name}: the workbook is damaged ({detail}); open it in a spreadsheet program and save it again"


def _check_declared(name: str, entries: list[zipfile.ZipInfo], packed: int) -> None:
    """Refuse encrypted members, and sizes that no honest workbook declares."""
    if any(entry.flag_bits & 1 for entry in entries):
        raise FileFormatError(f"{name}: the workbook is password-protected; save it without a password")
    if len(entries) > limits.MEMBERS:
        raise FileFormatError(_bomb(name, f"{len(entries):,} members, expected at most {limits.MEMBERS:,}"))
    unpacked = sum(entry.file_size for entry in entries)
    if is_bomb(packed, unpacked):
        raise FileFormatError(_bomb(name, f"{packed:,} bytes unpack to {unpacked:,} or more"))


def is_bomb(packed: int, unpacked: int) -> bool:
    """Tell whether an archive unpacks to more than any honest one."""
    if unpacked > limits.UNPACKED:
        return True
    return unpacked > limits.BOMB_SIZE and unpacked > limits.BOMB_RATIO * packed


def _bomb(name: str, found: str) -> str:
    """Say that an archive holds more than a workbook does, and what to do."""
    return (
        f"{name}: {found} (a zip bomb?); refused without unpacking. "
        "Save only the cells with values into a new workbook"
    )


def _member(name: str, data: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Unpack one member: one that holds more than it declares is a lie."""
    content = _inflate(data, entry)
    if len(content) > entry.file_size:
        found = f"{entry.filename} holds more than the {entry.file_size:,} bytes it declares"
        raise FileFormatError(_bomb(name, found))
    if len(content) < entry.file_size:
        raise zipfile.BadZipFile(f"{entry.filename} ends early")
    return content if entry.filename.lower().endswith((".xml", ".rels")) else b""


def _inflate(data: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Unpack one member, to one byte above its declared size at most."""
    start = entry.header_offset
    name_size = int.from_bytes(data[start + 26 : start + 28], "little")
    extra_size = int.from_bytes(data[start + 28 : start + 30], "little")
    begin = start + 30 + name_size + extra_size
    packed = data[begin : begin + entry.compress_size]
    if entry.compress_type == zipfile.ZIP_STORED:
        return packed
    if entry.compress_type != zipfile.ZIP_DEFLATED:
        raise zipfile.BadZipFile(f"member {entry.filename!r} is packed in an unknown way")
    return zlib.decompressobj(-15).decompress(packed, entry.file_size + 1)


def is_plain(xml: bytes) -> bool:
    """Tell whether a sheet is written as spreadsheet programs write it, so that a look at it suffices.

    They write no comments, doctypes, character references or UTF-16, and no blanks around an equals sign.
    """
    if b"\0" in xml or (b"!" in xml and b"<!" in xml) or (b"#" in xml and b"&#" in xml) or not _is_utf8(xml):
        return False
    codes = np.frombuffer(xml, dtype=np.uint8)
    equals = np.flatnonzero(codes == ord("="))
    around = (codes[np.maximum(equals - 1, 0)], codes[np.minimum(equals + 1, len(xml) - 1)])
    return not any(bool((side <= ord(" ")).any()) for side in around)


def _is_utf8(xml: bytes) -> bool:
    start = xml[:200].lower()
    return b"encoding" not in start.split(b"?>")[0] or b"utf-8" in start


def used_area(xml: bytes) -> tuple[int, int]:
    """Return the last row and column that a plain sheet names; at least 99,999 and 26 where it is small."""
    if not _may_be_vast(xml):
        return 99_999, 26
    rows, columns = 1, 1
    for match in _REFERENCE.finditer(xml):
        row, letters = match[2][:9], match[1][:4].upper()
        rows = max(rows, int(row) if row else 1)
        columns = max(columns, column_number(letters.decode()))
    return rows, columns


def check_area(name: str, sheet: str, rows: int, columns: int) -> None:
    """Refuse a sheet whose few cells lie so far apart that its area would fill the memory."""
    if rows > limits.ROWS or columns > limits.COLUMNS or rows * columns > limits.CELLS:
        raise FileFormatError(
            f"{name}, sheet {sheet!r}: cells as far out as row {rows:,} and column {columns:,}; "
            "delete stray cells outside the table"
        )


@lru_cache(maxsize=limits.COLUMNS)
def column_number(letters: str) -> int:
    """Turn column letters into a number.

    Examples
    --------
    >>> column_number("A"), column_number("AA")
    (1, 27)
    """
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return column


def letters_behind(xml: bytes, letter: str, count: int = 1) -> list[NDArray[np.uint8]]:
    """Return the first characters of every value of the attribute that is called by one letter."""
    codes = np.frombuffer(xml, dtype=np.uint8)
    equals = np.flatnonzero(codes == ord("="))
    equals = equals[codes[np.maximum(equals - 1, 0)] == ord(letter)]
    equals = equals[codes[np.maximum(equals - 2, 0)] <= ord(" ")]
    return [codes[np.minimum(equals + 2 + k, len(xml) - 1)] for k in range(count)]


def _may_be_vast(xml: bytes) -> bool:
    """Tell whether any reference goes beyond column Z or row 99999; below that no area is vast."""
    letters = letters_behind(xml, "r", 6)
    capital = [(letter | 32 >= ord("a")) & (letter | 32 <= ord("z")) for letter in letters[:2]]
    digit = [(letter >= ord("0")) & (letter <= ord("9")) for letter in letters[1:]]
    return bool(((capital[0] & capital[1]) | np.logical_and.reduce(digit)).any())
