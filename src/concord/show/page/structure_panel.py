"""Agreement with itself as a panel of the page."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from concord.show.methods import STRUCTURE_SOURCES, structure_methods
from concord.show.page.panel import Metric, PageData, Panel
from concord.show.page.structure import (
    ITEM_COLUMNS,
    StructureView,
    pictures,
    shares_picture,
    slopes_picture,
    structure_views,
)
from concord.show.page.structure_answer import ANSWER
from concord.show.page.table import packed
from concord.show.page.values import (
    Document,
    ShownNumber,
    count_words,
    estimate,
    inline,
    number,
    parts,
    short_interval,
    words,
)
from concord.show.plots import WIDTH
from concord.show.svg import Picture
from concord.structure import NAME
from concord.structure.result import RESULT


def _structure_units(document: Document) -> str:
    sizes = [(number(m, "n_items"), number(m, "n_arrangements")) for m in parts(document, "models")]
    shown = {f"{count_words(items)} items × {count_words(orders)} arrangements" for items, orders in sizes}
    return "; ".join(sorted(shown))


def _structure_context(view: StructureView, i: int) -> dict[str, Any]:
    return {
        "view": view,
        "pictures": {
            k: inline(p, f"{NAME}{i}-{k}") for k, p in pictures(view).items() if k in ("order", "heat")
        },
        "order": [
            ("worst arrangement", words(view.order, "worst"), number(view.order, "worst_mean")),
            ("best arrangement", words(view.order, "best"), number(view.order, "best_mean")),
            ("spread between them", "", number(view.order, "spread")),
            ("order effect τ", _tau_interval(view.order), number(view.order, "tau")),
        ],
        "p": number(view.order, "p"),
        "shares": [(name, number(view.shares, name)) for name in view.shares],
    }


def _tau_interval(order: Document) -> str:
    ends = ShownNumber(number(order, "tau"), number(order, "tau_low"), number(order, "tau_high"))
    return "" if ends.low is None or ends.high is None else short_interval(ends)


def _differences(views: Sequence[StructureView]) -> Iterator[dict[str, Any]]:
    for source in {view.source.shown: view.source for view in views}.values():
        for entry in parts(source.document, "differences"):
            numbers = [estimate(entry.get(key)) for key in ("E_perf", "R_sens", "S_Cons", "tau")]
            yield {"first": words(entry, "first"), "second": words(entry, "second"), "numbers": numbers,
                   "n": number(entry, "n_items"), "note": words(entry, "note")}  # fmt: skip


def _order_pictures(views: Sequence[StructureView], width: float = WIDTH) -> list[Picture]:
    """Draw worst and best orders, and what scores vary by, of all models."""
    slopes = slopes_picture(views, width=width) if views else None
    shares = [shares_picture(views, width=width)] if any(view.shares for view in views) else []
    return [*([] if slopes is None else [slopes]), *shares]


def _orders_together(views: Sequence[StructureView]) -> dict[str, Any]:
    return {
        "structure_differences": list(_differences(views)),
        "structure_pictures": [inline(one, f"{NAME}-{one.name}") for one in _order_pictures(views)],
    }


def _structure_files(view: StructureView, width: float) -> Sequence[tuple[Path, Picture]]:
    return [(Path(), picture) for picture in pictures(view, width=width).values()]


def _fill_structure(data: PageData, view: StructureView, i: int) -> None:
    if view.items:
        data.tables[f"items-{i}"] = packed(ITEM_COLUMNS, view.items)


PANEL = Panel(
    name=NAME,
    agrees="with itself",
    heading="With itself",
    file=RESULT,
    key="arrangements",
    choice="reading",
    again="concord score structure ... --reading NAME --out FOLDER",
    by_units="arrangement by arrangement",
    answer=ANSWER,
    metrics=(
        Metric("tau", "order effect", (0.0, 0.5), lowest_first=True),
        Metric("flip_excess", "flip excess", (-0.5, 1.0)),
        Metric("worst", "worst arrangement", (0.0, 1.0)),
        Metric("S_Cons", "S_Cons", (0.0, 1.0)),
        Metric("E_perf", "E_perf", (0.0, 1.0)),
        Metric("R_sens", "R_sens", (0.0, 1.0)),
    ),
    read=structure_views,
    over=lambda view: _structure_units(view.source.document),
    shown=_structure_context,
    pictures=_structure_files,
    methods=lambda view: structure_methods(view.source.document),
    sources=STRUCTURE_SOURCES,
    fill=_fill_structure,
    together=_orders_together,
    pictures_together=lambda views, width: [(Path(), one) for one in _order_pictures(views, width)],
    has_replies=False,
)
