"""Comparisons of models as the page shows them, and letters for models that cannot be told apart."""

import string
from collections.abc import Sequence
from dataclasses import dataclass

from concord.reports import plots
from concord.reports.page.find import Source
from concord.reports.page.values import Document, Number, number, part, parts, texts, words
from concord.reports.svg import Picture

METRICS = {
    "pas": "PAS", "ecs": "ECS", "apr": "APR", "gap": "Δ", "correct_cot": "accuracy after reasoning",
    "correct_early": "early accuracy", "step_f1": "Step-F1",
}  # fmt: skip
UNITS = {
    "people": "people, study by study",
    "structure": "structure, arrangement by arrangement",
    "reasoning": "reasoning, vignette by vignette",
}
LEVEL = 0.95


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
    values: tuple[tuple[str, Number], ...]
    """Models from best to worst with the number that orders them."""

    @property
    def letters(self) -> dict[str, str]:
        """Letters of the groups that each model belongs to."""
        marks: dict[str, str] = {}
        for letter, group in zip(string.ascii_lowercase, self.groups, strict=False):
            for name in group:
                marks[name] = marks.get(name, "") + letter
        return marks


def comparison(source: Source) -> Comparison:
    """Read a comparison: of scores item by item, or of results study by study or cell by cell."""
    document = source.document
    kind, given = words(document, "kind"), words(document, "metric")
    key = given if given or kind != "people" else "pas"
    several = any(part(entry, "metrics") for entry in parts(document, "pairs"))
    rows = tuple(_metric_rows(document) if several else _item_rows(document))
    metric = METRICS.get(key, key)
    values = _values(document, key)
    title = UNITS.get(kind, f"{metric}, item by item")
    return Comparison(
        f"{title}: {source.shown}", metric, rows, _groups(document, rows, metric, values), values
    )


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
    metric = words(document, "metric")
    return [_pair(entry, entry, METRICS.get(metric, metric)) for entry in parts(document, "pairs")]


def _values(document: Document, metric: str) -> tuple[tuple[str, Number], ...]:
    """Give models with the number that orders them: as ranked in the file, or from its models and pairs."""
    found: dict[str, Number] = {}
    for model in parts(document, "models"):
        interval = part(model, "mean_interval")
        value = number(model, "mean")
        if value is not None:
            found[words(model, "name")] = Number(value, number(interval, "low"), number(interval, "high"))
    for name in part(document, "ranking_values"):
        found.setdefault(str(name), Number(number(document, "ranking_values", name)))
    for entry in parts(document, "pairs"):
        for side in ("first", "second"):
            value = number(entry, "metrics", metric, f"{side}_value")
            if value is not None:
                found.setdefault(words(entry, side), Number(value))
    ranked = [name for name in texts(document, "ranking") if name in found]
    left = [name for name in found if name not in ranked]
    ordered = [*ranked, *sorted(left, key=lambda name: -_known(found[name]))]
    return tuple((name, found[name]) for name in ordered)


def _known(value: Number) -> float:
    return float("-inf") if value.value is None else value.value


def _groups(
    document: Document, rows: Sequence[Pair], metric: str, values: Sequence[tuple[str, Number]]
) -> tuple[tuple[str, ...], ...]:
    """Give the file's groups, or neighbours none of whose pairs a test tells apart, after Holm."""
    given = document.get("groups")
    if isinstance(given, list):
        return tuple(tuple(texts({"g": one}, "g")) for one in given)
    order = [name for name, _ in values]
    level = number(document, "options", "level")
    alpha = 1 - (LEVEL if level is None else level)
    apart = {
        frozenset((r.first, r.second))
        for r in rows
        if r.metric == metric and r.holm is not None and r.holm < alpha
    }
    groups: list[tuple[str, ...]] = []
    reached = 0
    for begin in range(len(order)):
        end = begin + 1
        while end < len(order) and not any(frozenset((order[end], o)) in apart for o in order[begin:end]):
            end += 1
        if end > reached:
            groups.append(tuple(order[begin:end]))
            reached = end
    return tuple(groups)


def picture(one: Comparison) -> Picture | None:
    """Draw models by their number, with a bar along those that cannot be told apart."""
    if len(one.values) < 2 or not one.groups:
        return None
    marks = [plots.Mark(name, value.value, value.low, value.high) for name, value in one.values]
    return plots.together(
        "cannot-be-told-apart",
        f"Which models can be told apart, {one.metric}",
        marks,
        one.groups,
        label=one.metric,
    )


def letters(comparisons: Sequence[Comparison], models: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Give letters by model for every metric of which a comparison names only models of the page.

    Returns
    -------
    list
        Metric and letters by model, one entry a metric.
    """
    found: dict[str, dict[str, str]] = {}
    for one in comparisons:
        named = {name for group in one.groups for name in group}
        if named and named <= set(models):
            found.setdefault(one.metric, one.letters)
    return list(found.items())
