"""The file of a person's verdicts: written after each one, read to go on or to compute."""

import json
from collections.abc import Mapping
from pathlib import Path

from concord.audit.items import VERDICTS
from concord.errors import FileFormatError
from concord.files.documents import heading, read_document
from concord.files.output import write_json

KIND = "audit verdicts"


def write_verdicts(path: Path, question: str, verdicts: Mapping[str, str]) -> None:
    """Write what a person said: key of a reply to verdict."""
    write_json(path, {**heading(KIND), "question": question, "verdicts": dict(verdicts)})


def read_verdicts(path: Path, question: str) -> dict[str, str]:
    """Read what `write_verdicts` wrote, or what the page saved."""
    document = read_document(path, KIND)
    if document.get("question") != question:
        raise FileFormatError(f"{path}: verdicts on {document.get('question')!r}, expected {question!r}")
    found = document.get("verdicts")
    if not isinstance(found, dict) or not all(verdict in VERDICTS for verdict in found.values()):
        bad = json.dumps(found)[:60]
        raise FileFormatError(
            f"{path}: verdicts are {bad}, expected one of {', '.join(VERDICTS)} for each reply"
        )
    return {str(key): str(verdict) for key, verdict in found.items()}
