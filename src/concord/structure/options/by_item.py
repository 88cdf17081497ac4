"""What options do item by item: what comparisons and plans are made of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.stats.elementwise import Floats
from concord.structure.options.places import Placed
from concord.structure.options.records import OptionReply
from concord.structure.options.score import pairwise, places_of

BY_ITEM = ("consistency", "option_flips", "first_option", "last_option")
"""Agreement over arrangements, flips beyond repeats, share of the first and of the last place minus even."""
RSTD = "rstd"
METRICS = (*BY_ITEM, RSTD)


@dataclass(frozen=True, slots=True, eq=False)
class OptionItems:
    """Numbers of every item of one model, NaN where an item has none."""

    items: tuple[str, ...]
    values: dict[str, Floats]
    """One number per item, by name."""
    by_place: Floats
    """Accuracy by item and place of the right option, which RStd is made of."""
    families: tuple[str, ...]
    """Family of each item; its own where it has none."""

    def of(self, metric: str, names: Sequence[str]) -> Floats:
        """Return a number of some items."""
        return self.values[metric][self._places(names)]

    def labels(self, names: Sequence[str]) -> list[str]:
        """Return the families of some items."""
        return [self.families[i] for i in self._places(names)]

    def accuracy(self, names: Sequence[str]) -> Floats:
        """Return accuracy by place of some items."""
        return self.by_place[self._places(names)]

    def _places(self, names: Sequence[str]) -> list[int]:
        at = {item: i for i, item in enumerate(self.items)}
        return [at[name] for name in names]


def option_items(replies: Sequence[OptionReply]) -> OptionItems:
    """Return the numbers of every item."""
    items = tuple(dict.fromkeys(reply.item for reply in replies))
    between, _, excess = pairwise([reply for reply in replies if reply.answer is not None], items)
    placed = Placed.of(replies, items, places_of(replies))
    chosen = placed.selected() if placed.places else np.full((len(items), 1), np.nan)
    values = {
        "consistency": between,
        "option_flips": excess,
        "first_option": chosen[:, 0],
        "last_option": chosen[:, -1],
    }
    family = {reply.item: reply.cluster if reply.cluster else reply.item for reply in replies}
    return OptionItems(items, values, placed.accuracy(), tuple(family[item] for item in items))
