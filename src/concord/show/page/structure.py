"""Agreement with itself as a section of the page."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from concord.errors import FileFormatError
from concord.show import plot_order, plots
from concord.show.page.find import rows_beside
from concord.show.page.found import Problem, ResultFile
from concord.show.page.panel import NamedView
from concord.show.page.table import PageColumn
from concord.show.page.values import Document, ShownNumber, count, estimate, number, part, parts, texts, words
from concord.show.svg import Picture
from concord.stats.gaps import deviation_band

ITEM_COLUMNS = (
    PageColumn("item", "item"),
    PageColumn("cluster", "cluster", shown=False),
    PageColumn("mean", "mean score", "number"),
    PageColumn("n_arrangements", "arrangements", "count"),
    PageColumn("paired_gap", "gap within", "number"),
    PageColumn("across_gap", "gap across", "number"),
    PageColumn("worst_arrangement", "worst arrangement"),
    PageColumn("best_arrangement", "best arrangement"),
    PageColumn("flip_excess", "flip excess", "number", shown=False),
)
MOST_ROWS = 200
"""Items of the heat map; of more, those that move most."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """One arrangement of one model."""

    name: str
    gap: ShownNumber
    mean: float | None
    n: int | None
    is_baseline: bool


@dataclass(frozen=True, slots=True)
class DefinitionView:
    """E, R and S under one reading."""

    name: str
    e: ShownNumber
    r: ShownNumber
    s: ShownNumber
    r_at: str
    crossfit: float | None


@dataclass(frozen=True, slots=True)
class StructureView(NamedView):
    """One model of one result, ready to be shown."""

    source: ResultFile
    model: str
    readings: tuple[DefinitionView, ...]
    """The chosen one first, the fixed-m one last."""
    order: Document
    shares: Document
    flips: ShownNumber
    arrangements: tuple[Arrangement, ...]
    items: tuple[Mapping[str, Any], ...]
    cells: Mapping[tuple[str, str], float | None]
    sentence: str
    n_items: int | None
    n_missing: int | None
    notes: tuple[str, ...]
    gate: str = ""
    """Why there is nothing to be consistent about; empty where there is."""
    worst: ShownNumber = ShownNumber(None)
    """Mean score under the worst arrangement."""

    @property
    def n_units(self) -> int:
        """Cells that two models can be compared on."""
        return len(self.cells)

    @property
    def main(self) -> DefinitionView:
        """The reading that was chosen."""
        return self.readings[0]

    def metric(self, name: str) -> ShownNumber:
        """Return a headline number by its name."""
        if name == "tau":
            low, high = (number(self.order, f"tau_{end}") for end in ("low", "high"))
            return ShownNumber(number(self.order, "tau"), low, high)
        order = {"flip_excess": self.flips, "worst": self.worst}
        return {**order, "S_Cons": self.main.s, "E_perf": self.main.e, "R_sens": self.main.r}[name]


def structure_views(source: ResultFile) -> tuple[list[StructureView], list[Problem]]:
    """Read every model of a result, with its tables."""
    problems: list[Problem] = []
    items = _beside(source, "items.csv", problems)
    cells = _beside(source, "cells.csv", problems)
    rows = parts(source.document, "arrangements")
    views = []
    for entry in parts(source.document, "models"):
        name = words(entry, "model")
        made = _view(source, entry, [row for row in rows if words(row, "Model Name") == name])
        if made is None:
            problems.append(Problem(source.shown, f"model {name!r} has no reading and is not shown"))
            continue
        views.append(_with_tables(made, items, cells))
    return views, problems


def _beside(source: ResultFile, name: str, problems: list[Problem]) -> list[dict[str, str]]:
    """Read a table of the result; its absence is no fault, the page says what is not shown."""
    try:
        rows, _ = rows_beside(source, name)
    except FileFormatError as fault:
        problems.append(Problem(source.shown, f"{name} next to it {fault}"))
        return []
    return [] if rows is None else rows


def _view(source: ResultFile, entry: Document, rows: Sequence[Document]) -> StructureView | None:
    readings = [_reading(one) for one in parts(entry, "readings")]
    if not readings:
        return None
    fixed = part(entry, "fixed_m")
    if fixed:
        readings.append(_reading({**fixed, "reading": "fixed m"}))
    # what the scores themselves are worth is said with the finding, not among the other warnings
    scorer = (told for told in texts(source.document, "warnings") if told.startswith("scorer "))
    notes = (words(entry, "fixed_m_note"), words(entry, "order", "note"), *scorer)
    return StructureView(
        source,
        words(entry, "model"),
        tuple(readings),
        part(entry, "order"),
        part(entry, "variance_shares"),
        estimate(entry.get("flip_excess")),
        tuple(_arrangement(row) for row in rows),
        (),
        {},
        words(entry, "sentence"),
        count(entry, "n_items"),
        count(entry, "n_missing"),
        tuple(note for note in notes if note),
        worst=_worst(entry),
        gate=words(entry, "gate"),
    )


def _worst(entry: Document) -> ShownNumber:
    """Read the worst arrangement's score; of version 1 without its interval."""
    found = estimate(entry.get("worst"))
    return found if found.value is not None else ShownNumber(number(entry, "order", "worst_mean"))


def _reading(entry: Document) -> DefinitionView:
    return DefinitionView(
        words(entry, "reading"),
        estimate(entry.get("E_perf")),
        estimate(entry.get("R_sens")),
        estimate(entry.get("S_Cons")),
        words(entry, "R_at"),
        number(entry, "R_crossfit", "value"),
    )


def _arrangement(row: Document) -> Arrangement:
    gap = ShownNumber(number(row, "gap"), number(row, "low"), number(row, "high"))
    return Arrangement(
        words(row, "arrangement"), gap, number(row, "mean"), count(row, "n"), row.get("baseline") is True
    )


def _with_tables(
    view: StructureView, items: Sequence[Mapping[str, str]], cells: Sequence[Mapping[str, str]]
) -> StructureView:
    from dataclasses import replace

    numeric = {column.key for column in ITEM_COLUMNS if column.kind in ("number", "count")}
    own = [
        {key: _float_or_none(value) if key in numeric else value for key, value in row.items()}
        for row in items
        if row.get("Model Name") == view.model
    ]
    scores = {
        (row.get("item", ""), row.get("arrangement", "")): _float_or_none(row.get("mean", ""))
        for row in cells
        if row.get("Model Name") == view.model
    }
    return replace(view, items=tuple(own), cells=scores)


def _float_or_none(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def pictures(view: StructureView, *, width: float = plots.WIDTH) -> dict[str, Picture]:
    """Draw the order effect, the gaps, and the map of items and orders where cells are known."""
    gaps = [plots.Mark(a.name, a.gap.value, a.gap.low, a.gap.high) for a in view.arrangements]
    means = [plots.Mark(a.name, a.mean) for a in view.arrangements]
    drawn = {
        "order": order_picture(view, width=width),
        "gaps": plots.intervals(
            "gaps",
            f"Gap per arrangement, {view.model}",
            gaps,
            label=f"gap, definition {view.main.name}",
            width=width,
        ),
        "means": plots.intervals(
            "mean-scores",
            f"Mean score per arrangement, {view.model}",
            means,
            label="mean score",
            limits=(0, 1),
            width=width,
        ),
        "shares": shares_picture([view], width=width),
    }
    if view.cells:
        drawn["heat"] = _heat(view, width=width)
    return drawn


def order_picture(view: StructureView, *, width: float = plots.WIDTH) -> Picture:
    """Draw how far each order moves the mean score, with a band that holds for all at once."""
    columns = list(dict.fromkeys(arrangement for _, arrangement in view.cells))
    rows = list(dict.fromkeys(item for item, _ in view.cells))
    title = f"What each order does to the mean score, {view.model}"
    scores = [[_nan(view.cells.get((item, column))) for column in columns] for item in rows]
    band = deviation_band(scores) if rows else None
    if band is None:
        return plot_order.order_effect("order-effect", title, _deviations(view), n_items=0, width=width)
    marks = [
        plots.Mark(column, float(band.values[j]), float(band.low[j]), float(band.high[j]))
        for j, column in enumerate(columns)
    ]
    return plot_order.order_effect("order-effect", title, marks, n_items=band.n_items, width=width)


def _nan(value: float | None) -> float:
    return math.nan if value is None else value


def _deviations(view: StructureView) -> list[plots.Mark]:
    """Return mean scores minus their mean, without bands: single scores are not known."""
    known = [(a.name, a.mean) for a in view.arrangements if a.mean is not None]
    middle = sum(mean for _, mean in known) / len(known) if known else 0.0
    return [plots.Mark(name, mean - middle) for name, mean in known]


def shares_picture(views: Sequence[StructureView], *, width: float = plots.WIDTH) -> Picture:
    """Draw what the variance of scores is made of, one bar per model."""
    keys = [key for key, _ in plot_order.SHARES]
    bars = [(view.model, [number(view.shares, key) for key in keys]) for view in views if view.shares]
    title = "What scores vary by" + (f", {views[0].model}" if len(views) == 1 else "")
    return plot_order.shares("variance-shares", title, bars, width=width)


def slopes_picture(views: Sequence[StructureView], *, width: float = plots.WIDTH) -> Picture | None:
    """Draw every model's worst and best order."""
    found = []
    for view in views:
        worst, best, p = (number(view.order, key) for key in ("worst_mean", "best_mean", "p"))
        if worst is not None and best is not None and not view.gate:
            names = words(view.order, "worst"), words(view.order, "best")
            found.append(plot_order.OrderSlope(view.model, worst, best, *names, p is not None and p < 0.05))
    if not found:
        return None
    return plot_order.slopes("order-slopes", "From the worst order to the best", found, width=width)


def _heat(view: StructureView, *, width: float = plots.WIDTH) -> Picture:
    columns = list(dict.fromkeys(arrangement for _, arrangement in view.cells))
    rows = sorted(dict.fromkeys(item for item, _ in view.cells), key=_natural)
    scores = {item: [view.cells.get((item, column)) for column in columns] for item in rows}
    title = f"Items that react to order, {view.model}"
    if len(rows) > MOST_ROWS:
        rows = sorted(rows, key=lambda item: -_range(scores[item]))[:MOST_ROWS]
        title += f", the {MOST_ROWS} that move most"
    return plot_order.item_map(
        "items-by-arrangements", title, rows, columns, [scores[item] for item in rows], width=width
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """Order names as a reader counts: item 2 before item 10."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", name)]


def _range(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return max(known) - min(known) if known else 0.0
