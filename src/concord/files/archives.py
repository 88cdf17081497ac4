"""XLSX archives, whatever they hold: one guard against bombs, lies, passwords and stray cells far out."""

import re
import struct
import zipfile
import zlib
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from concord.errors import FileFormatError

MAX_UNPACKED = 256 * 2**20
"""A workbook that unpacks to more is refused."""
BOMB_RATIO, BOMB_SIZE = 200, 16 * 2**20
"""So is one that unpacks to more than BOMB_RATIO times its size; below BOMB_SIZE no ratio is suspicious:
a sheet of equal rows packs very well."""
MAX_AREA = 20_000_000
"""Engines hold the whole used area of a sheet, however few cells are filled; larger ones are refused."""
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, OSError, ValueError)
"""What the standard library raises on archives with flipped bits."""
# Attributes may stand in either kind of quotes.
_REFERENCE = re.compile(rb"""\sr=["']([A-Z]{0,3})([0-9]{1,7})["']""")


def unpack_workbook(name: str, data: bytes) -> dict[str, bytes]:
    """Unpack the XML of a workbook, after checking every declared and every true size.

    Parameters
    ----------
    name
        What messages call the file.
    data
        Its bytes.

    Returns
    -------
    dict
        The XML members by lower-case name; what is not XML is checked and left empty.

    Raises
    ------
    FileFormatError
        Damaged, password-protected, a bomb, or a ZIP archive of another kind.
    """
    members: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_declared(name, entries, len(data))
            for entry in entries:
                members[entry.filename.lower()] = _member(name, data, entry)
    except _BROKEN as error:
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
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MAX_UNPACKED or (unpacked > BOMB_SIZE and unpacked > BOMB_RATIO * packed):
        raise FileFormatError(_bomb(name, f"{packed:,} bytes unpack to {unpacked:,} or more"))


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


def check_area(name: str, sheet: str, xml: bytes) -> None:
    """Refuse a sheet whose few cells lie so far apart that its area would fill the memory.

    Raises
    ------
    FileFormatError
        The used area is too large.
    """
    if not _may_be_vast(xml):
        return
    rows, columns = 1, 1
    for match in _REFERENCE.finditer(xml):
        rows, columns = max(rows, int(match[2])), max(columns, column_number(match[1].decode()))
    if rows * columns > MAX_AREA:
        raise FileFormatError(
            f"{name}, sheet {sheet!r}: cells as far out as row {rows:,} and column {columns:,}; "
            "delete stray cells outside the table"
        )


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


def letters_behind(xml: bytes, name: bytes, count: int = 1) -> list[NDArray[np.uint8]]:
    """Return the first characters of every value of an attribute (name with equals sign, two bytes)."""
    if len(xml) < 2:
        return [np.empty(0, dtype=np.uint8)] * count
    code = int.from_bytes(name, "little")
    codes = np.frombuffer(xml, dtype=np.uint8)
    starts = [
        2 * np.flatnonzero(np.frombuffer(xml, dtype="<u2", offset=k, count=(len(xml) - k) // 2) == code) + k
        for k in (0, 1)
    ]
    behind_quote = np.concatenate(starts) + len(name) + 1
    return [codes[np.minimum(behind_quote + k, len(xml) - 1)] for k in range(count)]


def _may_be_vast(xml: bytes) -> bool:
    """Tell whether any reference goes beyond column Z or row 99999; below that no area is vast."""
    letters = letters_behind(xml, b"r=", 6)
    capital = [(letter >= ord("A")) & (letter <= ord("Z")) for letter in letters[:2]]
    digit = [(letter >= ord("0")) & (letter <= ord("9")) for letter in letters[1:]]
    return bool(((capital[0] & capital[1]) | np.logical_and.reduce(digit)).any())
