"""Reading and checking everything a page shows: results, replies, comparisons, problems."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from concord.errors import FileFormatError, InputError, OptionError, UndefinedError
from concord.show.page.comparison import read_compared
from concord.show.page.content import Compare, Content
from concord.show.page.find import find_results
from concord.show.page.found import COMPARISON, FoundResults, Known, Problem, ResultFile
from concord.show.page.panel import ModelView, Panel
from concord.show.page.replies import find_replies
from concord.show.page.section import Section, fill_sections

MOST_WORK = 1_000_000
"""Pairs of models times tests up to which they are compared for the page: about a second."""


def read_content(
    folders: Sequence[Path],
    panels: Sequence[Panel],
    *,
    compare: Compare,
    names: Mapping[Path, str] = MappingProxyType({}),
    sections: Sequence[Section] = (),
) -> Content:
    """Read everything below the folders."""
    known = [Known(panel.name, panel.file, panel.key) for panel in panels]
    found = find_results(folders, [*known, *(one.known for one in sections)], names)
    refuse_mixed(found, panels)
    problems = list(found.problems)
    views: dict[str, tuple[Any, ...]] = {}
    for panel in panels:
        read = [panel.read(source) for source in found.of(panel.name)]
        views[panel.name] = tuple(view for some, _ in read for view in some)
        problems += [problem for _, faults in read for problem in faults]
    beside = {panel.name for panel in panels if panel.has_replies}
    replies = find_replies(folders, [source for source in found.sources if source.kind in beside])
    comparisons, unread = _read_comparisons(found.of(COMPARISON))
    problems += unread
    kinds = {source.result.kind for source in comparisons}
    for name, shown in views.items():
        made, told = ([], []) if name in kinds else compare_views(shown, compare)
        comparisons += made
        problems += told
    filled, faults = fill_sections(sections, found)
    return Content(
        tuple(panels),
        views,
        tuple(comparisons),
        replies,
        found.sources,
        (*problems, *replies.problems, *faults),
        tuple(filled),
    )


def compare_views(views: Sequence[ModelView], compare: Compare) -> tuple[list[ResultFile], list[Problem]]:
    """Compare models on the studies, items or vignettes they share, where that takes seconds at most."""
    kept = {
        view.label: view.source.file.parent for view in views if view.source.file is not None and view.n_units
    }
    folders = list(dict.fromkeys(kept.values()))
    labels = [view.label for view in views]
    work = len(kept) * (len(kept) - 1) // 2 * max((view.n_units for view in views), default=0)
    if len(kept) < 2 or len(set(labels)) < len(labels) or work > MOST_WORK:
        return [], []  # the leaderboard says how to make a comparison
    # A result about structure may hold several models: it names them itself.
    names = list(kept) if len(folders) == len(kept) else None
    try:
        result = compare(*folders, names=names)
    except (InputError, UndefinedError) as fault:
        return [], [Problem("comparison of models", str(fault))]
    made = ResultFile(COMPARISON, None, result.to_dict(), "", "made with this page", result=result)
    return [made], []


def _read_comparisons(sources: Sequence[ResultFile]) -> tuple[list[ResultFile], list[Problem]]:
    """Read comparisons by their own readers; one that cannot be read is listed."""
    found, problems = [], []
    for source in sources:
        try:
            assert source.file is not None  # noqa: S101 - what was found lies in a folder
            found.append(replace(source, result=read_compared(source.file.parent, source.document)))
        except FileFormatError as fault:
            problems.append(Problem(source.shown, str(fault)))
    return found, problems


def refuse_mixed(found: FoundResults, panels: Sequence[Panel]) -> None:
    """Stop where numbers on one table would not mean the same."""
    for panel in panels:
        used: dict[str, list[str]] = {}
        for source in found.of(panel.name):
            made_under = source.facts.choices[panel.choice]
            used.setdefault(made_under if made_under else "not said", []).append(source.shown)
        if len(used) > 1:
            listed = "; ".join(f"{name}: {', '.join(files[:3])}" for name, files in used.items())
            raise OptionError(
                f"results were made under more than one {panel.choice}: {listed}. "
                f"They cannot be in one table; "
                f"score them again under one ({panel.again}), or make a page of each"
            )
