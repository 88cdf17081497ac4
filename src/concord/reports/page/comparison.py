"""Comparisons of models as the page shows them, and letters for models that cannot be told apart."""

import string
from collections.abc import Sequence
from dataclasses import dataclass

from concord.reports.page.find import Source
from concord.reports.page.values import Document, Number, number, part, parts, texts, words

METRICS = {"pas": "PAS", "ecs": "ECS", "apr": "APR"}
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


def comparison(source: Source) -> Comparison:
    """Read a comparison: of scores item by item, or of people results study by study."""
    document = source.document
    of_people = words(document, "kind") == "people"
    rows = tuple(_people_rows(document) if of_people else _item_rows(document))
    metric = "PAS" if of_people else words(document, "metric")
    given = document.get("groups")
    if isinstance(given, list):
        groups = tuple(tuple(texts({"g": one}, "g")) for one in given)
    else:
        groups = _groups([row for row in rows if row.metric == metric], document)
    kind = "people, study by study" if of_people else f"{metric}, item by item"
    return Comparison(f"{kind}: {source.shown}", metric, rows, groups)


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


def _people_rows(document: Document) -> list[Pair]:
    return [
        _pair(part(entry, "metrics", key), entry, METRICS.get(key, key))
        for entry in parts(document, "pairs")
        for key in part(entry, "metrics")
    ]


def _item_rows(document: Document) -> list[Pair]:
    return [_pair(entry, entry, words(document, "metric")) for entry in parts(document, "pairs")]


def _groups(rows: Sequence[Pair], document: Document) -> tuple[tuple[str, ...], ...]:
    """Group neighbours in the order of values none of whose pairs differ after Holm."""
    values: dict[str, float] = {}
    for entry in parts(document, "pairs"):
        for side in ("first", "second"):
            value = number(entry, "metrics", "pas", f"{side}_value")
            if value is not None:
                values.setdefault(words(entry, side), value)
    order = sorted(values, key=lambda name: -values[name])
    level = number(document, "options", "level")
    alpha = 1 - (LEVEL if level is None else level)
    apart = {frozenset((r.first, r.second)) for r in rows if r.holm is not None and r.holm < alpha}
    unknown = {frozenset((r.first, r.second)) for r in rows if r.holm is None}
    groups: list[tuple[str, ...]] = []
    reached = 0
    for begin in range(len(order)):
        end = begin + 1
        while end < len(order) and not any(
            frozenset((order[end], o)) in apart | unknown for o in order[begin:end]
        ):
            end += 1
        if end > reached:
            groups.append(tuple(order[begin:end]))
            reached = end
    return tuple(groups)


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
