"""What the place of options does: consistency, RStd, accuracy by place, selection bias, all over repeats."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from concord.records import Estimate
from concord.stats.bands import MIN_UNITS, GapTable, mean_gap_interval
from concord.stats.elementwise import Floats
from concord.stats.flips import flip_excess
from concord.structure.options.places import NOT_EVERYWHERE, NOT_MOVED, Placed
from concord.structure.options.records import OptionReply, OptionScores
from concord.structure.unit_means import UNIT, Ends, mean_over_rows, mean_over_units

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
    return OptionScores(
        n_items=len(items),
        n_arrangements=len({reply.arrangement for reply in replies}),
        n_unread=sum(reply.answer is None and reply.place is None for reply in replies),
        consistency=mean(between, NO_CHOICE if unnamed else "no item was asked under two arrangements"),
        repeat_agreement=mean(within, once),
        flip_excess=_mean_excess(excess, labels, level, once),
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
    )


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


def _mean_excess(values: Floats, labels: Sequence[str], level: float, reason: str) -> Estimate:
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
