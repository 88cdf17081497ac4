"""Answers that could not be read: counted by group, tested, bounded, and told on every surface.

A kind of result counts them (``count_unread(outcomes, groups, by=, what=, units=)``, one entry per answer
asked; ``units`` names whom each answer is of where one gives several), tests all of a result together
(``told([…])``, Holm), declares ``unread_table(FILE)``, ``unread_sentences`` and ``unread_notes``, bounds
every share, mean and gap computed with the unread answers at either end (``bounded_between(estimate, low,
high, n_unread=k, asked=n)``), and before it says that a number is above or below another asks `holds`; else
it says `withheld`.
"""

from collections import Counter
from collections.abc import Sequence

from concord.number_words import percent
from concord.records import Estimate, Told, Unread, UnreadGroup
from concord.words import say

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
    start = say("shared.unread.start", what=one.what, unread=one.unread, asked=one.asked, outcomes=outcomes)
    if not one.differs:
        return say("shared.unread.alike", start=start, by=one.by, p=one.p)
    shares = _group_shares(one.groups)
    return say("shared.unread.differs", start=start, by=one.by, shares=shares, p=one.p)


def unread_sentences(unread: Told) -> list[str]:
    """Return the warnings of the first screen."""
    return [say("shared.unread.warning", said=unread_sentence(one)) for one in unread if one.differs]


def unread_notes(unread: Told) -> list[str]:
    """Return what is said of unread answers that are no warning."""
    return [unread_sentence(one) for one in unread if not one.differs]


def holds(estimate: Estimate, of: float = 0.0) -> bool:
    """Whether a number lies on its side of another whatever was unread; its own interval is not asked."""
    if estimate.bounds is None or estimate.value is None:
        return estimate.value is not None
    return estimate.bounds.side(of) == int(estimate.value > of) - int(estimate.value < of) != 0


def withheld(claim: str, estimate: Estimate) -> str:
    """Return what is said instead of a claim that unread answers could overturn."""
    bounds = estimate.bounds
    if bounds is None:
        return say("shared.unread.withheld_bare", claim=claim)
    return say("shared.unread.withheld", claim=claim, n=bounds.n_unread, bounds=bounds)
