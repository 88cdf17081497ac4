"""Agreement with itself as a panel of the page, and on its first screen."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.kinds import PAGE, Table
from concord.show import structure_plots
from concord.show.declared import pictures_of
from concord.show.page import fragments
from concord.show.page.declared import packed_grid, table_html
from concord.show.page.own_findings import entry_of, structure_finding
from concord.show.page.panel import PageData, Panel, ShownModel
from concord.show.page.values import Problem, ResultFile
from concord.show.plots import WIDTH
from concord.show.svg import Picture
from concord.structure import NAME, tables
from concord.structure.result import StructureResult
from concord.unread import unread_notes

_HIDDEN = ("cluster", "flip_excess")
"""Columns of items that are seen in the detail of a row only."""


def _view(source: ResultFile, name: str, whole: StructureResult) -> ShownModel:
    """Return one model of a result of several; its own result is beside that."""
    alone = whole[name]
    one = alone.models[0]
    main = one.consistency
    found = {"tau": one.order.tau, "flip_excess": one.flips, "worst": one.worst}
    found |= {"S_Cons": main.s_cons, "E_perf": main.e_perf, "R_sens": main.r_sens}
    return ShownModel(
        source=source,
        model=name,
        design=source.facts.design,
        label=name,
        result=whole,
        numbers=found,
        n_units=sum(len(item.scores) for item in one.items),
        gate=one.gate if one.gate else "",
        beside=alone,
    )


def structure_views(source: ResultFile) -> tuple[list[ShownModel], list[Problem]]:
    """Read every model of a result; tables beside it that cannot be used are told, and not shown."""
    assert source.file is not None  # noqa: S101 - what was found lies in a folder
    problems: list[Problem] = []
    beside = all((source.file.parent / one.file).is_file() for one in (tables.ITEMS, tables.CELLS))
    for with_tables in (True, False) if beside else (False,):
        try:
            result = StructureResult.read_file(source.file, with_tables=with_tables)
        except FileFormatError as fault:
            problems.append(Problem(source.shown, str(fault)))
        else:
            return [_view(source, name, result) for name in result.who()], problems
    return [], problems[:1]


def _structure_units(view: ShownModel) -> str:
    """Return over what the numbers of a file were made."""
    models = view.result.models
    return "; ".join(sorted({f"{one.n_items:,} items × {one.n_arrangements} arrangements" for one in models}))


_DRAWN = tuple(one.name for one in StructureResult.PICTURES if one.on_page)


def _structure_context(view: ShownModel, i: int) -> dict[str, Any]:
    entry, alone, whole = entry_of(view), view.beside, view.result
    shown = pictures_of(whole, ("order", "heat"), model=view.model)
    scorer = (told for told in whole.warnings if told.startswith("scorer "))
    notes = (entry.fixed_m_note, entry.order.note, *scorer, *unread_notes(whole.unread))

    def html(*held: Table) -> list[str]:
        return [piece for one in held for piece in table_html(alone, one, i)]

    return {
        "view": view,
        "entry": entry,
        "notes": [note for note in notes if note],
        "pictures": fragments.panel_figures(shown, f"{NAME}{i}", {}, {"order": f"arrangements{i}"}),
        "order": html(tables.ANSWER, tables.SPREAD, tables.VARIANCE, tables.UNREAD),
        "source": html(tables.DEFINITIONS, tables.ARRANGEMENTS),
    }


def _order_pictures(views: Sequence[ShownModel], width: float = WIDTH) -> list[Picture]:
    """Draw worst and best orders, and what scores vary by, of all models."""
    models = [entry_of(view) for view in views]
    drawn = (structure_plots.slopes_of(models, width), structure_plots.shares_of(models, width))
    return [one for one in drawn if one is not None]


def _orders_together(views: Sequence[ShownModel]) -> dict[str, Any]:
    results = {view.source.shown: view.result for view in views}.values()
    return {
        "structure_differences": [
            piece
            for i, one in enumerate(results)
            if one.scores.differences
            for piece in table_html(one, tables.DIFFERENCES, i)
        ],
        "structure_pictures": [
            fragments.figure(one, f"{NAME}-{one.name}", one.caption) for one in _order_pictures(views)
        ],
    }


def _fill_structure(data: PageData, view: ShownModel, i: int) -> None:
    rows = list(tables.ITEMS.rows(view.beside))
    if rows:
        data.tables[f"items-{i}"] = packed_grid(tables.ITEMS.grid(PAGE, view.beside), hidden=_HIDDEN)


PANEL = Panel(
    name=NAME,
    kind=StructureResult,
    choice="reading",
    again="concord score structure ... --reading NAME --out FOLDER",
    order=lambda view: math.inf if view.gate or (tau := view.numbers["tau"].value) is None else tau,
    finding=structure_finding,
    metrics={
        "tau": "order effect",
        "flip_excess": "changed by order",
        "worst": "worst arrangement",
        "S_Cons": "S_Cons",
        "E_perf": "E_perf",
        "R_sens": "R_sens",
    },
    read=structure_views,
    over=_structure_units,
    shown=_structure_context,
    pictures=lambda view, width: [
        (Path(), one) for one in pictures_of(view.result, _DRAWN, model=view.model, units=width).values()
    ],
    fill=_fill_structure,
    together=_orders_together,
    pictures_together=lambda views, width: [(Path(), one) for one in _order_pictures(views, width)],
    has_replies=False,
)
