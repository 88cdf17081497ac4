"""What a folder holds: runs with how far they are, and results."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.asking.folder import planned_prompts, read_record
from concord.asking.index import stored_lines
from concord.asking.journal import read_lines
from concord.errors import InputError
from concord.records import AskOutcome

MOST_FOLDERS = 5000
RESULT_FILES = (
    "benchmark_summary.json",
    "structural_consistency.json",
    "reasoning.json",
    "agents.json",
    "answers.json",
    "hints.json",
    "probes.json",
    "judge.json",
)
_JOURNALS = ("replies.jsonl", "failures.jsonl")


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

    @property
    def done(self) -> int:
        """Trials with an outcome."""
        return sum(self.outcomes.values())


def found_folders(root: Path) -> tuple[list[FoundRun], list[str]]:
    """Return every run below a folder, and every folder with results."""
    runs, results = [], []
    for number, (where, folders, files) in enumerate(os.walk(root)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if number >= MOST_FOLDERS:
            break
        path = Path(where)
        name = path.relative_to(root).as_posix()
        if "run.json" in files and "trials.jsonl" in files:
            runs.append(state_of(path, name))
        if any(one in files for one in RESULT_FILES):
            results.append(name)
    return runs, results


def state_of(path: Path, name: str) -> FoundRun:
    """Return how far a run is, whether it is being asked or not."""
    try:
        record = read_record(path)
        planned = {str(row["key"]) for row in planned_prompts(path)}
        last: dict[str, str] = {}
        for journal in reversed(_JOURNALS):  # a reply counts before a failed call
            last |= {
                str(line.row["key"]): str(line.row["outcome"]) for _, line in stored_lines(path, journal)
            }
    except InputError as fault:
        return FoundRun(name, "", "", 0, {}, str(fault))
    counts = Counter(outcome for key, outcome in last.items() if key in planned)
    ordered = {str(one): counts[str(one)] for one in AskOutcome if counts[str(one)]}
    return FoundRun(name, str(record["suite"]), str(record["model"]), len(planned), ordered)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One reply with the prompt that led to it."""

    id: str
    mode: str
    repeat: int
    outcome: str
    prompt: str
    reply: str


def transcripts(
    path: Path, *, outcome: str = "", words: str = "", start: int = 0, count: int = 50
) -> list[Transcript]:
    """Return replies of a run in the order they came, with their prompts; turns of sessions one by one."""
    prompts = {str(row["id"]): _prompt(row) for row in planned_prompts(path)}
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
    turns = path / "turns.jsonl"
    if turns.exists():
        yield from (line.row for line in read_lines(turns))
        return
    for journal in _JOURNALS:
        yield from (line.row for _, line in stored_lines(path, journal))


def _of_trial(prompts: Mapping[str, str], name: str) -> str:
    """Return the prompt of a trial; of a turn that with which its session began."""
    while name and name not in prompts:
        name = name.rpartition("/")[0]
    return prompts.get(name, "")


def _prompt(row: Mapping[str, Any]) -> str:
    return "\n\n".join(f"[{message['role']}]\n{message['text']}" for message in row.get("messages", ()))
