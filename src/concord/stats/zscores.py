"""Differences in standard errors (ECS-strict): as tail probabilities, alone and pooled."""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from concord.stats.elementwise import Floats
from concord.stats.pooling import checked_starts, mean_groups, one_group, sums


def z_agreement(z: ArrayLike) -> float | Floats:
    r"""Two-sided tail :math:`2(1 - \Phi(|z|))`, from the complementary error function; NaN stays NaN.

    References
    ----------
    Abramowitz & Stegun (1964), Handbook of Mathematical Functions, 7.1.22 and 26.2.29.

    Examples
    --------
    >>> z_agreement(0.0), round(z_agreement(1.959963984540054), 6)
    (1.0, 0.05)
    >>> f"{z_agreement(-12.0):.4e}"
    '3.5530e-33'
    """
    tail: Floats = np.asarray(special.erfc(np.abs(np.asarray(z, dtype=np.float64)) / np.sqrt(2.0)))
    return tail if tail.ndim else float(tail)


def rms_z_groups(z: ArrayLike, starts: ArrayLike) -> Floats:
    """Root mean square of the z values of every group (shape (..., G)): the pooling of ECS-strict."""
    return np.asarray(np.sqrt(mean_groups(np.square(np.asarray(z, dtype=np.float64)), starts)))


def rms_z(z: ArrayLike) -> float | Floats:
    """Root mean square of z values, undefined ones left out.

    References
    ----------
    The pooling of ECS-strict; `calibrated_agreement` is the form that is a p-value.

    Examples
    --------
    >>> round(rms_z([3.0, -4.0]), 4)
    3.5355
    """
    return one_group(np.asarray(z, dtype=np.float64), lambda units: rms_z_groups(units, [0]))


def calibrated_agreement_groups(z: ArrayLike, starts: ArrayLike) -> Floats:
    """Upper tail of Σ z² under χ²_K for every group, K its defined values."""
    values = np.asarray(z, dtype=np.float64)
    begin = checked_starts(starts, values)
    defined = ~np.isnan(values)
    count = sums(defined.astype(np.float64), begin)
    total = sums(np.where(defined, values, 0.0) ** 2, begin)
    tail = special.gammaincc(np.maximum(count, 1.0) / 2, total / 2)
    return np.where(count > 0, tail, np.nan)


def calibrated_agreement(z: ArrayLike) -> float | Floats:
    r"""Upper tail of :math:`\sum z^2` under :math:`\chi^2_K`: a p-value, which the RMS form is not.

    References
    ----------
    Abramowitz & Stegun (1964), Handbook of Mathematical Functions, 26.4.19.

    Examples
    --------
    >>> round(calibrated_agreement([1.0, -1.0]), 6)
    0.367879
    """
    return one_group(np.asarray(z, dtype=np.float64), lambda units: calibrated_agreement_groups(units, [0]))
