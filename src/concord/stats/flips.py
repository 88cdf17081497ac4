"""Flip excess: how much more often answers differ between arrangements than within one."""

import numpy as np
from numpy.typing import NDArray


def flip_excess(
    item: NDArray[np.int64], arrangement: NDArray[np.int64], answer: NDArray[np.int64], *, n_items: int
) -> NDArray[np.float64]:
    r"""Per item, the share of pairs of samples that differ between arrangements minus that within them.

    Both shares are over pairs of samples of the same item, so decoding noise cancels: the expected value is 0
    for any number of samples when the arrangement has no influence on the answer. No labels are needed.

    Parameters
    ----------
    item, arrangement, answer
        Codes of each sample; a negative answer is none and is left out.
    n_items
        Number of items.

    Returns
    -------
    ndarray
        One value per item, NaN where an item has no pair of one of the two kinds.

    References
    ----------
    Simpson, E. H. (1949). Measurement of diversity. Nature, 163, 688 (the share of unlike pairs).

    Examples
    --------
    >>> item, order = np.zeros(4, dtype=np.int64), np.array([0, 0, 1, 1])
    >>> flip_excess(item, order, np.array([5, 5, 7, 7]), n_items=1).tolist()
    [1.0]
    """
    given = answer >= 0
    item, arrangement, answer = item[given], arrangement[given], answer[given]
    per_cell = _squares(n_items, item, arrangement)
    per_cell_answer = _squares(n_items, item, arrangement, answer)
    per_answer = _squares(n_items, item, answer)
    total = np.bincount(item, minlength=n_items).astype(np.float64)
    # twice the number of pairs: within k(k-1), between K^2 - sum k^2; alike pairs likewise per answer
    within, between = per_cell - total, total**2 - per_cell
    alike_within, alike_between = per_cell_answer - total, per_answer - per_cell_answer
    nothing = np.full(n_items, np.nan)
    share_between = np.divide(between - alike_between, between, out=nothing.copy(), where=between > 0)
    share_within = np.divide(within - alike_within, within, out=nothing.copy(), where=within > 0)
    return np.asarray(share_between - share_within)


def _squares(n_items: int, item: NDArray[np.int64], *parts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum, for each item, the squared counts of its groups."""
    key = item.copy()
    for part in parts:
        key = key * (int(part.max(initial=0)) + 1) + part
    groups, first, counts = np.unique(key, return_index=True, return_counts=True)
    squares = np.bincount(item[first], weights=counts.astype(np.float64) ** 2, minlength=n_items)
    return squares.astype(np.float64)
