"""Files of JSON lines beside results, read line by line; what is no object is counted and left out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from concord.files import limits
from concord.show.page.values import Problem


def json_lines(file: Path, shown: str, problems: list[Problem]) -> Iterator[dict[str, Any]]:
    """Return the objects of a JSON lines file; what is not one is counted, not followed."""
    bad = 0
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            for line in iter(lambda: stream.readline(limits.LINE_CHARACTERS), ""):
                row = json_object(line)
                if row is not None:
                    yield row
                elif line.strip():
                    bad += 1
    except OSError as fault:
        problems.append(Problem(shown, f"cannot be read: {fault.strerror}"))
    if bad:
        problems.append(Problem(shown, f"{bad} lines are not JSON objects and are not shown"))


def json_object(line: str) -> dict[str, Any] | None:
    """Return the object that a text holds, or nothing."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
