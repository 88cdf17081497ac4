"""Bytes to text: UTF-8 unless an encoding is named, because guessing gives wrong letters."""

import codecs

from concord.errors import FileFormatError, OptionError

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF8 = frozenset({"utf-8", "utf8", "utf_8", "utf-8-sig"})


def decode(name: str, data: bytes, encoding: str | None = None) -> str:
    """Decode a text file.

    Parameters
    ----------
    name, data
        What messages call the file, and its bytes.
    encoding
        Name of an encoding that Python knows; UTF-8 with or without a byte order mark by default.

    Raises
    ------
    FileFormatError
        The bytes are not text in this encoding.
    OptionError
        There is no such encoding.
    """
    text = _as_utf8(name, data) if encoding is None else _as(name, data, encoding)
    if "\0" in text:
        raise FileFormatError(
            f"{name}: found binary data (a NUL byte), expected text; save it as text, such as 'CSV UTF-8'"
        )
    return text


def _as_utf8(name: str, data: bytes) -> str:
    if data.startswith(_UTF16):
        raise FileFormatError(
            f"{name}: the text is UTF-16, expected UTF-8; use --encoding utf-16, or save it as UTF-8"
        )
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
