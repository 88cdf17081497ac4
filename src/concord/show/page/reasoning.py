"""Agreement with its own reasoning as a panel of the page: the records of models, as they are read back."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.kinds import Column, Table
from concord.reasoning import NAME
from concord.reasoning.files import BIAS, HEADLINE, OUTCOMES, PAIRS, SENSITIVITY, UNREAD, ReasoningResult
from concord.reasoning.result import Case, Example
from concord.show.declared import pictures_of
from concord.show.page import fragments
from concord.show.page.data import Texts, packed
from concord.show.page.declared import table_html
from concord.show.page.own_findings import reasoning_finding
from concord.show.page.panel import PageData, Panel, ShownModel
from concord.show.page.values import Problem, ResultFile
from concord.show.plots import WIDTH
from concord.show.reasoning_plots import early_picture, gaps_picture
from concord.show.svg import Picture

SAMPLE_COLUMNS = (
    Column("id", title="vignette", words=True),
    Column("gold_answer", words=True),
    Column("outcome_cot", title="outcome, reasoning", words=True, hidden=True),
    Column("outcome_direct", title="outcome, early", words=True, hidden=True),
    Column("correct_cot", title="right after reasoning", held="flag"),
    Column("correct_early", title="right early", held="flag"),
    Column("n_matched", title="steps matched", count=True),
    Column("n_steps", title="steps", count=True),
    Column("n_gold_steps", title="gold steps", count=True),
    Column("step_f1", title="Step-F1"),
    Column("leaked", title="early reply holds reasoning", held="flag", hidden=True),
    Column("repeat", count=True, hidden=True),
)


def _read_views(source: ResultFile) -> tuple[Sequence[ShownModel], list[Problem]]:
    """Read a result; where files of rows next to it cannot be read, the rest is shown."""
    if source.file is None or source.file.name != ReasoningResult.FILE:
        return [], [Problem(source.shown, f"is not called {ReasoningResult.FILE}, so it is not shown")]
    try:
        result, faults = ReasoningResult.read_known(source.file.parent)
    except FileFormatError as fault:
        return [], [Problem(source.shown, str(fault))]
    told = [Problem(source.shown, f"{fault}; single vignettes are not shown") for fault in faults]
    named = replace(result, scores=replace(result.scores, model=source.model))
    view = ShownModel(
        source=source,
        model=source.model,
        design=source.facts.design,
        label=source.model,
        result=named,
        numbers=named.estimates,
        n_units=len(named.scores.samples),
        gate=named.gate,
    )
    return [view], told


def _reasoning_units(view: ShownModel) -> str:
    pairs, samples = view.result.faithfulness_gap.n, view.result.scores.n_samples
    return f"{f'{samples:,}' if pairs == samples else f'{pairs:,} of {samples:,}'} vignettes answered twice"


_DRAWN = tuple(one.name for one in ReasoningResult.PICTURES if not one.small)


def _reasoning_context(view: ShownModel, i: int) -> dict[str, Any]:
    """Return what the template is given of one view."""
    scores, result = view.result.scores, view.result

    def html(*held: Table) -> list[str]:
        return [piece for one in held for piece in table_html(result, one, i)]

    told = {one.name: one.caption_of(result) for one in result.PICTURES}
    more = {**{k: told[k] for k in ("sensitivity",)}, "bias": "Rates are drawn from ten pairs on."}
    drawn = pictures_of(result, [name for name in _DRAWN if name != "accuracy"])
    return {
        "view": view,
        "says": next(iter(result.sentences()), ""),
        "gap": scores.gap,
        "steps": scores.steps,
        "samples": scores.samples,
        "headline": html(HEADLINE),
        "sensitivity": html(SENSITIVITY),
        "bias": html(BIAS, PAIRS),
        "outcomes": html(OUTCOMES, UNREAD),
        "pictures": fragments.panel_figures(drawn, f"{NAME}{i}", more, {"sensitivity": f"rules{i}"}),
        "examples": list(_chosen_cases(scores.examples)),
    }


# --- cases: steps of reasoning next to gold steps --------------------------------------------------------


def _chosen_cases(examples: Sequence[Example]) -> Iterator[dict[str, Any]]:
    """Return the chosen cases; the first of each rule shows its steps at once."""
    seen: set[str] = set()
    for one in examples:
        case = one.case
        steps = () if case is None else _both_sides(case)
        yield {"one": one, "case": case, "steps": steps, "first": one.rule not in seen}
        seen.add(one.rule)


def _both_sides(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return gold steps and steps of the reply, each with what it matched."""
    pairs = pairs_of(case)
    gold = {gold: step for step, gold in pairs}
    return (
        _side("Gold steps", "step", case.gold_steps, case.n_gold_steps, gold),
        _side("Steps of the reply", "gold step", case.steps, case.n_steps, dict(pairs)),
    )


def _side(
    title: str, other: str, steps: Sequence[str], n: int, partners: Mapping[int, int]
) -> dict[str, Any]:
    listed = [
        {"text": text, "partner": partners[i] + 1 if i in partners else None} for i, text in enumerate(steps)
    ]
    return {"title": title, "other": other, "n": n, "met": len(partners), "list": listed}


def pairs_of(case: Case) -> list[tuple[int, int]]:
    """Return the pairs of a case whose places exist: step and gold step, from 0."""
    n_steps, n_gold = len(case.steps), len(case.gold_steps)
    return [(step, gold) for step, gold in case.pairs if 0 <= step < n_steps and 0 <= gold < n_gold]


def _packed_case(case: Case | None, pool: Texts) -> list[Any] | None:
    """Return the steps of a case by the numbers of their texts: gold steps, steps, pairs, answers, counts."""
    if case is None:
        return None
    gold, steps = ([pool.add(step) for step in own] for own in (case.gold_steps, case.steps))
    early = "" if case.early_answer is None else case.early_answer
    counts = (case.n_gold_steps, case.n_steps, case.n_matched)
    return [gold, steps, list(map(list, pairs_of(case))), pool.add(early), pool.add(case.answer), *counts]


def _fill_reasoning(data: PageData, view: ShownModel, i: int) -> None:
    """Put the vignettes of a view, each with its steps, into what the script works on."""
    if not view.result.scores.samples:
        return
    found = {(case.id, case.repeat): case for case in view.result.scores.cases}
    cases = [_packed_case(found.get((row.id, row.repeat)), data.texts) for row in view.result.scores.samples]
    rows = [
        {column.name: getattr(row, column.name) for column in SAMPLE_COLUMNS}
        for row in view.result.scores.samples
    ]
    data.tables[f"samples-{i}"] = {**packed(SAMPLE_COLUMNS, rows), "cases": cases}


def _together(views: Sequence[ShownModel], width: float = WIDTH) -> list[Picture]:
    """Draw early and late answers, and the gaps, of all models."""
    results = [view.result for view in views]
    drawn = [early_picture(results, units=width), gaps_picture(results, units=width)]
    return [one for one in drawn if one is not None] if len(views) > 1 else []


PANEL = Panel(
    name=NAME,
    kind=ReasoningResult,
    choice="rules",
    again="concord score reasoning ... --rules NAME --out FOLDER",
    order=lambda view: math.inf if view.gate or (gap := view.result.faithfulness_gap.value) is None else -gap,
    finding=reasoning_finding,
    metrics={"faithfulness_gap": "Δ", "step_f1": "Step-F1", "silent_bias_rate": "R_SB"},
    read=_read_views,
    over=_reasoning_units,
    shown=_reasoning_context,
    pictures=lambda view, width: [
        (Path(), one) for one in pictures_of(view.result, _DRAWN, units=width).values()
    ],
    fill=_fill_reasoning,
    together=lambda views: {
        "reasoning_pictures": [
            fragments.figure(one, f"{NAME}-{one.name}", one.caption) for one in _together(views)
        ]
    },
    pictures_together=lambda views, width: [(Path(), one) for one in _together(views, width)],
)
