"""Stored replies: which outcome one is, the replies of a session in one response, and what people read.

The rule of outcomes is one for runs, for sessions and for Inspect's logs. Corrections lie in a file of their
own; the replies never change.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, ModelError
from concord.files.contents import read_bytes
from concord.files.json_text import decoded
from concord.reading.text import one_form, without_thinking
from concord.records import AskOutcome


class ProviderRefusedError(ModelError):
    """The provider refuses every call: a wrong key, an empty account, a model that is not there."""


_OVERFLOW = re.compile(
    r"maximum context length|context[ _](?:length|window|size)|exceeds? the (?:available |model's )?context|"
    r"prompt is too long|input is too long|input length .{0,40}exceed|too many (?:input )?tokens|"
    r"reduce the length of the (?:messages|prompt|input)|maximum (?:prompt|input) length|"
    r"longer than the maximum model length|prompt is too big|context shift is disabled|"
    r"tokens\W+max_new_tokens\W+must be|inputs\W{1,3}must have less than \d+ tokens|"
    r"token count .{0,40}exceeds the maximum number of (?:input )?tokens",
    re.IGNORECASE,
)
"""How servers say that a prompt does not fit; only OpenAI has a code for it."""
_QUOTA = re.compile(
    r"insufficient[ _]quota|exceeded your current quota|billing|payment required|credit balance|"
    r"out of credits",
    re.IGNORECASE,
)


def says_overflow(words: str) -> bool:
    """Whether an error says that the prompt does not fit into the model."""
    return _OVERFLOW.search(words) is not None


def says_quota(words: str) -> bool:
    """Whether an error says that nothing more is paid for, which waiting does not change."""
    return _QUOTA.search(words) is not None


def outcome_of(stop: str, text: str, *, error: bool) -> AskOutcome:
    """Return the outcome of what came back."""
    if stop == "content_filter":
        return AskOutcome.FILTERED
    if stop == "model_length":
        # A prompt that does not fit comes back as an error, a reply that filled the rest as text.
        return AskOutcome.OVERFLOW if error or not text.strip() else AskOutcome.TRUNCATED
    said = without_thinking(one_form(text))
    if stop == "max_tokens" or said is None:  # thinking that does not end was cut
        return AskOutcome.TRUNCATED
    return AskOutcome.OK if said.text.strip() else AskOutcome.EMPTY


LOST = "lost"
"""Key of a session's record: why turns are no answers, by the question's id."""


def packed(replies: Mapping[str, str]) -> str:
    """Write the replies of a session as the one response of its trial."""
    return json.dumps(dict(sorted(replies.items())), ensure_ascii=False)


def unpacked(response: str) -> dict[str, str]:
    """Read the replies of a session; a response that holds none gives none."""
    try:
        found = json.loads(response)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {key: text for key, text in found.items() if isinstance(text, str)}


class TurnTexts(Mapping[str, str]):
    """The replies of all sessions by the id of their question, one session in the memory at a time."""

    # Sessions are looked for in the order of the rows; for any other order, and for what is not there, all
    # are listed by their names.
    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows, self._ahead = rows, iter(rows)
        self._places: dict[str, int] | None = None
        self._name, self._held = "", dict[str, str]()

    def __getitem__(self, key: str) -> str:
        name = key.rsplit("/", 2)[0]
        if name != self._name:
            self._name, self._held = name, self._session(name)
        return self._held[key]

    def _session(self, name: str) -> dict[str, str]:
        row = next(self._ahead, None) if self._places is None else None
        if row is None or row["id"] != name:
            if self._places is None:
                self._places = {str(one["id"]): place for place, one in enumerate(self._rows)}
            if name not in self._places:
                return {}
            row = self._rows[self._places[name]]
        return unpacked(str(row["response"]))

    def __iter__(self) -> Iterator[str]:
        return (key for row in self._rows for key in unpacked(str(row["response"])))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def lost_turns(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return why turns of all sessions are no answers, by the id of their question."""
    found: dict[str, str] = {}
    for row in rows:
        told = row.get(LOST)
        if isinstance(told, Mapping):
            found |= {str(key): str(why) for key, why in told.items()}
    return found


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
    if path.is_symlink():
        raise FileFormatError(f"{path} is a link, through which nothing is written; remove it")
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
