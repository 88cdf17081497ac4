"""Tests from any source: of one agent or of many, in the columns of the file format or made by hand."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from concord.errors import CellProblem, FileFormatError, TableError
from concord.files import cells as read
from concord.files.cells import is_missing
from concord.files.declared import named_column
from concord.files.gate import refuse_more
from concord.files.grids import Grid, names_of
from concord.files.left_out import refusal_of
from concord.files.limits import AGENTS
from concord.files.raw import of_grid
from concord.files.tables import TableOptions, other_sheets, read_grid, read_raw, table_options
from concord.people.table.by_side import by_side
from concord.people.table.columns import (
    AGENT,
    KNOWN,
    OTHER_AGENT_NAMES,
    REQUIRED,
    SIDE_FIELDS,
    SIDES,
    fold,
    near_misses,
)
from concord.people.table.handmade.cells import ELSEWHERE
from concord.people.table.handmade.read import handmade_grid
from concord.people.table.handmade.words import meaning_of
from concord.people.table.read import tests_of_grid
from concord.people.table.values import COLUMNS, stored_table
from concord.records import Side, SideOutcome, TestRow, TestTable

_OWN_FORMS = ("human_estimate",)
"""Columns of other tables about people, which are never made by hand into tests."""
MOST_TITLES = 60
"""Rows of a table that may be turned round."""
HANDMADE_CELLS = 150_000
"""Cells above which nobody made a table by hand: it is not read again for titles above it."""
HANDMADE_COLUMNS = 1_000
"""Columns above which nobody made a table by hand."""
MOST_SHEETS = 20
"""Further sheets that are looked at where the first holds no table."""


def open_table(source: Any, options: TableOptions) -> Grid:
    """Return the cells of a table of tests, without codes for missing values that a user declared."""
    # A table with the columns of the file format is taken as it is. Any other is looked at as one that was
    # made by hand: a header below titles, means, counts and printed statistics. Where that finds no result of
    # people the table is returned as it is, for the reader of the format to say what is missing. A mapping
    # decides about the columns that it names; with `map_only` no other column is used.
    mapping = options.mapping
    if isinstance(source, Grid):
        grid = source
    else:
        try:
            grid = _grid(source, options)
        except FileFormatError:  # a first sheet of remarks is no table
            elsewhere = _on_another_sheet(source, None, options)
            if elsewhere is None:
                raise
            return elsewhere
    if not mapping:
        _refuse_effects_alone(grid)
    if not mapping and _has_own_titles(grid):
        return _without_codes(grid, options)
    raw = of_grid(grid) if source is grid else read_raw(source, options)
    found = handmade_grid(raw, options)
    if found is None:
        found = _on_another_sheet(source, grid, options)
    if found is None and mapping:
        raise FileFormatError(
            f"{grid.place}: no line holds the titles that --map names and a result of people below them; "
            f"see the titles with: concord check {grid.name} --suggest-map my.map"
        )
    if found is None and _lies_on_its_side(grid):
        raise FileFormatError(
            f"{grid.place}: the titles ({grid.columns[0][0]!r}, {grid.columns[0][1]!r}, …) are in the first "
            "column and the tests side by side; turn the table round (in a spreadsheet: paste, transpose)"
        )
    return _without_codes(grid, options) if found is None else found


def _has_own_titles(grid: Grid) -> bool:
    return _is_of_the_format(grid) or _is_made_by_machine(grid)


def takes_known_titles_alone(source: Any, options: TableOptions) -> bool:
    """Say whether a table has the columns of the format: no other column of it is used."""
    return not options.mapping and _has_own_titles(_grid(source, options))


def _grid(source: Any, options: TableOptions) -> Grid:
    return read_grid(
        source, sheet=options.sheet, encoding=options.encoding, decimal_comma=options.decimal_comma
    )


def _without_codes(grid: Grid, options: TableOptions) -> Grid:
    """Return a table of tests without codes for missing values: once, so that no computed number is one."""
    holds = options.missing.holds
    numeric = {one.name for one in COLUMNS if one.parse is not read.name}
    columns, n = [], 0
    for title, cells in zip(grid.header, grid.columns, strict=True):
        coded = {i for i, cell in enumerate(cells) if holds(cell)} if fold(title) in numeric else ()
        columns.append([None if i in coded else cell for i, cell in enumerate(cells)] if coded else cells)
        n += len(coded)
    told = (f"{grid.place}: {n} cells hold {options.missing.shown} (--missing): no values",) if n else ()
    return replace(grid, columns=tuple(columns), warnings=(*grid.warnings, *told))


def _is_made_by_machine(grid: Grid) -> bool:
    """Whether a table is too large to be looked at title by title."""
    return len(grid.header) > HANDMADE_COLUMNS or len(grid.rows) * len(grid.header) > HANDMADE_CELLS


def _refuse_effects_alone(grid: Grid) -> None:
    """Refuse effects of people without standard errors by name: nothing says how far they are from chance."""
    names = {fold(title): title for title in grid.header}
    effect = next((names[name] for name in ("human_estimate", "human_effect") if name in names), None)
    held = names_of("effects_of_side")
    sides = by_side(grid.header, {part: held[part] for part in ("se", "ci_low")})
    bare = {*held["se"], *held["ci_low"], "human_statistic", "test_type"}
    if effect is not None and not sides.people.keys() & {"se", "ci_low"} and not bare & names.keys():
        raise FileFormatError(
            f"{grid.place}: {effect!r} holds effects of people, and no column their standard errors; give "
            "'human_se' (of a difference of two means: the root of SD1²/n1 + SD2²/n2), or the tests with "
            "their n instead of the effects"
        )


def _lies_on_its_side(grid: Grid) -> bool:
    """Whether the cells of the first column are titles of sides, as in a table turned round."""
    if len(grid.columns) < 2 or not 2 <= len(grid.rows) <= MOST_TITLES:
        return False
    found = [meaning_of([cell]) for cell in grid.columns[0] if isinstance(cell, str)]
    return len({meaning.side for meaning in found if meaning is not None} - {None}) > 1


def _on_another_sheet(source: Any, first: Grid | None, options: TableOptions) -> Grid | None:
    """Return the only other sheet that holds a table of tests, and say so; none where several do."""
    found = []
    for sheet in other_sheets(source, options)[:MOST_SHEETS]:
        chosen = replace(options, sheet=sheet)
        try:
            grid = _grid(source, chosen)
        except FileFormatError:
            continue  # no table either
        if options.mapping or not _is_of_the_format(grid):
            made = handmade_grid(read_raw(source, chosen), chosen)
        else:
            made = _without_codes(grid, chosen)
        if made is not None:
            found.append(made)
    if len(found) != 1:
        return None
    (one,) = found
    other = "the first" if first is None else f"the first, {first.sheet!r},"
    note = f"{one.place}: this sheet was read; {other} holds no table of tests"
    return replace(one, warnings=(note, *one.warnings))


def _is_of_the_format(grid: Grid) -> bool:
    """Whether the columns are those of the file format, or slips of the hand away from them."""
    names = [fold(title) for title in grid.header]
    if any(name in names for name in _OWN_FORMS):
        return True
    is_begun = sum(name in KNOWN for name in names) > 1
    unknown = [title for title, name in zip(grid.header, names, strict=True) if name not in KNOWN]
    if is_begun and any(_is_a_slip(title, names) for title in unknown):
        return True
    return all(name in names for name in REQUIRED) and not _hides_a_side(grid, names)


def _hides_a_side(grid: Grid, names: list[str]) -> bool:
    """Whether a side has no column of the format and its results are under a title of somebody's own."""
    filled = {
        name for name, cells in zip(names, grid.columns, strict=True) if not all(map(is_missing, cells))
    }
    if "pas" in filled:
        return False
    empty = [side for side in SIDES if not any(f"{side}_{field}" in filled for field in SIDE_FIELDS)]
    others = [title for title, name in zip(grid.header, names, strict=True) if title and name not in KNOWN]
    found = [meaning_of([title]) for title in others]
    return any(meaning is not None and meaning.is_number and meaning.side in empty for meaning in found)


def _is_a_slip(title: str, names: list[str]) -> bool:
    """Whether a title is a misspelt column: reading on as if made by hand would drop what it holds."""
    meant = near_misses(fold(title))
    is_misspelt = bool(meant) and not set(meant) & set(names)
    return is_misspelt and (not title or meaning_of([title]) is None)


_KEY = ("study", "sub_study", "finding", "test")


def tables_of(
    source: Any,
    opened: Callable[[Any], Grid],
    *,
    agent_column: str | None = None,
    strict: bool = True,
) -> TestTable | dict[str, TestTable]:
    """Read a table of tests, or that of each agent by its name; what is neither is opened as a grid."""
    if isinstance(source, Mapping):
        tables = {str(name): _stored(table) for name, table in source.items()}
        return {
            name: tests_of_grid(opened(table), strict=strict) if held is None else held
            for (name, held), table in zip(tables.items(), source.values(), strict=True)
        }
    if isinstance(source, Sequence) and source and all(isinstance(one, TestTable) for one in source):
        return {_name(table, i): table for i, table in enumerate(source)}
    stored = _stored(source)
    if stored is not None:
        return stored
    grid = opened(source)
    at = _column(grid, agent_column)
    if at is not None:
        return _split(grid, at, strict=strict)
    grid, model = _one_model(grid)
    found = tests_of_grid(grid, strict=strict)
    return found if model is None else replace(found, model=model)


def _stored(source: Any) -> TestTable | None:
    return source if isinstance(source, TestTable) else stored_table(source)


def _one_model(grid: Grid) -> tuple[Grid, str | None]:
    """Return a table of one model without the column that names it in every row, and the name."""
    names = [fold(title) for title in grid.header]
    if "model" not in names:
        return grid, None
    at = names.index("model")
    found = {str(cell).strip() for cell in grid.cells(at) if not is_missing(cell)}
    if len(found) != 1:
        return grid, None
    kept = [j for j in range(len(names)) if j != at]
    header = tuple(grid.header[j] for j in kept)
    return replace(grid, header=header, columns=tuple(grid.columns[j] for j in kept)), found.pop()


def _name(table: TestTable, i: int) -> str:
    return f"agent {i + 1}" if table.model is None else f"{table.model} ({i + 1})"


def _column(grid: Grid, wanted: str | None) -> int | None:
    """Find the column of agents."""
    names = [fold(title) for title in grid.header]
    if wanted is not None:
        return grid.header.index(named_column(grid.place, grid.header, wanted))
    if AGENT in names:
        return names.index(AGENT)
    there = [name for name in OTHER_AGENT_NAMES if name in names]
    if not there or not _has_repeated_tests(grid, names):
        return None
    return names.index(there[0])


def _has_repeated_tests(grid: Grid, names: Sequence[str]) -> bool:
    """Whether a test is in more than one row: without several agents that would be an error."""
    columns = [grid.cells(names.index(name)) for name in _KEY if name in names]
    keys = [tuple(map(str, key)) for key in zip(*columns, strict=True)]
    return len(set(keys)) < len(keys)


def _split(grid: Grid, at: int, *, strict: bool) -> dict[str, TestTable]:
    """Read the rows of each agent as a table of their own."""
    cells = [grid.cells(j) for j in range(len(grid.columns))]
    rows_of: dict[str, list[int]] = {}
    problems: list[CellProblem] = []
    for i, cell in enumerate(cells[at]):
        if is_missing(cell):
            place = (grid.name, grid.sheet, grid.rows[i], grid.header[at])
            problems.append(CellProblem(*place, "", "the name of an agent"))
        else:
            rows_of.setdefault(str(cell).strip(), []).append(i)
    refuse_more(
        len(rows_of),
        AGENTS,
        "agents",
        grid.place,
        "score them in several files, or check the column of agents",
    )
    found: dict[str, TestTable] = {}
    others = [j for j in range(len(cells)) if j != at]
    for label, kept in rows_of.items():
        part = replace(
            grid,
            header=tuple(grid.header[j] for j in others),
            columns=tuple([cells[j][i] for i in kept] for j in others),
            rows=[grid.rows[i] for i in kept],
            problems=tuple(one for one in grid.problems if one.part and one.agent in ("", label)),
        )
        try:
            found[label] = tests_of_grid(part, strict=strict)
        except TableError as error:
            problems.extend(one for one in error.problems if one not in problems)
    problems.extend(one for one in grid.problems if not one.part)
    if problems:
        raise TableError(sorted(problems, key=lambda bad: -1 if bad.row is None else bad.row))
    return _with_people_of_others(found)


def _with_people_of_others(tables: dict[str, TestTable]) -> dict[str, TestTable]:
    """Return tables in which people's side, where one agent's row garbles it, is that of the other agents."""
    known = {row.key: row.human for table in tables.values() for row in table.rows if row.human is not None}
    return {
        name: replace(table, rows=tuple(_with_people(row, known.get(row.key)) for row in table.rows))
        for name, table in tables.items()
    }


def _with_people(row: TestRow, human: Side | None) -> TestRow:
    if row.human_outcome is not SideOutcome.LEFT_OUT or human is None:
        return row
    return replace(row, human=human, human_outcome=SideOutcome.OK)


def on_the_same_tests(tables: Mapping[str, TestTable]) -> dict[str, TestTable]:
    """Return every agent's table with all tests that any agent has; one that it lacks has no agent side."""
    every: dict[Any, TestRow] = {}
    for table in tables.values():
        for row in table.rows:
            every.setdefault(row.key, row)
    if all(len(table.rows) == len(every) for table in tables.values()):
        return dict(tables)
    completed = {}
    for name, table in tables.items():
        own = {row.key for row in table.rows}
        lacking = tuple(
            replace(row, agent=None, agent_outcome=SideOutcome.MISSING, pas=None, n_eff=None)
            for key, row in every.items()
            if key not in own
        )
        completed[name] = replace(table, rows=(*table.rows, *lacking))
    return completed


def read_agents(
    source: Any, *, agent_column: str | None = None, strict: bool = True, **options: Any
) -> TestTable | dict[str, TestTable]:
    """Read a table of tests, or that of each agent by its name where the source holds several."""
    chosen = table_options(strict=strict, **options)
    opened = functools.partial(open_table, options=chosen)
    found = tables_of(source, opened, agent_column=agent_column, strict=strict)
    if not strict:
        _refuse_mostly_unread([found] if isinstance(found, TestTable) else list(found.values()))
    return found


def _refuse_mostly_unread(tables: Sequence[TestTable]) -> None:
    """Refuse tables of which less than half of the rows can be used."""
    kept, lost = (sum(counts) for counts in zip(*(table.rows_used for table in tables), strict=True))
    # what a table says that it does not hold was read
    absent = {(i, one.row) for i, table in enumerate(tables) for one in table.left_out
              if one.expected == ELSEWHERE}  # fmt: skip
    if lost and kept < lost - len(absent):
        cells = dict.fromkeys(one for table in tables for one in table.left_out)
        raise refusal_of(cells, f"only {kept} of {kept + lost} rows can be used, fewer than half:")
