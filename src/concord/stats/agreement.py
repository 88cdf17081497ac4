"""Agreement of two profiles: Lin's concordance and its companion numbers; Hedges' g.

Profiles lie on the last axis, batches on the leading ones. An undefined profile is NaN in a batch, an
`UndefinedError` alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from concord.errors import OptionError, UndefinedError
from concord.stats.elementwise import Floats, broadcast, shaped, where_defined

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RegressionLine:
    """A fitted line y = slope * x + intercept; floats for one profile, arrays for a batch."""

    slope: float | Floats
    intercept: float | Floats


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two profiles made ready: scaled by a power of two, weights summing to one, faults set aside."""

    x: Floats
    y: Floats
    weights: Floats
    total: Floats
    """Sum of the weights as they were given."""
    scale: Floats
    """What x and y were divided by."""
    usable: Bools
    fault: str
    single: bool

    def answer(self, values: Floats, defined: Bools, reason: str) -> float | Floats:
        """Blank out what is undefined; for a single profile give a float or raise with the reason."""
        result = np.where(self.usable & defined, values, np.nan)
        if not self.single:
            return result
        if not self.usable:
            raise UndefinedError(self.fault)
        if not defined:
            raise UndefinedError(reason)
        return float(result)


@dataclass(frozen=True, slots=True)
class _Centred:
    """A profile about its weighted mean: ``size * unit`` is the deviation times the root of the weight.

    ``unit`` has its largest entry at 1 in size (all zeros for a constant), so that no square of it
    over- or underflows and equal profiles have bitwise equal units.
    """

    unit: Floats
    size: Floats
    square: Floats
    """Sum of the squares of ``unit``."""
    anchor: Floats
    """The entry from which deviations were taken first: that of the largest weight."""
    shift: Floats
    """The mean minus the anchor."""

    @property
    def sd(self) -> Floats:
        return self.size * np.sqrt(self.square)

    @property
    def varies(self) -> Bools:
        return np.asarray(self.size > 0)


def _aligned(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    """Arrays of one shape; profiles of different lengths are refused, not broadcast."""
    arrays = [np.asarray(values, dtype=np.float64) for values in (x, y)]
    arrays.append(np.ones(arrays[0].shape[-1:]) if weights is None else np.asarray(weights, dtype=np.float64))
    lengths = {array.shape[-1] if array.ndim else None for array in arrays}
    if None in lengths or len(lengths) > 1:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise OptionError(f"profiles and weights need last axes of one length, got shapes {shapes}")
    first, second, third = np.broadcast_arrays(*arrays)
    return first, second, third


def _fault(x: Floats, y: Floats, weights: Floats) -> str:
    """Say why a single pair of profiles cannot be used at all."""
    if x.size == 0:
        return "the profiles are empty"
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return "a profile holds a value that is not finite"
    if not np.isfinite(weights).all() or (weights < 0).any():
        return "a weight is negative or not finite"
    return "the weights sum to zero"


def _checked_pair(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> _Pair:
    """Check, scale and normalise; unusable profiles become zeros of weight one and are marked."""
    xs, ys, ws = _aligned(x, y, weights)
    fine = np.isfinite(xs) & np.isfinite(ys) & np.isfinite(ws) & (ws >= 0)
    usable = np.asarray(fine.all(axis=-1) & (ws > 0).any(axis=-1))
    single = xs.ndim == 1
    fault = _fault(xs, ys, ws) if single and not usable else ""
    if xs.shape[-1] == 0:
        xs, ys, ws = (np.zeros((*xs.shape[:-1], 1)) for _ in range(3))
    keep = usable[..., None]
    xs, ys, ws = np.where(keep, xs, 0.0), np.where(keep, ys, 0.0), np.where(keep, ws, 1.0)
    scale = _power_of_two(np.maximum(np.abs(xs), np.abs(ys)))
    top = _power_of_two(ws)
    ws = ws / top
    total = ws.sum(axis=-1, keepdims=True)
    xs, ys, ws, given = xs / scale, ys / scale, ws / total, total * top
    return _Pair(xs, ys, ws, given[..., 0], scale[..., 0], usable, fault, single)


def _power_of_two(magnitudes: Floats) -> Floats:
    """Return the power of two next to the largest entry: dividing by it is exact."""
    exponent = np.frexp(magnitudes.max(axis=-1, keepdims=True))[1]
    power: Floats = np.ldexp(1.0, np.clip(exponent, -1000, 1000))
    return power


def _centred(values: Floats, weights: Floats) -> _Centred:
    """Centre in two steps, so that a constant profile has deviations of exactly zero."""
    where = np.argmax(weights, axis=-1)[..., None]
    anchor = np.take_along_axis(values, where, axis=-1)
    from_anchor = values - anchor
    shift = np.sum(weights * from_anchor, axis=-1, keepdims=True)
    rooted = np.sqrt(weights) * (from_anchor - shift)
    size = np.abs(rooted).max(axis=-1, keepdims=True)
    unit = rooted / np.where(size > 0, size, 1.0)
    return _Centred(unit, size[..., 0], np.sum(unit * unit, axis=-1), anchor[..., 0], shift[..., 0])


def _correlation(a: _Centred, b: _Centred) -> Floats:
    """Pearson's r, 0 where a profile is constant (callers decide what that means)."""
    scale = np.sqrt(a.square * b.square)
    r = np.sum(a.unit * b.unit, axis=-1) / np.where(scale > 0, scale, 1.0)
    return np.asarray(np.clip(r, -1.0, 1.0))


def _bias(a: _Centred, b: _Centred) -> Floats:
    """Return the difference of the two weighted means, without forming the means."""
    return (a.anchor - b.anchor) + (a.shift - b.shift)


def _accuracy(a: _Centred, b: _Centred, bias: Floats) -> Floats:
    """Lin's C_b = 2 s_x s_y / (s_x^2 + s_y^2 + bias^2), at most 1."""
    # products, not powers: the power of a numpy scalar may be off in the last digit, and 1 would not be 1
    below = a.sd * a.sd + b.sd * b.sd + bias * bias
    return np.minimum(2 * a.sd * b.sd / np.where(below > 0, below, 1.0), 1.0)


def concordance(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> float | Floats:
    r"""Lin's concordance correlation coefficient, weighted.

    .. math:: \rho_c = \frac{2 s_{xy}}{s_x^2 + s_y^2 + (\bar{x} - \bar{y})^2} = r \, C_b

    Only ratios of the weights matter; without weights variances divide by :math:`n`, as in the paper
    (:math:`n - 1` gives 0.833 below). One constant profile gives 0; two, or weights that sum to 0, are
    undefined.

    References
    ----------
    Lin (1989), Biometrics, 45(1), 255-268.

    Examples
    --------
    >>> round(concordance([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]), 12)
    0.8
    """
    pair = _checked_pair(x, y, weights)
    a, b = _centred(pair.x, pair.weights), _centred(pair.y, pair.weights)
    value = _correlation(a, b) * _accuracy(a, b, _bias(a, b))
    return pair.answer(value, a.varies | b.varies, "both profiles are constant")


def weighted_pearson(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> float | Floats:
    """Pearson's correlation with weights; undefined where a profile is constant.

    References
    ----------
    Lin (1989), Biometrics, 45(1), 255-268 (the precision part of the coefficient).

    Examples
    --------
    >>> weighted_pearson([1, 2, 3], [6, 4, 2])
    -1.0
    """
    pair = _checked_pair(x, y, weights)
    a, b = _centred(pair.x, pair.weights), _centred(pair.y, pair.weights)
    return pair.answer(_correlation(a, b), a.varies & b.varies, "a profile is constant")


def weighted_regression(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> RegressionLine:
    """Weighted least squares of y on x: the caricature line; undefined where x is constant.

    With human effects as x and a model's as y, a slope above 1 exaggerates effects, one below 1 flattens
    them.

    References
    ----------
    Draper & Smith (1998), Applied Regression Analysis (3rd ed.), chapter 9. Wiley.

    Examples
    --------
    >>> weighted_regression([0.0, 0.5, 1.0], [0.1, 1.1, 2.1])
    RegressionLine(slope=2.0, intercept=0.1)
    """
    pair = _checked_pair(x, y, weights)
    a, b = _centred(pair.x, pair.weights), _centred(pair.y, pair.weights)
    run = np.where(a.varies, a.square * a.size, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):  # an x that varies by next to nothing
        slope = np.sum(a.unit * b.unit, axis=-1) * b.size / run
        intercept = (b.anchor - slope * a.anchor + (b.shift - slope * a.shift)) * pair.scale
    known = a.varies & np.isfinite(slope) & np.isfinite(intercept)
    reason = "x is constant, so no line is better than another"
    return RegressionLine(pair.answer(slope, known, reason), pair.answer(intercept, known, reason))


def concordance_about_zero(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> float | Floats:
    r"""Agreement about zero, which, unlike Lin's, stays when a test's sign is flipped on both sides.

    .. math:: \frac{2 \sum w x y}{\sum w x^2 + \sum w y^2}

    References
    ----------
    Zegers & ten Berge (1985), Psychometrika, 50(1), 17-24 (the coefficient of identity).

    Examples
    --------
    >>> concordance_about_zero([1.0, -2.0], [1.0, 2.0]), concordance_about_zero([1.0, 2.0], [1.0, -2.0])
    (-0.6, -0.6)
    """
    pair = _checked_pair(x, y, weights)
    a, b = np.sqrt(pair.weights) * pair.x, np.sqrt(pair.weights) * pair.y
    size = np.maximum(np.abs(a), np.abs(b)).max(axis=-1, keepdims=True)
    divisor = np.where(size > 0, size, 1.0)
    a, b = a / divisor, b / divisor
    below = np.sum(a * a, axis=-1) + np.sum(b * b, axis=-1)
    value = 2 * np.sum(a * b, axis=-1) / np.where(below > 0, below, 1.0)
    return pair.answer(np.clip(value, -1.0, 1.0), below > 0, "both profiles are zero throughout")


def concordance_unnormalised(x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> float | Floats:
    r"""Concordance as the public HumanStudy-Bench tables have it: **not** Lin's coefficient.

    .. math:: \frac{2 S_{xy}}{S_{xx} + S_{yy} + (\mu_x - \mu_y)^2},
        \quad S_{xy} = \sum w (x - \mu_x)(y - \mu_y)

    Means divide by :math:`\sum w` and the sums do not: the squared bias is under-weighted, and the number
    depends on the scale of the weights. Clamped to [-1, 1]; two constant profiles give 1 and one 0, as in the
    source.

    References
    ----------
    Lin (1989), Biometrics, 45(1), 255-268 (for the coefficient it departs from).

    Examples
    --------
    >>> x, y = [0.0, 1.0, 2.0], [1.0, 2.0, 3.0]
    >>> round(concordance(x, y), 4), round(concordance_unnormalised(x, y), 4)
    (0.5714, 0.8)
    """
    pair = _checked_pair(x, y, weights)
    a, b = _centred(pair.x, pair.weights), _centred(pair.y, pair.weights)
    # 2 W cov / (W var_x + W var_y + bias^2) = r * C_b with the bias divided by the root of W = sum of weights
    value = _correlation(a, b) * _accuracy(a, b, _bias(a, b) / np.sqrt(pair.total))
    value = np.where(a.varies | b.varies, value, 1.0)
    return pair.answer(value, np.ones_like(pair.usable), "")


def hedges_g(d: ArrayLike, df: ArrayLike) -> Floats | float:
    r"""Hedges' g: Cohen's d (or its standard error) without its upward bias in small samples.

    .. math:: g = d \, \frac{\Gamma(df/2)}{\sqrt{df/2} \, \Gamma((df - 1)/2)}

    References
    ----------
    Hedges (1981), Journal of Educational Statistics, 6, 107-128.

    Examples
    --------
    >>> round(hedges_g(0.5, 18), 4)
    0.4788
    """
    (d_, df_), shape = broadcast(d, df)
    defined = np.isfinite(d_) & (df_ > 1)

    def compute(d: Floats, df: Floats) -> Floats:
        factor = np.exp(gammaln(df / 2) - gammaln((df - 1) / 2) - 0.5 * np.log(df / 2))
        return np.asarray(d * np.where(np.isfinite(df), factor, 1.0))

    return shaped(where_defined(defined, compute, d_, df_), shape, "Hedges' g needs a finite d and df > 1")


def precision_weighted_concordance(
    human: ArrayLike, agent: ArrayLike, human_se: ArrayLike, agent_se: ArrayLike
) -> float:
    """Concordance of effects whose complete tests count by their precision, 1/(SE_h² + SE_a²).

    References
    ----------
    Lin (1989), Biometrics, 45, 255-268.

    Examples
    --------
    >>> equal = precision_weighted_concordance([0.1, 0.5, 0.9], [0.2, 0.4, 0.8], [0.1] * 3, [0.1] * 3)
    >>> round(equal, 4), round(concordance([0.1, 0.5, 0.9], [0.2, 0.4, 0.8]), 4)
    (0.9412, 0.9412)
    """
    (h, a, hs, as_), _ = broadcast(human, agent, human_se, agent_se)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = 1 / (hs**2 + as_**2)
    known = np.isfinite(h) & np.isfinite(a) & np.isfinite(weights) & (weights > 0)
    return float(concordance(h[known], a[known], weights[known]))
