"""How far runs are while they are asked: only what was added since the last look is read."""

import time
from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from concord.asking.folder import TRIALS, read_record
from concord.asking.index import FAILURES, REPLIES, TURNS, journals
from concord.asking.journal import open_file, parsed_line
from concord.errors import InputError
from concord.records import AskOutcome
from concord.view.folders import cost_of
from concord.view.kept import KeptRuns, interned, row_at
from concord.view.pages import cost_words
from concord.view.reading import GOOD, Reader

_NOT_USED = frozenset(map(str, AskOutcome)) - {"ok"}
_LATEST, _GROUPS = 20, 200
_SHOWN = 300
"""Letters of a reply that are shown."""
_READ_AT_ONCE = 200
"""Replies that one look reads at most: a run of 100,000 is read in the course of many looks."""
_AT_ONCE = 64 * 2**20
"""Bytes of a journal that one look counts; the next look goes on."""


@dataclass(slots=True)
class _Run:
    planned: int = 0
    plan_size: int = -1
    read: dict[Path, int] = field(default_factory=dict)
    """Bytes of each journal that are counted."""
    done: dict[str, str] = field(default_factory=dict)
    """Outcome of each trial."""
    counts: Counter[str] = field(default_factory=Counter)
    groups: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    answers: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """What single answers were read as, by condition, and calls without any."""
    latest: deque[str] = field(default_factory=lambda: deque(maxlen=_LATEST))
    reader: Reader | None = None
    to_read: deque[tuple[Path, int]] = field(default_factory=deque)
    """Where the replies stand that came and were not read yet."""
    readings: Counter[str] = field(default_factory=Counter)
    record: Mapping[str, Any] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    """Read and written, as replies say."""
    seen: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=30))
    """When somebody looked, and how many trials were done."""
    misread: deque[str] = field(default_factory=lambda: deque(maxlen=_LATEST))
    """The latest answers that were refused or could not be read."""


class LiveRuns:
    """Runs that somebody looks at."""

    def __init__(self, kept: KeptRuns | None = None) -> None:
        self._runs: dict[str, _Run] = {}
        self._kept = KeptRuns() if kept is None else kept

    def feed(self, name: str, path: Path) -> dict[str, Any]:
        """Return how far a run is, by condition, and the latest replies that could not be used."""
        run = self._runs.setdefault(name, _Run())
        size = (path / TRIALS).stat().st_size
        if size != run.plan_size:
            known = self._kept.run(path)
            run.plan_size, run.planned = size, len(known.plan().by_key)
            run.record = _record_of(path)
            run.reader = known.reader()
        for kind in (REPLIES, FAILURES, TURNS):
            for journal in journals(path, kind):
                _count(run, journal, kind)
        _read_some(run)
        counts = run.counts
        words = ", ".join(f"{counts[str(one)]:,} {one}" for one in AskOutcome if counts[str(one)])
        pace = _pace_words(run, time.monotonic())
        read, written = run.tokens
        spent = cost_words((read, written), cost_of(run.record, read, written))
        told = [f"{len(run.done):,} of {run.planned:,}", pace, words, spent]
        return {
            "planned": run.planned,
            "done": len(run.done),
            "words": " · ".join(part for part in told if part and part != "–"),
            "groups": "\n".join(
                f"{group}: {', '.join(f'{n} {outcome}' for outcome, n in found.items() if n)}"
                for group, found in sorted(run.groups.items())[:_GROUPS]
            ),
            "strips": [
                (
                    group,
                    sorted(((o, n) for o, n in found.items() if n), key=lambda one: (one[0] != GOOD, one)),
                )
                for group, found in sorted((run.answers if run.answers else run.groups).items())[:_GROUPS]
            ],
            "latest": "\n".join(reversed(run.latest)),
            "readings": _reading_words(run),
            "misread": "\n".join(reversed(run.misread)),
        }


def _record_of(path: Path) -> Mapping[str, Any]:
    """Return what a run says of itself; a record that cannot be read has no prices."""
    try:
        return read_record(path)
    except InputError:
        return {}  # the list of runs says what is wrong with it


def _pace_words(run: _Run, now: float) -> str:
    """Say how fast trials are answered and how long the rest takes; nothing where none came lately."""
    run.seen.append((now, len(run.done)))
    (began, first), done = run.seen[0], len(run.done)
    if done <= first or now - began < 1 or done >= run.planned:
        return ""
    rate = (done - first) / (now - began)
    left = (run.planned - done) / rate
    rest = f"{left:.0f} s left" if left < 90 else f"{left / 60:.0f} min left"
    return f"{rate:.1f} per second · {rest}"


def _read_some(run: _Run) -> None:
    """Read some of the replies that came, and keep those that say nothing that can be used."""
    if run.reader is None:
        run.to_read.clear()
        return
    for _ in range(min(_READ_AT_ONCE, len(run.to_read))):
        row = row_at(*run.to_read.popleft())
        group = _condition(str(row.get("id")), str(row.get("mode")))
        for one in run.reader(row):
            run.readings[one.outcome] += 1
            run.answers[group][one.outcome] += 1
            if one.outcome != GOOD:
                run.misread.append(f"{one.id} · {one.outcome}: {one.reply[:_SHOWN]}")


def _reading_words(run: _Run) -> str:
    """Say what was read so far; nothing where replies are not read one by one."""
    if run.reader is None:
        return ""
    found = ", ".join(f"{n} {outcome}" for outcome, n in run.readings.most_common())
    left = f"; {len(run.to_read):,} replies are still to be read" if run.to_read else ""
    return f"{sum(run.readings.values()):,} answers read: {found}{left}" if found else f"none read yet{left}"


def _count(run: _Run, journal: Path, kind: str) -> None:
    """Count the whole lines that were added to a journal; a file that shrank is read again."""
    begin = run.read.get(journal, 0)
    if journal.stat().st_size < begin:
        begin = 0
    place = begin
    with open_file(journal) as file:
        file.seek(begin)
        while place - begin < _AT_ONCE and (line := file.readline(_AT_ONCE)).endswith(b"\n"):
            _add(run, line, kind, (journal, place))
            place += len(line)
    run.read[journal] = place


def _condition(name: str, mode: str) -> str:
    """Return the study and condition of a trial, or its mode where items have no study."""
    study, slash, _ = name.partition("/")
    return f"{study}, {mode}" if slash else mode


def _add_tokens(run: _Run, usage: object) -> None:
    for place, key in enumerate(("input_tokens", "output_tokens")):
        n = usage.get(key) if isinstance(usage, Mapping) else None
        if isinstance(n, int) and not isinstance(n, bool) and n > 0:
            run.tokens[place] += n


def _add(run: _Run, line: bytes, kind: str, place: tuple[Path, int]) -> None:
    row = parsed_line(line)
    if row is None or "outcome" not in row:
        return  # a line that a crash cut short; resuming mends it
    name, outcome = str(row.get("id")), interned(row["outcome"])
    if kind == REPLIES or (kind == FAILURES and row.get("key") not in run.done):
        key, group = str(row.get("key")), _condition(name, str(row.get("mode")))
        if (before := run.done.get(key)) is not None:  # a later reply in the place of a failed call
            run.counts[before] -= 1
            run.groups[group][before] -= 1
        run.done[key] = outcome
        run.counts[outcome] += 1
        run.groups[group][outcome] += 1
        _add_tokens(run, row.get("usage"))
        if outcome != GOOD and run.reader is not None:
            run.answers[group][outcome] += 1
        if kind == REPLIES and outcome == GOOD:
            run.to_read.append(place)
    if outcome in _NOT_USED:
        run.latest.append(f"{name} · {outcome}: {str(row.get('response', row.get('error', '')))[:_SHOWN]}")
