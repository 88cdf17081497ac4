"""Names that a reply affirms anywhere in what it says: those that it denies are none."""

import re
from collections.abc import Iterator, Sequence

from concord.files.text import normal_form
from concord.reading.marks import refuses
from concord.reading.read import spoken
from concord.reading.records import Reading, ReadOutcome
from concord.reading.text import Piece, lines_of, sentences_of

_DENIED = re.compile(
    r"(?<!\w)(?:not|never|no|neither|nor|cannot|\w{2,8}n't|rather than|instead of|unlike|nicht|"
    r"kein\w{0,2}|pas|ni|non|não|не)(?!\w)|不是|ではな",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"(?<!\w)(?:not|n't|cannot be)\s(?:sure|certain|entirely|completely|quite|100|only)|no doubt",
    re.IGNORECASE,
)
"""A doubt, which is no denial."""
_TURNS = re.compile(r"[;:]|[,.]\s|\s(?:but|yet|however|although|though|aber|mais|pero)\s", re.IGNORECASE)
_NO = re.compile(r"[\s\"')*_]{0,4}(?:no|nein|non)(?!\w)", re.IGNORECASE)


def affirmed(text: str | None, names: Sequence[str]) -> Reading:
    """Read which proper names a reply says, and does not deny; of none the value is empty.

    Examples
    --------
    >>> affirmed("This is not Asch's study but Kelley's.", ["Asch", "Kelley"]).value
    ('Kelley',)
    """
    said = spoken(text)
    if isinstance(said, Reading):
        return said
    places = {name: at for name in names if (at := next(_affirmed_at(said.text, name), None)) is not None}
    if not places:
        refused = refuses(said.text)
        return Reading(None, ReadOutcome.REFUSED) if refused else Reading((), ReadOutcome.OK)
    first = min(places, key=lambda name: places[name])
    where = said.span(places[first], places[first] + len(first))
    return Reading(tuple(places), ReadOutcome.OK, "bare", where)


def _affirmed_at(text: str, name: str) -> Iterator[int]:
    sought = re.compile(rf"(?<![^\W_]){re.escape(_plain_letters(name))}(?![^\W_])", re.IGNORECASE)
    for line in lines_of(text):
        sentences = sentences_of(line)
        following = [*(one.text for one in sentences[1:]), ""]
        for sentence, after in zip(sentences, following, strict=True):
            for match in sought.finditer(_plain_letters(sentence.text)):
                if _is_affirmed(sentence, match, after):
                    yield sentence.start + match.start()


def _is_affirmed(sentence: Piece, match: re.Match[str], after: str) -> bool:
    text = sentence.text
    if text[match.start()].islower():
        return False  # a word, and no name
    if text.rstrip("\"')*_ ").endswith("?") and _NO.match(after):
        return False
    clause = _TURNS.split(_DOUBTED.sub(" ", text[: match.start()]))[-1]
    return _DENIED.search(clause) is None


def _plain_letters(text: str) -> str:
    """Return a text of the same length without the marks on its letters."""
    return "".join((normal_form("NFKD", sign) or sign)[0] if not sign.isascii() else sign for sign in text)
