"""Pictures of agreement with itself: what order does, arrangement by arrangement, item by item, in shares."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from concord.show.plots import WIDTH, Mark, axis, levels_words, short, span
from concord.show.svg import Canvas, Picture, Scale, fitted_names, last_parts, reach
from concord.structure.tables import SHARES


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
    rows = (
        ("arrangement", "deviation", "low", "high"),
        *((m.label, m.value, *m.ends) for m in ordered),
    )
    caption = "Mean score of each order minus the mean of all orders"
    levels = levels_words(marks)
    bands = f", over {n_items} items; lines are {levels} bands that hold for all orders at once"
    caption += f"{bands if levels else ''}."
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=rows, caption=caption
    )


MOST_SLOPES = 12
"""Models up to which each has a line of its own from the worst to the best order; more have a row."""
_PICKED = (
    "Mean score of each model under its worst and its best order. Worst and best are picked from the same "
    "scores and lie apart by chance alone, too:"
)


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
        for x, value, order in (
            (left, model.worst, model.worst_name),
            (right, model.best, model.best_name),
        ):
            note = f"{model.model}, {order}: {short(value)}"
            canvas.circle("model" if model.shown else "ring", x, scale(value), 3.6, note)
        canvas.line("axis", right + 5, scale(model.best), right + 13, place)
        canvas.text(right + 16, place + 4, model.model, kind="s", shown=shown_name)
    said = "; ".join(f"{m.model} {short(m.worst)} to {short(m.best)}" for m in models[:40])
    rows = (
        ("model", "worst order", "score", "best order", "score", "order effect shown"),
        *((m.model, m.worst_name, m.worst, m.best_name, m.best, m.shown) for m in models),
    )
    caption = f"{_PICKED} coloured lines are models whose order effect was shown."
    return Picture(
        name, title, f"{title}. {said}.", width, top + tall + 16, str(canvas), rows=rows, caption=caption
    )


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
    said = "; ".join(f"{m.model} {short(m.worst)} to {short(m.best)}" for m in ordered[:40])
    rows = (
        ("model", "worst order", "score", "best order", "score", "order effect shown"),
        *((m.model, m.worst_name, m.worst, m.best_name, m.best, m.shown) for m in ordered),
    )
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=rows,
        caption=f"{_PICKED} coloured rows are models whose order effect was shown; numbers are distances.",
    )  # fmt: skip


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


def shares(
    name: str, title: str, models: Sequence[tuple[str, Sequence[float | None]]], *, width: float = WIDTH
) -> Picture:
    """Draw what the variance of scores is made of, one bar per model."""
    room, row = min(190.0, 0.36 * width), 24.0
    scale = Scale(0, 1, room + 8, width - 14)
    top = 44.0
    bottom = top + row * len(models)
    canvas = Canvas()
    at = 8.0
    called_parts = tuple(SHARES.values())
    for i, words in enumerate(SHARES.values()):
        canvas.rect(f"share{i}", at, 8, 12, 12)
        canvas.text(at + 18, 18, words, kind="s")
        at += 34 + 7.2 * len(words)
    axis(canvas, scale, top - 6, bottom, "share of the variance of scores")
    models = sorted(models, key=lambda one: -sum(share for share in one[1][1:3] if share is not None))
    called = last_parts([model for model, _ in models])
    canvas.row_names(room, [top + row * i + 15 for i in range(len(models))], called, room - 4)
    for i, (model, parts) in enumerate(models):
        y = top + row * i
        start = 0.0
        for j, share in enumerate(parts):
            if share is None or share <= 0:
                continue
            note = f"{model}, {called_parts[j]}: {short(share)}"
            canvas.rect(
                f"cell share{j}", scale(start), y + 3, scale(start + share) - scale(start), row - 7, note=note
            )
            start += share
    said = "; ".join(
        f"{model}: {', '.join(f'{called_parts[j]} {short(v)}' for j, v in enumerate(parts))}"
        for model, parts in models[:20]
    )
    rows = (("model", *called_parts), *((model, *parts) for model, parts in models))
    caption = "What the variance of single scores is made of: items, order, items that react to order, noise."
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=rows, caption=caption
    )


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
    said = (
        f"{title}: {len(rows)} items by {len(columns)} orders, colour is the distance from the item's mean."
    )
    data = (
        ("item", *(columns[j][0] for j in across)),
        *((rows[i][0], *(cells[i][j] for j in across)) for i in down),
    )
    caption = (
        "Score of each item under each order, as distance from the item's own mean; both sorted by mean."
    )
    return Picture(name, title, said, width, bottom + 26, str(canvas), rows=data, caption=caption)


def _or_last(value: float | None, last: float) -> float:
    return last if value is None else value
