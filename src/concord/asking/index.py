"""The index beside the journals of a long run: a folder is opened without reading every line again.

It is a cache and nothing else. It is used where it is whole (its own digest), and where the journals and the
plan still begin with the very bytes that it was made from (theirs); lines that came later are read and added.
Missing, torn, stale or changed, it is made anew from the journals, which alone say what a run holds.
"""

import contextlib
import hashlib
import weakref
from array import array
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from pydantic_core import from_json

from concord.asking.journal import (
    FAILURES,
    REPLIES,
    Entry,
    Index,
    check_row,
    journals,
    line_bytes,
    open_file,
    parsed_line,
    read_lines,
    replace_file,
    stored_lines,
    without_collections,
)
from concord.asking.requests import KEY_BYTES, Keys
from concord.errors import FileFormatError, RunFolderError
from concord.files.rows import LongSequence
from concord.records import AskOutcome

INDEX, TRIALS = "index.bin", "trials.jsonl"
WORTH = 2_000
"""Lines from which on an index is written; fewer are read in no time."""
_BLOCK = 2**20
_PLACE_BITS = 48
"""Of where a line begins in its file; the number of the file is above."""
_LARGEST = 2**30
"""Bytes of an index: that of ten million replies is smaller."""
_MADE = hashlib.sha256(repr(("1", Entry._fields)).encode()).hexdigest()
"""Changes with what is kept of a reply."""
_OUTCOMES = frozenset(map(str, AskOutcome))


@dataclass(frozen=True, slots=True)
class _Covered:
    """The beginning of a file that an index was made from."""

    size: int
    lines: int
    sha256: str


@dataclass(slots=True)
class _Held:
    """What an index says."""

    files: dict[str, _Covered] = field(default_factory=dict)
    replies: dict[str, Entry] = field(default_factory=dict)
    failures: dict[str, Entry] = field(default_factory=dict)
    plan: Collection[str] = ()


def read_index(folder: Path, planned: Collection[str]) -> Index:
    """Read what a folder holds, once: from the index as far as it goes, from the journals beyond it."""
    return _up_to_date(folder, _kept_index(folder), planned)


def read_planned(folder: Path) -> tuple[Index, Collection[str]]:
    """Read what a folder holds, and the keys of its plan in their order."""
    held = _kept_index(folder)
    keys = _plan_of(folder, held)
    return _up_to_date(folder, held, keys), keys


def planned_keys(folder: Path) -> Collection[str]:
    """Return the keys of a plan, in their order."""
    return _plan_of(folder, _kept_index(folder, plan_only=True))


def _plan_of(folder: Path, held: _Held | None) -> Collection[str]:
    if held is not None:
        return held.plan
    with without_collections():
        return [line.row["key"] for line in read_lines(folder / TRIALS)]


def _up_to_date(folder: Path, held: _Held | None, planned: Collection[str]) -> Index:
    with without_collections():
        index, n_read = _with_new_lines(folder, _Held() if held is None else held)
        _find_outside(folder, index, planned)
    if n_read >= WORTH and (folder / TRIALS).exists():
        write_index(folder, index, planned)
    return index


def write_index(folder: Path, index: Index, planned: Iterable[str]) -> None:
    """Write the index of a folder whose journals are read to their ends; one that cannot be is left out."""
    entries: dict[Entry, int] = {}
    columns = []
    try:
        for found in (index.replies, index.failures):
            columns.append(_digests(found))
            ids = array("I", (entries.setdefault(one, len(entries)) for one in found.values()))
            columns.append(ids.tobytes())
        columns.append(_digests(planned))
    except ValueError:  # keys that are none of ours
        return
    lengths = list(map(len, columns))
    if lengths[0] != KEY_BYTES * len(index.replies) or lengths[2] != KEY_BYTES * len(index.failures):
        return
    with contextlib.suppress(OSError, RunFolderError, FileFormatError):
        files = {path.name: _covered(path) for path in _indexed_files(folder)}
        head = {
            "made": _MADE,
            "files": {name: [one.size, one.lines, one.sha256] for name, one in files.items()},
            "columns": lengths,
            "entries": list(entries),
        }
        rest = b"".join((line_bytes(head), *columns))
        replace_file(folder / INDEX, [hashlib.sha256(rest).digest(), rest])


def _digests(keys: Iterable[str]) -> bytes:
    """Return keys as bytes, behind each other; one at a time, for a long run has many."""
    packed = bytearray()
    for key in keys:
        packed += bytes.fromhex(key)
    return bytes(packed)


def _indexed_files(folder: Path) -> list[Path]:
    plan = folder / TRIALS
    return [*journals(folder, REPLIES), *journals(folder, FAILURES), *([plan] if plan.exists() else [])]


def _covered(path: Path, size: int | None = None) -> _Covered:
    """Return size, lines and digest of a file up to its last whole line, or of so many of its bytes."""
    with open_file(path) as file:
        left = _end_of_last_line(file) if size is None else size
        digest, lines, total = hashlib.sha256(), 0, left
        file.seek(0)
        while left and (block := file.read(min(_BLOCK, left))):
            digest.update(block)
            lines += block.count(b"\n")
            left -= len(block)
    return _Covered(total - left, lines, digest.hexdigest())


def _end_of_last_line(file: BinaryIO) -> int:
    """Return where the last whole line of a file ends."""
    end = file.seek(0, 2)
    while end:
        begin = max(0, end - _BLOCK)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def _kept_index(folder: Path, *, plan_only: bool = False) -> _Held | None:
    """Return what the index says, where it is whole and was made from what the folder's files begin with."""
    path = folder / INDEX
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        with path.open("rb") as file:
            expected, line = file.read(KEY_BYTES), file.readline()
            digest, head = hashlib.sha256(line), from_json(line)
            columns = [_column(file, length, digest, kept=not plan_only) for length in head["columns"][:-1]]
            columns.append(_column(file, head["columns"][-1], digest))
        if digest.digest() != expected:
            return None
        with without_collections():
            held = _unpacked_index(head, columns, plan_only=plan_only)
        files = {one.name: one for one in _indexed_files(folder)}
        for name, known in held.files.items():
            if name not in files or _covered(files[name], known.size) != known:
                return None
        if TRIALS in files and held.files[TRIALS].size != files[TRIALS].stat().st_size:
            return None
    except (OSError, ValueError, LookupError, TypeError, FileFormatError):
        return None
    return held


def _column(file: BinaryIO, length: int, digest: Any, *, kept: bool = True) -> bytes:
    """Read a column of an index, and return it where it is kept."""
    found = bytearray()
    while length > 0 and (block := file.read(min(_BLOCK, length))):
        digest.update(block)
        length -= len(block)
        found += block if kept else b""
    return bytes(found)


def _unpacked_index(head: Mapping[str, Any], columns: list[bytes], *, plan_only: bool) -> _Held:
    """Return the parts of an index; what does not fit raises an error that `_kept_index` knows."""
    if head["made"] != _MADE or (not plan_only and head["columns"] != list(map(len, columns))):
        raise ValueError
    entries = [_sound_entry(one) for one in head["entries"]]
    replies, reply_ids, failures, failure_ids, plan = columns
    files = {str(name): _Covered(*one) for name, one in head["files"].items()}
    if plan_only:
        return _Held(files, plan=Keys(plan))
    found = _entries_by_key(replies, reply_ids, entries), _entries_by_key(failures, failure_ids, entries)
    return _Held(files, *found, Keys(plan))


def _sound_entry(held: list[Any]) -> Entry:
    entry = Entry(*held)
    read, parts = tuple((str(name), int(n)) for name, n in entry.answers), tuple(map(int, entry.parts))
    entry = entry._replace(answers=read, parts=(parts[0], parts[1], parts[2]))
    if entry.outcome not in _OUTCOMES:
        raise ValueError
    return entry


def _entries_by_key(digests: bytes, numbers: bytes, entries: list[Entry]) -> dict[str, Entry]:
    ids = array("I")
    ids.frombytes(numbers)
    return dict(zip(Keys(digests), map(entries.__getitem__, ids), strict=True))


def _with_new_lines(folder: Path, held: _Held) -> tuple[Index, int]:
    """Return the index with the lines that it does not know yet, and how many these were."""
    sizes = {path.name: path.stat().st_size for path in _indexed_files(folder) if path.name != TRIALS}
    index = Index(held.replies, held.failures, sizes=sizes)
    index.know((*held.replies.values(), *held.failures.values()))
    n_read = 0
    for name, found in ((REPLIES, index.replies), (FAILURES, index.failures)):
        for path in journals(folder, name):
            known = held.files.get(path.name, _Covered(0, 0, ""))
            for line in read_lines(path, known.size, known.lines):
                found[line.row["key"]] = index.shared(check_row(path, line))
                n_read += 1
    return index, n_read


def _find_outside(folder: Path, index: Index, planned: Collection[str]) -> None:
    """Name the replies that the plan does not hold; journals are read for it only where there are some."""
    if sum(key in index.replies for key in planned) == len(index.replies):
        return
    within = frozenset(planned)
    for _, line in stored_lines(folder, REPLIES):
        row = line.row
        if row["key"] not in within:
            index.outside[row["key"]] = (row["id"], row["mode"], row["repeat"])


_CODE = 16
"""Bytes that stand for a key while keys are looked for."""


def _key_code(key: str) -> bytes:
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=_CODE).digest()


class StoredRows(LongSequence[Mapping[str, Any]]):
    """The rows of some trials in their order, read from the journals as they are looked at."""

    def __init__(self, folder: Path, keys: Iterable[str]) -> None:
        self._files: list[BinaryIO] = []
        codes, places = bytearray(), array("q")  # a dict of all keys would be ten times as large
        for name in (FAILURES, REPLIES):  # a reply takes the place of failed calls
            for path in journals(folder, name):
                begin = len(self._files) << _PLACE_BITS
                self._files.append(open_file(path))
                weakref.finalize(self, self._files[-1].close)
                for line in read_lines(path):
                    codes += _key_code(check_row(path, line)["key"])
                    places.append(begin + line.start)
        sought = bytearray()
        for key in keys:
            sought += _key_code(key)
        known, wanted = (np.frombuffer(one, f"S{_CODE}") for one in (codes, sought))
        order = np.argsort(known, kind="stable")
        last = np.searchsorted(known, wanted, side="right", sorter=order) - 1  # -1 where none is as small
        at = order[last] if len(order) else last[:0]
        self._places = np.asarray(places)[at[known[at] == wanted[: len(at)]]]

    def __len__(self) -> int:
        return len(self._places)

    def _entry(self, place: int) -> Mapping[str, Any]:
        number, begin = divmod(int(self._places[place]), 1 << _PLACE_BITS)
        file = self._files[number]
        file.seek(begin)
        row = parsed_line(file.readline())
        if row is None:
            raise FileFormatError(f"{file.name} has changed while it was read; try again")
        return row
