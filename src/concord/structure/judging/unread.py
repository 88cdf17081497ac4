"""Replies of judges without a verdict: by order, and what they could make of every share and mean."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from concord.records import Estimate, Told
from concord.stats.elementwise import Floats
from concord.stats.unread import READ, bounded_between, count_unread, told
from concord.structure.judging.result import Counts, PairVotes

FEW = 6
"""Up to so many replies of a pair and an order, every way to fill them in is looked at."""
MOST_WAYS = 2_000
"""Ways to fill in one pair beyond which all of its replies of an order are filled in alike."""
ORDERS = ("ab", "ba", "unordered")
NO_VERDICT = "no verdict"


def unread_votes(judges: Mapping[str, Sequence[PairVotes]]) -> Told:
    """Count the replies of every judge without a verdict, by order; pairs are compared with themselves."""
    found = []
    for name, pairs in sorted(judges.items()):
        cells = [
            (pair.pair, order, sum(getattr(pair, order)), lost)
            for pair in pairs
            for order, lost in zip(ORDERS, pair.unreadable, strict=True)
        ]
        trials = [
            (pair, order.upper() if order != ORDERS[2] else order, outcome)
            for pair, order, read, lost in cells
            for outcome in [READ] * read + [NO_VERDICT] * lost
        ]
        if any(lost for *_, lost in cells):
            units, orders, outcomes = zip(*trials, strict=True)
            found.append(count_unread(outcomes, orders, by="order", what=name, units=units))
    return told(found)


class Filled:
    """Every pair with its unread replies filled in, in all ways that matter."""

    def __init__(self, pairs: Sequence[PairVotes]) -> None:
        self.lost = np.array([sum(one.unreadable) for one in pairs])
        self.asked = self.lost + [sum(map(sum, (one.ab, one.ba, one.unordered))) for one in pairs]
        every = [_filled(one) for one in pairs]
        self.rows = [one for ways in every for one in ways]
        self.starts = np.cumsum([0, *(len(ways) for ways in every[:-1])])

    def ends(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the least and the largest number of every pair; NaN where no way gives one."""
        return np.fmin.reduceat(values, self.starts), np.fmax.reduceat(values, self.starts)

    def bounded(
        self, estimate: Estimate, low: Estimate, high: Estimate, *, at: Sequence[int] | slice = slice(None)
    ) -> Estimate:
        """Return a mean over pairs, or those at some places, with its bounds."""
        lost, asked = (int(counts[at].sum()) for counts in (self.lost, self.asked))
        return bounded_between(estimate, low, high, n_unread=lost, asked=asked)


def _filled(pair: PairVotes) -> list[PairVotes]:
    ways = [_ways(lost) for lost in pair.unreadable]
    if np.prod([len(one) for one in ways]) > MOST_WAYS:
        ways = [_one_verdict(lost) for lost in pair.unreadable]
    return [
        replace(
            pair,
            ab=_added(pair.ab, ab),
            ba=_added(pair.ba, ba),
            unordered=_added(pair.unordered, unordered),
            unreadable=(0, 0, 0),
        )
        for ab, ba, unordered in product(*ways)
    ]


def _ways(lost: int) -> list[Counts]:
    """Return every way to divide unread replies over the verdicts."""
    if lost > FEW:
        return _one_verdict(lost)
    return [(a, b, lost - a - b) for a in range(lost + 1) for b in range(lost + 1 - a)]


def _one_verdict(lost: int) -> list[Counts]:
    return [(lost, 0, 0), (0, lost, 0), (0, 0, lost)] if lost else [(0, 0, 0)]


def _added(votes: Counts, more: Counts) -> Counts:
    return (votes[0] + more[0], votes[1] + more[1], votes[2] + more[2])
