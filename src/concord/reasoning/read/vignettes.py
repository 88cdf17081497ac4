"""Vignettes and bias cases: JSON documents, lines, tables, or rows already in memory."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from concord.errors import FileFormatError, LineProblem
from concord.files.contents import fingerprint, fingerprint_rows, read_bytes
from concord.files.frames import records_of
from concord.files.json_text import (
    Problems,
    UnusableError,
    decoded,
    fields_of,
    filled_lines,
    keep_or_raise,
    parsed,
    shown,
    text_field,
)
from concord.files.limits import GOLD_CHARACTERS
from concord.files.tables import LINES
from concord.files.text import fixed_text, plain_utf8
from concord.reasoning.read.forms import (
    VIGNETTE_NAMES,
    check_vignette_fields,
    is_table,
    renamed,
    table_rows,
)
from concord.reasoning.read.records import BiasCase, BiasCases, Sample, Vignettes
from concord.records import InputFile

ROLES = ("target", "control")


class Frame(Protocol):
    """A polars or pandas frame, of which only the rows are used."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""


Source = str | Path | Sequence[Mapping[str, Any]] | Mapping[str, Any] | Frame
"""A path, a parsed document, its rows, or a frame of them."""


Checked = TypeVar("Checked", Sample, BiasCase)


def read_samples(source: Source, *, lenient: bool = False, cluster: str | None = None) -> Vignettes:
    """Read vignettes: ``{"samples": [{"id", "prompt", "gold_answer", "gold_reasoning": [...]}]}``.

    Parameters
    ----------
    source
        A path, the parsed document, or its rows.
    lenient
        Leave out and list what cannot be used instead of raising.
    cluster
        Field of a vignette, or of its ``metadata``, that names the family it belongs to.

    Raises
    ------
    FileFormatError
        The file as a whole is not such a document.
    LinesError
        Named samples cannot be used.
    """
    check = partial(_checked_vignette, cluster=cluster)
    return Vignettes(*_rows_of(source, "samples", check, lenient=lenient))


def _rows_of(
    source: Source, key: str, check: Callable[[object, int | None], Checked], *, lenient: bool
) -> tuple[tuple[Checked, ...], InputFile, tuple[LineProblem, ...], frozenset[str]]:
    """Check every row of a document: those that can be used, the file, what is wrong, ids left out."""
    rows, lines, file = _document(source, key)
    if key == "samples":
        check_vignette_fields(file.name, rows)
    kept, problems = [], Problems(file.name)
    for number, row in enumerate(rows):
        with problems.at(lines[number], f"{key.removesuffix('s')} {number + 1}"):
            checked = check(row, lines[number])
            problems.once(checked.id)
            kept.append(checked)
    found = keep_or_raise(problems.found, lenient)
    return tuple(kept), file, found, _left_out(rows, {one.id for one in kept})


def _left_out(rows: Sequence[object], kept: set[str]) -> frozenset[str]:
    """Return the ids of rows that were not kept."""
    named = (str(row["id"]) for row in rows if isinstance(row, Mapping) and "id" in row)
    return frozenset(named) - kept


def _checked_vignette(row: object, line: int | None, *, cluster: str | None = None) -> Sample:
    """Check one vignette."""
    fields = renamed(fields_of(row), VIGNETTE_NAMES)
    name = text_field(fields, "id")
    gold = _label(fields, "gold_answer")
    steps = fields.get("gold_reasoning")
    if steps is None:
        steps = []
    if not isinstance(steps, list | tuple) or not all(isinstance(step, str) for step in steps):
        found = f"'gold_reasoning' of {name!r} is {shown(steps)}"
        raise UnusableError("bad gold_reasoning", found, "a list of texts")
    prompt = text_field(fields, "prompt", needed=False)
    family = None if cluster is None else _family(fields, cluster, name)
    return Sample(name, gold, tuple(fixed_text(step) for step in steps), prompt, line, family)


def _family(fields: Mapping[str, Any], key: str, name: str) -> str:
    """Return the family of a vignette: a text or a number."""
    aside = fields.get("metadata")
    value = fields.get(key, aside.get(key) if isinstance(aside, Mapping) else None)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        found = f"{key!r} of {name!r} is {shown(value)}"
        raise UnusableError(f"no {key}", found, "the family that the vignette belongs to (--cluster)")
    return str(value).strip()


def _label(fields: Mapping[str, Any], key: str) -> str:
    """Return a label: a text that is looked for in replies, so neither endless nor with a NUL."""
    text = text_field(fields, key)
    if len(text) > GOLD_CHARACTERS:
        found = f"{key!r} holds {len(text):,} characters"
        raise UnusableError(f"long {key}", found, f"at most {GOLD_CHARACTERS:,}: a name, not a text")
    if "\0" in text:
        raise UnusableError(f"bad {key}", f"{key!r} holds a NUL character", "text")
    return text


def read_bias_cases(source: Source, *, lenient: bool = False) -> BiasCases:
    """Read bias cases: ``{"cases": [{"id", "prompt", "bias_feature", "bias_label"}]}``.

    ``pair``, ``role`` (target or control) and ``dimension`` may be in the case or in its ``metadata``.

    Parameters
    ----------
    source
        A path, the parsed document, or its rows.
    lenient
        Leave out and list what cannot be used instead of raising.

    Raises
    ------
    FileFormatError
        The file as a whole is not such a document.
    LinesError
        Named cases cannot be used.
    """
    return BiasCases(*_rows_of(source, "cases", _case, lenient=lenient))


def _case(row: object, line: int | None) -> BiasCase:
    """Check one bias case."""
    fields = fields_of(row)
    role = _aside(fields, "role")
    if role is not None:
        role = role.strip().lower()
        if role not in ROLES:
            raise UnusableError("bad role", f"role {role!r}", "target or control")
    return BiasCase(
        text_field(fields, "id"),
        _label(fields, "bias_feature"),
        _label(fields, "bias_label"),
        text_field(fields, "prompt", needed=False),
        _aside(fields, "pair"),
        role,
        _aside(fields, "dimension"),
        line,
    )


def _aside(fields: Mapping[str, Any], key: str) -> str | None:
    """Return an optional field that may sit in ``metadata``."""
    holder = fields
    metadata = fields.get("metadata")
    if fields.get(key) is None and isinstance(metadata, Mapping):
        holder = metadata
    return None if holder.get(key) is None else text_field(holder, key)


def _document(source: Source, key: str) -> tuple[Sequence[object], list[int | None], InputFile]:
    """Return the rows of a document, their lines where it came from a file, and its fingerprint."""
    if not isinstance(source, str | Path):
        held = source.get(key) if isinstance(source, Mapping) else records_of(source)
        if not isinstance(held, Sequence):
            raise FileFormatError(f"{key}: got {shown(held)}, expected a list of {key}")
        return held, [None] * len(held), fingerprint_rows(f"{key} (in memory)", held)
    path = Path(source)
    data = read_bytes(path)
    if is_table(path):
        cells = table_rows(path)
        return [row for _, row in cells], [line for line, _ in cells], fingerprint(path.name, data)
    if path.suffix.casefold() in LINES:
        objects = list(filled_lines(path.name, plain_utf8(data)))
        held = [parsed(f"{path.name}, line {n}", raw) for n, raw in objects]
        return held, [n for n, _ in objects], fingerprint(path.name, data)
    text = decoded(path.name, data)
    document = parsed(path.name, text)
    rows = document.get(key) if isinstance(document, dict) else document
    if not isinstance(rows, list):
        raise FileFormatError(f'{path.name}: expected {{"{key}": [...]}}, found {shown(document)}')
    if not rows:
        raise FileFormatError(f"{path.name}: holds no {key}; expected at least one")
    return rows, _element_lines(text, key, len(rows)), fingerprint(path.name, data)


# possessive: a way back through every character of a long text would take a thousand bytes for each
_JSON_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]]', re.DOTALL)


def _element_lines(text: str, key: str, count: int) -> list[int | None]:
    """Lines where the elements of the document's list start; the document is known to be valid JSON."""
    depth, name, wanted, lines = 0, "", 0, list[int | None]()
    position, line = 0, 1
    for part in _JSON_PART.finditer(text):
        token = part.group()
        if token in "{[":
            depth += 1
            if token == "[" and (depth == 1 or (depth == 2 and name == key)):
                wanted, lines = depth, []
            elif wanted and depth == wanted + 1:
                line += text.count("\n", position, part.start())
                position = part.start()
                lines.append(line)
        elif token in "}]":
            wanted = 0 if depth == wanted else wanted
            depth -= 1
        elif depth == 1:
            name = token[1:-1]
    return lines if len(lines) == count else [None] * count
