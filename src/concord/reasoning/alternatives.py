"""Whether an answer leaves a diagnosis open beside one that no list knows: "gout or pseudogout"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from concord.reasoning.phrases import AFTER, BEFORE

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
    match = _AFTER.match(after)
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
    match = _BEFORE.search(_CLAUSE.split(before)[-1])
    if match is None:
        return False
    return _is_other(one, neighbour) if neighbour is not None else match["comma"] is None
