"""What the page must know of a question; `concord.questions` gathers these."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from concord.show.citations import Entry
from concord.show.page.answer import QuestionAnswer
from concord.show.page.found import Problem, ResultFile
from concord.show.page.texts import Texts
from concord.show.page.values import ShownNumber
from concord.show.svg import Picture


class ModelView(Protocol):
    """One model's result, ready to be shown."""

    @property
    def source(self) -> ResultFile:
        """Where it was read."""

    @property
    def model(self) -> str:
        """Name of the model."""

    @property
    def label(self) -> str:
        """The model, with the design it was asked by where that is known."""

    @property
    def design(self) -> str:
        """The design it was asked by; empty where there is none."""

    @property
    def n_units(self) -> int:
        """Units that two models can be compared on."""

    def metric(self, name: str) -> ShownNumber:
        """Return a headline number by its key."""


class NamedView:
    """What views share whose results name one model: its label, and its design where the result says one."""

    __slots__ = ()
    source: ResultFile
    model: str

    @property
    def design(self) -> str:
        """The design the model was asked by, where the result names one."""
        return self.source.facts.design

    @property
    def label(self) -> str:
        """What the model is called in comparisons."""
        return self.model


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of the leaderboard."""

    key: str
    title: str
    limits: tuple[float, float]
    """Ends of the axis that it is drawn on."""
    lowest_first: bool = False
    """Whether the lowest number is the best."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A row of the leaderboard that is no model."""

    label: str
    numbers: Mapping[str, ShownNumber]
    """By the keys of the metrics."""


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


def _no_references(views: Sequence[Any]) -> Sequence[Reference]:
    return ()


def _no_pictures(views: Sequence[Any], width: float) -> Sequence[tuple[Path, Picture]]:
    return ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One question as the page finds, reads and shows it."""

    name: str
    agrees: str
    """With whom or what a model agrees, as a table says it."""
    heading: str
    """The same before a sentence."""
    file: str
    """Name of the file that holds a result."""
    key: str
    """A key that every such file has."""
    choice: str
    """What must be the same for numbers to be in one table."""
    again: str
    """The command that scores under one choice."""
    by_units: str
    """How models are compared, in words."""
    metrics: tuple[Metric, ...]
    answer: QuestionAnswer
    """How it is answered on the first screen."""
    read: Callable[[ResultFile], tuple[Sequence[Any], list[Problem]]]
    """Every view of a result, and what could not be read."""
    over: Callable[[Any], str]
    """Over what the numbers of a view were made."""
    shown: Callable[[Any, int], dict[str, Any]]
    """What the question's template is given of one view."""
    pictures: Callable[[Any, float], Sequence[tuple[Path, Picture]]]
    """Every picture of a view at a width, with its folder below that of the model."""
    methods: Callable[[Any], str]
    """A paragraph for a paper about the result of a view."""
    sources: tuple[Entry, ...]
    """What that paragraph cites."""
    fill: Callable[[PageData, Any, int], None]
    """Put the tables of a view into what the script works on."""
    references: Callable[[Sequence[Any]], Sequence[Reference]] = _no_references
    """Rows of the leaderboard that are no models: never ranked among them."""
    together: Callable[[Sequence[Any]], dict[str, Any]] = _nothing
    """What the page is given of all views together."""
    pictures_together: Callable[[Sequence[Any], float], Sequence[tuple[Path, Picture]]] = _no_pictures
    has_replies: bool = True
    """Whether replies lie beside a result."""
