"""Comparisons of models as the page shows them, and letters for models that cannot be told apart."""

import string
from collections.abc import Sequence
from dataclasses import dataclass

from concord.reports.page.find import Source
from concord.reports.page.values import Document, Number, number, part, parts, texts, words
from concord.reports.plot_standing import standing_picture
from concord.reports.svg import Picture

METRICS = {"pas": "PAS", "ecs": "ECS", "apr": "APR"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two models and the difference of one metric, first less second."""

    first: str
    second: str
    metric: str
    difference: Number
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
    rows: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    """Models that cannot be told apart, from best to worst; groups may overlap."""
    ranked: tuple[tuple[str, float], ...] = ()
    """Models and numbers from best to worst, where the file says."""

    def picture(self) -> Picture | None:
        """Draw the ranking; of two models the table says it all."""
        if len(self.ranked) < 3:
            return None
        title = f"{self.metric} of {len(self.ranked)} models"
        return standing_picture("ranking", title, self.ranked, self.groups, label=self.metric)


def comparison(source: Source) -> Comparison:
    """Read a comparison: item by item, study by study, or arrangement by arrangement."""
    document = source.document
    kind = words(document, "kind")
    several = kind in _UNITS
    rows = tuple(_metric_rows(document) if several else _item_rows(document))
    metric = words(document, "metric")
    shown = METRICS.get(metric, metric) if several else metric
    groups = tuple(tuple(texts({"g": one}, "g")) for one in _lists(document.get("groups")))
    title = f"{kind}, {_UNITS[kind]}" if several else f"{shown}, item by item"
    return Comparison(f"{title}: {source.shown}", shown, rows, groups, _ranked(document))


def _ranked(document: Document) -> tuple[tuple[str, float], ...]:
    """Give the ranking with its numbers: beside it, or the means of the models."""
    values = {words(model, "name"): number(model, "mean") for model in parts(document, "models")}
    values |= {name: number(document, "ranking_values", name) for name in part(document, "ranking_values")}
    ranked = [(name, values.get(name)) for name in texts(document, "ranking")]
    return tuple((name, value) for name, value in ranked if value is not None)


_UNITS = {"people": "study by study", "structure": "arrangement by arrangement"}


def _lists(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _pair(entry: Document, names: Document, metric: str) -> Pair:
    interval = part(entry, "difference_interval")
    n = number(entry, "n_items")
    return Pair(
        words(names, "first"),
        words(names, "second"),
        metric,
        Number(number(entry, "difference"), number(interval, "low"), number(interval, "high")),
        number(entry, "p_value"),
        number(entry, "p_holm"),
        number(entry, "n_studies") if n is None else n,
        "; ".join(said for said in (words(entry, "test"), words(entry, "note")) if said),
    )


def _metric_rows(document: Document) -> list[Pair]:
    return [
        _pair(part(entry, "metrics", key), entry, METRICS.get(key, key))
        for entry in parts(document, "pairs")
        for key in part(entry, "metrics")
    ]


def _item_rows(document: Document) -> list[Pair]:
    return [_pair(entry, entry, words(document, "metric")) for entry in parts(document, "pairs")]


def letters(comparisons: Sequence[Comparison], models: Sequence[str]) -> tuple[dict[str, str], str]:
    """Give each model the letters of its groups, from the first comparison that names all its members.

    Returns
    -------
    tuple
        Letters by model, none where no comparison fits, and the metric they are about.
    """
    for one in comparisons:
        named = {name for group in one.groups for name in group}
        if not named or not named <= set(models):
            continue
        marks: dict[str, str] = {}
        for letter, group in zip(string.ascii_lowercase, one.groups, strict=False):
            for name in group:
                marks[name] = marks.get(name, "") + letter
        return marks, one.metric
    return {}, ""
