"""Whether an answer leaves a diagnosis open beside one that no list knows: "gout or pseudogout"."""

import re
from collections.abc import Sequence

from concord.reasoning.phrases import AFTER, BEFORE
from concord.reasoning.stance import Claim
from concord.reasoning.text import Words

_OR = r"(?:and\s?/\s?)?or|oder|(?:y\s?/\s?|e\s?/\s?)?o|u(?=\s+h?o)|(?:et\s?/\s?)?ou"
_OR_CJK = r"或者?|还是|還是|または|もしくは|あるいは|또는|혹은"
_ARTICLE = r"(?:an?|the|eine?[mnrs]?|un[ao]?|une|el|la|le|l[’'])"
_ANY = re.compile(rf"(?<!\w)(?:{_OR})(?!\w)|{_OR_CJK}", re.I)
_AFTER = re.compile(
    rf"[\s*_]*(?P<comma>,)?[\s*_]*(?:(?:{_OR})(?!\w)|{_OR_CJK})[\s*_,]*(?P<rest>[^\W_].*)", re.I | re.S
)
"""What follows a name that another may stand for."""
_BEFORE = re.compile(
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
_BETWEEN = 3
"""Words that may lie between two names that "or" joins: itself, an article, a hedge."""


def left_open(found: Words, made: Sequence[Claim]) -> list[bool]:
    """Return for each claim whether another diagnosis may stand for it: "A or B" in the languages of replies.

    Another name of the same diagnosis is none ("GAD or generalised anxiety disorder"), nor is one that the
    text takes back ("A or, less likely, B"), nor another word after a comma ("a stroke, or apoplexy").

    Parameters
    ----------
    found
        The text.
    made
        What it puts forward and denies, in order.

    Examples
    --------
    >>> from concord.reasoning.names import AliasTable
    >>> from concord.reasoning.stance import claims, widest
    >>> index = AliasTable({"Gout": []}).index([])
    >>> for text in ("gout or sepsis", "sepsis or gout", "gout, or podagra", "gout or, less likely, sepsis"):
    ...     words = Words(text)
    ...     print(left_open(words, claims(words, widest(index.find(words)))))
    [True]
    [True]
    [False]
    [False]
    """
    text = found.text
    if not made or not _ANY.search(text):
        return [False] * len(made)
    spans = found.spans([(claim.mention.start, claim.mention.end) for claim in made])
    answers = []
    for i, (claim, (start, end)) in enumerate(zip(made, spans, strict=True)):
        after, before = text[end : end + _NEAR], text[max(start - _NEAR, 0) : start]
        following = _neighbour(made, i, i + 1)
        preceding = _neighbour(made, i, i - 1)
        answers.append(
            claim.asserted and (_opens(after, following, claim) or _closes(before, preceding, claim))
        )
    return answers


def _neighbour(made: Sequence[Claim], here: int, there: int) -> Claim | None:
    """Return the known name that "or" may join to this one."""
    if not 0 <= there < len(made):
        return None
    first, second = sorted((here, there))
    gap = made[second].mention.start - made[first].mention.end
    return made[there] if gap <= _BETWEEN else None


def _is_other(claim: Claim, neighbour: Claim) -> bool:
    return neighbour.asserted and not neighbour.mention.labels & claim.mention.labels


def _opens(after: str, neighbour: Claim | None, claim: Claim) -> bool:
    """Whether what follows a name puts another beside it."""
    match = _AFTER.match(after)
    if match is None:
        return False
    if neighbour is not None:
        return _is_other(claim, neighbour)
    rest = _CLAUSE.split(match["rest"], maxsplit=1)[0]
    if _SAME.match(rest) or BEFORE.search(rest) or AFTER.match(rest):
        return False
    return match["comma"] is None or _HEDGE.match(rest) is not None


def _closes(before: str, neighbour: Claim | None, claim: Claim) -> bool:
    """Whether what comes before a name puts another beside it."""
    clause = _CLAUSE.split(before)[-1]
    match = _BEFORE.search(clause)
    if match is None:
        return False
    return _is_other(claim, neighbour) if neighbour is not None else match["comma"] is None
