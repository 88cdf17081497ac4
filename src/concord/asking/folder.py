"""A run's folder: its record, its plan, its replies. What may be resumed into, and what stands in it."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from concord.asking.journal import Journal, line_bytes, read_lines
from concord.asking.keys import Sampling, scrub, trial_key
from concord.errors import FileFormatError, RunFolderError
from concord.records import Answer, AskOutcome, Design, Trial

FORMAT_VERSION = 1
RECORD, TRIALS, REPLIES = "run.json", "trials.jsonl", "replies.jsonl"
FAILURES, SUPERSEDED, INPUTS, LOGS = "failures.jsonl", "superseded.jsonl", "inputs", "logs"
_STATUS_OK = (AskOutcome.OK, AskOutcome.EMPTY, AskOutcome.TRUNCATED)
"""Outcomes with a reply to look at; readers of replies take another status for a failed call."""


@dataclass(frozen=True, slots=True)
class Request:
    """A trial and the key of everything that is sent for it."""

    trial: Trial
    key: str


@dataclass(slots=True)
class Tally:
    """Outcomes and tokens of a run, counted as they arrive."""

    outcomes: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    n_unknown_usage: int = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one row of a journal."""
        self.outcomes[row["outcome"]] += 1
        usage = row.get("usage")
        if not isinstance(usage, Mapping) or None in usage.values():
            self.n_unknown_usage += 1
            return
        self.input_tokens += usage["input_tokens"]
        self.output_tokens += usage["output_tokens"]


def requests_of(design: Design, model: str, sampling: Sampling) -> tuple[Request, ...]:
    """Assign every trial its key."""
    return tuple(Request(trial, trial_key(trial, model, sampling)) for trial in design.trials)


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
        "usage": asdict(answer.usage),
        "seconds": answer.seconds,
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }


class RunFolder:
    """The folder of one run, open for writing.

    Parameters
    ----------
    path
        The folder; made when missing.
    record
        What the run is; ``suite``, ``model``, ``sampling`` and ``templates`` must be those of the run that
        the folder already holds.
    requests
        The plan.
    secrets
        Texts that must not be written.
    """

    def __init__(
        self,
        path: Path,
        record: Mapping[str, Any],
        requests: Sequence[Request],
        *,
        secrets: tuple[str, ...] = (),
    ) -> None:
        self.path, self.record, self._secrets = path, dict(record), secrets
        refuse_other_run(path, record)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise RunFolderError.cannot_write(path, fault) from fault
        self._replies = Journal(path / REPLIES)
        try:
            self._failures = Journal(path / FAILURES)
            self.n_superseded = self._set_aside(requests)
            self._write_plan(requests)
            self.write_record(status="running")
        except BaseException:
            self._replies.close()
            raise

    def missing(self, requests: Sequence[Request]) -> list[Request]:
        """Return the requests without a stored reply, in the order of the plan."""
        stored = {line.row["key"] for line in read_lines(self.path / REPLIES)}
        return [request for request in requests if request.key not in stored]

    def store(self, request: Request, answer: Answer) -> Mapping[str, Any]:
        """Write an answer down at once: replies to the journal, failed calls beside it."""
        row = reply_row(request, answer, self.record["model"])
        row = {
            name: scrub(value, self._secrets) if isinstance(value, str) else value
            for name, value in row.items()
        }
        failed = answer.outcome is AskOutcome.FAILED
        (self._failures if failed else self._replies).append(row)
        return row

    def write_record(self, **changes: Any) -> None:
        """Write the run's record with some fields changed."""
        self.record.update(changes)
        _replace(self.path / RECORD, _pretty(self.record).encode("utf-8"))

    def copy_inputs(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Keep the question files beside the replies."""
        folder = self.path / INPUTS
        for name, data in files:
            try:
                folder.mkdir(exist_ok=True)
            except OSError as fault:
                raise RunFolderError.cannot_write(folder, fault) from fault
            _replace(folder / name, data)

    def close(self) -> None:
        """Let go of the folder."""
        self._replies.close()
        self._failures.close()

    def _write_plan(self, requests: Sequence[Request]) -> None:
        rows = (
            {
                "key": request.key,
                "id": request.trial.item,
                "mode": request.trial.cell,
                "repeat": request.trial.repeat,
                "template": request.trial.template,
                "messages": [asdict(message) for message in request.trial.messages],
            }
            for request in requests
        )
        _replace(self.path / TRIALS, b"".join(map(line_bytes, rows)))

    def _set_aside(self, requests: Sequence[Request]) -> int:
        """Move replies to prompts that have changed out of the journal, so that no score can use them."""
        planned = {request.trial.name: request.key for request in requests}
        kept: list[Mapping[str, Any]] = []
        old: list[Mapping[str, Any]] = []
        for line in read_lines(self.path / REPLIES):
            name = (line.row.get("id"), line.row.get("mode"), line.row.get("repeat"))
            changed = name in planned and planned[name] != line.row["key"]
            (old if changed else kept).append(line.row)
        if not old:
            return 0
        with Journal(self.path / SUPERSEDED) as aside:
            for row in old:
                aside.append(row)
        self._replies.close()
        _replace(self.path / REPLIES, b"".join(map(line_bytes, kept)))
        self._replies = Journal(self.path / REPLIES)
        return len(old)


def refuse_other_run(path: Path, record: Mapping[str, Any]) -> None:
    """Refuse a folder that holds a run of something else, or files that are no run."""
    if not (path / RECORD).exists():
        if path.is_file() or (path.is_dir() and any(path.iterdir()) and not (path / REPLIES).exists()):
            raise RunFolderError(
                f"{path} is not empty and holds no run (no {RECORD}); choose another folder with --out"
            )
        return
    held = read_record(path)
    for name in ("suite", "model", "sampling", "templates"):
        if held.get(name) != record.get(name):
            raise RunFolderError(
                f"{path} holds a run with {name} {_short(held.get(name))}, not {_short(record.get(name))}; "
                f"resume it with the same settings, or choose another folder with --out"
            )


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:157] + "..."


def read_record(path: Path) -> dict[str, Any]:
    """Read the record of a run's folder.

    Raises
    ------
    RunFolderError
        The folder is missing, or holds no run.
    """
    file = path / RECORD
    if not file.is_file():
        raise RunFolderError(f"{path} holds no run (no {RECORD}); give a folder that `concord run` wrote")
    try:
        record = json.loads(file.read_bytes())
    except ValueError as fault:
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
    return record


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run's folder as it stands: every planned trial with exactly one outcome."""

    path: Path
    record: Mapping[str, Any]
    rows: tuple[Mapping[str, Any], ...]
    """Stored replies and, where a trial has none, its last failed call; in the order of the plan."""
    tally: Tally
    n_planned: int
    n_outside: int
    """Stored replies that the plan no longer holds (after a smaller --limit, say)."""

    @property
    def n_not_asked(self) -> int:
        """Trials without reply or failed call."""
        return self.tally.outcomes[str(AskOutcome.NOT_ASKED)]


def read_run(path: Path) -> StoredRun:
    """Read a run's folder, finished or not.

    Raises
    ------
    RunFolderError, FileFormatError
        The folder holds no run, or a file of it is damaged.
    """
    record = read_record(path)
    replies = {line.row["key"]: line.row for line in read_lines(path / REPLIES)}
    failures = {line.row["key"]: line.row for line in read_lines(path / FAILURES)}
    rows, tally, n_planned, n_used = [], Tally(), 0, 0
    for planned in read_lines(path / TRIALS):
        key = planned.row["key"]
        n_planned += 1
        row = replies.get(key, failures.get(key))
        n_used += key in replies
        if row is None:
            tally.outcomes[str(AskOutcome.NOT_ASKED)] += 1
            continue
        tally.add(row)
        rows.append(row)
    return StoredRun(path, record, tuple(rows), tally, n_planned, len(replies) - n_used)


def planned_prompts(path: Path) -> Iterator[Mapping[str, Any]]:
    """Return what was to be asked, trial by trial."""
    return (line.row for line in read_lines(path / TRIALS))


def _pretty(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _replace(path: Path, data: bytes) -> None:
    """Write a whole file so that a reader sees the old or the new one, never a part."""
    fresh = path.with_name(path.name + ".new")
    try:
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as fault:
        raise RunFolderError.cannot_write(path, fault) from fault
