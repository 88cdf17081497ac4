"""Agreement with itself on the first screen of the page."""

import math
from collections.abc import Mapping, Sequence

from concord.show.numbers import number
from concord.show.page.answer import FEW, AnswerCell, QuestionAnswer, Ranks
from concord.show.page.structure import StructureView
from concord.show.page.values import number as number_at
from concord.show.strips import Strip, strip
from concord.stats.multiple import holm

ALPHA = 0.05
LEAST = 0.1
"""The axis of order effects reaches from 0 to this at least."""


def effect_shown(view: StructureView) -> bool:
    """Whether an order effect was shown."""
    p = number_at(view.order, "p")
    return p is not None and p < ALPHA


def flips_shown(view: StructureView) -> bool:
    """Whether answers change with the order more than between repeats."""
    low = view.metric("flip_excess").low
    return low is not None and low > 0


def _structure_cells(views: Sequence[StructureView]) -> list[AnswerCell]:
    ends = [v for view in views for v in (view.metric("tau").value, view.metric("tau").high) if v is not None]
    limits = (0.0, max([LEAST, *ends]))
    return [_structure_cell(view, limits) for view in views]


def _structure_cell(view: StructureView, limits: tuple[float, float]) -> AnswerCell:
    tau = view.metric("tau")
    mark = Strip(tau.value, tau.low, tau.high, failed=bool(view.gate))
    drawing = strip(mark, limits, zero=0.0)
    if view.gate:
        return AnswerCell(drawing, "–", _gate_words(view.gate), view.gate)
    if tau.value is None:
        return AnswerCell(drawing, "–", "undefined")
    value = f"±{100 * tau.value:.0f} pts" if effect_shown(view) else "none seen"
    ends = (
        "" if tau.low is None or tau.high is None else f"{100 * tau.low:.0f} to {100 * tau.high:.0f} points"
    )
    few = f"n = {view.n_items} items" if view.n_items is not None and view.n_items < FEW else ""
    return AnswerCell(drawing, value, ", ".join(s for s in (ends, few) if s), sort=tau.value)


def _structure_finding(
    views: Sequence[StructureView], standing: Ranks | None, names: Mapping[str, str]
) -> str:
    passed = [view for view in views if not view.gate]
    if not passed:
        if len(views) > 1:
            return "Every model scores at its floor, its ceiling or chance: nothing to be consistent about."
        reason = _gate_words(views[0].gate)
        return f"{names[views[0].label]}: {reason}, so there is nothing to be consistent about."
    moved = sorted(_moved(passed), key=_largest_first)
    if not moved:
        whose = names[passed[0].label] if len(passed) == 1 else f"any of {len(passed)} models"
        flipping = [view for view in passed if flips_shown(view)]
        if not flipping:
            return f"No effect of order is seen in {whose}."
        of = "its answers" if len(passed) == 1 else f"answers of {len(flipping)} of {len(passed)} models"
        return (
            f"Order does not move the mean score of {whose} as far as can be seen, but {of} change with it."
        )
    tau = moved[0].metric("tau").value
    size = "" if tau is None else f" by about {number(100 * tau, 0)} points"
    if len(passed) == 1:
        return f"Order alone moves the score of {names[moved[0].label]}{size}."
    most = f", most that of {names[moved[0].label]}{size}"
    return f"Order alone moves the score of {len(moved)} of {len(passed)} models{most}."


def _moved(views: Sequence[StructureView]) -> list[StructureView]:
    """Return the models that the order moves: of several tried, after Holm over models."""
    p = [number_at(view.order, "p") for view in views]
    adjusted = holm([math.nan if one is None or not 0 <= one <= 1 else one for one in p])
    return [view for view, one in zip(views, adjusted.tolist(), strict=True) if one < ALPHA]


def _gate_words(gate: object) -> str:
    """Return why a score says nothing about consistency, in a few words."""
    said = str(gate)
    if "below" in said:
        return "score at the floor"
    return "score not shown to be above chance" if "chance" in said else "score at the ceiling"


def _largest_first(view: StructureView) -> tuple[bool, float]:
    """Order effects from the largest on; one without a size comes last."""
    tau = view.metric("tau").value
    return (True, 0.0) if tau is None else (False, -tau)


ANSWER = QuestionAnswer(
    asks="Same answer in another order?",
    note="score moved by order alone (τ); 0 is best",
    cells=_structure_cells,
    finding=_structure_finding,
    gate=lambda view: str(view.gate),
    lower_is_better=True,
)
