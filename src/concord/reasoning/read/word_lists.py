"""Lists of names and phrases: JSON documents."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from concord.errors import FileFormatError
from concord.files import limits
from concord.files.contents import read_bytes
from concord.files.gate import refuse_more
from concord.files.json_text import decoded, parsed, shown
from concord.files.limits import GOLD_CHARACTERS


def read_aliases(source: str | Path | Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Read an alias table: ``{"aliases": {"Label": ["other name", "ABBR"]}}``, or the inner object."""
    name = "aliases"
    document: object = source
    if isinstance(source, str | Path):
        path = Path(source)
        name, document = path.name, parsed(path.name, decoded(path.name, read_bytes(path)))
    table = document.get("aliases", document) if isinstance(document, Mapping) else document
    if not isinstance(table, Mapping):
        raise FileFormatError(
            f'{name}: expected {{"aliases": {{"Label": ["name", ...]}}}}, found {shown(table)}'
        )
    for label, names in table.items():
        if not str(label).strip() or len(str(label)) > GOLD_CHARACTERS or not _is_names(names):
            raise FileFormatError(
                f"{name}: names of {shown(label)} are {shown(names)}, expected a list of names"
            )
        what = f"names of {shown(label)}"
        refuse_more(len(names), limits.OTHER_NAMES, what, name, "leave out those that no reply uses")
    return {str(label): tuple(names) for label, names in table.items()}


def _is_names(value: object) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(name, str) and name.strip() and len(name) <= GOLD_CHARACTERS for name in value
    )


def read_phrases(path: Path) -> tuple[str, ...]:
    """Read a list of phrases: ``{"phrases": [...]}``."""
    document = parsed(path.name, decoded(path.name, read_bytes(path)))
    phrases = document.get("phrases") if isinstance(document, dict) else None
    if not _is_names(phrases):
        raise FileFormatError(f'{path.name}: expected {{"phrases": ["...", ...]}}, found {shown(document)}')
    return tuple(phrases or ())
