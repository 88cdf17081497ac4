"""Whether files of replies and of vignettes are well formed, each on its own."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from concord.errors import LineProblem, LinesError
from concord.readers.json_text import read_bytes
from concord.readers.replies import MODES, RecordedReply, reply_of, reply_rows
from concord.readers.vignettes import read_bias_cases, read_samples


@dataclass(frozen=True, slots=True)
class FileCheck:
    """What a file was taken for, what must be mended, what it holds."""

    kind: str
    problems: tuple[LineProblem, ...]
    counts: dict[str, int]


def check_replies(path: Path) -> FileCheck:
    """Check a file of recorded replies: one JSON object a line with ``id`` and ``response``.

    Where lines have the modes ``cot`` and ``direct``, every line that does not answer a bias case has one,
    and every id has both.

    Raises
    ------
    FileFormatError
        The file cannot be read at all, or is empty.
    """
    rows, _, problems = reply_rows(path, False)
    by_mode = any(_mode(row) in MODES for _, row in rows)
    replies = []
    for number, (line, row) in enumerate(rows):
        with problems.at(line, f"reply {number + 1}"):
            reply = reply_of(row, line, by_mode and _mode(row) != "bias")
            mode = reply.mode or _mode(row)
            problems.once(
                (reply.id, mode, reply.repeat), f"id {reply.id!r}, mode {mode!r}, repeat {reply.repeat}"
            )
            replies.append(reply)
    faults = [*problems.found, *_half_asked(path.name, replies)]
    counts = {
        "replies": len(replies),
        "ids": len({reply.id for reply in replies}),
        "failed calls": sum(reply.failure is not None for reply in replies),
        **{f"in mode {mode}": n for mode, n in sorted(Counter(r.mode for r in replies if r.mode).items())},
    }
    return FileCheck("replies", tuple(sorted(faults, key=lambda one: one.line or 0)), counts)


def _mode(row: object) -> str:
    """Give the mode that a row names, folded; empty where it names none."""
    found = row.get("mode") if isinstance(row, Mapping) else None
    return found.strip().lower() if isinstance(found, str) else ""


def _half_asked(file: str, replies: Iterable[RecordedReply]) -> list[LineProblem]:
    """Name the ids that have only one of the two modes."""
    have: dict[str, dict[str, int | None]] = {}
    for reply in replies:
        if reply.mode:
            have.setdefault(reply.id, {}).setdefault(reply.mode, reply.line)
    return [
        LineProblem(
            file,
            next(iter(got.values())),
            "missing mode",
            f"id {name!r} has only the mode {next(iter(got))!r}",
            f"a reply in mode {MODES[1 - MODES.index(next(iter(got)))]!r} too",
        )
        for name, got in have.items()
        if len(got) == 1
    ]


def holds_vignettes(path: Path) -> str | None:
    """Tell whether a JSON file is a document of ``samples`` or ``cases``; ``None`` for any other."""
    try:
        document = json.loads(read_bytes(path))
    except (ValueError, RecursionError):
        return None
    keys = document if isinstance(document, dict) else {}
    return next((key for key in ("samples", "cases") if key in keys), None)


def check_vignettes(path: Path, key: str) -> FileCheck:
    """Check a document of vignettes (``samples``) or of bias cases (``cases``).

    Raises
    ------
    FileFormatError
        The document as a whole is not one.
    """
    kind = "vignettes" if key == "samples" else "bias cases"
    try:
        read = read_samples(path) if key == "samples" else read_bias_cases(path)
    except LinesError as error:
        return FileCheck(kind, error.problems, {})
    return FileCheck(kind, (), {kind: len(read.rows)})
