"""Text: from bytes, in its normal forms, and as the cells that show a fault or a date.

It is UTF-8 unless an encoding is named or a mark says one: guessing gives wrong letters.
"""

import codecs
import json
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

from concord.errors import FileFormatError, OptionError

# UTF-32 first: its little-endian mark begins with that of UTF-16
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UTF8 = frozenset({"utf-8", "utf8", "utf_8", "utf-8-sig"})


def decode(name: str, data: bytes, encoding: str | None = None) -> str:
    """Decode a text file."""
    named = _encoding_marked(data) if encoding is None else encoding
    text = _as_utf8(name, data) if named is None else _as(name, data, named)
    if "\0" in text:
        raise FileFormatError(
            f"{name}: found binary data (a NUL byte), expected text; save it as text, such as 'CSV UTF-8'"
        )
    return text


def plain_utf8(data: bytes) -> bytes:
    """Return text as UTF-8 without a byte order mark where one says what it is, else the bytes as they are.

    For readers that go through a file line by line as bytes; `decode` is for all others.
    """
    encoding = _encoding_marked(data)
    if encoding is None:
        return data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(encoding).encode("utf-8")
    except UnicodeError:
        return data  # not what its mark says: whoever reads it names the byte


def _encoding_marked(data: bytes) -> str | None:
    """Return the encoding that a byte order mark other than that of UTF-8 says."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)


def _as_utf8(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"{name}: line {line} holds the byte 0x{data[error.start]:02x}, which is not UTF-8; name the "
            "encoding with --encoding (cp1252, gb18030, shift_jis, utf-16, ...), or save the file as UTF-8 "
            "(in a spreadsheet program: 'CSV UTF-8')"
        ) from error


def _as(name: str, data: bytes, encoding: str) -> str:
    """Decode with the encoding the user named."""
    try:
        return data.decode("utf-8-sig" if encoding.lower() in _UTF8 else encoding)
    except (LookupError, ValueError) as error:
        if not isinstance(error, UnicodeError):
            raise OptionError(f"--encoding {encoding!r} is not an encoding Python knows") from error
        raise FileFormatError(
            f"{name}: cannot be read as {encoding} ({error.__class__.__name__}); try another --encoding"
        ) from error


MARKS = 30
"""Marks behind one letter that are ordered: as many as in Unicode's stream-safe format."""
_SHORT = 60
"""Characters of a text whose marks may be ordered without a look."""
_LAST = 0x1FFFF
"""No mark lies beyond the first two planes of Unicode."""
_JOINER = "\u034f"
"""Parts a run of marks for the ordering, and is not seen."""


def normal_form(form: Literal["NFC", "NFKC", "NFD", "NFKD"], text: str) -> str:
    """Return a text in one of Unicode's normal forms."""
    # Python orders the marks behind a letter in a time that grows with the square of their number: a cell of
    # 100,000 marks would take minutes. Longer runs are parted as in Unicode's stream-safe text format (UAX
    # 15).
    if text.isascii():
        return text
    if len(text) > _SHORT:
        text = _long_runs().sub(rf"\g<0>{_JOINER}", text)
    return unicodedata.normalize(form, text)


@cache
def _long_runs() -> re.Pattern[str]:
    """Return the pattern of as many marks as are ordered, where one more follows."""
    marks = [chr(code) for code in range(0x300, _LAST + 1) if unicodedata.combining(chr(code))]
    kind = f"[{''.join(marks)}]"
    return re.compile(f"{kind}{{{MARKS}}}(?={kind})")


SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a pair, which no file can hold."""


def fixed_text(value: str) -> str:
    """Return the text without lone surrogates, which JSON escapes can smuggle in and no file can hold."""
    if value.isascii() or SURROGATE.search(value) is None:
        return value
    return value.encode("utf-8", "replace").decode("utf-8")


class ErrorCell(str):
    """The text of a cell that shows a fault instead of a value, such as ``#DIV/0!``."""

    __slots__ = ()


class FormulaCell(ErrorCell):
    """The text of a formula whose result was never stored."""

    __slots__ = ()


class DateCell(str):
    """The text of a cell that a spreadsheet program shows as a date or a time."""

    __slots__ = ()


@cache
def vocabulary() -> Mapping[str, Any]:
    """Return what the columns of every kind of table are called, and how a kind is recognised."""
    held: Mapping[str, Any] = json.loads(
        resources.files("concord.files").joinpath("vocabulary.json").read_bytes()
    )
    return held
