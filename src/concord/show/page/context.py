"""What the templates are given: rows, pictures, notes. Rounding happens in the templates' filters."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from concord.comparing.comparison import Comparison
from concord.errors import printable
from concord.number_words import level_words
from concord.show.citations import CONCORD, METHODS, Entry, bibtex, study_entry, with_concord
from concord.show.page.comparison import letters, standing_of
from concord.show.page.content import Content, by_question
from concord.show.page.declared import shown_result
from concord.show.page.panel import AnswerCell, ModelRow, Panel, Reference, answer_rows, dashed, short_names
from concord.show.page.values import ResultFile, ShownNumber
from concord.show.plots import short as short_number
from concord.show.strips import Strip, strip

SHARE = 0.05
"""Share of replies from which on it is said that they were cut."""
CUT = "truncated"


def cut_advice(outcomes: Mapping[str, int], max_tokens: int | None) -> str:
    """Say how many replies were cut and how to ask for them again; nothing where they are few."""
    cut, asked = outcomes.get(CUT, 0), sum(outcomes.values())
    if not cut or cut < SHARE * asked:
        return ""
    at = "" if max_tokens is None else f" at {max_tokens:,} tokens"
    more = "a higher --max-tokens" if max_tokens is None else f"--max-tokens {4 * max_tokens}"
    how = f"with --again {CUT} {more}" if max_tokens is not None else f"with --again {CUT} and {more}"
    return f"{cut:,} of {asked:,} replies were cut{at}; ask them again {how}"


FEW_ANSWERED = 0.25
"""Share of models below which a question's column is narrow."""


def first_screen(content: Content, made: Sequence[Comparison]) -> dict[str, Any]:
    """Return the finding, the badges, and one row per model."""
    used = [panel for panel in content.panels if content.of(panel.name)]
    standings = {panel.name: standing_of(content.of(panel.name), made) for panel in used}
    ranked = next((panel for panel in used if standings[panel.name] is not None), None)
    names = _shown_names(content)
    findings = [panel.answer.finding(content.of(panel.name), standings[panel.name], names) for panel in used]
    rows = answer_rows(
        [(panel.name, panel.answer, content.of(panel.name)) for panel in used],
        _row_order(content, used),
        None if ranked is None else standings[ranked.name],
    )
    failed = [
        f"{view.label}: {said}" for panel in used for view in content.of(panel.name) if (said := view.gate)
    ]
    if not findings:
        findings = found_elsewhere(content, made)
    return {
        "finding": findings[0] if findings else "Nothing to show.",
        "further": findings[1:],
        "named": named_elsewhere(content),
        "questions": [panel.answer for panel in used],
        "rows": rows,
        "few": [_answered_by_few(rows, i) for i in range(len(used))],
        "ranked": "" if ranked is None else ranked.answer.asks,
        "invented": [row.name for row in rows if row.invented or row.model in _said_invented(content)],
        "failed": failed,
        "cut": cut_lines(content),
        "over": [panel.over(content.of(panel.name)[0]) for panel in used],
        "references": [
            (one.label, [_reference_cell(one, panel.name == other.name) for other in used])
            for panel in used
            for one in panel.references(content.of(panel.name))
        ],
    }


MOST_SENTENCES = 6
"""Sentences on the first screen of results that answer no question by themselves."""


def found_elsewhere(content: Content, made: Sequence[Comparison]) -> list[str]:
    """Return what comparisons and further results found, the first a sentence that can be a title."""
    said = [one.sentences()[0] for one in made]
    said += [line for one in content.sections for found in one.records for line in one.section.says(found)]
    if not said:
        return []
    title, rest = first_sentence(said[0])
    more = len(said) - MOST_SENTENCES
    shown = [*([rest] if rest else []), *said[1:MOST_SENTENCES]]
    return [title, *shown, *([f"… and {more} more below."] if more > 0 else [])]


def first_sentence(text: str) -> tuple[str, str]:
    """Divide a text after its first sentence."""
    found = re.search(r"(?<=[.!?])\s+(?=[A-Z0-9])", text)
    return (text, "") if found is None else (text[: found.start()], text[found.end() :])


def named_elsewhere(content: Content) -> list[str]:
    """Return the models, agents or judges that comparisons and further results name, each once."""
    found = [model.name for source in content.comparisons for model in source.result.models]
    found += [name for one in content.sections for held in one.records for name in one.section.who(held)]
    return list(dict.fromkeys(found))


def cut_lines(content: Content) -> list[str]:
    """Return one line per result of whose replies more than a few were cut, with what to do about it."""
    by_file: dict[str, Counter[str]] = {}
    for row in content.replies.rows:
        by_file.setdefault(row.result, Counter())[row.kept.outcome] += 1
    lines = []
    for source in content.sources:
        said = cut_advice(by_file.get(source.shown, {}), source.run.max_tokens)
        lines += [f"{source.model}: {said}."] if said else []
    return lines


def _answered_by_few(rows: Sequence[ModelRow], i: int) -> bool:
    """Whether a question has so few answers that its column may be narrow."""
    answered = sum(row.cells[i] is not None for row in rows)
    return answered < FEW_ANSWERED * len(rows)


def _reference_cell(reference: Reference, here: bool) -> AnswerCell | None:
    value = reference.numbers.get("PAS") if here else None
    if value is None:
        return None
    mark = Strip(value.value, value.low, value.high, value.floor, value.ceiling)
    return AnswerCell(strip(mark, (0.0, 1.0)), short_number(value.value), dashed(value))


def _said_invented(content: Content) -> set[str]:
    """Return models whose results say themselves that their data are synthetic."""
    return {view.model for view in content.all_views if view.source.facts.synthetic}


def _shown_names(content: Content) -> dict[str, str]:
    """Return what a label is called in a sentence: short, with the design where a model has several."""
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
        "comparisons": _comparisons(content),
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
        view.numbers[one.key].level
        for panel in content.panels
        for view in content.of(panel.name)
        for one in panel.metrics
    ]
    found += [one.level for one in content.compared]
    found += [getattr(record, "level", None) for filled in content.sections for record in filled.records]
    return " and ".join(level_words(level) for level in sorted({one for one in found if one is not None}))


def _methods(content: Content) -> list[str]:
    """Return one paragraph per question and way of making its results."""
    found = [
        view.result.paragraph(with_concord(view.source.document))
        for panel in content.panels
        for view in content.of(panel.name)[:1]
    ]
    for filled in content.sections:
        told = (
            filled.section.methods(record, source.document)
            for record, source in zip(filled.records[:1], filled.sources[:1], strict=True)
        )
        found += [said for said in told if said]
    compared = (one.result.paragraph(with_concord(one.document)) for one in content.comparisons)
    return [*found, *dict.fromkeys(compared)]


def sources_of(content: Content) -> list[Entry]:
    """Return what a paper about these results cites: Concord, methods, studies, each once."""
    used = [entry for panel in content.panels if content.of(panel.name) for entry in panel.sources]
    used += [entry for filled in content.sections for entry in filled.section.cites]
    used += [CONCORD, METHODS["holm1979"]] if content.comparisons else []
    cards = {card.study: card for view in content.all_views for card in getattr(view.beside, "cards", ())}
    studies = [study_entry(card.study, card.source) for card in cards.values() if card.source.get("authors")]
    return list({entry[1]: entry for entry in (*used, *studies)}.values())


def _comparisons(content: Content) -> list[dict[str, str]]:
    """Return every comparison with its title; one made for the page is ranked on its first screen already."""
    return [
        {
            "title": content.compared_title(source),
            "html": shown_result(source.result, i, without=() if source.file else ("ranking",)),
        }
        for i, source in enumerate(content.comparisons)
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
            row |= {(panel.name, metric.key): view.numbers[metric.key] for metric in panel.metrics}
    first = (columns[0][0], columns[0][1].key) if columns else ("", "")
    named = [*content.models, *(view.label for view in content.all_views)]
    together = letters(content.compared, named)
    unranked = {
        (view.model, view.design): reason
        for view in (content.of(used[0].name) if used else ())
        if (reason := view.gate)
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
        facts = source.facts
        made = {
            "question": content.agrees(source),
            "rows": list(facts.made),
            "inputs": [asdict(one) for one in facts.inputs],
            "problems": list(facts.problems),
        }
        if not (made["inputs"] or made["problems"] or len(made["rows"]) > 1):
            continue  # numbers beside a result: made with it, and it says how
        key = repr([made[name] for name in ("question", "rows", "inputs", "problems")])
        found.setdefault(key, {**made, "sources": []})["sources"].append(source)
    return list(found.values())
