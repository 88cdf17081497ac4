"""The records of a table before any of them is taken for a header, apart from how files are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from concord.files.grids import Numbered, is_blank
from concord.records import InputFile


@dataclass(frozen=True, slots=True)
class Area:
    """A merged area: first and last row as the spreadsheet shows them, first and last column from 0."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True, slots=True)
class RawTable:
    """The records of a table, none of them taken for a header."""

    name: str
    sheet: str | None
    records: tuple[Numbered, ...]
    merged: tuple[Area, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The file, and the sheet where there is one, as messages name them."""
        return self.name if self.sheet is None else f"{self.name}, sheet {self.sheet!r}"


def filled(cells: Sequence[Any]) -> list[int]:
    """Return the places of the cells that hold something."""
    return [i for i, cell in enumerate(cells) if not is_blank(cell)]
