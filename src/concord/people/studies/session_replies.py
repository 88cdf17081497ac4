"""Recorded replies of participants: one line per question, its id and what came back."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, StudyError, StudyProblem
from concord.files.contents import read_bytes
from concord.records import InputFile


@dataclass(frozen=True, slots=True)
class SessionReplies:
    """Replies by question id."""

    replies: dict[str, str | None]
    """``None`` where asking failed."""
    conditions: dict[str, str]
    """The condition a question was asked in, where the file gives it (key ``mode``)."""
    file: InputFile


def read_session_replies(path: Path) -> SessionReplies:
    """Read a file of replies: JSON Lines, or one JSON list.

    Every row has ``id`` and ``response``; ``status`` other than ``ok`` marks a call that failed; ``mode``
    names the condition and is checked against the plan. Other keys are left alone. A torn last line of a
    journal is cut.
    """
    raw = read_bytes(path)
    found = SessionReplies({}, {}, InputFile(path.name, hashlib.sha256(raw).hexdigest(), len(raw)))
    problems: list[StudyProblem] = []
    for line, row in _numbered_rows(path.name, raw):
        fault_text = _take(found, row)
        if fault_text is not None:
            problems.append(StudyProblem(path.name, line, "", fault_text))
    if problems:
        raise StudyError(problems)
    if not found.replies:
        raise FileFormatError(f"{path.name}: holds no reply")
    return found


def _numbered_rows(name: str, raw: bytes) -> Iterator[tuple[int, Any]]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise FileFormatError(f"{name}: not UTF-8 (byte {fault.start})") from fault
    if text.lstrip().startswith("["):
        try:
            yield from enumerate(json.loads(text), start=1)
        except (ValueError, RecursionError) as fault:
            raise FileFormatError(f"{name}: not JSON") from fault
        return
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as fault:
            if number == len(lines):
                return  # a torn last line: the run was killed while writing it
            raise StudyError([StudyProblem(name, number, "", "not a line of JSON")]) from fault


def _take(found: SessionReplies, row: Any) -> str | None:
    """Keep a row, or say why it cannot be used."""
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        return "expected an object with the keys 'id' and 'response'"
    key, response = row["id"], row.get("response")
    if response is not None and not isinstance(response, str):
        return f"the response of {key!r} is {response!r}, expected text"
    if key in found.replies:
        return f"a second reply to {key!r}"
    failed = row.get("status", "ok") != "ok"
    found.replies[key] = None if failed else response
    if isinstance(row.get("mode"), str):
        found.conditions[key] = row["mode"]
    return None
