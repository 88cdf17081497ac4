"""How a methods paragraph names the program: with the version and commit that a result records."""

from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]


def _held(document: Any, *keys: str) -> Any:
    for key in keys:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document


def with_concord(document: Document) -> str:
    """Name Concord with the version and commit that a result records."""
    version, commit = _held(document, "concord_version"), _held(document, "commit")
    if version is None:
        version, commit = (
            _held(document, "provenance", "concord_version"),
            _held(document, "provenance", "commit"),
        )
    said = [f"version {version}"] if isinstance(version, str) else []
    said += [f"commit {commit[:10]}"] if isinstance(commit, str) and commit else []
    return f"Concord ({', '.join(said)})" if said else "Concord"
