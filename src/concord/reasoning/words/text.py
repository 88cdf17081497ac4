"""Text as tokens: the two normalisations of Step-F1."""

import re
from collections.abc import Sequence

from concord.reading.names import decomposed

# Whitespace that hardly any text holds: normalising keeps it.
_BETWEEN = "\x1e"
_NOT_WORD = re.compile(r"[^\w\s-]")
# The same for ASCII, whose characters have no marks, in one table.
_ASCII = bytes(ord(_NOT_WORD.sub(" ", chr(code).lower())) for code in range(128)) + bytes(range(128, 256))
_MARKS = ("M",)


def tokens(text: str, *, rules: str = "standard") -> list[str]:
    """Tokens of a text as Step-F1 compares them."""
    # NFKD, combining marks dropped (``rules="source"``: replaced by spaces), lower case, everything but
    # letters, digits, ``_``, whitespace and ``-`` replaced by a space, cut at whitespace.
    return _flat(text, rules).split()


def _flat(text: str, rules: str) -> str:
    """Return a normalised text, its whitespace not yet folded."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII).decode("ascii")
    flat = decomposed(text, _MARKS, " " if rules == "source" else "")
    return _NOT_WORD.sub(" ", flat.lower())


def token_sets(texts: Sequence[str], *, rules: str = "standard") -> list[set[str]]:
    """Token sets of several texts, normalised in one go."""
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
