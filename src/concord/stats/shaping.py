"""The last step of a numeric function: one undefined value raises, one among many stays NaN."""

import numpy as np

from concord.errors import UndefinedError
from concord.stats.elementwise import Floats


def shaped(values: Floats, shape: tuple[int, ...], undefined: str) -> Floats | float:
    """Return values their shape; a single undefined value raises, one among many stays NaN."""
    if shape:
        return values.reshape(shape)
    if np.isnan(values[0]):
        raise UndefinedError(undefined)
    return float(values[0])
