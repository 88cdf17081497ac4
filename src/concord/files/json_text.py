"""What the readers of JSON documents and JSON lines share: decoding, faults with their line, fields."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, LineProblem, LinesError
from concord.records import InputFile


class UnusableError(Exception):
    """A row that cannot be used: kind, what was found, what was expected."""


def keep_or_raise(problems: list[LineProblem], lenient: bool) -> tuple[LineProblem, ...]:
    """Return the problems of a lenient reading; raise them all otherwise."""
    if problems and not lenient:
        raise LinesError(problems)
    return tuple(problems)


def read_bytes(path: Path) -> bytes:
    """Read a file that must be there."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileFormatError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise FileFormatError(f"{path}: is a folder, expected a file") from None
    except PermissionError:
        raise FileFormatError(f"{path}: may not be read; check its permissions") from None


def fingerprint(name: str, data: bytes) -> InputFile:
    """Name, hash and size of what was read."""
    return InputFile(name, hashlib.sha256(data).hexdigest(), len(data))


def fingerprint_rows(name: str, rows: object) -> InputFile:
    """Hash rows that were passed in memory."""
    text = json.dumps(rows, sort_keys=True, ensure_ascii=True, default=str)
    return fingerprint(name, text.encode())


def mended(value: str) -> str:
    """Return the text without lone surrogates, which JSON escapes can smuggle in and no file can hold."""
    if value.isascii():
        return value
    return value.encode("utf-8", "replace").decode("utf-8") if _has_surrogate(value) else value


_SURROGATE = re.compile("[\ud800-\udfff]")


def _has_surrogate(value: str) -> bool:
    return _SURROGATE.search(value) is not None


def shown(value: object) -> str:
    """Return a value as messages show it: its repr, cut."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def text_field(row: Mapping[str, Any], key: str, *, needed: bool = True) -> str:
    """Return a text field; ids and labels must hold something."""
    value = row.get(key)
    if value is None and not needed:
        return ""
    if key in ("id", "pair") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        found = f"no {key!r}" if key not in row else f"{key!r} is {shown(value)}"
        raise UnusableError(f"bad {key}", found, "text")
    if needed and not value.strip():
        raise UnusableError(f"empty {key}", f"{key!r} is empty", "text that is not blank")
    return mended(value)


def fields_of(row: object) -> Mapping[str, Any]:
    """Return a row that must be an object."""
    if not isinstance(row, Mapping):
        raise UnusableError("not an object", shown(row), "an object with named fields")
    return row


def decoded(name: str, data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"{name}, line {line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from None
    if not text.strip():
        raise FileFormatError(f"{name}: the file is empty")
    return text


def parsed(name: str, text: str) -> object:
    """Parse a JSON document, or raise a message that names the line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{name}, line {error.lineno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise FileFormatError(f"{name}: JSON nested too deep to be a document of this kind") from None


class Problems:
    """Collects the faults of one file, naming the line."""

    def __init__(self, file: str) -> None:
        self.file, self.found = file, list[LineProblem]()
        self._seen: dict[object, int | None] = {}
        self._line: int | None = None
        self._what = ""

    def at(self, line: int | None, what: str) -> "Problems":
        """Enter one row."""
        self._line, self._what = line, what
        return self

    def once(self, key: object, named: str = "") -> None:
        """Refuse a key that was there before."""
        if key in self._seen:
            first = self._seen[key]
            where = "" if first is None else f", first on line {first}"
            raise UnusableError("duplicate", f"{named or f'id {key!r}'} is there twice{where}", "it once")
        self._seen[key] = self._line

    def add(self, kind: str, found: str, expected: str) -> None:
        """Note a fault of the present row."""
        if self._line is None:
            found = f"{self._what}: {found}"
        self.found.append(LineProblem(self.file, self._line, kind, found, expected))

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if isinstance(error, UnusableError):
            kind, found, expected = error.args
            self.add(kind, found, expected)
            return True
        return False


def records_of(source: object) -> object:
    """Return the rows of a polars or pandas frame (whose missing cells are NaN), or what was given."""
    if hasattr(source, "to_dicts"):
        return source.to_dicts()
    if hasattr(source, "to_dict") and not isinstance(source, Mapping):
        rows = source.to_dict("records")
        return [{key: None if _is_nan(value) else value for key, value in row.items()} for row in rows]
    return source


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and value != value
