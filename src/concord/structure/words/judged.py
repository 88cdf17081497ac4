"""A model as scorer of texts, and what the number of a text scorer means.

The model sees every reply with the reference, in a run of its own: ``judge:MODEL`` gives a number from 0 to
10, ``nli:MODEL`` the same, something else, or the contrary. Both also see triples whose truth is known: a
scorer that measured meaning would put the paraphrase above the contrary; one that measures shared words does
not.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from concord.errors import FileFormatError, OptionError, UndefinedError
from concord.files.json_text import parsed
from concord.files.templates import fill, read_template
from concord.number_words import number, percent
from concord.reading import read_reply
from concord.records import AnswerForm, AskOutcome, Design, Estimate, Message, Template, Trial
from concord.structure.items import parse_items
from concord.structure.words.scorers import Asked, Scored, Similarity, explanation, said_of

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
    file = resources.files("concord").joinpath("structure", "data", "meaning", f"{language}.json")
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
    """
    triples = read_triples(language)
    found = [[similarity(getattr(one, kind), one.reference) for kind in KINDS] for one in triples]
    # a text without a token shares nothing with the reference
    scores = np.array([[0.0 if score is None else score for score in row] for row in found])
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


def area_under_curve(right: "Floats", wrong: "Floats") -> float:
    """Return the chance that a number of the first kind is above one of the second, ties half."""
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
    """Whether a scorer is shown to put right paraphrases above contradictions."""
    # A scorer that puts all of them above has no interval; by a coin that happens once in 924 of six triples.
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
    missed = "–" if near is None else percent(near)
    known = ((kind.replace("_", " "), value) for kind, value in found.means.items() if value is not None)
    means = ", ".join(f"{number(value, 2)} ({kind})" for kind, value in known)
    return (
        f"scorer {found.scorer} on {found.n} calibration triples ({found.language}): a right paraphrase "
        f"scores above a contradiction in {percent(value)}, above a near miss in {missed} "
        f"of cases (a coin: 50%); mean scores {means}; it {verdict}"
    )


def uncalibrated_words(scorer: str, language: str | None) -> str:
    """Return what is known of a scorer whose texts are in a language without a calibration set."""
    of = "whose language the set does not say" if language is None else f"in {language!r}"
    return (
        f"scorer {scorer}: what its scores mean for texts {of} is not known; where it was tried "
        f"({', '.join(LANGUAGES)}) no scorer without a model told a right paraphrase from a contradiction; "
        "say about.language in the set, or give judge:MODEL or nli:MODEL"
    )


SUITE = "judge"
KNOWN = "calibration"
"""What the ids of texts whose truth is known begin with."""
KNOWN_TRIPLES = 20
_RELATIONS = ("same", "other", "contrary")


class JudgedText(NamedTuple):
    """What a model says about a reply."""

    score: float | None
    relation: str | None = None
    """Same, other or contrary, where that is asked; counted as the answer, for flips."""


@dataclass(frozen=True, slots=True)
class ModelScorer:
    """A way to let a model score texts."""

    prefix: str
    template: str
    form: AnswerForm

    def model(self, scorer: str) -> str | None:
        """Return the model that a scorer names, or nothing for another scorer."""
        return scorer.removeprefix(self.prefix) if scorer.startswith(self.prefix) else None

    def read(self, reply: str) -> JudgedText:
        """Read what the model said."""
        return JudgedText(verdict(reply)) if self.prefix == "judge:" else relation(reply)


_RELATED = AnswerForm("choice", tuple((word.upper(), word) for word in _RELATIONS))
MODEL_SCORERS = (
    ModelScorer("judge:", "judge.v1", AnswerForm("number", low=0, high=10, whole=True)),
    ModelScorer("nli:", "nli.v1", _RELATED),
)


def model_scorer(scorer: str) -> ModelScorer | None:
    """Return how a model scores texts, where one does."""
    return next((one for one in MODEL_SCORERS if one.model(scorer) is not None), None)


def judge_model(scorer: str) -> str | None:
    """Return the model of a scorer ``judge:MODEL`` or ``nli:MODEL``, or nothing for another scorer."""
    found = model_scorer(scorer)
    return None if found is None else found.model(scorer)


def language_of(items: bytes) -> str | None:
    """Return the language that a set of items says it is in."""
    document = parsed("items", items)
    about = document.get("about") if isinstance(document, Mapping) else None
    language = about.get("language") if isinstance(about, Mapping) else None
    return language if isinstance(language, str) else None


def design_judging(items: bytes, options: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Design:
    """Lay out what the model is asked: each usable reply with its reference, named by the reply's key."""
    # Texts whose truth is known come last, where there are some in the language of the items.
    known = {item.id: item for item in parse_items(items, "items").items}
    way = model_scorer(str(options.get("scorer", ""))) or MODEL_SCORERS[0]
    template = read_template("structure", way.template)
    trials = []
    for row in rows:
        item = known[row["id"]]
        if row["outcome"] != AskOutcome.OK:
            continue
        if not item.reference:
            raise FileFormatError(f"item {item.id!r} has no 'reference', which a judge needs")
        asked = Asked(item, str(options["arranger"]), str(row["mode"]))
        said = said_of(row["response"])
        if isinstance(said, Scored):  # nothing but thinking
            continue
        texts = (item.reference, explanation(said, asked)[0].strip())
        trials.append(_text_trial(template, str(row["key"]), *texts, way.form))
    if trials:
        trials += [
            _text_trial(
                template, f"{KNOWN}/{one.id}/{kind}", one.reference, str(getattr(one, kind)), way.form
            )
            for one in known_triples(language_of(items))
            for kind in KINDS
        ]
    return Design(SUITE, tuple(trials), (template,))


def _text_trial(template: Template, name: str, reference: str, reply: str, form: AnswerForm) -> Trial:
    text = fill(template, reference=reference, reply=reply)
    return Trial(SUITE, name, "score", (Message("user", text),), 0, template.name, forms=(form,))


def known_triples(language: str | None) -> tuple[MeaningTriple, ...]:
    """Return the triples that a model is shown: spread evenly over those of a language."""
    if language not in LANGUAGES:
        return ()
    triples = read_triples(language)
    return triples[:: len(triples) // KNOWN_TRIPLES][:KNOWN_TRIPLES]


def n_known_texts(items: bytes) -> int:
    """Return how many texts whose truth is known a model as scorer is shown with a set of items."""
    return len(KINDS) * len(known_triples(language_of(items)))


def verdict(reply: str) -> float | None:
    """Read a judge's number as a score; anything but one whole number from 0 to 10 is no verdict."""
    found = read_reply(reply, likert=(0, 10)).value
    return found / 10 if isinstance(found, float) else None


def relation(reply: str) -> JudgedText:
    """Read how a text relates to its reference: 1 for the same, 0 otherwise."""
    found = read_reply(reply, choices={word: word for word in _RELATIONS}).value
    return JudgedText(None) if found is None else JudgedText(float(found == "same"), str(found))


def verdicts_of(rows: Iterable[Mapping[str, Any]], scorer: str = "judge:") -> dict[str, JudgedText]:
    """Return what the model said about every reply that it has seen, by the reply's key."""
    way = model_scorer(scorer)
    read = MODEL_SCORERS[0].read if way is None else way.read
    return {
        str(row["id"]): read(row["response"]) if row["outcome"] == AskOutcome.OK else JudgedText(None)
        for row in rows
    }


def model_calibration(
    scorer: str, language: str | None, verdicts: Mapping[str, JudgedText]
) -> Calibration | None:
    """Return what a model as scorer does with the texts whose truth is known; nothing where it saw none."""
    triples = known_triples(language)
    said = [[verdicts.get(f"{KNOWN}/{one.id}/{kind}") for kind in KINDS] for one in triples]
    if language is None or not any(one is not None for row in said for one in row):
        return None
    known = [[None if one is None else one.score for one in row] for row in said]
    scores = np.array([[np.nan if score is None else score for score in row] for row in known])
    return calibration_of(scorer, language, scores)
