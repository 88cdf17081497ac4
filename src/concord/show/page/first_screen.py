"""What the template of the first screen is given: the finding, the badges, one row per model."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from concord.show.cut_replies import cut_advice
from concord.show.page.answer import AnswerCell, ModelRow, answer_rows, dashed, short_names
from concord.show.page.comparison import Comparison, standing_of
from concord.show.page.content import Content
from concord.show.page.panel import Panel, Reference
from concord.show.plots import short as short_number
from concord.show.strips import Strip, strip

FEW_ANSWERED = 0.25
"""Share of models below which a question's column is narrow."""


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
        f"{view.label}: {said}"
        for panel in used
        for view in content.of(panel.name)
        if (said := panel.answer.gate(view))
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
    said = [one.finding for one in made if one.finding]
    said += [line for one in content.sections for found in one.records for line in one.section.says(found)]
    if not said:
        return []
    title, rest = first_sentence(said[0])
    more = len(said) - MOST_SENTENCES
    shown = [*([rest] if rest else []), *said[1:MOST_SENTENCES]]
    return [title, *shown, *([f"… and {more} more below."] if more > 0 else [])]


def first_sentence(text: str) -> tuple[str, str]:
    """Divide a text after its first sentence.

    Examples
    --------
    >>> first_sentence("It is 0.31 of that. 43 % change.")
    ('It is 0.31 of that.', '43 % change.')
    >>> first_sentence("One only")
    ('One only', '')
    """
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
