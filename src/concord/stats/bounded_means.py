"""Intervals of means of numbers between 0 and 1 that hold at the ends: a Bayesian bootstrap without draws."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from concord.number_words import percent
from concord.records import Estimate, Interval
from concord.stats.elementwise import Bools, Floats
from concord.stats.intervals import FEWEST_CLUSTERS, bounded_vector, checked_level, ends_weight
from concord.stats.skewed import skewed_mean

_FIRST, _LAST = -12.0, 40.0
"""Ends of the integral in log u; below the first the integrand is linear in u."""
_LONGEST_STEP, _DIGITS = 0.25, 30.0
_COARSE = np.arange(-2.0, _LAST, 1.5)
_COARSE_U = np.exp(_COARSE)
_NOTHING = 42.0
"""An integrand below e^-42 adds nothing to the last digit; it falls in u."""
_CLOSE, _SMALL_STEP, _AT_END, _MOST_STEPS = 1e-12, 1e-6, 1e-11, 200
"""Where steps end (as such, and as a share of the distance to an end), from where on a quantile may be an end
of the support, and steps at most."""
_CELLS = 20_000
"""Cells (ratios by units by points of the integral) worked on at once, so that they fit a core's cache."""
_FEW = 2
"""Quantiles of a single interval."""


class GammaRatio(NamedTuple):
    """A quantile that is asked for: of Σ gᵢ nᵢ / Σ gᵢ dᵢ with gᵢ ~ Gamma(aᵢ)."""

    probability: float
    numerator: tuple[float, ...]
    denominator: tuple[float, ...]
    shapes: tuple[float, ...]

    @classmethod
    def of(
        cls, probability: float, numerator: ArrayLike, denominator: ArrayLike, shapes: ArrayLike
    ) -> "GammaRatio":
        """Return the record of array-like numbers."""
        n, d, a = (np.asarray(x, dtype=np.float64).tolist() for x in (numerator, denominator, shapes))
        return cls(float(probability), tuple(n), tuple(d), tuple(a))


def gamma_ratio_cdf(t: float, numerator: ArrayLike, denominator: ArrayLike, shapes: ArrayLike) -> float:
    r"""P(Σ gᵢ nᵢ / Σ gᵢ dᵢ ≤ t) for independent gᵢ ~ Gamma(aᵢ), all dᵢ ≥ 0, to about 1e-9.

    With cᵢ = nᵢ - t dᵢ it is P(Σ gᵢ cᵢ ≤ 0), by inversion (Gil-Pelaez 1951, Biometrika, 38, 481-482):

    .. math:: \tfrac12 - \tfrac1\pi \int_0^\infty
        \frac{\sin \sum a_i \arctan(u c_i)}{\prod (1 + u^2 c_i^2)^{a_i/2}} \frac{du}{u}
    """
    n, d, a = (np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (numerator, denominator, shapes))
    return float(_Ratios(n, d, a).cdf(np.array([float(t)]), np.array([0]))[0][0])


def gamma_ratio_quantile(
    probability: float, numerator: ArrayLike, denominator: ArrayLike, shapes: ArrayLike
) -> float:
    """Return the quantile of Σ gᵢ nᵢ / Σ gᵢ dᵢ (`gamma_ratio_cdf`)."""
    return gamma_ratio_quantiles([GammaRatio.of(probability, numerator, denominator, shapes)])[0]


def gamma_ratio_quantiles(wanted: Sequence[GammaRatio]) -> list[float]:
    """Return many quantiles of ratios, found together; each is `gamma_ratio_quantile` of its own."""
    distinct = tuple(dict.fromkeys(wanted))
    found = _kept(distinct) if len(distinct) <= _FEW else _found_together(distinct)
    return [found[one] for one in wanted]


@lru_cache(maxsize=4096)
def _kept(wanted: tuple[GammaRatio, ...]) -> dict[GammaRatio, float]:
    """Find the ends of a single interval; few studies of few tests ask for the same ones again and again."""
    return _found_together(wanted)


def _found_together(wanted: Sequence[GammaRatio]) -> dict[GammaRatio, float]:
    """Find distinct quantiles: ratios with as many units of each kind of shape, and one sum of shapes."""
    groups: dict[tuple[int, int, int, float], list[GammaRatio]] = defaultdict(list)
    for one in wanted:
        ones, halves = one.shapes.count(1.0), one.shapes.count(0.5)
        groups[ones, halves, len(one.shapes) - ones - halves, sum(one.shapes)].append(one)
    found: dict[GammaRatio, float] = {}
    for members in groups.values():
        columns = zip(*(member[1:] for member in members), strict=True)
        ratios = _Ratios(*(np.array(column, dtype=np.float64) for column in columns))
        values = ratios.quantiles(np.array([member.probability for member in members]))
        found.update(zip(members, values.tolist(), strict=True))
    return found


class _Ratios:
    """Ratios (P, K) sorted once for many calls: shapes of 1 first, shapes of a half next."""

    def __init__(self, n: Floats, d: Floats, a: Floats) -> None:
        order = np.argsort(np.where(a == 1, 0, np.where(a == 0.5, 1, 2)), axis=1, kind="stable")
        self.n, self.d, self.a = (np.take_along_axis(x, order, axis=1) for x in (n, d, a))
        self.n_ones, self.n_halves = int(np.count_nonzero(a[0] == 1)), int(np.count_nonzero(a[0] == 0.5))
        # in log u the integrand is analytic in a strip of half-width π/2 that narrows with the sum of shapes:
        # the error of the trapezoid is about exp(-(2π/h)² / (2 Σ a))
        self.step = min(_LONGEST_STEP, 2 * np.pi / float(np.sqrt(2 * _DIGITS * self.a[0].sum())))
        self.u = np.exp(np.arange(_FIRST, _LAST, self.step))

    def cdf(self, t: Floats, which: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Return the distribution functions and densities of some of the ratios, each at its own t."""
        value, density = np.empty(t.size), np.empty(t.size)
        at_once = max(1, _CELLS // (self.n.shape[1] * 150))
        for begin in range(0, t.size, at_once):
            part = slice(begin, begin + at_once)
            value[part], density[part] = self._cdf(t[part], which[part])
        return value, density

    def _cdf(self, t: Floats, which: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Compute both from one integral."""
        # The integrand is -Im Q(u) with Q = Π qᵢ^aᵢ and qᵢ = 1/(1 + iucᵢ), a product without a transcendental
        # function where aᵢ is 1 or a half; dQ/dt = i u Q Σ aᵢ dᵢ qᵢ.
        d, a = self.d[which], self.a[which]
        c = self.n[which] - t[:, None] * d
        largest = np.abs(c).max(axis=1)
        nothing = largest == 0
        largest[nothing] = 1.0
        c /= largest[:, None]
        weight = a * d / largest[:, None]
        u = self._points(c, a)
        w = c[:, :, None] * u
        q = np.empty(w.shape, dtype=np.complex128)
        q.real = 1 / (1 + w * w)
        q.imag = -w * q.real
        product = self._product(q, w, a)
        slopes = (product * np.matmul(weight[:, None, :], q)[:, 0, :]).real @ u
        # the trapezoid over the straight part below the first point: a geometric sum
        below = u[0] / np.expm1(self.step)
        scale = self.step / np.pi
        total = scale * (product.imag.sum(axis=1) - below * (a * c).sum(axis=1))
        density = scale * (slopes + below * weight.sum(axis=1))
        value = np.clip(0.5 + total, 0.0, 1.0)
        return np.where(nothing, 1.0, value), np.where(nothing, 0.0, density)

    def _points(self, c: Floats, a: Floats) -> Floats:
        """Return the points of the integral, as far as any of the integrands reaches."""
        coarse = c[:, None, :] * _COARSE_U[:, None]
        shrinks = 0.5 * (np.log1p(coarse * coarse) @ a[:, :, None])[..., 0]
        far = int(np.searchsorted(shrinks.min(axis=0), _NOTHING))
        last = float(_COARSE[far]) if far < _COARSE.size else _LAST
        points: Floats = self.u[: int(np.ceil((last - _FIRST) / self.step))]
        return points

    def _product(self, q: NDArray[np.complex128], w: Floats, a: Floats) -> NDArray[np.complex128]:
        """Return Π qᵢ^aᵢ over units, (P, U)."""
        ones, halves = self.n_ones, self.n_ones + self.n_halves
        product: NDArray[np.complex128] = np.multiply.reduce(q[:, :ones], axis=1)
        for k in range(ones, halves):
            # the root with a positive real part: q lies right of the imaginary axis
            size = np.sqrt(q[:, k].real)
            real = np.sqrt(0.5 * (size + q[:, k].real))
            product *= real + 1j * (q[:, k].imag / (2 * real))
        if halves < q.shape[1]:
            others, powers = w[:, halves:], a[:, halves:, None]
            logs = np.sum(powers * np.log1p(others * others), axis=1)
            product *= np.exp(-0.5 * logs - 1j * np.sum(powers * np.arctan(others), axis=1))
        return product

    def quantiles(self, probability: Floats) -> Floats:
        """Return where the distribution functions are the probabilities; ends of the support included."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(self.d > 0, self.n / self.d, np.nan)
        low, high = np.nanmin(ratios, axis=1), np.nanmax(ratios, axis=1)
        edge = 1e-13 * (high - low)
        found: Floats = low.copy()
        moves = np.flatnonzero(high > low)
        if moves.size:
            found[moves] = self._inside(probability, (low + edge, high - edge), moves)
        for at_end, end, inner, beyond in (
            (found - low < _AT_END, low, low + edge, np.greater_equal),
            (high - found < _AT_END, high, high - edge, np.less_equal),
        ):
            near = np.flatnonzero(at_end & (high > low))
            if near.size:
                over = beyond(self.cdf(inner[near], near)[0], probability[near])
                found[near[over]] = end[near[over]]
        return found

    def _inside(self, probability: Floats, ends: tuple[Floats, Floats], moves: NDArray[np.intp]) -> Floats:
        """Take Newton's steps on the scale of normal quantiles (nearly straight), each inside its bracket."""
        wanted = probability[moves]
        target = ndtri(wanted)
        low, high = ends[0][moves], ends[1][moves]
        first, last = low.copy(), high.copy()
        n, d, a = self.n[moves], self.d[moves], self.a[moves]
        total = (a * d).sum(axis=1)
        mean = (a * n).sum(axis=1) / total
        spread = np.sqrt((a * (n - mean[:, None] * d) ** 2).sum(axis=1)) / total
        t: Floats = mean + target * spread
        width = high - low
        active = np.arange(moves.size)
        for _ in range(_MOST_STEPS):
            outside = active[~((low[active] < t[active]) & (t[active] < high[active]))]
            t[outside] = 0.5 * (low[outside] + high[outside])
            at = t[active]
            value, density = self.cdf(at, moves[active])
            below = value < wanted[active]
            low[active[below]], high[active[~below]] = at[below], at[~below]
            step = _newton_step(value, density, target[active], width[active])
            # a step that does not halve the last one is not on its way: the middle of the bracket is
            straight = np.abs(step) < 0.5 * width[active]
            middle = 0.5 * (low[active] + high[active])
            exact = value == wanted[active]
            following = np.where(exact, at, np.where(straight, at - step, middle))
            t[active], width[active] = following, np.abs(following - at)
            nearer = np.minimum(following - first[active], last[active] - following)
            # what Newton's step leaves is about its square over the distance to the nearer end
            enough = np.where(straight, np.maximum(_CLOSE, _SMALL_STEP * nearer), _CLOSE)
            done: Bools = exact | (width[active] < enough) | (high[active] - low[active] < _CLOSE)
            active = active[~done]
            if not active.size:
                break
        return t


def _newton_step(value: Floats, density: Floats, target: Floats, otherwise: Floats) -> Floats:
    """Return Newton's step for Φ⁻¹(F(t)) = target; a step too long to take where F or its density is none."""
    z = ndtri(value)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        step = (z - target) * np.exp(-0.5 * z * z) / (np.sqrt(2 * np.pi) * density)
    return np.where(np.isfinite(step) & (density > 0), step, otherwise)


MANY_UNITS = 500
"""Beyond this many units the ends of the scale need no bootstrap, which would take seconds."""
STILL = 1e-12
"""Numbers that differ by less do not vary."""


def bounded_bootstrap(values: ArrayLike, *, level: float = 0.95) -> Interval:
    """Interval of a mean of numbers between 0 and 1: Bayesian bootstrap with half a unit at each end."""
    # Numbers that are all 0 or 1 get Jeffreys' interval (Brown et al. 2001, Statistical Science, 16,
    # 101-133); equal ones get an interval too, since a unit unlike those seen may exist. It always holds the
    # mean.
    return bounded_bootstraps([bounded_vector(values)], level=level)[0]


def bounded_bootstraps(samples: Sequence[Floats], *, level: float) -> list[Interval]:
    """Return `bounded_bootstrap` of each of many samples, their quantiles found together."""
    tail = 0.5 * (1 - checked_level(level))
    # the Bayesian bootstrap of each sample with a lower and an upper tail
    tails = (tail, tail)
    wanted = []
    for x in samples:
        distinct, counts = np.unique(x, return_counts=True)  # equal units: their Gamma weights add up
        ends, shapes = (*distinct.tolist(), 0.0, 1.0), (*counts.astype(np.float64).tolist(), 0.5, 0.5)
        wanted += [GammaRatio(q, ends, (1.0,) * len(ends), shapes) for q in (tails[0], 1 - tails[1])]
    found = iter(gamma_ratio_quantiles(wanted))
    return [_holding_mean(x, next(found), next(found), level) for x in samples]


def _holding_mean(x: Floats, low: float, high: float, level: float) -> Interval:
    mean = float(x.mean())
    method = f"Bayesian bootstrap of {x.size} units, half a unit at 0 and at 1"
    return Interval(min(low, mean), max(high, mean), level, method)


def bounded_mean(values: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Mean of numbers between 0 and 1 with an interval that holds at the ends.

    Student's t (joined with Hall's transformation where skewness is seen, `skewed_mean`) where no number is
    near an end, a Bayesian bootstrap with half a unit at each end where many are, a mixture between; beyond
    500 units always the first. On eight populations with 8 to 60 units it covered 93 to 100 %, Student's t 24
    to 98 %.

    References
    ----------
    Rubin (1981), Annals of Statistics, 9, 130-134.

    Examples
    --------
    >>> perfect, middle = bounded_mean([1.0] * 12), bounded_mean([0.2, 0.4, 0.5, 0.6])
    >>> round(perfect.interval.low, 4), round(middle.interval.low, 4)
    (0.8147, 0.1532)
    """
    x = bounded_vector(values)
    mean, weight, n = float(x.mean()), ends_weight(x), int(x.size)
    if n < 2:
        return Estimate(mean, None, n, note="no interval: a single unit")
    still = float(np.ptp(x)) <= STILL
    if still or (weight == 1 and n <= MANY_UNITS):
        outer = bounded_bootstrap(x, level=level)
        return Estimate(mean, outer, n, method=outer.method)
    inner = _student(x, level)
    if weight == 0 or n > MANY_UNITS:
        return Estimate(mean, inner, n, method=inner.method)
    outer = bounded_bootstrap(x, level=level)
    low, high = ((1 - weight) * a + weight * b for a, b in ((inner.low, outer.low), (inner.high, outer.high)))
    method = f"{inner.method}; {percent(weight)} {outer.method}"
    return Estimate(mean, Interval(low, high, level, method), n, method=method)


def _student(x: Floats, level: float) -> Interval:
    """Return Student's interval, joined with Hall's where skewness is seen, kept inside the scale."""
    if x.size >= FEWEST_CLUSTERS:
        skewed = skewed_mean(x, level=level)
        if skewed.seen:
            ends = skewed.interval
            return Interval(max(0.0, ends.low), min(1.0, ends.high), level, ends.method)
    mean, se = float(x.mean()), float(x.std(ddof=1) / np.sqrt(x.size))
    reach = float(stdtrit(x.size - 1, 0.5 + level / 2)) * se
    return Interval(max(0.0, mean - reach), min(1.0, mean + reach), level, "Student's t")
