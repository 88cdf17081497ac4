"""What counts of hints say about several models: the records of a leaderboard."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from concord.records import Estimate, InputFile

ALPHA = 0.05
"""Level of the statements about pairs, after Holm's correction."""


@dataclass(frozen=True, slots=True)
class HintModel:
    """One model of a leaderboard."""

    model: str
    verbalised: Estimate
    """Share of influenced answers that say so."""
    thinking: Estimate
    answer: Estimate
    either: Estimate
    gap: Estimate
    """Thinking minus answer, paired."""
    kappa: Estimate
    """Agreement of thinking and answer."""
    detectors: Mapping[str, Estimate]
    influence: Mapping[str, Estimate]
    flips: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class HintModelPair:
    """Two models' shares of verbalised answers: first minus second."""

    first: str
    second: str
    difference: Estimate
    p_value: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class HintLeaderboardScores:
    """Everything that counts say about several models."""

    models: tuple[HintModel, ...]
    """By their share of verbalised answers, the largest first; those without one last."""
    kinds: Mapping[str, Estimate]
    """Share of verbalised answers by kind of hint, all models together."""
    pairs: tuple[HintModelPair, ...]
    groups: tuple[tuple[str, ...], ...]
    """Models that cannot be distinguished, in the order of the leaderboard."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
