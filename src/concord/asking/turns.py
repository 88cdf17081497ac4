"""The turns of sessions: every reply, written as it arrives, so that a killed session goes on."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from concord.asking.folder import reply_row
from concord.asking.index import TURNS, shard_name, stored_lines
from concord.asking.journal import Journal
from concord.asking.redact import Redactor
from concord.asking.requests import Request
from concord.records import Answer


class Turns:
    """The journal of turns of a run."""

    def __init__(
        self,
        folder: Path,
        model: str,
        *,
        redactor: Redactor,
        sessions: Container[str],
        again: Container[str] = (),
        shard: int = 0,
    ) -> None:
        self._model, self._redactor = model, redactor
        self._journal = Journal(folder / shard_name(TURNS, shard))
        self.stored: dict[str, Mapping[str, Any]] = {}
        """Rows by the key of everything that was sent."""
        for _, line in stored_lines(folder, TURNS):
            if line.row["id"].rsplit("/", 2)[0] in sessions:
                self.stored[line.row["key"]] = line.row
        self.stored = {key: row for key, row in self.stored.items() if row["outcome"] not in again}

    def store(self, request: Request, answer: Answer) -> Mapping[str, Any]:
        """Write one turn down at once."""
        row: Mapping[str, Any] = self._redactor.value(reply_row(request, answer, self._model))
        self._journal.append(row)
        self.stored[request.key] = row
        return row

    def forget(self, session: str) -> None:
        """Let go of the turns of a session that has ended; they are on the disk."""
        ended = [key for key, row in self.stored.items() if row["id"].rsplit("/", 2)[0] == session]
        for key in ended:
            del self.stored[key]

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()
