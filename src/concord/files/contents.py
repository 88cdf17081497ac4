"""The bytes of a file: only of a real file, never more than the limit, and a message if that fails.

`Path.exists`, `is_file` and `is_dir` raise where a folder may not be entered; these do not.
"""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from concord.errors import FileFormatError, printable
from concord.files import limits
from concord.files.gate import check_bytes
from concord.records import InputFile

T = TypeVar("T")
_KEPT: ContextVar[dict[Hashable, Any] | None] = ContextVar("kept", default=None)


@contextmanager
def read_once() -> Iterator[None]:
    """Read and parse each file once for as long as this lasts, whoever asks for it."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def kept(key: Hashable, read: Callable[[], T]) -> T:
    """Return what was read before under this key while files are read once; else read it."""
    held = _KEPT.get()
    if held is None:
        return read()
    if key not in held:
        held[key] = read()
    found: T = held[key]
    return found


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file that one may look at."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - one call for links, names and folders
    except (OSError, ValueError):
        return False


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a folder that one may look at."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def display_name(path: Path) -> str:
    """Name a file by its folder and name: enough to find it, and the same on every machine."""
    return printable(f"{path.absolute().parent.name}/{path.name}")


def read_bytes(path: str | os.PathLike[str], *, name: str | None = None, limit: int | None = None) -> bytes:
    """Read a whole file once: what is hashed is what is parsed."""
    called = _called(path) if name is None else name
    limit = limits.FILE_BYTES if limit is None else limit

    def read() -> bytes:
        with Path(path).open("rb") as file:
            return file.read(limit + 1)

    try:
        found = os.stat(path)  # noqa: PTH116 - a path may be text that is no path at all
        _check_readable(called, found, limit)
        data = kept((os.fspath(path), found.st_size), read)
    except FileNotFoundError as fault:
        raise FileFormatError(f"{called}: no such file; check the path") from fault
    except (OSError, ValueError) as fault:
        raise FileFormatError(unreadable(called, fault)) from fault
    check_bytes(called, len(data), limit)
    return data


def first_bytes(path: Path, n: int) -> bytes:
    """Return the first bytes of a file, of any size."""
    small = path.stat().st_size <= limits.FILE_BYTES and _KEPT.get() is not None
    if small:  # read whole where others will ask for it
        return read_bytes(path)[:n]
    with path.open("rb") as file:
        return file.read(n)


def unreadable(name: str, fault: OSError | ValueError) -> str:
    """Word the system's refusal to read a file or folder."""
    reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    return f"{name}: cannot be read: {reason}; check the path and its permissions"


def _called(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    return text if len(text) <= 200 else f"{text[:80]}...{text[-80:]}"


def _check_readable(name: str, found: os.stat_result, limit: int) -> None:
    """Refuse what is not a file, and what is too large to be read."""
    if stat.S_ISDIR(found.st_mode):
        raise FileFormatError(f"{name}: got a folder, expected a file")
    if not stat.S_ISREG(found.st_mode):
        raise FileFormatError(f"{name}: got a device or a pipe, expected a file; save its content as a file")
    check_bytes(name, found.st_size, limit)


def fingerprint(name: str, data: bytes) -> InputFile:
    """Record which bytes went into a result."""
    return InputFile(name, hashlib.sha256(data).hexdigest(), len(data))


def fingerprint_file(path: Path) -> InputFile:
    """Record a file's name, hash and size, read in pieces."""
    try:
        _check_readable(path.name, path.stat(), 2**63)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return InputFile(path.name, digest, file.tell())
    except (OSError, ValueError) as fault:
        raise FileFormatError(unreadable(path.name, fault)) from fault


def fingerprint_rows(name: str, rows: Iterable[object]) -> InputFile:
    """Hash the JSON of rows that were passed in memory, one at a time."""
    digest, size, sign = hashlib.sha256(b"["), 2, b""
    encoded = json.JSONEncoder(sort_keys=True, ensure_ascii=True, default=str).encode
    for row in rows:
        text = sign + encoded(row).encode()
        digest.update(text)
        size, sign = size + len(text), b", "
    digest.update(b"]")
    return InputFile(name, digest.hexdigest(), size)
