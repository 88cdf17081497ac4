"""Comparisons of models as the page shows them, and letters for models that cannot be distinguished."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from concord.show.numbers import number as number_words
from concord.show.numbers import p_words, typeset
from concord.show.page.answer import ModelAnswer, QuestionAnswer, Ranks
from concord.show.page.found import ResultFile
from concord.show.page.table import PageColumn
from concord.show.page.values import Document, ShownNumber, number, part, parts, texts, words
from concord.show.plot_pairs import PairCell, triangle
from concord.show.plot_standing import standing_picture
from concord.show.plots import short
from concord.show.svg import Picture, last_parts
from concord.show.ties import joined_names, leaders
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
        return sum(distinguishable(row.holm, level=0.95) for row in own), len(own)

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
            return _said_of_pair(own[0], self.metric, [name for name, _ in self.ranked])
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
                cells[min(i, j), max(i, j)] = PairCell(signed, distinguishable(row.holm, level=0.95), said)
        if not cells:
            return None
        title = f"Which models differ in {self.metric}"
        return triangle("pairs", title, names, cells, label=self.metric)

    def picture(self) -> Picture | None:
        """Draw the ranking with its intervals."""
        if len(self.ranked) < 2:
            return None
        title = f"{self.metric} of {len(self.ranked)} models"
        return standing_picture("ranking", title, self.ranked, self.groups, label=self.metric, ends=self.ends)

    def own_picture(self) -> Picture | None:
        """Draw the ranking where the page shows it nowhere else."""
        return self.picture() if self.in_file else None


def _said_of_pair(row: PairRow, metric: str, ranked: Sequence[str]) -> str:
    """Say of two models whether they differ, the one that ranks first before the other."""
    turned = bool(ranked) and ranked[0] == row.second
    first, second = (row.second, row.first) if turned else (row.first, row.second)
    one = row.difference
    if one.value is None:
        return f"{first} and {second} cannot be compared in {metric}."
    value, low, high = (one.value, one.low, one.high) if not turned else _turned_ends(one)
    ends = "" if low is None or high is None else f"95 % {number_words(low, 3)} to {number_words(high, 3)}, "
    tested = "it cannot be tested" if row.p is None else p_words(row.p)
    told = typeset(f"{number_words(value, 3)} ({ends}{tested})")
    if distinguishable(row.holm, level=0.95):
        return f"{first} and {second} differ in {metric}: {first} minus {second} is {told}."
    return f"{first} and {second} cannot be distinguished in {metric}: their difference is {told}."


def _turned_ends(one: ShownNumber) -> tuple[float, float | None, float | None]:
    """Return a difference the other way round."""
    assert one.value is not None  # noqa: S101 - asked of known differences only
    return -one.value, None if one.high is None else -one.high, None if one.low is None else -one.low


def compared_names(source: ResultFile) -> list[str]:
    """Return the models that a comparison names."""
    return [words(model, "name") for model in parts(source.document, "models")]


def comparison(source: ResultFile, units: Mapping[str, str]) -> Comparison:
    """Read a comparison."""
    document = source.document
    kind = words(document, "kind")
    several = any(part(entry, "metrics") for entry in parts(document, "pairs"))
    rows = tuple(_metric_rows(document) if several else _item_rows(document))
    metric = words(document, "metric")
    shown = _metric_name(document, metric) if kind in units else metric
    groups = tuple(tuple(texts({"g": one}, "g")) for one in _lists(document.get("groups")))
    title = units.get(kind, f"{shown}, item by item")
    where = "" if source.file is None else f": {source.shown}"  # without a file it was made for the page
    values = _ranking_values(document)
    ends = _ranking_ends(document)
    return Comparison(f"{title}{where}", shown, rows, groups, values, ends, source.file is not None)


def _ranking_values(document: Document) -> tuple[tuple[str, float], ...]:
    """Return the ranking with its numbers: beside it, or the means of the models."""
    values = {words(model, "name"): number(model, "mean") for model in parts(document, "models")}
    values |= {name: number(document, "ranking_values", name) for name in part(document, "ranking_values")}
    ranked = [(name, values.get(name)) for name in texts(document, "ranking")]
    return tuple((name, value) for name, value in ranked if value is not None)


def _ranking_ends(document: Document) -> dict[str, tuple[float, float]]:
    """Return the intervals of the numbers that rank models."""
    found = {}
    for model in parts(document, "models"):
        for key in ("ranking_interval", "mean_interval"):
            low, high = (number(model, key, end) for end in ("low", "high"))
            if low is not None and high is not None:
                found[words(model, "name")] = (low, high)
    return found


def _lists(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _shown_pair(entry: Document, names: Document, metric: str) -> PairRow:
    interval = part(entry, "difference_interval")
    n = number(entry, "n_items")
    return PairRow(
        words(names, "first"),
        words(names, "second"),
        metric,
        ShownNumber(number(entry, "difference"), number(interval, "low"), number(interval, "high")),
        number(entry, "p_value"),
        number(entry, "p_holm"),
        number(entry, "n_studies") if n is None else n,
        "; ".join(said for said in (words(entry, "test"), words(entry, "note")) if said),
    )


def _metric_rows(document: Document) -> list[PairRow]:
    return [
        _shown_pair(part(entry, "metrics", key), entry, _metric_name(document, key))
        for entry in parts(document, "pairs")
        for key in part(entry, "metrics")
    ]


def _metric_name(document: Document, key: str) -> str:
    """Return a metric's name; one number is called S_Cons on a page, that of the definition that was chosen.

    Differences have intervals under another definition than *peak* only, so those say which it is.
    """
    chosen, compared = (words(document, name) for name in ("reading", "compared_reading"))
    if chosen and key.startswith(f"{chosen}_"):
        return key.removeprefix(f"{chosen}_")
    if key in SOURCE_NUMBERS and chosen != compared:
        return f"{key} ({compared})"
    return METRICS.get(key, key)


def _item_rows(document: Document) -> list[PairRow]:
    metric = words(document, "metric")
    return [_shown_pair(entry, entry, METRICS.get(metric, metric)) for entry in parts(document, "pairs")]


def letters(comparisons: Sequence[Comparison], models: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return letters by model for every metric of which a comparison names only models of the page."""
    found: dict[str, dict[str, str]] = {}
    for one in comparisons:
        named = {name for group in one.groups for name in group}
        if named and named <= set(models):
            found.setdefault(one.metric, one.letters)
    return list(found.items())


def standing_of(
    views: Sequence[ModelAnswer], made: Sequence[Comparison], answer: QuestionAnswer, *, level: float = 0.95
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
                if row.metric == one.metric and distinguishable(row.holm, level=level)
                and row.first in places and row.second in places
            )  # fmt: skip
            return Ranks(order, differ)
    return None
