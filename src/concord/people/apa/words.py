"""The names that are in reports of statistics, as they are printed: what ``words.json`` holds."""

import json
from collections.abc import Sequence
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
