"""Answers to probes as rows, and what the probes found of one model."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from concord.reasoning.hints.rows import HintScores
from concord.reasoning.read.records import Outcome
from concord.reasoning.result import LEVEL
from concord.records import EMPTY, Estimate, InputFile, LeftOutCell

OK = str(Outcome.OK)
EARLY, FILLER, MISTAKE, PARAPHRASE, PAIRS, HINTS = (
    "early",
    "filler",
    "mistake",
    "paraphrase",
    "pairs",
    "hints",
)
PROBES = (EARLY, FILLER, MISTAKE, PARAPHRASE, HINTS, PAIRS)
"""Every probe, in the order of asking."""
CELLS = {
    EARLY: ("prefix", "reordered"),
    FILLER: ("cot", "filler", "direct"),
    MISTAKE: ("chain", "mistake", "again"),
    PARAPHRASE: ("original", "paraphrase"),
    PAIRS: ("target", "control"),
}
"""What the cells of each probe are called."""


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """One answer under one intervention."""

    probe: str
    id: str
    """The item; of pairs, the pair."""
    cell: str
    repeat: int = 0
    """Which chain of the item."""
    sample: int = 0
    """Which answer to the same prompt."""
    step: int | None = None
    """Steps given (early, paraphrase), or the step that was replaced (mistake), counted from 1."""
    n_steps: int | None = None
    """Steps of the whole chain."""
    answer: str | None = None
    correct: bool | None = None
    outcome: str = OK
    leaked: bool | None = None
    """Whether reasoning came where only an answer was asked for."""
    dimension: str | None = None
    biased: bool | None = None
    """Pairs: the answer is the label of the stereotype."""
    mentioned: bool | None = None
    """Pairs: the reasoning mentions the feature."""
    model: str | None = None
    step_f1: float | None = None
    """Filler: overlap of the chain's steps with the gold steps, where there are any."""

    @property
    def read(self) -> bool:
        """Whether an answer was found."""
        return self.outcome == OK and self.answer is not None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of the early-answer curve: the share of the chain that was given."""

    share: float
    same: Estimate
    """How often the answer is already the final one."""
    correct: Estimate


@dataclass(frozen=True, slots=True)
class LengthRow:
    """Chains of one length."""

    n_steps: int
    n_chains: int
    aoc: float


@dataclass(frozen=True, slots=True)
class EarlyScores:
    """Early answers along the chain."""

    aoc: Estimate
    """Area over the early-answer curve: 0 where the chain is ignored, towards 1 where its end decides."""
    aoc_by_length: Estimate
    """The same pooled over chains by their length, as in Lanham et al. (2023)."""
    lengths: tuple[LengthRow, ...]
    curve: tuple[CurvePoint, ...]
    commit: Estimate
    """Share of the chain after which the answer stays."""
    floor: Estimate
    """How often two answers to the same whole chain differ: what noise alone gives."""
    normalised: Estimate
    """Same answer without and with the chain, over same answer without it and options reordered."""
    if_same: Estimate
    """The area if every unreadable answer were the final one."""
    if_different: Estimate
    n_short: int
    """Chains of fewer than two steps: counted, not scored."""
    n_unread: int
    """Chains with an unreadable answer: counted, not scored."""
    n_answers: int
    n_leaked: int
    gate: str
    """Why the numbers should not be used; empty where nothing speaks against it."""
    n_no_ends: int = 0
    """Chains that were not asked after 0 steps and after all of them: counted, not scored."""


@dataclass(frozen=True, slots=True)
class FillerScores:
    """The gap in two parts: what the words did and what the extra computation did."""

    gap: Estimate
    content: Estimate
    """Accuracy after the chain minus accuracy after filler of equal length."""
    computation: Estimate
    """Accuracy after filler minus accuracy without either."""
    acc_cot: Estimate
    acc_filler: Estimate
    acc_early: Estimate
    n_answers: int
    n_leaked: int
    gate: str
    step_f1: Estimate = Estimate(None, note="no chain has gold steps")
    """Overlap of the chains' steps with gold steps, for the joint view."""


@dataclass(frozen=True, slots=True)
class FlipScores:
    """Answers that change with a mistake, and those that change without one."""

    flips: Estimate
    floor: Estimate
    """Flips when the chain is continued from the same place without a mistake."""
    excess: Estimate
    aoc: Estimate
    """Area over the curve of unchanged answers against the place of the mistake."""
    aoc_excess: Estimate
    correct: Estimate
    """Accuracy after the mistake."""
    verdict: str
    n_short: int


@dataclass(frozen=True, slots=True)
class ParaphraseScores:
    """Accuracy of continued chains, original and in other words."""

    area: Estimate
    """Area between the two accuracy curves, original minus paraphrase."""
    flips: Estimate
    """How often the answers of the two differ."""
    original: Estimate
    paraphrase: Estimate
    verdict: str
    n_short: int


@dataclass(frozen=True, slots=True)
class DimensionRow:
    """Silent bias of one dimension."""

    name: str
    n_pairs: int
    n_biased: int
    n_silent: int
    excess: Estimate
    silent_rate: Estimate


@dataclass(frozen=True, slots=True)
class PairScores:
    """Counterfactual pairs with a floor."""

    flips: Estimate
    floor: Estimate
    excess: Estimate
    verdict: str
    dimensions: tuple[DimensionRow, ...]
    """All pairs first, then by dimension."""


@dataclass(frozen=True, slots=True)
class ProbeScores:
    """Everything the probes found about one model."""

    model: str
    early: EarlyScores | None = None
    filler: FillerScores | None = None
    mistake: FlipScores | None = None
    paraphrase: ParaphraseScores | None = None
    pairs: PairScores | None = None
    hints: HintScores | None = None
    outcomes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Probe to outcome to number of answers."""
    asked: Mapping[str, str] = field(default_factory=dict)
    """How it was asked: prefill or instruction, whose chain, who rewrote steps; empty of recorded tables."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    level: float = LEVEL
    """Of every interval."""
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)
    """Cells of a table that could not be read."""
