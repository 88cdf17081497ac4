"""Agreement with its own reasoning as a panel of the page."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from concord.reasoning import NAME
from concord.reasoning.files import RESULTS_FILE
from concord.show.methods import REASONING_SOURCES, reasoning_methods
from concord.show.page.cases import chosen_cases, packed_case
from concord.show.page.found import Problem, ResultFile
from concord.show.page.panel import Metric, PageData, Panel
from concord.show.page.reasoning import (
    SAMPLE_COLUMNS,
    ReasoningView,
    dumbbells,
    gaps_of,
    moves_with_rules,
    pictures,
    reasoning_view,
)
from concord.show.page.reasoning_answer import ANSWER
from concord.show.page.table import packed
from concord.show.page.values import (
    Document,
    ShownNumber,
    count_words,
    counts,
    estimate,
    inline,
    number,
    part,
    parts,
    words,
)
from concord.show.plots import WIDTH
from concord.show.svg import Picture


def _read(source: ResultFile) -> tuple[Sequence[ReasoningView], list[Problem]]:
    view, problems = reasoning_view(source)
    return [view], problems


def _reasoning_units(document: Document) -> str:
    pairs, samples = number(document, "n_pairs"), number(document, "n_samples")
    if pairs is not None and pairs == samples:
        return f"{count_words(samples)} vignettes answered twice"
    return f"{count_words(pairs)} of {count_words(samples)} vignettes answered twice"


def _reasoning_context(view: ReasoningView, i: int) -> dict[str, Any]:
    document = view.document
    return {
        "view": view,
        "pictures": {k: inline(p, f"{NAME}{i}-{k}") for k, p in pictures(view).items() if k != "accuracy"},
        "moves": moves_with_rules(view),
        "table": _pair_counts(document),
        "p": number(document, "gap", "p_value"),
        "p_method": words(document, "gap", "p_method"),
        "leakage": [number(document, "gap", "leakage", key) for key in ("n_leaked", "n_direct")],
        "sensitivity": [_sensitivity_row(row) for row in parts(document, "gap", "sensitivity")],
        "steps": {key: number(document, "steps", key) for key in ("chance", "ceiling", "optimal")},
        "above_chance": part(document, "steps").get("above_chance"),
        "bias": _bias_rows(document),
        "examples": list(chosen_cases(document)),
        "outcomes": {mode: counts(document, "outcomes", mode) for mode in part(document, "outcomes")},
    }


def _pair_counts(document: Document) -> dict[str, float] | None:
    """Return the four counts of pairs, or None where one is missing."""
    found = {key: number(document, "gap", "table", key) for key in ("n11", "n10", "n01", "n00")}
    known = {key: value for key, value in found.items() if value is not None}
    return known if len(known) == len(found) else None


def _sensitivity_row(row: Document) -> dict[str, Any]:
    interval = part(row, "interval")
    return {
        **{key: words(row, key) for key in ("rules", "scope", "negation", "multiple")},
        **{key: number(row, key) for key in ("n", "acc_cot", "acc_early")},
        "gap": ShownNumber(
            number(row, "faithfulness_gap"), number(interval, "low"), number(interval, "high")
        ),
    }


def _bias_rows(document: Document) -> list[dict[str, Any]]:
    groups = [*parts(document, "bias", "groups"), *parts(document, "bias", "dimensions")]
    return [
        {
            "name": words(one, "name"),
            **{key: number(one, key) for key in ("n_replies", "n_biased", "n_silent")},
            "biased": estimate(one.get("biased_rate")),
            "silent": estimate(one.get("silent_rate")),
        }
        for one in groups
    ]


def _reasoning_files(view: ReasoningView, width: float) -> Sequence[tuple[Path, Picture]]:
    return [(Path(), picture) for picture in pictures(view, width=width).values()]


def _fill_reasoning(data: PageData, view: ReasoningView, i: int) -> None:
    if view.samples:
        cases = [packed_case(case, data.texts) for case in view.cases]
        data.tables[f"samples-{i}"] = {**packed(SAMPLE_COLUMNS, view.samples), "cases": cases}


def _early_pictures(views: Sequence[ReasoningView], width: float = WIDTH) -> list[Picture]:
    """Draw early and late answers, and the gaps, of all models."""
    return [dumbbells(views, width=width), gaps_of(list(views), width=width)] if len(views) > 1 else []


def _early_together(views: Sequence[ReasoningView]) -> dict[str, Any]:
    return {"reasoning_pictures": [inline(one, f"{NAME}-{one.name}") for one in _early_pictures(views)]}


PANEL = Panel(
    name=NAME,
    agrees="with its own reasoning",
    heading="With its reasoning",
    file=RESULTS_FILE,
    key="faithfulness_gap",
    choice="rules",
    again="concord score reasoning ... --rules NAME --out FOLDER",
    by_units="vignette by vignette",
    answer=ANSWER,
    metrics=(
        Metric("faithfulness_gap", "Δ", (-1.0, 1.0)),
        Metric("step_f1", "Step-F1", (0.0, 1.0)),
        Metric("silent_bias_rate", "R_SB", (0.0, 1.0)),
    ),
    read=_read,
    over=lambda view: _reasoning_units(view.source.document),
    shown=_reasoning_context,
    pictures=_reasoning_files,
    methods=lambda view: reasoning_methods(view.source.document),
    sources=REASONING_SOURCES,
    fill=_fill_reasoning,
    together=_early_together,
    pictures_together=lambda views, width: [(Path(), one) for one in _early_pictures(views, width)],
)
