"""Everything a page shows, read and checked: the views of each question, replies, problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from concord.errors import InputError, OptionError, UndefinedError
from concord.show.page.find import Found, Problem, Source, find_results
from concord.show.page.people import PeopleView, people_view
from concord.show.page.reasoning import ReasoningView, reasoning_view
from concord.show.page.replies import Replies, find_replies
from concord.show.page.structure import StructureView, structure_views
from concord.show.page.values import part, words

View = PeopleView | StructureView | ReasoningView
MOST_WORK = 1_000_000
"""Pairs of models times tests up to which they are compared for the page: about a second."""


@dataclass(frozen=True, slots=True)
class Content:
    """What the page is made of."""

    people: tuple[PeopleView, ...]
    structure: tuple[StructureView, ...]
    reasoning: tuple[ReasoningView, ...]
    comparisons: tuple[Source, ...]
    replies: Replies
    sources: tuple[Source, ...]
    problems: tuple[Problem, ...]

    @property
    def models(self) -> list[str]:
        """Names of all models, in the order of the folders."""
        views: list[Any] = [*self.people, *self.structure, *self.reasoning]
        return list(dict.fromkeys(view.model for view in views))


def read_content(folders: Sequence[Path], names: Mapping[Path, str] = MappingProxyType({})) -> Content:
    """Read everything below the folders.

    Raises
    ------
    OptionError
        Results of one question were made under different protocols, readings or rules.
    """
    found = find_results(folders, names)
    refuse_mixed(found)
    problems = list(found.problems)
    people, structure, reasoning = [], [], []
    for source in found.of("people"):
        view, faults = people_view(source)
        people.append(view)
        problems += faults
    for source in found.of("structure"):
        views, faults = structure_views(source)
        structure += views
        problems += faults
    for source in found.of("reasoning"):
        one, faults = reasoning_view(source)
        reasoning.append(one)
        problems += faults
    replies = find_replies(folders, found.sources)
    comparisons = found.of("comparison")
    kinds = {words(source.document, "kind") for source in comparisons}
    for kind, shown in (("people", people), ("structure", structure), ("reasoning", reasoning)):
        made, told = ([], []) if kind in kinds else compare_views(shown)
        comparisons += made
        problems += told
    return Content(
        tuple(people),
        tuple(structure),
        tuple(reasoning),
        tuple(comparisons),
        replies,
        found.sources,
        (*problems, *replies.problems),
    )


def compare_views(views: Sequence[View]) -> tuple[list[Source], list[Problem]]:
    """Compare models on the studies, items or vignettes they share, where that takes seconds at most."""
    from concord.comparing.run import compare

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
    return [Source("comparison", None, result.to_dict(), "", "made with this page")], []


def refuse_mixed(found: Found) -> None:
    """Stop where numbers on one table would not mean the same."""
    ways = {
        "people": ("protocol", "concord score people TABLE --protocol NAME --out FOLDER"),
        "structure": ("reading", "concord score structure ... --reading NAME --out FOLDER"),
        "reasoning": ("rules", "concord score reasoning ... --rules NAME --out FOLDER"),
    }
    for kind, (what, again) in ways.items():
        used: dict[str, list[str]] = {}
        for source in found.of(kind):
            used.setdefault(_made_under(source, what), []).append(source.shown)
        if len(used) > 1:
            listed = "; ".join(f"{name}: {', '.join(files[:3])}" for name, files in used.items())
            raise OptionError(
                f"results were made under more than one {what}: {listed}. They cannot stand in one table; "
                f"score them again under one ({again}), or make a page of each"
            )


def _made_under(source: Source, what: str) -> str:
    """Name the choices of a result; two results under one name and other choices differ too."""
    name = words(source.document, what)
    if what == "protocol":
        choices = part(source.document, "protocol_choices")
        default = words(choices, "name")
        return name if not choices or name == default else f"{name} ({default})"
    return name if name else "not said"
