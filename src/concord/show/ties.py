"""Who leads a ranking, where several may have the same number."""

import math
from collections.abc import Sequence

_MOST_NAMED = 3


def leaders(ranked: Sequence[tuple[str, float | None]]) -> list[str]:
    """Return every name that has the first number of a ranking; equal to the last digits is equal.

    Examples
    --------
    >>> leaders([("a", 0.7), ("b", 0.7), ("c", 0.6)]), leaders([("a", 0.7), ("b", 0.69999)]), leaders([])
    (['a', 'b'], ['a'], [])
    """
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
    """Return names in a sentence; more than three are counted.

    Examples
    --------
    >>> joined_names(["a", "b"]), joined_names(["a", "b", "c"]), joined_names("abcd")
    ('a and b', 'a, b and c', '4 models')
    """
    if len(names) > _MOST_NAMED:
        return f"{len(names)} {whose}"
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]
