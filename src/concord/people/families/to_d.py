"""From effects in their native form to d."""

import math
from collections.abc import Callable, Sequence

ToD = Callable[[float], float]
"""From an effect in its native form to d."""
NO_D = "not given and not computable from what was given"


def of_rank_biserial(r: float) -> float:
    """Convert r to d by 2r/√(1 − r²)."""
    return 2 * r / math.sqrt(1 - r * r) if abs(r) < 1 else math.nan


def of_fisher_z(z: float) -> float:
    """Convert Fisher's z: 2r/√(1 − r²) = 2 sinh z."""
    return 2 * math.sinh(z)


def first_that_gives(ways: Sequence[ToD], effect: float, d: float) -> ToD | None:
    """Return the conversion by which an effect has this d."""
    for way in ways:
        if math.isclose(way(effect), d, rel_tol=1e-6, abs_tol=1e-9):
            return way
    return None
