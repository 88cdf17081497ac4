"""Names in a text: whole words, folded, each name standing for one label or more."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from concord.reading.marks import is_title
from concord.reading.records import NOTHING, Found, ReadOutcome, Value
from concord.reading.text import DECORATION, ENDING, Piece, folded, patterns, worth

# Scripts that write without spaces: each character is a word.
_EACH = "\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# What French elides before a vowel is a word of its own: "crise d'asthme".
_ELIDED = r"(?:[cdjlmnst]|[CDJLMNST]|[Qq]u)(?=['’][^\W\d_]{2})"
_WORD_OR_GAP = re.compile(rf"([{_EACH}]|{_ELIDED}|[^\W_{_EACH}]+(?:['’][^\W_{_EACH}]+)*)")
_NO_EACH = re.compile(f"[^{_EACH}]+")
_RE = patterns("names")


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
    """NFKD with the characters of these categories dropped or replaced."""
    # They are replaced before as well: canonical ordering sorts runs of combining marks by insertion, so a
    # hostile megabyte of them would take hours.
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
    """Fold one word: case, possessive, British and American spelling, plural."""
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
            sentence += sum(1 for gap in gaps if gap != " " and _RE["sentence_gap"].search(gap))
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
        """Whether a name may run on from the word before into this one."""
        # Over spaces, hyphens, slashes, commas and Markdown emphasis, not over the end of a sentence, a
        # colon, a table cell or an empty line.
        gap = self._parts[2 * index]
        return gap in (" ", "-") or not _RE["hard_gap"].search(gap)


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
    """Fold a name to one string without spaces and hyphens."""
    return "".join(Words(name).folded)


def is_abbreviation(name: str) -> bool:
    """Whether a name is found in capitals only."""
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


MOST_WORDS = 10
"""Words of a name that is none of the list."""
_REACH = 6
"""Words before a name of the list that may describe it: "a recurrent, severe depression"."""
_LOOKED_AT = 400
"""Characters after a mark in which the name is."""

_FLAGS = re.IGNORECASE
_MOST_ALONE = 5
"""Words of a whole reply that is a name of no list."""
_MOST_BEFORE = 4
"""Words before the name of the list in such a reply."""
_MOST_SIGNS = 8
"""The same, signs of a script in which each is a word."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A name of the list in a text."""

    start: int
    end: int
    labels: tuple[str, ...]
    """What it may stand for, in the order of the list."""


@dataclass(frozen=True)
class LabelOf:
    """A name of a list, or one outside it."""

    labels: Mapping[str, tuple[str, ...]]
    """Other names of each label; of labels that share a name the first is meant."""

    @cached_property
    def _index(self) -> NameIndex:
        index = NameIndex()
        for label, words in self.labels.items():
            index.add(label, (label, *words))
        return index

    @cached_property
    def _absence(self) -> str | None:
        """The label that says there is none, such as "No disorder"."""
        found = [label for label in self.labels if Words(label).folded[:1] == ["no"]]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _order(self) -> dict[str, int]:
        return {label: place for place, label in enumerate(self.labels)}

    def named(self, text: str) -> list[_Named]:
        """Return the names of the list in a text, in order; of names inside each other the longest."""
        words = Words(text)
        found = widest(self._index.find(words))
        spans = words.spans([(one.start, one.end) for one in found])
        if len(words.text) != len(text):  # accents apart from their letters
            spans = [(0, len(text))] * len(found)
        order = self._order.__getitem__
        return [
            _Named(start, end, tuple(sorted(one.labels, key=order)))
            for one, (start, end) in zip(found, spans, strict=True)
        ]

    def before(self, piece: Piece) -> Found:
        """Read the name that a text ends with: what is before "is the most likely diagnosis"."""
        plain = Piece(piece.text[-_LOOKED_AT:], piece.start + max(0, len(piece.text) - _LOOKED_AT))
        end = len(plain.text.rstrip(" *_\"')"))
        named = [one for one in self.named(plain.text) if end - 1 <= one.end <= len(plain.text)]
        clause = _RE["halves"].split(plain.text[: named[-1].start])[-1] if named else ""
        if not named or _RE["taken_back"].search(clause) or _RE["or_before"].search(clause):
            return NOTHING
        place = (plain.start + named[-1].start, plain.start + named[-1].end)
        return Found(ReadOutcome.OK, named[-1].labels[0], place)

    def whole(self, piece: Piece, *, reach: int = 1) -> Found:
        """Read a line that is a name of the list, with at most a reason behind it; an item is none."""
        if _RE["item"].match(piece.text):
            return NOTHING
        signs = _RE["signs"].match(piece.text)
        if signs is not None:
            piece = Piece(piece.text[signs.end() :], piece.start + signs.end())
        found = self._stated(piece, reach=reach)
        if found.outcome is not ReadOutcome.OK or found.where is None:
            return NOTHING  # two names that nothing states are no answer
        rest = piece.text[found.where[1] - piece.start :]
        others = [one for one in self.named(rest) if found.value not in one.labels]
        set_aside = _RE["taken_back"].search(rest) is not None or _RE["cause"].match(rest) is not None
        if _RE["after_bare"].match(rest) is None or (others and not set_aside):
            return NOTHING
        before = piece.text[: found.where[0] - piece.start]
        lead = _RE["lead"].match(before)
        before = before if lead is None else before[lead.end() :]
        owned = len(before.split()) > 1 and _RE["owned"].match(piece.text)  # "the referring doctor suspected"
        if owned or _RE["of"].search(before):
            return NOTHING
        if before.strip() and (
            rest.lstrip().startswith(";") or _RE["sentence_words"].search(before) is not None
        ):
            return NOTHING
        return found

    def alone(self, piece: Piece) -> Found:
        """Read a reply of one line: a name of the list, or so few words that they can only be a name."""
        number = _RE["number"].match(piece.text)
        if number is not None:
            piece = Piece(piece.text[number.end() :], piece.start + number.end())
        found = self.whole(piece, reach=_MOST_BEFORE)
        plain = piece.trimmed(ENDING)
        if found.outcome is not ReadOutcome.UNREADABLE or self.mentions(plain.text):
            return found
        few = len(plain.text.split()) <= _MOST_ALONE and 2 < len(plain.text) <= (
            80 if plain.text.isascii() else 30
        )
        if _RE["syllable"].search(plain.text) is not None:
            few = len(plain.text) <= _MOST_SIGNS
        if not few or not plain.text[:1].isalpha() or _RE["sentence_words"].search(piece.text):
            return NOTHING
        english = worth()["translated"].get(plain.text.casefold())
        named = self.named(english) if english is not None else []
        if named:
            return Found(ReadOutcome.OK, named[0].labels[0], (plain.start, plain.end))
        single = len(plain.text.split()) == 1 and not plain.text.isascii()
        return NOTHING if single and self.is_ascii else self._other(plain)

    def stated(self, piece: Piece) -> Found:
        """Read the name that follows a mark: of the list, or any other that is short and sure."""
        found = self._stated(piece, reach=_REACH)
        if found.outcome is not ReadOutcome.UNREADABLE or found.where is not None:
            return found if found.outcome is not ReadOutcome.UNREADABLE else NOTHING
        return self._other(piece)

    def _stated(self, piece: Piece, *, reach: int) -> Found:
        """Read a name of the list; where one is there and not meant, the outcome has its place."""
        clause = _first_clause(piece, led=False)
        if self._absence is not None and _RE["none"].fullmatch(clause.text.strip(ENDING)) is not None:
            plain = clause.trimmed(ENDING)
            return Found(ReadOutcome.OK, self._absence, (plain.start, plain.end))
        named = self.named(clause.text)
        if not named or named[0].start > 0:
            clause = _first_clause(piece)
            named = self.named(clause.text)
        if not named:
            return NOTHING
        first, rest = named[0], named[1:]
        before = clause.text[: first.start]
        if _RE["taken_back"].search(before) is not None:
            if not rest or _RE["turned"].fullmatch(clause.text[first.end : rest[0].start]) is None:
                return Found(ReadOutcome.UNREADABLE, None, (clause.start, clause.end))
            first, rest = rest[0], rest[1:]
        elif len(before.split()) >= reach and (reach < _REACH or _RE["called"].search(before) is None):
            return Found(ReadOutcome.UNREADABLE, None, (clause.start, clause.end))
        return self._judged(clause, first, rest)

    def _judged(self, clause: Piece, first: _Named, rest: Sequence[_Named]) -> Found:
        """Return a name with what is said behind it: another beside it, or that it is not meant."""
        text, labels = clause.text, list(first.labels)
        place = (clause.start + first.start, clause.start + first.end)
        if _RE["or_before"].search(text[: first.start]) is not None:
            return Found(ReadOutcome.SEVERAL)
        if _RE["denied_after"].match(text[first.end :]) is not None:
            return Found(ReadOutcome.UNREADABLE, None, place)
        for one in rest:
            same = [label for label in labels if label in one.labels]
            if same:
                labels = same  # "SAD (social anxiety disorder)"
            elif _RE["joins"].fullmatch(text[first.end : one.start]) is not None:
                return Found(ReadOutcome.SEVERAL)
            break
        near = rest[0].start if rest else len(text)
        if _RE["or"].match(text[first.end : min(near, first.end + 80)]) is not None:
            return Found(ReadOutcome.SEVERAL)
        return Found(ReadOutcome.OK, labels[0], place)

    def _other(self, piece: Piece) -> Found:
        """Return a name outside the list: short, no sentence, and not left open."""
        inner = _first_clause(piece)
        stop = _RE["stop"].search(inner.text, 1)
        head = Piece(inner.text if stop is None else inner.text[: stop.start()], inner.start).trimmed(ENDING)
        if not any(sign.isalpha() for sign in head.text) or len(head.text) < 2 or is_title(head.text):
            return NOTHING
        unsure = (_RE["not_yet"], _RE["no_name"], _RE["taken_back"])
        if len(head.text.split()) > MOST_WORDS or any(one.search(head.text) for one in unsure):
            return NOTHING
        if inner.text[len(head.text) :].lstrip(ENDING).startswith("?") or piece.text.rstrip(
            " *_\"'"
        ).endswith("?"):
            return NOTHING
        if _RE["or"].search(inner.text[: 2 * len(head.text)]) is not None:
            return Found(ReadOutcome.SEVERAL)
        if self._may_be_translated(head.text):
            return NOTHING
        return Found(ReadOutcome.OK, head.text, (head.start, head.end), other=True)

    @cached_property
    def is_ascii(self) -> bool:
        """Whether no name has a letter that English has not."""
        return all(one.isascii() for label, words in self.labels.items() for one in (label, *words))

    @cached_property
    def _own_words(self) -> frozenset[str]:
        return frozenset(
            folded(" ".join(one for name in self.labels.items() for one in (name[0], *name[1]))).split()
        )

    def _may_be_translated(self, name: str) -> bool:
        """Whether a name may be one of the list in another language: a script or words that no name has."""
        if not self.is_ascii or _RE["syllable"].search(name) is not None:
            return self.is_ascii
        foreign = {match.group().casefold() for match in _RE["foreign"].finditer(name)}
        english = any(map(_RE["english"].fullmatch, self._own_words))
        return not foreign <= self._own_words or (
            english and not name.isascii() and _RE["english"].search(name) is None
        )

    def mentions(self, text: str) -> bool:
        """Whether a text names a label."""
        return bool(self._index.find(text))

    def others(self, text: str, value: Value | None) -> bool:
        """Whether a text names another label."""
        return any(value not in one.labels for one in self.named(text))

    def structured(self, held: object) -> Value | None:
        """Read a name from a value of JSON."""
        if not isinstance(held, str):
            return None
        found = self.stated(Piece(held, 0))
        return found.value if found.outcome is ReadOutcome.OK else None


def _first_clause(piece: Piece, *, led: bool = True) -> Piece:
    """Return the clause that a name would be in, without what leads to it."""
    inner = Piece(piece.text[:_LOOKED_AT], piece.start).trimmed(DECORATION)
    lead = _RE["lead"].match(inner.text) if led else None
    if lead is not None and inner.text[lead.end() :].strip(ENDING):
        inner = Piece(inner.text[lead.end() :], inner.start + lead.end()).trimmed(DECORATION)
    end = _RE["clause"].search(inner.text)
    return inner if end is None else Piece(inner.text[: end.end()], inner.start)
