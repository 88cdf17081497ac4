"""The tables of structural consistency, declared once: as files hold them and as screens show them."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

from concord.kinds import FILE, PAGE, PAPER, Column, Table, unread_table
from concord.records import Estimate
from concord.structure.records import ArrangementRow, Consistency, ModelResult

Of = Callable[[ModelResult], Consistency | None]
_GAPS = {"E_perf": "e_perf", "R_sens": "r_sens", "S_Cons": "s_cons"}
SHARES = {"item": "items", "arrangement": "order", "interaction": "order × item", "noise": "sampling noise"}
"""Parts of the variance and what screens call them."""


def _main(model: ModelResult) -> Consistency:
    return model.consistency


def _by_item(model: ModelResult) -> Consistency | None:
    return model.definition("paired")


def _over_orders(model: ModelResult) -> Consistency | None:
    return model.definition("across")


def _fixed(model: ModelResult) -> Consistency | None:
    return model.fixed_m


def _part(of: Callable[[Any], object], name: str) -> Callable[[Any], object]:
    """Return what takes a part of something that a row may lack."""
    return lambda row: None if (found := of(row)) is None else getattr(found, name)


def _values_of(of: Of, *names: str) -> Iterator[Column]:
    """Return the columns of E, R and S in a file, without their ends."""
    return (Column(name, _part(of, part)) for name, part in zip(names, _GAPS.values(), strict=True))


def _ends(of: Of, *names: str) -> Iterator[Column]:
    """Return the columns of the ends of E, R and S in a file, or of E alone."""
    for name, part in zip(names, _GAPS.values(), strict=False):
        yield Column(name, _part(of, part), spread={f"{name}_low": "low", f"{name}_high": "high"})


def _file_names(name: str, short: str) -> dict[str, str]:
    """Return the columns of a number and its ends in a file."""
    return {name: "value", f"{short}_low": "low", f"{short}_high": "high"}


def _samples_end(i: int) -> Callable[[ModelResult], int | None]:
    return lambda model: None if model.samples_per_cell is None else model.samples_per_cell[i]


_MODEL = Column("Model Name", attrgetter("model"), "model", words=True)
_TAU = Column(
    "tau", attrgetter("order.tau"), "order effect", digits=4, ends=3, spread=_file_names("tau", "tau")
)
_P = Column("p_order", attrgetter("order.p_value"), "p", p=True)
_WORST = Column("worst_arrangement", attrgetter("order.worst"), "at", words=True)
_LOWEST = Column("worst_mean", attrgetter("order.lowest"), "mean", digits=4)
_BEST = Column("best_arrangement", attrgetter("order.best"), "best", words=True)
_HIGHEST = Column("best_mean", attrgetter("order.highest"), "its mean", digits=4)
_DISTANCE = Column("spread", attrgetter("order.spread"), digits=4)
_SHARES = tuple(
    Column(f"share_{name}", _part(attrgetter("order.shares"), name), title, digits=3)
    for name, title in SHARES.items()
)
_COUNTS = (
    Column("n_items", title="items", count=True),
    Column("n_arrangements", title="orders", count=True),
    Column("n_missing", title="missing", count=True),
)

UNREAD = unread_table("unread.csv")
SUMMARY = Table(
    "summary",
    rows=attrgetter("models"),
    file="s_cons_results.csv",
    on=(),
    columns=(
        _MODEL, *_values_of(_main, "E_perf", "R_sens", "S_Cons"),
        Column("reading", _part(_main, "definition")),
        *_ends(_main, "E", "R", "S"), Column("R_crossfit", _part(_main, "r_crossfit")),
        *_values_of(_fixed, "E_star", "R_star", "S_star"), _TAU, _P, *_COUNTS,
        *_values_of(_by_item, "paired_E_perf", "paired_R_sens", "paired_S_Cons"),
        *_ends(_by_item, "paired_E", "paired_R", "paired_S"),
        Column("paired_R_crossfit", _part(_by_item, "r_crossfit")),
        *_values_of(_over_orders, "across_E_perf", "across_R_sens", "across_S_Cons"),
        *_ends(_over_orders, "across_E"),
        *_ends(_fixed, "E_star", "R_star", "S_star"),
        Column("R_star_crossfit", _part(_fixed, "r_crossfit")),
        Column("star_note", attrgetter("fixed_m_note")), Column("R_at", _part(_main, "r_at")),
        _WORST, _LOWEST, _BEST, _HIGHEST, _DISTANCE,
        Column("F_order", _part(attrgetter("order.effect"), "f")),
        Column("epsilon", _part(attrgetter("order.effect"), "epsilon")),
        Column("n_incomplete", attrgetter("order.n_incomplete")), *_SHARES,
        Column("flip_excess", spread=_file_names("flip_excess", "flip")),
        Column("samples_low", _samples_end(0)), Column("samples_high", _samples_end(1)),
        Column("worst", spread={"worst_low": "low", "worst_high": "high"}), Column("gate"),
    ),
)  # fmt: skip
E_PERF = Table(
    "e_perf",
    rows=attrgetter("models"),
    file="e_perf_results.csv",
    on=(),
    columns=(_MODEL, Column("E_perf", attrgetter("consistency.e_perf"))),
)
R_SENS = Table(
    "r_sens",
    rows=attrgetter("models"),
    file="r_sens_results.csv",
    on=(),
    columns=(_MODEL, Column("R_sens", attrgetter("consistency.r_sens"))),
)

ANSWER = Table(
    "order",
    rows=attrgetter("models"),
    title="Does the arrangement matter?",
    columns=(
        _MODEL,
        Column(
            "difference", attrgetter("order.difference"), "best minus worst", digits=4, ends=3, optional=True
        ),
        _TAU,
        _P,
        Column("p_unread", attrgetter("order.p_unread"), "p, unread evened out", p=True, optional=True),
        Column("flip_excess", attrgetter("flips"), "changed by order", digits=4, ends=3),
        Column("worst", digits=4, ends=3),
        _WORST,
        *_COUNTS,
    ),
    note=lambda _: (
        "Order effect: τ, the standard deviation of the arrangements' true mean scores; F test, Huynh–Feldt."
    ),
)
SPREAD = Table(
    "spread",
    rows=attrgetter("models"),
    title="Worst and best arrangement",
    columns=(
        _MODEL,
        Column("worst_arrangement", attrgetter("order.worst"), "worst", words=True),
        _LOWEST,
        _BEST,
        _HIGHEST,
        _DISTANCE,
    ),
)
VARIANCE = Table(
    "variance",
    rows=lambda result: [model for model in result.models if model.order.shares is not None],
    title="What scores vary by: shares of variance",
    columns=(_MODEL, *_SHARES),
)


def _definitions(result: Any) -> Iterator[tuple[ModelResult, Consistency]]:
    """Return every definition of every model: the chosen one first, the fixed-m gap last."""
    for model in result.models:
        fixed = () if model.fixed_m is None else (model.fixed_m,)
        yield from ((model, one) for one in (model.consistency, *model.others, *fixed))


def _of_definition(name: str, title: str, *, words: bool = False) -> Column:
    return Column(name, lambda row: getattr(row[1], name), title, words=words, digits=4, ends=3)


DEFINITIONS = Table(
    "definitions",
    rows=_definitions,
    title=lambda result: f"As defined in the source, definition `{result.scores.options.definition}`",
    columns=(
        Column("model", lambda row: row[0].model, words=True),
        _of_definition("definition", "definition", words=True),
        *(_of_definition(part, title) for title, part in _GAPS.items()),
        _of_definition("r_at", "R at", words=True),
        _of_definition("r_crossfit", "cross-fit"),
    ),
)


def _with_models(part: str) -> Callable[[Any], Iterable[tuple[ModelResult, Any]]]:
    return lambda result: ((model, row) for model in result.models for row in getattr(model, part))


def _of_row(name: str, field: str, title: str | None = None, *, words: bool = False, count: bool = False,
            on: tuple[str, ...] = (FILE, PAGE), digits: int = 3) -> Column:  # fmt: skip
    """Return a column of what is in the second of a pair, below its model."""
    get = attrgetter(field)
    return Column(name, lambda row: get(row[1]), title, words=words, count=count, on=on, digits=digits)


def _gap_estimate(row: tuple[ModelResult, ArrangementRow]) -> Estimate:
    return Estimate(row[1].gap, row[1].interval, row[1].n)


_OF_MODEL = Column("Model Name", lambda row: row[0].model, on=(FILE,))
ARRANGEMENTS = Table(
    "arrangements",
    rows=_with_models("arrangements"),
    title="Arrangements",
    file="arrangements.csv",
    on=(PAGE,),
    columns=(
        _OF_MODEL,
        _of_row("arrangement", "name", words=True),
        Column("reading", lambda row: row[0].consistency.definition, on=(FILE,)),
        Column("gap", _gap_estimate, digits=3, spread={"gap": "value", "low": "low", "high": "high"}),
        _of_row("mean", "mean_score", "mean score"),
        _of_row("n", "n", "items", count=True),
        _of_row("baseline", "is_baseline", words=True),
        _of_row("max", "max_score", "largest score"),
        _of_row("paired_gap", "paired_gap"),
        _of_row("star_gap", "fixed_m_gap", "fixed-m gap"),
        *(
            _of_row(name, f"counts.{field}", on=(FILE,))
            for name, field in {
                "n_mean": "n_mean", "n_max": "n_max",
                "n_missing_mean": "missing_mean", "n_missing_max": "missing_max",
                "n_only_mean": "only_mean", "n_only_max": "only_max",
                "n_text_numbers": "text_numbers", "n_clipped": "clipped",
            }.items()
        ),
    ),
)  # fmt: skip
ITEMS = Table(
    "items",
    rows=_with_models("items"),
    title="Items",
    file="items.csv",
    on=(),
    columns=(
        _OF_MODEL,
        _of_row("item", "name", words=True),
        _of_row("cluster", "cluster", words=True),
        _of_row("mean", "mean_score", "mean score"),
        _of_row("n_arrangements", "n_arrangements", "arrangements", count=True),
        _of_row("paired_gap", "paired_gap", "gap within"),
        _of_row("across_gap", "across_gap", "gap across"),
        _of_row("worst_arrangement", "worst_arrangement", words=True),
        _of_row("best_arrangement", "best_arrangement", words=True),
        _of_row("flip_excess", "flip_excess"),
    ),
)


def _cell_rows(result: Any) -> Iterator[tuple[object, ...]]:
    """Return the scores of every item under every arrangement, all that a comparison needs."""
    for model in result.models:
        for item in model.items:
            yield from ((model.model, item.name, *cell) for cell in item.scores)


def _at_place(name: str, i: int) -> Column:
    return Column(name, lambda row: row[i])


CELLS = Table(
    "cells",
    rows=_cell_rows,
    file="cells.csv",
    on=(),
    columns=tuple(
        _at_place(name, i)
        for i, name in enumerate(("Model Name", "item", "arrangement", "mean", "max", "star_gap"))
    ),
)


def _differing(name: str, field: str, short: str, title: str) -> Column:
    return Column(name, attrgetter(field), title, digits=3, sign=True, spread=_file_names(name, short))


def _p_of(name: str, field: str, i: int, of: str) -> Column:
    return Column(name, lambda row: getattr(row, field)[i], f"p of {of}", p=True)


DIFFERENCES = Table(
    "differences",
    rows=attrgetter("scores.differences"),
    title="Agreement with itself: first model minus second, on shared items",
    file="differences.csv",
    on=(PAGE, PAPER),
    columns=(
        Column("first", words=True), Column("second", words=True),
        Column("reading", attrgetter("definition"), "definition", words=True),
        _differing("E_perf", "e_perf", "E", "E_perf"), _differing("R_sens", "r_sens", "R", "R_sens"),
        _differing("S_Cons", "s_cons", "S", "S_Cons"), _differing("tau", "tau", "tau", "τ"),
        Column("n_items", title="items", count=True), Column("n_arrangements", title="orders", count=True),
        Column("note", words=True),
        _p_of("E_p", "p_values", 0, "E_perf"), _p_of("R_p", "p_values", 1, "R_sens"),
        _p_of("S_p", "p_values", 2, "S_Cons"),
        _differing("flip_excess", "flip_excess", "flip", "changed by order"),
        _differing("worst", "worst", "worst", "worst arrangement"),
        _p_of("tau_p", "order_p_values", 0, "τ"), _p_of("flip_p", "order_p_values", 1, "changed by order"),
        _p_of("worst_p", "order_p_values", 2, "worst"),
    ),
)  # fmt: skip


def _of_cell(name: str) -> Column:
    return Column(name, lambda row: None if row.cell is None else getattr(row.cell, name))


LEFT_OUT = Table(
    "left_out",
    rows=attrgetter("scores.left_out"),
    file="left_out.csv",
    on=(),
    columns=(
        Column("Model Name", attrgetter("model")),
        Column("arrangement"),
        Column("file"),
        Column("reason"),
        *map(_of_cell, ("sheet", "row", "column", "value", "what_to_do")),
    ),
)
