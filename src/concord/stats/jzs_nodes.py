r"""The JZS integral of many tests at shared nodes: two vectorised transcendental functions per node.

Tests whose integrands end at about the same y share one table of nodes. There :math:`e^{-y}`, :math:`e^y - 1`
and :math:`\log(1 - e^{-y})` are constants, and with the weights :math:`w_k e^{y_k/2}` what is left is

.. math::
    \sum_k w_k \exp\{\tfrac{M-p}{2} \log(q + R^2 e^{-y_k}) - \tfrac{aq}{2}(e^{y_k} - 1)
        + \tfrac{p-1}{2} \log(1 - e^{-y_k})\}.

It is for the common case (ranges up to a few units, whole p, up to some ten thousand participants). Whatever
lies outside is left to the rules of `jzs`, which find a range for every single test.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

DEPTH = 28.0
"""How far below its peak the log integrand is cut off: e^-28 is 1e-12 of the integral."""
PER_OCTAVE = 4
"""Ends are rounded up to powers of 2^(1/4): a table serves ranges that are up to a fifth too long."""
CHUNK = 1024
"""Tests integrated at once, so that tests x nodes of one array fit a core's cache."""
LARGEST_FIT = 2e4
"""Beyond it the rounding of q + R² e^-y, multiplied by the half_fit of the test, would be felt."""
LONG, SLACK = 1.5, 1.0
"""From LONG on an end is checked: it may miss its depth by SLACK."""
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
        return Parts(*(part[chosen] for part in self))


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
    end, sure = _ends(parts)
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


def _ends(parts: Parts) -> tuple[Floats, Bools]:
    """Return about the y at which l has fallen DEPTH below its peak, and whether it surely has.

    It begins where the exponential term alone has fallen that far (the term y/2 adds at most 3 on the ranges
    kept). From there the tangent errs to the right where l is concave, the chord through l(0) = 0 where it is
    convex: the larger of both is taken, twice or more. On long ranges l may be convex first and concave
    later, and both may fall short. For p > 1 the peak is lower than l(0), by about half_p (1 - log y_peak).
    """
    depth = _depth(parts)
    y = np.log1p((depth + 3.0) / parts.half_aq)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # such ends are not kept
        _, y = _nearer(parts, y, depth)
        height, y = _nearer(parts, y, depth)
        far = np.flatnonzero(height < -1.5 * depth)
        for _ in range(3 if far.size else 0):
            y[far] = _nearer(parts.pick(far), y[far], depth[far])[1]
        sure = np.ones(y.shape, dtype=np.bool_)
        long = np.flatnonzero(~(y < LONG))
        if long.size:
            sure[long] = _height(parts.pick(long), y[long])[0] < SLACK - depth[long]
    return y, sure


def _depth(parts: Parts) -> Floats:
    """Return how far l, without its term in p, has to fall."""
    if not parts.half_p.any():
        return np.full(parts.q.shape, DEPTH)
    falling = parts.half_fit * parts.r2 + parts.half_aq
    with np.errstate(divide="ignore", invalid="ignore"):
        lower = parts.half_p * (1.0 - np.log(parts.half_p / falling))
    return DEPTH + np.where(parts.half_p > 0, np.maximum(lower, 0.0), 0.0)


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
