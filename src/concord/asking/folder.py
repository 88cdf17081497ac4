"""A run's folder: its record, its plan, its replies and turns. What may be resumed into, what is in it."""

import hashlib
import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from concord.asking.connection import Redactor
from concord.asking.index import (
    TRIALS,
    WORTH,
    StoredRows,
    planned_keys,
    read_index,
    read_planned,
    write_index,
)
from concord.asking.journal import (
    FAILURES,
    REPLIES,
    TURNS,
    Index,
    Journal,
    LineTooLongError,
    Tally,
    journals,
    line_bytes,
    read_lines,
    replace_file,
    shard_name,
    stored_lines,
)
from concord.asking.requests import OFF, Again, Request, Requests
from concord.errors import FileFormatError, RunFolderError
from concord.files.contents import read_bytes
from concord.records import Answer, AnswerForm, AskOutcome, Usage

FORMAT_VERSION = 1
RECORD = "run.json"
SUPERSEDED, INPUTS, LOGS = "superseded.jsonl", "inputs", "logs"
_OLDER = {"structured": OFF, "ask_again": 0}
"""How runs were asked whose record does not say so: they are older than the option."""
_KINDS = {str: "a text", dict: "an object"}
_RECORD_BYTES = 16 * 2**20
"""Bytes of the record of a run, which is a few kilobytes."""
_RECORD_FIELDS = (("suite", str), ("model", str), ("options", dict), ("sampling", dict), ("templates", dict))
AGAIN = (
    AskOutcome.TRUNCATED,
    AskOutcome.EMPTY,
    AskOutcome.FILTERED,
    AskOutcome.OVERFLOW,
    AskOutcome.TOO_LONG,
)
"""Outcomes that may be asked anew."""
_ALWAYS = ("input_tokens", "output_tokens")
"""Counts of a stored line that are there also where nobody said them."""
_USAGE = tuple(one.name for one in fields(Usage))
_SESSION = ("started", "ended", "status", "stopped")
"""What a run's record holds of each session."""
_STATUS_OK = (AskOutcome.OK, AskOutcome.EMPTY, AskOutcome.TRUNCATED)
"""Outcomes with a reply to look at; readers of replies take another status for a failed call."""


def reply_row(request: Request, answer: Answer, model: str) -> dict[str, Any]:
    """Return the line that a reply leaves in the journal."""
    trial = request.trial
    row: dict[str, Any] = {
        "key": request.key,
        "id": trial.item,
        "mode": trial.cell,
        "repeat": trial.repeat,
        "status": "ok" if answer.outcome in _STATUS_OK else str(answer.outcome),
        "outcome": str(answer.outcome),
        "response": answer.response,
    }
    optional = {"thinking": answer.thinking, "stop_reason": answer.stop_reason, "error": answer.error}
    row.update((name, value) for name, value in optional.items() if value is not None)
    return {
        **row,
        "model": model,
        "template": trial.template,
        "usage": {name: n for name, n in _usage_counts(answer.usage) if n is not None or name in _ALWAYS},
        "seconds": answer.seconds,
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        **dict(answer.more),
    }


def _usage_counts(usage: Usage) -> Iterator[tuple[str, int | None]]:
    """Return the counts by their names; `asdict` copies each one, at every call of a run."""
    return ((name, getattr(usage, name)) for name in _USAGE)


def left_to_ask(requests: Requests, index: Index, again: Again | None = None) -> Requests:
    """Return the requests without a stored reply, or with one that is to be asked anew."""
    if not index.replies:
        return requests
    outcomes, tag = (frozenset[str](), None) if again is None else (again.outcomes, again.tag)

    def wanted(key: str) -> bool:
        entry = index.replies.get(key)
        return entry is None or entry.awaits or (entry.outcome in outcomes and entry.again != tag)

    return requests.where(wanted)


class ReplyStore:
    """The journals of one process of a run: replies, and failed calls apart from them."""

    def __init__(self, path: Path, model: str, redactor: Redactor, shard: int = 0) -> None:
        self._model, self._redactor = model, redactor
        self._replies = Journal(path / shard_name(REPLIES, shard))
        try:
            self._failures = Journal(path / shard_name(FAILURES, shard))
        except BaseException:
            self._replies.close()
            raise

    def store(self, request: Request, answer: Answer) -> Mapping[str, Any]:
        """Write an answer down at once and return its line."""
        row: Mapping[str, Any] = self._redactor.value(reply_row(request, answer, self._model))
        failed = answer.outcome is AskOutcome.FAILED
        journal = self._failures if failed else self._replies
        try:
            journal.append(row)
        except LineTooLongError as fault:
            short = Answer(AskOutcome.TOO_LONG, "", error=str(fault), usage=answer.usage)
            row = self._redactor.value(reply_row(request, short, self._model))
            journal.append(row)
        return row

    def close(self) -> None:
        """Put everything on the disk and let go of the files."""
        self._replies.close()
        self._failures.close()


class RunFolder:
    """The folder of one run, open for writing."""

    def __init__(
        self,
        path: Path,
        record: Mapping[str, Any],
        requests: Requests,
        *,
        redactor: Redactor | None = None,
        index: Index | None = None,
    ) -> None:
        self.path, self.record, self._n_stored = path, dict(record), 0
        self.redactor = Redactor() if redactor is None else redactor
        self.requests = requests
        refuse_other_run(path, record)
        self._go_on(read_record(path) if (path / RECORD).exists() else {})
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise RunFolderError.cannot_write(path, fault) from fault
        self._store = ReplyStore(path, self.record["model"], self.redactor)
        try:
            current = index is not None and index.is_current(path)
            self.index = index if index is not None and current else read_index(path, requests.keys())
            self.n_superseded = self._set_aside()
            self._write_plan()
            self.write_record(status="running")
        except BaseException:
            self._store.close()
            raise

    def _go_on(self, held: Mapping[str, Any]) -> None:
        """Keep what an earlier session of the run has written: when it was, and what was paid."""
        known = held.get("sessions")
        before = known if isinstance(known, list) else []
        if held and not before:
            before = [{name: held.get(name) for name in _SESSION}]
        this = {name: self.record.get(name) for name in _SESSION}
        self.record["sessions"] = [*before, this]
        if before:
            self.record["started"] = before[0].get("started")
        if "paid" in held:
            self.record["paid"] = held["paid"]

    def end_session(self, **changes: Any) -> None:
        """Write the record of a session that ends; one that asked nothing is not among the others."""
        *before, this = self.record["sessions"]
        this = {**this, "ended": now(), **{name: changes.get(name) for name in ("status", "stopped")}}
        asked = self._n_stored > 0 or not before
        last = this if asked else before[-1]
        self.write_record(**changes, ended=last["ended"], sessions=[*before, this] if asked else before)

    def missing(self, again: Again | None = None) -> Requests:
        """Return the requests to ask, in the order of the plan."""
        return left_to_ask(self.requests, self.index, again)

    def awaiting(self) -> dict[str, Mapping[str, Any]]:
        """Return the stored lines after which one more turn is still to be asked, by their keys."""
        keys = {key for key in self.requests.keys() if self.index.awaits(key)}  # noqa: SIM118
        rows = (line.row for _, line in stored_lines(self.path, REPLIES)) if keys else ()
        return {row["key"]: row for row in rows if row["key"] in keys}

    def tally(self) -> Tally:
        """Count the outcomes of the plan as they are now."""
        return self.index.tally(self.requests.keys())

    def store(self, request: Request, answer: Answer) -> Mapping[str, Any]:
        """Write an answer down at once: replies to the journal, failed calls to a file of their own."""
        row = self._store.store(request, answer)
        self.index.add(row)
        self._n_stored += 1
        return row

    def read_again(self) -> None:
        """Read what other processes have stored."""
        self.index = read_index(self.path, self.requests.keys())
        self._n_stored += 1

    def write_record(self, **changes: Any) -> None:
        """Write the run's record with some fields changed."""
        self.record.update(changes)
        _write_record(self.path, self.redactor.value(self.record))

    def copy_inputs(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Keep the question files in the folder."""
        folder = self.path / INPUTS
        for name, data in files:
            try:
                folder.mkdir(exist_ok=True)
            except OSError as fault:
                raise RunFolderError.cannot_write(folder, fault) from fault
            if not (folder / name).is_file() or (folder / name).read_bytes() != data:
                replace_file(folder / name, [data])

    def close(self) -> None:
        """Let go of the folder; a long run leaves an index, with which it is opened in no time."""
        self._store.close()
        if self._n_stored >= WORTH:
            write_index(self.path, self.index, self.requests.keys())

    def _write_plan(self) -> None:
        """Write the plan, unless the folder holds the very same."""
        whole = hashlib.sha256()
        for key in self.requests.keys():  # noqa: SIM118
            whole.update(key.encode())
        digest = self.record["plan_sha256"] = whole.hexdigest()
        file = self.path / TRIALS
        if file.is_file() and (self.path / RECORD).is_file():
            held = read_record(self.path)
            if (held.get("plan_sha256"), held.get("plan_size")) == (digest, file.stat().st_size):
                self.record["plan_size"] = held["plan_size"]
                return
        replace_file(file, map(line_bytes, map(_planned, self.requests)))
        self.record["plan_size"] = file.stat().st_size

    def _set_aside(self) -> int:
        """Move replies to prompts that have changed out of the journals, so that no score can use them."""
        if not self.index.outside:
            return 0
        names = {trial.name for trial in self.requests.trials}
        old = {key for key, name in self.index.outside.items() if name in names}
        if not old:
            return 0
        with Journal(self.path / SUPERSEDED) as aside:
            for _, line in stored_lines(self.path, REPLIES):
                if line.row["key"] in old:
                    aside.append(line.row)
        self._store.close()
        for path in journals(self.path, REPLIES):
            kept = (line_bytes(line.row) for line in read_lines(path) if line.row["key"] not in old)
            replace_file(path, kept)
        self._store = ReplyStore(self.path, self.record["model"], self.redactor)
        for key in old:
            del self.index.replies[key], self.index.outside[key]
        return len(old)


def update_record(path: Path, changes: Mapping[str, Any]) -> None:
    """Write the record of a run whose folder nobody holds with some fields changed."""
    _write_record(path, {**read_record(path), **changes})


def _write_record(path: Path, record: Mapping[str, Any]) -> None:
    text = json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False)
    replace_file(path / RECORD, [f"{text}\n".encode()])


def now() -> str:
    """Return the time as records hold it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _planned(request: Request) -> dict[str, Any]:
    """Return the line of a trial in the plan."""
    return {
        "key": request.key,
        "id": request.trial.item,
        "mode": request.trial.cell,
        "repeat": request.trial.repeat,
        "template": request.trial.template,
        "messages": [asdict(message) for message in request.trial.messages],
        **({"about": dict(request.trial.about)} if request.trial.about else {}),
        **({"forms": [_form(form) for form in request.trial.forms]} if request.trial.forms else {}),
    }


@lru_cache(maxsize=8192)
def _form(form: AnswerForm) -> dict[str, Any]:
    """Return the form of an answer without what is usual."""
    usual = asdict(AnswerForm(form.kind))
    return {name: value for name, value in asdict(form).items() if name == "kind" or value != usual[name]}


def forms_of(row: Mapping[str, Any]) -> tuple[AnswerForm, ...]:
    """Return the forms of the answers that a line of the plan asks for."""
    found = []
    for held in row.get("forms", ()):
        names = tuple((str(name), str(words)) for name, words in held.get("names", ()))
        found.append(AnswerForm(**{**held, "names": names}))
    return tuple(found)


def refuse_other_run(path: Path, record: Mapping[str, Any]) -> None:
    """Refuse a folder that holds a run of something else, or files that are no run."""
    if not (path / RECORD).exists():
        if path.is_file() or (path.is_dir() and any(path.iterdir()) and not (path / REPLIES).exists()):
            raise RunFolderError(
                f"{path} is not empty and holds no run (no {RECORD}); choose another folder with --out"
            )
        return
    held = read_record(path)
    for name in ("suite", "model", "sampling", *_OLDER, "templates"):
        if _set(held.get(name, _OLDER.get(name))) != _set(record.get(name, _OLDER.get(name))):
            raise RunFolderError(f"{path} {_difference(name, held, record)}; {_other_folder(path)}")


def _difference(name: str, held: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """Say what a folder holds that the run now wanted is not."""
    old: Any = held.get(name, _OLDER.get(name))
    new: Any = record.get(name, _OLDER.get(name))
    known = isinstance(old, Mapping) and isinstance(new, Mapping)
    if name == "templates" and known and old.keys() == new.keys():
        changed = ", ".join(sorted(one for one in new if old[one] != new[one]))
        begun, now = held.get("concord_version"), record.get("concord_version")
        by = f" (begun with Concord {begun}, this is {now})" if begun != now else ""
        return (
            f"was begun with other words of the prompt {changed}{by}: replies to two wordings cannot be "
            "scored together. Finish it with the version that began it, or score what it has with "
            "`concord score run --partial`"
        )
    if name in _OLDER:
        option = f"--{name.replace('_', '-')}"
        return f"holds a run with {option} {old}, not {new}; resume it with {option} {old}"
    return f"holds a run with {name} {_short(old)}, not {_short(new)}; resume it with the same settings"


def _other_folder(path: Path) -> str:
    """Say where to begin anew; the run of a scoring model has its place inside another run."""
    if (path.parent / RECORD).exists():
        return f"or move {path.name} out of {path.parent} and run again: the replies there are kept"
    return "or choose another folder with --out"


def _set(value: Any) -> Any:
    """Return settings without those that are not set: a record may be older than a setting."""
    return {k: v for k, v in value.items() if v is not None} if isinstance(value, Mapping) else value


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."


def read_record(path: Path) -> dict[str, Any]:
    """Read the record of a run's folder."""
    file = path / RECORD
    if not file.exists():
        raise RunFolderError(f"{path} holds no run (no {RECORD}); give a folder that `concord run` wrote")
    try:
        record = json.loads(read_bytes(file, limit=_RECORD_BYTES))
    except (ValueError, RecursionError) as fault:
        raise FileFormatError(
            f"{file} is not JSON ({fault}); it is not a record that Concord wrote"
        ) from None
    if not isinstance(record, dict) or record.get("kind") != "run":
        raise RunFolderError(f"{file} is not the record of a run; give a folder that `concord run` wrote")
    if record.get("format_version") != FORMAT_VERSION:
        found = record.get("format_version")
        raise RunFolderError(
            f"{file} has format version {found!r}, this Concord reads {FORMAT_VERSION}; "
            "use the version that wrote it"
        )
    for name, kind in _RECORD_FIELDS:
        if not isinstance(record.get(name), kind):
            raise FileFormatError(
                f"{file}: {name!r} is {_short(record.get(name))}, expected {_KINDS[kind]}; the record was "
                "changed by hand: put the original back"
            )
    return record


@dataclass(frozen=True)
class StoredRun:
    """A run's folder as it is: every planned trial with exactly one outcome."""

    path: Path
    record: Mapping[str, Any]
    tally: Tally
    n_planned: int
    n_outside: int
    """Stored replies that the plan no longer holds (after a smaller --limit, say)."""

    @property
    def n_not_asked(self) -> int:
        """Trials without reply or failed call."""
        return self.tally.outcomes[str(AskOutcome.NOT_ASKED)]

    @cached_property
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Stored replies and, where a trial has none, its last failed call; in the order of the plan."""
        return StoredRows(self.path, planned_keys(self.path))


def read_run(path: Path) -> StoredRun:
    """Read a run's folder, finished or not."""
    record = read_record(path)
    index, keys = read_planned(path)
    return StoredRun(path, record, index.tally(keys), len(keys), len(index.outside))


EXPORTED = "exported.sha256"
"""Beside exported logs: a digest of the journals that they were written from."""


def journals_digest(folder: Path) -> str:
    """Return a digest of everything that is stored; clocks may jump, contents do not."""
    found = hashlib.sha256()
    for path in (one for name in (REPLIES, FAILURES) for one in journals(folder, name)):
        with path.open("rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()


def journals_changed(folder: Path, logs: Path) -> bool:
    """Whether something was stored since the logs were written."""
    try:
        return (logs / EXPORTED).read_text("utf-8").strip() != journals_digest(folder)
    except (OSError, UnicodeDecodeError):
        return True


def planned_prompts(path: Path) -> Iterator[Mapping[str, Any]]:
    """Return what was to be asked, trial by trial."""
    return (line.row for line in read_lines(path / TRIALS))


@dataclass(frozen=True, slots=True)
class Part:
    """What one process of a run writes to."""

    path: Path
    redactor: Redactor
    store: Callable[[Request, Answer], Mapping[str, Any]]
    shard: int = 0
    awaiting: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Stored lines after which one more turn is to be asked, by their keys."""


class Turns:
    """The journal of turns of a run."""

    def __init__(
        self, part: Part, model: str, *, sessions: Container[str], again: Container[str] = ()
    ) -> None:
        self._model, self._redactor = model, part.redactor
        self._journal = Journal(part.path / shard_name(TURNS, part.shard))
        self.stored: dict[str, Mapping[str, Any]] = {}
        """Rows by the key of everything that was sent."""
        for _, line in stored_lines(part.path, TURNS):
            if line.row["id"].rsplit("/", 2)[0] in sessions:
                self.stored[line.row["key"]] = line.row
        self.stored = {key: row for key, row in self.stored.items() if row["outcome"] not in again}

    def store(self, request: Request, answer: Answer) -> Mapping[str, Any]:
        """Write one turn down at once."""
        row: Mapping[str, Any] = self._redactor.value(reply_row(request, answer, self._model))
        self._journal.append(row)
        self.stored[request.key] = row
        return row

    def forget(self, session: str) -> None:
        """Let go of the turns of a session that has ended; they are on the disk."""
        ended = [key for key, row in self.stored.items() if row["id"].rsplit("/", 2)[0] == session]
        for key in ended:
            del self.stored[key]

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()
