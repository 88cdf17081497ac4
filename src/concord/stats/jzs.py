r"""The JZS kernel: one integral behind t, paired t, F, regression and the Wetzels correlation.

.. math::
    BF_{10} = \int_0^\infty (1 + a g)^{(M-p)/2} (1 + a q g)^{-M/2} \, IG(g; 1/2, 1/2) \, dg,
    \quad q = D / (S + D), \; R^2 = S / (S + D)

With :math:`y = \log(1 + 1/(a q g))` this is

.. math::
    \log BF_{10} = \tfrac12 \log\frac{a}{2\pi} + \tfrac{M-p-1}{2} \log(1 + S/D)
        + \log \int_0^\infty e^{\ell(y)} dy,

.. math::
    \ell(y) = \tfrac{y}{2} + \tfrac{M-p}{2} \log(1 - R^2 (1 - e^{-y})) - \tfrac{aq}{2} (e^y - 1)
        + \tfrac{p-1}{2} \log(1 - e^{-y}).

Every term but the first falls (or, for p > 1, keeps a single peak away from 0): the range that matters has
closed-form or bisected ends, and a fixed Gauss-Legendre rule gives 1e-13 in log BF over n = 2 ... 1e7, r =
0.1 ... 2, |t| up to 1e4. Tests whose integrands end at about the same y (ranges of a few units, whole p, up
to some ten thousand participants) share one table of nodes, where :math:`e^{-y}`, :math:`e^y - 1` and
:math:`\log(1 - e^{-y})` are constants; whatever lies outside gets a range of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp, stdtr

from concord.stats.elementwise import Bools, Floats

SHARED_DEPTH = 28.0
"""How far below its peak the log integrand is cut off: e^-28 is 1e-12 of the integral."""
PER_OCTAVE = 4
"""Ends are rounded up to powers of 2^(1/4): a table serves ranges that are up to a fifth too long."""
CHUNK = 1024
"""Tests integrated at once, so that tests x nodes of one array fit a core's cache."""
LARGEST_FIT = 2e4
"""Beyond it the rounding of q + R² e^-y, multiplied by the half_fit of the test, would be felt."""
CHECKED_END, SLACK = 1.5, 1.0
"""From CHECKED_END on an end is checked: it may miss its depth by SLACK."""
SMALLEST_END = 2.0**-24
MANY, MOST = 5, 12
"""Up to MANY degrees of freedom the shorter rules are exact, up to MOST the longer ones."""

_ONE = ((0.72, 14), (1.5, 15), (2.01, 18), (3.01, 22), (4.01, 26), (6.0, 34))
_FEW = ((1.01, 24), (2.01, 26), (3.01, 28), (4.01, 32))
_SEVERAL = ((2.01, 32), (4.01, 36), (6.0, 42))
"""Nodes by the largest range they are for: p = 1, p up to MANY, p up to MOST."""
_RULES = (_ONE, _FEW, _SEVERAL)
_CROWDING = (1.5, 0.5, 0.5)
"""How nodes crowd at y = 0, where a falling integrand has its mass: x -> (e^cx - 1)/(e^c - 1)."""


class Parts(NamedTuple):
    """What is needed of an integrand, each a vector over tests."""

    q: Floats
    r2: Floats
    half_aq: Floats
    half_fit: Floats
    half_p: Floats

    def pick(self, chosen: NDArray[np.intp] | slice) -> "Parts":
        """Return the parts of some of the tests."""
        return Parts(*[part[chosen] for part in self])


class _Table(NamedTuple):
    """Constants of one range: columns over nodes, and the weights as a row."""

    decay: Floats
    slopes: Floats
    weights: Floats


@lru_cache(maxsize=1024)
def _table(rule: int, step: int) -> _Table:
    """Return the nodes of a rule on [0, 2^(step/4)]; p > 1 in u = sqrt(y), which removes the root at 0."""
    end = 2.0 ** (step / PER_OCTAVE)
    nodes, weights = np.polynomial.legendre.leggauss(_nodes(rule, end))
    crowding = _CROWDING[rule]
    x = np.expm1(0.5 * crowding * (nodes + 1)) / np.expm1(crowding)
    w = 0.5 * weights * crowding * np.exp(0.5 * crowding * (nodes + 1)) / np.expm1(crowding)
    y, w = (x * end, w * end) if rule == 0 else (x * x * end, 2 * x * w * end)
    slopes = np.column_stack([-np.expm1(y), np.log(-np.expm1(-y))])
    return _Table(np.exp(-y)[:, None], slopes, w * np.exp(0.5 * y))


def _nodes(rule: int, end: float) -> int:
    return next(count for largest, count in _RULES[rule] if end <= largest)


def log_integrals(parts: Parts) -> tuple[Floats, Bools]:
    """Return the log integrals, and for which tests they are known; the others are NaN."""
    groups = shared_nodes(parts)
    values = np.full(parts.q.shape, np.nan)
    if groups.order.size:
        sorted_ = parts.pick(groups.order)
        falls = np.stack([sorted_.half_aq, sorted_.half_p])
        found = [np.log(table.weights @ _heights(sorted_, falls, piece, table)) for piece, table in groups]
        values[groups.order] = np.concatenate(found)
    return values, groups.known


def posterior_shares(
    parts: Parts, share: Callable[[Floats, NDArray[np.intp]], Floats]
) -> tuple[Floats, Bools]:
    """Return means over the posterior of g (p = 1), and for which tests they are known."""
    groups = shared_nodes(parts)
    values = np.full(parts.q.shape, np.nan)
    if groups.order.size:
        sorted_ = parts.pick(groups.order)
        falls = np.stack([sorted_.half_aq, sorted_.half_p])
        for piece, table in groups:
            mass = table.weights[:, None] * _heights(sorted_, falls, piece, table)
            place = groups.order[piece]
            values[place] = (mass * share(-table.slopes[:, :1], place)).sum(axis=0) / mass.sum(axis=0)
    return values, groups.known


_KEYS = 1000
"""Room for the steps of one rule among the keys of tables."""


@dataclass(frozen=True, slots=True)
class TableGroups:
    """Tests in the order of their tables."""

    order: NDArray[np.intp]
    key: NDArray[np.int16]
    known: Bools

    def __iter__(self) -> Iterator[tuple[slice, _Table]]:
        """Yield chunks of sorted tests that share a table."""
        borders = [0, *(np.flatnonzero(np.diff(self.key)) + 1).tolist(), self.key.size]
        for begin, end in pairwise(borders):
            rule, step = divmod(int(self.key[begin]), _KEYS)
            table = _table(rule, step - _KEYS // 2)
            for chunk in range(begin, end, CHUNK):
                yield slice(chunk, min(chunk + CHUNK, end)), table


def shared_nodes(parts: Parts) -> TableGroups:
    """Sort the tests of the common case by the table of nodes that serves them."""
    rule = _rule_of(parts)
    end, sure = _range_ends(parts)
    with np.errstate(invalid="ignore"):
        step = np.ceil(PER_OCTAVE * np.log2(end))
    known = sure & _common(parts, rule, step)
    chosen = np.flatnonzero(known)
    # radix sort: tests of one table come to lie together
    key = (_KEYS * rule[chosen] + step[chosen] + _KEYS // 2).astype(np.int16)
    order = np.argsort(key, kind="stable")
    return TableGroups(chosen[order], key[order], known)


def _heights(parts: Parts, falls: Floats, piece: slice, table: _Table) -> Floats:
    """Return the integrand at the nodes of a table, but for its weights; parts are sorted."""
    values = table.decay * parts.r2[piece]
    values += parts.q[piece]
    np.log(values, out=values)
    values *= parts.half_fit[piece]
    values += table.slopes @ falls[:, piece]
    np.exp(values, out=values)
    return values


def _rule_of(parts: Parts) -> NDArray[np.int_]:
    return np.asarray((parts.half_p > 0).astype(np.int_) + (2 * parts.half_p + 1 > MANY))


def _common(parts: Parts, rule: NDArray[np.int_], step: Floats) -> Bools:
    """Whether a test is one of the common case."""
    largest = np.array([PER_OCTAVE * np.log2(known[-1][0]) for known in _RULES])
    twice = 2 * parts.half_p
    whole = (twice == np.round(twice)) & (twice + 1 <= MOST)
    inside = (step <= largest[rule]) & (step > PER_OCTAVE * np.log2(SMALLEST_END))
    return np.asarray(whole & inside & (parts.half_fit <= LARGEST_FIT))


def _range_ends(parts: Parts) -> tuple[Floats, Bools]:
    """Return about the y at which l has fallen SHARED_DEPTH below its peak, and whether it surely has."""
    # It begins where the exponential term alone has fallen that far. From there the tangent errs to the right
    # where l is concave, the chord through l(0) = 0 where it is convex: the larger of both is taken, twice or
    # more; both may fall short on long ranges. For p > 1 the peak is lower than l(0), by about half_p (1 -
    # log y_peak).
    depth = _depth(parts)
    y = np.log1p((depth + 3.0) / parts.half_aq)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # such ends are not kept
        _, y = _nearer(parts, y, depth)
        height, y = _nearer(parts, y, depth)
        far = np.flatnonzero(height < -1.5 * depth)
        for _ in range(3 if far.size else 0):
            y[far] = _nearer(parts.pick(far), y[far], depth[far])[1]
        sure = np.ones(y.shape, dtype=np.bool_)
        long = np.flatnonzero(~(y < CHECKED_END))
        if long.size:
            sure[long] = _height(parts.pick(long), y[long])[0] < SLACK - depth[long]
    return y, sure


def _depth(parts: Parts) -> Floats:
    """Return how far l, without its term in p, has to fall."""
    if not parts.half_p.any():
        return np.full(parts.q.shape, SHARED_DEPTH)
    falling = parts.half_fit * parts.r2 + parts.half_aq
    with np.errstate(divide="ignore", invalid="ignore"):
        lower = parts.half_p * (1.0 - np.log(parts.half_p / falling))
    return SHARED_DEPTH + np.where(parts.half_p > 0, np.maximum(lower, 0.0), 0.0)


def _nearer(parts: Parts, y: Floats, depth: Floats) -> tuple[Floats, Floats]:
    """Return l(y) and the larger of two points at which tangent and chord have fallen by the depth."""
    height, slope = _height(parts, y)
    return height, np.maximum(y - (height + depth) / slope, -y * depth / height)


def _height(parts: Parts, y: Floats) -> tuple[Floats, Floats]:
    """Return l(y) without the term in p, and its slope, to about ten digits."""
    decay = np.exp(-y)
    inside = parts.q + parts.r2 * decay
    fit, fall = parts.half_fit * np.log(inside), parts.half_aq / decay
    slope = 0.5 - parts.half_fit * parts.r2 * decay / inside - fall
    return 0.5 * y + fit - fall + parts.half_aq, slope


DEPTH = 32.0
"""How far below its peak the log integrand is cut off: e^-32 is 1e-14 of the integral."""
BLOCK = 32768
"""Tests whose ranges are found at once."""
SHORT, LONG = 2.0, 4.0
"""Ranges up to SHORT (some twenty participants or more) get the shortest rule, beyond LONG the finest."""
FEW = 5.0
"""Up to this many residual degrees of freedom the peak of p > 1 is skewed and gets the finer rule."""


def _rule(nodes: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on [0, 1], as columns."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    return 0.5 * (x + 1).reshape(-1, 1), 0.5 * w.reshape(-1, 1)


_SHORT_RULE, _MIDDLE_RULE, _LONG_RULE = _rule(28), _rule(40), _rule(96)
_PEAK_RULE, _SKEWED_RULE = _rule(40), _rule(64)


@dataclass(frozen=True, slots=True)
class Kernel:
    """The integral for a block of tests; every field is a vector over tests."""

    a: Floats
    m: Floats
    p: Floats
    s: Floats
    d: Floats

    def pick(self, chosen: slice | NDArray[np.bool_] | NDArray[np.intp]) -> "Kernel":
        """Return the kernel of some of the tests."""
        return Kernel(self.a[chosen], self.m[chosen], self.p[chosen], self.s[chosen], self.d[chosen])

    def parts(self) -> Parts:
        """Return what the shared nodes need."""
        total = self.s + self.d
        q = self.d / total
        return Parts(q, self.s / total, 0.5 * self.a * q, 0.5 * (self.m - self.p), 0.5 * (self.p - 1))

    def log_constant(self) -> Floats:
        """Return the factor in front of the integral, in logs."""
        fit = 0.5 * (self.m - self.p - 1)
        return np.asarray(0.5 * np.log(self.a / (2 * np.pi)) + fit * np.log1p(self.s / self.d))


class Integrand:
    """l(y) and its parts for one kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.q, self.r2, self.half_aq, self.half_fit, self.half_p = kernel.parts()
        self.minus_r2 = -self.r2
        self.strong = self.r2 > 0.5
        self.any_strong = bool(self.strong.any())

    def __call__(self, y: Floats) -> Floats:
        """Return l(y) for p = 1, at nodes x tests."""
        return self._terms(y)[0]

    def with_p(self, y: Floats) -> Floats:
        """Return l(y) for p > 1, at nodes x tests."""
        values, rise = self._terms(y)
        values += self.half_p * np.log(rise)
        return values

    def _terms(self, y: Floats) -> tuple[Floats, Floats]:
        """Return l(y) without the term in p, and 1 - e^-y."""
        x = np.expm1(y)
        growth = x + 1.0
        rise = x / growth
        values = rise * self.minus_r2
        with np.errstate(divide="ignore"):  # R² = 1 in floats is a strong fit, written over below
            np.log1p(values, out=values)
        if self.any_strong:  # 1 - R²(1 - e^-y) = q + R² e^-y, a sum that does not cancel
            strong = self.strong
            values[..., strong] = np.log(self.q[strong] + self.r2[strong] / growth[..., strong])
        values *= self.half_fit
        np.multiply(y, 0.5, out=growth)
        values += growth
        x *= self.half_aq
        values -= x
        return values, rise

    def end(self, depth: Floats | float = DEPTH) -> Floats:
        """Return a y beyond which l stays below -depth: each falling term alone gets there, growth is y/2."""
        growth = 0.5 * np.log1p(2 * depth / self.half_aq)
        by_exponential = np.log1p((depth + growth) / self.half_aq)
        drop = np.expm1(-(depth + 0.5 * by_exponential) / self.half_fit)
        reached = -drop < self.r2
        by_fit = np.full_like(by_exponential, np.inf)
        by_fit[reached] = -np.log1p(drop[reached] / self.r2[reached])
        return np.minimum(by_exponential, by_fit)

    def peak(self) -> Floats:
        """Return about the y at which l(y) + log(y)/2 is largest, by bisection of its slope in log y (p > 1).

        For small y the slope vanishes at (p/2)/(half_fit R² + half_aq), for large y at its logarithm: the
        bracket starts well below, and lower still where the slope is not positive there.
        """
        guess = np.log1p((self.half_p + 0.5) / (self.half_fit * self.r2 + self.half_aq))
        low = np.log(guess) - 2.0
        low = np.where(self._slope(np.exp(low)) > 0, low, low - 40.0)
        high = np.maximum(np.log(self.end(700.0)), low + 1.0)
        for _ in range(12):
            middle = 0.5 * (low + high)
            rising = self._slope(np.exp(middle)) > 0
            low = np.where(rising, middle, low)
            high = np.where(rising, high, middle)
        return np.exp(0.5 * (low + high))

    def _slope(self, y: Floats) -> Floats:
        x = np.expm1(y)
        fit = self.half_fit * self.r2 / (self.q * (1.0 + x) + self.r2)
        return np.asarray(0.5 - fit - self.half_aq * (1.0 + x) + self.half_p / x + 0.5 / y)

    def around_peak(self) -> tuple[Floats, Floats]:
        """Return the range of u = sqrt(y) in which the integrand is within e^-DEPTH of its peak (p > 1)."""

        def height(u: Floats) -> Floats:
            return self.with_p(u * u) + np.log(u)

        top = np.sqrt(self.peak())
        highest = height(top)
        far = np.sqrt(self.end(DEPTH + np.maximum(0.0, -highest) + 5.0))

        def beyond(u: Floats) -> NDArray[np.bool_]:
            return np.asarray(height(u) < highest - DEPTH)

        return _bisect(np.zeros_like(top), top, beyond), _bisect(np.maximum(far, 1.001 * top), top, beyond)


def _bisect(outside: Floats, inside: Floats, beyond: Callable[[Floats], NDArray[np.bool_]]) -> Floats:
    """Move `outside` towards `inside` as long as it stays outside; 8 halvings place an end well enough."""
    for _ in range(8):
        middle = 0.5 * (outside + inside)
        out = beyond(middle)
        outside = np.where(out, middle, outside)
        inside = np.where(out, inside, middle)
    return outside


def _slices(size: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, size, step))


def _log_bf_one(kernel: Kernel, end: Floats, rule: tuple[Floats, Floats]) -> Floats:
    """Log of the integral for p = 1 over [0, end]."""
    nodes, weights = rule
    values = Integrand(kernel)(nodes * end)
    # l(0) = 0 and l <= y/2: no exponential overflows as long as half the range is far below 700
    np.exp(values, out=values)
    return np.asarray(np.log((weights.T @ values)[0] * end))


def _log_bf_many(kernel: Kernel, low: Floats, high: Floats, rule: tuple[Floats, Floats]) -> Floats:
    """Log of the integral for p > 1; u = sqrt(y) removes the root at 0."""
    nodes, weights = rule
    u = low + (high - low) * nodes
    values = Integrand(kernel).with_p(u * u)
    values += np.log(2 * u)
    top = values.max(axis=0)
    values -= top
    np.exp(values, out=values)
    return np.asarray(top + np.log((weights.T @ values)[0] * (high - low)))


def _posterior_nodes(
    kernel: Kernel, end: Floats, rule: tuple[Floats, Floats], t: Floats
) -> tuple[Floats, Floats]:
    """Weights w_k of the posterior of g and the Student argument at each node, p = 1."""
    # P(delta > 0 | data, H1) = sum_k w_k T_M(t sqrt(s_k M / (D + (1 - s_k) t²))).
    nodes, weights = rule
    integrand = Integrand(kernel)
    y = nodes * end
    mass = weights * np.exp(integrand(y))
    qx = integrand.q * np.expm1(y)
    s = 1.0 / (1.0 + qx)
    argument = t * np.sqrt(s * kernel.m / (kernel.d + qx * s * kernel.s))
    return mass / mass.sum(axis=0), argument


def _prob_positive(kernel: Kernel, end: Floats, rule: tuple[Floats, Floats], t: Floats) -> Floats:
    weights, argument = _posterior_nodes(kernel, end, rule, t)
    share = (weights * stdtr(kernel.m, argument)).sum(axis=0)
    return np.asarray(np.minimum(share, 1.0))  # weights may sum to a rounding more than one


def _log_prob_positive(kernel: Kernel, end: Floats, rule: tuple[Floats, Floats], t: Floats) -> Floats:
    weights, argument = _posterior_nodes(kernel, end, rule, t)
    with np.errstate(divide="ignore"):  # a weight that underflows has no say
        return np.asarray(logsumexp(np.log(weights) + log_student(kernel.m, argument), axis=0))


def log_student(df: Floats, x: Floats) -> Floats:
    """Log of the Student cdf, also where the cdf underflows (far below 0)."""
    df = np.broadcast_to(df, x.shape)
    cdf = stdtr(df, x)
    tiny = cdf < 1e-280
    logs = np.empty_like(x)
    logs[~tiny] = np.log(cdf[~tiny])
    logs[tiny] = _log_far_tail(df[tiny], x[tiny])
    return logs


def _log_far_tail(df: Floats, x: Floats) -> Floats:
    """Log of I_z(df/2, 1/2)/2, z = df/(df + x²), by the continued fraction of Abramowitz & Stegun 26.5.8."""
    a, b, square = 0.5 * df, 0.5, x * x
    z = df / (df + square)
    c, d = np.ones_like(z), 1.0 / (1 - (a + b) * z / (a + 1))
    value = d
    for m in range(1, 200):  # modified Lentz, even step then odd step
        for step in (
            m * (b - m) * z / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * z / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1.0 / (1 + step * d), 1 + step / c
            value = value * c * d
    front = a * np.log(z) + b * np.log(square / (df + square)) - np.log(a) - betaln(a, b)
    return np.asarray(front + np.log(value) - np.log(2))


def _one_by_length(kernel: Kernel, work: Callable[..., Floats], *more: Floats) -> Floats:
    """Apply work(kernel, end, rule, *more) in chunks, each test with the rule its own range asks for."""
    values = np.empty_like(kernel.a)
    end = Integrand(kernel).end()
    for chosen, rule in (
        (end <= SHORT, _SHORT_RULE),
        ((end > SHORT) & (end <= LONG), _MIDDLE_RULE),
        (end > LONG, _LONG_RULE),
    ):
        part, ends, extras = kernel.pick(chosen), end[chosen], [extra[chosen] for extra in more]
        pieces = [
            work(part.pick(piece), ends[piece], rule, *(extra[piece] for extra in extras))
            for piece in _slices(len(ends), CHUNK)
        ]
        if pieces:
            values[chosen] = np.concatenate(pieces)
    return values


def _many(kernel: Kernel) -> Floats:
    values = np.empty_like(kernel.a)
    low, high = Integrand(kernel).around_peak()
    for chosen, rule in ((kernel.d > FEW, _PEAK_RULE), (kernel.d <= FEW, _SKEWED_RULE)):
        part, lows, highs = kernel.pick(chosen), low[chosen], high[chosen]
        pieces = [
            _log_bf_many(part.pick(piece), lows[piece], highs[piece], rule)
            for piece in _slices(len(lows), CHUNK)
        ]
        if pieces:
            values[chosen] = np.concatenate(pieces)
    return values


def log_bf(a: Floats, m: Floats, p: Floats, s: Floats, d: Floats) -> Floats:
    """Log BF10 of the kernel for vectors of defined tests (a, d > 0, s >= 0, m > p >= 1)."""
    values = np.empty_like(a)
    whole = Kernel(a, m, p, s, d)
    for block in _slices(len(a), BLOCK):
        kernel = whole.pick(block)
        integral, known = log_integrals(kernel.parts())
        if not known.all():
            integral[~known] = _by_own_range(kernel.pick(~known))
        values[block] = integral + kernel.log_constant()
    return values


def _by_own_range(kernel: Kernel) -> Floats:
    """Log of the integral with a range found for every test."""
    one = kernel.p == 1
    integral = np.empty_like(kernel.a)
    if one.any():
        integral[one] = _one_by_length(kernel.pick(one), _log_bf_one)
    if not one.all():
        integral[~one] = _many(kernel.pick(~one))
    return integral


def prob_positive(a: Floats, m: Floats, t: Floats, d: Floats) -> Floats:
    """Posterior probability that the effect is positive, given H1 and the data (p = 1, S = t²)."""
    values = np.empty_like(a)
    whole = Kernel(a, m, np.ones_like(a), t * t, d)
    for block in _slices(len(a), BLOCK):
        kernel = whole.pick(block)
        found, known = posterior_shares(kernel.parts(), partial(_share, kernel, t[block]))
        if not known.all():
            found[~known] = _one_by_length(kernel.pick(~known), _prob_positive, t[block][~known])
        values[block] = np.minimum(found, 1.0)  # weights may sum to a rounding more than one
    return values


def _share(kernel: Kernel, t: Floats, x: Floats, place: NDArray[np.intp]) -> Floats:
    """P(delta > 0) given g at nodes x = e^y - 1, for some of the tests."""
    some = kernel.pick(place)
    qx = some.d / (some.s + some.d) * x
    s = 1.0 / (1.0 + qx)
    argument = t[place] * np.sqrt(s * some.m / (some.d + qx * s * some.s))
    return np.asarray(stdtr(some.m, argument))


def log_prob_positive(a: Floats, m: Floats, t: Floats, d: Floats) -> Floats:
    """Log of `prob_positive`, finite also where the probability underflows."""
    values = np.empty_like(a)
    whole = Kernel(a, m, np.ones_like(a), t * t, d)
    for block in _slices(len(a), BLOCK):
        values[block] = _one_by_length(whole.pick(block), _log_prob_positive, t[block])
    return values
