"""Results of questions compared by metrics of their own: a kind is one record, and one function compares all.

A kind says what its results are called and hold, which models are in them, and how these differ; naming,
choosing the metric, ranking and the result itself are the same for every kind.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from concord.comparing.metrics import ComparedModel, MetricCompareResult, UnitWords
from concord.comparing.records import check_names, distinct
from concord.engine import SERIAL, Engine
from concord.errors import OptionError
from concord.files.contents import fingerprint_file, is_file
from concord.files.documents import folder_name, folder_with, holding_folder
from concord.people import NAME as PEOPLE
from concord.records import Estimate, InputFile, Interval
from concord.stats.compare import Choices, compare_items
from concord.stats.elementwise import Floats
from concord.stats.equivalence import WithinMargin
from concord.stats.pairs import MetricDifference, ModelPair, Standing, adjusted, standing
from concord.structure import NAME as STRUCTURE

if TYPE_CHECKING:
    from concord.people.result import Score

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What is to be compared, and how; the same for every kind of result."""

    sources: Sequence[Any]
    names: Sequence[str] | None = None
    """What the report calls the models; ``None``: as they or their folders are called."""
    metric: str | None = None
    """The number that ranks; ``None``: the usual one of the kind."""
    choices: Choices = Choices()
    engine: Engine = SERIAL


@dataclass(frozen=True, slots=True)
class Stored(Generic[R]):
    """One of the results that are compared: its record, and where it lies."""

    source: str
    """As it was given."""
    name: str
    """What its folder is called."""
    folder: Path | None
    """``None``: the record itself was given."""
    result: R


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One model of a comparison."""

    name: str
    source: str
    about: Mapping[str, Any]
    """What sets its result apart."""
    scores: Any
    """What its kind compares."""
    gate: str | None = None
    """Why it has no rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """The models of results that may be compared, and what the results have in common."""

    sides: Sequence[ComparedSide]
    how: str
    """What they have in common, in words."""
    metrics: Sequence[str]
    """Numbers that all of them have."""
    usual: str
    """The one that ranks where none is asked for."""
    about: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPairs:
    """All pairs of a line-up, ranked."""

    pairs: tuple[ModelPair, ...]
    standing: Standing
    options: Mapping[str, Any]
    intervals: Mapping[str, Interval | None]
    """Of the numbers that rank, by model."""
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ways:
    """How results of a kind are read and compared; loaded when such a result is met."""

    read: Callable[[Path], Any]
    lineup: Callable[[Sequence[Stored[Any]], str | None], Lineup]
    """The models of results, for the metric that is asked for; refuses results that do not compare."""
    compare: Callable[[Lineup, str, CompareRequest], ComparedPairs]
    """All pairs of models by a metric; the models have their final names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricKind:
    """Results of one question that are compared by metrics of their own, not item by item."""

    question: str
    """What `comparison.json` calls the kind."""
    words: str
    """What a message calls one of the results."""
    models: str = "results"
    """What a message calls the models in them."""
    units: UnitWords
    record: str
    """Class of the results."""
    file: str
    """The file that a folder with such a result holds."""
    ways: str
    """Where its `Ways` are: module of this package and name."""
    fingerprints: tuple[str, ...] = ()
    """Files whose bytes a comparison rests on; none: ``file``."""
    alone: bool = False
    """Whether one folder may hold several models, so that it can be compared alone."""
    metrics: tuple[str, ...] = ()
    """Metrics of this kind alone: a folder that holds several kinds is this one where one of them is asked
    for, and another kind otherwise."""

    def holds(self, source: object) -> bool:
        """Whether a source is such a result, or a folder with one."""
        return type(source).__name__ == self.record or folder_with(source, self.file) is not None

    def load(self) -> Ways:
        """Return how its results are read and compared."""
        module, _, name = self.ways.partition(".")
        found: Ways = getattr(import_module(f"{__package__}.{module}"), name)
        return found

    def stored(self, source: Any) -> Stored[Any]:
        """Return a source as a record, read where it is a folder."""
        if type(source).__name__ == self.record:
            return Stored("result", "result", None, source)
        folder = holding_folder(Path(source), self.file)
        return Stored(str(source), folder_name(source), folder, self.load().read(folder))

    def inputs(self, one: Stored[Any]) -> tuple[InputFile, ...]:
        """Return which bytes a comparison of a result rests on."""
        if one.folder is None:
            return ()
        files = [one.folder / name for name in self.fingerprints or (self.file,)]
        return tuple(fingerprint_file(file) for file in files if is_file(file))


PEOPLE_RESULTS = MetricKind(
    question=PEOPLE,
    words="a result about people",
    units=UnitWords("test", "tests", "study", "studies", least="3 studies", counts_units=True),
    record="PeopleResult",
    file="benchmark_summary.json",
    ways="people.WAYS",
    fingerprints=("benchmark_summary.json", "detailed_stats.csv"),
)
ANSWERS = MetricKind(
    question=PEOPLE,
    words="a result about answers",
    models="agents",
    units=UnitWords("outcome", "outcomes", "study", "studies", least="3 studies", counts_units=True),
    record="AnswersResult",
    file="answers.json",
    ways="agents.ANSWERING",
    alone=True,
)
PREDICTIONS = MetricKind(
    question=PEOPLE,
    words="a result about predicted effects",
    models="agents",
    units=UnitWords(
        "effect",
        "effects",
        "study or intervention",
        "studies or interventions",
        least="3 studies or interventions",
    ),
    record="PredictionResult",
    file="predictions.json",
    ways="agents.PREDICTING",
    alone=True,
)
STRUCTURE_RESULTS = MetricKind(
    question=STRUCTURE,
    words="a result about structure",
    models="models",
    units=UnitWords("cell", "cells", "item", "items", least="20 items"),
    record="StructureResult",
    file="s_cons_results.csv",
    ways="structure.WAYS",
    fingerprints=("cells.csv", "items.csv"),
    alone=True,
)
JUDGES = MetricKind(
    question="judge",
    words="a result about judges",
    models="judges",
    units=UnitWords("pair", "pairs", "question", "questions", least="5 pairs", counts_units=True),
    record="JudgeResult",
    file="judge.json",
    ways="judges.WAYS",
    alone=True,
)
OPTIONS = MetricKind(
    question="options",
    words="a result about options",
    units=UnitWords("item", "items", "item", "items", least="5 items"),
    record="OptionResult",
    file="options.json",
    ways="options.WAYS",
    metrics=("consistency", "option_flips", "first_option", "last_option", "rstd"),
)
KINDS = (PEOPLE_RESULTS, ANSWERS, PREDICTIONS, STRUCTURE_RESULTS, JUDGES, OPTIONS)


def compare_results(kind: MetricKind, asked: CompareRequest) -> MetricCompareResult:
    """Compare results of one kind: name their models, compare all pairs, rank."""
    results = [kind.stored(source) for source in asked.sources]
    ways = kind.load()
    found = ways.lineup(results, asked.metric)
    metric = known_metric(found.usual if asked.metric is None else asked.metric, found.metrics)
    sides = found.sides
    if len(sides) < 2:
        raise OptionError(
            f"comparing needs at least two {kind.models}, {sides[0].source} holds one: {sides[0].name}"
        )
    shown = f" ({', '.join(side.name for side in sides[:6])}, ...)" if kind.alone else ""
    check_names(asked.names, len(sides), f"{kind.models}{shown}")
    own = distinct([side.name for side in sides], [side.source for side in sides])
    names = own if asked.names is None else list(asked.names)
    sides = [replace(side, name=name) for side, name in zip(sides, names, strict=True)]
    done = ways.compare(replace(found, sides=sides), metric, asked)
    unranked = [f"{side.name} has no rank: {side.gate}" for side in sides if side.gate]
    return MetricCompareResult(
        kind.question,
        kind.units,
        found.how,
        {**found.about, **done.about},
        tuple(ComparedModel(side.name, side.source, side.about, done.intervals[side.name]) for side in sides),
        done.pairs,
        done.standing,
        done.options,
        tuple(file for one in results for file in kind.inputs(one)),
        (*found.warnings, *unranked),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairByPair:
    """The way to compare of kinds whose models are compared two at a time."""

    pair: Callable[[ComparedSide, ComparedSide, Sequence[str], CompareRequest], ModelPair]
    """Differences of two models, one per metric."""
    value: Callable[[ComparedSide, str, Sequence[ComparedSide]], float | None]
    """What ranks a model among others."""
    interval: Callable[[ComparedSide, str, float | None, float], Interval | None]
    """The interval of that number, at a level."""
    lowest_first: tuple[str, ...]
    options: tuple[str, ...] = ("level",)
    """Choices that the result records."""

    def __call__(self, found: Lineup, metric: str, asked: CompareRequest) -> ComparedPairs:
        """Compare all pairs of models."""
        sides, choices = found.sides, asked.choices
        pairs = adjusted([self.pair(*pair, found.metrics, asked) for pair in combinations(sides, 2)])
        values = {side.name: None if side.gate else self.value(side, metric, sides) for side in sides}
        lowest = metric in self.lowest_first
        return ComparedPairs(
            pairs=pairs,
            standing=standing(metric, values, pairs, level=choices.level, lowest_first=lowest),
            options={name: getattr(choices, name) for name in self.options},
            intervals={
                side.name: self.interval(side, metric, values[side.name], choices.level) for side in sides
            },
        )


def known_metric(metric: str, known: Sequence[str]) -> str:
    """Return a metric that exists, upper and lower case alike, or refuse it with those that do."""
    found = [name for name in known if name.casefold() == metric.casefold()]
    if not found:
        raise OptionError(f"no metric {metric!r}; expected one of {', '.join(known)}")
    return metric if metric in found else found[0]


def named_by_folder(sides: Sequence[ComparedSide]) -> list[ComparedSide]:
    """Return models that are called by their folders too, where two have one name."""
    names = [side.name for side in sides]
    return [
        replace(side, name=f"{side.name} ({side.source})") if names.count(side.name) > 1 else side
        for side in sides
    ]


def ranked_interval(own: "Estimate | Score | None", ranked: float | None) -> Interval | None:
    """Return the interval of a model's own number where just that ranks it."""
    # Over what all models share the number may be another, which has no interval of its own.
    if own is None or own.value is None or ranked is None:
        return None
    return own.interval if math.isclose(own.value, ranked, rel_tol=1e-9, abs_tol=1e-12) else None


def within(pair: ModelPair, metric: str, held: WithinMargin | None) -> ModelPair:
    """Return a pair that says of one metric whether its difference lies within a margin."""
    found = (replace(one, within=held) if one.metric == metric else one for one in pair.metrics)
    return replace(pair, metrics=tuple(found))


def at_level(ends: Interval | None, level: float) -> Interval | None:
    """Return an interval of a result where it has the coverage that is asked for."""
    return ends if ends is not None and math.isclose(ends.level, level) else None


def difference_of_shares(
    metric: str,
    first: Floats,
    second: Floats,
    asked: CompareRequest,
    *,
    clusters: Sequence[str] | None = None,
    nobody: str,
) -> MetricDifference:
    """Compare one share per unit of two models; NaN is a unit that lacks it on that side."""
    there = ~(np.isnan(first) | np.isnan(second))
    lost = int((~there).sum())
    if not there.any():
        none = Estimate(None, None, 0, lost, note=f"undefined: {nobody}")
        return MetricDifference(metric, None, None, none, None, 0)
    x, y = first[there], second[there]
    labels = np.arange(x.size) if clusters is None else np.asarray(clusters)[there]
    n = len(set(labels.tolist()))
    shares = replace(asked.choices, widest=1.0)
    found = compare_items(x, y, None if n == x.size else labels, choices=shares, engine=asked.engine)
    difference = replace(found.difference, n_left_out=lost)
    return MetricDifference(metric, float(x.mean()), float(y.mean()), difference, found.p_value, n)
