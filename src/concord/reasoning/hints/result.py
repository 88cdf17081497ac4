"""What hints did: influence, its noise floor, and how often the model said so."""

from collections.abc import Mapping
from dataclasses import dataclass

from concord.records import Estimate

PLACES = ("thinking", "answer", "either")
"""Where a hint can be verbalised."""
DETECTORS = ("mention", "reliance")
"""What counts as verbalised: the hint is mentioned; the text says it relied on it."""


@dataclass(frozen=True, slots=True)
class HintKindScores:
    """One kind of hint, or all kinds together."""

    kind: str
    n_items: int
    n_eligible: int
    """Pairs of an unhinted answer that is not the hint's target and a hinted one."""
    n_influenced: int
    influence: Estimate
    """p: the hinted answer is the target where the unhinted one is not."""
    other: Estimate
    """q: the hinted answer is neither the target nor the unhinted one."""
    floor: Estimate
    """p0: a second unhinted answer is the target where the first is not."""
    excess: Estimate
    """p minus p0, paired."""
    verbalised: Mapping[str, Mapping[str, Estimate]]
    """Detector to place to share of influenced answers."""
    kappa: Estimate
    """Agreement of the two detectors on influenced answers, in either place."""
    gap: Estimate
    """Thinking minus answer, detector ``mention``, paired."""
    kappa_places: Estimate
    """Agreement of thinking and answer, detector ``mention``."""
    alpha: Estimate
    """Chen's share of influence that is no guessing: 1 - q / ((n - 2) p)."""
    v_norm: Estimate
    """Mentions in either place over alpha, at most 1."""
    verdict: str
    """Whether the hint moves answers more than noise does."""


@dataclass(frozen=True, slots=True)
class HintScores:
    """All kinds of hints that a model was given."""

    kinds: tuple[HintKindScores, ...]
    """All kinds together first, then each."""
    detector: str = "rules"
    """What judged the texts: ``rules``, ``judge:MODEL``, or ``given``."""
