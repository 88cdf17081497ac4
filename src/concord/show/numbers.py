"""Numbers for readers, on the terminal, in notebooks and on the page; the formats are those of sentences."""

from concord.files.number_words import (
    SMALLEST_P,
    UNDEFINED,
    HasEnds,
    bounds_text,
    interval,
    interval_words,
    level_words,
    number,
    p_value,
    p_words,
)

__all__ = [
    "SMALLEST_P",
    "UNDEFINED",
    "HasEnds",
    "bounds_text",
    "interval",
    "interval_words",
    "level_words",
    "number",
    "p_value",
    "p_words",
    "typeset",
]


def typeset(text: str) -> str:
    """Return numbers with a minus sign, as print has them; a terminal keeps the hyphen that can be copied.

    >>> typeset(number(-2.0, 1))
    '−2.0'
    """
    return text.replace("-", "−")
