"""What scoring predicted effects gives, declared once: one document, tables of numbers, pairs and effects."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scipy import special

from concord.kinds import LEFT_OUT_CELLS, PAGE, Column, Kind, PictureOf, Table
from concord.people.differences import ALPHA, AgentDifference, differences_table, pairs_apart
from concord.people.predictions.table import EffectPair, Prediction
from concord.records import EMPTY, Estimate, InputFile, LeftOutCell
from concord.stats.multiple import p_of_reach, shown_of_several
from concord.words import say

METRICS = {
    "pearson": "r",
    "pearson_adjusted": "r, noise of people's effects taken out",
    "pearson_within": "r within outcomes",
    "spearman": "rank correlation",
    "direction": "same direction",
    "rmse": "root mean squared error",
    "rmse_adjusted": "root mean squared error, noise taken out",
    "slope": "slope of people on model",
    "intercept": "intercept",
    "slope_adjusted": "slope, the model's noise taken out",
    "size_ratio": "size of effects, model to people",
    "pas": "PAS",
    "apr": "APR",
}
"""Every number of an agent, with the words that a table heads it with."""


MOST_DRAWN = 6
"""Agents whose effects are drawn one by one on the page."""


@dataclass(frozen=True, slots=True)
class AgentAgreement:
    """One agent, or a reference row."""

    agent: str
    numbers: dict[str, Estimate]
    """The numbers of `METRICS` by name."""
    n: int
    n_missing: int
    """Effects that the table lists and the agent did not predict."""
    is_reference: bool = False
    effects: tuple["ScoredEffect", ...] = ()
    """Every effect that the agent predicted, so that results can be compared; none of a reference."""

    @property
    def label(self) -> str:
        """Its name on screens: references are in brackets."""
        return f"({self.agent})" if self.is_reference else self.agent

    @property
    def line(self) -> tuple[float, float] | None:
        """Slope and intercept of agent on people: the line of people on agent, turned round."""
        slope, intercept = (self.numbers[name].value for name in ("slope", "intercept"))
        return None if slope is None or slope == 0 or intercept is None else (1 / slope, -intercept / slope)


_WithEnds = tuple[float, float | None, float | None]
"""A number and the ends of its interval."""


@dataclass(frozen=True, slots=True)
class ScoredEffect:
    """One effect of people with what an agent gave for it."""

    people: EffectPair
    agent: Prediction
    pas: float | None = None
    passes: float | None = None
    """1 where the agent's effect is significant in the human direction, else 0."""

    def with_ends(self, level: float) -> tuple[_WithEnds, _WithEnds]:
        """Return both sides, people's first, each with its normal interval where its SE is known."""
        reach = float(special.ndtri(0.5 + level / 2))

        def ends(value: float, se: float | None) -> _WithEnds:
            return (value, None, None) if se is None else (value, value - reach * se, value + reach * se)

        return ends(self.people.estimate, self.people.se), ends(self.agent.estimate, self.agent.se)


class _NumberRow(NamedTuple):
    one: AgentAgreement
    metric: str
    found: Estimate


def _metric(name: str, title: str) -> Column:
    return Column(name, lambda one: one.numbers.get(name), title)


def _of_effects(title: str) -> Any:
    return lambda result: f"{title} · {result.n_effects} effects, {result.unit}"


_COUNTS = (
    Column("n", title="effects", count=True),
    Column("n_missing", title="missing", count=True),
)
_SHOWN = {
    "pearson": "r", "pearson_adjusted": "r adjusted", "direction": "direction", "rmse": "RMSE",
    "slope": "slope", "size_ratio": "size", "pas": "PAS", "apr": "APR",
}  # fmt: skip
AGENTS = Table(
    "agents",
    rows=lambda result: (*result.by_error(), *result.references),
    title=_of_effects("Predicted against measured effects"),
    columns=(
        Column("label", title="model", words=True),
        *(_metric(name, words) for name, words in _SHOWN.items()),
        *_COUNTS,
    ),
)
EVERY_NUMBER = Table(
    "numbers",
    rows=lambda result: (*result.by_error(), *result.references),
    title=_of_effects("Every number"),
    on=(PAGE,),
    folded=True,
    columns=(
        Column("label", title="model", words=True),
        *(_metric(name, words) for name, words in METRICS.items()),
        *_COUNTS,
    ),
)
NUMBER_ROWS = Table(
    "number_rows",
    rows=lambda result: [
        _NumberRow(one, name, one.numbers[name])
        for one in (*result.agents, *result.references)
        for name in METRICS
        if name in one.numbers
    ],
    file="predictions.csv",
    on=(),
    columns=(
        Column("agent", lambda row: row.one.agent),
        Column("reference", lambda row: row.one.is_reference),
        Column("metric"),
        Column("found", spread={"value": "value", "low": "low", "high": "high", "n": "n"}),
        Column("n_missing", lambda row: row.one.n_missing),
        Column("note", lambda row: row.found.note),
    ),
)
DIFFERENCES = differences_table("prediction_differences.csv", METRICS)
EFFECTS = Table(
    "effects",
    rows=lambda result: [(one.agent, effect) for one in result.agents for effect in one.effects],
    file="prediction_effects.csv",
    on=(),
    columns=(
        Column("agent", lambda row: row[0]),
        Column("study", lambda row: row[1].people.study),
        Column("outcome", lambda row: row[1].people.outcome),
        Column("condition", lambda row: row[1].people.condition),
        Column("human_estimate", lambda row: row[1].people.estimate),
        Column("human_se", lambda row: row[1].people.se),
        Column("agent_estimate", lambda row: row[1].agent.estimate),
        Column("agent_se", lambda row: row[1].agent.se),
        Column("pas", lambda row: row[1].pas),
        Column("passes", lambda row: row[1].passes),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class PredictionResult(Kind):
    """Agreement of predicted effects with those of people."""

    FORMAT, FILE, KEY = "prediction result", "predictions.json", "all_positive"
    QUESTION, SECTION, HEADING = "people", "predictions", "Predicted effects"
    SAYS = ("question", "provenance")
    TABLES = (AGENTS, EVERY_NUMBER, NUMBER_ROWS, DIFFERENCES, EFFECTS, LEFT_OUT_CELLS)
    PICTURES = (
        PictureOf(
            "errors",
            "answers_plots.errors_picture",
            lambda result: say("predictions.caption_errors", level=result.level),
            small=True,
        ),
        PictureOf(
            "effects",
            "answers_plots.predicted_picture",
            lambda result: say("predictions.caption_effects", level=result.level),
            each=lambda result: [one.agent for one in result.by_error()[:MOST_DRAWN]],
        ),
    )
    CITES = ("holm1979",)
    UNSHOWN = frozenset({"agents.effects", "references.effects", "left_out"})  # a row each in its file

    agents: tuple[AgentAgreement, ...]
    """By name."""
    references: tuple[AgentAgreement, ...]
    differences: tuple[AgentDifference, ...]
    unit: str
    n_effects: int
    all_positive: float
    """Share of people's effects above 0: the chance level of ``direction``."""
    clusters: str
    """What was left out one at a time for the intervals."""
    level: float = 0.95
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)

    def agent(self, name: str) -> AgentAgreement:
        """Return one agent's numbers."""
        return next(one for one in self.agents if one.agent == name)

    def by_error(self) -> list[AgentAgreement]:
        """Return agents by their error, the smallest first; those without one last."""

        def error_first(one: AgentAgreement) -> tuple[bool, float]:
            value = one.numbers["rmse"].value
            return (value is None, 0.0 if value is None else value)

        return sorted(self.agents, key=error_first)

    def sentences(self) -> Sequence[str]:
        """Return the smallest error, and that of predicting no effect at all."""
        best = self.by_error()[0]
        error, nothing = best.numbers["rmse"].value, self.references[0].numbers["rmse"].value
        if error is None or nothing is None:
            return [say("predictions.few", n=self.n_effects)]
        found = best.numbers["pearson_adjusted"]
        fit = None if found.value is None else found
        lead = say("predictions.best", model=best.agent, error=error, fit=fit, nothing=nothing)
        return [f"{lead} {size_words(best, self.agents)}"]

    def notes(self) -> Sequence[str]:
        """Return what the numbers rest on, and which pairs of agents are distinguishable."""
        found = (one.numbers["pas"] for one in self.agents if "pas" in one.numbers)
        concluded = (one.note for one in found if one.value is not None)  # why not is below the table
        return [
            say("predictions.intervals", clusters=self.clusters, share=self.all_positive),
            *dict.fromkeys(say("predictions.concluded", note=note) for note in concluded if note),
            *pairs_apart(
                [row for row in self.differences if row.metric == "rmse"],
                say("predictions.by_error"),
                DIFFERENCES.file,
            ),
            self._controls_words(),
            *self.warnings,
        ]

    def who(self) -> Sequence[str]:
        """Return the agents."""
        return [one.agent for one in self.agents]

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        counted = {"n": self.n_effects, "unit": self.unit, "clusters": self.clusters, "level": self.level}
        return say("predictions.method", concord=concord, **counted)

    def _controls_words(self) -> str:
        """Say whether errors that effects of one control group share are known."""
        if any(effect.people.control_se is not None for one in self.agents for effect in one.effects):
            return say("predictions.controls")
        return say("predictions.no_controls")


def size_words(one: AgentAgreement, models: Sequence[AgentAgreement] = ()) -> str:
    """Say what is shown of the size of predicted effects; of one chosen among several models, after Holm."""
    found = one.numbers["size_ratio"]
    if found.value is None or found.interval is None:
        return say("predictions.unsized")
    claim = "larger" if found.interval.low > 1 else "smaller" if found.interval.high < 1 else "either"
    if len(models) > 1 and claim != "either":
        shown = shown_of_several([_size_p(other) for other in models], alpha=ALPHA)
        if not shown[models.index(one)]:
            return say("predictions.chosen", ratio=found, n=len(models))
    return say(f"predictions.size_{claim}", ratio=found)


def _size_p(one: AgentAgreement) -> float | None:
    """Return the p of effects as large as people's; it agrees with the interval of the ratio's log."""
    found = one.numbers["size_ratio"]
    if found.value is None or found.interval is None:
        return None
    centre, effective = math.log(found.value), _EFFECTIVE.search(found.interval.method)
    reach, level = math.log(found.interval.high) - centre, found.interval.level
    return p_of_reach(centre, reach, level=level, df=math.inf if effective is None else float(effective[1]))


_EFFECTIVE = re.compile(r"\(([\d.]+) effective\)")
"""Where the method of a jackknife names its degrees of freedom."""
