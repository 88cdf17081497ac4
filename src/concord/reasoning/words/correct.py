"""Is the diagnosis right? The names that a reply may give, and whether what was read is the gold label."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from concord.files import cells
from concord.reading.names import NameIndex, Words, compact
from concord.reading.read import read_reply
from concord.reading.records import Reading
from concord.reasoning.words.names import DATA, AliasTable

_KNOWN = json.loads((DATA / "diagnoses.json").read_text("utf-8"))
KINDS: Mapping[str, str] = _KNOWN["kinds"]
"""Subtypes, and the kind that they stand for in a set without the subtype."""
FORMS = tuple[Mapping[str, str], ...](_KNOWN["forms"])
"""Words that tell forms of one disease apart, each with the form it means, as folded words."""
SOURCE_ALIASES: Mapping[str, Sequence[str]] = _KNOWN["source_aliases"]
"""The aliases of the research code."""

Labels = Mapping[str, tuple[str, ...]]
_BEFORE = 3
"""Words before a name that may say which form is meant: "acute on chronic pancreatitis"."""
_NEAR = 60
_CLAUSE = re.compile(r"[.;:!?\n(]")
_FORM_AFTER = re.compile(r",?\s{1,2}([^\W\d_]{3,20})(?=\s{0,2}(?:$|[.;,\n)*]))")
"""Which form is meant, behind the name: "meningitis, viral"."""


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


def forms_in(words: Sequence[str]) -> dict[int, set[str]]:
    """Return which forms a run of folded words names, by the contrast that they belong to."""
    found: dict[int, set[str]] = {}
    for number, contrast in enumerate(FORMS):
        named = {contrast[word] for word in words if word in contrast}
        if named:
            found[number] = named
    return found


@dataclass(slots=True)
class Judge:
    """Reads and judges replies to one set of vignettes."""

    table: AliasTable
    gold_labels: tuple[str, ...]
    """Canonical gold labels, in the order of the set."""
    index: NameIndex
    shared: frozenset[str]
    """Labels of the set that share a name with another one."""
    _labels: dict[str, Labels] = field(default_factory=dict)
    """What the reader is given, by the label that an ambiguous name means."""

    @classmethod
    def of(cls, table: AliasTable, gold: Iterable[str]) -> "Judge":
        """Make a judge for a set with these gold labels."""
        labels = list(dict.fromkeys(gold))
        canonical = tuple(dict.fromkeys(map(table.canonical, labels)))
        names = {label: {compact(name) for name in table.names.get(label, [])} for label in canonical}
        counts = Counter(name for own in names.values() for name in own)
        shared = frozenset(label for label, own in names.items() if any(counts[name] > 1 for name in own))
        return cls(table, canonical, table.index(labels), shared)

    def read(self, response: str, gold: str) -> Reading:
        """Read the diagnosis of a reply; a name that two labels share means the gold one.

        Where all labels of the set are letters, it asks for a letter; where all are numbers, for a number.
        """
        if self.numeric:
            return read_reply(response, number=(None, None))
        if self.gold_labels and all(len(label) == 1 and label.isalpha() for label in self.gold_labels):
            return read_reply(response, choices=dict.fromkeys(sorted(self.gold_labels), ()))
        return read_reply(response, labels=self.labels(gold))

    @property
    def numeric(self) -> bool:
        """Whether all labels of the set are numbers, which are compared as such."""
        return bool(self.gold_labels) and all(as_number(label) is not None for label in self.gold_labels)

    def labels(self, gold: str) -> Labels:
        """Return all labels with their names, those of the set first.

        A subtype stands for the kind that the set asks for, where the set does not tell them apart.
        """
        label = self.table.canonical(gold)
        first = "" if label in self.gold_labels and label not in self.shared else label
        if first not in self._labels:
            self._labels[first] = self._made([first] if first else [], gold)
        return self._labels[first]

    def _made(self, first: Sequence[str], gold: str) -> Labels:
        asked = dict.fromkeys([*first, *self.gold_labels])
        owned = {compact(name) for label in asked for name in self.table.names.get(label, [])}
        made = {label: list(self.table.names.get(label, [])) for label in (*asked, *self.table.names)}
        for label in first:
            made[label].append(gold.strip())
        for subtype, kind in KINDS.items():
            if kind in asked and subtype not in asked and subtype in made:
                made[kind] += [name for name in made.pop(subtype) if compact(name) not in owned]
        return {label: tuple(names) for label, names in made.items()}

    def is_right(self, reading: Reading, response: str, gold: str) -> bool:
        """Whether what was read is the gold label, and no other form of its disease."""
        if self.numeric:
            return reading.ok and reading.value == as_number(gold)
        if not reading.ok or reading.other or reading.value != self.table.canonical(gold):
            return False
        return not self._is_another_form(reading, response, gold)

    def _is_another_form(self, reading: Reading, response: str, gold: str) -> bool:
        """Whether an excluding word is beside the name: "viral meningitis" is no bacterial one."""
        # A name without any such word is none: "stroke" may be an ischemic one.
        wanted = forms_in(Words(gold).folded)
        if not wanted or reading.where is None or reading.how == "structured":
            return False
        start, end = reading.where
        near = _CLAUSE.split(response[max(0, start - _NEAR) : start])[-1]
        before = Words(near.rsplit(" of ", 1)[-1]).folded[-_BEFORE:]
        after = _FORM_AFTER.match(response[end : end + _NEAR])
        said = [*before, *Words(response[start:end]).folded, *(Words(after[1]).folded if after else ())]
        named = forms_in(said)
        return any(number in named and not named[number] & own for number, own in wanted.items())

    def names_gold(self, text: str, gold: str) -> bool:
        """Whether a text names the gold label anywhere, under any of its names."""
        label = self.table.canonical(gold)
        return any(label in meant(one.labels) for one in self.index.find(text))

    def tokens_before_name(self, text: str) -> int:
        """Count the whitespace tokens before the first known diagnosis, all of them where none is named."""
        found = Words(text)
        mentions = self.index.find(found)
        return len((found.before(mentions[0].start) if mentions else text).split())


def as_number(label: str) -> float | None:
    """Return the number that a label is; nothing where it is none.

    >>> as_number("1,960"), as_number("−58"), as_number("Gout")
    (1960.0, -58.0, None)
    """
    text = label.strip()
    try:
        return cells.number(text.replace(",", "") if _THOUSANDS.fullmatch(text) else text)
    except cells.BadCellError:
        return None


_THOUSANDS = re.compile(r"[-+−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def meant(labels: Iterable[str]) -> set[str]:
    """Return labels with the kinds that subtypes among them stand for."""
    held = set(labels)
    return held | {KINDS[label] for label in held if label in KINDS}
