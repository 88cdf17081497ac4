"""The columns of a table of tests: their names, and what to make of names that are not among them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from concord.errors import FileFormatError, listed, quoted
from concord.files.cells import is_missing
from concord.files.grids import Grid
from concord.files.text import normal_form, vocabulary

REQUIRED = ("study", "finding", "test", "test_type")
"""Columns without which a table is not a table of tests."""
OPTIONAL = ("sub_study", "domain", "alpha", "sampling", "pas", "n_eff", "data_note")
"""Columns of the test as a whole that may be absent."""
SIDES = ("human", "agent")
SIDE_FIELDS = (
    *("statistic", "df1", "df2", "n1", "n2", "k", "n", "p0", "p_value", "tails", "direction"),
    *("se", "ci_low", "ci_high", "u_of", "table", "reported", "effect_d", "log_bf", "prior_odds"),
)
"""Columns that exist once per side, as ``human_statistic`` and ``agent_statistic``."""
SIDE_COLUMNS = tuple(f"{side}_{field}" for side in SIDES for field in SIDE_FIELDS)
KNOWN = (*REQUIRED, *OPTIONAL, *SIDE_COLUMNS)
"""Every column of a table of tests."""

_HELD = vocabulary()["tests"]
_OTHER_NAMES = {name: field for field, names in _HELD["other_names"].items() for name in names.split()}
"""Names too short or too different to be seen as misspellings, which hold numbers of a side too."""
_OF_PERSONS = tuple(_HELD["persons"].split())
"""Columns of files with an answer or a person a row."""
CONTROLS = tuple(vocabulary()["sheets"]["control"].split())
"""Arms that others are compared with."""
AGENT = "agent"
OTHER_AGENT_NAMES = tuple(_HELD["agents"].split())
"""Columns that name agents where the same test is under several of their names."""


def fold(title: str) -> str:
    """Fold a column name: trimmed, lower case, spaces and hyphens to underscores."""
    return re.sub(r"[\s\-‐‑_]+", "_", normal_form("NFKC", title).strip().casefold())


def located(grid: Grid) -> tuple[Grid, tuple[str, ...]]:
    """Return a grid whose known columns have their own names and no other has one, and what to warn about."""
    # Unknown columns are left out and named in a warning. One that is a near miss of a known column that is
    # absent is an error: reading on would take the whole column for empty.
    names = [fold(title) for title in grid.header]
    faults = [*_duplicates(grid, names)]
    warnings = []
    has_side = any(name in names for name in SIDE_COLUMNS)
    for title, name, cells in zip(grid.header, names, grid.columns, strict=True):
        if name in KNOWN:
            continue
        meant = near_misses(name)
        if meant and not set(meant) & set(names):
            faults.append(f"{title!r} is not a column of a table of tests; did you mean {_either(meant)}?")
        elif not all(map(is_missing, cells)):
            mapped = f"; {map_option(title, '…')} says what it holds" if title and not has_side else ""
            hint = f"; did you mean {_either(meant)}?" if meant else mapped
            shown = f"column {title!r} is" if title else "a column without a name is"
            warnings.append(f"{grid.place}: {shown} not used{hint}")
    faults.extend(_missing(grid, names, is_own=not faults))
    if faults:
        raise FileFormatError("\n".join(f"{grid.place}: {fault}" for fault in faults))
    header = tuple(name if name in KNOWN else "" for name in names)
    return replace(grid, header=header), tuple(warnings)


def _either(names: Sequence[str]) -> str:
    """Join names as alternatives."""
    return " or ".join(map(repr, names))


def _duplicates(grid: Grid, names: Sequence[str]) -> list[str]:
    """Say which columns are in the header more than once."""
    titles: dict[str, list[str]] = {}
    for title, name in zip(grid.header, names, strict=True):
        titles.setdefault(name, []).append(title)
    faults = []
    for name, same in titles.items():
        if len(same) > 1 and name:
            faults.append(f"the column {quoted(name)} appears {len(same)} times ({listed(same)}); keep one")
    return faults


def _missing(grid: Grid, names: Sequence[str], *, is_own: bool) -> list[str]:
    """Say which required columns are absent, what was found, and what to do with titles of one's own."""
    absent = [name for name in REQUIRED if name not in names]
    if not absent:
        return []
    found = ", ".join(repr(title) for title in grid.header[:20])
    more = f" and {len(grid.header) - 20} more" if len(grid.header) > 20 else ""
    noun = "required column is" if len(absent) == 1 else "required columns are"
    hint = _mapping_hint(grid, names) if is_own else ""
    return [f"{noun} missing: {', '.join(map(repr, absent))}; found {found}{more}{hint}"]


def _mapping_hint(grid: Grid, names: Sequence[str]) -> str:
    """Say what to do with a table that has titles of somebody's own."""
    if any(name in SIDE_COLUMNS for name in names):
        return ""
    if any(name in _OF_PERSONS for name in names):
        return ". It looks like answers of single persons: those are scored by concord score answers"
    if not grid.inputs:  # a frame or a list: Python says it
        return (
            ". Read as a table made by hand, no column says that it holds results of people: rename one to "
            "'Human result', or say it with mapping={'TITLE': 'human', 'OTHER TITLE': 'agent'}"
        )
    return (
        ". Read as a table made by hand, no column says that it holds results of people: rename one to "
        "'Human result', or say it with --map 'TITLE=human' and --map 'TITLE=agent' (the model's); "
        f"concord check {grid.name} --suggest-map my.map shows how every column was understood"
    )


def map_option(title: str, column: str) -> str:
    """Return the option that says what a column holds, as a shell takes it."""
    quote = '"' if "'" in title else "'"
    return f"--map {quote}{title}={column}{quote}"


def near_misses(name: str) -> list[str]:
    """Find the known columns that a name is a near miss of."""
    if name in SIDE_FIELDS:
        return [f"{side}_{name}" for side in SIDES]
    for side in SIDES:
        if name.startswith(f"{side}_"):
            rest = name.removeprefix(f"{side}_")
            if rest in _OTHER_NAMES:
                return [f"{side}_{_OTHER_NAMES[rest]}"]
            return [f"{side}_{field}" for field in SIDE_FIELDS if _is_close(rest, field)]
    return [known for known in KNOWN if _is_close(name, known)]


def _is_close(name: str, known: str) -> bool:
    """Whether a name is a slip of the hand away from a known one; short names only when just _ differs."""
    name, known = name.replace("_", ""), known.replace("_", "")
    if name == known:
        return True
    allowed = 0 if len(known) < 4 else 1 if len(known) < 6 else 2
    if abs(len(name) - len(known)) > allowed or len(set(name) ^ set(known)) > 2 * allowed:
        return False  # a slip changes two letters at most: of thousands of columns few are looked at
    return slips(name, known) <= allowed


def slips(one: str, other: str) -> int:
    """Count the letters added, left out, changed or swapped with their neighbour between two words."""
    # Optimal string alignment distance.
    before: list[int] = []
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return above[-1]
