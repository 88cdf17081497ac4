"""Parquet files, each read in a second process: bytes that lie can end the process that trusts them.

The engine allocates what the pages of a file declare, and an allocation that fails ends the process: Python
cannot catch it. So a child process reads the file and hands the columns over as an Arrow file. It is started
once and kept for the next file; where it dies, the file is damaged.
"""

import atexit
import contextlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from concord.errors import FileFormatError, quoted
from concord.files import limits
from concord.files.gate import check_count

if TYPE_CHECKING:
    import polars as pl

_CHILD = Path(__file__).with_name("parquet_child.py")


class _Child:
    """The process that reads; it is asked one thing at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - this Python, a file of this package
            [sys.executable, "-E", "-P", str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "POLARS_MAX_THREADS": "2", "RUST_BACKTRACE": "0"},
            text=True,
            encoding="utf-8",
        )
        self._send({"path": sys.path, "memory": limits.PARQUET_MEMORY})

    def _send(self, message: object) -> None:
        assert self.process.stdin is not None  # noqa: S101 - a pipe was asked for
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a job; ``None`` where the process died or took too long."""
        assert self.process.stdout is not None  # noqa: S101
        try:
            self._send(job)
            if os.name == "posix" and not _is_ready(self.process.stdout):
                return None
            line = self.process.stdout.readline()
        except (OSError, ValueError):
            return None
        return json.loads(line) if line.endswith("\n") else None

    def end(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.process.wait()


def _is_ready(pipe: IO[str]) -> bool:
    """Wait until something can be read; False when the time is up."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(pipe, selectors.EVENT_READ)
        return bool(waiting.select(limits.PARQUET_SECONDS))


_lock = threading.Lock()
_child: _Child | None = None


def start_reader() -> None:
    """Start the reading process, so that it is ready when the first file is asked for."""
    global _child  # noqa: PLW0603 - one process for all files
    with _lock:
        if _child is None or _child.process.poll() is not None:
            _child = _Child()
            atexit.register(_child.end)


def _ask(name: str, job: dict[str, Any]) -> dict[str, Any]:
    """Ask the reading process; where it dies the file is damaged."""
    global _child  # noqa: PLW0603
    start_reader()
    with _lock:
        assert _child is not None  # noqa: S101 - started above
        answer = _child.ask(job)
        if answer is None:
            _child.end()
            atexit.unregister(_child.end)
            _child = None
    if answer is None:
        raise FileFormatError(
            _damaged(name, f"reading it took more than {limits.PARQUET_MEMORY:,} bytes or ended the process")
        )
    if "error" in answer:
        raise FileFormatError(_damaged(name, answer["error"]))
    return answer


def _damaged(name: str, reason: str) -> str:
    return f"{name}: damaged or not Parquet: {reason}; write the file again"


@dataclass(frozen=True, slots=True)
class ParquetFile:
    """A Parquet file that was looked at: its columns and rows, none of them read yet."""

    path: Path
    name: str
    header: tuple[str, ...]
    rows: int

    def read(self, columns: list[str] | None = None) -> "pl.DataFrame":
        """Read columns, all by default; dates in them may be beyond what Python holds."""
        import polars as pl

        with tempfile.TemporaryDirectory(prefix="concord-") as folder:
            out = Path(folder) / "columns.arrow"
            wanted = list(self.header) if columns is None else columns
            job = {"path": str(self.path), "columns": wanted, "out": str(out), "text": limits.TEXT_BYTES}
            answer = _ask(self.name, job)
            if "text" in answer:
                raise FileFormatError(
                    f"{self.name}, column {quoted(answer['column'])}: {answer['text']:,} bytes of "
                    f"text, expected at most {limits.TEXT_BYTES:,}; leave out what is not needed"
                )
            try:
                return pl.read_ipc(out.read_bytes())
            except (pl.exceptions.PolarsError, OSError) as error:
                raise FileFormatError(_damaged(self.name, str(error).split("\n", 1)[0])) from error


def open_parquet(path: Path, *, rows: int) -> ParquetFile:
    """Look at a Parquet file and refuse one that declares too much."""
    answer = _ask(path.name, {"path": str(path.absolute()), "columns": None})
    header, declared = tuple(answer["header"]), answer["rows"]
    check_count(path.name, declared, rows, "rows", "split the file")
    check_count(path.name, len(header), limits.COLUMNS, "columns", "split the file")
    return ParquetFile(path.absolute(), path.name, header, declared)
