"""The journal: every reply is one line, written at once, before anything else can fail.

A process that is killed leaves at most one torn last line, which is cut when the file is next opened.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from concord.errors import FileFormatError, RunFolderError

_SYNC_SECONDS = 1.0
"""Replies younger than this may be lost when the machine itself (not the process) goes down."""
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would turn line feeds into two bytes


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a journal and where it stands."""

    number: int
    row: Mapping[str, Any]


def read_lines(path: Path) -> Iterator[Line]:
    """Read the complete lines of a journal; a torn last line is cut, a missing file holds none.

    Raises
    ------
    FileFormatError
        A complete line is not what the journal writes; the line is named.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                row = _parsed(raw)
                if row is not None:
                    yield Line(number, row)
                return
            if not raw.strip():
                continue
            row = _parsed(raw)
            if row is None:
                raise FileFormatError(
                    f"{path}, line {number}: not a line that Concord writes; move the line elsewhere "
                    "(its trial is asked again) or choose another folder with --out"
                )
            yield Line(number, row)


def _parsed(raw: bytes) -> Mapping[str, Any] | None:
    """Return the object of a line, or nothing; every line that Concord writes has a key."""
    try:
        row = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and isinstance(row.get("key"), str) else None


def line_bytes(row: Mapping[str, Any]) -> bytes:
    """Return the bytes of a row: UTF-8; escaped where the text holds what UTF-8 cannot."""
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


class Journal:
    """An append-only file of rows, held by one process at a time.

    Parameters
    ----------
    path
        The file; made with its folder when missing, mended when its last line is torn.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._synced = time.monotonic()
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, 0o644)
        except OSError as fault:
            raise RunFolderError.cannot_write(path, fault) from fault
        try:
            _hold(self._fd, path)
            _mend(self._fd, path)
        except BaseException:
            os.close(self._fd)
            raise
        self._size = os.fstat(self._fd).st_size

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one row as one line in one write.

        Raises
        ------
        RunFolderError
            The disk refused; the file still ends with the last complete line.
        """
        data = line_bytes(row)
        try:
            written = os.write(self._fd, data)
        except OSError as fault:
            raise RunFolderError.cannot_write(self.path, fault) from fault
        if written != len(data):
            os.ftruncate(self._fd, self._size)
            raise RunFolderError(
                f"cannot write {self.path}: the disk is full; every earlier reply is kept; "
                "make room, then run the same command again"
            )
        self._size += written
        self._sync_at_times()

    def _sync_at_times(self) -> None:
        now = time.monotonic()
        if now - self._synced >= _SYNC_SECONDS:
            os.fsync(self._fd)
            self._synced = now

    def close(self) -> None:
        """Put everything on the disk and let go of the file."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):  # a full disk has been told of by append
                os.fsync(self._fd)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _hold(fd: int, path: Path) -> None:
    """Take the file for this process; a second run in the folder is refused."""
    try:
        import fcntl
    except ImportError:  # not on Windows, where two runs in one folder remain the user's care
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        raise RunFolderError(
            f"{path.parent}: another run is writing here; wait for it, or choose another folder with --out"
        ) from fault


def _mend(fd: int, path: Path) -> None:
    """Cut a torn last line; complete one that lacks only its line feed."""
    size = os.fstat(fd).st_size
    if size == 0 or _read_at(fd, size - 1, 1) == b"\n":
        return
    start, tail = _tail(fd, size)
    try:
        if _parsed(tail) is None:
            os.ftruncate(fd, start)
        else:
            os.write(fd, b"\n")
    except OSError as fault:
        raise RunFolderError.cannot_write(path, fault) from fault


def _tail(fd: int, size: int, block: int = 65536) -> tuple[int, bytes]:
    """Return where the last line starts and its bytes."""
    start, tail = size, b""
    while start > 0:
        step = min(block, start)
        piece = _read_at(fd, start - step, step)
        cut = piece.rfind(b"\n")
        if cut >= 0:
            return start - step + cut + 1, piece[cut + 1 :] + tail
        tail, start = piece + tail, start - step
    return 0, tail


def _read_at(fd: int, position: int, count: int) -> bytes:
    """Read some bytes; writing is not moved by it, since the file is open for appending."""
    os.lseek(fd, position, os.SEEK_SET)
    return os.read(fd, count)
