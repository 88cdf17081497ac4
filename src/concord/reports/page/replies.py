"""Replies beside results: shown as they were given, long ones cut and counted."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.reports.page.find import DEEPEST, Problem, Source
from concord.reports.page.table import Column

LONGEST = 4000
"""Characters of a reply that the page holds."""
MOST = 6_000_000
"""Characters of all replies together; what comes after is counted."""
FILES = ("replies.jsonl", "bias_replies.jsonl")
COLUMNS = (
    Column("model", "model"),
    Column("id", "item"),
    Column("mode", "asked"),
    Column("repeat", "repeat", "count", shown=False),
    Column("outcome", "outcome"),
    Column("length", "characters", "count"),
    Column("text", "reply"),
)


@dataclass(frozen=True, slots=True)
class Replies:
    """Replies that the page shows, and how many it does not."""

    rows: tuple[dict[str, Any], ...]
    n_cut: int
    n_left_out: int
    problems: tuple[Problem, ...]


def find_replies(folders: Sequence[Path], sources: Sequence[Source]) -> Replies:
    """Read the reply files below folders; a reply without a model has that of the result beside it."""
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    used = left_out = 0
    for file, shown in _files(folders):
        model = _model_of(file, sources)
        for row in _lines(file, shown, problems):
            made = _row(row, model)
            if used + len(made["text"]) > MOST:
                left_out += 1
                continue
            used += len(made["text"])
            rows.append(made)
    cut = sum(row["length"] > LONGEST for row in rows)
    return Replies(tuple(rows), cut, left_out, tuple(problems))


def _model_of(file: Path, sources: Sequence[Source]) -> str:
    """Name the model of a reply file: that of the only result in its folder, or the folder's name."""
    beside = {
        source.model
        for source in sources
        if source.kind in ("people", "reasoning")
        and source.file is not None
        and file.parent in source.file.parents
    }
    return beside.pop() if len(beside) == 1 else file.parent.resolve().name


def _files(folders: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    seen: set[Path] = set()
    for folder in folders:
        found = folder.rglob("*.jsonl") if folder.is_dir() else ()
        for file in sorted(found, key=lambda path: (path.parent, path.name != FILES[0])):
            inside = file.relative_to(folder)
            if file.name in FILES and len(inside.parts) <= DEEPEST and file.resolve() not in seen:
                seen.add(file.resolve())
                yield file, (Path(folder.resolve().name) / inside).as_posix()


def _lines(file: Path, shown: str, problems: list[Problem]) -> Iterator[dict[str, Any]]:
    """Give the objects of a JSON lines file; what is not one is counted, not followed."""
    bad = 0
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            for line in stream:
                row = _object(line)
                if row is not None:
                    yield row
                elif line.strip():
                    bad += 1
    except OSError as fault:
        problems.append(Problem(shown, f"cannot be read: {fault.strerror}"))
    if bad:
        problems.append(Problem(shown, f"{bad} lines are not JSON objects and are not shown"))


def _object(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _row(row: dict[str, Any], model: str) -> dict[str, Any]:
    text = row.get("response")
    whole = text if isinstance(text, str) else ""
    said = row.get("model")
    outcome = row.get("outcome", row.get("status"))
    repeat = row.get("repeat")
    return {
        "model": said if isinstance(said, str) and said else model,
        "id": str(row.get("id", "")),
        "mode": str(row.get("mode", "")),
        "repeat": repeat if isinstance(repeat, int) else None,
        "outcome": outcome if isinstance(outcome, str) else "",
        "length": len(whole),
        "text": whole[:LONGEST],
    }
