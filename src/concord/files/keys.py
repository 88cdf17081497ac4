"""What makes a unit: the columns that identify it, chosen by the data; repeats are told from duplicates.

One rule for all readers. A column is part of what identifies a unit where the columns before it do not
determine it; rows that agree in all of them and in their repeat are duplicates.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from concord.errors import FileFormatError
from concord.files.grids import rows_in_words

CONTEXT = tuple(
    "benchmark dataset set subset split category task subject domain language turn".split()  # noqa: SIM905
)
"""Columns under which items are numbered anew, where they are there."""
REPEATS = tuple("repetition repeat sample run trial epoch rep iteration seed draw".split())  # noqa: SIM905
VARIANTS = tuple(
    "strategy prompt_strategy prompt_type prompting template system_prompt config setting".split()  # noqa: SIM905
)
"""Columns that make one model several, each asked in another way."""
Cells = Sequence[Mapping[str, object]]


def determines(rows: Cells, known: Sequence[str], column: str) -> bool:
    """Whether rows that agree in some columns agree in another, too."""
    seen: dict[tuple[str, ...], str] = {}
    for row in rows:
        key = tuple(str(row.get(name)) for name in known)
        if seen.setdefault(key, str(row.get(column))) != str(row.get(column)):
            return False
    return True


def unit_columns(rows: Cells, first: Sequence[str], further: Sequence[str]) -> list[str]:
    """Return what identifies a unit: the first columns, and those of the further ones they do not determine.

    >>> rows = [{"item": 1, "set": "x"}, {"item": 1, "set": "y"}]
    >>> unit_columns(rows, ["item"], ["set", "kind"])
    ['item', 'set']
    """
    chosen = list(first)
    there = {name for row in rows[:1] for name in row}
    for name in further:
        if name in there and name not in chosen and not determines(rows, chosen, name):
            chosen.append(name)
    return chosen


def refuse_duplicates(place: str, what: str, keys: Sequence[Hashable], rows: Sequence[int | str]) -> None:
    """Refuse rows that are of the same unit and repeat, naming them."""
    found: dict[Hashable, list[int | str]] = defaultdict(list)
    for key, row in zip(keys, rows, strict=True):
        found[key].append(row)
    twice = {key: own for key, own in found.items() if len(own) > 1}
    if twice:
        key, own = next(iter(twice.items()))
        named = " · ".join(str(part) for part in key) if isinstance(key, tuple) else str(key)
        where = (
            rows_in_words(own) if all(isinstance(one, int) for one in own) else ", ".join(map(str, own[:3]))
        )  # type: ignore[arg-type]
        raise FileFormatError(
            f"{place}: {len(twice)} units are there more than once, such as {named!r} ({where}); a unit is "
            f"{what}: number its repeats, or name the column that tells these rows apart"
        )
