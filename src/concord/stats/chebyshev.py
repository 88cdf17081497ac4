"""Many values of one smooth function a column: Chebyshev interpolation where it is exact enough.

A column whose coefficients have not decayed, or that misses a few values computed directly, is computed
directly. Trefethen (2019), Approximation Theory and Approximation Practice, chapters 3, 8.
"""

from collections.abc import Callable, Sequence

import numpy as np

from concord.stats.elementwise import Floats

NODES = 32
TOLERANCE = 1e-10
"""Largest trailing coefficient, against max(1, largest): the error of the sum stays below 1e-8."""
_TRAILING = 3
_WITNESSES = 4

_ANGLES = np.pi * (np.arange(NODES) + 0.5) / NODES
_POINTS = np.cos(_ANGLES)
# c_j = (2 - [j = 0])/K Σ_k f(x_k) cos(j θ_k)
_TO_COEFFICIENTS = np.cos(np.outer(np.arange(NODES), _ANGLES)) * (2.0 / NODES)
_TO_COEFFICIENTS[0] /= 2


def on_columns(
    functions: Sequence[Callable[..., Floats]], points: Floats, *parameters: Floats
) -> list[Floats]:
    """Evaluate functions of (points, *parameters), points of shape (B, k), parameters of shape (k,)."""
    if len(points) <= 2 * NODES:
        return [function(points, *parameters) for function in functions]
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.where(high > low, 0.5 * (high - low), 1.0)
    centre = 0.5 * (low + high)
    nodes = centre + half * _POINTS.reshape(-1, 1)
    scaled = (points - centre) / half
    return [_interpolated(function, points, scaled, nodes, parameters) for function in functions]


def _interpolated(
    function: Callable[..., Floats],
    points: Floats,
    scaled: Floats,
    nodes: Floats,
    parameters: tuple[Floats, ...],
) -> Floats:
    coefficients = _TO_COEFFICIENTS @ function(nodes, *parameters)
    size = np.maximum(1.0, np.abs(coefficients).max(axis=0))
    decayed = np.abs(coefficients[-_TRAILING:]).max(axis=0) <= TOLERANCE * size
    # sum of c_j T_j(x), column by column; written in place, since this is the hot loop
    twice = 2 * scaled
    ahead, behind, spare = np.zeros_like(scaled), np.zeros_like(scaled), np.empty_like(scaled)
    for row in coefficients[:0:-1]:
        np.multiply(twice, ahead, out=spare)
        spare -= behind
        spare += row
        ahead, behind, spare = spare, ahead, behind
    values = np.asarray(scaled * ahead - behind + coefficients[0])
    # a far outlier may stretch the range so that every node misses where the function bends, and what is left
    # decays: a few of the wanted values are the witnesses
    witnesses = function(points[:_WITNESSES], *parameters)
    agrees = (np.abs(values[:_WITNESSES] - witnesses) <= 10 * TOLERANCE * size).all(axis=0)
    slow = ~(decayed & agrees)
    if slow.any():
        values[:, slow] = function(points[:, slow], *(parameter[slow] for parameter in parameters))
    return values
