"""What the number of a text scorer means: right paraphrases against near misses and contradictions.

Every triple has a reference, the same in other words, something near that is not it, and its contrary. A
scorer that measured meaning would score the paraphrase highest; one that measures shared words does not.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from concord.errors import OptionError, UndefinedError
from concord.files.json_text import parsed
from concord.records import Estimate
from concord.structure.meaning.static import Similarity

if TYPE_CHECKING:
    from concord.stats.elementwise import Floats

LANGUAGES = ("en", "zh-Hans", "zh-Hant", "ja", "ko")
KINDS = ("paraphrase", "near_miss", "contradiction")
_ENOUGH = 6
"""Triples from which on perfect separation is no chance."""


@dataclass(frozen=True, slots=True)
class MeaningTriple:
    """A reference and three texts about it."""

    id: str
    reference: str
    paraphrase: str
    near_miss: str
    contradiction: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a scorer does on the triples of one language."""

    language: str
    scorer: str
    n: int
    against_contradiction: Estimate
    """Chance that a right paraphrase scores above a contradiction, ties half: 1 is perfect, 0.5 a coin."""
    against_near_miss: Estimate
    means: dict[str, float | None]
    """Mean score of each kind of text; ``None`` where no triple has all three scores."""


@lru_cache(maxsize=len(LANGUAGES))
def read_triples(language: str) -> tuple[MeaningTriple, ...]:
    """Read the bundled triples of a language."""
    if language not in LANGUAGES:
        raise OptionError(f"no calibration set for {language!r}; there are {', '.join(LANGUAGES)}")
    file = resources.files("concord").joinpath("structure", "meaning", "data", f"{language}.json")
    rows = parsed(f"{language}.json", file.read_bytes())["triples"]
    return tuple(MeaningTriple(row["id"], row["reference"], *(row[kind] for kind in KINDS)) for row in rows)


def calibrate(scorer: str, similarity: Similarity, language: str, *, level: float = 0.95) -> Calibration:
    """Score the triples of a language and say how well meanings are distinguished.

    Parameters
    ----------
    scorer
        Name of the scorer.
    similarity
        What it does with a reply and a reference.
    language
        One of `LANGUAGES`.
    level
        Nominal coverage of the intervals (jackknife-t over triples).
    """
    scores = np.array(
        [
            [_known_score(similarity(getattr(one, kind), one.reference)) for kind in KINDS]
            for one in read_triples(language)
        ]
    )
    return calibration_of(scorer, language, scores, level=level)


def calibration_of(scorer: str, language: str, scores: "Floats", *, level: float = 0.95) -> Calibration:
    """Say how well scores tell meanings apart."""
    whole = scores[~np.isnan(scores).any(axis=1)]
    means = {kind: float(whole[:, i].mean()) if len(whole) else None for i, kind in enumerate(KINDS)}
    if not len(whole):
        none = Estimate(None, note="no triple has a score for all three texts")
        return Calibration(language, scorer, 0, none, none, means)
    return Calibration(
        language,
        scorer,
        len(whole),
        _auc(whole[:, 0], whole[:, 2], level),
        _auc(whole[:, 0], whole[:, 1], level),
        means,
    )


def _known_score(value: float | None) -> float:
    return 0.0 if value is None else value  # a text without a token shares nothing with the reference


def area_under_curve(right: "Floats", wrong: "Floats") -> float:
    """Return the chance that a number of the first kind is above one of the second, ties half.

    Examples
    --------
    >>> area_under_curve(np.array([0.9, 0.8]), np.array([0.1, 0.8]))
    0.875
    """
    above = right[:, None] - wrong[None, :]
    return float((above > 0).mean() + 0.5 * (above == 0).mean())


def _auc(right: "Floats", wrong: "Floats", level: float) -> Estimate:
    from concord.stats.intervals import jackknife_t  # half a second, which asking a model has no use for

    n = right.size
    if np.ptp(np.append(right, wrong)) == 0:
        return Estimate(None, n=n, note="every text gets the same score")
    value = area_under_curve(right, wrong)
    kept = ~np.eye(n, dtype=bool)
    without = np.array([area_under_curve(right[row], wrong[row]) for row in kept])
    try:
        interval = jackknife_t(value, without, level=level, scale="logit")
    except UndefinedError as fault:
        return Estimate(value, None, n, note=f"no interval: {fault}")
    return Estimate(value, interval, n, method="AUC, jackknife-t over triples")


def measures_meaning(found: Calibration) -> bool:
    """Whether a scorer is shown to put right paraphrases above contradictions.

    A scorer that puts all of them above has no interval; by a coin that happens once in 924 of six triples.
    """
    interval = found.against_contradiction.interval
    if interval is None:
        return found.against_contradiction.value == 1 and found.n >= _ENOUGH
    return interval.low > 0.5


def calibration_words(found: Calibration) -> str:
    """Return what a score means, in a sentence."""
    value = found.against_contradiction.value
    if not found.n:
        return f"scorer {found.scorer}: {found.against_contradiction.note}, so that its errors are not known"
    if value is None:
        return (
            f"scorer {found.scorer}: on {found.n} calibration triples ({found.language}) every text gets the "
            "same score, so that it says nothing here"
        )
    verdict = "is not shown to measure meaning better than a coin"
    interval = found.against_contradiction.interval
    if measures_meaning(found):
        verdict = "measures meaning better than a coin"
    elif interval is not None and interval.high < 0.5:
        verdict = "measures shared words, not meaning"
    near = found.against_near_miss.value
    missed = "–" if near is None else f"{near:.0%}"
    return (
        f"scorer {found.scorer} on {found.n} calibration triples ({found.language}): a right paraphrase "
        f"scores above a contradiction in {value:.0%}, above a near miss in {missed} "
        f"of cases (a coin: 50%); mean scores {', '.join(_spelt_means(found))}; it {verdict}"
    )


def _spelt_means(found: Calibration) -> list[str]:
    """Return the mean scores in words."""
    known = [(kind.replace("_", " "), value) for kind, value in found.means.items() if value is not None]
    return [f"{value:.2f} ({kind})" for kind, value in known]


def uncalibrated_words(scorer: str, language: str | None) -> str:
    """Return what is known of a scorer whose texts are in a language without a calibration set."""
    of = "whose language the set does not say" if language is None else f"in {language!r}"
    return (
        f"scorer {scorer}: what its scores mean for texts {of} is not known; where it was tried "
        f"({', '.join(LANGUAGES)}) no scorer without a model told a right paraphrase from a contradiction; "
        "say about.language in the set, or give judge:MODEL or nli:MODEL"
    )
