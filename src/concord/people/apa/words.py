"""The names that are in reports of statistics, as they are printed."""

from collections.abc import Sequence
from typing import Final, Literal

Kind = Literal["t", "F", "r", "chi2", "z", "U", "W", "H", "Q", "b", "OR", "binomial", "p"]
Relation = Literal["=", "<", ">"]
PRelation = Literal["=", "<", ">", "ns"]

RELATIONS: Final[dict[str, Relation]] = {
    "=": "=",
    **dict.fromkeys(("<", "<=", "<<", "≤", "⩽", "≦", "≪"), "<"),
    **dict.fromkeys((">", ">=", ">>", "≥", "⩾", "≧", "≫"), ">"),
}

# Capital R is a multiple correlation, not r; capital T is Student's with degrees of freedom, else Wilcoxon's.
STATISTICS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("t", "ts"), "t"),
    **dict.fromkeys(("F", "Fs"), "F"),
    **dict.fromkeys(("r", "rs", "rho", "ρ", "ρs"), "r"),
    **dict.fromkeys(("z", "Z", "zs", "Zs"), "z"),
    "U": "U",
    "W": "W",
    "H": "H",
    "Q": "Q",
}
COEFFICIENTS: Final[dict[str, Kind]] = {"b": "b", "B": "b", "OR": "OR", "aOR": "OR", "AOR": "OR"}
"""Effects that are the statistic of a string which gives no other, beside their SE or interval."""
EXAMPLES: Final[dict[str, str]] = {
    "t": "'t(58) = 2.41'",
    "F": "'F(1, 58) = 5.81'",
    "r": "'r(48) = .31'",
    "chi2": "'χ²(1, N = 120) = 9.4'",
    "binomial": "'18 of 24'",
    "U": "'U = 341, n1 = 30, n2 = 31'",
    "z": "'z = 2.1'",
    "W": "'W = 120, n = 24'",
    "H": "'H(2, N = 60) = 9.4'",
    "Q": "'Q(3, N = 40) = 11.2'",
    "b": "'b = 0.45, SE = 0.12'",
    "OR": "'OR = 1.57, 95% CI [1.20, 2.05]'",
}
DEGREES: Final[dict[str, str]] = {"t": "df2", "r": "df2", "chi2": "df1", "H": "df1", "Q": "df1", "b": "df2"}
"""Where the only degrees of freedom of a statistic belong."""
NEVER_NEGATIVE: Final = frozenset({"F", "chi2", "U", "W", "H", "Q"})
_CHI_SQUARES: Final = frozenset({"χ2", "ꭓ2", "chi2", "chisq", "chisquare", "chisquared"})
_CHIS: Final = frozenset({"χ", "ꭓ", "chi"})
SQUARES: Final = frozenset({"squared", "square", "sq"})

P_WORDS: Final = frozenset({"p", "P", "ps", "Ps", "p's", "p’s", "P's", "P’s"})
P0_WORDS: Final = ("p0", "π0", "π", "chance")
NS_WORDS: Final = ("ns", "n.s.", "n.s", "n. s.", "n. s", "nonsignificant", "insignificant")
N_WORDS: Final[dict[str, Literal["n", "n1", "n2", "k"]]] = {
    **dict.fromkeys(("n", "N"), "n"),
    **dict.fromkeys(("n1", "N1"), "n1"),
    **dict.fromkeys(("n2", "N2"), "n2"),
    "k": "k",
}
DF_WORDS: Final[dict[str, Literal["df", "df1", "df2"]]] = {
    **dict.fromkeys(("df", "dfs", "d.f.", "d.f", "d. f.", "d. f", "dof"), "df"),
    "df1": "df1",
    "df2": "df2",
}

INTERVAL_WORDS: Final = ("ci", "cis", "cri", "hdi", "hpdi", "ci95", "ci90", "ci99", "ki", "ic")
LABELLED: Final = (
    "study", "experiment", "exp", "problem", "item", "table", "model", "sample", "question", "step", "block",
    "version", "series", "set", "rank", "hypothesis", "wave", "time", "trial", "part", "appendix", "figure",
)  # fmt: skip

# Effect sizes and descriptives: understood, not recomputed. Small d is Cohen's, capital D a statistic.
EFFECTS: Final = frozenset({
    "M", "Ms", "SD", "SDs", "SE", "SEs", "SEM", "Mdn", "MSE", "MSe", "MS", "d", "ds", "dz", "dav", "drm", "g",
    "gs", "f", "w", "V", "OR", "RR", "HR", "IRR", "AOR", "aOR", "b", "B", "bs", "IQR", "ES", "AUC", "CLES",
    "BF", "MD", "Mdiff", "Mdif",
})  # fmt: skip
FOLDED_EFFECTS: Final = frozenset({
    "mean", "means", "median", "mse", "delta", "δ", "phi", "φ", "φc", "beta", "β", "βs", "γ", "κ", "kappa",
    "α", "alpha", "power", "cles", "eta2", "etap2", "η2", "ηp2", "η2p", "ηg2", "η2g", "ω2", "ωp2", "ε2", "r2",
    "δr2", "f2", "bf10", "bf01", "bf", "logbf", "rrb", "λ", "lambda", "τ", "τb", "tau",
})  # fmt: skip
SQUARED_EFFECTS: Final = frozenset(
    {"η", "ηp", "ηg", "eta", "etap", "ω", "ωp", "omega", "ε", "epsilon", "r", "δr", "f", "φ"}
)

# Between a statistic and what belongs to it these words do not part them in running text.
CONNECTING: Final = frozenset({
    "and", "with", "partial", "adjusted", "adj", "cohen's", "cohen’s", "hedges's", "hedges’s", "hedges'",
    "hedges’", "cramer's", "cramer’s", "cramér's", "cramér’s", "glass's", "glass’s", "effect", "size",
})  # fmt: skip

TAILS: Final = {"one": "one", "1": "one", "two": "two", "2": "two"}
JOINED_TAILS: Final = ("onetailed", "twotailed", "onesided", "twosided")

_OTHER_FIRST_WORDS: Final = ("x2", "not", "non", "confidence", "credible", "binomial", "sign")
MEANINGFUL: Final = frozenset(
    word.lower()
    for words in (
        STATISTICS, _CHI_SQUARES, _CHIS, P_WORDS, P0_WORDS, NS_WORDS, N_WORDS, DF_WORDS, TAILS, JOINED_TAILS,
        INTERVAL_WORDS, LABELLED, EFFECTS, FOLDED_EFFECTS, SQUARED_EFFECTS, _OTHER_FIRST_WORDS,
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
