"""What every function over arrays does with a value that does not exist."""

from collections.abc import Callable

import numpy as np
import pytest

from concord.errors import UndefinedError


def check_undefined(function: Callable[..., object], bad: tuple[float, ...], good: tuple[float, ...]) -> None:
    """Alone it raises; among others it is NaN and leaves its neighbour as it is."""
    with pytest.raises(UndefinedError, match=r"."):
        function(*bad)
    values = np.asarray(function(*np.array([bad, good]).T))
    assert np.isnan(values[0])
    assert values[1] == pytest.approx(function(*good), rel=1e-13)
