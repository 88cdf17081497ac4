"""Columns by whose they are: titles that begin or end with people or a model, and what is left of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from concord.files.grids import Titles, plain_title, plain_titles
from concord.people.table.handmade.words import HUMAN, owned_title


@dataclass(slots=True)
class BySide:
    """Places of the columns of people and of every agent, by what they hold."""

    people: dict[str, int] = field(default_factory=dict)
    agents: dict[str, dict[str, int]] = field(default_factory=dict)
    """By the agent's name, which is empty where titles say only that an agent is meant."""
    said: dict[str, str] = field(default_factory=dict)
    """The words of what is no known part, as people's titles spell them."""
    twice: bool = False
    """Whether two columns of one side hold the same."""

    def shared(self) -> dict[str, dict[str, int]]:
        """Return the columns of every agent that people have, too; agents without one are left out."""
        own = {
            name: {part: place for part, place in held.items() if part in self.people}
            for name, held in self.agents.items()
        }
        return {name: held for name, held in own.items() if held}


def by_side(
    header: Sequence[str], names: Titles, people: Collection[str] = (), agents: Collection[str] = ()
) -> BySide:
    """Find the columns of each side; what they hold is a part that ``names`` knows, else a plain title."""
    found = BySide()
    for place, title in enumerate(header):
        owned = owned_title(title, people, agents)
        if owned is None:
            continue
        held = found.people if owned.side == HUMAN else found.agents.setdefault(owned.agent, {})
        part = _part_of(owned.rest, names)
        if part not in names and owned.side == HUMAN:
            found.said[part] = owned.rest
        found.twice |= part in held
        held.setdefault(part, place)
    return found


def _part_of(rest: str, names: Titles) -> str:
    """Return what the words beside a side say: a known part, or the words as a plain title."""
    tried = (plain_title(rest), plain_titles([rest])[0])
    return next((part for part, others in names.items() if set(tried) & {part, *others}), tried[0])
