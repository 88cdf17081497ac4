"""One way in and out for numeric functions: array-like in, arrays out, scalar in, float out."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from concord.errors import UndefinedError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def broadcast(*arguments: ArrayLike) -> tuple[list[Floats], tuple[int, ...]]:
    """Flatten arguments to float vectors of one length, and give the shape they broadcast to."""
    arrays = np.broadcast_arrays(*arguments)
    return [np.array(array, dtype=np.float64).reshape(-1) for array in arrays], arrays[0].shape


def where_defined(defined: Bools, compute: Callable[..., Floats], *arguments: Floats) -> Floats:
    """Compute where the input is defined and leave NaN elsewhere."""
    if defined.all():
        return compute(*arguments)
    values = np.full(defined.shape, np.nan)
    if defined.any():
        values[defined] = compute(*(argument[defined] for argument in arguments))
    return values


def quick_asinh(x: Floats) -> Floats:
    """Inverse hyperbolic sine of numbers that are not negative, to 2e-16 as such: a third of numpy's time."""
    return np.log(x + np.sqrt(x * x + 1.0))


def quick_atanh(r: Floats) -> Floats:
    """Inverse hyperbolic tangent, to 2e-16 as such: a quarter of numpy's time."""
    return 0.5 * np.log((1 + r) / (1 - r))


def quick_tanh(z: Floats) -> Floats:
    """Hyperbolic tangent of numbers below 300, to 4e-16 as such: half of numpy's time."""
    return 1 - 2 / (np.exp(2 * z) + 1)


def or_none(value: float) -> float | None:
    """Return a plain float, or None where it is undefined (NaN); infinity stays, a limit is a value."""
    return None if np.isnan(value) else float(value)


def each_or_none(values: Floats) -> list[float | None]:
    """Return plain floats, None where they are undefined (NaN)."""
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 - NaN alone


def or_nan(value: float | None) -> float:
    """Return a plain float, NaN where it is undefined (None)."""
    return float("nan") if value is None else float(value)


CHUNK_CELLS = 65_536
"""Cells of tables worked on at once, so that they fit a core's cache."""


def cells_first(work: Callable[[Floats], Floats], tables: Floats) -> Floats:
    """Apply work to N x R x C tables, handed over as R x C x N: sums over cells run along whole vectors."""
    step = max(1, CHUNK_CELLS // max(1, tables.shape[1] * tables.shape[2]))
    parts = (tables[begin : begin + step] for begin in range(0, max(1, len(tables)), step))
    return np.concatenate([work(np.ascontiguousarray(np.moveaxis(part, 0, -1))) for part in parts])


def shaped(values: Floats, shape: tuple[int, ...], undefined: str) -> Floats | float:
    """Return values their shape; a single undefined value raises, one among many stays NaN."""
    if shape:
        return values.reshape(shape)
    if np.isnan(values[0]):
        raise UndefinedError(undefined)
    return float(values[0])


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
