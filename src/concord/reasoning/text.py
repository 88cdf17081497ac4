"""Text as tokens: the two normalisations of Step-F1, and folded words for names and phrases."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_NOT_WORD = re.compile(r"[^\w\s-]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_HARD_GAP = re.compile(r"[.!?;:|]|\n[^\S\n]*\n")
_SENTENCE_GAP = re.compile(r"[.!?](?:\s|[^\w\s]|$)|\n")


class _ByCategory(dict[int, int | str | None]):
    """A translation table that is filled as characters are met."""

    def __init__(self, prefixes: tuple[str, ...], replacement: str | None) -> None:
        super().__init__()
        self._prefixes, self._replacement = prefixes, replacement

    def __missing__(self, code: int) -> int | str | None:
        hit = unicodedata.category(chr(code)).startswith(self._prefixes)
        self[code] = self._replacement if hit else code
        return self[code]


_DROP_MARKS = _ByCategory(("M",), None)
_SPACE_MARKS = _ByCategory(("M",), " ")
_DROP_UNSEEN = _ByCategory(("M", "Cf"), None)


def _decomposed(text: str, table: _ByCategory) -> str:
    """NFKD with marks dropped or replaced.

    The table is applied before as well: canonical ordering sorts runs of combining marks by insertion, so
    a hostile megabyte of them would take hours.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text.translate(table)).translate(table)


def tokens(text: str, *, rules: str = "standard") -> list[str]:
    """Tokens of a text as Step-F1 compares them.

    NFKD, combining marks dropped (``rules="source"``: replaced by spaces), lower case, everything but
    letters, digits, ``_``, whitespace and ``-`` replaced by a space, cut at whitespace.

    Parameters
    ----------
    text
        Any text.
    rules
        ``"standard"`` or ``"source"``.

    Examples
    --------
    >>> tokens("Résumé: low-mood, 2 weeks!")
    ['resume', 'low-mood', '2', 'weeks']
    >>> tokens("Résumé", rules="source")
    ['re', 'sume']
    """
    flat = _decomposed(text, _SPACE_MARKS if rules == "source" else _DROP_MARKS)
    return _NOT_WORD.sub(" ", flat.lower()).split()


def normalise(text: str, *, rules: str = "standard") -> str:
    """Return the text that :func:`tokens` cuts, with single spaces.

    Examples
    --------
    >>> normalise("  Persistent   LOW mood. ")
    'persistent low mood'
    """
    return " ".join(tokens(text, rules=rules))


@lru_cache(maxsize=100_000)
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


@dataclass(frozen=True, slots=True)
class Words:
    """A text as folded words, with what lies between them."""

    folded: list[str]
    capital: list[bool]
    """Whether the word is written in capitals only."""
    joined: list[bool]
    """Whether a name may run on from the word before into this one."""
    sentence: list[int]
    """Number of the sentence the word stands in."""


def words(text: str) -> Words:
    """Cut a text into folded words.

    Accents, soft hyphens and zero-width characters do not cut a word. A name may run over spaces, hyphens,
    slashes, commas and Markdown emphasis, not over the end of a sentence, a colon, a table cell or an
    empty line.

    Examples
    --------
    >>> found = words("Not GAD. Post-traumatic stress")
    >>> found.folded, found.capital, found.sentence
    (['not', 'gad', 'post', 'traumatic', 'stress'], [False, True, False, False, False], [0, 0, 1, 1, 1])
    """
    flat = _decomposed(text, _DROP_UNSEEN)
    out = Words([], [], [], [])
    end, sentence = 0, 0
    for match in _WORD.finditer(flat):
        word = match.group()
        gap = flat[end : match.start()]
        plain = gap in (" ", "-", "")
        if end and not plain and _SENTENCE_GAP.search(gap):
            sentence += 1
        out.folded.append(fold_word(word))
        out.capital.append(word.isupper())
        out.joined.append(end > 0 and (plain or not _HARD_GAP.search(gap)))
        out.sentence.append(sentence)
        end = match.end()
    return out
