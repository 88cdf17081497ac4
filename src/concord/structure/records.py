"""What is read, how it is scored, what scoring gives: frozen, full precision, undefined is ``None``."""

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from concord.files.codec import KEY
from concord.files.missing import MissingCodes, declared_missing
from concord.records import EMPTY, Estimate, InputFile, Interval, Told, UnreadBounds
from concord.stats.order import OrderEffect, VarianceShares

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files of scores are to be read."""

    column: str | None = None
    """Name of the score column, where it does not end in S_Acc or several do."""
    percent: bool = False
    """Scores run from 0 to 100 and are divided by 100."""
    strict: bool = False
    """A score cell that holds text refuses the model instead of counting as missing."""
    encoding: str | None = None
    """Encoding of text files; ``None`` is UTF-8 with or without BOM, and nothing else."""
    decimal_comma: bool = False
    """``0,85`` is a number."""
    sheet: str | None = None
    """Sheet of a workbook that holds a long table; ``None``: the first that is shown."""
    cluster: str | None = field(default=None, metadata=EMPTY)
    """Column of a long table that names the family of an item, where it is not called ``cluster``."""
    missing: str = field(default="", metadata=EMPTY)
    """Codes for no score that a user declared."""

    @property
    def codes(self) -> MissingCodes:
        """These codes as they are looked up."""
        return declared_missing(self.missing if self.missing else None)


@dataclass(frozen=True, slots=True)
class CellPlace:
    """Where a cell is, what it holds and what was expected."""

    sheet: str | None
    row: int | None
    column: str
    value: str
    what_to_do: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that was given and could not be scored, and why."""

    model: str
    arrangement: str | None
    """``None`` when the whole model is left out."""
    file: str
    reason: str
    cell: CellPlace | None = field(default=None, metadata=EMPTY)
    """The cell that could not be read and counts as missing, where it is one."""

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
    missing_mean: int = field(default=0, metadata={KEY: "n_missing_mean"})
    missing_max: int = field(default=0, metadata={KEY: "n_missing_max"})
    only_mean: int = field(default=0, metadata={KEY: "n_only_mean"})
    """Items with a row in the mean data and none in the max data."""
    only_max: int = field(default=0, metadata={KEY: "n_only_max"})
    text_numbers: int = field(default=0, metadata={KEY: "n_text_numbers"})
    """Numbers that the spreadsheet stores as text."""
    clipped: int = field(default=0, metadata={KEY: "n_clipped"})
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


CLAIMED = 0.05
"""An order effect is claimed where the test's p-value is below this."""
NO_FLIPS = "answers changed by order: not available, "
DEFINITIONS = ("peak", "paired", "unpaired", "across")


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """How scores are to be turned into numbers."""

    definition: str = field(default="peak", metadata={KEY: "reading"})
    """What the gap runs over; the option is called ``--reading``."""
    samples: int | None = None
    """Samples per cell behind mean and max files, where known."""
    baseline: str | None = None
    """Arrangement that is shown with E and R, not counted in them."""
    seed: int = 0
    m: int = 2
    """Size of the subsets of the fixed-m gap."""
    resamples: int = 2000
    splits: int = 100
    level: float = 0.95
    chance: float | None = None
    """Score of guessing, for multiple choice; ``None``: not known, or nothing to guess."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """E_perf, R_sens and S_Cons under one definition."""

    definition: str = field(metadata={KEY: "reading"})
    e_perf: Estimate = field(metadata={KEY: "E_perf"})
    r_sens: Estimate = field(metadata={KEY: "R_sens"})
    s_cons: Estimate = field(metadata={KEY: "S_Cons"})
    r_at: str | None = field(default=None, metadata={KEY: "R_at"})
    """Arrangement (item under ``across``) with the largest gap."""
    r_crossfit: Estimate | None = field(default=None, metadata={KEY: "R_crossfit"})
    gaps: tuple[float | None, ...] = ()
    """Gap per counted arrangement, or per item under ``across``."""
    gap_intervals: tuple[Interval | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ArrangementRow:
    """One arrangement of one model."""

    name: str = field(metadata={KEY: "arrangement"})
    is_baseline: bool = field(metadata={KEY: "baseline"})
    gap: float | None
    """Gap under the chosen definition; under ``across``, which has none, the paired gap."""
    interval: Interval | None
    paired_gap: float | None
    fixed_m_gap: float | None = field(metadata={KEY: "star_gap"})
    mean_score: float | None = field(metadata={KEY: "mean"})
    max_score: float | None = field(metadata={KEY: "max"})
    n: int
    """Items the gap rests on."""
    counts: ArrangementCounts


CellScore: TypeAlias = tuple[str, float | None, float | None, float | None]
"""One item under one arrangement: the arrangement, mean score, largest score, fixed-m gap where there is one.

Plain tuples, since a result holds hundreds of thousands of them.
"""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item of one model."""

    name: str
    cluster: str | None
    mean_score: float | None
    n_arrangements: int
    paired_gap: float | None
    across_gap: float | None
    worst_arrangement: str | None
    best_arrangement: str | None
    flip_excess: float | None = None
    scores: tuple[CellScore, ...] = ()
    """What was scored under every counted arrangement."""


@dataclass(frozen=True, slots=True)
class Order:
    """The order effect and what surrounds it."""

    effect: OrderEffect | None
    shares: VarianceShares | None = field(metadata={KEY: "variance_shares"})
    worst: str | None
    """Arrangement with the lowest mean score."""
    best: str | None
    lowest: float | None = field(metadata={KEY: "worst_mean"})
    highest: float | None = field(metadata={KEY: "best_mean"})
    spread: float | None
    """Highest minus lowest mean score."""
    n_incomplete: int
    """Items left out because some arrangement lacks them."""
    note: str = ""
    bounds: UnreadBounds | None = field(default=None, metadata=EMPTY)
    """Of the order effect, with the unread replies filled in so that arrangements are alike, and unlike."""
    p_unread: float | None = field(default=None, metadata=EMPTY)
    """Of no order effect if the unread replies made the arrangements as alike as they can."""
    difference: Estimate | None = field(default=None, metadata=EMPTY)
    """Of two arrangements, mean score of the best minus that of the worst; ``None`` with more of them."""

    @property
    def tau(self) -> Estimate:
        """The order effect with its interval; undefined, its reason."""
        if self.effect is None:
            return Estimate(None, note=self.note)
        return Estimate(
            self.effect.tau, self.effect.interval, self.effect.n_items, note=self.note, bounds=self.bounds
        )

    @property
    def p_value(self) -> float | None:
        """Of no order effect."""
        return None if self.effect is None else self.effect.p_value

    @property
    def claim_p(self) -> float | None:
        """What a claim rests on: the larger p where replies are unread."""
        if self.p_value is None or self.p_unread is None:
            return self.p_value
        return max(self.p_value, self.p_unread)


@dataclass(frozen=True, slots=True)
class ModelResult:
    """Everything that is known about one model."""

    model: str
    consistency: Consistency
    """Under the chosen definition."""
    others: tuple[Consistency, ...]
    """Under the other definitions."""
    fixed_m: Consistency | None
    """Fixed-m gap; ``None`` where it is not available, and ``fixed_m_note`` says why."""
    fixed_m_note: str
    order: Order
    flip_excess: Estimate | None
    arrangements: tuple[ArrangementRow, ...]
    items: tuple[ItemRow, ...]
    n_items: int
    n_arrangements: int
    n_missing: int
    samples_per_cell: tuple[int, int] | None
    """Smallest and largest number of samples per cell."""
    sentence: str
    """In plain words: how far scores move between arrangements beyond sampling noise."""
    notes: tuple[str, ...] = ()
    worst: Estimate = Estimate(None)
    """Mean score under the worst arrangement."""
    gate: str = ""
    """Why there is nothing to be consistent about; empty where there is."""
    flips_p: float | None = field(default=None, metadata=EMPTY)
    """Of answers that change no more between arrangements than between repeats; agrees with the interval."""

    def definition(self, name: str) -> Consistency | None:
        """Return the numbers under a definition, where they exist."""
        return next((entry for entry in (self.consistency, *self.others) if entry.definition == name), None)

    @property
    def flips(self) -> Estimate:
        """Flip excess; where there is none, why."""
        if self.flip_excess is not None:
            return self.flip_excess
        told = [note.removeprefix(NO_FLIPS) for note in self.notes if note.startswith(NO_FLIPS)]
        return Estimate(None, note=told[0] if told else "")


@dataclass(frozen=True, slots=True)
class Difference:
    """Two models on the items and arrangements they share: first minus second."""

    first: str
    second: str
    definition: str = field(metadata={KEY: "reading"})
    e_perf: Estimate = field(metadata={KEY: "E_perf"})
    r_sens: Estimate = field(metadata={KEY: "R_sens"})
    s_cons: Estimate = field(metadata={KEY: "S_Cons"})
    tau: Estimate
    n_items: int
    n_arrangements: int
    note: str = ""
    p_values: tuple[float | None, float | None, float | None] = (None, None, None)
    """Of no difference of E, of R, of S; not adjusted for the number of pairs."""
    flip_excess: Estimate = Estimate(None)
    worst: Estimate = Estimate(None)
    order_p_values: tuple[float | None, float | None, float | None] = (None, None, None)
    """Of no difference of tau, of flip excess, of the worst arrangement; not adjusted either."""


@dataclass(frozen=True, slots=True)
class StructureScores:
    """Structural consistency of every model that could be scored, and all that could not."""

    options: ScoreOptions
    models: tuple[ModelResult, ...]
    differences: tuple[Difference, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = field(default=())
    unread: Told = field(default=(), metadata=EMPTY)
    """Replies without a score, by arrangement, where a run says so."""
