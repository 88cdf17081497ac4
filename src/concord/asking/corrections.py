"""Corrections: what a person reads in a reply, in a file of its own; the replies never change."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from concord.asking.packing import packed, unpacked
from concord.errors import FileFormatError
from concord.files.contents import read_bytes
from concord.files.json_text import decoded

CORRECTIONS = "corrections.jsonl"
"""Name of the file in a run's folder."""
LONGEST = 20_000
"""Characters of a correction at most."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What one reply is read as: a text that is read in the reply's place."""

    id: str
    """The trial, or the turn of a session."""
    mode: str
    repeat: int
    read_as: str
    """Empty: the correction before is withdrawn."""

    @property
    def place(self) -> tuple[str, str, int]:
        """What identifies the reply."""
        return self.id, self.mode, self.repeat


def write_correction(path: Path, correction: Correction) -> None:
    """Add a correction at the end of a file; what was there stays."""
    line = json.dumps(asdict(correction), ensure_ascii=False)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def read_corrections(path: Path) -> dict[tuple[str, str, int], Correction]:
    """Read a file of corrections: the last one of a reply holds."""
    found: dict[tuple[str, str, int], Correction] = {}
    data = read_bytes(path)
    text = decoded(path.name, data) if data.strip() else ""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        one = _correction(line)
        if one is None:
            named = ", ".join(field.name for field in fields(Correction))
            raise FileFormatError(f"{path.name}, line {number}: expected a JSON object with {named}")
        found.pop(one.place, None)
        if one.read_as:
            found[one.place] = one
    return found


def _correction(line: str) -> Correction | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or set(row) != {field.name for field in fields(Correction)}:
        return None
    texts = all(
        isinstance(row[name], str) and len(row[name]) <= LONGEST for name in ("id", "mode", "read_as")
    )
    if not texts or not isinstance(row["repeat"], int) or isinstance(row["repeat"], bool):
        return None
    return Correction(**row)


def corrected(
    rows: Iterable[Mapping[str, Any]], corrections: Mapping[tuple[str, str, int], Correction]
) -> tuple[tuple[Mapping[str, Any], ...], int]:
    """Return stored replies as people read them, and how many corrections found their reply."""
    by_turn = {one.id: one for one in corrections.values()}
    changed: list[Mapping[str, Any]] = []
    used = 0
    for row in rows:
        one = corrections.get((str(row["id"]), str(row["mode"]), int(row["repeat"])))
        turns = unpacked(str(row.get("response")))
        mine = [turn for turn in turns if turn in by_turn]
        if mine:
            used += len(mine)
            read = {**turns, **{turn: by_turn[turn].read_as for turn in mine}}
            changed.append({**row, "response": packed(read)})
        elif one is not None:
            used += 1
            changed.append({**row, "response": one.read_as})
        else:
            changed.append(row)
    return tuple(changed), used
