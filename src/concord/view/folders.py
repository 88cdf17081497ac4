"""What a folder holds: runs with how far they are, and results."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from concord.asking.folder import RECORD, TRIALS, planned_prompts, read_run
from concord.asking.index import FAILURES, REPLIES, TURNS, stored_lines
from concord.asking.journal import check_row, read_lines
from concord.asking.prices import Prices
from concord.errors import InputError
from concord.records import AskOutcome
from concord.view.reading import GOOD, reader_of

MOST_FOLDERS = 5000


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


def found_folders(root: Path, result_files: Collection[str]) -> tuple[list[FoundRun], list[FoundResult]]:
    """Return every run below a folder, and every folder with a file of these names."""
    runs, results, shown = [], [], frozenset(result_files)
    for number, (where, folders, files) in enumerate(os.walk(root)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if number >= MOST_FOLDERS:
            break
        path = Path(where)
        name = path.relative_to(root).as_posix()
        if RECORD in files and TRIALS in files:
            runs.append(state_of(path, name))
        if held := sorted(shown.intersection(files)):
            results.append(FoundResult(name, tuple(held), _last_change(path / file for file in held)))
    return runs, results


def _last_change(files: Iterable[Path]) -> str:
    """Return when the youngest of files was written, to the minute."""
    when = max(file.stat().st_mtime for file in files)
    return datetime.fromtimestamp(when, tz=UTC).strftime("%Y-%m-%d %H:%M")


def state_of(path: Path, name: str) -> FoundRun:
    """Return how far a run is, whether it is being asked or not."""
    try:
        run = read_run(path)
    except InputError as fault:
        return FoundRun(name, "", "", 0, {}, str(fault))
    counts = {str(one): run.tally.outcomes[str(one)] for one in AskOutcome if one != AskOutcome.NOT_ASKED}
    known = {outcome: n for outcome, n in counts.items() if n}
    when = _last_change(one for one in (path / REPLIES, path / RECORD) if one.exists())
    tokens = run.tally.input_tokens, run.tally.output_tokens
    return FoundRun(
        name,
        str(run.record["suite"]),
        str(run.record["model"]),
        run.n_planned,
        known,
        changed=when,
        status=_status_words(run.record),
        over=_over_words(run.record),
        tokens=tokens,
        cost=cost_of(run.record, *tokens),
    )


def _status_words(record: Mapping[str, Any]) -> str:
    """Say how a run ended, or that it has not."""
    stopped = record.get("stopped")
    status = str(record.get("status", ""))
    return f"stopped: {stopped}" if isinstance(stopped, str) and stopped else status


def _over_words(record: Mapping[str, Any]) -> str:
    """Name what was asked: studies, or what the items were put into."""
    options = record.get("options")
    held = options if isinstance(options, Mapping) else {}
    named = [str(held[key]) for key in ("studies", "study", "items", "arranger") if held.get(key)]
    return ", ".join(named)


def cost_of(record: Mapping[str, Any], read: int, written: int) -> float | None:
    """Return what tokens cost at the prices of a run; ``None`` where it has none.

    Parameters
    ----------
    record
        What the run says of itself.
    read, written
        Tokens.
    """
    held = record.get("prices")
    if not isinstance(held, Mapping):
        return None
    try:
        return Prices(**held).cost(read, written)
    except (TypeError, InputError):
        return None  # prices that another version wrote


@dataclass(frozen=True, slots=True)
class Transcript:
    """One reply with the prompt that led to it."""

    id: str
    mode: str
    repeat: int
    outcome: str
    prompt: str
    reply: str
    read: str = ""
    """How the reply was read, where its question reads replies one by one."""


def with_readings(path: Path, shown: Sequence[Transcript]) -> list[Transcript]:
    """Return replies with what the reader of their question makes of them.

    Of the journal only the trials of the shown replies are read.

    Parameters
    ----------
    path
        Folder of the run.
    shown
        Replies of one page.
    """
    reader = reader_of(path)
    if reader is None or not shown:
        return list(shown)
    wanted = {(one.id, one.mode, one.reply) for one in shown}
    trials = {prefix for one in shown for prefix in _prefixes(one.id)}
    found: dict[tuple[str, str, str], list[str]] = {}
    for _, line in stored_lines(path, REPLIES):
        if str(line.row.get("id")) not in trials:  # reading takes a hundred times as long as looking
            continue
        for one in reader(line.row):
            key = (one.turn, str(line.row.get("mode")), one.reply)
            if key in wanted:
                said = [] if one.outcome == GOOD else [one.outcome]
                found.setdefault(key, []).append(": ".join([*said, *([one.read] if one.read else [])]))
        if len(found) == len(wanted):
            break
    return [replace(one, read="; ".join(found.get((one.id, one.mode, one.reply), []))) for one in shown]


def _prefixes(name: str) -> Iterator[str]:
    """Return the name of a turn, of its session, and so on: a trial is stored under one of them."""
    while name:
        yield name
        name = name.rpartition("/")[0]


def transcripts(
    path: Path, *, outcome: str = "", words: str = "", start: int = 0, count: int = 50
) -> list[Transcript]:
    """Return replies of a run in the order they came, with their prompts; turns of sessions one by one."""
    prompts = {str(row.get("id")): _prompt(row) for row in planned_prompts(path)}
    wanted = words.casefold()
    found: list[Transcript] = []
    skipped = 0
    for row in _replies(path):
        one = Transcript(
            str(row["id"]),
            str(row["mode"]),
            int(row["repeat"]),
            str(row["outcome"]),
            _of_trial(prompts, str(row["id"])),
            str(row.get("response", row.get("error", ""))),
        )
        if outcome and one.outcome != outcome:
            continue
        if wanted and wanted not in f"{one.id} {one.mode} {one.prompt} {one.reply}".casefold():
            continue
        if skipped < start:
            skipped += 1
            continue
        found.append(one)
        if len(found) >= count:
            break
    return found


def _replies(path: Path) -> Iterator[Mapping[str, Any]]:
    """Return stored turns where a run has them, else stored replies and failed calls."""
    turns = path / TURNS
    if turns.exists():
        yield from (check_row(turns, line) for line in read_lines(turns))
        return
    for journal in (REPLIES, FAILURES):
        yield from (line.row for _, line in stored_lines(path, journal))


def _of_trial(prompts: Mapping[str, str], name: str) -> str:
    """Return the prompt of a trial; of a turn that with which its session began."""
    while name and name not in prompts:
        name = name.rpartition("/")[0]
    return prompts.get(name, "")


def _prompt(row: Mapping[str, Any]) -> str:
    messages = row.get("messages")
    listed = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    return "\n\n".join(f"[{message.get('role')}]\n{message.get('text')}" for message in listed)
