"""People alone, and people with predictions, as a picture."""

from concord.people.mixed.result import CombineResult, SequentialResult
from concord.show import plots
from concord.show.svg import Picture

_WHAT = {"mean": "mean answer", "share": "share", "difference": "difference"}
_MOST_LOOKS = 25
"""Looks that are drawn at most: the last, and others at even steps before it."""


def combined_picture(result: CombineResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw every estimate from people alone and from people and predictions together."""
    marks = [
        mark
        for one in result.estimates
        for mark in (
            plots.estimate_mark(f"{one.of}: {one.n_people:,} people", one.people_only, people=True),
            plots.estimate_mark(f"and {one.n_predictions:,} predictions", one.estimate),
        )
    ]
    if all(mark.value is None for mark in marks):
        return None
    kinds = {one.kind for one in result.estimates}
    label = _WHAT.get(kinds.pop(), "estimate") if len(kinds) == 1 else "estimate"
    title = "People alone, and with predictions"
    return plots.intervals("combined", title, marks, label=label, width=units)


def looks_picture(result: SequentialResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the interval after every batch, against the people bought."""
    step = -(-len(result.looks) // _MOST_LOOKS)
    shown = result.looks[::-step][::-1]
    marks = [plots.estimate_mark(f"{one.n_people:,} people", one.estimate) for one in shown]
    if all(mark.value is None for mark in marks):
        return None
    return plots.intervals("looks", "After every batch of people", marks, label=result.of, width=units)
