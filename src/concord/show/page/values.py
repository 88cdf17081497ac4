"""Numbers and words out of documents that may be old, foreign or damaged: what is not there is ``None``."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.documents import DocumentFacts, RunFacts, document_facts
from concord.files.kept_replies import KeptReply
from concord.show.svg import Picture

COMPARISON = "comparison"
"""Kind of a file that `concord compare` wrote."""


Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be used, or only in part."""

    file: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


def without_folder(fault: FileFormatError, folder: Path) -> str:
    """Return a fault without the folders above the result, which are nobody's business."""
    return str(fault).replace(f"{folder}/", "")


@dataclass(frozen=True)
class ResultFile:
    """One result as it lies in its folder."""

    kind: str
    file: Path | None
    """``None`` for a result that was never written."""
    document: Document
    model: str
    """Name of the model, or of the folder where the result does not say."""
    shown: str
    """The file as a reader should see it: no folders above those that were given."""
    run: RunFacts = RunFacts()
    """What the run tells that the replies came from, where there is one."""
    result: Any = None
    """The record, where it was read or made."""

    @cached_property
    def facts(self) -> DocumentFacts:
        """What the document tells of itself."""
        return document_facts(self.document)


@dataclass(frozen=True, slots=True)
class FoundResults:
    """Everything that could be read, and everything that could not."""

    sources: tuple[ResultFile, ...]
    problems: tuple[Problem, ...]

    def of(self, kind: str) -> list[ResultFile]:
        """Return the results of one question."""
        return [source for source in self.sources if source.kind == kind]


@dataclass(frozen=True, slots=True)
class ReplyTable:
    """Replies that the page shows, and how many there are."""

    rows: tuple[tuple[str, KeptReply], ...]
    """Each with the result that it belongs to."""
    n_found: int
    problems: tuple[Problem, ...]
    files: tuple[str, ...] = ()
    """Where they were found, and whole."""
    of: Mapping[str, int] | None = None
    """How many replies each result has, by its file."""

    @property
    def n_left_out(self) -> int:
        """Replies that are not on the page."""
        return self.n_found - len(self.rows)


MOST_FIGURE_ROWS = 61
"""Rows of numbers, heads included, up to which a figure of the page carries them."""


def figure_rows(picture: Picture) -> str:
    """Return the numbers behind a picture as JSON, to four digits; empty where they are too many."""
    if not 1 < len(picture.rows) <= MOST_FIGURE_ROWS:
        return ""
    kept: list[list[object]] = []
    for row in picture.rows:
        kept.append([])
        for value in row:
            if isinstance(value, float):
                kept[-1].append(float(f"{value:.4g}") if math.isfinite(value) else None)
            else:
                kept[-1].append(value if value is None or isinstance(value, int) else str(value))
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
