"""Everything a page shows: the views of each question, replies, problems."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from concord.comparing.comparison import Comparison
from concord.errors import FileFormatError
from concord.kinds import Kind
from concord.show.page.declared import shown_result, shown_results
from concord.show.page.panel import Panel, ShownModel
from concord.show.page.screen import Lead
from concord.show.page.values import FoundResults, Problem, ReplyTable, ResultFile, without_folder


@dataclass(frozen=True, slots=True)
class FilledSection:
    """A kind beside those that answer a question by themselves, with the records that were found."""

    kind: type[Kind]
    records: tuple[Any, ...]
    sources: tuple[ResultFile, ...]
    """The file of each record."""


def shown_section(
    filled: FilledSection, views: Sequence[ShownModel], lead: Lead | None = None
) -> dict[str, Any]:
    """Return a section for its template: as one, or by models under the names they have elsewhere."""
    kind, records = filled.kind, filled.records
    if not kind.OF_ONE_MODEL or len(records) == 1:
        return {"kind": kind, "n": len(records), "html": shown_results(records, lead), "each": []}
    beside = {view.source.file.parent: view for view in views if view.source.file is not None}
    each = []
    for i, (record, source) in enumerate(zip(records, filled.sources, strict=True)):
        view = None if source.file is None else beside.get(source.file.parent)
        label, model = (source.model, source.model) if view is None else (view.label, view.model)
        html = shown_result(record, i, lead=lead if i == 0 else None)
        each.append({"label": label, "model": model, "html": html})
    return {"kind": kind, "each": each}


def fill_sections(
    kinds: Sequence[type[Kind]], found: FoundResults
) -> tuple[list[FilledSection], list[Problem]]:
    """Read the files of every kind; those without a readable one are left out."""
    filled, problems = [], []
    for kind in kinds:
        records = []
        for source in found.of(kind.SECTION):
            try:
                if source.file is None or source.file.name != kind.FILE:
                    raise FileFormatError(f"is not called {kind.FILE}, so what it found is not shown")
                records.append((kind.read(source.file.parent), source))
            except FileFormatError as fault:
                said = str(fault) if source.file is None else without_folder(fault, source.file.parent)
                problems.append(Problem(source.shown, said))
        if records:
            read, sources = zip(*records, strict=True)
            filled.append(FilledSection(kind, tuple(read), tuple(sources)))
    return filled, problems


def by_question(
    filled: Sequence[FilledSection], views: Mapping[str, Sequence[ShownModel]], lead: Lead | None = None
) -> Mapping[str, list[dict[str, Any]]]:
    """Return the filled sections of each question; the one that leads without what is said already."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in filled:
        question, own = one.kind.QUESTION, lead if lead and lead.section == one.kind.SECTION else None
        found.setdefault(question, []).append(shown_section(one, views.get(question, ()), own))
    return found


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
            return panel.said("agrees")
        headings = {one.kind.SECTION: one.kind.HEADING.lower() for one in self.sections}
        return headings.get(source.kind, source.kind)

    @property
    def units(self) -> dict[str, str]:
        """Each question with how its results are compared."""
        return {one.name: f"{one.said('heading')}, {one.said('units')}" for one in self.panels}

    @property
    def compared(self) -> tuple[Comparison, ...]:
        """The comparisons, those of files and those made for the page."""
        return tuple(source.result for source in self.comparisons)

    def compared_title(self, source: ResultFile) -> str:
        """Return what a comparison is called: its question or its metric, and its file where it has one."""
        result: Any = source.result
        title = self.units.get(result.kind, f"{result.metric_title}, item by item")
        return title if len(self.comparisons) < 2 or source.file is None else f"{title}: {source.shown}"

    @property
    def all_views(self) -> list[ShownModel]:
        """The views of all questions."""
        return [view for panel in self.panels for view in self.views[panel.name]]

    @property
    def records(self) -> list[tuple[Kind, str]]:
        """Every result with the file it was read from: of the questions, of the sections, comparisons."""
        read = {id(view.result): (view.result, view.source.shown) for view in self.all_views}
        more = [
            (record, source.shown)
            for filled in self.sections
            for record, source in zip(filled.records, filled.sources, strict=True)
        ]
        return [*read.values(), *more, *((source.result, source.shown) for source in self.comparisons)]

    @property
    def models(self) -> list[str]:
        """Names of all models, in the order of the folders."""
        return list(dict.fromkeys(view.model for view in self.all_views))
