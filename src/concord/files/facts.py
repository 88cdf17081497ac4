"""What any result's document, and the run behind it, tell of themselves: models, choices, settings, inputs.

Documents may be foreign or damaged: what is not there is empty, never a fault.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.records import InputFile

_TOLD = (
    "format_version", "concord_version", "commit", "python_version", "packages", "seed", "options",
    "protocol", "protocol_choices", "reading", "rules", "model_settings", "tokens", "cost",
)  # fmt: skip
"""Keys that say how a result was made."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What a result's document tells of itself."""

    format: str = ""
    format_version: object = None
    model: str = ""
    models: tuple[str, ...] = ()
    """Models that it names, where it holds several."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """What must be the same for numbers to be in one table, by name: ``protocol``, ``reading``, ``rules``."""
    design: str = ""
    synthetic: bool = False
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    tokens: tuple[int, int] | None = None
    """Read and written."""
    made: tuple[tuple[str, str], ...] = ()
    """Everything that says how it was made, by its path in the document."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the record of a run tells."""

    model: str = ""
    design: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    tokens: tuple[int, int] | None = None
    max_tokens: int | None = None


def document_facts(document: Mapping[str, Any]) -> DocumentFacts:
    """Read what a document tells of itself."""
    names = [_text(one, "model") or _text(one, "name") for one in _objects(document.get("models"))]
    inputs = document.get("inputs")
    files = _objects(list(inputs.values()) if isinstance(inputs, Mapping) else inputs)
    problems = document.get("problems")
    return DocumentFacts(
        format=_text(document, "format"),
        format_version=document.get("format_version"),
        model=_text(document, "model") or _text(document, "agent"),
        models=tuple(names) if any(names) else (),
        choices={name: _choice(document, name) for name in ("protocol", "reading", "rules")},
        design=_text(document, "design"),
        synthetic=document.get("synthetic") is True,
        warnings=_texts(document.get("warnings")),
        problems=_texts(problems.get("list")) if isinstance(problems, Mapping) else (),
        inputs=tuple(
            InputFile(_text(one, "name"), _text(one, "sha256"), _whole(one.get("size"), 0)) for one in files
        ),
        settings=tuple(_leaves(document.get("model_settings"))),
        tokens=_tokens(document.get("tokens")),
        made=tuple(_leaves({key: document[key] for key in _TOLD if key in document})),
    )


def run_facts(folder: Path, top: Path) -> RunFacts:
    """Read `run.json` in the folder of a result or above it, not above what was given."""
    for place in (folder, *folder.parents):
        if (place / "run.json").is_file():
            try:
                held = parsed("run.json", read_bytes(place / "run.json"))
            except FileFormatError:
                return RunFacts()
            return _of_run(held) if isinstance(held, Mapping) else RunFacts()
        if place.resolve() == top.resolve():
            break
    return RunFacts()


def _of_run(held: Mapping[str, Any]) -> RunFacts:
    options, sampling = held.get("options"), held.get("sampling")
    limit = sampling.get("max_tokens") if isinstance(sampling, Mapping) else None
    return RunFacts(
        model=_text(held, "model"),
        design=_text(options, "design") if isinstance(options, Mapping) else "",
        settings=tuple(_leaves(sampling)),
        tokens=_tokens(held.get("tokens")),
        max_tokens=_whole(limit, -1) if _whole(limit, -1) >= 0 else None,
    )


def _choice(document: Mapping[str, Any], name: str) -> str:
    """Return a choice; two results under one name and other choices differ too."""
    said = _text(document, name)
    if name != "protocol":
        return said
    choices = document.get("protocol_choices")
    default = _text(choices, "name") if isinstance(choices, Mapping) else said
    return said if default in (said, "") else f"{said} ({default})"


def _text(document: Mapping[str, Any], key: str) -> str:
    found = document.get(key)
    return found if isinstance(found, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _whole(value: object, default: int) -> int:
    known = isinstance(value, int) and not isinstance(value, bool)
    return int(value) if known and isinstance(value, int) else default


def _tokens(value: object) -> tuple[int, int] | None:
    if not isinstance(value, Mapping):
        return None
    read, written = (_whole(value.get(key), -1) for key in ("input", "output"))
    return (read, written) if min(read, written) >= 0 else None


def _leaves(document: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Return every leaf of a document with its path, for a table of settings."""
    if isinstance(document, Mapping):
        for key, value in document.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key))
    elif isinstance(document, list):
        yield name, ", ".join(str(one) for one in document)
    elif document is not None:
        yield name, str(document)
