"""What to cite: Concord itself, the methods behind its numbers, and the studies, as BibTeX."""

import json
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from concord.version import __version__

Entry = tuple[str, str, Mapping[str, str]]
"""Kind, key and fields of an entry."""

CONCORD: Entry = (
    "software", "concord",
    {
        "author": "{The Concord maintainers}",
        "title": "Concord: does a language model agree with people, with itself, and with its own reasoning?",
        "version": __version__,
        "license": "MIT",
    },
)  # fmt: skip
_HELD = resources.files("concord.show").joinpath("data", "methods.json").read_text("utf-8")
METHODS: Mapping[str, Entry] = {key: ("article", key, held) for key, held in json.loads(_HELD).items()}
"""Sources of the methods, by their keys."""


def bibtex(entries: Iterable[Entry]) -> str:
    """Return entries as BibTeX."""
    return "\n\n".join(_bibtex_entry(*one) for one in entries)


def _bibtex_entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{kind}{{{key},\n{lines}}}"


def study_entry(study: str, source: Mapping[str, str]) -> Entry:
    """Return the entry of a study from its source as a card has it."""
    authors = re.sub(r",? & ", " and ", source.get("authors", "")).replace("., ", ". and ")
    return (
        "article",
        re.sub(r"[^a-z0-9-]", "", study.lower()),
        {
            "author": _without_markup(authors),
            "title": _without_markup(source.get("title", "")),
            "year": source.get("year", ""),
            "note": _without_markup(source.get("published", "")),
            "doi": source.get("doi", ""),
        },
    )


def _without_markup(text: str) -> str:
    """Take the signs that mean something to LaTeX out of the way."""
    return re.sub(r"([&%$#_])", r"\\\1", text.replace("\\", "").replace("{", "").replace("}", ""))


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
