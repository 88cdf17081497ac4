"""Replies without a choice: by arrangement, and what they could make of the numbers of options."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from concord.records import Told
from concord.stats.elementwise import Floats
from concord.stats.unread import READ, count_unread, told
from concord.structure.options.result import OptionReply

MOST_WAYS = 64
"""Ways to fill in one item that are all looked at; beyond, pairs with an unread reply are alike, or none."""
MOST_ENUMERATED = 10
"""Places or arrangements of which every pattern of ends is looked at."""
Pairwise = Callable[[Sequence[OptionReply], Sequence[str]], tuple[Floats, Floats, Floats]]
ItemEnds = tuple[Floats, Floats]


def is_unread(reply: OptionReply) -> bool:
    """Whether nothing is known of a reply."""
    return reply.answer is None and reply.place is None and reply.correct is None


def unread_replies(replies: Sequence[OptionReply]) -> Told:
    """Count replies without a choice by arrangement; every question is compared with itself."""
    outcomes = ["no choice" if is_unread(one) else READ for one in replies]
    if READ not in outcomes or set(outcomes) == {READ}:
        return ()
    arrangements, items = [one.arrangement for one in replies], [one.item for one in replies]
    return told([count_unread(outcomes, arrangements, by="arrangement", units=items)])


def agreement_ends(
    replies: Sequence[OptionReply], items: Sequence[str], pairwise: Pairwise
) -> tuple[ItemEnds, ItemEnds, ItemEnds]:
    """Return least and largest agreement between and within arrangements, and flip excess, item by item."""
    by_item: dict[str, list[OptionReply]] = {name: [] for name in items}
    for one in replies:
        by_item[one.item].append(one)
    every = [_filled_ways(by_item[name]) for name in items]
    copies = [(f"{i}/{k}", way) for i, (_, ways) in enumerate(every) for k, way in enumerate(ways)]
    rows = [replace(reply, item=name) for name, way in copies for reply in way]
    between, within, excess = pairwise(rows, [name for name, _ in copies])
    starts = np.cumsum([0, *(len(ways) for _, ways in every[:-1])])
    least = [np.fmin.reduceat(one, starts) for one in (between, within, excess)]
    most = [np.fmax.reduceat(one, starts) for one in (between, within, excess)]
    for i in (i for i, (exact, _) in enumerate(every) if not exact):
        # first way: every unread reply unlike all others; second: the share of pairs that were read
        at = starts[i]
        for found, low, high in ((between, least[0], most[0]), (within, least[1], most[1])):
            low[i], high[i] = found[at], found[at] + 1 - found[at + 1]
        least[2][i], most[2][i] = least[1][i] - most[0][i], most[1][i] - least[0][i]
    return (least[0], most[0]), (least[1], most[1]), (least[2], most[2])


def _filled_ways(own: Sequence[OptionReply]) -> tuple[bool, list[list[OptionReply]]]:
    """Return the replies to an item with every choice that the unread ones could be, and whether all are."""
    lost = [i for i, one in enumerate(own) if is_unread(one)]
    seen = list(dict.fromkeys(one.answer for one in own if one.answer is not None))
    names = [*seen, *(f"\0{i}" for i in range(own[0].n_options - len(seen)))]

    def filled(choices: Sequence[str]) -> list[OptionReply]:
        chosen = dict(zip(lost, choices, strict=True))
        kept = [replace(one, answer=chosen.get(i, one.answer)) for i, one in enumerate(own)]
        return [one for one in kept if one.answer is not None]

    if len(names) ** len(lost) <= MOST_WAYS:
        return True, [filled(choices) for choices in product(names, repeat=len(lost))]
    apart = filled([f"\1{i}" for i in lost])
    return False, [
        apart,
        [one if one.answer in {f"\1{i}" for i in lost} else replace(one, answer="\2") for one in apart],
    ]


def filled_places(replies: Sequence[OptionReply], place: int, *, chosen: bool) -> list[OptionReply]:
    """Return the replies with every unread one choosing a place, or another one."""
    other = 1 if place == 0 else 0
    return [replace(one, place=place if chosen else other) if is_unread(one) else one for one in replies]


def most_even(low: Floats, high: Floats) -> Floats:
    """Return numbers within ends, those that differ least."""
    start, stop = float(low.min()), float(high.max())
    for _ in range(60):  # the level at which the clipped numbers have it as their mean
        level = (start + stop) / 2
        above = float(np.clip(level, low, high).mean()) > level
        start, stop = (level, stop) if above else (start, level)
    return np.asarray(np.clip(level, low, high))


def least_even(low: Floats, high: Floats) -> Floats:
    """Return numbers within ends, those that differ most: each at one of its ends."""
    if len(low) > MOST_ENUMERATED:  # those above a middle at their high ends, and the others at their low
        order = np.argsort(low + high)
        ways = [np.where(np.isin(np.arange(len(low)), order[k:]), high, low) for k in range(len(low) + 1)]
    else:
        ways = [np.array(one) for one in product(*zip(low.tolist(), high.tolist(), strict=True))]
    return max(ways, key=lambda one: float(np.std(one)))
