"""The headline number of a folder of results, as the first screen of a page shows it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from concord.errors import InputError
from concord.show.page.comparison import comparison
from concord.show.page.find import COMPARISONS, read_document
from concord.show.page.first_screen import first_sentence
from concord.show.page.found import ResultFile
from concord.show.page.panel import Panel
from concord.show.page.section import Section
from concord.show.page.values import words
from concord.view.found import FoundResult

MOST = 100
"""Results that are looked into for one list."""


def with_headlines(
    root: Path, results: list[FoundResult], panels: Sequence[Panel], sections: Sequence[Section]
) -> list[FoundResult]:
    """Return results with their model and their headline number, the first hundred of them."""
    named = {panel.file: panel.agrees for panel in panels}
    named[COMPARISONS.file] = "comparison of models"
    named |= {one.file: one.heading[:1].lower() + one.heading[1:] for one in sections}
    told = [
        replace(one, about=", ".join(dict.fromkeys(named.get(file, file) for file in one.files)))
        for one in results
    ]
    shown = [headline_of(root / one.name, one, panels) for one in told[:MOST]]
    return [
        *(one if one.said else sentence_of(root / one.name, one, sections) for one in shown),
        *told[MOST:],
    ]


LARGEST = 5_000_000
"""Bytes of a further result that is looked into for a list."""


def sentence_of(path: Path, found: FoundResult, sections: Sequence[Section]) -> FoundResult:
    """Return a result with the first sentence of its further files; as it was where they cannot be read."""
    compared = _compared_words(path / COMPARISONS.file) if COMPARISONS.file in found.files else ""
    if compared:
        return replace(found, said=compared)
    for section in sections:
        file = path / section.file
        if section.file not in found.files or not file.is_file() or file.stat().st_size > LARGEST:
            continue
        try:
            document = read_document(file)
            if section.key not in document:
                continue
            record = section.read(ResultFile(section.name, file, document, "", section.file, {}))
        except InputError:
            continue  # the page says what is wrong with it
        said = section.says(record)
        if said:
            who = section.who(record)
            names = found.model if found.model or len(who) != 1 else who[0]
            return replace(found, model=names, said=first_sentence(said[0])[0])
    return found


def _compared_words(file: Path) -> str:
    """Return what a comparison shows; nothing where it cannot be read."""
    try:
        if file.stat().st_size > LARGEST:
            return ""
        document = read_document(file)
        return comparison(ResultFile(COMPARISONS.kind, file, document, "", file.name, {}), {}).finding
    except (InputError, OSError):
        return ""  # the page says what is wrong with it


def headline_of(path: Path, found: FoundResult, panels: Sequence[Panel]) -> FoundResult:
    """Return a result with what its files say first; as it was where they cannot be read."""
    said, models = [], []
    for panel in panels:
        if panel.file not in found.files:
            continue
        try:
            document = read_document(path / panel.file)
            if panel.key not in document:
                continue
            source = ResultFile(
                panel.name, path / panel.file, document, words(document, "model"), panel.file, {}
            )
            views, _ = panel.read(source)
        except InputError:
            continue  # the page says what is wrong with it
        models += [view.model for view in views]
        cells = panel.answer.cells(views) if len(views) == 1 else []
        said += [f"{panel.metrics[0].title} {cell.value} ({cell.detail})" for cell in cells if cell.detail]
    shown = list(dict.fromkeys(one for one in models if one))
    names = ", ".join(shown[:2]) + (f" and {len(shown) - 2} more" if len(shown) > 2 else "")
    return replace(found, model=names, said="; ".join(said))
