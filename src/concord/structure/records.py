"""What scoring structural consistency gives: frozen, full precision, undefined is ``None``."""

from dataclasses import dataclass, field
from typing import TypeAlias

from concord.records import Estimate, InputFile, Interval
from concord.stats.order import OrderEffect, VarianceShares
from concord.structure.read.records import ArrangementCounts, LeftOut

DEFINITIONS = ("peak", "paired", "unpaired", "across")


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """How scores are to be turned into numbers."""

    definition: str = "peak"
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

    definition: str
    e_perf: Estimate
    r_sens: Estimate
    s_cons: Estimate
    r_at: str | None = None
    """Arrangement (item under ``across``) with the largest gap."""
    r_crossfit: Estimate | None = None
    gaps: tuple[float | None, ...] = ()
    """Gap per counted arrangement, or per item under ``across``."""
    gap_intervals: tuple[Interval | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ArrangementRow:
    """One arrangement of one model."""

    name: str
    is_baseline: bool
    gap: float | None
    """Gap under the chosen definition; under ``across``, which has none, the paired gap."""
    interval: Interval | None
    paired_gap: float | None
    fixed_m_gap: float | None
    mean_score: float | None
    max_score: float | None
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
    shares: VarianceShares | None
    worst: str | None
    """Arrangement with the lowest mean score."""
    best: str | None
    lowest: float | None
    highest: float | None
    spread: float | None
    """Highest minus lowest mean score."""
    n_incomplete: int
    """Items left out because some arrangement lacks them."""
    note: str = ""


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

    def definition(self, name: str) -> Consistency | None:
        """Return the numbers under a definition, where they exist."""
        return next((entry for entry in (self.consistency, *self.others) if entry.definition == name), None)


@dataclass(frozen=True, slots=True)
class Difference:
    """Two models on the items and arrangements they share: first minus second."""

    first: str
    second: str
    definition: str
    e_perf: Estimate
    r_sens: Estimate
    s_cons: Estimate
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
