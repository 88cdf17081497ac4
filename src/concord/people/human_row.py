"""People against people: original studies and their replications, scored as an agent is scored.

143 pairs of published correlations (four replication projects) are the only row of a leaderboard in which the
agent is known to be human: what people reach when the same study is run again.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources

from concord.files.codec import decode
from concord.people.result import Score

SCORES = "people_against_people.json"


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


@cache
def human_row() -> HumanRow:
    """Return the scores of people against people, protocol standard, as they are kept with the table."""
    import json

    text = (resources.files("concord.people") / "data" / SCORES).read_text("utf-8")
    return decode(HumanRow, json.loads(text), where=SCORES)
