"""Many agents in one source: a mapping of tables, a list of tables, or a table with a column of agents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from concord.errors import CellProblem, FileFormatError, TableError, listed
from concord.files.cells import is_missing
from concord.files.gate import refuse_more
from concord.files.grids import Grid
from concord.files.limits import AGENTS
from concord.people.table.columns import AGENT, OTHER_AGENT_NAMES, fold
from concord.people.table.document import stored_table
from concord.people.table.read import read_tests, tests_of_grid
from concord.records import SideOutcome, TestRow, TestTable

_KEY = ("study", "sub_study", "finding", "test")


def tables_of(
    source: Any, opened: Callable[[Any], Grid], *, agent_column: str | None = None, **options: Any
) -> TestTable | dict[str, TestTable]:
    """Read a table of tests, or that of each agent by its name; what is neither is opened as a grid."""
    if isinstance(source, Mapping):
        return {str(name): _as_table(table, options) for name, table in source.items()}
    if isinstance(source, Sequence) and source and all(isinstance(one, TestTable) for one in source):
        return {_name(table, i): table for i, table in enumerate(source)}
    stored = source if isinstance(source, TestTable) else stored_table(source)
    if stored is not None:
        return stored
    grid = opened(source)
    at = _column(grid, agent_column)
    if at is not None:
        return _split(grid, at)
    grid, model = _one_model(grid)
    found = tests_of_grid(grid)
    return found if model is None else replace(found, model=model)


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


def _as_table(table: Any, options: Mapping[str, Any]) -> TestTable:
    return table if isinstance(table, TestTable) else read_tests(table, **options)


def _column(grid: Grid, wanted: str | None) -> int | None:
    """Find the column of agents."""
    names = [fold(title) for title in grid.header]
    if wanted is not None:
        if fold(wanted) not in names:
            raise FileFormatError(f"{grid.place}: no column {wanted!r}; found {listed(grid.header)}")
        return names.index(fold(wanted))
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


def _split(grid: Grid, at: int) -> dict[str, TestTable]:
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
            problems=(),
        )
        try:
            found[label] = tests_of_grid(part)
        except TableError as error:
            problems.extend(error.problems)
    problems.extend(grid.problems)
    if problems:
        raise TableError(sorted(problems, key=lambda bad: -1 if bad.row is None else bad.row))
    return found


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
        lacking = tuple(_without_agent(row) for key, row in every.items() if key not in own)
        completed[name] = replace(table, rows=(*table.rows, *lacking))
    return completed


def _without_agent(row: TestRow) -> TestRow:
    return replace(row, agent=None, agent_outcome=SideOutcome.MISSING, pas=None, n_eff=None)
