"""People against people: original studies and their replications, scored as an agent is scored.

143 pairs of published correlations (four replication projects) are the only row of a leaderboard in which the
agent is known to be human: what people reach when the same study is run again.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from concord.files.codec import decode, encode
from concord.people.protocol import STANDARD
from concord.people.result import Score
from concord.people.score import score_table
from concord.people.table.read import read_tests
from concord.records import TestTable

TABLE, SCORES = "replication_projects.csv", "people_against_people.json"


@dataclass(frozen=True, slots=True)
class HumanRow:
    """What replications by people score against the original studies."""

    n: int
    pas: Score
    ecs: Score
    apr: Score

    @property
    def label(self) -> str:
        """How the row is called in a leaderboard."""
        return f"people against people ({self.n} replications)"


def replication_table() -> TestTable:
    """Return the 143 pairs: the original study is the human side, the replication the agent's."""
    with resources.as_file(resources.files("concord.people") / "data" / TABLE) as path:
        return read_tests(path)


@cache
def human_row() -> HumanRow:
    """Return the scores of people against people, protocol standard, as they are kept with the table."""
    import json

    text = (resources.files("concord.people") / "data" / SCORES).read_text("utf-8")
    return decode(HumanRow, json.loads(text), where=SCORES)


def compute_human_row(n_simulations: int = 1000) -> dict[str, Any]:
    """Score the table again: what `human_row` reads."""
    found = score_table(replication_table(), STANDARD, n_simulations=n_simulations)
    row = HumanRow(len(found.tests), found.pas, found.ecs, found.apr)
    made: dict[str, Any] = encode(row)
    return made
