"""What is read from a reported statistic, and what became of checking it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal

Kind = Literal["t", "F", "r", "chi2", "z", "U", "W", "H", "Q", "b", "OR", "binomial", "p"]
Relation = Literal["=", "<", ">"]
PRelation = Literal["=", "<", ">", "ns"]
_HELD: Final = json.loads(resources.files("concord").joinpath("people", "apa", "words.json").read_bytes())


def _word_list(name: str) -> frozenset[str]:
    """Return a list of words, parted by bars where some hold blanks."""
    held = _HELD[name]
    return frozenset(held.split("|") if "|" in held else held.split())


def _by_word(name: str) -> dict[str, Any]:
    """Return what every word of a list by meanings means."""
    held = _HELD[name].items()
    return {word: meant for meant, words in held for word in words.split("|" if "|" in words else None)}


RELATIONS: Final[dict[str, Relation]] = _by_word("relations")
# Capital R is a multiple correlation, not r; capital T is Student's with degrees of freedom, else Wilcoxon's.
STATISTICS: Final[dict[str, Kind]] = _by_word("statistics")
COEFFICIENTS: Final[dict[str, Kind]] = _by_word("coefficients")
"""Effects that are the statistic of a string which gives no other, beside their SE or interval."""
EXAMPLES: Final[dict[str, str]] = _HELD["examples"]
DEGREES: Final[dict[str, str]] = _by_word("degrees_of")
"""Where the only degrees of freedom of a statistic belong."""
NEVER_NEGATIVE: Final = _word_list("never_negative")
_CHI_SQUARES, _CHIS, SQUARES = _word_list("chi_squares"), _word_list("chis"), _word_list("squares")
P_WORDS, P0_WORDS, NS_WORDS = _word_list("p"), _word_list("p0"), _word_list("ns")
N_WORDS: Final[dict[str, Literal["n", "n1", "n2", "k"]]] = _by_word("sizes")
DF_WORDS: Final[dict[str, Literal["df", "df1", "df2"]]] = _by_word("degrees")
INTERVAL_WORDS, LABELLED = _word_list("intervals"), _word_list("labelled")
# Effect sizes and descriptives: understood, not recomputed. Small d is Cohen's, capital D a statistic.
EFFECTS, FOLDED_EFFECTS, SQUARED_EFFECTS = map(_word_list, ("effects", "folded_effects", "squared_effects"))
CONNECTING: Final = _word_list("connecting")
"""Words that, between a statistic and what belongs to it, do not part them in running text."""
TAILS: Final[dict[str, str]] = _by_word("tails")
JOINED_TAILS: Final = _word_list("joined_tails")
MEANINGFUL: Final = frozenset(
    word.lower()
    for words in (
        STATISTICS, _CHI_SQUARES, _CHIS, P_WORDS, P0_WORDS, NS_WORDS, N_WORDS, DF_WORDS, TAILS, JOINED_TAILS,
        INTERVAL_WORDS, LABELLED, EFFECTS, FOLDED_EFFECTS, SQUARED_EFFECTS, _word_list("other_first_words"),
    )
    for word in words
)  # fmt: skip
"""Every word that something understood can begin with."""


def is_chi_square(words: Sequence[str]) -> int:
    """Return how many of the next three tokens name chi-square: 0 to 3."""
    first, second, third = words
    bare = first.replace(" ", "")
    if bare.lower() in _CHI_SQUARES or bare == "X2" or bare.lower() in {"χ^2", "ꭓ^2", "chi^2", "x^2"}:
        return 1
    if first.lower() not in _CHIS:
        return 0
    if second.lower() in SQUARES or (second == "2" and (third in {"(", "["} or third in RELATIONS)):
        return 2
    return 3 if second == "-" and third.lower() in SQUARES else 0


Verdict = Literal["consistent", "inconsistent", "decision error", "not checkable"]


@dataclass(frozen=True, slots=True)
class ApaResult:
    """One reported statistic: what was printed, and nothing that was not.

    ``None`` means that the text does not give it; nothing is derived (``r(48)`` has ``df2 = 48`` and no
    ``n``) except the ``p0 = 0.5`` of a sign test, which is its definition.
    """

    kind: Kind
    statistic: float | None = None
    """The value; ``None`` for ``binomial`` (see ``k`` and ``n``) and for a p-value alone."""
    statistic_relation: Relation = "="
    statistic_decimals: int | None = None
    """Decimal places of the last printed digit: 1 for 49.1, 6 for 1.2e-5, -1 for 1.2e2."""
    df1: float | None = None
    """F: of the numerator; chi-square, H and Q: their degrees of freedom."""
    df2: float | None = None
    """F: of the denominator; t and r: their degrees of freedom."""
    n: int | None = None
    n1: int | None = None
    n2: int | None = None
    k: int | None = None
    p0: float | None = None
    z: float | None = None
    """The z printed with a U or a W."""
    z_decimals: int | None = None
    se: float | None = None
    """The standard error printed with a coefficient b or an odds ratio."""
    se_decimals: int | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    """The interval printed with a coefficient or an odds ratio."""
    p_relation: PRelation | None = None
    """``<=`` and ``>=`` are read as ``<`` and ``>``; ``ns`` is a claim without a number."""
    p_value: float | None = None
    p_decimals: int | None = None
    one_tailed: bool = False
    """Whether the text says so."""
    label: str = ""
    """The statistic's name as printed, such as ``rs`` or ``chi-square``."""
    text: str = ""
    """What was matched, as printed."""
    span: tuple[int, int] = (0, 0)
    """Where in the text that was given: first character, one past the last."""
    ignored: tuple[str, ...] = ()
    """What was understood and set aside: effect sizes, intervals, descriptives, words."""

    def significant(self, alpha: float = 0.05) -> bool | None:
        """Say whether the text claims p < alpha; ``None`` where it does not say.

        ``p > .01`` and ``p < .10`` claim neither at .05, and ``p = .05`` is rounded across it.

        Parameters
        ----------
        alpha
            The level of significance.
        """
        if self.p_relation == "ns":
            return False
        if self.p_relation is None or self.p_value is None:
            return None
        low, high = self.p_bounds()
        if high <= alpha:
            return True
        return False if low >= alpha else None

    def p_bounds(self) -> tuple[float, float]:
        """Return the smallest and largest p-value that the printed one can stand for.

        ``p = .03`` stands for .025 to .035, ``p < .03`` for 0 to .03, ``p = .000`` for 0 to .0005.
        """
        if self.p_value is None or self.p_decimals is None:
            return 0.0, 1.0
        half = 0.5 * 10.0**-self.p_decimals
        if self.p_relation == "=" or self.p_value == 0:
            return max(0.0, self.p_value - half), min(1.0, self.p_value + half)
        return (0.0, self.p_value) if self.p_relation == "<" else (self.p_value, 1.0)


@dataclass(frozen=True, slots=True)
class ApaCheck:
    """Whether a reported p-value follows from its statistic."""

    verdict: Verdict
    reason: str
    p_value: float | None = None
    """Recomputed from the statistic as printed, two-sided; ``None`` where it cannot be."""
    p_low: float | None = None
    p_high: float | None = None
    """Two-sided p over all statistics that round to the printed one."""
