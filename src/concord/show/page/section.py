"""Further results of a question as sections of the page: one record each, gathered in `concord.questions`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from concord.errors import FileFormatError
from concord.show.page.found import FoundResults, Known, Problem, ResultFile
from concord.show.svg import Picture


def _no_pictures(records: Sequence[Any]) -> Sequence[Picture]:
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
    show: Callable[[Sequence[Any]], str]
    """Show all records, as HTML made by `concord.show.page.fragments`, which escapes every text."""
    pictures: Callable[[Sequence[Any]], Sequence[Picture]] = _no_pictures
    """The pictures of it that are written as files, too."""

    @property
    def known(self) -> Known:
        """How its files are recognised."""
        return Known(self.name, self.file, self.key)


@dataclass(frozen=True, slots=True)
class FilledSection:
    """A section with the records that were found."""

    section: Section
    records: tuple[Any, ...]

    @property
    def html(self) -> str:
        """The section's own part of the page."""
        return self.section.show(self.records)


def fill_sections(
    sections: Sequence[Section], found: FoundResults
) -> tuple[list[FilledSection], list[Problem]]:
    """Read the files of every section; sections without a readable one are left out.

    Parameters
    ----------
    sections
        The sections that the page knows.
    found
        Everything that lies in the folders.
    """
    filled, problems = [], []
    for section in sections:
        records = []
        for source in found.of(section.name):
            try:
                records.append(section.read(source))
            except FileFormatError as fault:
                problems.append(Problem(source.shown, str(fault)))
        if records:
            filled.append(FilledSection(section, tuple(records)))
    return filled, problems


def by_question(filled: Sequence[FilledSection]) -> Mapping[str, list[FilledSection]]:
    """Return the filled sections of each question."""
    found: dict[str, list[FilledSection]] = {}
    for one in filled:
        found.setdefault(one.section.question, []).append(one)
    return found
