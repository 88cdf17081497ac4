"""Whether a diagnosis is given as the answer, or denied, compared with, remembered, supposed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from concord.reasoning.alternatives import Named, left_open
from concord.reasoning.names import Mention
from concord.reasoning.phrases import (
    AFTER,
    BEFORE,
    BOUNDARY,
    CAUSE,
    CERTAIN,
    ET_CETERA,
    JOINED,
    JOINED_BY_WORD,
    RESET,
)
from concord.reasoning.text import Words

REACH = 6
"""Words before a mention in which a denial still governs it."""
NEAR = 160
"""Characters around a mention that are looked at."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Claim:
    """One mention of a diagnosis, and whether it is put forward."""

    mention: Mention
    asserted: bool
    sentence: int
    """Number of the sentence that it is in."""
    open: bool = False
    """Whether another diagnosis, which no list need know, may stand for it."""
    cause: bool = False
    """Whether it is the cause of the one named before it: "ketoacidosis due to diabetes"."""


def widest(mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that lie inside no other one, in order: of overlapping names the longest counts."""
    kept: list[Mention] = []
    for one in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        if not kept or one.end > kept[-1].end:
            kept.append(one)
    return kept


def claims(found: Words, mentions: Sequence[Mention]) -> list[Claim]:
    """Judge each mention by its clause: what comes before it, what comes after, what it is listed with.

    Examples
    --------
    >>> from concord.reasoning.names import AliasTable
    >>> index = AliasTable({"GAD": [], "Panic Disorder": []}).index([])
    >>> words = Words("Not panic disorder but GAD, rather than panic disorder")
    >>> [claim.asserted for claim in claims(words, widest(index.find(words)))]
    [False, True, False]
    """
    if not mentions:
        return []
    text, spans = found.text, found.spans([(mention.start, mention.end) for mention in mentions])
    gaps = _gaps(text, spans)
    before, after = _denied_before(gaps), _denied_after(gaps)
    asserted = [not (first or last) for first, last in zip(before, after, strict=True)]
    sentences = found.sentences([mention.start for mention in mentions])
    names = [Named(*spans[i], mention.labels, asserted[i]) for i, mention in enumerate(mentions)]
    between = ["", *(text[last[1] : following[0]] for last, following in pairwise(spans))]
    return [
        Claim(mention, asserted[i], sentences[i], is_open, CAUSE.fullmatch(between[i]) is not None)
        for i, (mention, is_open) in enumerate(zip(mentions, left_open(text, names), strict=True))
    ]


@dataclass(frozen=True, slots=True)
class _Gap:
    """What the text between two mentions, or at an end, says about the one before and the one after."""

    denies_last: bool
    """The mention before is taken back."""
    lists_last: bool
    """The mention before ends a list of examples."""
    denies_next: bool
    """The mention after is taken back."""
    denies_next_inside: bool
    """The same, without the words that are about the mention before."""
    joined: bool
    """The two are names of one list."""
    joined_by_word: bool


def _gaps(text: str, spans: Sequence[tuple[int, int]]) -> list[_Gap]:
    """Return the gap before each mention and, last, that after the last; only what is near is looked at."""
    edges = [0, *(place for span in spans for place in span), len(text)]
    return [_gap(text, edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]


def _gap(text: str, start: int, end: int) -> _Gap:
    if end - start <= 2 * NEAR:
        return _near_gap(text[start:end])
    last, following = _near_gap(text[start : start + NEAR]), _near_gap(text[end - NEAR : end])
    denied = following.denies_next
    return _Gap(last.denies_last, last.lists_last, denied, denied, joined=False, joined_by_word=False)


@lru_cache(maxsize=4096)
def _near_gap(gap: str) -> _Gap:
    text = _prepared(gap)
    ends = [match.end() for match in BOUNDARY.finditer(text)]
    # a question mark ends the clause and belongs to it
    tail, lead = (text[: ends[0]], text[ends[-1] :]) if ends else (text, text)
    own = AFTER.match(tail)
    joined = not ends and JOINED.match(text) is not None
    return _Gap(
        own is not None,
        own is not None and ET_CETERA.search(own.group()) is not None,
        _denies(lead),
        _denies(lead if own is None or ends else lead[own.end() :]),
        joined,
        joined and JOINED_BY_WORD.search(text) is not None,
    )


def _denies(lead: str) -> bool:
    """Whether a word before a mention takes it back."""
    turn = max((match.end() for match in RESET.finditer(lead)), default=0)
    return BEFORE.search(_near(lead[turn:])) is not None


def _prepared(text: str) -> str:
    """Blank out denials that affirm, and the dots of abbreviations; offsets stay."""
    flat = text.lower()
    if len(flat) != len(text):
        flat = text
    for dotted in ("vs.", "r.o.", "z. n.", "z.n.", "e.g.", "i.e.", "dr."):
        flat = flat.replace(dotted, dotted.replace(".", " "))
    return CERTAIN.sub(_turned, flat)


def _turned(match: re.Match[str]) -> str:
    """Return a word of the same length after which no earlier denial holds."""
    return "but".ljust(len(match.group())) if len(match.group()) > 3 else "；" * len(match.group())


def _near(lead: str) -> str:
    """Return the end of a text before a mention that can still govern it."""
    words = list(_WORD.finditer(lead))
    return lead[words[-REACH].start() :] if len(words) > REACH else lead


def _denied_before(gaps: Sequence[_Gap]) -> list[bool]:
    """Whether a word before each mention takes it back; names of one list share what is before it."""
    denied: list[bool] = []
    for number, gap in enumerate(gaps[:-1]):
        inherited = number > 0 and gap.joined and denied[-1]
        denied.append(inherited or (gap.denies_next_inside if number else gap.denies_next))
    return denied


def _denied_after(gaps: Sequence[_Gap]) -> list[bool]:
    """Whether a word after each mention takes it back; in "A and B are excluded" it takes back both."""
    denied = [gap.denies_last for gap in gaps[1:]]
    listed = gaps[-1].lists_last
    for number in range(len(denied) - 2, -1, -1):
        gap = gaps[number + 1]
        if gap.joined:
            listed = listed or gap.joined_by_word
            denied[number] = denied[number] or (listed and denied[number + 1])
        else:
            listed = gap.lists_last
    return denied
