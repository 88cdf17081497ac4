"""Comparisons of models as the page shows them, and letters for models that cannot be distinguished."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from concord.comparing.metrics import MetricCompareResult, read_metric_comparison
from concord.comparing.result import KIND as ITEM_COMPARISON
from concord.comparing.result import CompareResult, read_item_comparison
from concord.files.documents import heading
from concord.files.number_words import joined_names, leaders
from concord.records import Estimate
from concord.show.numbers import level_words, p_words, typeset
from concord.show.numbers import number as number_words
from concord.show.page.data import PageColumn
from concord.show.page.panel import ModelAnswer, QuestionAnswer, Ranks
from concord.show.page.values import Document, ResultFile, ShownNumber, shown_number, words
from concord.show.plot_standing import PairCell, standing_picture, triangle
from concord.show.plots import short
from concord.show.svg import Picture, last_parts
from concord.stats.multiple import distinguishable

METRICS = {
    "pas": "PAS", "ecs": "ECS", "apr": "APR", "gap": "Δ", "correct_cot": "accuracy after reasoning",
    "correct_early": "early accuracy", "step_f1": "Step-F1", "tau": "order effect",
    "flip_excess": "flip excess", "worst": "worst arrangement",
}  # fmt: skip
SOURCE_NUMBERS = ("S_Cons", "E_perf", "R_sens")
"""Numbers of the source, which have several definitions."""
COLUMNS = (
    PageColumn("first", "first"),
    PageColumn("second", "second"),
    PageColumn("metric", "metric"),
    PageColumn("value", "first minus second", "number"),
    PageColumn("low", "low", "number"),
    PageColumn("high", "high", "number"),
    PageColumn("p", "p", "p"),
    PageColumn("holm", "p, Holm", "p"),
    PageColumn("n", "n", "count"),
    PageColumn("note", "test or note"),
)
MOST_IN_TRIANGLE = 60
"""Models up to which all pairs are drawn."""
MOST_ROWS = 40
"""Pairs that are in the page as they are; more are a table that the script shows."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two models and the difference of one metric, first minus second."""

    first: str
    second: str
    metric: str
    difference: ShownNumber
    p: float | None
    holm: float | None
    n: float | None
    note: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One file of comparisons."""

    title: str
    metric: str
    """The metric that groups are about."""
    rows: tuple[PairRow, ...]
    groups: tuple[tuple[str, ...], ...]
    """Models that cannot be distinguished, from best to worst; groups may overlap."""
    ranked: tuple[tuple[str, float], ...] = ()
    """Models and numbers from best to worst, where the file says."""
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Intervals of these numbers, where the file says."""
    level: float = 0.95
    """Of intervals; pairs can be distinguished at 1 minus it."""
    in_file: bool = False
    """Whether it lies in the folders: one that was made for the page stands on its first screen already."""

    @property
    def letters(self) -> dict[str, str]:
        """Letters of the groups that each model belongs to; numbers where letters do not suffice."""
        enough = len(self.groups) <= len(string.ascii_lowercase)
        marks: dict[str, list[str]] = {}
        for i, group in enumerate(self.groups):
            for name in group:
                marks.setdefault(name, []).append(string.ascii_lowercase[i] if enough else str(i + 1))
        return {name: ("" if enough else " ").join(found) for name, found in marks.items()}

    @property
    def named_groups(self) -> list[list[str]]:
        """Groups of two models and more, each model by the last part of its name where that is enough."""
        known = list(dict.fromkeys(name for row in self.rows for name in (row.first, row.second)))
        shown = dict(zip(known, last_parts(known), strict=True))
        return [[shown.get(name, name) for name in group] for group in self.groups if len(group) > 1]

    @property
    def n_apart(self) -> tuple[int, int]:
        """Pairs that can be distinguished in the ranking metric, and all of its pairs."""
        own = [row for row in self.rows if row.metric == self.metric]
        return sum(distinguishable(row.holm, level=self.level) for row in own), len(own)

    @property
    def n_models(self) -> int:
        """Models that are compared."""
        return len({name for row in self.rows for name in (row.first, row.second)})

    @property
    def finding(self) -> str:
        """What the ranking metric shows, in a sentence."""
        own = [row for row in self.rows if row.metric == self.metric]
        if not own:
            return ""
        if len(own) == 1:
            return _said_of_pair(own[0], self)
        apart, n = self.n_apart
        tied = leaders(self.ranked)
        does = "ranks first" if len(tied) == 1 else "share the first rank"
        first = f"{joined_names(tied)} {does} of {self.n_models} in {self.metric}" if tied else ""
        said = f"{apart if apart else 'none'} of {n} pairs can be distinguished, after Holm"
        return f"{first}; {said}." if first else f"{said[0].upper()}{said[1:]}."

    @property
    def is_long(self) -> bool:
        """Whether the script shows the pairs."""
        return len(self.rows) > MOST_ROWS

    def table(self) -> list[dict[str, object]]:
        """Return the pairs as rows of a table."""
        ends = ("value", "low", "high")
        return [
            {**{key: getattr(row.difference, key) for key in ends},
             **{column.key: getattr(row, column.key) for column in COLUMNS if column.key not in ends}}
            for row in self.rows
        ]  # fmt: skip

    def triangle(self) -> Picture | None:
        """Draw all pairs in the ranking metric; of two models the table says it all."""
        if not 3 <= len(self.ranked) <= MOST_IN_TRIANGLE:
            return None
        names = [name for name, _ in self.ranked]
        places = {name: i for i, name in enumerate(names)}
        cells = {}
        for row in self.rows:
            if row.metric == self.metric and row.first in places and row.second in places:
                i, j = places[row.first], places[row.second]
                value = row.difference.value
                signed = value if value is None or i < j else -value
                pair = f"{names[min(i, j)]} minus {names[max(i, j)]}"
                said = f"{pair}: {short(signed, 3)}, {p_words(row.holm)} (Holm)"
                cells[min(i, j), max(i, j)] = PairCell(
                    signed, distinguishable(row.holm, level=self.level), said
                )
        if not cells:
            return None
        title = f"Which models differ in {self.metric}"
        return triangle("pairs", title, names, cells, label=self.metric, level=self.level)

    def picture(self) -> Picture | None:
        """Draw the ranking with its intervals."""
        if len(self.ranked) < 2:
            return None
        title = f"{self.metric} of {len(self.ranked)} models"
        return standing_picture(
            "ranking", title, self.ranked, self.groups, label=self.metric, ends=self.ends, level=self.level
        )

    def own_picture(self) -> Picture | None:
        """Draw the ranking where the page shows it nowhere else."""
        return self.picture() if self.in_file else None


def _said_of_pair(row: PairRow, held: Comparison) -> str:
    """Say of two models whether they differ, the one that ranks first before the other."""
    metric, turned = held.metric, bool(held.ranked) and held.ranked[0][0] == row.second
    first, second = (row.second, row.first) if turned else (row.first, row.second)
    one = row.difference
    if one.value is None:
        return f"{first} and {second} cannot be compared in {metric}."
    value, low, high = (one.value, one.low, one.high) if not turned else _turned_ends(one)
    ends = ""
    if low is not None and high is not None:
        ends = f"{level_words(held.level)} {number_words(low, 3)} to {number_words(high, 3)}, "
    tested = "it cannot be tested" if row.p is None else p_words(row.p)
    told = typeset(f"{number_words(value, 3)} ({ends}{tested})")
    if distinguishable(row.holm, level=held.level):
        return f"{first} and {second} differ in {metric}: {first} minus {second} is {told}."
    return f"{first} and {second} cannot be distinguished in {metric}: their difference is {told}."


def _turned_ends(one: ShownNumber) -> tuple[float, float | None, float | None]:
    """Return a difference the other way round."""
    assert one.value is not None  # noqa: S101 - asked of known differences only
    return -one.value, None if one.high is None else -one.high, None if one.low is None else -one.low


def comparison(source: ResultFile, units: Mapping[str, str]) -> Comparison:
    """Return a comparison as the page shows it."""
    where = "" if source.file is None else f": {source.shown}"  # without a file it was made for the page
    result = source.result
    made = _of_items(result, units) if isinstance(result, CompareResult) else _of_metrics(result)
    title = units.get(result.kind, f"{made.metric}, item by item")
    return replace(made, title=f"{title}{where}", in_file=source.file is not None)


def read_compared(folder: Path, document: Document) -> CompareResult | MetricCompareResult:
    """Read the comparison that lies in a folder, by its own reader."""
    of_items = words(document, "format") == heading(ITEM_COMPARISON)["format"]
    return read_item_comparison(folder) if of_items else read_metric_comparison(folder)


def _of_items(result: CompareResult, units: Mapping[str, str]) -> Comparison:
    means = {one.name: one.mean for one in result.models}
    metric = METRICS.get(result.metric, result.metric)
    rows = []
    for pair in result.pairs:
        one, test = pair.comparison, "" if pair.comparison is None else pair.comparison.test
        found = Estimate(None, note="no item has a score on both sides") if one is None else one.difference
        said = "; ".join(filter(None, (test, found.note if one is None else one.note)))
        n = None if one is None else found.n
        rows.append(
            PairRow(pair.first, pair.second, metric, shown_number(found), pair.p_value, pair.p_holm, n, said)
        )
    ranked = [(name, value) for name in result.order if (value := means[name].value) is not None]
    ends = {name: (one.interval.low, one.interval.high) for name, one in means.items() if one.interval}
    shown = metric if result.kind in units else result.metric
    return Comparison("", shown, tuple(rows), result.groups, tuple(ranked), ends, result.choices.level)


def _of_metrics(result: MetricCompareResult) -> Comparison:
    rows = [
        PairRow(
            pair.first,
            pair.second,
            _metric_name(result, one.metric),
            shown_number(one.difference),
            one.p_value,
            one.p_holm,
            one.difference.n if result.words.counts_units else one.n_clusters,
            one.difference.note,
        )
        for pair in result.pairs
        for one in pair.metrics
    ]
    ends = {one.name: (one.interval.low, one.interval.high) for one in result.models if one.interval}
    ranked = tuple((name, value) for name, value in result.standing.values if value is not None)
    shown = _metric_name(result, result.metric)
    return Comparison("", shown, tuple(rows), result.standing.groups, ranked, ends, result.level)


def _metric_name(result: MetricCompareResult, key: str) -> str:
    """Return a metric's name; one number is called S_Cons on a page, that of the definition that was chosen.

    Differences have intervals under another definition than *peak* only, so those say which it is.
    """
    chosen, compared = (words(result.about, name) for name in ("reading", "compared_reading"))
    if chosen and key.startswith(f"{chosen}_"):
        return key.removeprefix(f"{chosen}_")
    if key in SOURCE_NUMBERS and chosen != compared:
        return f"{key} ({compared})"
    return METRICS.get(key, key)


def letters(comparisons: Sequence[Comparison], models: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return letters by model for every metric of which a comparison names only models of the page."""
    found: dict[str, dict[str, str]] = {}
    for one in comparisons:
        named = {name for group in one.groups for name in group}
        if named and named <= set(models):
            found.setdefault(one.metric, one.letters)
    return list(found.items())


def standing_of(
    views: Sequence[ModelAnswer], made: Sequence[Comparison], answer: QuestionAnswer
) -> Ranks | None:
    """Read who is better than whom from the comparison that names these results; ``None`` where none does."""
    passed = {view.label for view in views if not answer.gate(view)}
    for one in made:
        named = [name for name, _ in one.ranked]
        if len(named) >= 2 and set(named) <= {view.label for view in views}:
            order = tuple(name for name in named if name in passed)
            places = {name: i for i, name in enumerate(order)}
            differ = frozenset(
                (row.first, row.second) if places[row.first] < places[row.second] else (row.second, row.first)
                for row in one.rows
                if row.metric == one.metric and distinguishable(row.holm, level=one.level)
                and row.first in places and row.second in places
            )  # fmt: skip
            return Ranks(order, differ)
    return None
