"""The first thing a reader sees: for every model one plain line per question."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.show.page.content import Content

MOST = 6
"""Models that are shown at once; further ones are a click away."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What is said of one model: every question with its answer."""

    name: str
    lines: tuple[tuple[str, str], ...]


def summary(content: Content, order: Sequence[str]) -> list[Summary]:
    """Say of every model what each question found, in the order of the leaderboard.

    Parameters
    ----------
    content
        Everything the page shows.
    order
        Labels of the leaderboard's rows.
    """
    said: dict[str, list[tuple[str, str]]] = {label: [] for label in order}
    for panel in content.panels:
        for view in content.of(panel.name):
            said.setdefault(view.label, []).append((panel.heading, panel.sentence(view)))
    return [Summary(name, tuple(lines)) for name, lines in said.items() if lines]
