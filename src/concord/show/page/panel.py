"""What the page must know of a question; `concord.questions` gathers these."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from concord.kinds import Kind
from concord.records import Estimate
from concord.show.page.data import Texts
from concord.show.page.screen import PageFinding
from concord.show.page.values import Problem, ResultFile
from concord.show.svg import Picture, visible
from concord.words import say


def route(model: str, *parts: str) -> str:
    """Return the address of a model, or of something of it."""
    return "#/m/" + "/".join(quote(visible(part), safe="-_.~") for part in (model, *parts))


INVENTED = re.compile(r"(invented|scripted|simulated)\b|mockllm/", re.IGNORECASE)
"""Names of agents that are no models."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Who was shown to be better than whom in one metric."""

    order: tuple[str, ...]
    """From best to worst; results that failed a check of their own have no place."""
    differ: frozenset[tuple[str, str]]
    """Pairs that can be distinguished, the better first."""

    def ranks(self, label: str) -> tuple[int, int] | None:
        """Return the first and the last place that a model may have."""
        if label not in self.order:
            return None
        better = sum((other, label) in self.differ for other in self.order)
        worse = sum((label, other) in self.differ for other in self.order)
        return 1 + better, len(self.order) - worse

    def alike(self, label: str) -> list[str]:
        """Return the other models that cannot be distinguished from one."""
        pairs = ((label, other) in self.differ or (other, label) in self.differ for other in self.order)
        return [other for other, apart in zip(self.order, pairs, strict=True) if not apart and other != label]


def short_names(models: Sequence[str]) -> dict[str, str]:
    """Return the last part of each name where that is enough to tell models apart."""
    tails = {model: model.rstrip("/").rsplit("/", 1)[-1] or model for model in models}
    used = list(tails.values())
    return {model: tail if used.count(tail) == 1 else model for model, tail in tails.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownModel:
    """One model's result, ready to be shown."""

    source: ResultFile
    """Where it was read."""
    model: str
    design: str = ""
    """The design it was asked by; empty where there is none."""
    label: str
    """The model as comparisons name it."""
    result: Any
    """The record that was read."""
    numbers: Mapping[str, Estimate]
    """The headline numbers, by the keys of metrics."""
    n_units: int
    """Units that two models can be compared on."""
    gate: str = ""
    """Why it must not be ranked; empty where it may."""
    beside: Any = None
    """What else lies in its files."""


class FindingInputs(NamedTuple):
    """What a question's finding is made of."""

    views: Sequence[ShownModel]
    standing: Ranks | None
    names: Mapping[str, str]
    """What a label is called in a sentence."""
    beside: Sequence[Kind] = ()
    """Further results of the question."""

    def rank(self, label: str) -> str:
        """Return the places a model may have; nothing where all may have all."""
        ranks = None if self.standing is None else self.standing.ranks(label)
        if self.standing is None or not self.standing.differ:
            return ""
        if ranks is None:
            return "–"
        return f"{ranks[0]}" if ranks[0] == ranks[1] else f"{ranks[0]}–{ranks[1]}"

    @property
    def compares(self) -> str:
        """Say how to find out which models differ, where no comparison does."""
        alone = self.standing is not None or len(self.views) < 2
        return "" if alone else " Which of them differ: concord compare … --out FOLDER beside the results."

    @property
    def bracket(self) -> str:
        """What is said of all models at once, where no two of them differ."""
        found = self.standing
        if found is None or found.differ or len(found.order) < 2:
            return ""
        n = len(found.order)
        return say("page.compared.alike", pairs=n * (n - 1) // 2, rule="Holm")


@dataclass(slots=True)
class PageData:
    """What the page's script works on, as it is gathered."""

    texts: Texts
    """Takes the long texts; tables hold their numbers."""
    sources: Sequence[ResultFile]
    tables: dict[str, Any]
    shared: dict[Any, str]
    """Tables that several models have in common, by what they hold."""
    studies: dict[str, Any] = field(default_factory=dict)
    """Titles, sources and findings of studies, by their names."""


def _nothing(views: Sequence[Any]) -> dict[str, Any]:
    return {}


def _no_pictures(views: Sequence[Any], width: float) -> Sequence[tuple[Path, Picture]]:
    return ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One question as the page finds, reads and shows it."""

    name: str
    kind: type[Kind]
    """What holds a result."""
    choice: str
    """What must be the same for numbers to be in one table."""
    again: str
    """The command that scores under one choice."""
    metrics: Mapping[str, str]
    """Columns of the leaderboard: each number of a view with its title."""
    order: Callable[[Any], float]
    """What views are sorted by, the best first."""
    finding: Callable[[Any], PageFinding]
    """What it found, for the first screen."""
    read: Callable[[ResultFile], tuple[Sequence[Any], list[Problem]]]
    """Every view of a result, and what could not be read."""
    over: Callable[[Any], str]
    """Over what the numbers of a view were made."""
    shown: Callable[[Any, int], dict[str, Any]]
    """What the question's template is given of one view."""
    pictures: Callable[[Any, float], Sequence[tuple[Path, Picture]]]
    """Every picture of a view at a width, with its folder below that of the model."""
    fill: Callable[[PageData, Any, int], None]
    """Put the tables of a view into what the script works on."""
    together: Callable[[Sequence[Any]], dict[str, Any]] = _nothing
    """What the page is given of all views together."""
    pictures_together: Callable[[Sequence[Any], float], Sequence[tuple[Path, Picture]]] = _no_pictures
    has_replies: bool = True
    """Whether replies lie beside a result."""

    def said(self, what: str) -> str:
        """Return ``agrees``, ``heading``, ``asks``, the command to ``ask``, or the ``units`` of comparing."""
        return say(f"page.panel.{self.name}_{what}")
