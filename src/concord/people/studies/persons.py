"""A table of real persons as participants: what the model is told of each, and what is kept from it.

A column that names, weighs or identifies a person is never told, nor is one that holds people's own answers
to the studies that are asked, or their condition there. Every other column is told in plain words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from concord.errors import FileFormatError, listed, quoted
from concord.files.cells import BadCellError, number
from concord.files.grids import Grid, is_blank, plain_title
from concord.files.missing import FoundCodes, MissingCodes, declared_missing, found_codes, is_refusal
from concord.files.tables import TableOptions, TableSource, grid_of
from concord.people.studies.agents import Person, Persons
from concord.people.studies.catalog import observed_variables
from concord.people.studies.format import Study

_LONGEST, _PERSONA = 2_000, 20_000
"""Characters of a cell that is told, and of all that is told of a person."""
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")
_PRIVATE = re.compile(
    r"(?:e_?)?mail(?:_?address)?|ip(?:_?address)?|(?:first|last|full|sur)?_?name|phone.*|address"
)


def read_persons(source: TableSource, studies: Sequence[Study], *, missing: Any = None) -> Persons:
    """Read a table with one row per person: what to tell of each, and what to keep apart."""
    grid = grid_of(source, TableOptions())
    asked = {name for study in studies for spec in study.experiments for name in _asked_names(study, spec)}
    roles = _roles(grid, {plain_title(name): name for name in asked})
    by_role: dict[str, list[int]] = {}
    for j, role in roles.items():
        by_role.setdefault(role.partition(":")[0], []).append(j)
    codes, notes = declared_missing(missing), [*grid.warnings, *map(str, grid.problems)]
    told = {j: _words_of(grid, j, codes, notes) for j in by_role.get("told", [])}
    own = {j: _words_of(grid, j, codes, notes) for j in by_role.get("own", [])}
    weights = grid.cells(by_role["weight"][0]) if "weight" in by_role else [None] * len(grid.rows)
    persons = [
        Person(
            name,
            {
                _told_as(grid.header[j]): _trait(grid, j, cell)
                for j, cells in told.items()
                if (cell := cells[i])
            },
            {roles[j].partition(":")[2]: cell for j, cells in own.items() if (cell := cells[i])},
            None if is_blank(weights[i]) else str(weights[i]),
        )
        for i, name in enumerate(_person_names(grid, by_role.get("person", [])))
    ]
    _check_told(grid, persons)
    kept = [grid.header[j] for j, role in roles.items() if role != "told"]
    empty = sum(not one.traits for one in persons)
    if empty:
        notes.append(f"of {empty} of {len(persons)} persons nothing is told: their cells are empty or codes")
    return Persons(tuple(persons), tuple(grid.header[j] for j in told), tuple(kept), tuple(notes))


def _asked_names(study: Study, experiment: str) -> Iterable[str]:
    """Return the factors and answers of an experiment; traits of its population are no secrets."""
    found = observed_variables(study, experiment).values()
    within = (factor for factor in study.experiments[experiment].factors)
    return chain(
        within, (one.name for one in found if one.origin != "profile"), study.experiments[experiment].items
    )


def _roles(grid: Grid, asked: Mapping[str, str]) -> dict[int, str]:
    """Return what every column is: ``person``, ``weight``, ``own:NAME``, ``private`` or ``told``."""
    from concord.people.answers.table import IDENTIFIES, NAMES, is_added

    roles: dict[int, str] = {}
    for j, title in enumerate(grid.header):
        plain = plain_title(title)
        if grid.is_blank_column(j):
            continue
        if plain in asked or plain == "experiment":
            roles[j] = f"own:{asked.get(plain, plain)}"
        elif plain in NAMES["weight"]:
            roles[j] = "weight"
        elif (plain in NAMES["person"] or IDENTIFIES.fullmatch(plain)) and "person" not in roles.values():
            roles[j] = "person"
        elif is_added(title) or any(one.fullmatch(plain) for one in (IDENTIFIES, _PRIVATE)):
            roles[j] = "private"
        else:
            roles[j] = "told"
    if "told" not in roles.values():
        shown = listed([quoted(title) for title in grid.header])
        raise FileFormatError(
            f"{grid.place}: no column describes the persons ({shown}); expected columns such as age, party, "
            "or earlier answers"
        )
    return roles


def _person_names(grid: Grid, columns: Sequence[int]) -> list[str]:
    """Return what the persons are called; two of one name are refused by their rows."""
    if not columns:
        return [str(i + 1) for i in range(len(grid.rows))]
    names = [_clean(cell) for cell in grid.cells(columns[0])]
    seen: dict[str, int] = {}
    for row, name in zip(grid.rows, names, strict=True):
        if not name:
            raise FileFormatError(
                f"{grid.place}, row {row}, column {grid.header[columns[0]]!r}: no name of a person"
            )
        if name in seen:
            raise FileFormatError(
                f"{grid.place}, rows {seen[name]} and {row}: both are the person {quoted(name)}; expected "
                "one row per person"
            )
        seen[name] = row
    return names


def _words_of(grid: Grid, j: int, declared: MissingCodes, notes: list[str]) -> list[str]:
    """Return the cells of a column in words; empty where a cell is empty or a code for no answer."""
    cells = grid.cells(j)
    values = [_numeric(cell) for cell in cells]
    known = [value for value in values if value is not None]
    numeric = len(known) > sum(not is_blank(cell) for cell in cells) / 2
    numbers = np.array([n for n in known if n not in declared.numbers], dtype=np.float64)
    codes = found_codes(numbers) if numeric and numbers.size else FoundCodes()
    taken, place = codes.taken, f"{grid.place}, column {grid.header[j]!r}"
    for found, words in ((taken, codes.taken_words), (codes.asked, codes.asked_words(numbers))):
        if found:
            notes.append(f"{place}: {int(np.isin(numbers, found).sum())} cells {words}")
    return [
        ""
        if is_blank(cell) or declared.holds(cell) or is_refusal(cell, among_numbers=numeric) or value in taken
        else _clean(cell)
        for cell, value in zip(cells, values, strict=True)
    ]


def _numeric(cell: object) -> float | None:
    try:
        return number(cell)
    except BadCellError:
        return None


def _clean(cell: object) -> str:
    """Return a cell as one line without what cannot be seen."""
    text = f"{cell:g}" if isinstance(cell, float) and cell == round(cell) and abs(cell) < 1e15 else str(cell)
    return "" if cell is None else " ".join(_UNSEEN.sub(" ", text).split())


def _told_as(title: str) -> str:
    return "age" if plain_title(title) == "age" else _clean(title)


def _trait(grid: Grid, j: int, cell: str) -> str | int:
    return int(cell) if _told_as(grid.header[j]) == "age" and cell.isdecimal() and len(cell) < 4 else cell


def _check_told(grid: Grid, persons: Sequence[Person]) -> None:
    """Refuse what is too long to be told, by its row."""
    for row, person in zip(grid.rows, persons, strict=True):
        for title, value in person.traits.items():
            if len(str(value)) > _LONGEST:
                raise FileFormatError(
                    f"{grid.place}, row {row}, column {title!r}: {len(str(value)):,} characters, "
                    f"expected at most {_LONGEST:,}"
                )
        if sum(len(title) + len(str(value)) for title, value in person.traits.items()) > _PERSONA:
            raise FileFormatError(
                f"{grid.place}, row {row}: more than {_PERSONA:,} characters to tell of one person; leave "
                "columns out"
            )
