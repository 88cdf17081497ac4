"""Statistics of several degrees of freedom that have a direction where somebody gave one."""

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import broadcast_like
from concord.stats.elementwise import Floats

LARGEST_DF, LARGEST_DIRECTED_DF = 10, 5
"""Up to these (the second where p says how sure the direction is) tables are right to 1e-8."""


def directed_by(s: Floats, direction: Floats) -> Floats:
    """Return the signs of statistics where a direction was given, else what was given."""
    return np.where(np.abs(direction) == 1, np.sign(s), broadcast_like(direction, s))


def is_steep(df: Floats, direction: Floats) -> NDArray[np.bool_]:
    """Return which tests rise too steeply for a panel: the p of many degrees of freedom is nearly a step."""
    directed = np.abs(direction) == 1
    return np.asarray((df > LARGEST_DF) | (directed & (df > LARGEST_DIRECTED_DF)))
