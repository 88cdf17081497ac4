"""Agreement with itself as a panel of the page, and on its first screen."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.kinds import PAGE, Table
from concord.number_words import number
from concord.show import structure_plots
from concord.show.declared import pictures_of
from concord.show.page import fragments
from concord.show.page.declared import packed_grid, table_html
from concord.show.page.panel import FEW, AnswerCell, Metric, ModelView, PageData, Panel, QuestionAnswer, Ranks
from concord.show.page.values import Problem, ResultFile, ShownNumber, shown_number
from concord.show.plots import WIDTH
from concord.show.strips import Strip, strip
from concord.show.svg import Picture
from concord.structure import NAME, tables
from concord.structure.records import ModelResult
from concord.structure.result import StructureResult
from concord.structure.score.order import moved_models
from concord.unread import unread_notes, unread_sentences

LEAST = 0.1
"""The axis of order effects reaches from 0 to this at least."""
_HIDDEN = ("cluster", "flip_excess")
"""Columns of items that are seen in the detail of a row only."""


def _view(source: ResultFile, name: str, whole: StructureResult) -> ModelView:
    """Return one model of a result of several; its own result is beside that."""
    alone = whole[name]
    one = alone.models[0]
    main = one.consistency
    found = {"tau": one.order.tau, "flip_excess": one.flips, "worst": one.worst}
    found |= {"S_Cons": main.s_cons, "E_perf": main.e_perf, "R_sens": main.r_sens}
    return ModelView(
        source=source,
        model=name,
        design=source.facts.design,
        label=name,
        result=whole,
        numbers={key: shown_number(number) for key, number in found.items()},
        n_units=sum(len(item.scores) for item in one.items),
        gate=one.gate if one.gate else "",
        beside=alone,
    )


def _entry(view: ModelView) -> ModelResult:
    found: ModelResult = view.beside.models[0]
    return found


def structure_views(source: ResultFile) -> tuple[list[ModelView], list[Problem]]:
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


def _structure_units(view: ModelView) -> str:
    """Return over what the numbers of a file were made."""
    models = view.result.models
    return "; ".join(sorted({f"{one.n_items} items × {one.n_arrangements} arrangements" for one in models}))


_DRAWN = tuple(one.name for one in StructureResult.PICTURES if one.on_page)


def _structure_context(view: ModelView, i: int) -> dict[str, Any]:
    entry, alone, whole = _entry(view), view.beside, view.result
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


def _order_pictures(views: Sequence[ModelView], width: float = WIDTH) -> list[Picture]:
    """Draw worst and best orders, and what scores vary by, of all models."""
    models = [_entry(view) for view in views]
    drawn = (structure_plots.slopes_of(models, width), structure_plots.shares_of(models, width))
    return [one for one in drawn if one is not None]


def _orders_together(views: Sequence[ModelView]) -> dict[str, Any]:
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


def _fill_structure(data: PageData, view: ModelView, i: int) -> None:
    rows = list(tables.ITEMS.rows(view.beside))
    if rows:
        data.tables[f"items-{i}"] = packed_grid(tables.ITEMS.grid(PAGE, view.beside), hidden=_HIDDEN)


def _structure_cells(views: Sequence[ModelView]) -> Iterator[AnswerCell]:
    effects = [view.numbers["tau"] for view in views]
    ends = [end for tau in effects for end in (tau.value, tau.high) if end is not None]
    limits = (0.0, max([LEAST, *ends]))
    return (_structure_cell(_entry(view), tau, limits) for view, tau in zip(views, effects, strict=True))


def _structure_cell(one: ModelResult, tau: ShownNumber, limits: tuple[float, float]) -> AnswerCell:
    drawing = strip(Strip(tau.value, tau.low, tau.high, failed=bool(one.gate)), limits, zero=0.0)
    if one.gate:
        return AnswerCell(drawing, "–", _gate_words(one.gate), one.gate)
    if tau.value is None:
        return AnswerCell(drawing, "–", "undefined", tau.note)
    unseen = "not said" if one.order.is_withheld else "none seen"
    two = one.order.difference  # of two arrangements the number
    value = f"{'±' if two is None else ''}{100 * _size(one):.0f} pts" if one.order.is_shown else unseen
    low, high = (tau.low, tau.high) if two is None else two.ends
    ends = "" if low is None or high is None else f"{100 * low:.0f} to {100 * high:.0f} points"
    few = f"n = {one.n_items} items" if one.n_items < FEW else ""
    return AnswerCell(drawing, value, ", ".join(s for s in (ends, few) if s), sort=tau.value)


def _structure_finding(views: Sequence[ModelView], standing: Ranks | None, names: Mapping[str, str]) -> str:
    """Say whether order moves scores, and warn where what was unread differs by arrangement."""
    warned = [
        said.replace("Warning:", f"Warning: {names[view.label]},", 1)
        for view in views
        for said in unread_sentences(view.result.unread)
    ]
    return " ".join([_order_finding(views, names), *warned])


def _order_finding(views: Sequence[ModelView], names: Mapping[str, str]) -> str:
    named = [(_entry(view), names[view.label]) for view in views]
    passed = [(one, name) for one, name in named if not one.gate]
    if not passed:
        if len(views) > 1:
            return "Every model scores at its floor, its ceiling or chance: nothing to be consistent about."
        one, name = named[0]
        return f"{name}: {_gate_words(one.gate)}, so there is nothing to be consistent about."
    effects = {id(one) for one in moved_models([one for one, _ in passed])}
    moved = sorted((pair for pair in passed if id(pair[0]) in effects), key=_largest_first)
    if not moved:
        whose = passed[0][1] if len(passed) == 1 else f"any of {len(passed)} models"
        if any(one.order.is_withheld for one, _ in passed):
            return f"Whether order moves the score of {whose} is not said: what was unread could overturn it."
        flipping = sum(one.flips_shown for one, _ in passed)
        if not flipping:
            return f"No effect of order is seen in {whose}."
        of = "its answers" if len(passed) == 1 else f"answers of {flipping} of {len(passed)} models"
        return (
            f"Order does not move the mean score of {whose} as far as can be seen, but {of} change with it."
        )
    most, name = moved[0]
    size = f" by about {number(100 * _size(most), 0)} points"
    if len(passed) == 1:
        return f"Order alone moves the score of {name}{size}."
    return f"Order alone moves the score of {len(moved)} of {len(passed)} models, most that of {name}{size}."


def _size(one: ModelResult) -> float:
    """Return the order effect of a model that has one; of two arrangements their difference."""
    found = one.order.tau if one.order.difference is None else one.order.difference
    assert found.value is not None  # noqa: S101 - an effect that is shown has a size
    return found.value


def _gate_words(gate: str) -> str:
    """Return why a score says nothing about consistency, in a few words."""
    if "below" in gate:
        return "score at the floor"
    return "score not shown to be above chance" if "chance" in gate else "score at the ceiling"


def _largest_first(pair: tuple[ModelResult, str]) -> tuple[bool, float]:
    """Order effects from the largest on; one without a size comes last."""
    tau = pair[0].order.tau.value
    return (True, 0.0) if tau is None else (False, -tau)


PANEL = Panel(
    name=NAME,
    agrees="with itself",
    heading="With itself",
    kind=StructureResult,
    choice="reading",
    again="concord score structure ... --reading NAME --out FOLDER",
    by_units="arrangement by arrangement",
    answer=QuestionAnswer(
        asks="Same answer in another order?",
        note="score moved by order alone (τ); 0 is best",
        cells=lambda views: list(_structure_cells(views)),
        finding=_structure_finding,
        lower_is_better=True,
    ),
    metrics=(
        Metric("tau", "order effect", (0.0, 0.5), lowest_first=True),
        Metric("flip_excess", "flip excess", (-0.5, 1.0)),
        Metric("worst", "worst arrangement", (0.0, 1.0)),
        Metric("S_Cons", "S_Cons", (0.0, 1.0)),
        Metric("E_perf", "E_perf", (0.0, 1.0)),
        Metric("R_sens", "R_sens", (0.0, 1.0)),
    ),
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
