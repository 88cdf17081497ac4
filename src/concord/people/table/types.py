"""The names people give to tests, and the test types they mean."""

import difflib
import functools
import re

from concord.files.cells import BadCellError
from concord.files.text import normal_form
from concord.people.families.registry import KINDS, TEST_TYPES

_FLAGS = {
    "welch": "Welch's t is scored as Student's t",
    "spearman": "a rank correlation is scored as a product-moment correlation",
    "rank correlation": "a rank correlation is scored as a product-moment correlation",
}


@functools.lru_cache(maxsize=1024)
def _fold(text: str) -> str:
    """Reduce a name to its letters and digits: case, spaces, hyphens and typography do not matter."""
    plain = normal_form("NFKC", text).casefold()
    return re.sub(r"[^0-9a-zχ]", "", plain)


_TYPES = {_fold(name): name for name in TEST_TYPES} | {
    _fold(alias): name for name, kind in KINDS.items() for alias in kind.aliases.split(";")
}


def canonical_type(cell: object) -> str:
    """Return the canonical test type of a name.

    Examples
    --------
    >>> canonical_type("Welch t-test"), canonical_type("χ²"), canonical_type("RM_ANOVA")
    ('t-independent', 'chi-square', 'anova-within')
    """
    text = _fold(cell) if isinstance(cell, str) else ""
    known = _TYPES.get(text)
    if known is not None:
        return known
    close = difflib.get_close_matches(text, _TYPES, n=1, cutoff=0.6)
    hint = f" (the closest is {_TYPES[close[0]]})" if close else ""
    raise BadCellError(f"one of {', '.join(TEST_TYPES)}{hint}")


def names_coefficient(cell: object) -> bool:
    """Whether a test type is called a coefficient, which papers give as F or t or as b with its SE.

    Examples
    --------
    >>> names_coefficient("Regression coefficient"), names_coefficient("regression F")
    (True, False)
    """
    text = _fold(cell) if isinstance(cell, str) else ""
    return "coefficient" in text or "slope" in text


def type_flags(cell: object) -> tuple[str, ...]:
    """Say what is assumed when a test of this name is scored as its canonical type.

    Examples
    --------
    >>> type_flags("Spearman's rho"), type_flags("t-test")
    (('a rank correlation is scored as a product-moment correlation',), ())
    """
    text = _fold(cell) if isinstance(cell, str) else ""
    if text in ("rho", "rs"):
        text = "spearman"
    return tuple(dict.fromkeys(flag for word, flag in _FLAGS.items() if _fold(word) in text))
