"""Unicode's normal forms of text that nobody checked: the time is that of the text, whatever it holds."""

import re
import unicodedata
from functools import cache
from typing import Literal

MARKS = 30
"""Marks behind one letter that are ordered: as many as in Unicode's stream-safe format."""
_SHORT = 60
"""Characters of a text whose marks may be ordered without a look."""
_LAST = 0x1FFFF
"""No mark lies beyond the first two planes of Unicode."""
_JOINER = "\u034f"
"""Parts a run of marks for the ordering, and is not seen."""


def normal_form(form: Literal["NFC", "NFKC", "NFD", "NFKD"], text: str) -> str:
    r"""Return a text in one of Unicode's normal forms.

    Python orders the marks behind a letter in a time that grows with the square of their number: a cell of
    100,000 marks would take minutes. Longer runs are parted as in Unicode's stream-safe text format (UAX 15).

    Examples
    --------
    >>> normal_form("NFC", "e\u0301")
    'é'
    >>> len(normal_form("NFC", "e" + "\u0327\u0301" * 100_000)) > 200_000
    True
    """
    if text.isascii():
        return text
    if len(text) > _SHORT:
        text = _long_runs().sub(rf"\g<0>{_JOINER}", text)
    return unicodedata.normalize(form, text)


@cache
def _long_runs() -> re.Pattern[str]:
    """Return the pattern of as many marks as are ordered, where one more follows."""
    marks = [chr(code) for code in range(0x300, _LAST + 1) if unicodedata.combining(chr(code))]
    kind = f"[{''.join(marks)}]"
    return re.compile(f"{kind}{{{MARKS}}}(?={kind})")
