"""Models compared on the same items, declared once: the record, its tables, what it says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, NamedTuple

from concord.comparing.comparison import (
    EVERY_PAIR,
    FEW_PAIRS,
    MARGINS,
    SHOWN_PAIRS,
    Comparison,
    PairRow,
    RankRow,
    margin_columns,
    margin_document,
    metric_name,
)
from concord.files.codec import encode
from concord.files.documents import provenance
from concord.kinds import FILE, PAGE, PAPER, SCREENS, TERMINAL, Column, PictureOf, Table
from concord.number_words import how_many
from concord.reasoning import NAME as REASONING
from concord.records import Estimate, InputFile
from concord.stats.compare import Choices, PairedComparison
from concord.stats.equivalence import WithinMargin
from concord.stats.leaderboard import Chosen
from concord.stats.multiple import differs
from concord.words import say

NO_ITEM = "no item has a score on both sides"
MOST_TASKS = 10
"""Tasks of a group that screens show, where the first two models differ most."""


@dataclass(frozen=True, slots=True)
class ModelScores:
    """One model's own score."""

    name: str
    source: str
    mean: Estimate
    """Over the items that every model has a score for, so that means and differences agree."""
    own_mean: float | None
    """Over all items of its own file."""
    n_asked: int
    """Items in its file."""
    outcomes: dict[str, int]
    """How its answers ended: scored, failed, no score."""


@dataclass(frozen=True, slots=True)
class TaskMeans:
    """One task of a group: every model's mean over the items that all have a score for."""

    task: str
    n: int
    means: tuple[float, ...]
    """In the order of the models."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Items that a pair does not share, and what they would change."""

    only_first: int
    only_second: int
    """Items in one file only."""
    failed_first: int
    failed_second: int
    failed_both: int
    """Items in both files without any score on one side, or on both."""
    partly_failed: int
    """Items with a score on both sides of which some repeats have none."""
    failed_as_wrong: float | None
    """The difference with failed answers counted as wrong."""
    absent_as_wrong: float | None
    """The same, and items that one side never had as well."""
    note: str = ""

    @property
    def any(self) -> bool:
        """Whether anything is missing at all."""
        whole = self.only_first + self.only_second + self.failed_first + self.failed_second
        return whole + self.failed_both + self.partly_failed > 0


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two models compared; a positive difference means that the first scores higher."""

    first: str
    second: str
    comparison: PairedComparison | None
    p_holm: float | None
    p_bh: float | None
    missing: Missing

    @property
    def difference(self) -> float | None:
        """The mean difference, first minus second."""
        return None if self.comparison is None else self.comparison.difference.value

    @property
    def p_value(self) -> float | None:
        """The p-value of the test that fits the scores."""
        return None if self.comparison is None else self.comparison.p_value

    @property
    def within(self) -> WithinMargin | None:
        """Whether the difference is smaller than a margin, where one was given."""
        return None if self.comparison is None else self.comparison.within


def _model_document(model: ModelScores) -> dict[str, Any]:
    return {
        "name": model.name,
        "source": model.source,
        "mean": model.mean.value,
        "mean_interval": encode(model.mean.interval),
        "own_mean": model.own_mean,
        "n_items": model.mean.n,
        "n_asked": model.n_asked,
        "outcomes": model.outcomes,
    }


def pair_document(pair: PairResult) -> dict[str, Any]:
    """Return one pair as a document: bare numbers, intervals beside them, reasons for what is null."""
    head: dict[str, Any] = {"first": pair.first, "second": pair.second}
    one = pair.comparison
    if one is None:
        return {**head, "difference": None, "note": NO_ITEM, **_rest(pair)}
    return {
        **head,
        "difference": one.difference.value,
        "difference_interval": encode(one.difference.interval),
        "p_value": one.p_value,
        "test": one.test,
        "tests": encode(one.verdicts),
        "se_paired": one.se_paired,
        "se_unpaired": one.se_unpaired,
        "variance_saved": one.variance_saved,
        "correlation": one.correlation,
        "effect_dz": one.effect_dz,
        "effect_dav": one.effect_dav,
        "wins": one.wins,
        "ties": one.ties,
        "losses": one.losses,
        "n_items": one.difference.n,
        "n_clusters": one.n_clusters,
        "note": one.note,
        **margin_document(one.within),
        **_rest(pair),
    }


def _rest(pair: PairResult) -> dict[str, Any]:
    return {"p_holm": pair.p_holm, "p_bh": pair.p_bh, "missing": encode(pair.missing)}


_TESTS: dict[str, tuple[str, ...]] = {
    "p_mcnemar": ("exact McNemar",),
    "p_mcnemar_mid_p": ("mid-p McNemar",),
    "p_t": ("paired t", "clustered t"),
    "p_sign_flip": ("sign flip",),
    "p_sign_flip_mid_p": ("mid-p sign flip",),
}
"""Columns of every test that fits, and how their names begin."""


def _compared(name: str, pair: PairResult) -> Any:
    """Return a number of two models; None where they share no item."""
    return None if pair.comparison is None else getattr(pair.comparison, name)


def _test_p(start: tuple[str, ...], pair: PairResult) -> float | None:
    """Return the p-value of a test; None where it does not fit."""
    verdicts = () if pair.comparison is None else pair.comparison.verdicts
    return next((one.p_value for one in verdicts if one.test.startswith(start)), None)


def _pair_difference(pair: PairResult) -> Estimate:
    return Estimate(None, note=NO_ITEM) if pair.comparison is None else pair.comparison.difference


def _lacked(name: str, pair: PairResult) -> object:
    return getattr(pair.missing, name)


def _noted(pair: PairResult) -> str:
    return "; ".join(filter(None, (pair_document(pair)["note"], pair.missing.note)))


_BEFORE = ("p_value", "test", "se_paired", "se_unpaired", "variance_saved", "correlation", "effect_dz",
           "effect_dav", "wins", "ties", "losses")  # fmt: skip
_LOST = tuple(one.name for one in fields(Missing) if one.name != "note")
FILE_PAIRS = Table(
    "file",
    rows=lambda result: result.pairs,
    file=Comparison.TABLE,
    on=(),
    columns=(
        Column("first"),
        Column("second"),
        Column("difference"),
        *(Column(name, partial(_compared, name)) for name in _BEFORE),
        Column("n_items", lambda pair: None if pair.comparison is None else pair.comparison.difference.n),
        Column("n_clusters", partial(_compared, "n_clusters")),
        Column("note", _noted),
        Column("p_holm"),
        Column("p_bh"),
        Column("ends", _pair_difference, spread={"difference_low": "low", "difference_high": "high"}),
        *(Column(name, partial(_test_p, start)) for name, start in _TESTS.items()),
    ),
    further=lambda pairs: [
        *margin_columns(pairs),
        *(Column(name, partial(_lacked, name), on=(FILE,)) for name in _LOST),
    ],
)


def _pairs_in_detail(result: "CompareResult") -> Sequence[PairRow]:
    """Return the pairs whose details are shown: all of few, with their names."""
    rows = [row for row in result.every_pair() if row.of.comparison is not None]
    return rows if len(result.pairs) <= FEW_PAIRS else ()


def _outcome(name: str, row: RankRow) -> int:
    found: int = row.of.outcomes.get(name, 0)
    return found


MODELS = Table(
    "models",
    rows=lambda result: result.rank_rows(result.models, lambda one: one.mean),
    title=lambda result: (
        f"Scores · {result.metric_title} · {how_many(result.n_common, 'item', 'items')} in common of "
        f"{result.n_items:,}"
    ),
    columns=(
        Column("rank", words=True),
        Column("model", words=True),
        Column("value", title="mean", digits=3),
        Column("together", words=True),
        Column("items", lambda row: row.of.n_asked, count=True),
        *(Column(name, partial(_outcome, name), count=True) for name in ("scored", "failed", "no score")),
        Column("own_mean", lambda row: row.of.own_mean, "mean of all its own", digits=3, on=(PAGE,)),
        Column("source", lambda row: row.of.source, words=True, on=(PAGE,)),
        Column(
            "source", lambda row: row.of.source if row.model.endswith("]") else "", words=True, optional=True,
            on=(TERMINAL, PAPER),
        ),
    ),
    note=lambda result: result.ranking_note(),
)  # fmt: skip


def _in_pair(name: str, title: str, digits: int) -> Column:
    return Column(name, lambda row: getattr(row.of.comparison, name), title, digits=digits)


_PAIR = Column("pair", lambda row: row.names, words=True)
ERRORS = Table(
    "errors",
    rows=_pairs_in_detail,
    title="What pairing saves, and effects",
    columns=(
        _PAIR,
        _in_pair("se_paired", "SE paired", 4),
        _in_pair("se_unpaired", "SE unpaired", 4),
        _in_pair("variance_saved", "variance saved", 2),
        _in_pair("correlation", "r", 2),
        _in_pair("effect_dz", "d_z", 2),
        _in_pair("effect_dav", "d_av", 2),
    ),
)


TESTS = Table(
    "tests",
    rows=lambda result: (
        (row.names, one) for row in _pairs_in_detail(result) for one in row.of.comparison.verdicts
    ),
    title="Every test that fits",
    columns=(
        Column("pair", lambda row: row[0], words=True),
        Column("test", lambda row: row[1].test, words=True),
        Column("statistic", lambda row: row[1].statistic, digits=3, optional=True),
        Column("df", lambda row: row[1].df, digits=1, optional=True),
        Column("p", lambda row: row[1].p_value, p=True),
    ),
)


def _lost_column(name: str, title: str) -> Column:
    return Column(name, lambda row: _lacked(name, row.of), title, count=True)


def _said_of_missing(result: "CompareResult") -> str:
    """Say what counting as wrong means, or why it cannot be done."""
    told = dict.fromkeys(row.of.missing.note for row in result.lacking() if row.of.missing.note)
    reasons = "".join(say("compare.missing.as_wrong", why=one) for one in told)
    more = f" {said}" if (said := result.said_of_lacking()) else ""
    return f"{say('compare.missing.left_out')}{reasons}{more}"


MISSING = Table(
    "missing",
    rows=lambda result: result.some_lacking(),
    title="Items that a pair does not share, and the difference with them counted as wrong",
    columns=(
        _PAIR,
        _lost_column("only_first", "only first"),
        _lost_column("only_second", "only second"),
        _lost_column("failed_first", "failed first"),
        _lost_column("failed_second", "failed second"),
        _lost_column("failed_both", "failed both"),
        _lost_column("partly_failed", "in part"),
        Column("failed_as_wrong", lambda row: row.of.missing.failed_as_wrong, "as wrong", digits=3,
               sign=True, optional=True),
        Column("absent_as_wrong", lambda row: row.of.missing.absent_as_wrong, "absent too", digits=3,
               sign=True, optional=True),
    ),
    note=_said_of_missing,
)  # fmt: skip


class _TaskRow(NamedTuple):
    models: Sequence[str]
    of: TaskMeans


def _task_rows(result: "CompareResult") -> list[_TaskRow]:
    rows = sorted(result.tasks, key=lambda one: (-abs(one.means[0] - one.means[1]), one.task))
    return [_TaskRow([model.name for model in result.models], one) for one in rows[:MOST_TASKS]]


def _task_columns(rows: Sequence[_TaskRow]) -> list[Column]:
    names = rows[0].models if rows else ()
    means = [Column(name, _mean_of(i), digits=3, on=SCREENS) for i, name in enumerate(names)]
    gap = Column("difference", lambda row: row.of.means[0] - row.of.means[1], digits=3, sign=True, on=SCREENS)
    return [*means, gap]


def _mean_of(i: int) -> Callable[[_TaskRow], float]:
    return lambda row: row.of.means[i]


def _tasks_title(result: "CompareResult") -> str:
    more = len(result.tasks) - MOST_TASKS
    rest = f"; {more} more in comparison.json" if more > 0 else ""
    return f"{len(result.tasks)} tasks, each a cluster; largest differences of the first two models{rest}"


TASKS = Table(
    "tasks",
    rows=_task_rows,
    title=_tasks_title,
    columns=(
        Column("task", lambda row: row.of.task, words=True),
        Column("n", lambda row: row.of.n, "items", count=True),
    ),
    further=_task_columns,
)


def _of_chosen(name: str, title: str, **how: Any) -> Column:
    return Column(name, lambda row: getattr(row[0], name), title, **how)


CHOOSING = Table(
    "choosing",
    rows=lambda result: (
        [] if result.chosen is None else [(result.chosen, *result.chosen.estimates(result.level))]
    ),
    title="The value of choosing: the model that other items would have chosen, on each part of the items",
    columns=(
        _of_chosen("agent", "chosen on all", words=True),
        _of_chosen("own", "its own mean", digits=3),
        Column("value", lambda row: row[1], "of one chosen so", digits=3),
        _of_chosen("mean", "mean of all", digits=3),
        Column("lead", lambda row: row[2], "lead over it", digits=3, sign=True),
        _of_chosen("luck", "share of the lead lost"),
        _of_chosen("n_same", "chosen without a part", count=True),
        _of_chosen("n_studies", "parts", count=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class CompareResult(Comparison):
    """Models compared on the same items."""

    FORMAT = "comparison of items"
    TABLES = (MODELS, SHOWN_PAIRS, EVERY_PAIR, MARGINS, ERRORS, TESTS, MISSING, TASKS, CHOOSING, FILE_PAIRS)
    PICTURES = (*Comparison.PICTURES, PictureOf("specifications", "plot_standing.specifications_picture"))
    UNSHOWN = frozenset({"choices", "wrong"})  # in its provenance

    metric: str
    kind: str
    models: tuple[ModelScores, ...]
    pairs: tuple[PairResult, ...]
    order: tuple[str, ...]
    """Models from the highest mean to the lowest."""
    groups: tuple[tuple[str, ...], ...]
    """Models that cannot be distinguished at the level, after Holm."""
    n_items: int
    """Items in any file."""
    n_common: int
    """Items that every model has a score for."""
    choices: Choices
    wrong: float | None
    warnings: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    tasks: tuple[TaskMeans, ...] = ()
    """The tasks of a group, where the models were compared on one."""
    chosen: Chosen | None = None
    """What choosing the best of several models, prompts or designs is worth; of two nothing."""

    @property
    def difference(self) -> Estimate | None:
        """The difference of the first pair, with its interval."""
        first = self.pairs[0].comparison
        return None if first is None else first.difference

    @property
    def p_value(self) -> float | None:
        """The p-value of the first pair."""
        return self.pairs[0].p_value

    @property
    def level(self) -> float:
        """Nominal coverage of intervals; pairs are distinguishable at 1 minus it."""
        return self.choices.level

    @property
    def metric_title(self) -> str:
        """The metric, as a reader knows it where it is one of a question."""
        return metric_name(self.metric) if self.kind == REASONING else self.metric

    @property
    def ranked(self) -> Sequence[tuple[str, Estimate]]:
        """Models and means from the highest to the lowest."""
        means = {one.name: one.mean for one in self.models}
        return [(name, means[name]) for name in self.order if name in means and means[name].value is not None]

    @property
    def alike(self) -> Sequence[Sequence[str]]:
        """Groups of models that cannot be distinguished."""
        return self.groups

    def every_pair(self) -> list[PairRow]:
        """Return every pair."""
        return [self._row(pair) for pair in self.pairs]

    def ranking_pairs(self) -> list[PairRow]:
        """Return every pair."""
        return self.every_pair()

    def lacking(self) -> list[PairRow]:
        """Return the pairs that do not share every item."""
        return [row for row in self.every_pair() if row.of.missing.any]

    def _row(self, pair: PairResult) -> PairRow:
        one = pair.comparison
        head = pair.first, pair.second, self.metric_title, _pair_difference(pair), pair.p_value
        rest = pair.p_holm, pair.p_bh, None if one is None else one.n_clusters, ("items", "clusters"), pair
        if one is None:
            return PairRow(*head, *rest, note=NO_ITEM)
        return PairRow(
            *head,
            *rest,
            within=one.within,
            note=one.note,
            test=one.test,
            won=one.wins,
            tied=one.ties,
            lost=one.losses,
        )

    def meaning(self) -> str:
        """Say in plain words what the numbers of two models mean; of more, nothing."""
        pair, one = self.pairs[0], self.pairs[0].comparison
        if len(self.pairs) > 1:
            return ""
        if one is None or one.p_value is None or one.difference.value is None:
            return say("compare.meaning.cannot")
        higher, lower = (pair.first, pair.second) if one.difference.value >= 0 else (pair.second, pair.first)
        names, within = {"higher": higher, "lower": lower}, one.within is not None and one.within.shown
        if differs(one.p_value, one.difference.interval, level=self.level):
            return say("compare.meaning.higher", **names, small=within)
        if one.within is not None and within:
            return say("compare.meaning.equivalent", **names, margin=f"{one.within.margin:g}")
        return say("compare.meaning.chance", **names, n=one.difference.n)

    def sentences(self) -> Sequence[str]:
        """Return what the ranking shows, and what choosing its first is worth."""
        found = self.chosen
        if found is None or found.value is None or found.agent is None:
            return Comparison.sentences(self)
        told = say(
            "compare.many.chosen",
            model=found.agent,
            n=len(self.models),
            own=found.own,
            value=found.value,
            low=found.low,
            high=found.high,
            mean=found.mean,
            leads=found.leads,
        )
        return [told, *Comparison.sentences(self)]

    def document(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "question": "compare",
            "kind": self.kind,
            "metric": self.metric,
            "n_items": self.n_items,
            "n_common": self.n_common,
            "models": [_model_document(model) for model in self.models],
            "pairs": [pair_document(pair) for pair in self.pairs],
            "ranking": list(self.order),
            "groups": [list(group) for group in self.groups],
            **self._tasks(),
            **({} if self.chosen is None else {"chosen": encode(self.chosen)}),
            "warnings": list(self.warnings),
            "options": {**encode(self.choices), "wrong": self.wrong},
            **provenance(self.inputs),
        }

    def _tasks(self) -> dict[str, Any]:
        names = [model.name for model in self.models]
        rows = [
            {"task": one.task, "n_items": one.n, "means": dict(zip(names, one.means, strict=True))}
            for one in self.tasks
        ]
        return {"tasks": rows} if rows else {}
