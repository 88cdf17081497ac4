"""The turns of sessions: every reply, written as it arrives, so that a killed session goes on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from concord.asking.folder import Request, reply_row
from concord.asking.journal import Journal, read_lines
from concord.asking.keys import scrub
from concord.records import Answer

TURNS = "turns.jsonl"


class Turns:
    """The journal of turns of a run.

    Parameters
    ----------
    folder
        The run's folder.
    model
        Named in every row.
    secrets
        Texts that must not be written.
    """

    def __init__(self, folder: Path, model: str, *, secrets: tuple[str, ...] = ()) -> None:
        self._model, self._secrets = model, secrets
        self._journal = Journal(folder / TURNS)
        self.stored: dict[str, Mapping[str, Any]] = {
            line.row["key"]: line.row for line in read_lines(folder / TURNS)
        }
        """Rows by the key of everything that was sent."""

    def store(self, request: Request, answer: Answer) -> None:
        """Write one turn down at once."""
        row = reply_row(request, answer, self._model)
        row = {k: scrub(v, self._secrets) if isinstance(v, str) else v for k, v in row.items()}
        self._journal.append(row)
        self.stored[request.key] = row

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()
