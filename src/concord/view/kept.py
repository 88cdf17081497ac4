"""Runs as they were at the last look: each line of a file is read once, then only its place is kept."""

import sys
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from concord.asking.folder import TRIALS, read_record
from concord.asking.index import FAILURES, REPLIES, TURNS, Entry, Index, Tally, journals, without_collections
from concord.asking.journal import Line, check_row, open_file, parsed_line, read_lines
from concord.errors import FileFormatError, InputError
from concord.files import limits
from concord.records import AskOutcome
from concord.view.reading import Reader, reader_of

MOST_LINES = 1_000_000
"""Trials and replies whose places are kept, of all runs together: about 200 bytes each."""
_OUTCOMES = tuple(map(str, AskOutcome))
_NUMBERS = {name: number for number, name in enumerate(_OUTCOMES)}
_TAIL = 256
"""Bytes before the last place that was read: a file that was written anew has others there."""

_MOST_JOURNALS = 4096
"""Processes of a run at most: a place and the journal it is in are one number."""

Stamp = tuple[int, int, int]


def stamp(path: Path) -> Stamp:
    """Return what changes when a file does; zeros where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


@dataclass(slots=True)
class KeptJournal:
    """Where the lines of one journal begin, and their outcomes."""

    path: Path
    inode: int
    read: int = 0
    """Bytes of complete lines that are known."""
    tail: bytes = b""
    open_at: int | None = None
    """Size of the file when its last line had no line feed yet, where it was so."""
    n_read: int = 0
    starts: "array[int]" = field(default_factory=lambda: array("q"))
    outcomes: bytearray = field(default_factory=bytearray)

    def is_the_same(self) -> bool:
        """Whether the file still begins with what is known of it."""
        inode, _, size = stamp(self.path)
        if inode != self.inode or size < self.read or self.open_at not in (None, size):
            return False
        with open_file(self.path) as file:
            return _tail(file, self.read) == self.tail

    def added(self) -> Iterator[Line]:
        """Read the lines that were added, each checked."""
        size = stamp(self.path)[2]
        if size in (self.read, self.open_at):
            return
        for line in read_lines(self.path, self.read, self.n_read):
            check_row(self.path, line)
            self.starts.append(line.start)
            self.outcomes.append(_NUMBERS[str(line.row["outcome"])])
            self.n_read, self.read = line.number, line.after
            self.open_at = size if line.after == line.start else None
            yield line
        with open_file(self.path) as file:
            self.tail = _tail(file, self.read)


def _tail(file: BinaryIO, end: int) -> bytes:
    begin = max(0, end - _TAIL)
    file.seek(begin)
    return file.read(end - begin)


@dataclass(slots=True)
class KeptPlan:
    """Where each trial stands in the plan."""

    stamp: Stamp
    by_key: dict[str, int] = field(default_factory=dict)
    by_name: dict[str, list[str]] = field(default_factory=dict)
    """Keys of the trials of an item or session, in the order of the plan."""

    def keys_of(self, name: str) -> list[str]:
        """Return the trials of an item; of a turn those of the session that it belongs to."""
        while name and name not in self.by_name:
            name = name.rpartition("/")[0]
        return self.by_name.get(name, [])


class KeptRun:
    """One run's folder between two looks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._plan: KeptPlan | None = None
        self._forget()
        self._reader: tuple[tuple[Any, ...], Reader | None] | None = None

    def _forget(self) -> None:
        self.journals: dict[str, list[KeptJournal]] = {REPLIES: [], FAILURES: [], TURNS: []}
        self._index, self._entries = Index(), dict[Entry, Entry]()
        self._places: dict[str, int] = {}

    @property
    def n_lines(self) -> int:
        """Lines whose places are kept."""
        held = sum(len(one.starts) for some in self.journals.values() for one in some)
        return held + (0 if self._plan is None else len(self._plan.by_key))

    def record(self) -> Mapping[str, Any]:
        """Return what the run says of itself now."""
        return read_record(self.path)

    def plan(self) -> KeptPlan:
        """Return the plan, read anew where it changed."""
        file = self.path / TRIALS
        now = stamp(file)
        if self._plan is None or self._plan.stamp != now:
            self._plan = _read_plan(file, now)
        return self._plan

    def look(self, *kinds: str) -> None:
        """Read what was added to the journals of these kinds."""
        known = [one for some in self.journals.values() for one in some]
        if not all(one.is_the_same() for one in known):
            self._forget()
        try:
            with without_collections():
                for kind in kinds:
                    self._look_at(kind)
        except BaseException:
            self._forget()
            raise

    def _look_at(self, kind: str) -> None:
        kept = self.journals[kind]
        for number, path in enumerate(journals(self.path, kind)):
            if number == len(kept):
                kept.append(KeptJournal(path, stamp(path)[0]))
            for line in kept[number].added():
                self._take(kind, number, line)

    def _take(self, kind: str, number: int, line: Line) -> None:
        if kind == TURNS:
            return
        key, entry = line.row["key"], Entry.of(line.row)
        shared = self._entries.setdefault(entry, entry)
        if kind == FAILURES:
            self._index.failures[key] = shared
            return
        self._index.replies[key] = shared
        self._places[key] = line.start * _MOST_JOURNALS + number

    def tally(self) -> Tally:
        """Count the outcomes of the plan as they are now."""
        plan = self.plan()
        self.look(REPLIES, FAILURES)
        return self._index.tally(plan.by_key)

    def places(self, outcome: str = "") -> Iterator[tuple[str, Path, int]]:
        """Return kind, file and place of turns where the run has them, else of replies and failed calls."""
        has_turns = bool(journals(self.path, TURNS))
        kinds = (TURNS,) if has_turns else (REPLIES, FAILURES)
        self.look(*kinds)
        wanted = _NUMBERS.get(outcome, -1)
        for kind in kinds:
            for one in self.journals[kind]:
                for start, number in zip(one.starts, one.outcomes, strict=True):
                    if not outcome or number == wanted:
                        yield kind, one.path, start

    def reply_of(self, key: str) -> Mapping[str, Any] | None:
        """Return the stored reply of a trial."""
        self.look(REPLIES)
        found = self._places.get(key)
        if found is None:
            return None
        start, number = divmod(found, _MOST_JOURNALS)
        return row_at(self.journals[REPLIES][number].path, start)

    def reader(self) -> Reader | None:
        """Return what reads the run's replies one by one; it is made once."""
        try:
            record = self.record()
        except InputError:
            record = {}  # the list of runs says what is wrong with it
        made_of = tuple(record.get(key) for key in ("suite", "options", "inputs"))
        if self._reader is None or self._reader[0] != made_of:
            self._reader = made_of, reader_of(self.path)
        return self._reader[1]


def _read_plan(path: Path, now: Stamp) -> KeptPlan:
    """Read where trials stand; a line that is none is named as in every other command."""
    plan, start = KeptPlan(now), 0
    with without_collections(), open_file(path) as file:
        for raw in file:
            row = parsed_line(raw) if len(raw) <= limits.JOURNAL_LINE else None
            if row is None:
                break
            plan.by_key[row["key"]] = start
            plan.by_name.setdefault(str(row.get("id")), []).append(row["key"])
            start += len(raw)
        else:
            return plan
    plan = KeptPlan(now)
    for line in read_lines(path):
        plan.by_key[line.row["key"]] = line.start
        plan.by_name.setdefault(str(line.row.get("id")), []).append(line.row["key"])
    return plan


def raw_at(file: BinaryIO, start: int) -> bytes:
    """Return the line that begins at a place."""
    file.seek(start)
    return file.readline()


def row_at(path: Path, start: int) -> Mapping[str, Any]:
    """Return the row that begins at a place."""
    with open_file(path) as file:
        row = parsed_line(raw_at(file, start))
    if row is None:
        raise FileFormatError(f"{path} was written anew while it was read; look again")
    return row


class KeptRuns:
    """Runs that somebody looked at, the latest of them."""

    def __init__(self) -> None:
        self._runs: dict[Path, KeptRun] = {}

    def run(self, path: Path) -> KeptRun:
        """Return what is known of a run; what is known of others is let go where it grows too large."""
        run = self._runs.pop(path, None)
        self._runs[path] = run = KeptRun(path) if run is None else run  # the latest is the last
        while len(self._runs) > 1 and sum(one.n_lines for one in self._runs.values()) > MOST_LINES:
            del self._runs[next(iter(self._runs))]
        return run


def interned(text: object) -> str:
    """Return a text that is held once however often it comes."""
    return sys.intern(str(text))
