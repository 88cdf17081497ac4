"""Numbers for readers, in sentences, on the terminal, in notebooks and on the page: each format once."""

import math
import re
from collections.abc import Sequence

from concord.records import Estimate, Interval, UnreadBounds

UNDEFINED = "–"
"""What is shown where there is no number: never 0, never nothing."""
MINUS = "−"
"""The sign of print; a terminal keeps the hyphen that can be copied."""
SMALLEST_P = 0.001
"""p-values below this are shown as a bound."""


USUAL_LEVEL = 0.95
"""The level of an interval that is not named in a sentence."""
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


HasEnds = Interval | UnreadBounds
"""What has two ends."""


def number(value: float | None, digits: int = 3, *, sign: bool = False) -> str:
    """Round a number."""
    if value is None:
        return UNDEFINED
    rounded = round(value, digits) + 0.0  # a rounded -0.0004 is 0.000, neither -0.000 nor +0.000
    return f"{rounded:{'+' if sign and rounded else ''}.{digits}f}"


def significant(value: float, digits: int) -> str:
    """Round a number to so many digits that matter."""
    return f"{value:.{digits}g}"


def times(ratio: float, digits: int = 2) -> str:
    """Return a ratio with so many digits that matter, and no fewer before the point."""
    places = digits - 1 - (math.floor(math.log10(abs(ratio))) if ratio else 0)
    return f"{ratio:,.{max(0, places)}f}"


def percent(share: float, digits: int = 0) -> str:
    """Return a share in hundredths; one that is not whole is never rounded to all or nothing."""
    text = hundredths(share, digits)
    if float(text) not in (0, 100) or share in (0, 1):
        return f"{text} %"
    return percent(share, digits + 1) if digits < 2 else "< 0.01 %" if share < 0.5 else "> 99.99 %"


def hundredths(share: float, digits: int = 0) -> str:
    """Return a share in hundredths without their sign: the lower end of what ends with one."""
    return f"{100 * share:.{digits}f}"


def hundredths_span(ends: HasEnds, digits: int = 0) -> str:
    """Return an interval of shares in hundredths without their sign."""
    known = _known(ends)
    return UNDEFINED if known is None else " to ".join(hundredths(end, digits) for end in known)


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
    low, high = known
    return f"[{number(low, digits, sign=sign)}, {number(high, digits, sign=sign)}]"


def bounds_text(ends: HasEnds, digits: int = 2, *, sign: bool = False) -> str:
    """Return what unread answers could make of a number, for a table."""
    return f"{{{interval(ends, digits, sign=sign)[1:-1]}}}"


def interval_words(ends: HasEnds | None, digits: int = 2, *, sign: bool = False) -> str:
    """Return an interval for a sentence."""
    known = _known(ends)
    if known is None:
        return UNDEFINED
    return f"{number(known[0], digits, sign=sign)} to {number(known[1], digits, sign=sign)}"


def level_lead(ends: Interval) -> str:
    """Return what a sentence says before an interval: its level, where that is not 95 %."""
    return "" if ends.level == USUAL_LEVEL else f"{level_words(ends.level)} interval "


def span_words(ends: Interval | None, digits: int = 2, *, sign: bool = False) -> str:
    """Return an interval for a sentence, with its level where that is not 95 %."""
    return UNDEFINED if ends is None else f"{level_lead(ends)}{interval_words(ends, digits, sign=sign)}"


def whole_span_words(ends: Interval) -> str:
    """Return an interval of counts for a sentence, with its level where that is not 95 %."""
    if ends.low is None or ends.high is None:
        return UNDEFINED
    return f"{level_lead(ends)}{grouped(ends.low)} to {grouped(ends.high)}"


def estimate_words(estimate: Estimate, digits: int = 2, *, sign: bool = False) -> str:
    """Return a number for a sentence, its interval behind it where it has one."""
    value, ends = number(estimate.value, digits, sign=sign), estimate.interval
    return value if ends is None else f"{value} ({span_words(ends, digits)})"


def share_words(estimate: Estimate, digits: int = 0) -> str:
    """Return a share for a sentence, its interval behind it where it has one."""
    if estimate.value is None:
        return UNDEFINED
    value, ends = percent(estimate.value, digits), estimate.interval
    if ends is None or ends.low is None or ends.high is None:
        return value
    return f"{value} ({level_lead(ends)}{hundredths(ends.low, digits)} to {percent(ends.high, digits)})"


def points_words(estimate: Estimate, *, sign: bool = True) -> str:
    """Return a difference of shares in points of a hundred, its interval behind it where it has one."""
    if estimate.value is None:
        return UNDEFINED
    ends, value = estimate.interval, number(100 * estimate.value, 0, sign=sign)
    points = f"{value} {'point' if value.lstrip('+-') == '1' else 'points'}"
    if ends is None or ends.low is None or ends.high is None:
        return points
    return (
        f"{points} ({level_lead(ends)}{' to '.join(number(100 * one, 0) for one in (ends.low, ends.high))})"
    )


def count_word(n: int) -> str:
    """Return a count in words where it is below ten."""
    return _SMALL[n] if n < len(_SMALL) else f"{n:,}"


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


def level_words(level: float | Interval) -> str:
    """Return the level of an interval."""
    return f"{100 * (level if isinstance(level, int | float) else level.level):.4g} %"


def how_many(n: int, one: str, many: str) -> str:
    """Return a count of things in words."""
    return f"{n:,} {one if n == 1 else many}"


def column_texts(values: Sequence[object], signs: Sequence[bool], *, digits: int, ends: int, count: bool,
                 p: bool) -> list[tuple[str, list[str]]]:  # fmt: skip
    """Return the cells of a column: each value, its interval and what unread answers could make of it."""
    made = []
    for value, sign in zip(values, signs, strict=True):
        beside = []
        if isinstance(value, Estimate):
            if value.interval is not None:
                beside.append(interval(value.interval, ends, sign=sign))
            if value.bounds is not None:
                beside.append(bounds_text(value.bounds, ends, sign=sign))
            value = value.value
        if value is None or value == "":
            text = UNDEFINED
        elif isinstance(value, Interval):
            text = interval(value, ends, sign=sign)
        elif isinstance(value, bool):
            text = "yes" if value else "no"
        elif not isinstance(value, int | float):
            text = str(value)
        elif p:
            text = p_value(value)
        else:
            text = f"{value:,}" if count or isinstance(value, int) else number(value, digits, sign=sign)
        made.append((text, beside))
    return made


def typeset(text: str) -> str:
    """Return numbers with a minus sign, as print has them; a terminal keeps the hyphen that can be copied."""
    return text.replace("-", MINUS)


_BARE_MINUS = re.compile(r"(?<![\w.,)\]}-])-(?=\.?\d)")


def printed(text: str) -> str:
    """Return prose with minus signs, as print has it.

    Examples
    --------
    >>> printed("it fell by -3 % (-5 to -1 %) since 2026-11")
    'it fell by −3 % (−5 to −1 %) since 2026-11'
    """
    return _BARE_MINUS.sub(MINUS, text)


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


def listed_words(parts: Sequence[str]) -> str:
    """Return parts in a sentence, the last after *and*."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def joined_names(names: Sequence[str], *, whose: str = "models") -> str:
    """Return names in a sentence; more than three are counted."""
    if len(names) > _MOST_NAMED:
        return f"{len(names)} {whose}"
    return listed_words(names)
