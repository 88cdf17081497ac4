"""What a folder holds: runs with how far they are, also while they are asked, and results in one line."""

import os
import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from concord.asking.folder import RECORD, read_record
from concord.asking.index import TRIALS
from concord.asking.journal import (
    ANSWERS,
    ASKED_AGAIN,
    AWAITS,
    FAILURES,
    REPLIES,
    TURNS,
    Tally,
    journals,
    open_file,
    parsed_line,
)
from concord.asking.ledger import Account, Paid, account_of
from concord.asking.limits import cost_of, recorded_prices
from concord.asking.talks import read_words
from concord.comparing.comparison import Comparison
from concord.errors import InputError
from concord.files.documents import document_facts
from concord.kinds import Kind
from concord.number_words import in_money, number
from concord.records import AskOutcome
from concord.show.page.context import read_compared
from concord.show.page.find import read_document
from concord.show.page.findings import kind_finding
from concord.show.page.panel import FindingInputs, Panel
from concord.show.page.values import ResultFile
from concord.view.replies import GOOD, KeptRuns, Reader, Stamp, row_at, stamp


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run's folder in one line."""

    name: str
    """Path below the folder that is shown."""
    suite: str
    model: str
    n_planned: int
    outcomes: Mapping[str, int]
    problem: str = ""
    changed: str = ""
    """When the last reply was stored."""
    status: str = ""
    """As the run itself says: running, finished, interrupted, or what stopped it."""
    over: str = ""
    """Its studies, or the design of its items."""
    tokens: tuple[int, int] = (0, 0)
    """Read and written."""
    cost: float | None = None
    """In the currency of its prices; ``None`` where it was given none."""
    answers: Mapping[str, int] = field(default_factory=dict)
    """What became of reading the answers, counted; empty where replies are not read as answers."""
    n_again: int = 0
    """Answers that were asked for once more."""
    warnings: tuple[str, ...] = ()
    """Who answered in the place of the model that was asked."""

    @property
    def done(self) -> int:
        """Trials with an outcome."""
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True)
class FoundResult:
    """A folder of results in one line."""

    name: str
    """Path below the folder that is shown."""
    files: tuple[str, ...]
    changed: str
    """When the last of them was written."""
    model: str = ""
    said: str = ""
    """Its headline number, where a file gives one."""
    about: str = ""
    """What its files are about, in words."""


MOST_FOLDERS = 5000


class RunStates:
    """How far runs are: each is read anew only where one of its files changed."""

    def __init__(self, kept: KeptRuns | None = None) -> None:
        self.kept = KeptRuns() if kept is None else kept
        self._known: dict[Path, tuple[tuple[Stamp, ...], FoundRun]] = {}

    def of(self, path: Path, name: str) -> FoundRun:
        """Return how far a run is, whether it is being asked or not."""
        files = [path / RECORD, path / TRIALS, *journals(path, REPLIES), *journals(path, FAILURES)]
        now = tuple(map(stamp, files))
        known = self._known.get(path)
        if known is None or known[0] != now or known[1].name != name:
            self._known[path] = known = now, state_of(self.kept, path, name)
        return known[1]


def found_folders(
    root: Path, result_files: Collection[str], states: RunStates
) -> tuple[list[FoundRun], list[FoundResult]]:
    """Return every run below a folder, and every folder with a file of these names."""
    runs, results, shown = [], [], frozenset(result_files)
    for i, (where, folders, files) in enumerate(os.walk(root)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if i >= MOST_FOLDERS:
            break
        path = Path(where)
        name = path.relative_to(root).as_posix()
        if RECORD in files and TRIALS in files:
            runs.append(states.of(path, name))
        if held := sorted(shown.intersection(files)):
            results.append(FoundResult(name, tuple(held), _last_change(path / file for file in held)))
    return runs, results


def _last_change(files: Iterable[Path]) -> str:
    """Return when the youngest of files was written, to the minute."""
    when = max(file.stat().st_mtime for file in files)
    return datetime.fromtimestamp(when, tz=UTC).strftime("%Y-%m-%d %H:%M")


def state_of(kept: KeptRuns, path: Path, name: str) -> FoundRun:
    """Return how far a run is, whether it is being asked or not."""
    run = kept.run(path)
    try:
        record = run.record()
        ended = _counted_itself(path, record)
        n_planned, tally = (len(run.plan().by_key), run.tally()) if ended is None else ended
    except InputError as fault:
        return FoundRun(name, "", "", 0, {}, str(fault))
    counts = {str(one): tally.outcomes[str(one)] for one in AskOutcome if one != AskOutcome.NOT_ASKED}
    known = {outcome: n for outcome, n in counts.items() if n}
    when = _last_change(one for one in (path / REPLIES, path / RECORD) if one.exists())
    account = Account.of(record)
    account_of(path, account)
    paid = account.paid if account.parts else Paid.of(tally)
    stopped, options = record.get("stopped"), record["options"]
    status = str(record.get("status", ""))
    over = [str(options[key]) for key in ("studies", "study", "items", "arranger") if options.get(key)]
    return FoundRun(
        name,
        str(record["suite"]),
        str(record["model"]),
        n_planned,
        known,
        changed=when,
        status=f"{status}: {stopped}" if isinstance(stopped, str) and stopped else status,
        over=", ".join(over),
        tokens=(paid.input_tokens, paid.output_tokens),
        cost=_cost_of_run(paid, record),
        answers=dict(tally.answers),
        n_again=tally.n_asked_again,
        warnings=tuple(account.warnings()),
    )


def _counted_itself(path: Path, record: Mapping[str, Any]) -> tuple[int, Tally] | None:
    """Return what a run that has ended counted itself; ``None`` where something was written since."""
    outcomes, tokens, n = record.get("outcomes"), record.get("tokens"), record.get("n_trials")
    written = stamp(path / RECORD)[1]
    files = [path / TRIALS, *journals(path, REPLIES), *journals(path, FAILURES)]
    if (
        record.get("status") != "finished"
        or record.get("plan_size") != stamp(path / TRIALS)[2]
        or any(stamp(file)[1] > written for file in files)
        or not (isinstance(outcomes, Mapping) and isinstance(tokens, Mapping))
    ):
        return None
    counts = [*outcomes.values(), n, tokens.get("input"), tokens.get("output")]
    if not all(type(one) is int and one >= 0 for one in counts) or sum(outcomes.values()) != n:
        return None
    tally = Tally(Counter(outcomes), tokens["input"], tokens["output"])
    answers, again = record.get("answers_read", {}), record.get("asked_again", 0)
    known = [*answers.values(), again] if isinstance(answers, Mapping) else [None]
    if not all(type(one) is int and one >= 0 for one in known):
        return None
    tally.answers, tally.n_asked_again = Counter(answers), again
    return sum(outcomes.values()), tally


def _cost_of_run(paid: Paid, record: Mapping[str, Any]) -> float | None:
    """Return what a run cost; ``None`` where its prices are not known."""
    prices = recorded_prices(record)
    return cost_of(paid, prices) if prices is not None or paid.calls else None


MOST = 100
"""Results that are looked into for one list."""


def with_headlines(
    root: Path, results: list[FoundResult], panels: Sequence[Panel], sections: Sequence[type[Kind]]
) -> list[FoundResult]:
    """Return results with their model and their headline number, the first hundred of them."""
    named = {panel.kind.FILE: panel.said("agrees") for panel in panels}
    named[Comparison.FILE] = "comparison of models"
    named |= {one.FILE: one.HEADING[:1].lower() + one.HEADING[1:] for one in sections}
    told = [
        replace(one, about=", ".join(dict.fromkeys(named.get(file, file) for file in one.files)))
        for one in results
    ]
    shown = [headline_of(root / one.name, one, panels) for one in told[:MOST]]
    return [
        *(one if one.said else sentence_of(root / one.name, one, sections) for one in shown),
        *told[MOST:],
    ]


LARGEST = 5_000_000
"""Bytes of a further result that is looked into for a list."""


def sentence_of(path: Path, found: FoundResult, sections: Sequence[type[Kind]]) -> FoundResult:
    """Return a result with the first sentence of its further files; as it was where they cannot be read."""
    compared = _compared_words(path / Comparison.FILE) if Comparison.FILE in found.files else ""
    if compared:
        return replace(found, said=compared)
    for kind in sections:
        file = path / kind.FILE
        if kind.FILE not in found.files or not file.is_file() or file.stat().st_size > LARGEST:
            continue
        try:
            if kind.KEY not in read_document(file):
                continue
            record = kind.read(path)
        except InputError:
            continue  # the page says what is wrong with it
        who = record.who()
        names = found.model if found.model or len(who) != 1 else who[0]
        return replace(found, model=names, said=kind_finding(record).title)
    return found


def _compared_words(file: Path) -> str:
    """Return what a comparison shows; nothing where it cannot be read."""
    try:
        if file.stat().st_size > LARGEST:
            return ""
        document = read_document(file)
        return read_compared(file.parent, document).sentences()[0]
    except (InputError, OSError):
        return ""  # the page says what is wrong with it


def headline_of(path: Path, found: FoundResult, panels: Sequence[Panel]) -> FoundResult:
    """Return a result with what its files say first; as it was where they cannot be read."""
    said, models = [], []
    for panel in panels:
        if panel.kind.FILE not in found.files:
            continue
        try:
            document = read_document(path / panel.kind.FILE)
            if panel.kind.KEY not in document:
                continue
            model = document_facts(document).model
            source = ResultFile(panel.name, path / panel.kind.FILE, document, model, panel.kind.FILE)
            views, _ = panel.read(source)
        except InputError:
            continue  # the page says what is wrong with it
        models += [view.model for view in views]
        if views:
            said.append(
                panel.finding(FindingInputs(views, None, {view.label: view.model for view in views})).title
            )
    shown = list(dict.fromkeys(one for one in models if one))
    names = ", ".join(shown[:2]) + (f" and {len(shown) - 2} more" if len(shown) > 2 else "")
    return replace(found, model=names, said="; ".join(said))


def cost_words(tokens: tuple[int, int], cost: float | None) -> str:
    """Say what a run cost, and without prices how many tokens it took."""
    if cost is not None:
        return f"cost {in_money(cost)}"
    return f"{sum(tokens):,} tokens" if sum(tokens) else "–"


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
    stored_answers: Counter[str] = field(default_factory=Counter)
    """What became of reading the answers when they were stored."""
    n_again: int = 0
    record: Mapping[str, Any] = field(default_factory=dict)
    account: Account = field(default_factory=Account)
    """What was paid, and who answered."""
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
            run.account = Account.of(run.record)
            run.reader = known.reader()
        for kind in (REPLIES, FAILURES, TURNS):
            for journal in journals(path, kind):
                _count(run, journal, kind)
        _read_some(run)
        counts = run.counts
        words = ", ".join(f"{counts[str(one)]:,} {one}" for one in AskOutcome if counts[str(one)])
        pace = _pace_words(run, time.monotonic())
        account_of(path, run.account)
        paid = run.account.paid if run.account.parts else Paid.of(self._kept.run(path).tally())
        spent = cost_words((paid.input_tokens, paid.output_tokens), _cost_of_run(paid, run.record))
        answers = read_words(run.stored_answers, run.n_again)
        warned = [f"warning: {said}" for said in run.account.warnings()]
        told = [f"{len(run.done):,} of {run.planned:,}", pace, words, answers, spent, *warned]
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
    rest = f"{number(left, 0)} s left" if left < 90 else f"{number(left / 60, 0)} min left"
    return f"{number(rate, 1)} per second · {rest}"


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
    found = read_words(dict(run.readings.most_common()))
    left = f"; {len(run.to_read):,} replies are still to be read" if run.to_read else ""
    return f"{found}{left}" if found else f"none read yet{left}"


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


def _add_answers(run: _Run, row: Mapping[str, Any]) -> None:
    answers, again = row.get(ANSWERS), row.get(ASKED_AGAIN)
    counted = answers if isinstance(answers, Mapping) else {}
    run.stored_answers.update({str(name): n for name, n in counted.items() if type(n) is int and n > 0})
    run.n_again += again if type(again) is int and again > 0 else 0


def _add(run: _Run, line: bytes, kind: str, place: tuple[Path, int]) -> None:
    row = parsed_line(line)
    if row is None or "outcome" not in row:
        return  # a line that a crash cut short; resuming mends it
    name, outcome = str(row.get("id")), sys.intern(str(row["outcome"]))
    if kind == REPLIES or (kind == FAILURES and row.get("key") not in run.done):
        key, group = str(row.get("key")), _condition(name, str(row.get("mode")))
        if (before := run.done.get(key)) is not None:  # a later reply in the place of a failed call
            run.counts[before] -= 1
            run.groups[group][before] -= 1
        run.done[key] = outcome
        run.counts[outcome] += 1
        run.groups[group][outcome] += 1
        if row.get(AWAITS) is True:
            return  # the line that follows holds both replies
        _add_answers(run, row)
        if outcome != GOOD and run.reader is not None:
            run.answers[group][outcome] += 1
        if kind == REPLIES and outcome == GOOD:
            run.to_read.append(place)
    if outcome in _NOT_USED:
        run.latest.append(f"{name} · {outcome}: {str(row.get('response', row.get('error', '')))[:_SHOWN]}")
