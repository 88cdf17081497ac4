"""Public results that come with Concord: real agents, replications of people by people, a published order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib import resources
from pathlib import Path

from concord.files.output import write_csv
from concord.files.public import PublicTable, public_table, public_tables
from concord.files.tables import read_grid
from concord.people.result import AgentScores
from concord.people.table.read import read_tests
from concord.records import TestTable

_PUBLISHED = "humanstudy_bench_published.csv"


TWIN, HSB = public_table("twin-2k-500"), public_table("humanstudy-bench")
ANSWERS: Mapping[str, PublicTable] = {
    name: one for name, one in public_tables().items() if one.scored_by == "answers"
}
"""Tables of answers, which `concord score answers` takes by name."""


def published_pas() -> dict[str, float]:
    """Return the PAS that HumanStudy-Bench prints for each configuration: the mean of its twelve studies."""
    grid = read_grid(HSB.path.with_name(_PUBLISHED))
    names, *studies = (grid.cells(j) for j in range(len(grid.header)))
    rows = zip(*studies, strict=True)
    return {
        str(name): sum(float(str(cell)) for cell in row) / len(row)
        for name, row in zip(names, rows, strict=True)
    }


TABLE = "replication_projects.csv"


def replication_table(file: str = TABLE, *, reverse: bool = False) -> TestTable:
    """Return originals (the human side) and their replications (the agent's), or the reverse.

    Parameters
    ----------
    file
        ``replication_projects.csv``, 143 pairs; or ``many_labs_2.csv``, 24 effects measured again by about
        7,000 people each.
    reverse
        The replication is the human side.
    """
    with resources.as_file(resources.files("concord.people") / "data" / file) as path:
        table = read_tests(path)
    if not reverse:
        return table
    turned = [
        replace(
            row,
            human=row.agent,
            agent=row.human,
            human_outcome=row.agent_outcome,
            agent_outcome=row.human_outcome,
        )
        for row in table.rows
    ]
    return replace(table, rows=tuple(turned))


@dataclass(frozen=True, slots=True)
class RankMove:
    """One agent in two orders; 1 is the first place."""

    agent: str
    published_rank: int
    rank: int
    published_pas: float
    pas: float

    @property
    def places(self) -> int:
        """Return the places gained; negative where the agent fell."""
        return self.published_rank - self.rank


def rank_moves(published: Mapping[str, float], agents: Sequence[AgentScores]) -> tuple[RankMove, ...]:
    """Return every agent of both orders, in the new order."""
    values = {agent.name: agent.pas.value for agent in agents}
    common = {name: value for name, value in values.items() if value is not None and name in published}
    before = sorted(common, key=lambda name: (-published[name], name))
    after = sorted(common, key=lambda name: (-common[name], name))
    old = {name: place for place, name in enumerate(before, 1)}
    return tuple(
        RankMove(name, old[name], place, published[name], common[name]) for place, name in enumerate(after, 1)
    )


RANKS = "ranks.csv"


def write_ranks(agents: Sequence[AgentScores], folder: Path) -> tuple[RankMove, ...]:
    """Write where configurations of HumanStudy-Bench stand in the published order and in this one."""
    moves = rank_moves(published_pas(), agents)
    columns = [one.name for one in fields(RankMove)]
    write_csv(folder / RANKS, columns, [[getattr(one, name) for name in columns] for one in moves])
    return moves
