"""Pictures of agreement with itself: order, arrangement by arrangement, judges, options."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.records import Estimate
from concord.show import plots
from concord.show.plot_models import plot_models
from concord.show.plots import WIDTH, Mark, axis, estimate_mark, levels_words, short, span
from concord.show.svg import Canvas, Picture, Scale, fitted_names, last_parts, reach
from concord.structure.judging.rated_result import RatedResult
from concord.structure.judging.result import JudgeResult
from concord.structure.options.result import OptionResult
from concord.structure.records import ModelResult
from concord.structure.result import StructureResult, order_claims
from concord.structure.score.order import order_deviations
from concord.structure.tables import SHARES
from concord.words import say

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
    return order_effect("order-effect", title, marks, n_items=found[0][1].n, width=units)


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
    bars.sort(key=lambda one: -sum(share for share in one[1][1:3] if share is not None))
    caption = "What the variance of single scores is made of: items, order, items that react to order, noise."
    return plots.shares(
        "variance-shares", title, bars, tuple(SHARES.values()), label="share of the variance of scores",
        caption=caption, width=units,
    ) if bars else None  # fmt: skip


def slopes_of(models: Sequence[ModelResult], units: float = plots.WIDTH) -> Picture | None:
    """Draw every model's worst and best order."""
    found = [
        OrderSlope(one.model, order.lowest, order.highest, str(order.worst), str(order.best), shown.means)
        for one, shown in zip(models, order_claims(models), strict=True)
        if (order := one.order).lowest is not None and order.highest is not None and not one.gate
    ]
    title = "From the worst order to the best"
    return slopes("order-slopes", title, found, width=units) if found else None


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
    return item_map("items-by-arrangements", title, named, heads, cells, width=units)


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
    """Draw how far every judge's verdicts depend on the seats, the best judge first."""
    return _of_judges(result, result.ranks_by, "judges", "How verdicts depend on the seats", units)


def preference_picture(result: JudgeResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw every judge's preference for the first seat, the best judge first."""
    return _of_judges(result, "preference", "preference", "Preference for the first seat", units)


def _of_judges(result: JudgeResult, number: str, name: str, title: str, units: float) -> Picture | None:
    label = say(f"judges.note.axis_{number}")
    marks = [
        estimate_mark(one.judge, found)
        for one in result.ranked()
        if (found := one.numbers[number]).value is not None
    ]
    limits = (-0.5, 0.5) if number == "preference" else None
    zero = [(0.0, "0")]
    return (
        plots.intervals(name, title, marks, label=label, limits=limits, lines=zero, width=units)
        if marks
        else None
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


def order_effect(
    name: str, title: str, marks: Sequence[Mark], *, n_items: int, width: float = WIDTH
) -> Picture:
    """Draw how far the mean score of each arrangement lies from the mean of all, the lowest first."""
    ordered = sorted(marks, key=lambda m: math.inf if m.value is None else m.value)
    ends = [abs(v) for m in marks for v in (m.value, *m.ends) if v is not None]
    far = max([0.05, *ends]) * 1.05
    room, row = 120.0, 24.0
    bottom = 12 + row * len(ordered) + 4
    scale = Scale(-far, far, room + 8, width - 56)
    canvas = Canvas()
    axis(canvas, scale, 12, bottom, "mean score minus the mean of all orders")
    canvas.line("ref", scale(0), 12, scale(0), bottom)
    canvas.row_names(
        room, [18 + row * (i + 0.5) for i in range(len(ordered))], [m.label for m in ordered], room - 4
    )
    for i, mark in enumerate(ordered):
        y = 12 + row * (i + 0.5) + 2
        if mark.value is None:
            continue
        if mark.interval is not None:
            canvas.line("mline", scale(mark.interval.low), y, scale(mark.interval.high), y)
        canvas.diamond("model", scale(mark.value), y, 5, f"{mark.label}: {short(mark.value, 3)}")
        canvas.text(width - 4, y + 4, short(mark.value, 3), kind="s", anchor="end")
    said = "; ".join(f"{m.label} {short(m.value, 3)}" for m in ordered[:40])
    rows = (("arrangement", "deviation", "low", "high"), *((m.label, m.value, *m.ends) for m in ordered))
    caption = say("figures.caption.order", n=n_items, levels=levels_words(marks))
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=rows, caption=caption
    )


MOST_SLOPES = 12
"""Models up to which each has a line of its own from the worst to the best order; more have a row."""


@dataclass(frozen=True, slots=True)
class OrderSlope:
    """One model: its mean score under the worst and the best order, and the order effect."""

    model: str
    worst: float
    best: float
    worst_name: str = ""
    best_name: str = ""
    shown: bool = True
    """Whether an order effect was shown (p below 0.05)."""


def slopes(name: str, title: str, models: Sequence[OrderSlope], *, width: float = WIDTH) -> Picture:
    """Draw one line per model from its worst to its best order."""
    if len(models) > MOST_SLOPES:
        return _order_rows(name, title, models, width)
    called = last_parts([m.model for m in models])
    left, right, top = 64.0, width - max(110.0, min(220.0, max(map(reach, called), default=0.0) + 24)), 34.0
    tall = max(200.0, 17.0 * len(models) + 20)
    scale = Scale(*span([v for m in models for v in (m.worst, m.best)], at_least=(0.0, 1.0)), top + tall, top)
    canvas = Canvas()
    for x, words in ((left, "worst order"), (right, "best order")):
        canvas.line("axis", x, top, x, top + tall)
        canvas.text(x, 18, words, kind="s", anchor="middle")
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        canvas.text(left - 8, scale(tick) + 4, f"{tick:g}", kind="s", anchor="end")
        canvas.line("grid", left, scale(tick), right, scale(tick))
    labels = _spaced([scale(m.best) for m in models], 15.0, top, top + tall)
    names = fitted_names(called, width - right - 20)
    for model, place, shown_name in zip(models, labels, names, strict=True):
        kind = "link" if model.shown else "slope"
        canvas.line(kind, left, scale(model.worst), right, scale(model.best))
        for x, value, order in ((left, model.worst, model.worst_name), (right, model.best, model.best_name)):
            note = f"{model.model}, {order}: {short(value)}"
            canvas.circle("model" if model.shown else "ring", x, scale(value), 3.6, note)
        canvas.line("axis", right + 5, scale(model.best), right + 13, place)
        canvas.text(right + 16, place + 4, model.model, kind="s", shown=shown_name)
    caption = say("figures.caption.slopes", rows=False)
    return _with_orders(
        Picture(name, title, "", width, top + tall + 16, str(canvas), caption=caption), models
    )


def _with_orders(picture: Picture, models: Sequence[OrderSlope]) -> Picture:
    """Return a picture of the worst and the best orders with its numbers, said and as rows."""
    said = "; ".join(f"{m.model} {short(m.worst)} to {short(m.best)}" for m in models[:40])
    rows = (
        ("model", "worst order", "score", "best order", "score", "order effect shown"),
        *((m.model, m.worst_name, m.worst, m.best_name, m.best, m.shown) for m in models),
    )
    return replace(picture, description=f"{picture.title}. {said}.", rows=rows)


def _order_rows(name: str, title: str, models: Sequence[OrderSlope], width: float) -> Picture:
    """Draw one row per model from its worst to its best order, the widest first."""
    ordered = sorted(models, key=lambda m: m.worst - m.best)
    room, row, top = min(190.0, 0.4 * width), 18.0, 28.0
    bottom = top + row * len(ordered) + 4
    limits = span([v for m in ordered for v in (m.worst, m.best)], at_least=(0.0, 1.0))
    scale = Scale(*limits, room + 8, width - 50)
    canvas = Canvas()
    canvas.circle("ring", room + 14, 13, 3.6)
    canvas.text(room + 24, 17, "worst order", kind="s")
    canvas.circle("model", room + 114, 13, 3.6)
    canvas.text(room + 124, 17, "best order", kind="s")
    axis(canvas, scale, top, bottom, "mean score")
    places = [top + row * (i + 0.5) + 6 for i in range(len(ordered))]
    shown = fitted_names(last_parts([m.model for m in ordered]), room - 4)
    for model, y, called in zip(ordered, places, shown, strict=True):
        canvas.text(room, y, model.model, kind="s", anchor="end", shown=called)
        canvas.line("link" if model.shown else "slope", scale(model.worst), y - 4, scale(model.best), y - 4)
        canvas.circle("ring", scale(model.worst), y - 4, 3.6, f"{model.model}, {model.worst_name}")
        kind = "model" if model.shown else "ring"
        canvas.circle(kind, scale(model.best), y - 4, 3.6, f"{model.model}, {model.best_name}")
        canvas.text(width - 4, y, short(model.best - model.worst), kind="s", anchor="end")
    caption = say("figures.caption.slopes", rows=True)
    return _with_orders(Picture(name, title, "", width, bottom + 42, str(canvas), caption=caption), ordered)


def _spaced(places: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Move labels until neighbours have room, in the order of their places."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    found = list(places)
    at = -math.inf
    for i in order:
        at = max(at + least, places[i])
        found[i] = at
    over = max(found, default=0.0) - high
    return [max(low, place - over) for place in found] if over > 0 else found


_ENDS = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Where the scale of colours may end."""


def item_map(
    name: str, title: str, rows: Sequence[tuple[str, float | None]],
    columns: Sequence[tuple[str, float | None]], cells: Sequence[Sequence[float | None]], *,
    width: float = WIDTH,
) -> Picture:  # fmt: skip
    """Draw how far each item's score under an order lies above or below the item's own mean."""
    # Items and orders have their means, and are sorted by them; a missing cell is dashed.
    down = sorted(range(len(rows)), key=lambda i: (-_or_last(rows[i][1], -math.inf), rows[i][0]))
    across = sorted(range(len(columns)), key=lambda j: (_or_last(columns[j][1], math.inf), columns[j][0]))
    left = 120.0
    wide = min(44.0, (width - left - 60) / max(len(columns), 1))
    tall = max(5.0, min(18.0, 560.0 / max(len(rows), 1)))
    top = 26.0 + 0.82 * min(96.0, 8.0 * max((len(c) for c, _ in columns), default=0))
    known = zip(rows, cells, strict=True)
    off = [v - mean for (_, mean), row in known for v in row if v is not None and mean is not None]
    far = next((end for end in _ENDS if all(abs(one) <= end for one in off)), 1.0)
    canvas = Canvas()
    for place, j in enumerate(across):
        canvas.turned(left + wide * (place + 0.6), top - 6, -55, columns[j][0], width=96)
    canvas.text(left + wide * len(columns) + 8, top - 6, "mean", kind="s")
    every = max(1, math.ceil(12 / tall))
    for shown, i in enumerate(down):
        y = top + tall * shown
        item, mean = rows[i]
        if shown % every == 0:
            canvas.text(left - 6, y + tall / 2 + 4, item, kind="s", anchor="end", width=left - 8)
            canvas.text(left + wide * len(columns) + 8, y + tall / 2 + 4, short(mean), kind="s")
        for place, j in enumerate(across):
            value = cells[i][j]
            box = (left + wide * place, y, wide, tall)
            note = f"{item}, {columns[j][0]}: {short(value)}"
            if value is None or mean is None:
                canvas.rect("cell none", box[0] + 1.5, y + 1.5, wide - 3, tall - 3, note=note)
                continue
            beyond = value - mean
            kind = "cell over" if beyond > 0 else "cell under"
            canvas.rect(kind, *box, note=note, opacity=min(1.0, abs(beyond) / far))
    bottom = top + tall * len(rows) + 20
    for k in range(-3, 4):
        canvas.rect(
            "cell over" if k > 0 else "cell under",
            left + 24 * (k + 3),
            bottom - 8,
            24,
            10,
            opacity=abs(k) / 3,
        )
    canvas.text(left, bottom + 18, f"−{far:g}", kind="s")
    canvas.text(left + 84, bottom + 18, "0", kind="s", anchor="middle")
    canvas.text(left + 168, bottom + 18, f"+{far:g}", kind="s", anchor="end")
    canvas.text(left + 178, bottom + 1, "from the item's mean", kind="s")
    if any(value is None for row in cells for value in row):
        canvas.rect("none", left + 182, bottom + 9.5, 20, 9)
        canvas.text(left + 208, bottom + 18, "missing", kind="s")
    said = say("figures.said.items", title=title, n=len(rows), k=len(columns))
    data = (
        ("item", *(columns[j][0] for j in across)),
        *((rows[i][0], *(cells[i][j] for j in across)) for i in down),
    )
    caption = say("figures.caption.items")
    return Picture(name, title, said, width, bottom + 26, str(canvas), rows=data, caption=caption)


def _or_last(value: float | None, last: float) -> float:
    return last if value is None else value
