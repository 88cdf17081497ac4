"""A published order and the same agents scored anew: who moved, and how far."""

from collections.abc import Mapping
from dataclasses import dataclass

from concord.people.agents_files import AgentsResult


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


def rank_moves(published: Mapping[str, float], result: AgentsResult) -> tuple[RankMove, ...]:
    """Return every agent of both orders, in the new order."""
    values = {agent.name: agent.pas.value for agent in result.agents}
    common = {name: value for name, value in values.items() if value is not None and name in published}
    before = sorted(common, key=lambda name: (-published[name], name))
    after = sorted(common, key=lambda name: (-common[name], name))
    old = {name: place for place, name in enumerate(before, 1)}
    return tuple(
        RankMove(name, old[name], place, published[name], common[name]) for place, name in enumerate(after, 1)
    )
