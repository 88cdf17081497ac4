"""Comparisons of models on the page: what they are called, their letters, and who is better than whom."""

from collections.abc import Sequence
from pathlib import Path

from concord.comparing.comparison import Comparison, letters_of
from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.files.documents import heading
from concord.show.page.panel import ModelView, Ranks
from concord.show.page.values import Document


def read_compared(folder: Path, document: Document) -> Comparison:
    """Read the comparison that lies in a folder, by its own reader."""
    of_items = document.get("format") == heading(CompareResult.FORMAT)["format"]
    return CompareResult.read(folder) if of_items else MetricCompareResult.read(folder)


def letters(compared: Sequence[Comparison], models: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Return letters by model for every metric of which a comparison names only models of the page."""
    found: dict[str, dict[str, str]] = {}
    for one in compared:
        named = {name for group in one.alike for name in group}
        if named and named <= set(models):
            found.setdefault(one.metric_title, letters_of(one.alike))
    return list(found.items())


def standing_of(views: Sequence[ModelView], compared: Sequence[Comparison]) -> Ranks | None:
    """Read who is better than whom from the comparison that names these results; ``None`` where none does."""
    passed = {view.label for view in views if not view.gate}
    for one in compared:
        named = [name for name, _ in one.ranked]
        if len(named) >= 2 and set(named) <= {view.label for view in views}:
            order = tuple(name for name in named if name in passed)
            places = {name: i for i, name in enumerate(order)}
            differ = frozenset(
                (row.first, row.second) if places[row.first] < places[row.second] else (row.second, row.first)
                for row in one.ranking_pairs()
                if one.differ(row) and row.first in places and row.second in places
            )
            return Ranks(order, differ)
    return None
