"""A study that was read: what other modules take, without what reads and checks it."""

from dataclasses import dataclass

from concord.people.studies.format import Study
from concord.records import InputFile


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study, checked, and the file it came from."""

    study: Study
    file: InputFile
    warnings: tuple[str, ...] = ()
    raw: bytes = b""
    """The file itself: a run keeps a copy."""

    @property
    def name(self) -> str:
        """The study's name."""
        return self.study.study
