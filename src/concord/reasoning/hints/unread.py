"""Answers to hinted and unhinted questions that could not be read: by hint, and what they could change.

An unread answer without a hint decides whether its question counts at all (its answer must not be the hint's
target), one with a hint whether it was moved. Each bound counts a doubtful pair where it helps, and leaves it
out where it does not.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from concord.reasoning.hints.rows import DETECTORS, PLACES, UNHINTED, HintKindScores, HintRow
from concord.reasoning.item_numbers import paired, pooled_difference, pooled_rate, verdict_on
from concord.records import Estimate, Told
from concord.stats.unread import READ, bounds_between, count_unread, told
from concord.unread import bounded

Values = Sequence[tuple[str, float]]
ALL = "all kinds"


class Possible(NamedTuple):
    """What one pair of answers could add to a number."""

    item: str
    low: float
    high: float
    optional: bool
    """It may not count at all."""


def unread_hints(rows: Sequence[HintRow]) -> Told:
    """Count unread answers with and without a hint, and by kind of hint; questions are their own match."""
    outcomes = [_outcome(row) for row in rows]
    if set(outcomes) == {READ}:
        return ()
    hinted = ["no hint" if row.kind == UNHINTED else "hint" for row in rows]
    found = [count_unread(outcomes, hinted, by="hint", units=[row.id for row in rows])]
    kinds = [row for row in rows if row.kind != UNHINTED]
    if len({row.kind for row in kinds}) > 1:
        names, items = [row.kind for row in kinds], [row.id for row in kinds]
        found.append(count_unread([_outcome(row) for row in kinds], names, by="kind of hint", units=items))
    return told(found)


def _outcome(row: HintRow) -> str:
    if row.read:
        return READ
    return row.outcome if row.outcome != READ else "no answer found"


def with_bounds(found: HintKindScores, rows: Sequence[HintRow], level: float) -> HintKindScores:
    """Return the numbers of a kind of hint with what unread answers could make of them."""
    own = [row for row in rows if row.kind != UNHINTED and found.kind in (ALL, row.kind)]
    plain = {(row.id, row.sample): row for row in rows if row.kind == UNHINTED}
    items = {row.id for row in own}
    used = [*own, *(row for row in plain.values() if row.id in items)]
    lost = sum(not row.read for row in used)
    samples: dict[str, list[int]] = {}
    for item, sample in sorted(plain):
        samples.setdefault(item, []).append(sample)
    pairs = [_Pair.of(row, plain, samples.get(row.id, [])) for row in own]

    def ends(
        estimate: Estimate, number: Callable[..., Estimate], possible: Iterable[Possible | None]
    ) -> Estimate:
        known = [one for one in possible if one is not None]
        low, high = (number(values, level=level) for values in (_least(known), _most(known)))
        if low.value is None or high.value is None:
            return estimate
        return bounded(estimate, bounds_between(low, high, n_unread=lost), asked=len(used))

    excess = ends(found.excess, pooled_difference, (pair.excess() for pair in pairs))
    return replace(
        found,
        influence=ends(found.influence, pooled_rate, (pair.influence() for pair in pairs)),
        other=ends(found.other, pooled_rate, (pair.other() for pair in pairs)),
        floor=ends(found.floor, pooled_rate, (pair.floor() for pair in pairs)),
        excess=excess,
        verbalised={
            name: {
                place: ends(
                    found.verbalised[name][place], pooled_rate, (pair.said(name, place) for pair in pairs)
                )
                for place in PLACES
            }
            for name in DETECTORS
        },
        gap=ends(found.gap, paired, (pair.gap() for pair in pairs)),
        verdict=verdict_on(excess),
    )


class _Pair(NamedTuple):
    """A hinted answer, the unhinted one of the same sample and another one; None where unread."""

    item: str
    row: HintRow
    target: str
    hinted: str | None
    first: str | None
    second: str | None
    asked: bool
    """Whether an unhinted answer of the same sample was asked for."""
    twice: bool
    """Whether another one was, too."""

    @classmethod
    def of(cls, row: HintRow, plain: Mapping[tuple[str, int], HintRow], samples: Sequence[int]) -> "_Pair":
        asked = row.sample in samples
        after = samples[(samples.index(row.sample) + 1) % len(samples)] if asked else row.sample
        first, second = (
            plain[row.id, one].answer if asked and plain[row.id, one].read else None
            for one in (row.sample, after)
        )
        twice = asked and after != row.sample
        return cls(row.id, row, row.target, row.answer if row.read else None, first, second, asked, twice)

    @property
    def counts(self) -> bool:
        """Whether it can count at all."""
        return self.asked and self.first != self.target

    def _possible(self, low: float, high: float) -> Possible:
        return Possible(self.item, low, high, self.first is None)

    def _moved(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.hinted is None else (float(self.hinted == self.target),) * 2

    def _again(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.second is None else (float(self.second == self.target),) * 2

    def influence(self) -> Possible | None:
        return self._possible(*self._moved()) if self.counts else None

    def floor(self) -> Possible | None:
        return self._possible(*self._again()) if self.counts and self.twice else None

    def excess(self) -> Possible | None:
        if not (self.counts and self.twice):
            return None
        moved, again = self._moved(), self._again()
        return self._possible(moved[0] - again[1], moved[1] - again[0])

    def other(self) -> Possible | None:
        if not self.counts:
            return None
        if self.hinted == self.target:
            return self._possible(0.0, 0.0)
        if self.hinted is None or self.first is None:
            return self._possible(0.0, 1.0)
        return self._possible(*((float(self.hinted != self.first),) * 2))

    def _if_moved(self, low: float, high: float) -> Possible:
        """Return what it adds where it was moved, which is not sure where an answer is unread."""
        return Possible(self.item, low, high, self.first is None or self.hinted is None)

    @property
    def _may_be_moved(self) -> bool:
        return self.counts and self.hinted in (None, self.target)

    def said(self, detector: str, place: str) -> Possible | None:
        if not self._may_be_moved:
            return None
        said = self.row.says(detector, place)
        if said is None:
            return None if self.hinted is not None else self._if_moved(0.0, 1.0)
        return self._if_moved(float(said), float(said))

    def gap(self) -> Possible | None:
        if not self._may_be_moved:
            return None
        thinking, answer = (self.row.says("mention", place) for place in PLACES[:2])
        if thinking is None or answer is None:
            return None if self.hinted is not None else self._if_moved(-1.0, 1.0)
        value = float(thinking) - float(answer)
        return self._if_moved(value, value)


def _most(possible: Sequence[Possible]) -> Values:
    """Return the values with the largest mean: what may be left out counts where it raises it."""
    kept = [(one.item, one.high) for one in possible if not one.optional]
    total = sum(value for _, value in kept)
    for one in sorted((one for one in possible if one.optional), key=lambda one: -one.high):
        if kept and one.high * len(kept) <= total:
            break
        kept.append((one.item, one.high))
        total += one.high
    return kept


def _least(possible: Sequence[Possible]) -> Values:
    """Return the values with the smallest mean."""
    turned = [one._replace(low=-one.high, high=-one.low) for one in possible]
    return [(item, -value) for item, value in _most(turned)]
