"""Whether a file is well formed, and what it holds; each question says which files it has."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class FileCheck:
    """Whether a file is well formed, and what it holds."""

    file: str
    problems: tuple[str, ...]
    """What keeps the file from being used, or contradicts itself; empty when the check passes."""
    warnings: tuple[str, ...]
    counts: dict[str, int]
    """What there is: studies, findings and tests, or replies and their outcomes."""
    kind: str = "table of tests"

    @property
    def passed(self) -> bool:
        """Nothing was found that must be fixed."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `concord check --json` prints."""
        return {"file": self.file, "kind": self.kind, "passed": self.passed, **asdict(self)}


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file of a question: how it is recognised, and how it is checked."""

    check: Callable[[Path], FileCheck]
    suffixes: tuple[str, ...] = ()
    """How its name ends, where that is enough."""
    key: str | None = None
    """A key of a JSON object that holds a list in such a file."""
    field: str | None = None
    """A key of the objects of a JSON list that such a file is."""
