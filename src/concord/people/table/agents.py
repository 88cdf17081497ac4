"""Many agents in one source: a mapping of tables, a list of tables, or a table with a column ``agent``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from concord.files.grids import Grid
from concord.files.tables import read_grid
from concord.people.table.columns import fold
from concord.people.table.read import read_tests, tests_of_grid
from concord.records import TestTable

COLUMN = "agent"


def tables_of_agents(source: Any, **options: Any) -> dict[str, TestTable] | None:
    """Return the table of each agent by its name; None where the source holds a single one.

    Parameters
    ----------
    source
        As `concord.score_people` takes it.
    options
        How tables are read.
    """
    if isinstance(source, Mapping):
        return {str(name): _as_table(table, options) for name, table in source.items()}
    if isinstance(source, Sequence) and source and all(isinstance(one, TestTable) for one in source):
        return {_name(table, i): table for i, table in enumerate(source)}
    if isinstance(source, TestTable) or not _may_have_agents(source):
        return None
    return _split(read_grid(source, **options))


def _name(table: TestTable, i: int) -> str:
    return f"agent {i + 1}" if table.model is None else f"{table.model} ({i + 1})"


def _as_table(table: Any, options: Mapping[str, Any]) -> TestTable:
    return table if isinstance(table, TestTable) else read_tests(table, **options)


def _may_have_agents(source: Any) -> bool:
    """Whether the column is there, without reading a file twice: files are asked by their first line."""
    columns = getattr(source, "columns", None)
    if columns is not None:
        return any(fold(str(name)) == COLUMN for name in columns)
    if isinstance(source, list):
        return any(fold(str(name)) == COLUMN for row in source if isinstance(row, Mapping) for name in row)
    return False


def _split(grid: Grid) -> dict[str, TestTable] | None:
    """Read the rows of each agent as a table of their own."""
    names = [fold(title) for title in grid.header]
    at = names.index(COLUMN)
    cells = [grid.cells(j) for j in range(len(grid.columns))]
    labels = [str(cell) for cell in cells[at]]
    found: dict[str, TestTable] = {}
    for label in dict.fromkeys(labels):
        kept = [i for i, other in enumerate(labels) if other == label]
        part = replace(
            grid,
            header=tuple(title for i, title in enumerate(grid.header) if i != at),
            columns=tuple([cells[j][i] for i in kept] for j in range(len(grid.columns)) if j != at),
            rows=[grid.rows[i] for i in kept],
        )
        found[label] = tests_of_grid(part)
    return found
