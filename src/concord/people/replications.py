"""The replications that the row of people rests on, and how its scores are computed."""

from importlib import resources
from typing import Any

from concord.files.codec import encode
from concord.people.human_row import HumanRow
from concord.people.protocol import STANDARD
from concord.people.score import score_table
from concord.people.table.read import read_tests
from concord.records import TestTable

TABLE = "replication_projects.csv"


def replication_table() -> TestTable:
    """Return the 143 pairs: the original study is the human side, the replication the agent's."""
    with resources.as_file(resources.files("concord.people") / "data" / TABLE) as path:
        return read_tests(path)


def compute_human_row(n_simulations: int = 1000) -> dict[str, Any]:
    """Score the table again: what `human_row` reads."""
    found = score_table(replication_table(), STANDARD, n_simulations=n_simulations)
    row = HumanRow(len(found.tests), found.pas, found.ecs, found.apr)
    made: dict[str, Any] = encode(row)
    return made
