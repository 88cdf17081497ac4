"""What the place of options does: consistency, RStd, accuracy by place, selection bias, all over repeats."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.records import Estimate
from concord.stats.bands import MIN_UNITS, GapTable, mean_gap_interval
from concord.stats.elementwise import Floats
from concord.stats.flips import flip_excess
from concord.stats.intervals import jackknife_t
from concord.structure.unit_means import MIN_PAIRS, mean_over_units

OPTION_COLUMNS = ("number", "place", "value", "low", "high", "p", "n", "note")


CLAIM_LEVEL = 0.05
"""Level of the test behind what is said about places."""


@dataclass(frozen=True, slots=True)
class OptionReply:
    """One reply to a question with options."""

    item: str
    arrangement: str
    answer: str | None
    """The option that was chosen, wherever it was; ``None``: none could be read."""
    place: int | None
    """Where the chosen option was, from 0."""
    right_place: int
    n_options: int
    correct: bool | None
    cluster: str = ""
    """Family of the item, which intervals are then over."""


@dataclass(frozen=True, slots=True)
class OptionScores:
    """What options and formats do to one model's choices."""

    n_items: int
    n_arrangements: int
    n_unread: int
    consistency: Estimate
    """Chance that replies under two arrangements of an item choose the same option."""
    repeat_agreement: Estimate
    """The same for two replies under one arrangement: what would change anyway."""
    flip_excess: Estimate
    """The second minus the first."""
    accuracy_by_place: tuple[Estimate, ...]
    """Share of right answers where the right option is in that place."""
    rstd: Estimate
    """Standard deviation of these accuracies over places."""
    rstd_floor: float | None
    """What it would be without an effect of the place: right answers divided at random over arrangements."""
    rstd_p: float | None
    """Share of such divisions with an RStd at least as large."""
    selection: tuple[Estimate, ...]
    """Share of choices of each place minus what an even choice over places gives."""

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Return one row per number, the columns of `options.csv`."""
        named: list[tuple[str, int | None, Estimate]] = [
            ("consistency", None, self.consistency),
            ("repeat_agreement", None, self.repeat_agreement),
            ("flip_excess", None, self.flip_excess),
            ("rstd", None, self.rstd),
            ("rstd_floor", None, Estimate(self.rstd_floor)),
            *(("accuracy_by_place", i, one) for i, one in enumerate(self.accuracy_by_place, 1)),
            *(("selection", i, one) for i, one in enumerate(self.selection, 1)),
        ]
        for name, place, found in named:
            p = self.rstd_p if name == "rstd" else None
            yield (name, place, found.value, *found.ends, p, found.n, found.note)

    @property
    def sentence(self) -> str:
        """What may be said: each claim only where its own interval or test shows it."""
        excess, said = self.flip_excess, []
        if excess.interval is None:
            said.append(f"whether choices change with the arrangement is not known ({excess.note})")
        elif excess.interval.low > 0:
            said.append("choices change with the arrangement more than between repeats")
        else:
            said.append("that choices change with the arrangement more than between repeats is not shown")
        if self.rstd_p is not None:
            shown = "" if self.rstd_p < CLAIM_LEVEL else "not shown to be "
            said.append(f"accuracy is {shown}unlike where the right option is in another place")
        return "; ".join(said).capitalize() + "."

    def lines(self) -> list[str]:
        """Return the numbers in words."""
        excess = self.flip_excess
        told = [
            self.sentence,
            f"consistency over arrangements {_spelt(self.consistency)}, over repeats "
            f"{_spelt(self.repeat_agreement)}, flip excess {_spelt(excess)}",
        ]
        if self.rstd.value is not None:
            floor = "–" if self.rstd_floor is None else f"{self.rstd_floor:.3f}"
            p = "–" if self.rstd_p is None else f"{self.rstd_p:.3f}"
            told.append(f"RStd over places {_spelt(self.rstd)}, without their effect {floor} (p = {p})")
            told.append("accuracy by place: " + ", ".join(_spelt(one) for one in self.accuracy_by_place))
        if self.selection:
            told.append(
                f"selection bias: first {_spelt(self.selection[0])}, last {_spelt(self.selection[-1])} "
                "beyond an even choice"
            )
        return told


def _spelt(found: Estimate) -> str:
    if found.value is None:
        return f"– ({found.note})" if found.note else "–"
    ends = "" if found.interval is None else f" [{found.interval.low:.3f}, {found.interval.high:.3f}]"
    return f"{found.value:.3f}{ends}"


def score_options(
    replies: Sequence[OptionReply], *, level: float = 0.95, n_permutations: int = 999, seed: int = 0
) -> OptionScores:
    """Score replies to the same questions under several arrangements.

    Parameters
    ----------
    replies
        All replies of one model.
    level
        Nominal coverage of intervals, over items.
    n_permutations, seed
        Divisions of right answers over the arrangements of an item that are drawn for the floor of RStd.
    """
    items = list(dict.fromkeys(reply.item for reply in replies))
    read = [reply for reply in replies if reply.answer is not None]
    between, within, excess = pairwise(read, items)
    reason = "needs two replies under one arrangement (--repeats 2)"
    family = {reply.item: reply.cluster if reply.cluster else reply.item for reply in replies}
    labels = [family[item] for item in items]

    def mean(values: Floats, why: str, ends: tuple[float, float] = (0.0, 1.0)) -> Estimate:
        return mean_over_units(values, labels, level=level, reason=why, ends=ends, unit="items")

    sizes = {reply.n_options for reply in replies}
    places = max(sizes) if len(sizes) == 1 else 0
    rows = Placed.of(read, items, places)
    by_place = tuple(
        mean(column, "the right option is never in this place") for column in rows.accuracy(rows.correct).T
    )
    even = 1 / places if places else 0.0
    floor, p = rows.floor(n_permutations, np.random.default_rng(seed))
    return OptionScores(
        n_items=len(items),
        n_arrangements=len({reply.arrangement for reply in replies}),
        n_unread=len(replies) - len(read),
        consistency=mean(between, "no item was asked under two arrangements"),
        repeat_agreement=mean(within, reason),
        flip_excess=_mean_excess(excess, labels, level, reason),
        accuracy_by_place=by_place,
        rstd=rows.rstd_estimate(level),
        rstd_floor=floor,
        rstd_p=p,
        selection=tuple(
            mean(column - even, "no choice could be read", (-even, 1 - even)) for column in rows.chosen().T
        ),
    )


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


def pairwise(read: Sequence[OptionReply], items: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Return, item by item, agreement between and within arrangements, and flip excess."""
    codes = {name: i for i, name in enumerate(items)}
    names = {name: i for i, name in enumerate(dict.fromkeys(reply.arrangement for reply in read))}
    answers = {name: i for i, name in enumerate(dict.fromkeys(str(reply.answer) for reply in read))}
    table = np.zeros((len(items), max(1, len(names)), max(1, len(answers))))
    for reply in read:
        table[codes[reply.item], names[reply.arrangement], answers[str(reply.answer)]] += 1
    k = table.sum(axis=2)
    total = k.sum(axis=1)
    pairs_within = (k * (k - 1)).sum(axis=1)
    alike_within = (table * (table - 1)).sum(axis=(1, 2))
    sums = table.sum(axis=1)
    pairs_between = total**2 - (k * k).sum(axis=1)
    alike_between = (sums * sums).sum(axis=1) - (table * table).sum(axis=(1, 2))
    nothing = np.full(len(items), np.nan)
    between = np.divide(alike_between, pairs_between, out=nothing.copy(), where=pairs_between > 0)
    within = np.divide(alike_within, pairs_within, out=nothing.copy(), where=pairs_within > 0)
    item = np.array([codes[reply.item] for reply in read], dtype=np.int64)
    order = np.array([names[reply.arrangement] for reply in read], dtype=np.int64)
    answer = np.array([answers[str(reply.answer)] for reply in read], dtype=np.int64)
    return between, within, flip_excess(item, order, answer, n_items=len(items))


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Replies by item and place of the right option."""

    n_items: int
    places: int
    item: NDArray[np.int64]
    right: NDArray[np.int64]
    place: NDArray[np.int64]
    correct: Floats

    @classmethod
    def of(cls, read: Sequence[OptionReply], items: Sequence[str], places: int) -> "Placed":
        """Gather the replies whose choice could be read."""
        codes = {name: i for i, name in enumerate(items)}
        kept = [reply for reply in read if places and reply.place is not None and reply.correct is not None]
        return cls(
            len(items),
            places,
            np.array([codes[reply.item] for reply in kept], dtype=np.int64),
            np.array([reply.right_place for reply in kept], dtype=np.int64),
            np.array([reply.place for reply in kept], dtype=np.int64),
            np.array([reply.correct for reply in kept], dtype=np.float64),
        )

    def _means(self, place: NDArray[np.int64], values: Floats) -> Floats:
        key = self.item * self.places + place
        size = self.n_items * self.places
        sums, counts = np.bincount(key, values, size), np.bincount(key, minlength=size)
        none = np.full(size, np.nan)
        found = np.divide(sums, counts, out=none, where=counts > 0)
        return np.asarray(found).reshape(self.n_items, self.places)

    def accuracy(self, correct: Floats) -> Floats:
        """Return accuracy by item and place of the right option; NaN where it is never there."""
        return self._means(self.right, correct) if self.places else np.zeros((self.n_items, 0))

    def chosen(self) -> Floats:
        """Return the share of choices by item and place."""
        if not self.places:
            return np.zeros((self.n_items, 0))
        key = self.item * self.places + self.place
        counts = np.bincount(key, minlength=self.n_items * self.places).reshape(self.n_items, self.places)
        total = counts.sum(axis=1, keepdims=True)
        none = np.full(counts.shape, np.nan)
        return np.asarray(np.divide(counts, total, out=none, where=total > 0))

    def rstd(self, table: Floats) -> float:
        """Return the standard deviation over places of the mean accuracy."""
        known = ~np.isnan(table)
        if not table.shape[1] or not known.any(axis=0).all():
            return float("nan")
        return float(np.std(np.where(known, table, 0.0).sum(axis=0) / known.sum(axis=0)))

    def rstd_estimate(self, level: float) -> Estimate:
        """Return RStd with its jackknife interval over items."""
        table = self.accuracy(self.correct)
        value = self.rstd(table)
        if np.isnan(value):
            note = "items have unlike numbers of options" if not self.places else ""
            return Estimate(None, note=note or "the right option is not seen in every place")
        if self.n_items < MIN_PAIRS:
            return Estimate(value, None, self.n_items, note=f"no interval below {MIN_PAIRS} items")
        without = np.array([self.rstd(np.delete(table, i, axis=0)) for i in range(self.n_items)])
        try:
            found = jackknife_t(value, without, level=level)
        except UndefinedError as fault:
            return Estimate(value, None, self.n_items, note=f"no interval: {fault}")
        return Estimate(value, replace(found, low=max(0.0, found.low)), self.n_items, method=found.method)

    def floor(self, n_permutations: int, rng: np.random.Generator) -> tuple[float | None, float | None]:
        """Return the mean RStd without an effect of places, and how often it is as large as the observed."""
        observed = self.rstd(self.accuracy(self.correct))
        if np.isnan(observed):
            return None, None
        order = np.argsort(self.item, kind="stable")
        drawn = np.empty(n_permutations)
        for i in range(n_permutations):
            # right answers of an item, in random order over its replies
            mixed = np.lexsort((rng.random(self.item.size), self.item))
            shuffled = np.empty_like(self.correct)
            shuffled[order] = self.correct[mixed]
            drawn[i] = self.rstd(self.accuracy(shuffled))
        return float(drawn.mean()), (1 + int((drawn >= observed - 1e-12).sum())) / (1 + n_permutations)
