"""A model as scorer of texts: it sees every reply with the reference, in a run of its own beside the first.

``judge:MODEL`` gives a number from 0 to 10; ``nli:MODEL`` says whether a reply says the same as the
reference, something else, or the contrary. Both are also shown some texts whose truth is known, so that a
reader learns what the scores mean.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from concord.errors import FileFormatError
from concord.files.json_text import parsed
from concord.files.templates import fill, read_template
from concord.records import AskOutcome, Design, Message, Template, Trial
from concord.structure.items import parse_items
from concord.structure.meaning.calibrate import (
    KINDS,
    LANGUAGES,
    Calibration,
    MeaningTriple,
    calibration_of,
    read_triples,
)
from concord.structure.scorers import Asked, explanation

SUITE = "judge"
KNOWN = "calibration"
"""What the ids of texts whose truth is known begin with."""
KNOWN_TRIPLES = 20
_NUMBER = re.compile(r"^(?!.{0,40}\bnot\b)[^\d]{0,40}?(?<![-−–])(10|\d)(?:\s*/\s*10)?(?:[.\s*]|$)")
_RELATIONS = ("same", "other", "contrary")
_RELATION = re.compile(r"\b(SAME|OTHER|CONTRARY)\b")
"""The words as they are asked for; in small letters they are words of any sentence."""
_MARKED_RELATION = re.compile(r"\b(?:answer|relation|verdict)\W{0,3}(?:is\W{0,3})?(\w+)", re.IGNORECASE)
_DENIED = re.compile(r"\bnot\s+(?:the\s+|an?\s+)?\W*(?:SAME|OTHER|CONTRARY)\b", re.IGNORECASE)


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

    def model(self, scorer: str) -> str | None:
        """Return the model that a scorer names, or nothing for another scorer."""
        return scorer.removeprefix(self.prefix) if scorer.startswith(self.prefix) else None

    def read(self, reply: str) -> JudgedText:
        """Read what the model said."""
        return JudgedText(verdict(reply)) if self.prefix == "judge:" else relation(reply)


MODEL_SCORERS = (ModelScorer("judge:", "judge.v1"), ModelScorer("nli:", "nli.v1"))


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
    """Lay out what the model is asked: each usable reply with its reference, named by the reply's key.

    Texts whose truth is known come last, where there are some in the language of the items.
    """
    known = {item.id: item for item in parse_items(items, "items").items}
    way = model_scorer(str(options.get("scorer", "")))
    template = read_template("structure", MODEL_SCORERS[0].template if way is None else way.template)
    trials = []
    for row in rows:
        item = known[row["id"]]
        if row["outcome"] != AskOutcome.OK:
            continue
        if not item.reference:
            raise FileFormatError(f"item {item.id!r} has no 'reference', which a judge needs")
        asked = Asked(item, str(options["arranger"]), str(row["mode"]))
        texts = (item.reference, explanation(row["response"], asked)[0])
        trials.append(_text_trial(template, str(row["key"]), *texts))
    if trials:
        trials += [_text_trial(template, *one) for one in _known_texts(language_of(items))]
    return Design(SUITE, tuple(trials), (template,))


def _text_trial(template: Template, name: str, reference: str, reply: str) -> Trial:
    text = fill(template, reference=reference, reply=reply)
    return Trial(SUITE, name, "score", (Message("user", text),), 0, template.name)


def known_triples(language: str | None) -> tuple[MeaningTriple, ...]:
    """Return the triples that a model is shown: spread evenly over those of a language."""
    if language not in LANGUAGES:
        return ()
    triples = read_triples(language)
    return triples[:: len(triples) // KNOWN_TRIPLES][:KNOWN_TRIPLES]


def n_known_texts(items: bytes) -> int:
    """Return how many texts whose truth is known a model as scorer is shown with a set of items."""
    return len(KINDS) * len(known_triples(language_of(items)))


def _known_texts(language: str | None) -> Iterator[tuple[str, str, str]]:
    for one in known_triples(language):
        for kind in KINDS:
            yield f"{KNOWN}/{one.id}/{kind}", one.reference, str(getattr(one, kind))


def verdict(reply: str) -> float | None:
    """Read a judge's number as a score; anything but one whole number from 0 to 10 is no verdict.

    Examples
    --------
    >>> verdict("7"), verdict("Score: 10/10"), verdict("**3**"), verdict("between 3 and 5"), verdict("11")
    (0.7, 1.0, 0.3, None, None)
    >>> verdict("-3"), verdict("not 7")
    (None, None)
    """
    found = _NUMBER.match(reply.strip())
    if found is None or len(set(re.findall(r"\d+", reply)) - {"10"} | {found.group(1)}) > 1:
        return None
    return int(found.group(1)) / 10


def relation(reply: str) -> JudgedText:
    """Read how a text relates to its reference: 1 for the same, 0 otherwise.

    The word alone, marked as the answer, or in capitals as it was asked for; two words, or one that is
    denied, are no verdict.

    Examples
    --------
    >>> relation("SAME"), relation("**Contrary.**").score, relation("the same or other").score
    (JudgedText(score=1.0, relation='same'), 0.0, None)
    >>> relation("The text is not the same as the reference.").score is None
    True
    """
    alone = re.sub(r"\W+", " ", reply).strip().casefold()
    marked = {word.casefold() for word in _MARKED_RELATION.findall(reply)} & set(_RELATIONS)
    found = (
        {alone} if alone in _RELATIONS else {word.casefold() for word in _RELATION.findall(reply)} | marked
    )
    if len(found) != 1 or _DENIED.search(reply):
        return JudgedText(None)
    word = found.pop()
    return JudgedText(float(word == "same"), word)


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
    scores = np.array([[_or_nan(one) for one in row] for row in said])
    return calibration_of(scorer, language, scores)


def _or_nan(found: JudgedText | None) -> float:
    return float("nan") if found is None or found.score is None else found.score
