"""What the templates are given: rows, pictures, notes. Rounding happens in the templates' filters."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from concord.comparing.comparison import Comparison, letters_of
from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.errors import printable
from concord.files.documents import heading
from concord.kinds import PAGE, Column, FilledTable, Table
from concord.number_words import level_words
from concord.show.citations import CONCORD, METHODS, Entry, bibtex, study_entry, with_concord
from concord.show.page import fragments
from concord.show.page.content import Content, by_question
from concord.show.page.declared import first_picture, shown_result
from concord.show.page.findings import kind_finding
from concord.show.page.panel import INVENTED, FindingInputs, Panel, Ranks, ShownModel, short_names
from concord.show.page.screen import Card, Lead, PageFinding, Screen, lead_of
from concord.show.page.values import COMPARISON, Document, ResultFile
from concord.words import say


def read_compared(folder: Path, document: Document) -> Comparison:
    """Read the comparison that lies in a folder, by its own reader."""
    of_items = document.get("format") == heading(CompareResult.FORMAT)["format"]
    return CompareResult.read(folder) if of_items else MetricCompareResult.read(folder)


def letters(compared: Sequence[Comparison], models: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return letters by model for every metric of which a comparison names only models of the page."""
    found: dict[str, dict[str, str]] = {}
    for one in compared:
        named = {name for group in one.alike for name in group}
        if named and named <= set(models):
            found.setdefault(one.metric_title, letters_of(one.alike))
    return list(found.items())


def standing_of(views: Sequence[ShownModel], compared: Sequence[Comparison]) -> Ranks | None:
    """Read who is better than whom from the comparison that names these results; ``None`` where none does."""
    passed = {view.label for view in views if not view.gate}
    for one in compared:
        named = [name for name, _ in one.ranked]
        if len(named) >= 2 and set(named) <= {view.label for view in views}:
            order = tuple(name for name in named if name in passed)
            places = {name: i for i, name in enumerate(order)}
            differ = frozenset(
                (row.first, row.second) if places[row.first] < places[row.second] else (row.second, row.first)
                for row in one.ranking_pairs()
                if one.differ(row) and row.first in places and row.second in places
            )
            return Ranks(order, differ)
    return None


BOARD = "Models by number, each with its interval"
SHARE = 0.05
"""Share of replies from which on it is said that they were cut."""
CUT = "truncated"


def cut_advice(outcomes: Mapping[str, int], max_tokens: int | None) -> str:
    """Say how many replies were cut and how to ask for them again; nothing where they are few."""
    cut, asked = outcomes.get(CUT, 0), sum(outcomes.values())
    if not cut or cut < SHARE * asked:
        return ""
    more = None if max_tokens is None else 4 * max_tokens
    return say("page.replies.cut", k=cut, n=asked, at=max_tokens, how=CUT, more=more, known=more is not None)


MOST_FINDINGS = 3
"""Findings of a card."""


def first_screen(content: Content, shown: Mapping[str, Sequence[dict[str, Any]]]) -> Screen:
    """Return the title, the figure of the first question that has results, and cards of all others."""
    used = [panel for panel in content.panels if content.of(panel.name)]
    names = _shown_names(content)
    further = {panel.name: list(_further(content, panel.name)) for panel in content.panels}
    found: dict[str, list[PageFinding]] = {}
    for panel in used:
        views = content.of(panel.name)
        beside = [record for one in content.sections for record in one.records]
        told = FindingInputs(views, standing_of(views, content.compared), names, beside)
        found[panel.name] = [replace(panel.finding(told), address=f"#{panel.name}")]
    for name, more in further.items():
        found.setdefault(name, []).extend(more)
    question, main, lead = _leading(content, found, shown)
    cards = [
        _card(i, panel, found[panel.name])
        for i, panel in enumerate(content.panels, 1)
        if panel.name != question
    ]
    below = [Card(main.read[0], lines=main.read[1], quiet=True)] if main.read is not None else []
    also = [one for one in found.get(question, []) if one is not main]
    places = {panel.name: f"{i} · {panel.said('heading')}: " for i, panel in enumerate(content.panels, 1)}
    asked = content.panel(question)
    about = None if asked is None else asked.said("agrees")
    below += [Card(say("page.also", agrees=about), tuple(also[:MOST_FINDINGS]))] if also else []
    asks = main.asks or ("" if asked is None else asked.said("asks"))
    invented = {view.model for view in content.all_views if view.source.facts.synthetic}  # as results say
    return Screen(
        replace(main, asks=f"{places.get(question, '')}{asks}"),
        tuple(cards),
        tuple(below),
        tuple(m for m in content.models if INVENTED.match(m) or m in invented),
        tuple(cut_lines(content)),
        lead,
    )


def _card(i: int, panel: Panel, found: Sequence[PageFinding]) -> Card:
    """Return what is said of a question beside the figure of another: findings with rows first."""
    ordered = sorted(found, key=lambda one: one.chart is None)
    asks = (ordered[0].asks if ordered else "") or panel.said("asks")
    title = f"{i} · {panel.said('heading')}: {asks}"
    if not found:
        return Card(title, (), (say("page.not_asked"),), panel.said("ask"))
    return Card(title, tuple(ordered[:MOST_FINDINGS]))


def _further(content: Content, question: str) -> Iterator[PageFinding]:
    """Return what further results of a question found; those of single models are seen with these."""
    labels = {view.label for view in content.of(question)}
    for filled in content.sections:
        if question == filled.kind.QUESTION and not (filled.kind.OF_ONE_MODEL and labels):
            for record in filled.records:
                if not labels or set(record.who()) != labels:
                    yield replace(kind_finding(record), address=f"#{filled.kind.SECTION}")


def _leading(
    content: Content, found: Mapping[str, list[PageFinding]], shown: Mapping[str, Sequence[dict[str, Any]]]
) -> tuple[str, PageFinding, Lead | None]:
    """Return the finding of the first screen with its figure, its question, and what it takes from where."""
    for panel in content.panels:
        if content.of(panel.name):
            own = found[panel.name]
            for name in own[0].takes:
                shown[panel.name][0]["pictures"].pop(name, None)
            if not own[0].chart:  # the first picture of the panel moves here, so that it is seen once
                pictures = shown[panel.name][0]["pictures"]
                own[0] = replace(own[0], figure=pictures.pop(next(iter(pictures), ""), ""))
            return panel.name, own[0], _together(content, panel)
    if content.comparisons:
        main = kind_finding(content.compared[0])
        return "", main, lead_of(COMPARISON, main, ("ranking",))
    for filled in content.sections:
        own = found[filled.kind.QUESTION]
        name, figure = first_picture(filled.records[0]) if own[0].chart is None else ("", "")
        own[0] = replace(own[0], figure=figure)
        lead = lead_of(filled.kind.SECTION, own[0], (name, *own[0].takes))
        return filled.kind.QUESTION, own[0], lead
    return "", PageFinding(title=say("page.nothing")), None


def _together(content: Content, panel: Panel) -> Lead | None:
    """Return what the first screen takes from a further result that holds all its models together."""
    labels = {view.label for view in content.of(panel.name)}
    for filled in content.sections:
        if len(labels) > 1 and set(filled.records[0].who()) == labels:
            return Lead(filled.kind.SECTION, pictures=(next(iter(panel.metrics)).lower(),))
    return None


def cut_lines(content: Content) -> list[str]:
    """Return one line per result of whose replies more than a few were cut, with what to do about it."""
    by_file: dict[str, Counter[str]] = {}
    for result, reply in content.replies.rows:
        by_file.setdefault(result, Counter())[reply.outcome] += 1
    lines = []
    for source in content.sources:
        said = cut_advice(by_file.get(source.shown, {}), source.run.max_tokens)
        lines += [f"{source.model}: {said}."] if said else []
    return lines


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


def context(content: Content, title: str) -> dict[str, Any]:
    """Return everything the main template needs."""
    numbers = boards(content)
    shown = {
        panel.name: [panel.shown(view, i) for i, view in enumerate(content.of(panel.name))]
        for panel in content.panels
    }
    screen = first_screen(content, shown)
    asked = [_asked_facts(source, content) for source in content.sources if _was_asked(source, content)]
    return {
        "title": printable(title),
        "content": content,
        "models": content.models,
        "asked": asked,
        "asked_of": {
            key: any(row[key] != "–" for row in asked) for key in ("how", "units", "settings", "tokens")
        },
        "screen": screen,
        "boards": [
            fragments.table(f"leaderboard{i if i else ''}", BOARD, one, whole=True)
            for i, one in enumerate(numbers)
        ],
        "letters": any("together" in head for one in numbers for head in one.heads),
        "levels": said_levels(content),
        "comparisons": _comparisons(content, screen.lead),
        "sections": by_question(content.sections, content.views, screen.lead),
        "has": {panel.name: bool(content.of(panel.name)) for panel in content.panels},
        **shown,
        **{
            key: value
            for panel in content.panels
            for key, value in panel.together(content.of(panel.name)).items()
        },
        "methods": _methods(content),
        "bibtex": bibtex(sources_of(content)),
        "provenance": _provenances(content),
        "warnings": [(one, one.facts.warnings) for one in content.sources if one.facts.warnings],
    }


def said_levels(content: Content) -> str:
    """Return the levels of all intervals on the page."""
    found = [
        ends.level
        for panel in content.panels
        for view in content.of(panel.name)
        for key in panel.metrics
        if (ends := view.numbers[key].interval) is not None
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
        told = filled.records[0].paragraph(with_concord(filled.sources[0].document))
        found += [told] if told else []
    compared = (one.result.paragraph(with_concord(one.document)) for one in content.comparisons)
    return [*found, *dict.fromkeys(compared)]


def sources_of(content: Content) -> list[Entry]:
    """Return what a paper about these results cites: Concord, methods, studies, each once."""
    kinds = [panel.kind for panel in content.panels if content.of(panel.name)]
    kinds += [filled.kind for filled in content.sections]
    used = [entry for kind in kinds for entry in (CONCORD, *(METHODS[key] for key in kind.CITES))]
    used += [CONCORD, METHODS["holm1979"]] if content.comparisons else []
    cards = {card.study: card for view in content.all_views for card in getattr(view.beside, "cards", ())}
    studies = [study_entry(card.study, card.source) for card in cards.values() if card.source.get("authors")]
    return list({entry[1]: entry for entry in (*used, *studies)}.values())


def _comparisons(content: Content, lead: Lead | None) -> list[dict[str, str]]:
    """Return every comparison with its title; one made for the page is ranked on its first screen already."""
    made = []
    for i, source in enumerate(content.comparisons):
        first = lead if lead is not None and lead.section == COMPARISON and i == 0 else None
        without = ["ranking"] if source.file is None else []
        if not any(map(source.result.differ, source.result.ranking_pairs())):
            without.append("pairs")  # nothing to see where no pair differs
        html = shown_result(source.result, i, without=without, lead=first)
        made.append({"title": content.compared_title(source), "html": html})
    return made


def _was_asked(source: ResultFile, content: Content) -> bool:
    """Whether a file says something new: numbers beside a model's result were asked with it."""
    beside = {one.kind.SECTION for one in content.sections if one.kind.OF_ONE_MODEL}
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
        "units": _made_over(source, content),
        "settings": ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asked) or "–",
        "tokens": "–" if tokens is None else f"{tokens[0]:,} in, {tokens[1]:,} out",
        "file": source.shown,
    }


def _made_over(source: ResultFile, content: Content) -> str:
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
        for name in record.who()
    ]


def boards(content: Content) -> list[FilledTable]:
    """Return every number, a row for each model and design; questions asked of the same models share one."""
    groups: list[tuple[set[str], list[Panel]]] = []
    for panel in content.panels:
        models = {view.model for view in content.of(panel.name)}
        shared = next((one for one in groups if one[0] & models), None)
        if shared is not None:
            shared[0].update(models)
            shared[1].append(panel)
        elif models:
            groups.append((models, [panel]))
    made = [_board(content, panels) for _, panels in groups]
    return [one for one in made if len(one.rows) > 1]


def _board(content: Content, used: Sequence[Panel]) -> FilledTable:
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for panel in used:
        for view in content.of(panel.name):
            row = rows.setdefault((view.model, view.design), {"model": view.model, "design": view.design})
            row |= {f"{panel.name} {key}": view.numbers[key] for key in panel.metrics}
            row["no rank"] = row.get("no rank") or view.gate
    found = letters(content.compared, [*content.models, *(view.label for view in content.all_views)])
    together = [(title, own) for title, own in found if len(set(own.values())) > 1]
    for (model, design), row in rows.items():
        row |= {title: own.get(f"{model}, {design}", own.get(model, "")) for title, own in together}
    columns = [
        _board_column("model", words=True),
        _board_column("design", words=True, optional=True),
        *(_board_column(title, f"{title}: together", words=True, optional=True) for title, _ in together),
        *(
            _board_column(f"{panel.name} {key}", title)
            for panel in used
            for key, title in panel.metrics.items()
            if any(view.numbers[key].value is not None for view in content.of(panel.name))
        ),
        _board_column("no rank", words=True, optional=True),
    ]
    return Table("board", rows=lambda _: rows.values(), columns=tuple(columns)).grid(PAGE, None)


def _board_column(name: str, title: str | None = None, **more: Any) -> Column:
    return Column(name, lambda row: row.get(name), title, **more)


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
