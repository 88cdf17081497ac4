"""Names in a text: whole words, folded, each name standing for one label or more."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

# Scripts that write without spaces: each character is a word.
_EACH = "\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# What French elides before a vowel is a word of its own: "crise d'asthme".
_ELIDED = r"(?:[cdjlmnst]|[CDJLMNST]|[Qq]u)(?=['’][^\W\d_]{2})"
_WORD_OR_GAP = re.compile(rf"([{_EACH}]|{_ELIDED}|[^\W_{_EACH}]+(?:['’][^\W_{_EACH}]+)*)")
_NO_EACH = re.compile(f"[^{_EACH}]+")
_HARD_GAP = re.compile(r"[.!?;:|。！？；：、，]|\n[^\S\n]*\n")
_SENTENCE_GAP = re.compile(r"[.!?](?:\s|[^\w\s])|\n|[。！？]")


_UNSEEN = ("M", "Cf")


def _replaced(text: str, categories: tuple[str, ...], replacement: str) -> str:
    """Replace every character of these Unicode categories."""
    found = [char for char in set(text) if unicodedata.category(char).startswith(categories)]
    if len(found) > 8:
        return re.sub(f"[{re.escape(''.join(found))}]", replacement, text)
    for char in found:
        text = text.replace(char, replacement)
    return text


def decomposed(text: str, categories: tuple[str, ...], replacement: str) -> str:
    """NFKD with the characters of these categories dropped or replaced.

    They are replaced before as well: canonical ordering sorts runs of combining marks by insertion, so a
    hostile megabyte of them would take hours.
    """
    if text.isascii():
        return text
    flat = unicodedata.normalize("NFKD", _replaced(text, categories, replacement))
    return _replaced(flat, categories, replacement)


def _unaccented(text: str) -> str:
    """Drop accents and characters that are not seen; syllables of Korean and Japanese stay whole."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", _replaced(text, _UNSEEN, ""))
    return _NO_EACH.sub(lambda run: decomposed(run.group(), _UNSEEN, ""), composed)


def fold_word(word: str) -> str:
    """Fold one word: case, possessive, British and American spelling, plural.

    Examples
    --------
    >>> [fold_word(word) for word in ("Generalised", "disorders", "Alzheimer's", "psychoses", "stress")]
    ['generalized', 'disorder', 'alzheimer', 'psychosis', 'stress']
    """
    folded = word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")
    return _spelling(_singular(folded))


def _singular(word: str) -> str:
    """Return a word without its plural ending; applied to both sides, so it need only be consistent."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("oses"):
        return word[:-2] + "is"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1]


_SPELLINGS = (
    (re.compile(r"is(e|ed|er|ing|ation)$"), r"iz\1"),
    (re.compile(r"ys(e|ed|er|ing)$"), r"yz\1"),
    (re.compile(r"our"), "or"),
    (re.compile(r"[ao]e"), "e"),
    (re.compile(r"ll(ed|ing|er)$"), r"l\1"),
)


def _spelling(word: str) -> str:
    """British to American spelling, for words long enough to be safe."""
    if len(word) > 6:
        for pattern, replacement in _SPELLINGS:
            word = pattern.sub(replacement, word)
    return word


class _Folded(dict[str, str]):
    """Words folded once; long ones, which only hostile texts hold, are not kept."""

    def __missing__(self, word: str) -> str:
        folded = fold_word(word)
        if len(word) <= 40 and len(self) < 200_000:
            self[word] = folded
        return folded


_FOLDED = _Folded()


class Words:
    """A text as folded words, and what lies between them.

    Accents, soft hyphens and zero-width characters do not cut a word. What lies between words is looked at
    only where a name or a cue is near: most words of a reply are far from any.

    Examples
    --------
    >>> found = Words("Not GAD. Post-traumatic stress")
    >>> found.folded
    ['not', 'gad', 'post', 'traumatic', 'stress']
    >>> found.in_capitals(1), found.runs_on(3), found.runs_on(2)
    (True, True, False)
    """

    __slots__ = ("_parts", "folded")

    def __init__(self, text: str) -> None:
        # Gap, word, gap, word, ..., gap.
        self._parts: list[str] = _WORD_OR_GAP.split(_unaccented(text))
        self.folded = list(map(_FOLDED.__getitem__, self._parts[1::2]))

    @property
    def text(self) -> str:
        """The text, without accents and unseen characters."""
        return "".join(self._parts)

    def spans(self, words: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return where each run of words, from its first up to but not including its last, is in the text."""
        places = list(accumulate(map(len, self._parts)))
        return [(places[2 * start], places[2 * end - 1]) for start, end in words]

    def sentences(self, indices: Sequence[int]) -> list[int]:
        """Return the number of the sentence of each of these words, which are in order."""
        numbers, sentence, last = [], 0, 0
        for index in indices:
            gaps = self._parts[2 * last + 2 : 2 * index + 1 : 2]
            sentence += sum(1 for gap in gaps if gap != " " and _SENTENCE_GAP.search(gap))
            numbers.append(sentence)
            last = index
        return numbers

    def before(self, index: int) -> str:
        """Return the text before a word."""
        return "".join(self._parts[: 2 * index + 1])

    def in_capitals(self, index: int) -> bool:
        """Whether the word is written in capitals only."""
        return self._parts[2 * index + 1].isupper()

    def runs_on(self, index: int) -> bool:
        """Whether a name may run on from the word before into this one.

        Over spaces, hyphens, slashes, commas and Markdown emphasis, not over the end of a sentence, a
        colon, a table cell or an empty line.
        """
        gap = self._parts[2 * index]
        return gap in (" ", "-") or not _HARD_GAP.search(gap)


START_LETTERS = 40
"""Beginnings of names up to this length are kept ready."""
ABBREVIATION_LETTERS = 5
"""A name in capitals with at most this many letters is an abbreviation, found in capitals only."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a name is, as word numbers from ``start`` up to but not including ``end``."""

    start: int
    end: int
    labels: frozenset[str]


def compact(name: str) -> str:
    """Fold a name to one string without spaces and hyphens.

    Examples
    --------
    >>> compact("Post-Traumatic Stress Disorders") == compact("posttraumatic stress disorder")
    True
    """
    return "".join(Words(name).folded)


def is_abbreviation(name: str) -> bool:
    """Whether a name is found in capitals only.

    Examples
    --------
    >>> [is_abbreviation(name) for name in ("SAD", "C-PTSD", "Panic Disorder", "SCHIZOPHRENIA")]
    [True, True, False, False]
    """
    letters = [char for char in name if char.isalpha()]
    return 2 <= len(letters) <= ABBREVIATION_LETTERS and all(char.isupper() for char in letters)


@dataclass(slots=True)
class NameIndex:
    """Names and the labels they stand for, ready to be looked up in many texts."""

    _plain: dict[str, set[str]] = field(default_factory=dict)
    _capital: dict[str, set[str]] = field(default_factory=dict)
    _starts: set[str] = field(default_factory=set)
    """Beginnings of names, up to `START_LETTERS`; all of them would take the square of a name's length."""
    _long: list[str] = field(default_factory=list)
    """Names beyond that, sorted when they are looked up."""
    _sorted: bool = False

    def add(self, label: str, names: Iterable[str]) -> None:
        """Let each name stand for the label as well."""
        for name in names:
            key = compact(name)
            if not key:
                continue
            table = self._capital if is_abbreviation(name) else self._plain
            table.setdefault(key, set()).add(label)
            self._starts.update(key[:size] for size in range(1, min(len(key), START_LETTERS) + 1))
            if len(key) > START_LETTERS:
                self._long.append(key)
                self._sorted = False

    def copy(self) -> "NameIndex":
        """Return an index of its own with the same names."""
        plain, capital = (
            {key: set(labels) for key, labels in table.items()} for table in (self._plain, self._capital)
        )
        return NameIndex(plain, capital, set(self._starts), list(self._long), self._sorted)

    def _is_start(self, run: str) -> bool:
        """Whether a name begins so."""
        if len(run) <= START_LETTERS:
            return run in self._starts
        if not self._sorted:
            self._long.sort()
            self._sorted = True
        place = bisect_left(self._long, run)
        return place < len(self._long) and self._long[place].startswith(run)

    def find(self, text: str | Words) -> list[Mention]:
        """Every mention in the text, longer and shorter ones alike, in order of their first word."""
        found = Words(text) if isinstance(text, str) else text
        starts, folded = self._starts, found.folded
        near = [
            index
            for index, word in enumerate(folded)
            if word in starts or (len(word) > START_LETTERS and self._is_start(word))
        ]
        mentions: list[Mention] = []
        for index in near:
            self._add_from(found, index, mentions)
        return mentions

    def _add_from(self, found: Words, start: int, mentions: list[Mention]) -> None:
        """Add the mentions whose first word is the given one."""
        folded, starts, run = found.folded, self._starts, ""
        for index in range(start, len(folded)):
            run += folded[index]
            if run not in starts and not (len(run) > START_LETTERS and self._is_start(run)):
                break
            if index > start and not found.runs_on(index):
                break
            if run in self._plain or run in self._capital:
                labels = self._labels(found, run, start, index + 1)
                if labels:
                    mentions.append(Mention(start, index + 1, labels))

    def _labels(self, found: Words, run: str, start: int, end: int) -> frozenset[str]:
        """Return what a run of words stands for; abbreviations stand for something in capitals only."""
        labels = self._plain.get(run, set())
        if run in self._capital and all(found.in_capitals(index) for index in range(start, end)):
            labels = labels | self._capital[run]
        return frozenset(labels)


def widest(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that lie inside no other one, in order: of overlapping names the longest counts."""
    kept: list[Mention] = []
    for one in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        if not kept or one.end > kept[-1].end:
            kept.append(one)
    return kept
