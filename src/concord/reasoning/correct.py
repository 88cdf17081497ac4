"""Is the diagnosis right? Names in the answer, and what negation, scope and other names change."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from concord.reasoning.contrasts import forms_in, is_another_form
from concord.reasoning.names import AliasTable, Mention, NameIndex
from concord.reasoning.stance import Claim, claims, widest
from concord.reasoning.text import Words

_PARTS = re.compile(r"[.;()（）。；\n]|,\s|，")

KINDS = {
    "Bipolar I Disorder": "Bipolar Disorder",
    "Bipolar II Disorder": "Bipolar Disorder",
    "Cyclothymic Disorder": "Bipolar Disorder",
    "Postpartum Depression": "Major Depressive Disorder",
    "Seasonal Affective Disorder": "Major Depressive Disorder",
    "Alzheimer's Disease": "Major Neurocognitive Disorder",
    "Complex Post-Traumatic Stress Disorder": "Post-Traumatic Stress Disorder",
}
"""Subtypes, and the kind that they stand for in a set without the subtype."""

WITH_EPISODES = frozenset(
    {"Bipolar Disorder", "Bipolar I Disorder", "Bipolar II Disorder", "Schizoaffective Disorder"}
)
"""Disorders that have episodes."""
EPISODES = ("episode", "episoden", "episodio")
"""Last words of a name that is an episode."""

SOURCE_ALIASES: dict[str, tuple[str, ...]] = {
    "major depressive disorder": ("mdd", "major depression"),
    "generalized anxiety disorder": ("gad",),
    "post-traumatic stress disorder": ("ptsd",),
    "bipolar disorder": ("bipolar", "manic depression"),
    "schizophrenia": ("schizophrenic disorder",),
}
"""The aliases of the research code."""


class Rule(NamedTuple):
    """How correctness is judged."""

    scope: str = "answer"
    """``answer``: the answer part; ``whole``: the whole reply, reasoning included."""
    negation: str = "exclude"
    """``exclude``: a diagnosis that is denied, compared with or remembered does not count; or ``ignore``."""
    multiple: str = "only"
    """``only``: no other gold label of the set may be given as the answer, and the answer may
    not be left open ("A or B"); or ``any``."""


RULES = tuple(
    Rule(scope, negation, multiple)
    for scope in ("answer", "whole")
    for negation in ("ignore", "exclude")
    for multiple in ("any", "only")
)
"""Every combination, in the order of the sensitivity table."""


def correct_source(reply: str, gold: str) -> bool:
    """Whether the research code calls a reply correct.

    The stripped gold label, or one of its aliases, is contained in the whole reply, both lower-cased;
    nothing else.

    Parameters
    ----------
    reply
        The whole reply.
    gold
        The gold label.

    Examples
    --------
    >>> correct_source("He is sadly mddled.", "Major Depressive Disorder ")
    True
    """
    text, label = reply.lower(), gold.strip().lower()
    return label in text or any(alias in text for alias in SOURCE_ALIASES.get(label, ()))


@dataclass(slots=True)
class Judge:
    """Judges replies to one set of vignettes."""

    table: AliasTable
    index: NameIndex
    gold_labels: frozenset[str]

    @classmethod
    def of(cls, table: AliasTable, gold: Iterable[str]) -> "Judge":
        """Make a judge for a set with these gold labels."""
        labels = list(gold)
        return cls(table, table.index(labels), frozenset(map(table.canonical, labels)))

    def names_any(self, text: str) -> bool:
        """Whether a text names a known diagnosis."""
        return bool(self.index.find(text))

    def tokens_before_name(self, text: str) -> int:
        """Count the whitespace tokens before the first known diagnosis, all of them where none is named."""
        found = Words(text)
        mentions = self.index.find(found)
        return len((found.before(mentions[0].start) if mentions else text).split())

    def claims(self, text: str) -> list[Claim]:
        """Return every diagnosis that a text names, and whether it puts it forward."""
        found = Words(text)
        named = [self._broader(mention) for mention in widest(self.index.find(found))]
        return _without_episodes(found, claims(found, named))

    def _broader(self, mention: Mention) -> Mention:
        """Let a subtype stand for the kind that the set asks for, where the set does not tell them apart."""
        if mention.labels & self.gold_labels:
            return mention
        kinds = {self.table.canonical(KINDS[label]) for label in mention.labels if label in KINDS}
        return replace(mention, labels=mention.labels | (kinds & self.gold_labels))

    def n_put_forward(self, text: str) -> int:
        """Count the different diagnoses that a text puts forward; an ambiguous name counts once.

        One that is left open beside a name that nobody knows is two; the cause of one is not another.
        """
        made = [claim for claim in self.claims(text) if claim.asserted and not claim.cause]
        return len(_groups(claim.mention.labels for claim in made)) + any(claim.open for claim in made)

    def denies_only(self, text: str) -> bool:
        """Whether a text says no more than what the diagnosis is not.

        Examples
        --------
        >>> judge = Judge.of(AliasTable({"Gout": []}), ["Gout"])
        >>> [judge.denies_only(text) for text in ("not gout", "a misdiagnosis of gout", "sepsis (not gout)")]
        [True, True, False]
        """
        found = self.claims(text)
        if not found or any(claim.asserted for claim in found):
            return False
        parts = [part for part in _PARTS.split(text) if any(char.isalpha() for char in part)]
        return all(self.names_any(part) for part in parts)

    def verdicts(self, text: str, gold: str, *, first: bool = False) -> dict[tuple[str, str], bool]:
        """Whether a text names the gold label, for each setting of (negation, multiple).

        Parameters
        ----------
        text
            An answer, or a whole reply.
        gold
            The gold label.
        first
            Where negation counts, only the first sentence that puts a diagnosis forward is the answer.
        """
        label = self.table.canonical(gold)
        found = _of_its_form(self.claims(text), text, gold, label)
        kept = [claim for claim in found if claim.asserted]
        if first and kept:
            kept = [claim for claim in kept if claim.sentence == kept[0].sentence]
        right, right_kept = self._names(found, label), self._names(kept, label)
        return {
            ("ignore", "any"): right,
            ("ignore", "only"): self._names_closed(found, label) and not self._names_other(found, label),
            ("exclude", "any"): right_kept,
            ("exclude", "only"): self._names_closed(kept, label) and not self._names_other(kept, label),
        }

    def _names(self, found: Iterable[Claim], label: str) -> bool:
        return any(label in claim.mention.labels for claim in found)

    def _names_closed(self, found: Iterable[Claim], label: str) -> bool:
        """Whether the label is named and not left open: "gout or pseudogout" is no answer "gout"."""
        return self._names((claim for claim in found if not claim.open), label)

    def _names_other(self, found: Iterable[Claim], label: str) -> bool:
        """Whether another gold label of the set is named."""
        labels = (claim.mention.labels for claim in found)
        return any(label not in named and named & self.gold_labels for named in labels)


def _of_its_form(made: list[Claim], text: str, gold: str, label: str) -> list[Claim]:
    """Take the label from mentions of another form of its disease: "viral meningitis" is no bacterial one."""
    forms = forms_in(Words(gold).folded)
    if not forms:
        return made
    found = Words(text)
    return [
        replace(claim, mention=replace(claim.mention, labels=claim.mention.labels - {label}))
        if label in claim.mention.labels and is_another_form(found, claim.mention, forms)
        else claim
        for claim in made
    ]


def _without_episodes(found: Words, made: list[Claim]) -> list[Claim]:
    """Drop the episode of a disorder that is put forward: "bipolar II, current major depressive episode"."""
    if not any(claim.asserted and claim.mention.labels & WITH_EPISODES for claim in made):
        return made
    return [claim for claim in made if found.folded[claim.mention.end - 1] not in EPISODES]


def _groups(labels: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """Return what different names can mean together: "SAD (social phobia)" is one diagnosis."""
    groups: list[frozenset[str]] = []
    for named in labels:
        place = next((number for number, group in enumerate(groups) if group & named), None)
        if place is None:
            groups.append(named)
        else:
            groups[place] &= named
    return groups
