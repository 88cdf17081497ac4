"""Pictures of agreement with itself, of judges and of options, from their records."""

import re
from collections.abc import Sequence
from typing import Any

from concord.records import Estimate
from concord.show import plot_order, plots
from concord.show.plot_models import plot_models
from concord.show.plots import estimate_mark
from concord.show.svg import Picture
from concord.structure.judging.rated_result import RatedResult
from concord.structure.judging.result import JudgeResult
from concord.structure.options.result import OptionResult
from concord.structure.records import ModelResult
from concord.structure.result import StructureResult
from concord.structure.score.order import order_deviations
from concord.structure.tables import SHARES

MOST_ROWS = 200
"""Items of the heat map; of more, those that move most."""


def _one_of(result: StructureResult, model: str | None) -> ModelResult:
    """Return the model that is drawn, the first by default."""
    return (result if model is None else result[model]).models[0]


def order_picture(
    result: StructureResult, *, model: str | None = None, units: float = plots.WIDTH
) -> Picture | None:
    """Draw how far each order moves the mean score, with a band that holds for all at once."""
    one = _one_of(result, model)
    found = order_deviations(one, result.level)
    if not found:
        return None
    marks = [estimate_mark(name, moved) for name, moved in found]
    title = f"What each order does to the mean score, {one.model}"
    return plot_order.order_effect("order-effect", title, marks, n_items=found[0][1].n, width=units)


def shares_picture(
    result: StructureResult, *, model: str | None = None, units: float = plots.WIDTH
) -> Picture | None:
    """Draw what the variance of scores is made of, of one model or of all."""
    return shares_of(result.models if model is None else [_one_of(result, model)], units)


def shares_of(models: Sequence[ModelResult], units: float = plots.WIDTH) -> Picture | None:
    """Draw what the variance of scores is made of, one bar per model."""
    known = [(one.model, one.order.shares) for one in models if one.order.shares is not None]
    bars = [(name, [getattr(shares, key) for key in SHARES]) for name, shares in known]
    title = "What scores vary by" + (f", {models[0].model}" if len(models) == 1 else "")
    return plot_order.shares("variance-shares", title, bars, width=units) if bars else None


def slopes_of(models: Sequence[ModelResult], units: float = plots.WIDTH) -> Picture | None:
    """Draw every model's worst and best order."""
    found = [
        plot_order.OrderSlope(
            one.model, order.lowest, order.highest, str(order.worst), str(order.best), order.is_shown
        )
        for one in models
        if (order := one.order).lowest is not None and order.highest is not None and not one.gate
    ]
    title = "From the worst order to the best"
    return plot_order.slopes("order-slopes", title, found, width=units) if found else None


def slopes_picture(result: StructureResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the worst and the best order of every model."""
    return slopes_of(result.models, units)


def heat_picture(
    result: StructureResult, *, model: str | None = None, units: float = plots.WIDTH
) -> Picture | None:
    """Draw the score of every item under every order; of many items those that move most."""
    one = _one_of(result, model)
    columns = list(dict.fromkeys(cell[0] for item in one.items for cell in item.scores))
    if not columns:
        return None
    known = {item.name: {cell[0]: cell[1] for cell in item.scores} for item in one.items}
    means = {item.name: item.mean_score for item in one.items}
    orders = {row.name: row.mean_score for row in one.arrangements}
    scores = {name: [cells.get(column) for column in columns] for name, cells in known.items()}
    rows = sorted(scores, key=_natural)
    title = f"Items that react to order, {one.model}"
    if len(rows) > MOST_ROWS:
        rows = sorted(rows, key=lambda item: -_range(scores[item]))[:MOST_ROWS]
        title += f", the {MOST_ROWS} that move most"
    cells = [scores[item] for item in rows]
    named = [(item, means[item]) for item in rows]
    heads = [(column, orders.get(column)) for column in columns]
    return plot_order.item_map("items-by-arrangements", title, named, heads, cells, width=units)


def _natural(name: str) -> list[tuple[int, str]]:
    """Order names as a reader counts: item 2 before item 10."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", name)]


def _range(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return max(known) - min(known) if known else 0.0


def models_strip(result: StructureResult, *, units: float = 560.0) -> Picture:
    """Draw the order effect of every model, for a notebook."""
    return plot_models([result], width=units)


def judge_picture(result: JudgeResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw every judge's flip excess and its preference for the first seat, the best judge first."""
    shown = {result.ranks_by: result.ranks_by.replace("_", " "), "preference": "preference"}
    marks = [
        estimate_mark(f"{one.judge}, {words}", one.numbers[name], people=name == "preference")
        for one in result.ranked()
        for name, words in shown.items()
        if one.numbers[name].value is not None
    ]
    if not marks:
        return None
    return plots.intervals(
        "judges",
        "How verdicts depend on the seats",
        marks,
        label="0: not at all; excess: share of pairs of votes; preference: first seat minus 1/2",
        limits=(-0.5, 1.0),
        width=units,
    )


def rated_picture(result: RatedResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw every system as judged and, where people scored some answers, corrected."""
    marks = []
    for one in result.groups:
        if one.by == "system" and one.mean.value is not None:
            name = one.name if one.name else one.judge
            marks.append(estimate_mark(f"{name}, as judged by {one.judge}", one.mean))
            if one.corrected.value is not None:
                marks.append(estimate_mark(f"{name}, corrected", one.corrected, people=True))
    if not marks:
        return None
    title = "As judged, and as people would say"
    return plots.intervals("judge-scores", title, marks, label="mean score", width=units)


def places_picture(result: OptionResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the share of right answers by the place of the right option."""
    return _by_place(
        "option-places",
        "Right answers by the place of the right option",
        result.scores.accuracy_by_place,
        label="share of right answers",
        limits=(0, 1),
        width=units,
    )


def choices_picture(result: OptionResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw how much more often than evenly each place is chosen."""
    return _by_place(
        "option-choices",
        "Choices of each place beyond an even share",
        result.scores.selection,
        label="share of choices minus even",
        lines=[(0.0, "0")],
        width=units,
    )


def _by_place(name: str, title: str, found: Sequence[Estimate], **look: Any) -> Picture | None:
    """Draw numbers place by place; nothing where none is defined."""
    if all(one.value is None for one in found):
        return None
    marks = [estimate_mark(f"place {i}", one) for i, one in enumerate(found, 1)]
    return plots.intervals(name, title, marks, **look)
