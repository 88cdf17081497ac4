"""What a folder holds: runs with how far they are, and results."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from concord.asking.folder import RECORD, TRIALS
from concord.asking.index import FAILURES, REPLIES, Tally, journals
from concord.asking.prices import Prices
from concord.errors import InputError
from concord.records import AskOutcome
from concord.view.found import FoundResult, FoundRun
from concord.view.kept import KeptRuns, Stamp, stamp

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
    for number, (where, folders, files) in enumerate(os.walk(root)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if number >= MOST_FOLDERS:
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
    tokens = tally.input_tokens, tally.output_tokens
    return FoundRun(
        name,
        str(record["suite"]),
        str(record["model"]),
        n_planned,
        known,
        changed=when,
        status=_status_words(record),
        over=_over_words(record),
        tokens=tokens,
        cost=cost_of(record, *tokens),
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
    return sum(outcomes.values()), Tally(Counter(outcomes), tokens["input"], tokens["output"])


def _status_words(record: Mapping[str, Any]) -> str:
    """Say how a run ended, or that it has not."""
    stopped = record.get("stopped")
    status = str(record.get("status", ""))
    return f"{status}: {stopped}" if isinstance(stopped, str) and stopped else status


def _over_words(record: Mapping[str, Any]) -> str:
    """Name what was asked: studies, or what the items were put into."""
    options = record.get("options")
    held = options if isinstance(options, Mapping) else {}
    named = [str(held[key]) for key in ("studies", "study", "items", "arranger") if held.get(key)]
    return ", ".join(named)


def cost_of(record: Mapping[str, Any], read: int, written: int) -> float | None:
    """Return what tokens cost at the prices of a run; ``None`` where it has none."""
    held = record.get("prices")
    if not isinstance(held, Mapping):
        return None
    try:
        return Prices(**held).cost(read, written)
    except (TypeError, InputError):
        return None  # prices that another version wrote
