"""What a run's folder holds, read once: outcome and tokens of every stored reply, by its key.

Replies themselves stay on the disk: a journal of a hundred thousand lines takes a few dozen megabytes here.
"""

import gc
import re
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from concord.asking.journal import Line, check_row, read_lines
from concord.records import AskOutcome

REPLIES, FAILURES, TURNS = "replies.jsonl", "failures.jsonl", "turns.jsonl"

Name = tuple[str, str, int]


class Entry(NamedTuple):
    """What is known of a stored reply without its text."""

    outcome: str
    input_tokens: int | None
    output_tokens: int | None
    again: str | None = None
    """With which settings it was asked again, where it was."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Entry":
        """Return the entry of a row."""
        usage = row.get("usage")
        known = usage if isinstance(usage, dict) else {}
        outcome = sys.intern(str(row["outcome"]))
        return cls(outcome, known.get("input_tokens"), known.get("output_tokens"), row.get("again"))


@dataclass(slots=True)
class Tally:
    """Outcomes and tokens of a run, counted as they arrive."""

    outcomes: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    n_unknown_usage: int = 0
    """Calls whose tokens nobody said; the sums are over the others."""

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

    def entry(self, key: str) -> Entry | None:
        """Return what became of a trial: its reply, or else its last failed call."""
        return self.replies.get(key, self.failures.get(key))

    def add(self, row: Mapping[str, Any]) -> None:
        """Add what was stored just now."""
        failed = row["outcome"] == AskOutcome.FAILED
        (self.failures if failed else self.replies)[row["key"]] = self.shared(row)

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
    """Return the name of the journal of one process among several.

    Examples
    --------
    >>> shard_name("replies.jsonl", 0), shard_name("replies.jsonl", 2)
    ('replies.jsonl', 'replies-2.jsonl')
    """
    return name if shard == 0 else f"{Path(name).stem}-{shard}.jsonl"


def stored_lines(folder: Path, name: str) -> Iterator[tuple[Path, Line]]:
    """Read all journals of one kind, line by line, each row checked."""
    for path in journals(folder, name):
        for line in read_lines(path):
            check_row(path, line)
            yield path, line


def read_index(folder: Path, planned: Container[str]) -> Index:
    """Read what a folder holds, once."""
    index = Index(sizes={path.name: path.stat().st_size for path in _all(folder)})
    with without_collections():
        for _, line in stored_lines(folder, REPLIES):
            row, key = line.row, line.row["key"]
            index.replies[key] = index.shared(row)
            if key not in planned:
                index.outside[key] = (row["id"], row["mode"], row["repeat"])
        for _, line in stored_lines(folder, FAILURES):
            index.failures[line.row["key"]] = index.shared(line.row)
    return index


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
