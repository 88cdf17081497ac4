"""Answers that could not be read: counted by group, tested, bounded, and told on every surface.

A kind of result counts them (``count_unread(outcomes, groups, by=, what=, units=)``, one entry per answer
asked; ``units`` names whom each answer is of where one gives several), tests all of a result together
(``told([…])``, Holm), declares ``unread_table(FILE)``, ``unread_sentences`` and ``unread_notes``, bounds
every share, mean and gap computed with the unread answers at either end (``bounded(estimate,
bounds_between(low, high, n_unread=k), asked=n)``), and before it says that a number is above or below another
asks `holds`; else it says `withheld`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from concord.number_words import how_many, interval_words, p_words, percent
from concord.records import Estimate, Told, Unread, UnreadBounds, UnreadGroup

MOST_LOST = 0.02
"""Share of unread answers beyond which bounds are shown and claims depend on them."""
_MOST_GROUPS = 4


def _group_shares(groups: Sequence[UnreadGroup]) -> str:
    """Name the share of each group, of many the most and the least."""
    groups = chosen = [one for one in groups if one.asked]
    if len(groups) > _MOST_GROUPS:
        chosen = [max(groups, key=lambda one: one.share), min(groups, key=lambda one: one.share)]
    return ", ".join(f"{one.group} {percent(one.share)}" for one in chosen)


def unread_sentence(one: Unread) -> str:
    """Return what a reader must know."""
    counts = sum((Counter(group.outcomes) for group in one.groups), Counter[str]())
    outcomes = ", ".join(f"{n:,} {name}" for name, n in counts.most_common())
    whose = f"{one.what}: " if one.what else ""
    start = f"{whose}{one.unread:,} of {how_many(one.asked, 'answer', 'answers')} unread ({outcomes})"
    if not one.differs:
        shown = "" if one.p is None else f"; no difference by {one.by} is shown, {p_words(one.p)}"
        return f"{start}{shown}."
    return (
        f"{start}, and not alike by {one.by} ({_group_shares(one.groups)}; {p_words(one.p)}): "
        f"differences by {one.by} may come from what was not read."
    )


def unread_sentences(unread: Told) -> list[str]:
    """Return the warnings of the first screen."""
    return [f"Warning: {unread_sentence(one)}" for one in unread if one.differs]


def unread_notes(unread: Told) -> list[str]:
    """Return what is told of unread answers that are no warning."""
    return [unread_sentence(one) for one in unread if not one.differs]


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
    if bounds is None:
        return f"Not said whether {claim}: answers that could not be read could overturn it."
    answers = how_many(bounds.n_unread, "answer", "answers")
    return (
        f"Not said whether {claim}: {answers} could not be read, and with all of them one way or the other "
        f"the number is {interval_words(bounds)}."
    )
