"""What the readers of structural-consistency scores hand on: frozen, checked, nothing left out in silence."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from concord.records import InputFile

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files of scores are to be read."""

    column: str | None = None
    """Name of the score column, where it does not end in S_Acc or several do."""
    percent: bool = False
    """Scores run from 0 to 100 and are divided by 100."""
    lenient: bool = False
    """A score cell that holds text counts as missing instead of refusing the model."""
    encoding: str | None = None
    """Encoding of text files; ``None`` is UTF-8 with or without BOM, and nothing else."""
    decimal_comma: bool = False
    """``0,85`` is a number."""
    sheet: str | None = None
    """Sheet of a workbook that holds a long table; ``None``: the first that is shown."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was given and could not be scored, and why."""

    model: str
    arrangement: str | None
    """``None`` when the whole model is left out."""
    file: str
    reason: str

    def __str__(self) -> str:
        what = f"model {self.model!r}"
        if self.arrangement is not None:
            what += f", arrangement {self.arrangement!r}"
        return f"left out: {what}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ArrangementCounts:
    """What was found in one arrangement of one model."""

    n_mean: int = 0
    """Usable scores in the mean data."""
    n_max: int = 0
    """Usable scores in the max data."""
    missing_mean: int = 0
    missing_max: int = 0
    only_mean: int = 0
    """Items with a row in the mean data and none in the max data."""
    only_max: int = 0
    text_numbers: int = 0
    """Numbers that the spreadsheet stores as text."""
    clipped: int = 0
    """Scores within 1e-6 of [0, 1], moved to its end."""


@dataclass(frozen=True, slots=True, eq=False)
class RawSamples:
    """Every usable sample of a model: parallel arrays, sorted by item, arrangement, score."""

    item: Codes
    arrangement: Codes
    score: Floats
    answer: Codes | None = None
    """Answers as codes, -1 where none was given; ``None`` without an answer column."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreGrid:
    """The scores of one model: items in rows, arrangements in columns, NaN where there is no score."""

    model: str
    arrangements: tuple[str, ...]
    items: tuple[str, ...]
    mean: Floats
    maximum: Floats
    counts: tuple[ArrangementCounts, ...]
    samples: RawSamples | None = None
    clusters: tuple[str, ...] | None = None
    """Cluster of each item, where the table names one."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSet:
    """All models that could be read, and everything that could not."""

    models: tuple[ScoreGrid, ...]
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
