"""The journals of a run: every reply is one line, written at once, before anything else can fail.

A killed process leaves at most one torn last line, which is cut when the file is next opened; what was
written reaches the disk within a tenth of a second. What is known of replies without their texts is an
`Index`.
"""

import contextlib
import gc
import json
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple

from pydantic_core import from_json

from concord.errors import FileFormatError, RunFolderError
from concord.files import limits
from concord.files.contents import is_file, unreadable
from concord.files.gate import check_json_size
from concord.records import AskOutcome

ANSWERS, ASKED_AGAIN, CONVERSATION, AWAITS = "answers", "asked_again", "conversation", "awaits"
"""Fields of a stored line: outcomes of reading, counted; how often it was asked again; what was said after
the prompt; whether one more turn is still to be asked."""
COUNTS = "counts"
"""Field of a turn that was asked again: whether its reply counts, or the one before."""
STRUCTURED = "structured"
"""Field of a stored line: a schema of the answer was sent with the prompt."""
SERVED, SERVED_AGAIN = "served", "served_again"
"""Fields of a stored line: who answered (model, fingerprint, id of the request), and who did when it was
asked again."""
SYNC_SECONDS = 0.1
"""Replies younger than this may be lost when the machine itself (not the process) goes down."""
_FIELDS = (
    ("id", str, "a text"),
    ("mode", str, "a text"),
    ("repeat", int, "a whole number"),
    ("outcome", str, "a text"),
    ("response", str, "a text"),
)
_values = itemgetter(*(name for name, _, _ in _FIELDS), "usage")
_KINDS = (*(kind for _, kind, _ in _FIELDS), dict)
_TOKENS = frozenset({int, type(None)})
_PARTS = ("cached_tokens", "cache_written_tokens", "reasoning_tokens")
_COUNTED = (int, int)
_OUTCOMES = frozenset(map(str, AskOutcome))
_LONG = 2**20
"""Only a line of more bytes can hold so many values that they fill the memory."""
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would turn line feeds into two bytes


class Line(NamedTuple):
    """One line of a journal and where it is."""

    number: int
    row: Mapping[str, Any]
    start: int = 0
    """Where it begins in the file, in bytes."""
    after: int = 0
    """Where the next one begins; where this one does, as long as its line feed is missing."""


def read_lines(path: Path, begin: int = 0, before: int = 0) -> Iterator[Line]:
    """Read the complete lines of a journal; a torn last line is cut, a missing file holds none."""
    if not path.exists():
        return
    with open_file(path) as file:
        file.seek(begin)
        yield from _lines(path, file, begin, before)


def open_file(path: Path) -> BinaryIO:
    """Open a file of a run's folder; a folder, a device or a pipe in its place is refused."""
    if not is_file(path):
        raise FileFormatError(f"{path}: got a folder, a device or a pipe, expected a file")
    try:
        return path.open("rb")
    except OSError as fault:
        raise FileFormatError(unreadable(str(path), fault)) from fault


def _lines(path: Path, file: BinaryIO, begin: int, before: int) -> Iterator[Line]:
    start = end = begin
    number = before
    longest = limits.JOURNAL_LINE
    while raw := file.readline(longest + 1):
        number += 1
        size = len(raw)
        if size > longest:
            raise _not_ours(path, number, f"it is longer than {longest:,} bytes")
        start, end = end, end + size
        row = parsed_line(raw)
        if row is not None:
            yield Line(number, row, start, end if raw.endswith(b"\n") else start)
        elif not raw.endswith(b"\n"):
            return
        elif raw.strip():
            raise _not_ours(path, number, "it is no JSON object with a key")


def read_at(path: Path, start: int) -> Mapping[str, Any]:
    """Read the one row that begins at a place of a journal."""
    with path.open("rb") as file:
        file.seek(start)
        row: Mapping[str, Any] = json.loads(file.readline())
        return row


def parsed_line(raw: bytes) -> Mapping[str, Any] | None:
    """Return the object of a line, or nothing; every line that Concord writes has a key."""
    try:
        if len(raw) > _LONG:
            check_json_size("line", raw.decode("utf-8"))
        row = _decoded(raw)
    except (ValueError, RecursionError, FileFormatError):
        return None
    return row if isinstance(row, dict) and isinstance(row.get("key"), str) else None


def _decoded(raw: bytes) -> Any:
    """Return what a line says, read twice as fast as `json` reads it where both read the same."""
    # Escaped characters, which pydantic 2.7 reads wrongly, are left to `json`; so is whatever the other
    # refuses: bytes of half a pair of surrogates, a byte order mark, another encoding, a deep value.
    if b"\\u" not in raw:
        try:
            return from_json(raw)
        except ValueError:
            pass
    return json.loads(raw.decode("utf-8", "surrogatepass") if raw.startswith(b"{") else raw)


def _is_usual(row: Mapping[str, Any]) -> bool:
    """Whether a row is as nearly all are: every field of its usual kind."""
    try:
        values = _values(row)
    except KeyError:
        return False
    if tuple(map(type, values)) != _KINDS or row["outcome"] not in _OUTCOMES or "again" in row:
        return False
    tokens = tuple(map(type, values[-1].values()))
    return tokens == _COUNTED or _TOKENS.issuperset(tokens)


def check_row(path: Path, line: Line) -> Mapping[str, Any]:
    """Return the row of a reply whose fields are what a journal writes."""
    if _is_usual(line.row):
        return line.row
    for name, kind, words in _FIELDS:
        value = line.row.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            found = f"{name!r} is {json.dumps(value)[:60]}" if name in line.row else f"there is no {name!r}"
            raise _not_ours(path, line.number, f"{found}, expected {words}")
    if line.row["outcome"] not in _OUTCOMES:
        found = f"'outcome' is {line.row['outcome']!r}, expected one of {', '.join(sorted(_OUTCOMES))}"
        raise _not_ours(path, line.number, found)
    usage = line.row.get("usage", {})
    tokens = usage.values() if isinstance(usage, dict) else [usage]
    if any(n is not None and (not isinstance(n, int) or isinstance(n, bool)) for n in tokens):
        raise _not_ours(path, line.number, "'usage' holds what is no number of tokens")
    again = line.row.get("again")
    if again is not None and not isinstance(again, str):
        raise _not_ours(path, line.number, f"'again' is {json.dumps(again)[:60]}, expected a text")
    return line.row


def _not_ours(path: Path, number: int | None, found: str) -> FileFormatError:
    where = "" if number is None else f", line {number}"
    return FileFormatError(
        f"{path}{where}: not a line that Concord writes: {found}; move the line elsewhere "
        "(its trial is asked again) or choose another folder with --out"
    )


_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""As `json.dumps`, which makes an encoder anew for every line."""


def line_bytes(row: Mapping[str, Any]) -> bytes:
    """Return the bytes of a row: UTF-8; escaped where the text holds what UTF-8 cannot."""
    text = _encoded(row)
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


class LineTooLongError(Exception):
    """A row that no reader of the journal would take."""

    def __init__(self, size: int) -> None:
        super().__init__(f"its replies take {size:,} bytes, expected at most {limits.JOURNAL_LINE:,}")


class Journal:
    """An append-only file of rows, held by one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        existed = path.exists()
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, 0o644)
        except OSError as fault:
            raise RunFolderError.cannot_write(path, fault) from fault
        if not existed:
            sync_folder(path.parent)
        try:
            _hold(self._fd, path)
            _mend(self._fd, path)
        except BaseException:
            os.close(self._fd)
            raise
        self._size = os.fstat(self._fd).st_size
        self._committer = _Committer(self._fd)

    @property
    def size(self) -> int:
        """Bytes of whole lines."""
        return self._size

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one row as one line in one write."""
        data = line_bytes(row)
        if len(data) > limits.JOURNAL_LINE:
            raise LineTooLongError(len(data))
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
        self._committer.due()

    def close(self) -> None:
        """Put everything on the disk and let go of the file."""
        if self._fd >= 0:
            self._committer.stop()
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


class _Committer:
    """Puts what was appended on the disk from a thread of its own, all of a tenth of a second at once."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._wake, self._ended = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def due(self) -> None:
        """Say that something was appended."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True, name="journal")
            self._thread.start()
        if not self._wake.is_set():
            self._wake.set()

    def stop(self) -> None:
        """End the thread; whoever closes the file puts the rest on the disk."""
        self._ended.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._ended.is_set():
            self._wake.wait()
            if self._ended.wait(SYNC_SECONDS / 2):
                return
            self._wake.clear()
            with contextlib.suppress(OSError):  # a full disk is told of by append
                os.fsync(self._fd)


def sync_folder(path: Path) -> None:
    """Put the entries of a folder on the disk: a new file is there only when its folder says so."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:  # Windows opens no folders
        return
    try:
        with contextlib.suppress(OSError):  # some file systems sync no folders
            os.fsync(fd)
    finally:
        os.close(fd)


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
    start, tail = _tail(fd, path, size)
    try:
        if parsed_line(tail) is None:
            os.ftruncate(fd, start)
        else:
            os.write(fd, b"\n")
    except OSError as fault:
        raise RunFolderError.cannot_write(path, fault) from fault


def _tail(fd: int, path: Path, size: int, block: int = 65536) -> tuple[int, bytes]:
    """Return where the last line starts and its bytes."""
    start, pieces = size, list[bytes]()
    while start > 0:
        if size - start > limits.JOURNAL_LINE:
            raise _not_ours(path, None, f"the last one is longer than {limits.JOURNAL_LINE:,} bytes")
        step = min(block, start)
        piece = _read_at(fd, start - step, step)
        cut = piece.rfind(b"\n")
        pieces.append(piece[cut + 1 :])
        if cut >= 0:
            return start - step + cut + 1, b"".join(reversed(pieces))
        start -= step
    return 0, b"".join(reversed(pieces))


def _read_at(fd: int, position: int, count: int) -> bytes:
    """Read some bytes; writing is not moved by it, since the file is open for appending."""
    os.lseek(fd, position, os.SEEK_SET)
    return os.read(fd, count)


REPLIES, FAILURES, TURNS = "replies.jsonl", "failures.jsonl", "turns.jsonl"

Name = tuple[str, str, int]


class Entry(NamedTuple):
    """What is known of a stored reply without its text."""

    outcome: str
    input_tokens: int | None
    output_tokens: int | None
    again: str | None = None
    """With which settings it was asked anew, where it was."""
    answers: tuple[tuple[str, int], ...] = ()
    """What became of reading its answers, counted."""
    asked_again: int = 0
    """How often an answer was asked for once more."""
    awaits: bool = False
    """Whether one more turn is still to be asked."""
    structured: bool = False
    """Whether a schema was sent with it."""
    parts: tuple[int, int, int] = (0, 0, 0)
    """Of its tokens: read from the provider's cache, written there, reasoning."""

    @property
    def took(self) -> tuple[int, int] | None:
        """Tokens in and out, where it is whole and they are known."""
        if self.awaits or self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens, self.output_tokens

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Entry":
        """Return the entry of a row."""
        usage = row.get("usage")
        known = usage if isinstance(usage, dict) else {}
        outcome = sys.intern(str(row["outcome"]))
        read, again = row.get(ANSWERS), row.get(ASKED_AGAIN)
        counted = read.items() if isinstance(read, dict) else ()
        return cls(
            outcome,
            known.get("input_tokens"),
            known.get("output_tokens"),
            row.get("again"),
            tuple((sys.intern(str(name)), n) for name, n in counted if type(n) is int),
            again if type(again) is int else 0,
            row.get(AWAITS) is True,
            row.get(STRUCTURED) is True,
            tuple(n if type(n := known.get(name)) is int else 0 for name in _PARTS),  # type: ignore[arg-type]
        )


@dataclass(slots=True)
class Tally:
    """Outcomes and tokens of a run, counted as they arrive."""

    outcomes: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    n_unknown_usage: int = 0
    """Calls whose tokens nobody said; the sums are over the others."""
    answers: Counter[str] = field(default_factory=Counter)
    """What became of reading the answers; empty where replies are not read as answers."""
    n_asked_again: int = 0
    """Answers that were asked for once more."""
    n_structured: int = 0
    """Trials that a schema was sent with."""
    parts: list[int] = field(default_factory=lambda: [0] * len(_PARTS))
    """Of the tokens: read from the provider's cache, written there, reasoning."""

    @property
    def n_known_usage(self) -> int:
        """Calls whose tokens are known."""
        not_asked = self.outcomes[str(AskOutcome.NOT_ASKED)]
        return self.outcomes.total() - not_asked - self.n_unknown_usage

    def add(self, entry: Entry, n: int = 1) -> None:
        """Count a reply or failed call, or several alike."""
        self.outcomes[entry.outcome] += n
        if entry.input_tokens is None or entry.output_tokens is None:
            self.n_unknown_usage += n
        self.input_tokens += 0 if entry.input_tokens is None else n * entry.input_tokens
        self.output_tokens += 0 if entry.output_tokens is None else n * entry.output_tokens
        for outcome, k in entry.answers:
            self.answers[outcome] += n * k
        self.n_asked_again += n * entry.asked_again
        self.n_structured += n * entry.structured
        self.parts = [held + n * part for held, part in zip(self.parts, entry.parts, strict=True)]

    def tokens(self) -> dict[str, int]:
        """Return the tokens of stored replies, with their parts where there are any."""
        told = {name: n for name, n in zip(_PARTS, self.parts, strict=True) if n}
        silent = self.n_unknown_usage - self.outcomes[str(AskOutcome.FAILED)]
        told |= {"calls_without_usage": silent} if silent else {}
        return {"input": self.input_tokens, "output": self.output_tokens, **told}


@dataclass(slots=True)
class Index:
    """Every stored reply and failed call of a folder."""

    replies: dict[str, Entry] = field(default_factory=dict)
    failures: dict[str, Entry] = field(default_factory=dict)
    outside: dict[str, Name] = field(default_factory=dict)
    """Names of replies that the plan does not hold."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes of every journal as it was read."""
    _known: dict[Entry, Entry] = field(default_factory=dict)
    """Replies of the same outcome and tokens share one entry."""

    def awaits(self, key: str) -> bool:
        """Whether one more turn is still to be asked after a stored reply."""
        entry = self.replies.get(key)
        return entry is not None and entry.awaits

    def entry(self, key: str) -> Entry | None:
        """Return what became of a trial: its reply, or else its last failed call."""
        return self.replies.get(key, self.failures.get(key))

    def add(self, row: Mapping[str, Any]) -> None:
        """Add what was stored just now."""
        failed = row["outcome"] == AskOutcome.FAILED
        (self.failures if failed else self.replies)[row["key"]] = self.shared(row)

    def know(self, entries: Iterable[Entry]) -> None:
        """Take entries that are there as those that rows alike share."""
        self._known.update((entry, entry) for entry in set(entries))

    def shared(self, row: Mapping[str, Any]) -> Entry:
        """Return the entry of a row, one for all rows alike."""
        entry = Entry.of(row)
        return self._known.setdefault(entry, entry)

    def tally(self, keys: Iterable[str]) -> Tally:
        """Count the outcomes of a plan."""
        tally = Tally()
        for entry, n in Counter(map(self.entry, keys)).items():
            if entry is None:
                tally.outcomes[str(AskOutcome.NOT_ASKED)] += n
            else:
                tally.add(entry, n)
        return tally

    def is_current(self, folder: Path) -> bool:
        """Whether the folder's journals are as they were read."""
        return self.sizes == {path.name: path.stat().st_size for path in _all(folder)}


def journals(folder: Path, name: str) -> list[Path]:
    """Return the journals of one kind: the first, and those of further processes in their order."""
    stem = Path(name).stem
    numbered = re.compile(rf"{re.escape(stem)}-(\d+)\.jsonl")
    found = {
        int(m[1]): path for path in folder.glob(f"{stem}-*.jsonl") if (m := numbered.fullmatch(path.name))
    }
    first = [folder / name] if (folder / name).exists() else []
    return first + [found[number] for number in sorted(found)]


def shard_name(name: str, shard: int) -> str:
    """Return the name of the journal of one process among several."""
    return name if shard == 0 else f"{Path(name).stem}-{shard}.jsonl"


def stored_lines(folder: Path, name: str) -> Iterator[tuple[Path, Line]]:
    """Read all journals of one kind, line by line, each row checked."""
    for path in journals(folder, name):
        for line in read_lines(path):
            check_row(path, line)
            yield path, line


@contextmanager
def without_collections() -> Iterator[None]:
    """Make many small things that hold no cycles, without looking for cycles among all others meanwhile."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _all(folder: Path) -> list[Path]:
    return [*journals(folder, REPLIES), *journals(folder, FAILURES)]


def replace_file(path: Path, data: Iterable[bytes]) -> None:
    """Write a whole file so that a reader sees the old or the new one, never a part."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("wb") as file:
            file.writelines(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as fault:
        raise RunFolderError.cannot_write(path, fault) from fault
    sync_folder(path.parent)
