"""Answers that could not be read: counted by group, tested, bounded, and told on every surface.

How a kind of result uses it, in five steps:

1. Count, one entry per answer asked, read or not (``"ok"`` is read, every other word is an outcome)::

       found = count_unread(outcomes, orders, by="order", what=judge, units=pairs)

   ``units`` names who or what each answer is of where it occurs more than once (an item in every arm, a
   participant with many trials); leave it out where every answer is of its own participant.
2. Test all of a result together (Holm), which keeps nothing where every answer was read::

       unread = told([found, …])          # unread: Told = field(default=(), metadata=EMPTY)

3. Declare: ``TABLES = (…, unread_table("judge_unread.csv"))``, ``sentences()`` with
   ``*unread_sentences(self.unread)`` (the first screen), ``notes()`` with ``*unread_notes(self.unread)``.
   Documents and folders without unread answers stay as they are.
4. Bound every share, mean and gap: compute it once with all unread answers at one end and once at the other
   (or `share_bounds`, `mean_bounds`, `gap_bounds` of `concord.stats.unread`), then::

       shown = bounded(estimate, bounds_between(low, high, n_unread=k), asked=n)   # shown beyond 2 % unread

   Every surface shows ``{low, high}`` beside the interval by itself, and says below the table what it is.
5. Withhold: before a sentence says that a number is above or below `of`, ask `holds(shown, of)`; where it
   does not hold, say `withheld("what would have been said", shown)` instead.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from concord.files.number_words import how_many, interval_words, p_words
from concord.kinds import Column, Table
from concord.records import OMITTED, Estimate, UnreadBounds
from concord.stats.multiple import holm
from concord.stats.unread import unread_test

MOST_LOST = 0.02
"""Share of unread answers beyond which bounds are shown and claims depend on them."""
ALPHA = 0.05
READ = "ok"
EMPTY = {OMITTED: True}
"""How a record declares its field: ``unread: Told = field(default=(), metadata=EMPTY)``."""


@dataclass(frozen=True, slots=True)
class UnreadGroup:
    """The answers of one group."""

    group: str
    asked: int
    unread: int
    outcomes: dict[str, int]
    """Unread answers by what became of them."""

    @property
    def share(self) -> float:
        """Share of unread answers."""
        return self.unread / self.asked


@dataclass(frozen=True, slots=True)
class Unread:
    """Unread answers of one model, judge or study, by condition, arm, order or mode."""

    what: str
    """Whose; empty where a result is of one."""
    by: str
    """What the groups are, such as ``order``."""
    groups: tuple[UnreadGroup, ...]
    p: float | None
    """That the share is the same in all groups; None where nothing can differ."""
    test: str
    differs: bool = False
    """Whether a difference is shown, all tests of the result together."""

    @property
    def asked(self) -> int:
        """Answers that were asked for."""
        return sum(one.asked for one in self.groups)

    @property
    def unread(self) -> int:
        """Those that could not be read."""
        return sum(one.unread for one in self.groups)

    @property
    def share(self) -> float:
        """Share of unread answers."""
        return self.unread / self.asked

    @property
    def sentence(self) -> str:
        """What a reader must know."""
        counts = sum((Counter(one.outcomes) for one in self.groups), Counter[str]())
        outcomes = ", ".join(f"{n:,} {name}" for name, n in counts.most_common())
        whose = f"{self.what}: " if self.what else ""
        start = f"{whose}{self.unread:,} of {how_many(self.asked, 'answer', 'answers')} unread ({outcomes})"
        if not self.differs:
            shown = "" if self.p is None else f"; no difference by {self.by} is shown, {p_words(self.p)}"
            return f"{start}{shown}."
        return (
            f"{start}, and not alike by {self.by} ({_group_shares(self.groups)}; {p_words(self.p)}): "
            f"differences by {self.by} may come from what was not read."
        )


Told = tuple[Unread, ...]
_MOST_GROUPS = 4


def _group_shares(groups: Sequence[UnreadGroup]) -> str:
    """Name the share of each group, of many the most and the least."""
    chosen = groups
    if len(groups) > _MOST_GROUPS:
        chosen = [max(groups, key=lambda one: one.share), min(groups, key=lambda one: one.share)]
    return ", ".join(f"{one.group} {one.share:.0%}" for one in chosen)


def count_unread(
    outcomes: Sequence[str],
    groups: Sequence[Hashable],
    *,
    by: str,
    what: str = "",
    units: Sequence[Hashable] | None = None,
) -> Unread:
    """Count unread answers by group and test whether their share differs (`unread_test`)."""
    asked = Counter(groups)
    lost = [
        (group, str(outcome)) for group, outcome in zip(groups, outcomes, strict=True) if str(outcome) != READ
    ]
    counts = Counter(lost)
    each = tuple(
        UnreadGroup(
            str(group),
            n,
            sum(k for (where, _), k in counts.items() if where == group),
            {name: k for (where, name), k in sorted(counts.items(), key=str) if where == group},
        )
        for group, n in asked.items()
    )
    test = unread_test([str(outcome) != READ for outcome in outcomes], groups, units=units)
    return Unread(what, by, each, test.p, test.method)


def told(found: Iterable[Unread]) -> Told:
    """Return what has unread answers, its tests taken together: a difference is shown at 5 % for all."""
    kept = [one for one in found if one.unread]
    p = np.array([np.nan if one.p is None else one.p for one in kept])
    if not kept or np.isnan(p).all():
        return tuple(kept)
    adjusted = holm(p)
    return tuple(replace(one, differs=bool(q <= ALPHA)) for one, q in zip(kept, adjusted, strict=True))


def unread_sentences(unread: Told) -> list[str]:
    """Return the warnings of the first screen."""
    return [f"Warning: {one.sentence}" for one in unread if one.differs]


def unread_notes(unread: Told) -> list[str]:
    """Return what is told of unread answers that are no warning."""
    return [one.sentence for one in unread if not one.differs]


def bounded(estimate: Estimate, bounds: UnreadBounds, *, asked: int) -> Estimate:
    """Return a number with its bounds where more than 2 % of the answers behind it were not read."""
    lost = bounds.n_unread > MOST_LOST * asked
    return replace(estimate, bounds=bounds) if lost and estimate.value is not None else estimate


def holds(estimate: Estimate, of: float = 0.0) -> bool:
    """Whether a number lies on its side of another whatever was unread; its own interval is not asked."""
    if estimate.bounds is None or estimate.value is None:
        return estimate.value is not None
    return estimate.bounds.side(of) == int(estimate.value > of) - int(estimate.value < of) != 0


def withheld(claim: str, estimate: Estimate) -> str:
    """Return what is said instead of a claim that unread answers could overturn."""
    bounds = estimate.bounds
    assert bounds is not None  # noqa: S101 - a claim without bounds is not withheld
    answers = how_many(bounds.n_unread, "answer", "answers")
    return (
        f"Not said whether {claim}: {answers} could not be read, and with all of them one way or the other "
        f"the number is {interval_words(bounds)}."
    )


def unread_table(file: str) -> Table:
    """Return the table of a kind that counts unread answers; its file is written where there are some."""
    return Table(
        "unread",
        rows=lambda result: ((one, group) for one in result.unread for group in one.groups),
        title="Answers that could not be read",
        file=file,
        optional=True,
        columns=(
            Column("of", lambda row: row[0].what, words=True, optional=True),
            Column("by", lambda row: row[0].by, words=True),
            Column("group", lambda row: row[1].group, words=True),
            Column("asked", lambda row: row[1].asked, count=True),
            Column("unread", lambda row: row[1].unread, count=True),
            Column("share", lambda row: row[1].share, digits=3),
            Column(
                "outcomes",
                lambda row: ", ".join(f"{n} {name}" for name, n in row[1].outcomes.items()),
                words=True,
            ),
            Column("p", lambda row: row[0].p, p=True),
            Column("test", lambda row: row[0].test, words=True),
            Column("differs", lambda row: row[0].differs, words=True),
        ),
    )
