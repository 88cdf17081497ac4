"""A sheet as a grid of cells, whatever file it came from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from concord.structure.read.records import Floats

if TYPE_CHECKING:
    import polars as pl

Cells: TypeAlias = "Sequence[object] | pl.Series"


def _never(empty: bool) -> bool:
    """Nothing is hidden in a grid that was read cell by cell."""
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Header and columns of one sheet.

    A grid from the fast engine holds typed columns and does not know an empty cell from an error or from a
    formula without a stored value, nor true from 1; ``hidden`` tells whether there may be such cells (asked
    with whether there are empty ones), and ``careful`` reads the sheet again, cell by cell.
    """

    file: str
    sheet: str | None
    """``None`` for a text file, which is one sheet."""
    header: tuple[str, ...]
    columns: tuple[Cells, ...]
    rows: Sequence[int]
    """Row numbers as the spreadsheet shows them."""
    typed: bool = False
    """The file knows numbers from text."""
    careful: "Callable[[], Grid] | None" = None
    hidden: Callable[[bool], bool] = field(default=_never)

    def cells(self, j: int) -> list[object]:
        """Cells of a column, as Python objects."""
        column = self.columns[j]
        return list(column) if isinstance(column, Sequence) else column.to_list()

    def numbers(self, j: int) -> Floats | None:
        """Return a column of the fast engine that holds only numbers and nothing, or ``None``."""
        column = self.columns[j]
        if isinstance(column, Sequence) or not column.dtype.is_numeric():
            return None
        values = np.asarray(column.to_numpy(), dtype=np.float64)
        return None if self.hidden(bool(np.isnan(values).any())) else values

    def is_blank(self, j: int) -> bool:
        """Tell whether a column has no header and no cell."""
        if self.header[j] != "":
            return False
        column = self.columns[j]
        if not isinstance(column, Sequence):
            return column.null_count() == len(column)
        return all(cell is None or cell == "" for cell in column)
