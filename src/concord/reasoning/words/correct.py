"""Is the diagnosis right? Names in the answer, whether each is put forward, and what that changes.

A diagnosis may be denied, compared with, remembered, supposed, or left open beside one that no list knows.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from concord.reading.names import Mention, NameIndex, Words, widest
from concord.reasoning.words.names import DATA, AliasTable
from concord.reasoning.words.phrases import (
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

_KNOWN = json.loads((DATA / "diagnoses.json").read_text("utf-8"))
KINDS: Mapping[str, str] = _KNOWN["kinds"]
"""Subtypes, and the kind that they stand for in a set without the subtype."""
WITH_EPISODES = frozenset[str](_KNOWN["with_episodes"])
"""Disorders that have episodes."""
EPISODES = tuple[str, ...](_KNOWN["episodes"])
"""Last words of a name that is an episode."""
FORMS = tuple[Mapping[str, str], ...](_KNOWN["forms"])
"""Words that tell forms of one disease apart, each with the form it means, as folded words."""
SOURCE_ALIASES: Mapping[str, Sequence[str]] = _KNOWN["source_aliases"]
"""The aliases of the research code."""

# --- is a name left open: "A or B" ---------------------------------------------------------------------

_OR = r"(?:and\s?/\s?)?or|oder|(?:y\s?/\s?|e\s?/\s?)?o|u(?=\s+h?o)|(?:et\s?/\s?)?ou"
_OR_CJK = r"或者?|还是|還是|または|もしくは|あるいは|또는|혹은"
_ARTICLE = r"(?:an?|the|eine?[mnrs]?|un[ao]?|une|el|la|le|l[’'])"
_ANY = re.compile(rf"(?<!\w)(?:{_OR})(?!\w)|{_OR_CJK}", re.I)
_OR_AFTER = re.compile(
    rf"[\s*_]*(?P<comma>,)?[\s*_]*(?:(?:{_OR})(?!\w)|{_OR_CJK})[\s*_,]*(?P<rest>[^\W_].*)", re.I | re.S
)
"""What follows a name that another may stand for."""
_OR_BEFORE = re.compile(
    rf"\w[*_]*(?P<comma>,)?(?:\s+(?:{_OR})\s+|\s*(?:{_OR_CJK})\s*)"
    rf"(?:(?:also|even|else|rather|possibly|auch|eher|bien|plutot)\s+)?(?:{_ARTICLE}\s*)?[*_]*$",
    re.I,
)
"""What comes before a name that is the second of two."""
_SAME = re.compile(
    r"(?:so[- ]called|simply|as it is|what is|(?:also )?(?:known|called)|sogenannt\w*|not|nicht|no|non|more|"
    r"less|higher|lower|later|earlier|so|with|without|[ivx]+|\d+)(?!\w)",
    re.I,
)
"""What makes of the second another word for the first, a degree or a type: "bipolar I or II"."""
_HEDGE = re.compile(
    r"(?:possibly|perhaps|maybe|probably|potentially|alternatively|else|even|also|rather|vielleicht|"
    r"moglicherweise|eventuell|evtl|eher|auch|quizas?|tal vez|posiblemente|peut|eventuellement)(?!\w)",
    re.I,
)
"""What makes of a name after a comma another diagnosis; without, it is another word for the first."""
_CLAUSE = re.compile(r"[.;:!?。；：！？\n()（）]")
_NEAR = 80
_BETWEEN = 24
"""Characters that may lie between two names that "or" joins: itself, an article, a hedge."""


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a text, what it can mean, and whether the text puts it forward."""

    start: int
    end: int
    labels: frozenset[str]
    asserted: bool


def left_open(text: str, names: Sequence[Named]) -> list[bool]:
    """Return for each name whether another diagnosis may stand for it: "A or B" in the languages of replies.

    Another name of the same diagnosis is none ("GAD or generalised anxiety disorder"), nor is one that the
    text takes back ("A or, less likely, B"), nor another word after a comma ("a stroke, or apoplexy").

    Examples
    --------
    >>> for text in ("gout or sepsis", "sepsis or gout", "gout, or podagra", "gout or, less likely, sepsis"):
    ...     place = text.index("gout")
    ...     print(left_open(text, [Named(place, place + 4, frozenset({"Gout"}), True)]))
    [True]
    [True]
    [False]
    [False]
    """
    if not names or not _ANY.search(text):
        return [False] * len(names)
    return [
        one.asserted
        and (
            _opens(text[one.end : one.end + _NEAR], one, _near_name(names, i, i + 1))
            or _closes(text[max(one.start - _NEAR, 0) : one.start], one, _near_name(names, i, i - 1))
        )
        for i, one in enumerate(names)
    ]


def _near_name(names: Sequence[Named], here: int, there: int) -> Named | None:
    """Return the known name that "or" may join to this one."""
    if not 0 <= there < len(names):
        return None
    first, second = sorted((here, there))
    return names[there] if names[second].start - names[first].end <= _BETWEEN else None


def _is_other(one: Named, neighbour: Named) -> bool:
    return neighbour.asserted and not neighbour.labels & one.labels


def _opens(after: str, one: Named, neighbour: Named | None) -> bool:
    """Whether what follows a name puts another beside it."""
    match = _OR_AFTER.match(after)
    if match is None:
        return False
    if neighbour is not None:
        return _is_other(one, neighbour)
    rest = _CLAUSE.split(match["rest"], maxsplit=1)[0]
    if _SAME.match(rest) or BEFORE.search(rest) or AFTER.match(rest):
        return False
    return match["comma"] is None or _HEDGE.match(rest) is not None


def _closes(before: str, one: Named, neighbour: Named | None) -> bool:
    """Whether what comes before a name puts another beside it."""
    match = _OR_BEFORE.search(_CLAUSE.split(before)[-1])
    if match is None:
        return False
    return _is_other(one, neighbour) if neighbour is not None else match["comma"] is None


# --- is it put forward, or denied, compared with, remembered, supposed ----------------------------------

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


def claims(found: Words, mentions: Sequence[Mention]) -> list[Claim]:
    """Judge each mention by its clause: what comes before it, what comes after, what it is listed with.

    Examples
    --------
    >>> from concord.reasoning.words.names import AliasTable
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


# --- forms that exclude each other: a bacterial meningitis is no viral one ------------------------------

_BEFORE = 3
"""Words before a name that may say which form is meant: "acute on chronic pancreatitis"."""

Forms = dict[int, set[str]]


def forms_in(words: Sequence[str]) -> Forms:
    """Return which forms a run of folded words names, by the contrast that they belong to.

    Examples
    --------
    >>> forms_in(["acute", "ischemic", "stroke"])
    {0: {'acute'}, 2: {'ischemic'}}
    """
    found: Forms = {}
    for number, contrast in enumerate(FORMS):
        named = {contrast[word] for word in words if word in contrast}
        if named:
            found[number] = named
    return found


def is_another_form(found: Words, mention: Mention, gold: Forms) -> bool:
    """Whether a name is that of another form than the gold label: the same disease with an excluding word.

    A name without any such word is none: "stroke" may be an ischemic one.
    """
    if not gold:
        return False
    start, end = mention.start, mention.end
    while start > 0 and mention.start - start < _BEFORE and found.runs_on(start):
        start -= 1
    last = len(found.folded)
    if end < last and found.runs_on(end) and (end + 1 == last or not found.runs_on(end + 1)):
        end += 1  # "meningitis, viral"
    named = forms_in(found.folded[start:end])
    return any(number in named and not named[number] & wanted for number, wanted in gold.items())


# --- is it right -----------------------------------------------------------------------------------------

_PARTS = re.compile(r"[.;()（）。；\n]|,\s|，")


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
