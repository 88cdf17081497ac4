"""The cautious twin of the worst gap: picked on one half of the items, read on the other."""

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.stats.elementwise import Floats


def half_splits(n_units: int, n_splits: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Random halves of the units, one split a row; True marks the first half.

    References
    ----------
    Chernozhukov, V. et al. (2018). Double/debiased machine learning. Econometrics Journal, 21(1), C1-C68.

    Examples
    --------
    >>> half_splits(5, 3, np.random.default_rng(0)).sum(axis=1).tolist()
    [2, 2, 2]
    """
    if n_units < 2:
        raise UndefinedError(f"{n_units} items cannot be split into halves")
    ranks = np.argsort(rng.random((n_splits, n_units)), axis=1)
    splits = np.zeros((n_splits, n_units), dtype=np.bool_)
    np.put_along_axis(splits, ranks[:, : n_units // 2], True, axis=1)
    return splits


def cross_fit_worst(first: Floats, second: Floats) -> tuple[float, int]:
    """Gap of the worst arrangement, picked on one half of the items and read on the other.

    The largest of noisy gaps is too large on average; a gap that was not used for the choice is not.
    Unbiased when all gaps are equal, below the largest otherwise.

    References
    ----------
    Chernozhukov, V. et al. (2018). Double/debiased machine learning. Econometrics Journal, 21(1), C1-C68.

    Examples
    --------
    >>> cross_fit_worst(np.array([[0.1, 0.3]]), np.array([[0.2, 0.1]]))
    (0.1, 0)
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    usable = both.any(axis=1)
    if not usable.any():
        raise UndefinedError("no arrangement is defined on both halves of any split")
    reads = []
    for picked_on, read_on in ((first, second), (second, first)):
        worst = np.argmax(np.where(both, picked_on, -np.inf)[usable], axis=1)
        reads.append(np.take_along_axis(read_on[usable], worst[:, None], axis=1)[:, 0])
    return float(np.mean(reads)), int((~usable).sum())
