"""What the templates are given: rows, pictures, notes. Rounding happens in the templates' filters."""

from collections.abc import Iterator, Mapping
from typing import Any

from concord.show import plots
from concord.show.page import people, people_answers, reasoning, structure
from concord.show.page.cases import chosen_cases
from concord.show.page.comparison import Comparison, comparison, letters
from concord.show.page.content import Content
from concord.show.page.find import Source
from concord.show.page.summary import MOST, people_sentence, summary
from concord.show.page.values import (
    Document,
    Number,
    counts,
    estimate,
    leaves,
    number,
    part,
    parts,
    short_interval,
    texts,
    words,
)
from concord.show.svg import Picture

QUESTIONS = {
    "people": "with people",
    "structure": "with itself",
    "reasoning": "with its own reasoning",
    "comparison": "comparison",
}
PROVENANCE = (
    "format_version", "concord_version", "commit", "python_version", "packages", "seed", "options",
    "protocol", "protocol_choices", "reading", "rules", "model_settings", "tokens", "cost",
)  # fmt: skip


def context(content: Content, title: str) -> dict[str, Any]:
    """Return everything the main template needs."""
    leaders = board(content)
    told = summary(content, [row["label"] for row in leaders["rows"]])
    return {
        "title": title,
        "content": content,
        "models": content.models,
        "asked": [_asked(source) for source in content.sources],
        "board": leaders,
        "told": (told[:MOST], told[MOST:]),
        "people": [_people_panel(view, i) for i, view in enumerate(content.people)],
        "structure": [_structure_panel(view, i) for i, view in enumerate(content.structure)],
        "comparisons": _comparisons(content),
        "structure_differences": list(_differences(content)),
        "reasoning": [_reasoning_panel(view, i) for i, view in enumerate(content.reasoning)],
        "reasoning_gaps": _inline(reasoning.gaps_of(list(content.reasoning)), "gaps")
        if len(content.reasoning) > 1
        else None,
        "provenance": [_provenance(source) for source in content.sources],
        "warnings": [(source, texts(source.document, "warnings")) for source in content.sources],
    }


def _comparisons(content: Content) -> list[tuple[Comparison, str | None]]:
    """Return every comparison with its picture, where there is one."""
    made = [comparison(source) for source in content.comparisons]
    pictures = [one.picture() for one in made]
    return [
        (one, None if picture is None else _inline(picture, f"ranking{i}"))
        for i, (one, picture) in enumerate(zip(made, pictures, strict=True))
    ]


def _inline(picture: Picture, key: str) -> str:
    from markupsafe import Markup

    return Markup(picture.inline(key))  # noqa: S704  drawn by us, every text in it escaped


def _asked(source: Source) -> dict[str, Any]:
    document = source.document
    how = [words(document, key) for key in ("protocol", "reading", "rules") if words(document, key)]
    if source.kind == "reasoning":
        how = [words(document, "rules")]
    key = "name" if source.kind == "comparison" else "model"
    names = [words(model, key) for model in parts(document, "models")]
    design = words(source.run, "options", "design") if source.kind == "people" else ""
    return {
        "question": QUESTIONS[source.kind],
        "model": ", ".join(names) if names else source.model,
        "how": ", ".join([how[0] if how else "not said", *([f"design {design}"] if design else [])]),
        "units": _units(source),
        "settings": ", ".join(f"{k} {v}" for k, v in leaves(part(source.run, "sampling"))),
        "tokens": _tokens(source),
        "file": source.shown,
    }


def _units(source: Source) -> str:
    """Say over what the numbers were made."""
    d = source.document
    if source.kind == "people":
        n = [number(d, key) for key in ("n_studies", "n_findings", "n_tests_scored", "n_tests")]
        known = ["?" if value is None else f"{value:g}" for value in n]
        return f"{known[0]} studies, {known[1]} findings, {known[2]} of {known[3]} tests scored"
    if source.kind == "structure":
        sizes = [(number(m, "n_items"), number(m, "n_arrangements")) for m in parts(d, "models")]
        shown = {f"{_whole(items)} items × {_whole(orders)} arrangements" for items, orders in sizes}
        return "; ".join(sorted(shown))
    if source.kind == "reasoning":
        pairs, samples = number(d, "n_pairs"), number(d, "n_samples")
        return f"{_whole(pairs)} paired of {_whole(samples)} vignettes"
    return ""


def _whole(value: float | None) -> str:
    return "?" if value is None else f"{value:g}"


def _tokens(source: Source) -> str:
    read, written = (number(source.run, "tokens", key) for key in ("input", "output"))
    return "not known" if read is None or written is None else f"{read:,.0f} in, {written:,.0f} out"


BOARD = (
    ("people", "PAS", "PAS", (0.0, 1.0)),
    ("people", "ECS", "ECS", (-1.0, 1.0)),
    ("people", "APR", "APR", (0.0, 1.0)),
    ("structure", "S_Cons", "S_Cons", (0.0, 1.0)),
    ("structure", "E_perf", "E_perf", (0.0, 1.0)),
    ("structure", "R_sens", "R_sens", (0.0, 1.0)),
    ("reasoning", "faithfulness_gap", "Δ", (-1.0, 1.0)),
    ("reasoning", "step_f1", "Step-F1", (0.0, 1.0)),
    ("reasoning", "silent_bias_rate", "R_SB", (0.0, 1.0)),
)
"""Columns of the leaderboard: question, key, title, ends of the drawn axis."""


def board(content: Content) -> dict[str, Any]:
    """Return the leaderboard: a row for every model and design, a column for every metric that one has."""
    views: dict[str, tuple[Any, ...]] = {
        "people": content.people,
        "structure": content.structure,
        "reasoning": content.reasoning,
    }
    columns = [column for column in BOARD if views[column[0]]]
    rows: dict[tuple[str, str], dict[tuple[str, str], Number]] = {}
    for question, entries in views.items():
        for view in entries:
            row = rows.setdefault((view.model, _design(view)), {})
            for kind, key, _, _ in columns:
                if kind == question:
                    row[kind, key] = view.metric(key)
    first = columns[0][:2] if columns else ("", "")
    named = [*content.models, *(view.label for view in content.people)]
    together = letters([comparison(source) for source in content.comparisons], named)
    ordered = sorted(rows.items(), key=lambda entry: _descending(entry[1].get(first)))
    return {
        "columns": columns,
        "groups": [(QUESTIONS[q], sum(c[0] == q for c in columns)) for q in views if views[q]],
        "letters": together,
        "designs": any(design for _, design in rows),
        "rows": [
            {
                "model": model,
                "design": design,
                "label": f"{model}, {design}" if design else model,
                "letters": [_letters(one, model, design) for _, one in together],
                "cells": [cells.get((c[0], c[1])) for c in columns],
            }
            for (model, design), cells in ordered
        ],
        "human_row": _human_row() if content.people else "",
    }


def _human_row() -> str:
    """Word the row of people against people: what a rerun of a study with people reaches."""
    from concord.people.human_row import human_row

    row = human_row()
    scores = (("PAS", row.pas), ("ECS", row.ecs), ("APR", row.apr))
    told = [f"{name} {plots.short(score.value)} {short_interval(score.interval)}" for name, score in scores]
    bounds = row.pas.bounds
    place = "" if bounds is None else f"; place of PAS {plots.short(bounds.place.value)}"
    return f"{row.n} published studies and their replications: {', '.join(told)}{place}"


def _letters(letters: Mapping[str, str], model: str, design: str) -> str:
    """Return the letters of a model under the name that a comparison has for it."""
    found = letters.get(f"{model}, {design}", letters.get(model))
    return "–" if found is None else found


def _design(view: Any) -> str:
    """Return the design that a model was asked by; only studies of people have one."""
    return view.design if isinstance(view, people.PeopleView) else words(view.source.document, "design")


def _descending(value: Number | None) -> float:
    return 2.0 if value is None or value.value is None else -value.value


def _people_panel(view: people.PeopleView, i: int) -> dict[str, Any]:
    document = view.source.document
    readings = [
        (name, *plots.READINGS.get(name, (name, "")), n, _examples(view, name))
        for name, n in sorted(view.quadrants.items(), key=lambda entry: -entry[1])
    ]
    return {
        "view": view,
        "pictures": {k: _inline(p, f"people{i}-{k}") for k, p in people.pictures(view).items()},
        "readings": readings,
        "assumptions": texts(document, "assumptions"),
        "auxiliary": part(document, "auxiliary"),
        "diagnosis": list(_diagnosis(part(document, "diagnosis"))),
        "outcomes": view.outcomes,
        "answers": people_answers.sentence(view.answers) if view.answers else "",
        "sentence": people_sentence(view),
    }


def _diagnosis(diagnosis: Document) -> Iterator[tuple[str, float | None]]:
    """Name what the diagnosis says."""
    groups = {
        "correlations": "correlation over tests: ",
        "ecs_test_by_direction": "mean ECS_Test where directions are: ",
    }
    for group, start in groups.items():
        for name in part(diagnosis, group):
            yield start + str(name).replace("_", " "), number(diagnosis, group, name)


def _examples(view: people.PeopleView, quadrant: str) -> str:
    wanted = None if quadrant == "undefined" else quadrant
    found = [f for f in view.findings if f.get("quadrant") == wanted]
    names = [f"{words(f, 'study')} {words(f, 'finding')}" for f in found[:3]]
    return ", ".join(names) + (" …" if len(found) > 3 else "")


def _structure_panel(view: structure.StructureView, i: int) -> dict[str, Any]:
    return {
        "view": view,
        "pictures": {k: _inline(p, f"structure{i}-{k}") for k, p in structure.pictures(view).items()},
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
    ends = Number(number(order, "tau"), number(order, "tau_low"), number(order, "tau_high"))
    return "" if ends.low is None or ends.high is None else short_interval(ends)


def _differences(content: Content) -> Iterator[dict[str, Any]]:
    for source in dict.fromkeys(view.source.file for view in content.structure):
        document = next(s.document for s in content.sources if s.file == source)
        for entry in parts(document, "differences"):
            numbers = [estimate(entry.get(key)) for key in ("E_perf", "R_sens", "S_Cons", "tau")]
            yield {"first": words(entry, "first"), "second": words(entry, "second"), "numbers": numbers,
                   "n": number(entry, "n_items"), "note": words(entry, "note")}  # fmt: skip


def _reasoning_panel(view: reasoning.ReasoningView, i: int) -> dict[str, Any]:
    document = view.document
    return {
        "view": view,
        "pictures": {k: _inline(p, f"reasoning{i}-{k}") for k, p in reasoning.pictures(view).items()},
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
        "gap": Number(number(row, "faithfulness_gap"), number(interval, "low"), number(interval, "high")),
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


def _provenance(source: Source) -> dict[str, Any]:
    kept: Mapping[str, Any] = {key: source.document[key] for key in PROVENANCE if key in source.document}
    inputs = source.document.get("inputs")
    files = (
        list(inputs.values()) if isinstance(inputs, Mapping) else inputs if isinstance(inputs, list) else []
    )
    return {
        "source": source,
        "question": QUESTIONS[source.kind],
        "rows": list(leaves(kept)),
        "inputs": [
            {"name": words(one, "name"), "size": number(one, "size"), "sha256": words(one, "sha256")}
            for one in files
            if isinstance(one, Mapping)
        ],
        "problems": texts(source.document, "problems", "list"),
    }
