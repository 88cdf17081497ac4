from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

import concord
from concord.errors import InputError
from concord.structure.result import StructureResult

Rows = Sequence[Sequence[object]]


@dataclass(frozen=True)
class Builder:
    """Writes the files a user might bring."""

    folder: Path

    @property
    def mean(self) -> Path:
        return self.folder / "baseline_mean"

    @property
    def max(self) -> Path:
        return self.folder / "baseline_max"

    def book(self, side: str, name: str, sheets: Mapping[str, Rows]) -> Path:
        """Write a workbook; formulas are given as ('=A1', stored value)."""
        path = self.folder / f"baseline_{side}" / name
        path.parent.mkdir(exist_ok=True)
        book = xlsxwriter.Workbook(path)
        for sheet, rows in sheets.items():
            page = book.add_worksheet(sheet)
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    self._write(page, i, j, cell)
        book.close()
        return path

    @staticmethod
    def _write(page: Any, i: int, j: int, cell: object) -> None:
        if cell is None:
            return
        if isinstance(cell, tuple):
            page.write_formula(i, j, cell[0], None, cell[1])
        elif isinstance(cell, str):
            page.write_string(i, j, cell)
        else:
            page.write(i, j, cell)

    def text(self, side: str, name: str, text: str, *, encoding: str = "utf-8") -> Path:
        path = self.folder / f"baseline_{side}" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode(encoding))
        return path

    def both(self, name: str, mean: Mapping[str, Rows], largest: Mapping[str, Rows] | None = None) -> None:
        """Write a model on both sides; the max side is the mean side unless given."""
        self.book("mean", name, mean)
        self.book("max", name, mean if largest is None else largest)

    def run(self, **options: Any) -> StructureResult:
        return concord.score_structure(self.mean, self.max, **options)

    def refused(self, **options: Any) -> str:
        """Score what cannot be scored, and give the message."""
        with pytest.raises(InputError, match="no model could be scored") as caught:
            self.run(**options)
        return str(caught.value)

    @staticmethod
    def said(result: StructureResult) -> str:
        return "\n".join((*result.left_out, *result.warnings))

    def says(self, result: StructureResult, text: str) -> None:
        """Check that the user is told."""
        assert text in self.said(result)

    @staticmethod
    def names(result: StructureResult) -> list[str]:
        return [model.model for model in result.models]

    @staticmethod
    def sheet(name: str, *scores: object) -> list[list[object]]:
        return sheet(name, *scores)

    @staticmethod
    def pair(*scores: object) -> dict[str, Rows]:
        return sheets(*scores)

    def good(self, name: str = "good.xlsx") -> None:
        """Write a model without any fault."""
        self.both(name, sheets(0.5), sheets(0.6))


def sheet(name: str, *scores: object) -> list[list[object]]:
    """One sheet: items and one score column."""
    return [["Idiom", f"{name}_S_Acc"], *([f"item{i}", score] for i, score in enumerate(scores, 1))]


def sheets(*scores: object) -> dict[str, Rows]:
    """Two arrangements with the same scores."""
    return {name: sheet(name, *scores) for name in ("ABDC", "BACD")}


@pytest.fixture
def build(tmp_path: Path) -> Builder:
    return Builder(tmp_path)
