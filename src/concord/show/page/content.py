"""Everything a page shows: the views of each question, replies, problems."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from concord.show.page.comparison import Comparison, comparison
from concord.show.page.found import Problem, ReplyTable, ResultFile
from concord.show.page.panel import ModelView, Panel
from concord.show.page.section import FilledSection

Compare = Callable[..., Any]
"""What compares folders of results: `concord.compare`."""


@dataclass(frozen=True)
class Content:
    """What the page is made of."""

    panels: tuple[Panel, ...]
    views: Mapping[str, tuple[Any, ...]]
    """The views of each question, by its name."""
    comparisons: tuple[ResultFile, ...]
    replies: ReplyTable
    sources: tuple[ResultFile, ...]
    problems: tuple[Problem, ...]
    sections: tuple[FilledSection, ...] = ()
    """Further results, in the order of `concord.questions`."""

    def of(self, question: str) -> tuple[Any, ...]:
        """Return the views of one question."""
        return self.views[question]

    def panel(self, question: str) -> Panel | None:
        """Return the panel of a question; a comparison has none."""
        return next((panel for panel in self.panels if panel.name == question), None)

    def agrees(self, source: ResultFile) -> str:
        """Say what a result is about."""
        panel = self.panel(source.kind)
        if panel is not None:
            return panel.agrees
        headings = {one.section.name: one.section.heading.lower() for one in self.sections}
        return headings.get(source.kind, source.kind)

    @property
    def units(self) -> dict[str, str]:
        """Each question with how its results are compared."""
        return {panel.name: f"{panel.heading}, {panel.by_units}" for panel in self.panels}

    @cached_property
    def compared(self) -> tuple[Comparison, ...]:
        """The comparisons, read: of 57 models each holds thousands of pairs."""
        return tuple(comparison(source, self.units) for source in self.comparisons)

    @property
    def all_views(self) -> list[ModelView]:
        """The views of all questions."""
        return [view for panel in self.panels for view in self.views[panel.name]]

    @property
    def models(self) -> list[str]:
        """Names of all models, in the order of the folders."""
        return list(dict.fromkeys(view.model for view in self.all_views))
