"""The headline number of a folder of results, as the first screen of a page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from concord.errors import InputError
from concord.show.page.find import read_document
from concord.show.page.found import ResultFile
from concord.show.page.panel import Panel
from concord.show.page.values import words
from concord.view.found import FoundResult

MOST = 100
"""Results that are looked into for one list."""


def with_headlines(
    root: Path, results: list[FoundResult], panels: Sequence[Panel], headings: Mapping[str, str]
) -> list[FoundResult]:
    """Return results with their model and their headline number, the first hundred of them.

    Parameters
    ----------
    root
        The folder that is shown.
    results
        What lies in it.
    panels
        The questions.
    headings
        What further files are about, by their names.
    """
    named = {panel.file: panel.agrees for panel in panels} | dict(headings)
    told = [
        replace(one, about=", ".join(dict.fromkeys(named.get(file, file) for file in one.files)))
        for one in results
    ]
    return [headline_of(root / one.name, one, panels) if i < MOST else one for i, one in enumerate(told)]


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
