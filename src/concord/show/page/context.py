"""What the templates are given: rows, pictures, notes. Rounding happens in the templates' filters."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from concord.errors import printable
from concord.show.citations import Entry, bibtex, study_entry
from concord.show.page.answer import AnswerCell, answer_rows, short_names, standing_of
from concord.show.page.comparison import Comparison, comparison, letters
from concord.show.page.content import Content
from concord.show.page.find import ResultFile
from concord.show.page.panel import Panel, Reference
from concord.show.page.people_answer import dashed
from concord.show.page.section import by_question
from concord.show.page.values import (
    ShownNumber,
    inline,
    leaves,
    number,
    part,
    parts,
    texts,
    words,
)
from concord.show.plots import short as short_number
from concord.show.strips import Strip, strip

PROVENANCE = (
    "format_version", "concord_version", "commit", "python_version", "packages", "seed", "options",
    "protocol", "protocol_choices", "reading", "rules", "model_settings", "tokens", "cost",
)  # fmt: skip


def context(content: Content, title: str) -> dict[str, Any]:
    """Return everything the main template needs."""
    made = [comparison(source, content.units) for source in content.comparisons]
    return {
        "title": printable(title),
        "content": content,
        "models": content.models,
        "asked": [_asked_facts(source, content) for source in content.sources],
        "answer": first_screen(content, made),
        "board": board(content),
        "comparisons": _comparisons(made),
        "sections": by_question(content.sections),
        "has": {panel.name: bool(content.of(panel.name)) for panel in content.panels},
        **{
            panel.name: [panel.shown(view, i) for i, view in enumerate(content.of(panel.name))]
            for panel in content.panels
        },
        **{
            key: value
            for panel in content.panels
            for key, value in panel.together(content.of(panel.name)).items()
        },
        "methods": _methods(content),
        "bibtex": bibtex(_sources(content)),
        "provenance": [_provenance(source, content) for source in content.sources],
        "warnings": [(source, texts(source.document, "warnings")) for source in content.sources],
    }


def first_screen(content: Content, made: Sequence[Comparison]) -> dict[str, Any]:
    """Return the finding, the badges, and one row per model."""
    used = [panel for panel in content.panels if content.of(panel.name)]
    standings = {panel.name: standing_of(content.of(panel.name), made, panel.answer) for panel in used}
    ranked = next((panel for panel in used if standings[panel.name] is not None), None)
    names = _shown_names(content)
    findings = [panel.answer.finding(content.of(panel.name), standings[panel.name], names) for panel in used]
    rows = answer_rows(
        [(panel.name, panel.answer, content.of(panel.name)) for panel in used],
        _row_order(content, used),
        None if ranked is None else standings[ranked.name],
    )
    failed = [
        (view, said) for panel in used for view in content.of(panel.name) if (said := panel.answer.gate(view))
    ]
    return {
        "finding": findings[0] if findings else "Nothing to show.",
        "further": findings[1:],
        "questions": [panel.answer for panel in used],
        "rows": rows,
        "ranked": "" if ranked is None else ranked.answer.asks,
        "invented": [row.name for row in rows if row.invented or row.model in _said_invented(content)],
        "failed": [f"{view.model}: {said}" for view, said in failed],
        "over": [panel.over(content.of(panel.name)[0].source.document) for panel in used],
        "references": [
            (one.label, [_reference_cell(one, panel.name == other.name) for other in used])
            for panel in used
            for one in panel.references(content.of(panel.name))
        ],
    }


def _reference_cell(reference: Reference, here: bool) -> AnswerCell | None:
    value = reference.numbers.get("PAS") if here else None
    if value is None:
        return None
    mark = Strip(value.value, value.low, value.high, value.floor, value.ceiling)
    return AnswerCell(strip(mark, (0.0, 1.0)), short_number(value.value), dashed(value))


def _said_invented(content: Content) -> set[str]:
    """Return models whose results say themselves that their data are synthetic."""
    return {view.model for view in content.all_views if view.source.document.get("synthetic") is True}


def _shown_names(content: Content) -> dict[str, str]:
    """Return what a label is called in a sentence: the short name, with the design where a model has several."""
    names = short_names(content.models)
    designs: dict[str, set[str]] = {}
    for view in content.all_views:
        designs.setdefault(view.model, set()).update([view.design] if view.design else [])
    return {
        view.label: f"{names[view.model]} ({view.design})"
        if view.design and len(designs[view.model]) > 1
        else names[view.model]
        for view in content.all_views
    }


def _row_order(content: Content, used: Sequence[Panel]) -> list[str]:
    """Return models from the best of the first question to the worst; those without it last."""
    if not used:
        return []
    views = content.of(used[0].name)
    cells = used[0].answer.cells(views)
    way = 1.0 if used[0].answer.lower_is_better else -1.0
    best: dict[str, float] = {}
    for view, cell in zip(views, cells, strict=True):
        if cell.sort is not None and not cell.gate:
            best[view.model] = min(best.get(view.model, math.inf), way * cell.sort)
    return sorted(content.models, key=lambda model: best.get(model, math.inf))


def _methods(content: Content) -> list[str]:
    """Return one paragraph per question and way of making its results."""
    found = [
        panel.methods(view.source.document) for panel in content.panels for view in content.of(panel.name)[:1]
    ]
    if content.comparisons:
        found.append(
            "Models were compared on what they share (studies, items or vignettes), pair by pair; p-values are "
            "adjusted by Holm's (1979) method, and two models are called distinguishable below 0.05."
        )
    return found


def _sources(content: Content) -> list[Entry]:
    """Return what a paper about these results cites: Concord, methods, studies, each once."""
    used = [entry for panel in content.panels if content.of(panel.name) for entry in panel.sources]
    cards = {card.study: card for view in content.all_views for card in getattr(view, "studies_told", ())}
    studies = [study_entry(card.study, card.source) for card in cards.values() if card.source.get("authors")]
    return list({entry[1]: entry for entry in (*used, *studies)}.values())


def _comparisons(made: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return every comparison with its pictures, where there are any."""
    return [
        {
            "one": one,
            "triangle": None if (pairs := one.triangle()) is None else inline(pairs, f"triangle{i}"),
        }
        for i, one in enumerate(made)
    ]


def _asked_facts(source: ResultFile, content: Content) -> dict[str, Any]:
    document, panel = source.document, content.panel(source.kind)
    how = words(document, panel.choice) if panel is not None else ""
    names = [words(model, "model") or words(model, "name") for model in parts(document, "models")]
    design = words(source.run, "options", "design")
    return {
        "question": content.agrees(source),
        "model": ", ".join(names) if names else source.model,
        "how": ", ".join([how if how else "not said", *([f"design {design}"] if design else [])]),
        "units": "" if panel is None else panel.over(document),
        "settings": ", ".join(f"{k} {v}" for k, v in leaves(_sampling(source))),
        "tokens": _token_words(source),
        "file": source.shown,
    }


def _sampling(source: ResultFile) -> Mapping[str, Any]:
    """Return how the model was asked: as the run says, else as the result does."""
    said = part(source.run, "sampling")
    return said if said else part(source.document, "model_settings")


def _token_words(source: ResultFile) -> str:
    held = part(source.run, "tokens") or part(source.document, "tokens")
    read, written = (number(held, key) for key in ("input", "output"))
    return "not known" if read is None or written is None else f"{read:,.0f} in, {written:,.0f} out"


def board(content: Content) -> dict[str, Any]:
    """Return the leaderboard: a row for every model and design, a column for every metric that one has."""
    used = [panel for panel in content.panels if content.of(panel.name)]
    columns = [(panel.name, metric) for panel in used for metric in panel.metrics]
    rows: dict[tuple[str, str], dict[tuple[str, str], ShownNumber]] = {}
    for panel in used:
        for view in content.of(panel.name):
            row = rows.setdefault((view.model, view.design), {})
            row |= {(panel.name, metric.key): view.metric(metric.key) for metric in panel.metrics}
    first = (columns[0][0], columns[0][1].key) if columns else ("", "")
    named = [*content.models, *(view.label for view in content.all_views)]
    together = letters([comparison(source, content.units) for source in content.comparisons], named)
    ordered = sorted(rows.items(), key=lambda entry: _descending(entry[1].get(first)))
    return {
        "columns": [metric for _, metric in columns],
        "groups": [(panel.agrees, len(panel.metrics)) for panel in used],
        "letters": together,
        "references": [
            {
                "label": one.label,
                "cells": [one.numbers.get(m.key) if name == panel.name else None for name, m in columns],
            }
            for panel in used
            for one in panel.references(content.of(panel.name))
        ],
        "designs": any(design for _, design in rows),
        "rows": [
            {
                "model": model,
                "design": design,
                "label": f"{model}, {design}" if design else model,
                "letters": [_letters(one, model, design) for _, one in together],
                "cells": [cells.get((name, metric.key)) for name, metric in columns],
            }
            for (model, design), cells in ordered
        ],
    }


def _letters(letters: Mapping[str, str], model: str, design: str) -> str:
    """Return the letters of a model under the name that a comparison has for it."""
    found = letters.get(f"{model}, {design}", letters.get(model))
    return "–" if found is None else found


def _descending(value: ShownNumber | None) -> float:
    return 2.0 if value is None or value.value is None else -value.value


def _provenance(source: ResultFile, content: Content) -> dict[str, Any]:
    kept: Mapping[str, Any] = {key: source.document[key] for key in PROVENANCE if key in source.document}
    inputs = source.document.get("inputs")
    files = (
        list(inputs.values()) if isinstance(inputs, Mapping) else inputs if isinstance(inputs, list) else []
    )
    return {
        "source": source,
        "question": content.agrees(source),
        "rows": list(leaves(kept)),
        "inputs": [
            {"name": words(one, "name"), "size": number(one, "size"), "sha256": words(one, "sha256")}
            for one in files
            if isinstance(one, Mapping)
        ],
        "problems": texts(source.document, "problems", "list"),
    }
