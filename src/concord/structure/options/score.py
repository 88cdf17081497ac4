"""What the place of options does: consistency, RStd, accuracy by place, selection bias; item by item too."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.records import Estimate, Interval, Told
from concord.stats.bands import MIN_UNITS, GapTable, mean_gap_interval
from concord.stats.elementwise import Floats
from concord.stats.spread import flip_excess, spread_of
from concord.stats.unread import MOST_LOST, READ, bounded_between, count_unread, told
from concord.structure.options.result import OptionReply, OptionScores
from concord.structure.unit_means import MIN_PAIRS, UNIT, Ends, mean_over_rows, mean_over_units

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


NOT_MOVED = "no question has its right option in several places"
NOT_EVERYWHERE = "the right option is not seen in every place"
_SAME = 1e-12
_AT_ONCE = 2_000_000
"""Numbers that are drawn at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Replies by item and place; a place of -1 is not known, a correctness of NaN neither."""

    n_items: int
    places: int
    item: NDArray[np.int64]
    right: NDArray[np.int64]
    place: NDArray[np.int64]
    correct: Floats
    cell: NDArray[np.int64]
    """Replies to one arrangement of an item have one number: they are not independent of one another."""

    @classmethod
    def of(cls, replies: Sequence[OptionReply], items: Sequence[str], places: int) -> "Placed":
        """Gather the replies of which a place or a correctness is known."""
        codes = {name: i for i, name in enumerate(items)}
        kept = [one for one in replies if places and (one.place is not None or one.correct is not None)]
        asked = [(one.item, one.arrangement, one.right_place) for one in kept]
        cells = {key: i for i, key in enumerate(dict.fromkeys(asked))}
        return cls(
            len(items),
            places,
            np.array([codes[one.item] for one in kept], dtype=np.int64),
            np.array([one.right_place for one in kept], dtype=np.int64),
            np.array([-1 if one.place is None else one.place for one in kept], dtype=np.int64),
            np.array([np.nan if one.correct is None else one.correct for one in kept], dtype=np.float64),
            np.array([cells[key] for key in asked], dtype=np.int64),
        )

    def _placed_counts(self, place: NDArray[np.int64], weights: Floats | None = None) -> Floats:
        """Return sums by item and place of the replies whose place is known."""
        there = place >= 0
        key = self.item[there] * self.places + place[there]
        size = self.n_items * self.places
        own = None if weights is None else weights[there]
        sums = np.bincount(key, own, size).astype(np.float64)
        return np.asarray(sums.reshape(self.n_items, self.places))

    @property
    def _judged(self) -> NDArray[np.int64]:
        """Where the right option was, of replies known to be right or wrong; -1 of others."""
        return np.where(np.isnan(self.correct), -1, self.right)

    def accuracy(self) -> Floats:
        """Return accuracy by item and place of the right option; NaN where it is never there."""
        return _ratio(self._placed_counts(self._judged, self.correct), self._placed_counts(self._judged))

    @property
    def whole(self) -> bool:
        """Whether the right option of every item with a choice is in every place."""
        known = _has_share(self._shares())
        return bool((known.all(axis=1) | ~known.any(axis=1)).all())

    def _shares(self) -> Floats:
        """Return the share of choices by item, place of the right option and chosen place."""
        n = self.places
        there = self.place >= 0
        key = (self.item[there] * n + self.right[there]) * n + self.place[there]
        counts = np.bincount(key, minlength=self.n_items * n * n).reshape(self.n_items, n, n)
        return _ratio(counts.astype(np.float64), counts.sum(axis=2, keepdims=True).astype(np.float64))

    def selected(self) -> Floats:
        """Return the share of choices of each place by item minus an even share, NaN where there is none."""
        # Shares are means over the places of the right option, each place alike: a model that knows is not
        # taken for one that prefers the places where the right options happen to be. An item whose right
        # option is not in every place counts where it is, so that the mean over items is what every item in
        # every place would give. Undefined where a place never has the right option.
        shares = self._shares()
        known = _has_share(shares)
        rows = np.full((self.n_items, self.places), np.nan)
        used = known.any(axis=1)
        if self.places < 2 or not known.any(axis=0).all():
            return rows
        own = _completed(shares[used].reshape(used.sum(), -1)).reshape(-1, self.places, self.places)
        rows[used] = own.mean(axis=1) - 1 / self.places
        return rows

    def rstd_estimate(self, level: float, labels: Sequence[str]) -> Estimate:
        """Return RStd with its interval over items, or over their families."""
        # The interval is that of the spread of true accuracies (`concord.stats.spread`): RStd itself is above
        # it where accuracies differ by noise alone.
        table = self.accuracy()
        value = rstd_of(table)
        if np.isnan(value):
            note = "items have unlike numbers of options" if not self.places else ""
            return Estimate(None, note=note or NOT_EVERYWHERE)
        units = _unit_rows(table, labels)
        if len(units) < MIN_PAIRS:
            return Estimate(value, None, self.n_items, note=f"no interval below {MIN_PAIRS} items")
        try:
            low, high = spread_of(units).ends(level)
        except UndefinedError:
            note = "no interval: accuracies do not vary between items"
            return Estimate(value, None, self.n_items, note=note)
        # tau is over n - 1, RStd over n
        shrunk = float(np.sqrt((self.places - 1) / self.places))
        interval = Interval(shrunk * low, shrunk * high, level, "spread of true accuracies over places")
        return Estimate(value, interval, self.n_items, method=interval.method)

    def floor(self, n_permutations: int, rng: np.random.Generator) -> tuple[float | None, float | None]:
        """Return the mean RStd without an effect of places, and how often it is as large as the observed."""
        # The replies to each arrangement of an item are kept together and divided at random over its
        # arrangements: repeats of one arrangement are alike, at temperature 0 the same, and counted one by
        # one they would make every chance difference between arrangements look like an effect of places.
        # Undefined where no item has its right option in several places.
        counts = self._placed_counts(self._judged)
        observed = rstd_of(self.accuracy())
        if np.isnan(observed) or not ((counts > 0).sum(axis=1) > 1).any():
            return None, None
        found = _without_places(*self._cell_counts(), self.places, n_permutations, rng)
        return float(found.mean()), (1 + int((found >= observed - _SAME).sum())) / (1 + n_permutations)

    def _cell_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]:
        """Return item, place of the right option, replies and right replies of every arrangement of an item.

        They are in the order of what they hold: draws depend neither on names nor on the order of rows.
        """
        known = ~np.isnan(self.correct)
        cell = self.cell[known]
        sizes = np.bincount(cell).astype(np.float64)
        hits = np.bincount(cell, self.correct[known], len(sizes)).astype(np.float64)
        used = np.flatnonzero(sizes > 0)
        at = np.full(len(sizes), -1, dtype=np.int64)
        at[cell] = np.flatnonzero(known)
        item, right, sizes, hits = self.item[at[used]], self.right[at[used]], sizes[used], hits[used]
        order = np.lexsort((hits, sizes, right, item))
        ends = np.flatnonzero(np.diff(item[order])) + 1
        held = np.column_stack((right, sizes, hits))[order]
        blocks = [
            (one.tolist(), own) for one, own in zip(np.split(held, ends), np.split(order, ends), strict=True)
        ]
        blocks.sort(key=lambda block: block[0])
        order = np.concatenate([own for _, own in blocks])
        ranks = np.repeat(np.arange(len(blocks)), [len(own) for _, own in blocks])
        return ranks, right[order], sizes[order], hits[order]


def _without_places(
    item: NDArray[np.int64],
    right: NDArray[np.int64],
    sizes: Floats,
    hits: Floats,
    places: int,
    n_permutations: int,
    rng: np.random.Generator,
) -> Floats:
    """Return RStd of so many divisions of the blocks of every item over its arrangements."""
    starts = np.flatnonzero(np.r_[True, (np.diff(item) != 0) | (np.diff(right) != 0)])
    place_of = right[starts]
    found = []
    for first in range(0, n_permutations, step := max(1, _AT_ONCE // len(item))):
        n = min(step, n_permutations - first)
        moved = np.argsort(item + rng.random((n, len(item))), axis=1)
        shares = np.add.reduceat(hits[moved], starts, axis=1) / np.add.reduceat(sizes[moved], starts, axis=1)
        means = [shares[:, place_of == place].mean(axis=1) for place in range(places)]
        found.append(np.std(means, axis=0))
    return np.concatenate(found)


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide; NaN where nothing is below."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    return np.asarray(np.divide(above, below, out=np.full(shape, np.nan), where=below > 0))


def _has_share(shares: Floats) -> NDArray[np.bool_]:
    """Whether an item has choices where its right option is in a place."""
    known: NDArray[np.bool_] = ~np.isnan(shares[:, :, :1])
    return known[:, :, 0]


def rstd_of(table: Floats) -> float:
    """Return the standard deviation over places of the mean accuracy; NaN where a place has none."""
    known = ~np.isnan(table)
    if not table.shape[1] or not known.any(axis=0).all():
        return float("nan")
    return float(np.std(np.where(known, table, 0.0).sum(axis=0) / known.sum(axis=0)))


def _completed(table: Floats) -> Floats:
    """Return a table without gaps that has the same means of columns."""
    # What an item lacks counts with the mean, and what it has the more: the covariance of the rows is then
    # that of the means, to first order.
    known = ~np.isnan(table)
    means = np.where(known, table, 0.0).sum(axis=0) / known.sum(axis=0)
    return np.asarray(means + np.where(known, table - means, 0.0) * (len(table) / known.sum(axis=0)))


def _unit_rows(table: Floats, labels: Sequence[str]) -> Floats:
    """Return one row per family of items whose means over families are the mean accuracies by place."""
    asked = (~np.isnan(table)).sum(axis=1) > 0
    rows = _completed(table[asked])
    kept = [label for label, there in zip(labels, asked, strict=True) if there]
    units = {name: i for i, name in enumerate(dict.fromkeys(kept))}
    sums = np.zeros((len(units), table.shape[1]))
    np.add.at(sums, np.array([units[name] for name in kept]), rows)
    return sums * (len(units) / len(rows))


NO_CHOICE = "which option was chosen is not known"
"""Of a reply whose place alone was recorded."""


def score_options(
    replies: Sequence[OptionReply], *, level: float = 0.95, n_permutations: int = 999, seed: int = 0
) -> OptionScores:
    """Score replies to the same questions under several arrangements."""
    items = list(dict.fromkeys(reply.item for reply in replies))
    named = [reply for reply in replies if reply.answer is not None]
    between, within, excess = pairwise(named, items)
    unnamed = any(reply.place is not None for reply in replies) and not named
    family = {reply.item: reply.cluster if reply.cluster else reply.item for reply in replies}
    labels = [family[item] for item in items]

    def mean(values: Floats, why: str, ends: Ends = UNIT) -> Estimate:
        return mean_over_units(values, labels, level=level, reason=why, ends=ends, unit="items")

    places = places_of(replies)
    rows = Placed.of(replies, items, places)
    rstd = rows.rstd_estimate(level, labels)
    floor, p = rows.floor(n_permutations, np.random.default_rng(seed))
    once = NO_CHOICE if unnamed else "needs two replies under one arrangement (--repeats 2)"
    found = OptionScores(
        n_items=len(items),
        n_arrangements=len({reply.arrangement for reply in replies}),
        n_unread=sum(reply.answer is None and reply.place is None for reply in replies),
        consistency=mean(between, NO_CHOICE if unnamed else "no item was asked under two arrangements"),
        repeat_agreement=mean(within, once),
        flip_excess=mean_excess(excess, labels, level, once),
        accuracy_by_place=tuple(
            mean(column, "the right option is never in this place") for column in rows.accuracy().T
        ),
        rstd=rstd,
        rstd_floor=floor,
        rstd_p=p,
        selection=tuple(_selection(rows, labels, level)),
        places_note=""
        if p is not None or not rows.places
        else NOT_MOVED
        if rstd.value is not None
        else rstd.note,
        unread=unread_replies(replies),
    )
    if not found.unread or found.unread[0].share <= MOST_LOST:
        return found
    bounds = _Bounds(replies, labels, level, found.unread[0].unread)
    return replace(
        found,
        **bounds.of_agreement(found),
        **bounds.of_places(found, n_permutations, np.random.default_rng(seed)),
    )


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What replies without a choice could make of the numbers."""

    replies: Sequence[OptionReply]
    labels: Sequence[str]
    level: float
    n_unread: int

    @property
    def items(self) -> list[str]:
        return list(dict.fromkeys(reply.item for reply in self.replies))

    def between(self, found: Estimate, low: Estimate, high: Estimate) -> Estimate:
        return bounded_between(found, low, high, n_unread=self.n_unread, asked=len(self.replies))

    def mean(self, values: Floats) -> Estimate:
        return mean_over_units(values, self.labels, level=self.level, unit="items")

    def of_agreement(self, found: OptionScores) -> dict[str, Any]:
        """Return agreement between and within arrangements, and flip excess."""
        if found.consistency.value is None and found.repeat_agreement.value is None:
            return {}
        between, within, excess = agreement_ends(self.replies, self.items, pairwise)
        flips = [mean_excess(one, self.labels, self.level, "") for one in excess]
        return {
            "consistency": self.between(found.consistency, *map(self.mean, between)),
            "repeat_agreement": self.between(found.repeat_agreement, *map(self.mean, within)),
            "flip_excess": self.between(found.flip_excess, *flips),
        }

    def placed(self, replies: Sequence[OptionReply]) -> Placed:
        return Placed.of(replies, self.items, places_of(self.replies))

    def of_places(self, found: OptionScores, n_permutations: int, rng: np.random.Generator) -> dict[str, Any]:
        """Return accuracy by place, its spread, and the choices of each place."""
        if not places_of(self.replies):
            return {}
        filled = [
            [replace(one, correct=right) if is_unread(one) else one for one in self.replies]
            for right in (False, True)
        ]
        wrong, right = map(self.placed, filled)
        known = [one.place is not None or one.correct is not None for one in filled[0]]
        lost = np.array([is_unread(one) for one in self.replies])[known]
        low, high = (one.accuracy() for one in (wrong, right))
        found_of = {
            "accuracy_by_place": tuple(
                self.between(one, self.mean(a), self.mean(b))
                for one, a, b in zip(found.accuracy_by_place, low.T, high.T, strict=True)
            ),
            "selection": tuple(self._chosen(i, one) for i, one in enumerate(found.selection)),
        }
        if found.rstd.value is None:
            return found_of
        means = [np.nanmean(one, axis=0) for one in (low, high)]
        even, uneven = (
            _with_accuracy(wrong, lost, means, one) for one in (most_even(*means), least_even(*means))
        )
        ends = [one.rstd_estimate(self.level, self.labels) for one in (even, uneven)]
        p = even.floor(n_permutations, rng)[1]
        return {**found_of, "rstd": self.between(found.rstd, *ends), "rstd_p_unread": p}

    def _chosen(self, place: int, found: Estimate) -> Estimate:
        """Return the choices of a place, with every unread reply choosing it, or another."""
        ways = (filled_places(self.replies, place, chosen=one) for one in (False, True))
        ends = (list(_selection(self.placed(one), self.labels, self.level))[place] for one in ways)
        return self.between(found, *ends)


def _with_accuracy(rows: Placed, lost: NDArray[np.bool_], means: Sequence[Floats], wanted: Floats) -> Placed:
    """Return the replies with the unread ones as right as it takes for an accuracy of each place."""
    low, high = means
    share = np.divide(wanted - low, high - low, out=np.zeros(len(low)), where=high > low)
    return replace(rows, correct=np.where(lost, share[rows.right], rows.correct))


def places_of(replies: Sequence[OptionReply]) -> int:
    """Return the number of options; 0 where it is not the same for every item."""
    sizes = {reply.n_options for reply in replies}
    return max(sizes) if len(sizes) == 1 else 0


def _selection(rows: Placed, labels: Sequence[str], level: float) -> Iterator[Estimate]:
    """Return how often each place is chosen beyond an even share; nothing where sizes are unlike."""
    if not rows.places:
        return
    even = 1 / rows.places
    ends = (-even, 1 - even)
    # shares of items that are not in every place are weighted, and may leave the range of a share
    mean = mean_over_units if rows.whole else mean_over_rows
    for column in rows.selected().T:
        yield mean(column, labels, level=level, reason=NOT_EVERYWHERE, ends=ends, unit="items")


def mean_excess(values: Floats, labels: Sequence[str], level: float, reason: str) -> Estimate:
    """Return the mean flip excess with the interval that the result about structure gives it."""
    there = ~np.isnan(values)
    lost = int((~there).sum())
    if not there.any():
        return Estimate(None, n_left_out=lost, note=reason)
    units = {name: i for i, name in enumerate(dict.fromkeys(labels))}
    at = np.array([units[name] for name in labels])
    sums, counts = (
        np.bincount(at, weights, len(units)).astype(np.float64)[:, None]
        for weights in (np.where(there, values, 0.0), there.astype(np.float64))
    )
    used = counts[:, 0] > 0
    interval = mean_gap_interval(GapTable(((1.0, sums[used], counts[used]),)), level)
    note = "" if interval is not None else f"no interval below {MIN_UNITS} items"
    return Estimate(float(values[there].mean()), interval, int(there.sum()), lost, note=note)


def pairwise(named: Sequence[OptionReply], items: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Return, item by item, agreement between and within arrangements, and flip excess."""
    codes = {name: i for i, name in enumerate(items)}
    item = np.array([codes[reply.item] for reply in named], dtype=np.int64)
    order = _numbered([reply.arrangement for reply in named])
    answer = _numbered([str(reply.answer) for reply in named])
    # replies by item, by item and arrangement, by item and answer, by all three
    k, a, both = (_group_sizes(*keys) for keys in ((item, order), (item, answer), (item, order, answer)))
    total = np.bincount(item, minlength=len(items)).astype(np.float64)

    def squares(groups: tuple[NDArray[np.int64], Floats]) -> Floats:
        at, sizes = groups
        return np.bincount(at, sizes**2, len(items)).astype(np.float64)

    in_cells, in_answers, alike_in_cells = squares(k), squares(a), squares(both)
    nothing = np.full(len(items), np.nan)
    pairs_between, pairs_within = total**2 - in_cells, in_cells - total
    between = np.divide(
        in_answers - alike_in_cells, pairs_between, out=nothing.copy(), where=pairs_between > 0
    )
    within = np.divide(alike_in_cells - total, pairs_within, out=nothing.copy(), where=pairs_within > 0)
    return between, within, flip_excess(item, order, answer, n_items=len(items))


def _numbered(names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each name, the same for the same name."""
    known = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([known[name] for name in names], dtype=np.int64)


def _group_sizes(item: NDArray[np.int64], *keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
    """Return the item and the size of every group of replies."""
    rows = np.stack([item, *keys], axis=1)
    groups, sizes = np.unique(rows, axis=0, return_counts=True)
    return groups[:, 0], sizes.astype(np.float64)


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
