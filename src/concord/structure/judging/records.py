"""Votes of judges on pairs of answers, and what scoring them gives: frozen, undefined is ``None``."""

from dataclasses import dataclass

from concord.records import Estimate

Counts = tuple[int, int, int]
"""Votes for answer A, for answer B, ties."""
NONE: Counts = (0, 0, 0)

NUMBERS = {
    "flip_excess": "verdicts that change with the seats, minus those that change anyway",
    "preference": "votes for the first seat minus 1/2",
    "inconsistency": "verdicts that change with the seats",
    "repeat": "verdicts that change between votes of one order",
    "reversal": "winners that change with the seats, ties left out",
    "ties": "ties",
    "longer": "votes for the longer answer, ties left out",
    "length_slope": "log odds of winning per doubling of length",
    "length_slope_human": "the same for people",
    "agreement": "votes that agree with a person",
    "agreement_human": "people who agree with one another",
    "agreement_gap": "the first minus the second, on pairs that several people judged",
    "kappa": "agreement beyond chance",
    "kappa_human": "agreement of people beyond chance",
}
"""Every number of a judge, with the words that a table heads it with."""


@dataclass(frozen=True, slots=True)
class PairVotes:
    """All votes of one judge on one pair of answers."""

    pair: str
    ab: Counts = NONE
    """Votes where answer A was in the first seat."""
    ba: Counts = NONE
    """Votes where answer B was in the first seat."""
    unordered: Counts = NONE
    """Votes whose order was not recorded."""
    unreadable: tuple[int, int, int] = (0, 0, 0)
    """Replies without a verdict: A first, B first, order not recorded."""
    human: Counts = NONE
    """People's verdicts on the pair."""
    length_a: float | None = None
    """Characters of answer A."""
    length_b: float | None = None
    model_a: str = "A"
    model_b: str = "B"
    cluster: str = ""
    """What pairs have in common, such as the question; each its own where it is empty."""


@dataclass(frozen=True, slots=True)
class ModelWins:
    """How often one model's answers win, both orders alike, ties half."""

    model: str
    rate: Estimate


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """One judge."""

    judge: str
    numbers: dict[str, Estimate]
    """The numbers of `NUMBERS` by name."""
    preference_p: float | None
    """Exact sign test over pairs, or their clusters, that the seats are preferred alike."""
    flips_p: float | None
    """Permutation test that verdicts do not depend on the seats."""
    position: str
    """``first``, ``second`` or ``varying`` where position bias is shown, ``not shown``, ``not tested``."""
    wins: tuple[ModelWins, ...]
    pairs: tuple[PairVotes, ...]
    gate: str = ""
    """Why nothing may be concluded; empty where it may."""
    sentence: str = ""

    @property
    def n_votes(self) -> int:
        """Votes that were read."""
        return sum(sum(pair.ab) + sum(pair.ba) + sum(pair.unordered) for pair in self.pairs)

    @property
    def n_unreadable(self) -> int:
        """Replies without a verdict."""
        return sum(sum(pair.unreadable) for pair in self.pairs)

    @property
    def votes_per_order(self) -> tuple[int, int]:
        """Fewest and most votes on a pair in one order."""
        sizes = [sum(votes) for pair in self.pairs for votes in (pair.ab, pair.ba) if sum(votes)]
        return (min(sizes), max(sizes)) if sizes else (0, 0)
