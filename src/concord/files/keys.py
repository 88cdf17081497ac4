"""What makes a unit: the columns that identify it, chosen by the data; repeats are told from duplicates.

One rule for all readers. A column is part of what identifies a unit where the columns before it do not
determine it; rows that agree in all of them and in their repeat are duplicates.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from concord.errors import FileFormatError
from concord.files.grids import Grid, names_of, plain_title

CONTEXT, REPEATS, VARIANTS = (names_of("units")[part] for part in ("context", "repeats", "variants"))
"""Columns under which items are numbered anew, that number repeats, and that make one model several."""
Cells = Sequence[Mapping[str, object]]
_NOTED: ContextVar[set[str] | None] = ContextVar("noted", default=None)


@contextmanager
def noted_units() -> Iterator[set[str]]:
    """Note the columns that tell units apart for as long as this lasts, by their plain titles."""
    found: set[str] = set()
    token = _NOTED.set(found)
    try:
        yield found
    finally:
        _NOTED.reset(token)


def note_units(titles: Sequence[str]) -> None:
    """Note columns that tell units apart, where somebody asks for them."""
    if (noted := _NOTED.get()) is not None:
        noted.update(map(plain_title, titles))


def determines(rows: Cells, known: Sequence[str], column: str) -> bool:
    """Whether rows that agree in some columns agree in another, too."""
    seen: dict[tuple[str, ...], str] = {}
    for row in rows:
        key = tuple(str(row.get(name)) for name in known)
        if seen.setdefault(key, str(row.get(column))) != str(row.get(column)):
            return False
    return True


def unit_columns(rows: Cells, first: Sequence[str], further: Sequence[str]) -> list[str]:
    """Return what identifies a unit: the first columns, and those of the others they do not determine."""
    chosen = list(first)
    there = {name for row in rows[:1] for name in row}
    for name in further:
        if name in there and name not in chosen and not determines(rows, chosen, name):
            chosen.append(name)
    note_units(chosen[len(first) :])
    return chosen


def refuse_duplicates(place: str, what: str, keys: Sequence[Hashable], rows: Sequence[object]) -> None:
    """Refuse rows that are of the same unit and repeat, naming them."""
    found: dict[Hashable, list[object]] = defaultdict(list)
    for key, row in zip(keys, rows, strict=True):
        found[key].append(row)
    twice = {key: own for key, own in found.items() if len(own) > 1}
    if twice:
        key, own = next(iter(twice.items()))
        named = " · ".join(str(part) for part in key) if isinstance(key, tuple) else str(key)
        raise FileFormatError(
            f"{place}: {len(twice)} units are there more than once, such as {named!r} "
            f"({', '.join(map(str, own[:3]))}); a unit is {what}: number its repeats, or name the column "
            "that tells these rows apart"
        )


def told_repeats(what: str, keys: Sequence[Hashable]) -> tuple[str, ...]:
    """Say that rows of one unit that no column numbers are taken as repeats; nothing without such rows."""
    most = max(Counter(keys).values(), default=1)
    if most < 2:
        return ()
    n = sum(count > 1 for count in Counter(keys).values())
    return (
        f"{n} units ({what}) are there up to {most} times and no column numbers them: taken as repeats; "
        "where they are other conditions, name their column, else number them in a column 'sample'",
    )


def with_units(grid: Grid, id_title: str, within: Sequence[str], further: Sequence[str]) -> Grid:
    """Return a grid whose items have names of their own, with the columns under which they are numbered."""
    # ``within`` names the columns that tell rows of one item apart.
    names = [plain_title(title) for title in grid.header]
    columns = {name: grid.cells(j) for j, name in enumerate(names)}
    own = plain_title(id_title)
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    unit = [one for one in unit_columns(rows, [own], further) if one not in within]
    if len(unit) == 1:
        return grid
    joined = [" · ".join(str(row[one]) for one in (*unit[1:], own)) for row in rows]
    titles = " · ".join(grid.header[names.index(one)] for one in (*unit[1:], own))
    told = f"{grid.place}: an item is one {titles}: {len(set(joined))} items"
    held = tuple(joined if name == own else grid.columns[j] for j, name in enumerate(names))
    return replace(grid, columns=held, warnings=(*grid.warnings, told))
