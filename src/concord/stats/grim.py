"""Whether printed means and standard deviations of whole-number answers are possible at all."""

import numpy as np


def grim(mean: float, n: int, *, decimals: int, items: int = 1) -> bool | None:
    """Say whether n people can have a mean of whole numbers that prints so; None where any mean can.

    References
    ----------
    Brown, N. J. L., & Heathers, J. A. J. (2017). The GRIM test: a simple technique detects numerous anomalies
    in the reporting of results in psychology. Social Psychological and Personality Science, 8, 363-369.

    >>> grim(3.48, 25, decimals=2), grim(3.49, 25, decimals=2), grim(3.49, 250, decimals=2)
    (True, False, None)
    """
    whole = n * items
    if whole >= 10**decimals:
        return None
    return bool(_sums(mean, whole, decimals).size)


def grimmer(
    mean: float, sd: float, n: int, *, decimals: int, sd_decimals: int, items: int = 1
) -> bool | None:
    """Say whether some n whole numbers have both the mean and the standard deviation; None where any can.

    The sum of squares is whole, and even where the sum is.

    References
    ----------
    Anaya, J. (2016). The GRIMMER test. PeerJ Preprints, 4, e2400v1. Allard, A. (2018). Analytic-GRIMMER.

    >>> [grimmer(3.48, sd, 25, decimals=2, sd_decimals=2) for sd in (1.58, 1.57)]
    [True, False]
    """
    possible = grim(mean, n, decimals=decimals, items=items)
    if possible is not True or n < 2:
        return possible
    half = 0.5 * 10.0**-sd_decimals + 1e-12
    for total in _sums(mean, n * items, decimals):
        low, high = ((max(end, 0.0) * items) ** 2 * (n - 1) + total**2 / n for end in (sd - half, sd + half))
        squares = np.arange(np.ceil(low - 1e-6), np.floor(high + 1e-6) + 1)
        if squares.size > 2 * n or bool((squares % 2 == total % 2).any()):
            return True
    return False


def _sums(mean: float, whole: int, decimals: int) -> np.ndarray:
    """Return the whole sums whose mean prints as this one, rounded either way at a half."""
    half = 0.5 * 10.0**-decimals
    low, high = (mean - half) * whole, (mean + half) * whole
    return np.arange(np.ceil(low - 1e-9), np.floor(high + 1e-9) + 1)
