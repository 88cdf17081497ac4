"""PAS of a test as a function of the agent's statistic: the human side and the design are fixed.

Simulated agents ask for the same function of one statistic thousands of times. The log Bayes factor and the
probability of a positive effect are computed at Chebyshev points of a few panels, carried to a fine grid, and
read off by interpolation with six points; PAS itself, which may rise steeply, is computed from what was read.
The grid is uniform in v = asinh(s/2), s the signed statistic on the scale of t. One side of it serves both:
the Bayes factor does not see the sign, and P(positive) turns into its complement.

Panels are added outwards until the Bayes factor of every test is beyond doubt and its direction too.
Statistics that no panel reaches are `outside`, and left to the exact kernel.
"""

from collections.abc import Callable
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import CAP, Brief
from concord.people.families.base import SmoothRange
from concord.people.score.test_scores import Context
from concord.stats.elementwise import Bools, Floats, quick_asinh

PANELS, NODES, FINE = 14, 16, 48
"""Panels of the v axis at most, Chebyshev points in each, grid points in each."""
LARGEST_S = 1e4
"""End of the last panel."""
SURE = 42.0
"""Log odds of an effect from which on its posterior is 1 to the last digit."""
_V_END = float(np.arcsinh(LARGEST_S / 2))
_STEP = _V_END / (PANELS * FINE)
_MARGIN = 4
"""Grid points at the end of the table that interpolation does not reach."""


def _to_fine() -> Floats:
    """Matrix from values at Chebyshev points of a panel to its grid points (barycentric form)."""
    k = np.arange(NODES)
    angles = np.pi * (k + 0.5) / NODES
    nodes, weights = np.cos(angles), (-1.0) ** k * np.sin(angles)
    targets = -1 + 2 * np.arange(FINE) / FINE
    terms = weights / (targets[:, None] - nodes)
    return np.asarray(terms / terms.sum(axis=1, keepdims=True))


_MATRIX = _to_fine()
_POINTS = 0.5 * (1 + np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)) * FINE * _STEP
"""Chebyshev points of the first panel, in v, the outermost first."""

At = Callable[[Floats, Bools], Brief]
"""Gives the agent's evidence for statistics (n, m) of the m tests that a mask picks, before any cap."""


class Lookup:
    """Tables of designs over positive statistics, as polynomials of every cell, for tests that have them."""

    def __init__(
        self, tables: tuple[Floats, Floats], end: Floats, cap: Floats, design: NDArray[np.intp] | None = None
    ) -> None:
        """Take tables (k, G) of log BF and of P(positive), how far they hold, and the design of each test.

        Tables of P(positive) are (k, 1) where it does not depend on the statistic. Without a design of
        each test, each has tables of its own.
        """
        log_bf, positive = tables
        self.size = log_bf.shape[1]
        of = np.arange(len(log_bf)) if design is None else design
        self._last, self._start = self.size - float(_MARGIN), of * (self.size - 5)
        self._log_bf = _coefficients(log_bf)
        self._positive = None if positive.shape[1] == 1 else _coefficients(positive)
        self._steady = positive[:, 0][of]
        self._cap, self.end = cap[of], end[of]

    def read(self, s: Floats) -> tuple[Floats, Floats]:
        """Read log BF and P(positive) off for statistics (B, k) that are not `outside`."""
        magnitude = np.abs(s)
        x = quick_asinh(magnitude * 0.5)
        x *= 1 / _STEP
        np.minimum(x, self._last, out=x)
        start = x.astype(np.intp)
        start -= 2
        np.maximum(start, 0, out=start)
        x -= start
        x -= _MIDDLE
        start += self._start
        log_bf = _horner(self._log_bf, start, x)
        if np.isfinite(self._cap).any():
            log_bf[magnitude > self._cap] = CAP
        if self._positive is None:
            return log_bf, np.where(s > 0, self._steady, 1 - self._steady)
        up = _horner(self._positive, start, x)
        np.subtract(1.0, up, out=up, where=s <= 0)
        return log_bf, up

    def outside(self, s: Floats) -> Bools:
        """Which statistics the tables do not reach."""
        return np.asarray(np.abs(s) > self.end)


_MIDDLE = 2.5


def _coefficients(tables: Floats) -> list[Floats]:
    """Return, for tables (k, G), six arrays (k·(G - 5)): the polynomial through six points from each on."""
    powers = np.vander(np.arange(6) - _MIDDLE, 6, increasing=True)
    windows = np.lib.stride_tricks.sliding_window_view(tables, 6, axis=1)
    whole = windows @ np.linalg.inv(powers).T
    return [np.ascontiguousarray(whole[..., j]).reshape(-1) for j in range(6)]


def _horner(coefficients: list[Floats], start: NDArray[np.intp], x: Floats) -> Floats:
    """Return the polynomials of cells at x."""
    total = coefficients[5].take(start)
    for j in range(4, -1, -1):
        total *= x
        total += coefficients[j].take(start)
    return total


def make_lookup(
    at: At, log_odds: Floats, limits: SmoothRange, design: NDArray[np.intp] | None = None
) -> Lookup:
    """Build the tables of k designs; each test has a design of its own where none is named."""
    v_cap, v_reach = (np.arcsinh(limit / 2) for limit in (limits.cap, limits.reach))
    k = len(log_odds)
    last, end = np.full((2, k), np.nan), np.zeros(k)
    panels: list[Floats] = []
    active = v_reach >= FINE * _STEP
    width = FINE * _STEP
    while active.any() and len(panels) < PANELS:
        begin = len(panels) * width
        s = 2 * np.sinh(begin + _POINTS)
        known = at(np.tile(s[:, None], (1, int(active.sum()))), active)
        values = np.stack([known.log_bf, known.prob_positive])
        panel = np.repeat(last[:, None], FINE, axis=1)
        panel[..., active] = _MATRIX @ values
        panels.append(panel)
        last[:, active] = values[:, 0]
        # NaN is settled: a test without a direction, or undefined
        weak = (values[0, 0] + log_odds[active] < SURE) & (v_cap[active] + _MARGIN * _STEP > begin + width)
        unsettled = weak | (np.ptp(values[1], axis=0) > 1e-15)
        end[active] = np.where(unsettled, 2 * np.sinh(begin + width - _MARGIN * _STEP), np.inf)
        active[active] = unsettled
        active &= v_reach >= begin + 2 * width
    log_bf, positive = np.concatenate(panels, axis=1) if panels else np.full((2, 6, k), np.nan)
    return Lookup((np.ascontiguousarray(log_bf.T), _shares(positive)), end, limits.cap, design)


def _shares(positive: Floats) -> Floats:
    """P(positive) of the grid (G, k) as tables (k, G), or (k, 1) where no test's varies."""
    varies = np.ptp(positive, axis=0) > 1e-15
    if not varies.any():
        return np.array(positive[:1].T)
    return np.ascontiguousarray(np.clip(positive, 0.0, 1.0).T)


def subset(says: Brief, index: NDArray[np.intp]) -> Brief:
    """Return the evidence of some tests."""
    return Brief(*(getattr(says, field.name)[..., index] for field in fields(Brief)))


def subset_context(context: Context, index: NDArray[np.intp]) -> Context:
    """Return the context of some tests."""
    return Context(*(getattr(context, field.name)[index] for field in fields(Context)))
