"""Everything a page shows: the views of each question, replies, problems."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from concord.comparing.comparison import Comparison
from concord.errors import FileFormatError
from concord.kinds import Kind
from concord.show.citations import CONCORD, Entry
from concord.show.page.panel import ModelView, Panel
from concord.show.page.screen import Lead, PageFinding
from concord.show.page.values import FoundResults, Known, Problem, ReplyTable, ResultFile
from concord.show.svg import Picture


def _no_pictures(records: Sequence[Any]) -> Sequence[Picture]:
    return ()


def _no_words(_: Any) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Section:
    """One kind of result beside those that answer a question by themselves.

    A section is shown below its question where at least one of its files lies in the folders.
    """

    name: str
    """Short and unique: part of addresses and of file names."""
    question: str
    """Name of the question it belongs to."""
    heading: str
    file: str
    """Name of the file that holds a result."""
    key: str
    """A key that every such file has, and files of other kinds do not."""
    read: Callable[[ResultFile], Any]
    """Read one result; a `FileFormatError` is listed on the page, and the rest is shown."""
    show: Callable[..., str]
    """Show all records, as HTML made by `concord.show.page.fragments`, which escapes every text."""
    show_one: Callable[..., str] | None = None
    """Show one record by its place: where given, each record is of one model and is seen with its model."""
    pictures: Callable[[Sequence[Any]], Sequence[Picture]] = _no_pictures
    """The pictures of it that are written as files, too."""
    finding: Callable[[Any], PageFinding] | None = None
    """What one record found, for the first screen."""
    picture: Callable[[Any], tuple[str, str]] | None = None
    """The name and the HTML of the first picture of a record, for the first screen."""
    who: Callable[[Any], Sequence[str]] = _no_words
    """Models, agents or judges that one record is about, where its file names them inside."""
    methods: Callable[[Any, Mapping[str, Any]], str] = lambda _, __: ""
    """A paragraph for a paper about how a record was made, from it and from its file."""
    cites: tuple[Entry, ...] = (CONCORD,)
    """What that paragraph cites."""

    @property
    def known(self) -> Known:
        """How its files are recognised."""
        return Known(self.name, self.file, self.key)


@dataclass(frozen=True, slots=True)
class FilledSection:
    """A section with the records that were found."""

    section: Section
    records: tuple[Any, ...]
    sources: tuple[ResultFile, ...] = ()
    """The file of each record."""

    def html(self, lead: Lead | None = None) -> str:
        """Return the section's own part of the page, without what is on the first screen already."""
        return self.section.show(self.records) if lead is None else self.section.show(self.records, lead=lead)


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section as the template shows it."""

    section: Section
    records: tuple[Any, ...]
    html: str
    """All records, where they do not belong to one model each."""
    each: tuple["ShownRecord", ...] = ()


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A record of one model."""

    label: str
    model: str
    html: str


def shown_section(
    filled: FilledSection, views: Sequence[ModelView], lead: Lead | None = None
) -> ShownSection:
    """Return a section with its records under the names that the models have elsewhere on the page."""
    show = filled.section.show_one
    if show is None or len(filled.records) == 1:
        return ShownSection(filled.section, filled.records, filled.html(lead))
    beside = {view.source.file.parent: view for view in views if view.source.file is not None}
    each = []
    for i, (record, source) in enumerate(zip(filled.records, filled.sources, strict=True)):
        view = None if source.file is None else beside.get(source.file.parent)
        label, model = (source.model, source.model) if view is None else (view.label, view.model)
        given = {"lead": lead} if lead is not None and i == 0 else {}
        each.append(ShownRecord(label, model, show(record, i, **given)))
    return ShownSection(filled.section, filled.records, "", tuple(each))


def fill_sections(
    sections: Sequence[Section], found: FoundResults
) -> tuple[list[FilledSection], list[Problem]]:
    """Read the files of every section; sections without a readable one are left out."""
    filled, problems = [], []
    for section in sections:
        records = []
        for source in found.of(section.name):
            try:
                records.append((section.read(source), source))
            except FileFormatError as fault:
                problems.append(Problem(source.shown, str(fault)))
        if records:
            read, sources = zip(*records, strict=True)
            filled.append(FilledSection(section, tuple(read), tuple(sources)))
    return filled, problems


def by_question(
    filled: Sequence[FilledSection], views: Mapping[str, Sequence[ModelView]], lead: Lead | None = None
) -> Mapping[str, list[ShownSection]]:
    """Return the filled sections of each question; the one that leads without what is said already."""
    found: dict[str, list[ShownSection]] = {}
    for one in filled:
        question, own = one.section.question, lead if lead and lead.section == one.section.name else None
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
            return panel.agrees
        headings = {one.section.name: one.section.heading.lower() for one in self.sections}
        return headings.get(source.kind, source.kind)

    @property
    def units(self) -> dict[str, str]:
        """Each question with how its results are compared."""
        return {panel.name: f"{panel.heading}, {panel.by_units}" for panel in self.panels}

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
    def all_views(self) -> list[ModelView]:
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
