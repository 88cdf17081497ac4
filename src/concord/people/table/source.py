"""Any source of tests, of one agent or of many, to tables of tests."""

from collections.abc import Mapping
from typing import Any

from concord.files.tables import TableOptions
from concord.people.table.agents import tables_of
from concord.people.table.opened import open_table
from concord.records import TestTable


def read_agents(
    source: Any,
    *,
    agent_column: str | None = None,
    mapping: Mapping[str, str] | None = None,
    **options: Any,
) -> TestTable | dict[str, TestTable]:
    """Read a table of tests, or that of each agent by its name where the source holds several."""
    chosen = TableOptions(**options)
    return tables_of(
        source,
        lambda one: open_table(one, chosen, mapping=mapping),
        agent_column=agent_column,
        **options,
    )
