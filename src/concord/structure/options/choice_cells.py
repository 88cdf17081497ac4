"""Cells of a table of choices: a place as a letter, a number or an option's words; an order of options."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from concord.errors import quoted
from concord.structure.options.layouts import LETTERS

UNREADABLE = frozenset({"unreadable", "none", "refused", "error", "?", "-", "–"})
_MARKED = re.compile(r"^[\s\[(*\"']*([A-Za-z]|\d{1,2})[\s\])*\"'.:]*$")
_LED = re.compile(r"^[\s\[(*\"']*([A-Za-z]|\d{1,2})[\])*\"'.:]+\s+\S")
_SAID = re.compile(r"\b(?:answer|choice|option)\b[\s:*]*(?:is)?[\s:*(\[\"']*([A-Z])\b[\s\])*\"'.:]*$")
_SPLIT = re.compile(r"[^A-Za-z0-9]+")
MOST_OPTIONS = len(LETTERS)


class CellFault(Exception):
    """A cell that cannot be used, in words."""


def cell_text(value: object) -> str | None:
    """Return what a cell holds, trimmed; ``None`` where it holds nothing."""
    if value is None or value != value:  # NaN alone is not itself
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None


def place_in_cell(
    value: object, column: str, size: int, *, from_zero: bool = False, shown: Sequence[str] | None = None
) -> int | None:
    """Read a place from 0 on; ``None`` where nothing could be read."""
    text = cell_text(value)
    if text is None or text.casefold() in UNREADABLE:
        return None
    if shown is not None:
        same = [i for i, option in enumerate(shown) if option.casefold() == text.casefold()]
        if len(same) == 1:
            return same[0]
    found = _MARKED.match(text)
    found = _LED.match(text) if found is None else found
    found = _SAID.search(text) if found is None else found
    if found is not None:
        word = found.group(1).upper()
        place = int(word) - (not from_zero) if word.isdigit() else LETTERS.find(word)
        if 0 <= place < size:
            return place
    numbers = f"0 to {size - 1}" if from_zero else f"1 to {size}"
    end = f"A to {LETTERS[size - 1]} or {numbers}" if 0 < size <= MOST_OPTIONS else "a letter"
    raise CellFault(f"{column!r} is {quoted(value)}, expected {end}")


def counts_from_zero(held: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether numbers of places in a table begin at 0: one of them is 0."""
    return any(cell_text(cells[key]) == "0" for cells in held for key in ("chosen", "right"))


def letters_are_places(held: Sequence[Mapping[str, Any]], flags: Mapping[str, bool]) -> bool:
    """Return whether ``answer`` is the letter as shown: the right one exactly where the reply is correct."""
    told = False
    for cells in held:
        answer, right, correct = (cell_text(cells[key]) for key in ("answer", "right", "correct"))
        if answer is None:
            continue
        flag = None if correct is None else flags.get(correct.casefold())
        if right is None or flag is None or _MARKED.match(answer) is None:
            return False
        if (answer.casefold() == right.casefold()) != flag:
            return False
        told = True
    return told


def option_at(arrangement: str, place: int, size: int) -> str | None:
    """Return which option an order such as ``BCDA``, ``B-C-D-A`` or ``1,2,3,0`` has in a place.

    Examples
    --------
    >>> option_at("BCDA", 0, 4), option_at("b-c-d-a", 3, 4), option_at("[1, 2, 3, 0]", 0, 4)
    ('B', 'A', 'B')
    >>> option_at("rotated", 0, 4) is None
    True
    """
    parts = [part.upper() for part in _SPLIT.split(arrangement) if part]
    if len(parts) == 1 and len(parts[0]) == size:
        parts = list(parts[0])
    for names in (list(LETTERS[:size]), [str(i) for i in range(size)], [str(i + 1) for i in range(size)]):
        if sorted(parts) == sorted(names):
            return LETTERS[names.index(parts[place])]
    return None
