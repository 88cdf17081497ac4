"""Numbers that every command gives today, kept in files: a number that moves is seen, and is told to users.

The files hold no words, only the keys of sentences and the numbers in them. Where a change is meant, write
them again with ``CONCORD_KEEP=1 pytest tests/kept``, read the difference, name it under *Numbers changed*.
"""

import json
import math
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from concord import words
from concord.files.codec import encode
from concord.kinds import Kind
from tests.kept.cases import CASES

MANY = 12
KEPT = Path(__file__).parent / "numbers"
_TOKEN = re.compile(r"⟦[a-z_0-9.]+⟧|[-+−]?\d*\.?\d+(?:e[-+]?\d+)?|undefined|not tested")
_NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:e[-+]?\d{1,3})?")
_SAID = words.parsed
CLOSE = {"rel_tol": 1e-6, "abs_tol": 1e-9}


def _bare(parts: Any) -> Any:
    """Return a sentence with its values alone, and the number of the form that was chosen."""
    for part in parts:
        if isinstance(part, words._Optional):
            yield words._Optional(tuple(_bare(part.parts)))
        elif isinstance(part, words._Place):
            yield " "
            yield part._replace(forms=tuple((f"{i} ", *_bare(form)) for i, form in enumerate(part.forms)))


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the catalogue give keys for words."""
    monkeypatch.setattr(words, "parsed", lambda key: (f"⟦{key}⟧", *_bare(_SAID(key))))


def _leaves(document: Any, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(document, Mapping):
        for key, held in document.items():
            yield from _leaves(held, f"{path}.{key}" if path else str(key))
    elif isinstance(document, list | tuple):
        for held in document:
            yield from _leaves(held, f"{path}[]")
    else:
        yield path, document


def _tokens(value: object) -> list[str]:
    """Return what is kept of a value: a number to nine digits, a name, the keys and numbers of a text."""
    if isinstance(value, float) and not value.is_integer():
        return [f"{value:.9g}"]
    if not isinstance(value, str) or (len(value) < 40 and re.fullmatch(r"[\w.:/-]+", value)):
        return [str(value)]
    return _TOKEN.findall(value)


_NOT_KEPT = {
    *("source", "inputs", "sha256", "source_hash", "version", "provenance", "made"),
    *("commit", "concord_version", "python_version", "packages", "platform", "made_at"),
}
"""Where and by what a result was made: no numbers of it."""


def numbers_of(result: Any, folder: Path) -> list[str]:
    """Return every number of a result, its document and its screen, in lines."""
    document = (
        result.to_dict()
        if hasattr(result, "to_dict")
        else asdict(result)
        if is_dataclass(result) and not isinstance(result, type)
        else result
    )
    found: dict[str, list[str]] = {}
    for path, value in _leaves(
        json.loads(json.dumps(encode(document)).replace(str(folder), "").replace(folder.name, ""))
    ):
        if _NOT_KEPT.isdisjoint(path.replace("[]", "").split(".")):
            found.setdefault(path, []).extend(_tokens(value))
    lines, before = [], ""
    for path, tokens in found.items():
        if tokens:
            lines.append(f"{_beyond(before, path)} {' '.join(_short(tokens))}")
            before = path
    screen = (
        str(result).replace(str(folder), "").replace(folder.name, "") if hasattr(result, "to_dict") else ""
    )
    shown = (_TOKEN.findall(line) for line in screen.splitlines())
    lines += [f"| {' '.join(_short(tokens))}" for tokens in shown if tokens]
    return lines if not isinstance(result, Kind) else [*lines, *_beside(result, folder)]


def _beside(result: Kind, folder: Path) -> Iterator[str]:
    """Return what a result says below its tables, and a line for each of its files."""
    for note in result.notes():
        yield f"note {' '.join(_TOKEN.findall(note.replace(str(folder), '').replace(folder.name, '')))}"
    for table in result.TABLES:
        if table.file:
            _, rows = table.file_table(result)
            cells = [str(cell).replace(folder.name, "") for row in rows for cell in row]
            yield f"{table.file} {' '.join(_short([one for cell in cells for one in _tokens(_value(cell))]))}"


def _value(cell: str) -> object:
    return float(cell) if _is_number(cell) else cell


def _beyond(before: str, path: str) -> str:
    """Return a path with one dot for each of its parts that the path before it has too."""
    parts = path.split(".")
    same = len(os.path.commonprefix([before.split("."), parts]))
    return "." * same + ".".join(parts[same:])


def _short(tokens: list[str]) -> list[str]:
    """Return few values as they are; of many the first, their mean, and a mean that depends on the order."""
    if len(tokens) <= MANY:
        return tokens
    numbers = [float(one) for one in tokens if _is_number(one)]
    said = zlib.crc32(" ".join(one for one in tokens if not _is_number(one)).encode())
    if not numbers:
        return [*tokens[:3], f"{len(tokens)} in all, {said:08x}"]
    size = fmean(map(abs, numbers))
    order = fmean(i * one for i, one in enumerate(numbers)) / len(numbers)
    return [*tokens[:3], f"{len(tokens)} in all, {said:08x}", f"{size:.9g} {fmean(numbers):.9g} {order:.9g}"]


def _is_number(token: str) -> bool:
    return _NUMBER.fullmatch(token) is not None


def _alike(kept: str, now: str) -> bool:
    first, second = kept.split(" "), now.split(" ")
    return len(first) == len(second) and all(map(_same, first, second))


def _same(kept: str, now: str) -> bool:
    if kept == now:
        return True
    try:
        return math.isclose(float(kept), float(now), **CLOSE)
    except ValueError:
        return False


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.usefixtures("keyed")
@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_that_were_kept(tmp_path: Path, name: str) -> None:
    now = numbers_of(CASES[name](tmp_path), tmp_path)
    path = KEPT / f"{name.replace(' ', '_')}.txt"
    if os.environ.get("CONCORD_KEEP"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in now), "utf-8")
    kept = path.read_text("utf-8").splitlines()
    moved = [f"- {one}\n+ {two}" for one, two in zip(kept, now, strict=False) if not _alike(one, two)]
    assert not moved, "\n".join(moved[:10])
    assert len(kept) == len(now), [*kept[len(now) :], *now[len(kept) :]][:10]


def test_what_is_kept_belongs_to_a_case() -> None:
    names = {f"{name.replace(' ', '_')}.txt" for name in CASES}
    held = {path.name for path in KEPT.iterdir()}
    assert held == names if find_spec("inspect_ai") is not None else held >= names
