"""Fields of many sides as arrays."""

from collections.abc import Sequence

import numpy as np

from concord.records import Side
from concord.stats.elementwise import Floats


def column(sides: Sequence[Side], name: str) -> Floats:
    """Return one field of some sides as an array; NaN where it is not given."""
    values = [getattr(side, name) for side in sides]
    return np.array([np.nan if value is None else float(value) for value in values])


def nothing_like(like: Floats) -> Floats:
    """Return an array of undefined numbers."""
    return np.full(like.shape, np.nan)
