"""Numbers for readers, in sentences, on the terminal, in notebooks and on the page: each format once."""

import math
from collections.abc import Sequence
from typing import Protocol

UNDEFINED = "–"
"""What is shown where there is no number: never 0, never nothing."""
SMALLEST_P = 0.001
"""p-values below this are shown as a bound."""


class HasEnds(Protocol):
    """An interval, or a number that has one."""

    @property
    def low(self) -> float | None:
        """The lower end."""

    @property
    def high(self) -> float | None:
        """The upper end."""


def number(value: float | None, digits: int = 3, *, sign: bool = False) -> str:
    """Round a number."""
    if value is None:
        return UNDEFINED
    # a rounded -0.0004 is 0.000, not -0.000
    return f"{round(value, digits) + 0.0:{'+' if sign else ''}.{digits}f}"


def significant(value: float, digits: int) -> str:
    """Round a number to so many digits that matter."""
    return f"{value:.{digits}g}"


def percent(share: float, digits: int = 0) -> str:
    """Return a share in hundredths; one that is not whole is never rounded to all or nothing."""
    text = f"{share:.{digits}%}"
    beside = float(text[:-1]) in (0, 100) and share not in (0, 1)
    return percent(share, digits + 1) if beside and digits < 6 else text


def grouped(n: float) -> str:
    """Return a large number without its decimals."""
    return f"{n:,.0f}"


def in_money(amount: float) -> str:
    """Return an amount of money."""
    return f"{amount:,.2f}"


def interval(ends: HasEnds | None, digits: int = 2, *, sign: bool = False) -> str:
    """Return an interval for a table."""
    known = _known(ends)
    if known is None:
        return UNDEFINED
    return f"[{', '.join(number(end, digits, sign=sign) for end in known)}]"


def bounds_text(ends: HasEnds, digits: int = 2, *, sign: bool = False) -> str:
    """Return what unread answers could make of a number, for a table."""
    return f"{{{interval(ends, digits, sign=sign)[1:-1]}}}"


def interval_words(ends: HasEnds | None, digits: int = 2, *, sign: bool = False) -> str:
    """Return an interval for a sentence."""
    known = _known(ends)
    return UNDEFINED if known is None else " to ".join(number(end, digits, sign=sign) for end in known)


def _known(ends: HasEnds | None) -> tuple[float, float] | None:
    if ends is None or ends.low is None or ends.high is None:
        return None
    return ends.low, ends.high


def p_value(p: float | None) -> str:
    """Return a p-value for a table whose column says that it is one."""
    if p is None:
        return UNDEFINED
    return "< .001" if p < SMALLEST_P else f"{p:.3f}".removeprefix("0")


def p_words(p: float | None) -> str:
    """Return a p-value for a sentence."""
    if p is None:
        return "p is undefined"
    return f"p {p_value(p)}" if p < SMALLEST_P else f"p = {p_value(p)}"


def level_words(level: float) -> str:
    """Return the level of an interval."""
    return f"{100 * level:.4g} %"


def how_many(n: int, one: str, many: str) -> str:
    """Return a count of things in words."""
    return f"{n:,} {one if n == 1 else many}"


def typeset(text: str) -> str:
    """Return numbers with a minus sign, as print has them; a terminal keeps the hyphen that can be copied."""
    return text.replace("-", "−")


_MOST_NAMED = 3


def leaders(ranked: Sequence[tuple[str, float | None]]) -> list[str]:
    """Return every name that has the first number of a ranking; equal to the last digits is equal."""
    if not ranked:
        return []
    first = ranked[0][1]
    if first is None:
        return [ranked[0][0]]
    return [
        name
        for name, value in ranked
        if value is not None and math.isclose(value, first, rel_tol=1e-9, abs_tol=1e-12)
    ]


def joined_names(names: Sequence[str], *, whose: str = "models") -> str:
    """Return names in a sentence; more than three are counted."""
    if len(names) > _MOST_NAMED:
        return f"{len(names)} {whose}"
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
