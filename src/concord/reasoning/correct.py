"""Is the diagnosis right? Names in the answer, and what negation, scope and other names change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from concord.reasoning.names import AliasTable, Mention, NameIndex
from concord.reasoning.text import Words

NEGATION_WINDOW = 6
"""A cue negates a mention when it stands within this many words before it, in the same sentence."""

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
    negation: str = "ignore"
    """``ignore``, or ``exclude``: a mention after a cue of the data file does not count."""
    multiple: str = "any"
    """``any``, or ``only``: no other gold label of the set may be named."""


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
    cues: dict[str, list[tuple[str, ...]]]
    """Negation cues by their first word."""

    @classmethod
    def of(cls, table: AliasTable, gold: Iterable[str], cues: Sequence[str]) -> "Judge":
        """Make a judge for a set with these gold labels."""
        labels = list(gold)
        by_first: dict[str, list[tuple[str, ...]]] = {}
        for cue in cues:
            folded = tuple(Words(cue).folded)
            by_first.setdefault(folded[0], []).append(folded)
        return cls(table, table.index(labels), frozenset(map(table.canonical, labels)), by_first)

    def names_any(self, text: str) -> bool:
        """Whether a text names a known diagnosis."""
        return bool(self.index.find(text))

    def tokens_before_name(self, text: str) -> int:
        """Count the whitespace tokens before the first known diagnosis, all of them where none is named."""
        found = Words(text)
        mentions = self.index.find(found)
        return len((found.before(mentions[0].start) if mentions else text).split())

    def verdicts(self, text: str, gold: str) -> dict[tuple[str, str], bool]:
        """Whether a text names the gold label, for each setting of (negation, multiple)."""
        found = Words(text)
        label = self.table.canonical(gold)
        mentions = self.index.find(found)
        right = [mention for mention in mentions if label in mention.labels]
        other = [mention for mention in mentions if self._is_other(mention, label, right)]
        right_kept = [mention for mention in right if not self._negated(found, mention)]
        other_kept = [mention for mention in other if not self._negated(found, mention)]
        return {
            ("ignore", "any"): bool(right),
            ("ignore", "only"): bool(right) and not other,
            ("exclude", "any"): bool(right_kept),
            ("exclude", "only"): bool(right_kept) and not other_kept,
        }

    def _is_other(self, mention: Mention, label: str, right: list[Mention]) -> bool:
        """Whether a mention names another gold label of the set and is no part of the right name."""
        if label in mention.labels or not mention.labels & self.gold_labels:
            return False
        return not any(own.start <= mention.start and mention.end <= own.end for own in right)

    def _negated(self, found: Words, mention: Mention) -> bool:
        """Whether a cue stands, whole, within the window before a mention, in its sentence."""
        low = max(0, mention.start - NEGATION_WINDOW)
        for index in range(low, mention.start):
            for cue in self.cues.get(found.folded[index], ()):
                end = index + len(cue)
                whole = end <= mention.start and tuple(found.folded[index:end]) == cue
                if whole and found.same_sentence(index, mention.start):
                    return True
        return False
