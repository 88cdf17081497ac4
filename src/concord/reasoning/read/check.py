"""Files of agreement with its own reasoning, checked: replies, vignettes and bias cases."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from concord.errors import FileFormatError, LineProblem, LinesError
from concord.files.contents import read_bytes
from concord.files.declared import read_rows
from concord.files.documents import FileCheck, FileKind
from concord.files.json_text import Problems, UnusableError, fields_of, shown, text_field
from concord.files.raw_replies import raw_reply
from concord.reasoning.read.records import RecordedReply
from concord.reasoning.read.replies import read_bias_cases, read_samples, reply_of
from concord.records import AskOutcome

JOURNAL, RECORDED = "journal of a run", "recorded replies"
_SESSION = re.compile(r"[a-z0-9-]+/[a-z0-9-]+/\d+")
"""Id of a whole session of a study in a journal; its response holds the replies of all turns."""


@dataclass(frozen=True, slots=True)
class ReplyFile:
    """What a file of replies holds."""

    kind: str
    counts: dict[str, int]
    """Replies, items, and every outcome."""
    problems: tuple[LineProblem, ...]
    warnings: tuple[str, ...]


def check_replies(path: Path) -> ReplyFile:
    """Check a file of replies: JSON lines, or one JSON list."""
    # Lines with a ``key`` are those of a run's journal (`replies.jsonl`, `turns.jsonl`, `failures.jsonl`);
    # others are replies recorded elsewhere, with ``id`` and ``response``, and ``mode`` where there are
    # several.
    held = read_rows(path, "replies")
    rows, problems = held.rows, held.problems
    if rows and all(isinstance(row, Mapping) and _is_trial(row) for _, row in rows):
        raise FileFormatError(
            f"{path.name}: holds trials (what is asked) and no replies; check the replies.jsonl next to it"
        )
    is_journal = any(isinstance(row, Mapping) and "key" in row for _, row in rows)
    torn = _torn_line(read_bytes(path), problems) if is_journal else ()
    found = _Found(problems, is_journal)
    for number, (line, row) in enumerate(rows, start=1):
        with problems.at(line, f"reply {number}"):
            found.take(row, line)
    warnings = (*torn, *found.warnings(path.name))
    faults = tuple(sorted(problems.found, key=lambda bad: -1 if bad.line is None else bad.line))
    return ReplyFile(JOURNAL if is_journal else RECORDED, found.counts(), faults, warnings)


def _is_trial(row: Mapping[str, object]) -> bool:
    return "messages" in row and "response" not in row and raw_reply(row) is None


def _torn_line(data: bytes, problems: Problems) -> tuple[str, ...]:
    """Take a torn last line of a journal from its problems; what is said of it."""
    last = data.count(b"\n") + 1
    if data.endswith(b"\n") or not problems.found or problems.found[-1].line != last:
        return ()
    problems.found.pop()
    told = "torn, as a killed run leaves it; it is cut, and its trial is asked again"
    return (f"{problems.file}, line {last}: {told}",)


class _Found:
    """What has been read so far."""

    def __init__(self, problems: Problems, is_journal: bool) -> None:
        self.problems, self.is_journal = problems, is_journal
        self.outcomes: Counter[str] = Counter()
        self.ids: set[str] = set()
        self.keys: Counter[str] = Counter()
        self.turns = 0

    def take(self, row: object, line: int | None) -> None:
        """Check one row and count it."""
        fields = fields_of(row)
        reply = reply_of(fields, line, modes=False)
        mode = "" if fields.get("mode") is None else text_field(fields, "mode", needed=False)
        outcome = self._outcome(fields, reply)
        if self.is_journal:
            self.keys[text_field(fields, "key")] += 1
            self._session(reply, outcome)
        else:
            named = f"id {reply.id!r}" + (f", mode {mode!r}" if mode else "") + f", repeat {reply.repeat}"
            self.problems.once((reply.id, mode, reply.repeat), named)
        self.ids.add(reply.id)
        self.outcomes[outcome] += 1

    def _outcome(self, fields: Mapping[str, object], reply: RecordedReply) -> str:
        """Return what became of a call: as the journal says, or as the reply shows."""
        if self.is_journal:
            outcome = text_field(fields, "outcome")
            if outcome not in list(AskOutcome):
                raise UnusableError("bad outcome", f"outcome {shown(outcome)}", ", ".join(AskOutcome))
            return outcome
        if reply.failure is not None:
            return str(AskOutcome.FAILED)
        return str(AskOutcome.OK if reply.response.strip() else AskOutcome.EMPTY)

    def _session(self, reply: RecordedReply, outcome: str) -> None:
        """Count the turns of a session; they are in its response as JSON by question id."""
        if outcome != AskOutcome.OK or not _SESSION.fullmatch(reply.id):
            return
        wanted = f"replies as a JSON object by the ids {reply.id}/member/step"
        try:
            turns = json.loads(reply.response)
        except (ValueError, RecursionError):
            raise UnusableError("bad session", f"response {shown(reply.response)}", wanted) from None
        if not isinstance(turns, dict) or not all(
            key.startswith(f"{reply.id}/") and isinstance(text, str) for key, text in turns.items()
        ):
            raise UnusableError("bad session", f"response {shown(reply.response)}", wanted)
        self.turns += len(turns)

    def counts(self) -> dict[str, int]:
        """Return replies, items, and every outcome that was met."""
        counts = {"replies": sum(self.outcomes.values()), "items": len(self.ids)}
        counts |= {"turns": self.turns} if self.turns else {}
        return counts | {str(outcome): self.outcomes[outcome] for outcome in AskOutcome}

    def warnings(self, name: str) -> list[str]:
        """Say which keys are in a journal more than once."""
        doubled = sum(1 for n in self.keys.values() if n > 1)
        told = f"{name}: {doubled} keys are there more than once; the last line of each counts"
        return [told] if doubled else []


def check_reply_file(path: Path) -> FileCheck:
    """Check a file of replies."""
    try:
        found = check_replies(path)
    except LinesError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {}, kind="recorded replies")
    return FileCheck(str(path), tuple(map(str, found.problems)), found.warnings, found.counts, found.kind)


def _checked(path: Path, kind: str, counted: Callable[[Path], dict[str, int]]) -> FileCheck:
    try:
        return FileCheck(str(path), (), (), counted(path), kind)
    except LinesError as error:
        return FileCheck(str(path), tuple(map(str, error.problems)), (), {}, kind)


def _count_samples(path: Path) -> dict[str, int]:
    rows = read_samples(path).rows
    return {"vignettes": len(rows), "without gold steps": sum(not row.gold_steps for row in rows)}


def _count_cases(path: Path) -> dict[str, int]:
    rows = read_bias_cases(path).rows
    return {"cases": len(rows), "pairs": len({row.pair for row in rows if row.pair is not None})}


FILES = (
    FileKind(
        check_reply_file,
        suffixes=(".jsonl", ".ndjson"),
        field="response",
        commands=("concord score reasoning --replies", "concord score run"),
    ),
    FileKind(
        partial(_checked, kind="vignettes", counted=_count_samples),
        key="samples",
        field="gold_answer",
        commands=("concord score reasoning --samples", "concord run reasoning --samples"),
    ),
    FileKind(
        partial(_checked, kind="bias cases", counted=_count_cases),
        key="cases",
        field="bias_feature",
        commands=("concord score reasoning --bias-cases", "concord run reasoning --bias-cases"),
    ),
)
