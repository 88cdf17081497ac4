"""Long texts of the page: each stored once, all cut to one length where the page would grow too large."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from concord.show.page.data import data_block
from concord.show.svg import visible

BUDGET = 4_500_000
"""Bytes of a whole page that texts may fill up to."""
AT_ONCE = 6
"""Characters a byte of room at the first attempt: text packs to a third or so, never to less than this."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Texts as they go into the page."""

    block: str
    encoding: str
    cap: int | None
    """Characters after which a text is cut; ``None`` where none is."""
    n_cut: int


@dataclass(slots=True)
class Texts:
    """Texts under numbers; equal texts have one."""

    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        """Return the number of a text."""
        return self.numbers.setdefault(visible(text), len(self.numbers))

    def fitted(self, room: int) -> Fitted:
        """Cut every text to one length, the largest with which all of them fit into so many bytes."""
        texts = list(self.numbers)
        lengths = sorted(map(len, texts))
        cap = _cap(lengths, AT_ONCE * max(room, 0))
        while True:
            block, encoding = data_block({"cap": cap, "texts": _cut(texts, cap)})
            if len(block) <= room or cap == 0:
                n_cut = 0 if cap is None else sum(length > cap for length in lengths)
                return Fitted(block, encoding, cap, n_cut)
            kept = sum(lengths) if cap is None else sum(min(length, cap) for length in lengths)
            smaller = _cap(lengths, int(0.95 * kept * room / len(block)))
            cap = 0 if smaller is None or (cap is not None and smaller >= cap) else smaller


def _cut(texts: Sequence[str], cap: int | None) -> list[str]:
    return list(texts) if cap is None else [text[:cap] for text in texts]


def _cap(lengths: Sequence[int], total: int) -> int | None:
    """Return the length to which texts are cut so that together they have `total` characters.

    Examples
    --------
    >>> _cap([1, 5, 9], 11), _cap([1, 5, 9], 15), _cap([4, 4], 1)
    (5, None, 0)
    """
    if sum(lengths) <= total:
        return None
    # Cut to the i-th shortest, texts hold all of the shorter ones and as much of each of the others.
    before = [0, *accumulate(lengths)]
    held = [before[i] + length * (len(lengths) - i) for i, length in enumerate(lengths)]
    whole = bisect_right(held, max(total, 0))
    return max(0, (max(total, 0) - before[whole]) // (len(lengths) - whole))
