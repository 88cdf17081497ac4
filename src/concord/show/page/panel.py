"""What the page must know of a question; `concord.questions` gathers these."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from concord.kinds import Kind
from concord.number_words import number, typeset
from concord.show.citations import CONCORD, METHODS, Entry
from concord.show.page.data import Texts
from concord.show.page.values import Problem, ResultFile, ShownNumber
from concord.show.svg import Picture, visible


def route(model: str, *parts: str) -> str:
    """Return the address of a model, or of something of it."""
    return "#/m/" + "/".join(quote(visible(part), safe="-_.~") for part in (model, *parts))


FEW = 10
"""Units below which a cell says how many there are."""
INVENTED = re.compile(r"(invented|scripted|simulated)\b|mockllm/", re.IGNORECASE)
"""Names of agents that are no models."""


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """What one question found of one model."""

    drawing: str
    value: str
    detail: str
    gate: str = ""
    """Why the number must not be read; empty where it may be."""
    verdict: str = ""
    """A word or two beside the number."""
    sort: float | None = None


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


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """How a question is answered on the first screen."""

    asks: str
    note: str
    """What is drawn, and in which unit."""
    cells: Callable[[Sequence[Any]], Sequence[AnswerCell]]
    """One per result, on one scale."""
    finding: Callable[[Sequence[Any], Ranks | None, Mapping[str, str]], str]
    """What the question found, in a sentence or two, with the names that labels are shown by."""
    lower_is_better: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A cell of a row with the place it leads to."""

    cell: AnswerCell
    address: str
    question: str


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model."""

    model: str
    name: str
    """Short, where the whole name is long."""
    design: str
    rank: tuple[int, int] | None
    cells: tuple[Shown | None, ...]
    address: str
    others: tuple["ModelRow", ...] = ()
    """The model under further designs."""
    invented: bool = False

    @property
    def provider(self) -> str:
        """What is before the short name, or the whole name where that is none of its ends."""
        ends = self.model.rstrip("/")
        return ends.removesuffix(self.name).rstrip("/") if ends.endswith(self.name) else self.model


def short_names(models: Sequence[str]) -> dict[str, str]:
    """Return the last part of each name where that is enough to tell models apart."""
    tails = {model: model.rstrip("/").rsplit("/", 1)[-1] or model for model in models}
    used = list(tails.values())
    return {model: tail if used.count(tail) == 1 else model for model, tail in tails.items()}


def answer_rows(
    questions: Sequence[tuple[str, QuestionAnswer, Sequence["ModelView"]]],
    order: Sequence[str],
    standing: Ranks | None,
) -> list[ModelRow]:
    """Join the results of all questions by model."""
    names = short_names(order)
    cells = [
        dict(zip([(v.model, v.design) for v in views], answer.cells(views), strict=True)) if views else {}
        for _, answer, views in questions
    ]
    rows = []
    for model in order:
        designs = [
            list(dict.fromkeys(v.design for v in views if v.model == model)) for _, _, views in questions
        ]
        main, further = _main_designs(designs)
        made = [
            _model_row(model, names[model], chosen, [name for name, _, _ in questions], cells, standing)
            for chosen in (main, *further)
        ]
        rows.append(
            ModelRow(
                made[0].model, made[0].name, made[0].design, made[0].rank, made[0].cells, made[0].address,
                tuple(made[1:]), made[0].invented,
            )
        )  # fmt: skip
    return rows


def _main_designs(designs: Sequence[list[str]]) -> tuple[list[str | None], list[list[str | None]]]:
    """Choose the design of each question for the row itself, and one line for each further design."""
    main = [("participant" if "participant" in found else found[0]) if found else None for found in designs]
    further = [
        [one if i == j else None for j in range(len(designs))]
        for i, found in enumerate(designs)
        for one in found
        if one != main[i]
    ]
    return main, further


def _model_row(
    model: str, name: str, designs: Sequence[str | None], questions: Sequence[str],
    cells: Sequence[Mapping[tuple[str, str], AnswerCell]], standing: Ranks | None,
) -> ModelRow:  # fmt: skip
    said = [f"{model}, {design}" if design else model for design in designs]
    shown = [
        None
        if design is None or (model, design) not in found
        else Shown(found[model, design], route(label, question), question)
        for design, found, label, question in zip(designs, cells, said, questions, strict=True)
    ]
    places = [] if standing is None else [standing.ranks(label) for label in dict.fromkeys((*said, model))]
    known = [design for design in designs if design]
    return ModelRow(
        model,
        name,
        known[0] if known else "",
        next((place for place in places if place is not None), None),
        tuple(shown),
        next((one.address for one in shown if one is not None), ""),
        invented=bool(INVENTED.match(model)),
    )


def dashed(value: ShownNumber, digits: int = 2) -> str:
    """Return the ends of an interval for a narrow cell; nothing where there is none."""
    if value.low is None or value.high is None:
        return ""
    return typeset(f"{number(value.low, digits)} to {number(value.high, digits)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelView:
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
    numbers: Mapping[str, ShownNumber]
    """The headline numbers, by the keys of metrics."""
    n_units: int
    """Units that two models can be compared on."""
    gate: str = ""
    """Why it must not be ranked; empty where it may."""
    beside: Any = None
    """What else lies in its files."""


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
    kind: type[Kind]
    """What holds a result."""
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
    fill: Callable[[PageData, Any, int], None]
    """Put the tables of a view into what the script works on."""
    references: Callable[[Sequence[Any]], Sequence[Reference]] = _no_references
    """Rows of the leaderboard that are no models: never ranked among them."""
    together: Callable[[Sequence[Any]], dict[str, Any]] = _nothing
    """What the page is given of all views together."""
    pictures_together: Callable[[Sequence[Any], float], Sequence[tuple[Path, Picture]]] = _no_pictures
    has_replies: bool = True
    """Whether replies lie beside a result."""

    @property
    def file(self) -> str:
        """Name of the file that holds a result."""
        return self.kind.FILE

    @property
    def key(self) -> str:
        """A key that every such file has."""
        return self.kind.KEY

    @property
    def sources(self) -> tuple[Entry, ...]:
        """What its methods paragraphs cite."""
        return (CONCORD, *(METHODS[key] for key in self.kind.CITES))
