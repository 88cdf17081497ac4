"""Items whose arrangement is varied: a JSON document, checked, faults named with their item; templates."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, OptionError, quoted
from concord.files.contents import read_bytes
from concord.files.documents import FileCheck, FileKind
from concord.files.json_text import parsed
from concord.files.templates import read_template
from concord.records import InputFile, Template

ITEMS = "items.json"
"""What a run calls its copy of a set."""
TEXT_FIELDS = ("text", "question", "reference", "answer", "cluster")
LIST_FIELDS = ("options", "sentences", "paraphrases")


@dataclass(frozen=True, slots=True)
class ArrangedItem:
    """One item; which fields it needs depends on the arranger and the scorer."""

    id: str
    text: str = ""
    """What is scrambled, or the whole question."""
    question: str = ""
    options: tuple[str, ...] = ()
    answer: str = ""
    reference: str = ""
    """The text that replies are compared with."""
    sentences: tuple[str, ...] = ()
    paraphrases: tuple[str, ...] = ()
    cluster: str = ""


@dataclass(frozen=True, slots=True)
class ItemSet:
    """A set of items and how it is meant to be asked and scored."""

    items: tuple[ArrangedItem, ...]
    arranger: str
    scorer: str
    template: str
    """Name of a bundled template, or the template itself when it holds ``{text}``."""
    shots: tuple[str, ...] = ()
    """Worked examples before every question."""
    input: InputFile = InputFile("", "", 0)


def read_items(path: Path) -> ItemSet:
    """Read a set of items: ``{"items": [{"id", ...}], "arranger", "scorer", "template"}``."""
    return parse_items(read_bytes(path), path.name)


def parse_items(data: bytes, name: str) -> ItemSet:
    """Read a set of items from bytes."""
    document = parsed(name, data)
    rows = document.get("items") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not rows:
        raise FileFormatError(f'{name}: expected {{"items": [...]}} with at least one item')
    items = tuple(_item(row, number, name) for number, row in enumerate(rows, start=1))
    twin = next((one for one, n in Counter(item.id for item in items).items() if n > 1), None)
    if twin is not None:
        raise FileFormatError(f"{name}: two items are called {twin!r}; every id must be its own")
    file = InputFile(name, hashlib.sha256(data).hexdigest(), len(data))
    return ItemSet(
        items,
        _word(document, "arranger", "options", name),
        _word(document, "scorer", "choice", name),
        _word(document, "template", "plain.v1", name),
        _texts(document.get("shots", []), f"{name}: 'shots'"),
        file,
    )


def _item(row: object, number: int, name: str) -> ArrangedItem:
    place = f"{name}, item {number}"
    if not isinstance(row, Mapping):
        raise FileFormatError(f"{place}: got {row!r}, expected an object with an 'id'")
    identity = row.get("id")
    if isinstance(identity, bool) or not isinstance(identity, str | int) or not str(identity).strip():
        raise FileFormatError(f"{place}: 'id' is {identity!r}, expected a name")
    place = f"{name}, item {str(identity)!r}"
    fields: dict[str, Any] = {key: _text(row, key, place) for key in TEXT_FIELDS}
    fields |= {key: _texts(row.get(key, []), f"{place}: {key!r}") for key in LIST_FIELDS}
    return ArrangedItem(str(identity).strip(), **fields)


def _text(row: Mapping[str, Any], key: str, place: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise FileFormatError(f"{place}: {key!r} is {value!r}, expected text")
    return value.strip()


def _texts(value: object, place: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(part, str) and part.strip() for part in value):
        raise FileFormatError(f"{place} is {value!r}, expected a list of texts")
    return tuple(part.strip() for part in value)


def _word(document: Mapping[str, Any], key: str, default: str, name: str) -> str:
    value = document.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise FileFormatError(f"{name}: {key!r} is {value!r}, expected text")
    return value


def template_of(asked: ItemSet) -> Template:
    """Return the template that a set names or holds."""
    named = asked.template
    if "{text}" in named:
        return Template("structure/own", named, hashlib.sha256(named.encode("utf-8", "replace")).hexdigest())
    template = read_template("structure", named)
    if "{text}" not in template.text:
        raise OptionError(
            f"template {quoted(named)} does not hold {{text}}, so every arrangement would be asked the "
            "same words; give one that holds {text}"
        )
    return template


def check_items(path: Path) -> FileCheck:
    """Check a file of items."""
    try:
        found = read_items(path)
    except FileFormatError as error:
        return FileCheck(str(path), (str(error),), (), {}, kind="items")
    try:
        template_of(found)
    except OptionError as error:
        return FileCheck(str(path), (f"{path.name}: {error}",), (), {"items": len(found.items)}, kind="items")
    return FileCheck(str(path), (), (), {"items": len(found.items)}, kind="items")


FILES = (FileKind(check_items, key="items", commands=("concord run structure --items",)),)
