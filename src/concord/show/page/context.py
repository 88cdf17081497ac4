"""What the templates are given: rows, pictures, notes. Rounding happens in the templates' filters."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from concord.errors import printable
from concord.show.citations import CONCORD, METHODS, Entry, bibtex, study_entry
from concord.show.numbers import level_words
from concord.show.page.comparison import Comparison, letters
from concord.show.page.content import Content
from concord.show.page.first_screen import first_screen
from concord.show.page.found import ResultFile
from concord.show.page.section import by_question
from concord.show.page.values import ShownNumber, inline


def context(content: Content, title: str) -> dict[str, Any]:
    """Return everything the main template needs."""
    made = content.compared
    asked = [_asked_facts(source, content) for source in content.sources if _was_asked(source, content)]
    return {
        "title": printable(title),
        "content": content,
        "models": content.models,
        "asked": asked,
        "asked_of": {key: any(row[key] != "–" for row in asked) for key in ("settings", "tokens")},
        "answer": first_screen(content, made),
        "board": board(content),
        "levels": said_levels(content),
        "comparisons": _comparisons(made),
        "sections": by_question(content.sections, content.views),
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
        "bibtex": bibtex(sources_of(content)),
        "provenance": _provenances(content),
        "warnings": [(source, source.facts.warnings) for source in content.sources],
    }


def said_levels(content: Content) -> str:
    """Return the levels of all intervals on the page."""
    found = [
        view.metric(one.key).level
        for panel in content.panels
        for view in content.of(panel.name)
        for one in panel.metrics
    ]
    found += [one.level for one in content.compared]
    found += [getattr(record, "level", None) for filled in content.sections for record in filled.records]
    return " and ".join(level_words(level) for level in sorted({one for one in found if one is not None}))


def _methods(content: Content) -> list[str]:
    """Return one paragraph per question and way of making its results."""
    found = [panel.methods(view) for panel in content.panels for view in content.of(panel.name)[:1]]
    for filled in content.sections:
        told = (
            filled.section.methods(record, source.document)
            for record, source in zip(filled.records[:1], filled.sources[:1], strict=True)
        )
        found += [said for said in told if said]
    if content.comparisons:
        found.append(
            "Models were compared on what they share (studies, items or vignettes), pair by pair; p-values "
            "are adjusted by Holm's (1979) method, and two models are called distinguishable below 0.05."
        )
    return found


def sources_of(content: Content) -> list[Entry]:
    """Return what a paper about these results cites: Concord, methods, studies, each once."""
    used = [entry for panel in content.panels if content.of(panel.name) for entry in panel.sources]
    used += [entry for filled in content.sections for entry in filled.section.cites]
    used += [CONCORD, METHODS["holm1979"]] if content.comparisons else []
    cards = {card.study: card for view in content.all_views for card in getattr(view, "studies_told", ())}
    studies = [study_entry(card.study, card.source) for card in cards.values() if card.source.get("authors")]
    return list({entry[1]: entry for entry in (*used, *studies)}.values())


def _comparisons(made: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return every comparison with its pictures, where there are any."""
    return [
        {
            "one": one,
            "ranking": None if (ranks := one.own_picture()) is None else inline(ranks, f"ranking{i}"),
            "triangle": None if (pairs := one.triangle()) is None else inline(pairs, f"triangle{i}"),
        }
        for i, one in enumerate(made)
    ]


def _was_asked(source: ResultFile, content: Content) -> bool:
    """Whether a file says something new: numbers beside a model's result were asked with it."""
    beside = {one.section.name for one in content.sections if one.section.show_one is not None}
    return source.kind not in beside


def _asked_facts(source: ResultFile, content: Content) -> dict[str, Any]:
    facts, panel = source.facts, content.panel(source.kind)
    how = "" if panel is None else facts.choices[panel.choice]
    names = list(facts.models) or _named_inside(source, content)
    design, tokens = source.run.design, source.run.tokens or facts.tokens
    asked = source.run.settings or facts.settings
    return {
        "question": content.agrees(source),
        "model": _some_names(names) if names else source.model,
        "how": ", ".join([*([how] if how else []), *([f"design {design}"] if design else [])]) or "–",
        "units": _units(source, content),
        "settings": ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asked) or "–",
        "tokens": "–" if tokens is None else f"{tokens[0]:,} in, {tokens[1]:,} out",
        "file": source.shown,
    }


def _units(source: ResultFile, content: Content) -> str:
    """Return over what the numbers of a file were made; nothing where it is shown by no panel."""
    panel = content.panel(source.kind)
    views = [] if panel is None else [one for one in content.of(panel.name) if one.source is source]
    return "–" if panel is None or not views else panel.over(views[0])


def _some_names(names: Sequence[str], most: int = 12) -> str:
    """Join names; of many, the first with how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _named_inside(source: ResultFile, content: Content) -> list[str]:
    """Return the models, agents or judges that a further result is about."""
    return [
        name
        for filled in content.sections
        for record, file in zip(filled.records, filled.sources, strict=True)
        if file is source
        for name in filled.section.who(record)
    ]


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
    together = letters(content.compared, named)
    unranked = {
        (view.model, view.design): reason
        for view in (content.of(used[0].name) if used else ())
        if (reason := used[0].answer.gate(view))
    }
    turned = bool(columns) and columns[0][1].lowest_first
    ordered = sorted(
        rows.items(), key=lambda entry: (entry[0] in unranked, _best_first(entry[1].get(first), turned))
    )
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
                "no_rank": unranked.get((model, design), ""),
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


def _best_first(value: ShownNumber | None, lowest_first: bool) -> float:
    """Return what sorts numbers from the best on; undefined ones come last."""
    if value is None or value.value is None:
        return float("inf")
    return value.value if lowest_first else -value.value


def _provenances(content: Content) -> list[dict[str, Any]]:
    """Return how results were made, those that were made alike once; a file that does not say is left out."""
    found: dict[str, dict[str, Any]] = {}
    for source in content.sources:
        made = _provenance(source, content)
        if not (made["inputs"] or made["problems"] or len(made["rows"]) > 1):
            continue  # numbers beside a result: made with it, and it says how
        key = repr([made[name] for name in ("question", "rows", "inputs", "problems")])
        found.setdefault(key, {**made, "sources": []})["sources"].append(source)
    return list(found.values())


def _provenance(source: ResultFile, content: Content) -> dict[str, Any]:
    facts = source.facts
    return {
        "question": content.agrees(source),
        "rows": list(facts.made),
        "inputs": [asdict(one) for one in facts.inputs],
        "problems": list(facts.problems),
    }
