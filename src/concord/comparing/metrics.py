"""Models compared on several metrics at once, declared once: the record, its tables, what it says."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from concord.comparing.comparison import (
    EVERY_PAIR,
    MARGINS,
    SHOWN_PAIRS,
    Comparison,
    PairRow,
    RankRow,
    margin_columns,
    margin_document,
    metric_name,
)
from concord.files.codec import decode, encode
from concord.files.documents import provenance
from concord.kinds import FILE, PAGE, PAPER, TERMINAL, Column, Table
from concord.number_words import joined_names, leaders, number
from concord.records import Estimate, InputFile, Interval
from concord.stats.multiple import differs, holm
from concord.stats.pairs import MetricDifference, ModelPair, Standing
from concord.words import say

REFEREE, RANKS, MOVED, MOVED_ANSWERS = "referee", "pas_ranks_over_priors", "moved", "moved_answers"
"""Keys of what a referee asks, of each model and of all, and of effects that moved between two versions."""
_DEFINITIONS = ("peak", "across")
_SOURCE_NUMBERS = ("S_Cons", "E_perf", "R_sens")
"""Numbers of the source, which have several definitions."""


@dataclass(frozen=True, slots=True)
class UnitWords:
    """What a kind of comparison calls its parts."""

    unit: str
    """What a score belongs to: a test, a cell."""
    units: str
    cluster: str
    """What is independent: a study, an item."""
    clusters: str
    least: str
    """How many of them a test needs."""
    counts_units: bool = False
    """Whether each metric rests on a number of units of its own."""


@dataclass(frozen=True, slots=True)
class RefereeNumbers:
    """What a referee asks of one model, as its entry in a comparison holds it."""

    inside: int
    n_inside: int
    difference_d: float | None
    difference_d_interval: tuple[float, float] | None
    difference_d_level: float | None
    n_replications: int
    n_supported: int
    n_opposed: int
    n_too_small: int
    margin: float
    n_kept: int
    n_equivalent: int
    selection_size_ratio: float | None
    ecs_hedges: float | None
    ecs_precision: float | None

    @property
    def d(self) -> Estimate:
        """Effects of agents minus those of people, with the interval."""
        ends, level = self.difference_d_interval, self.difference_d_level
        held = None if ends is None or level is None else Interval(*ends, level, "")
        return Estimate(self.difference_d, held)


@dataclass(frozen=True, slots=True)
class PriorRanks:
    """PAS of all models under one prior, the highest first."""

    scale: float
    odds: float
    order: tuple[str, ...]
    pas: Mapping[str, float]

    @property
    def leader(self) -> str:
        """The model with the highest PAS, or that several share it."""
        tied = leaders([(name, self.pas.get(name)) for name in self.order])
        return tied[0] if len(tied) == 1 else f"{joined_names(tied)} (equal)"


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """One model of a comparison and where it came from."""

    name: str
    source: str
    about: Mapping[str, Any]
    """What sets its result apart: the design of its agents, samples per cell."""
    interval: Interval | None = None
    """Of the number that ranks it, where its result has one for what all models share."""


class _MetricRow(NamedTuple):
    """One metric of one pair, for the file."""

    words: UnitWords
    pair: ModelPair
    metric: MetricDifference

    @property
    def within(self) -> Any:
        return self.metric.within


def _metric_column(name: str, part: str | None = None) -> Column:
    return Column(name, lambda row: getattr(row.metric, name if part is None else part))


def _sized_columns(rows: Sequence[_MetricRow]) -> Iterator[Column]:
    """Return the columns of the file that have the names of what is counted, and what follows them."""
    words = rows[0].words if rows else UnitWords("", "units", "", "clusters", "")
    on = (FILE,)
    if words.counts_units:
        sizes = {f"n_{words.units}": "n", f"n_{words.units}_left_out": "n_left_out"}
        yield Column("sizes", lambda row: row.metric.difference, spread=sizes, on=on)
    yield Column(f"n_{words.clusters}", lambda row: row.metric.n_clusters, on=on)
    rest = {"note": "note", "difference_low": "low", "difference_high": "high"}
    yield Column("rest", lambda row: row.metric.difference, spread=rest, on=on)
    yield from margin_columns(rows)


FILE_METRICS = Table(
    "file",
    rows=lambda result: [
        _MetricRow(result.words, pair, metric) for pair in result.pairs for metric in pair.metrics
    ],
    file=Comparison.TABLE,
    on=(),
    columns=(
        Column("first", lambda row: row.pair.first),
        Column("second", lambda row: row.pair.second),
        _metric_column("metric"),
        _metric_column("first_value", "first"),
        _metric_column("second_value", "second"),
        _metric_column("difference"),
        _metric_column("p_value"),
        _metric_column("p_holm"),
        _metric_column("p_bh"),
    ),
    further=lambda rows: list(_sized_columns(rows)),
)


def _model_words(name: str, row: RankRow) -> str:
    """Return what a model is, where its name alone does not say it."""
    if not (row.of.about.get("design") or row.model.endswith("]")):
        return ""
    return str(row.of.source if name == "source" else row.of.about.get(name) or "")


def _models_title(result: "MetricCompareResult") -> str:
    lower = ", the lowest first" if result.lowest_first else ""
    return f"{result.metric_title} of {len(result.models)} models{lower} · {result.how}"


MODELS = Table(
    "models",
    rows=lambda result: result.rank_rows(result.models, result.without_rank),
    title=_models_title,
    columns=(
        Column("rank", words=True),
        Column("model", words=True),
        Column("value", title="number", digits=3),
        Column("together", words=True),
        Column("source", lambda row: _model_words("source", row), words=True, optional=True),
        Column("of_model", lambda row: _model_words("model", row), "of", words=True, optional=True),
        Column("design", lambda row: _model_words("design", row), words=True, optional=True),
    ),
    note=lambda result: result.ranking_note(),
)


def _pair_of(part: str) -> Column:
    titles = {"n_common": "both have", "only_first": "only first", "only_second": "only second"}
    return Column(part, lambda row: getattr(row.of, part), titles[part], count=True)


LEFT_OUT = Table(
    "left out",
    rows=lambda result: result.some_lacking(),
    title=lambda result: f"{result.words.units.capitalize()} that a pair does not share, or without a number",
    columns=(
        Column("pair", lambda row: row.names, words=True),
        Column("metric", words=True, optional=True),
        _pair_of("n_common"),
        _pair_of("only_first"),
        _pair_of("only_second"),
        Column("lost", lambda row: row.difference.n_left_out, "without a number on a side", count=True),
    ),
    note=lambda result: result.said_of_lacking(),
)


def _referee_rows(result: "MetricCompareResult") -> list[tuple[str, RefereeNumbers]]:
    return [
        (one.name, decode(RefereeNumbers, held, where=f"{one.name}, {REFEREE!r}"))
        for one in result.models
        if (held := one.about.get(REFEREE))
    ]


def _share_column(n: str, of: str, title: str) -> Column:
    return Column(n, lambda row: f"{getattr(row[1], n):,} of {getattr(row[1], of):,}", title, words=True)


def _referee(name: str, title: str, *, count: bool = False, on: Sequence[str] = (PAGE,)) -> Column:
    return Column(name, lambda row: getattr(row[1], name), title, count=count, on=on)


FOR_REFEREE = Table(
    "referee",
    rows=_referee_rows,
    title="Further checks",
    columns=(
        Column("model", lambda row: row[0], words=True),
        _share_column("inside", "n_inside", "inside the replication interval"),
        _referee("d", "model minus people, d", on=(TERMINAL, PAGE, PAPER)),
        _share_column("n_supported", "n_replications", "replication Bayes factor above 3"),
        _share_column("n_equivalent", "n_kept", "no effect in either, shown to be equivalent"),
        _referee("n_opposed", "replication Bayes factor below 1/3", count=True),
        _referee("n_too_small", "too small to detect", count=True),
        _referee("margin", "margin in d"),
        _referee("selection_size_ratio", "size ratio, corrected for publication bias"),
        _referee("ecs_hedges", "ECS with Hedges' g"),
        _referee("ecs_precision", "ECS, weighted by precision"),
    ),
)


def _prior_rows(result: "MetricCompareResult") -> list[PriorRanks]:
    return [decode(PriorRanks, one, where=repr(RANKS)) for one in result.about.get(RANKS) or ()]


def _first_models(row: PriorRanks, most: int = 8) -> str:
    """Name the models that are highest, with their numbers; of many how many more there are."""
    named = ", ".join(f"{name} {number(row.pas.get(name))}" for name in row.order[:most])
    more = len(row.order) - most
    return f"{named}, and {more} more" if more > 0 else named


def _said_of_priors(result: "MetricCompareResult") -> str:
    rows = _prior_rows(result)
    first = Counter(row.leader for row in rows if row.order)
    said = ", ".join(say("compare.meaning.first_in", name=name, n=n) for name, n in first.most_common())
    return say("compare.meaning.priors", n=len(rows), said=said) if rows else ""


PRIORS = Table(
    "priors",
    rows=_prior_rows,
    title="PAS under other priors, the highest first",
    on=(PAGE,),
    folded=True,
    columns=(Column("scale"), Column("odds"), Column("order", _first_models, "models", words=True)),
)


def _moved(name: str, title: str) -> Column:
    return Column(name, lambda row: row[name], title, sign=True)


MOVED_EFFECTS = Table(
    "moved",
    rows=lambda result: result.about.get(MOVED) or (),
    title="Effects that moved most between the versions, in d",
    columns=(
        Column("test", lambda row: row["test"], words=True),
        _moved("human_d", "human"),
        _moved("second_d", "old"),
        _moved("first_d", "new"),
        _moved("moved", "moved"),
        Column("nearer", lambda row: row["nearer"], "nearer to people", words=True),
    ),
)


def _of_row(name: str, title: str) -> Column:
    return Column(name, lambda row: row[name], title)


MOVED_DISTRIBUTIONS = Table(
    "moved_answers",
    rows=lambda result: result.about.get(MOVED_ANSWERS) or (),
    title="Answers that moved most: spread against people's, and distance from people (TVD)",
    columns=(
        Column("outcome", lambda row: row["outcome"], words=True),
        _of_row("second_spread", "spread, old"),
        _of_row("first_spread", "spread, new"),
        _of_row("second_tvd", "distance, old"),
        _of_row("first_tvd", "distance, new"),
        _of_row("people_tvd", "of two samples of people"),
        Column("nearer", lambda row: row["nearer"], "nearer to people", words=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class MetricCompareResult(Comparison):
    """Models compared on the same studies of people, or on the same items and arrangements."""

    FORMAT = "comparison of metrics"
    TABLES = (
        MODELS,
        SHOWN_PAIRS,
        EVERY_PAIR,
        MARGINS,
        LEFT_OUT,
        MOVED_EFFECTS,
        MOVED_DISTRIBUTIONS,
        FOR_REFEREE,
        PRIORS,
        FILE_METRICS,
    )
    UNSHOWN = frozenset({"options"})  # in its provenance

    kind: str
    """Name of the question that the results answer."""
    words: UnitWords
    how: str
    """What all results have in common, in words."""
    about: Mapping[str, Any]
    """What all results have in common: protocol or reading, items and arrangements."""
    models: tuple[ComparedModel, ...]
    pairs: tuple[ModelPair, ...]
    standing: Standing
    """Ranking and groups by the headline metric."""
    options: Mapping[str, Any]
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def metric(self) -> str:
        """The headline metric."""
        return self.standing.metric

    @property
    def level(self) -> float:
        """Nominal coverage of intervals; pairs are distinguishable at 1 minus it."""
        return float(self.options["level"])

    @property
    def difference(self) -> Estimate:
        """The headline difference of the first pair, with its interval."""
        return self.pairs[0].metric(self.metric).difference

    @property
    def p_value(self) -> float | None:
        """The headline p-value of the first pair."""
        return self.pairs[0].metric(self.metric).p_value

    def title_of(self, metric: str) -> str:
        """Name a metric as a reader knows it.

        One number is called S_Cons, that of the definition that was chosen. Differences have intervals under
        another definition than *peak* only, so those say which it is.
        """
        chosen, compared = self.about.get("reading"), self.about.get("compared_reading")
        if chosen and metric.startswith(f"{chosen}_"):
            return metric.removeprefix(f"{chosen}_")
        if metric in _SOURCE_NUMBERS and chosen != compared:
            return f"{metric} ({compared})"
        definition, _, rest = metric.partition("_")
        return f"{rest}, {definition}" if definition in _DEFINITIONS else metric_name(metric)

    @property
    def metric_title(self) -> str:
        """The headline metric, as a reader knows it."""
        return self.title_of(self.metric)

    @property
    def ranked(self) -> Sequence[tuple[str, Estimate]]:
        """Models and numbers from the best to the worst."""
        ends = {one.name: one.interval for one in self.models}
        bare = f"the number over the {self.words.units} that all models have has no interval of its own"
        return [
            (name, Estimate(value, ends.get(name), note="" if ends.get(name) else bare))
            for name, value in self.standing.values
        ]

    @property
    def lowest_first(self) -> bool:
        """Whether the best model has the lowest number, as of an order effect."""
        values = [value for _, value in self.standing.values]
        return len(values) > 1 and values[0] < values[-1]

    @property
    def alike(self) -> Sequence[Sequence[str]]:
        """Groups of models that cannot be distinguished."""
        return self.standing.groups

    def without_rank(self, model: ComparedModel) -> Estimate:
        """Return the number of a model that has no rank: none, and why."""
        if not self.standing.values:
            return Estimate(None, note=f"no ranking: there is no {self.words.unit} that every model has")
        start = f"{model.name} has no rank: "
        told = (one.removeprefix(start) for one in self.warnings if one.startswith(start))
        return Estimate(None, note=next(told, f"no number over the {self.words.units} that all have"))

    def every_pair(self) -> list[PairRow]:
        """Return every pair in every metric."""
        return [self._row(pair, metric) for pair in self.pairs for metric in pair.metrics]

    def ranking_pairs(self) -> list[PairRow]:
        """Return every pair in the headline metric."""
        return [self._row(pair, pair.metric(self.metric)) for pair in self.pairs]

    def lacking(self) -> list[PairRow]:
        """Return pairs that lack something: of two models every metric, of more the one that ranks."""
        rows = self.every_pair() if len(self.pairs) == 1 else self.ranking_pairs()
        return [row for row in rows if row.of.only_first or row.of.only_second or row.difference.n_left_out]

    def _row(self, pair: ModelPair, metric: MetricDifference) -> PairRow:
        return PairRow(
            pair.first,
            pair.second,
            self.title_of(metric.metric),
            metric.difference,
            metric.p_value,
            metric.p_holm,
            metric.p_bh,
            metric.n_clusters,
            (self.words.units if self.words.counts_units else "", self.words.clusters),
            pair,
            within=metric.within,
            note=metric.difference.note,
            first_value=metric.first,
            second_value=metric.second,
        )

    def meaning(self) -> str:
        """Say in plain words what the numbers of two models mean; of more, nothing."""
        if len(self.pairs) > 1:
            return ""
        pair = self.pairs[0]
        # several numbers are tried, so that one of three would be named by chance in one comparison of eight
        known = [metric.p_value for metric in pair.metrics]
        tried = [math.nan if p is None or not 0 <= p <= 1 else p for p in known]
        told = [
            self.title_of(metric.metric)
            for metric, p in zip(pair.metrics, holm(tried).tolist(), strict=True)
            if differs(p, metric.difference.interval, level=self.level)
        ]
        if told:
            names = {"first": pair.first, "second": pair.second, "clusters": self.words.clusters}
            return say("compare.meaning.metrics", names=", ".join(told), **names)
        if all(metric.p_value is None for metric in pair.metrics):
            least = self.words.least
            return say("compare.meaning.few", first=pair.first, second=pair.second, least=least)
        return say("compare.meaning.nothing", clusters=self.words.clusters)

    def notes(self) -> Sequence[str]:
        """Return what other priors do, and which further numbers there are."""
        others = [one.metric for one in self.pairs[0].metrics if one.metric != self.metric]
        asked = [name for name in others if name.partition("_")[0] not in _DEFINITIONS]
        further = (
            say("compare.meaning.further", names=", ".join(asked)) if asked and len(self.pairs) > 1 else ""
        )
        return [one for one in (_said_of_priors(self), further) if one]

    def document(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "question": "compare",
            "kind": self.kind,
            **self.about,
            "metric": self.metric,
            "models": [
                {
                    "name": one.name,
                    "source": one.source,
                    "ranking_interval": encode(one.interval),
                    **one.about,
                }
                for one in self.models
            ],
            "pairs": [self._pair(pair) for pair in self.pairs],
            "ranking": list(self.standing.order),
            "ranking_values": dict(self.standing.values),
            "groups": [list(group) for group in self.standing.groups],
            "warnings": list(self.warnings),
            "options": dict(self.options),
            **provenance(self.inputs),
        }

    def _pair(self, pair: ModelPair) -> dict[str, Any]:
        metrics = {metric.metric: self._metric(metric) for metric in pair.metrics}
        head = metrics[self.metric]
        same = ["difference", "difference_interval", "p_value", "p_holm", "p_bh"]
        same += ["within_margin"] if "within_margin" in head else []
        return {
            "first": pair.first,
            "second": pair.second,
            **{key: head[key] for key in same},
            f"n_common_{self.words.units}": pair.n_common,
            "n_only_first": pair.only_first,
            "n_only_second": pair.only_second,
            "metrics": metrics,
        }

    def _metric(self, metric: MetricDifference) -> dict[str, Any]:
        one = metric.difference
        units = self.words.units
        sizes = (
            {f"n_{units}": one.n, f"n_{units}_left_out": one.n_left_out} if self.words.counts_units else {}
        )
        return {
            "metric": metric.metric,
            "first_value": metric.first,
            "second_value": metric.second,
            "difference": one.value,
            "difference_interval": encode(one.interval),
            "p_value": metric.p_value,
            "p_holm": metric.p_holm,
            "p_bh": metric.p_bh,
            **sizes,
            f"n_{self.words.clusters}": metric.n_clusters,
            "note": one.note,
            **margin_document(metric.within),
        }
