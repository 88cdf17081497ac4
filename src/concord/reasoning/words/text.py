"""Text as tokens: the two normalisations of Step-F1, and folded words for names and phrases."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

# Whitespace that hardly any text holds: normalising keeps it.
_BETWEEN = "\x1e"
_NOT_WORD = re.compile(r"[^\w\s-]")
# The same for ASCII, whose characters have no marks, in one table.
_ASCII = bytes(ord(_NOT_WORD.sub(" ", chr(code).lower())) for code in range(128)) + bytes(range(128, 256))
# Scripts that write without spaces: each character is a word.
_EACH = "\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# What French elides before a vowel is a word of its own: "crise d'asthme".
_ELIDED = r"(?:[cdjlmnst]|[CDJLMNST]|[Qq]u)(?=['’][^\W\d_]{2})"
_WORD_OR_GAP = re.compile(rf"([{_EACH}]|{_ELIDED}|[^\W_{_EACH}]+(?:['’][^\W_{_EACH}]+)*)")
_NO_EACH = re.compile(f"[^{_EACH}]+")
_HARD_GAP = re.compile(r"[.!?;:|。！？；：、，]|\n[^\S\n]*\n")
_SENTENCE_GAP = re.compile(r"[.!?](?:\s|[^\w\s])|\n|[。！？]")


_MARKS = ("M",)
_UNSEEN = ("M", "Cf")


def _replaced(text: str, categories: tuple[str, ...], replacement: str) -> str:
    """Replace every character of these Unicode categories."""
    found = [char for char in set(text) if unicodedata.category(char).startswith(categories)]
    if len(found) > 8:
        return re.sub(f"[{re.escape(''.join(found))}]", replacement, text)
    for char in found:
        text = text.replace(char, replacement)
    return text


def _decomposed(text: str, categories: tuple[str, ...], replacement: str) -> str:
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
    return _NO_EACH.sub(lambda run: _decomposed(run.group(), _UNSEEN, ""), composed)


def tokens(text: str, *, rules: str = "standard") -> list[str]:
    """Tokens of a text as Step-F1 compares them.

    NFKD, combining marks dropped (``rules="source"``: replaced by spaces), lower case, everything but
    letters, digits, ``_``, whitespace and ``-`` replaced by a space, cut at whitespace.

    Examples
    --------
    >>> tokens("Résumé: low-mood, 2 weeks!")
    ['resume', 'low-mood', '2', 'weeks']
    >>> tokens("Résumé", rules="source")
    ['re', 'sume']
    """
    return _flat(text, rules).split()


def _flat(text: str, rules: str) -> str:
    """Return a normalised text, its whitespace not yet folded."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII).decode("ascii")
    flat = _decomposed(text, _MARKS, " " if rules == "source" else "")
    return _NOT_WORD.sub(" ", flat.lower())


def token_sets(texts: Sequence[str], *, rules: str = "standard") -> list[set[str]]:
    """Token sets of several texts, normalised in one go.

    Examples
    --------
    >>> [sorted(one) for one in token_sets(["Low mood.", "No joy, no joy!"])]
    [['low', 'mood'], ['joy', 'no']]
    """
    joined = _BETWEEN.join(texts)
    if joined.count(_BETWEEN) != len(texts) - 1:
        return [set(tokens(text, rules=rules)) for text in texts]
    return [set(part.split()) for part in _flat(joined, rules).split(_BETWEEN)]


def normalise(text: str, *, rules: str = "standard") -> str:
    """Return the text that :func:`tokens` cuts, with single spaces.

    Examples
    --------
    >>> normalise("  Persistent   LOW mood. ")
    'persistent low mood'
    """
    return " ".join(tokens(text, rules=rules))


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
    >>> found.in_capitals(1), found.runs_on(3), found.runs_on(2), found.same_sentence(1, 2)
    (True, True, False, False)
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

    def same_sentence(self, first: int, last: int) -> bool:
        """Whether no sentence ends between two words."""
        return not any(_SENTENCE_GAP.search(gap) for gap in self._parts[2 * first + 2 : 2 * last + 1 : 2])
