"""Bytes to text: UTF-8 unless an encoding is named or a mark says one; guessing gives wrong letters."""

import codecs

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
