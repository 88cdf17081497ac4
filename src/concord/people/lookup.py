"""PAS of a test as a function of the agent's statistic: the human side and the design are fixed.

Simulated agents ask for the same function of one statistic thousands of times. The log Bayes factor and the
probability of a positive effect are computed at Chebyshev points of a few panels, carried to a fine grid,
turned into PAS there, and read off by interpolation with six points. The grid is uniform in
v = asinh(s/2), s the signed statistic on the scale of t; each sign has a table of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import Evidence
from concord.people.protocol import Protocol
from concord.people.tests import Context, pas_of
from concord.stats.elementwise import Floats

PANELS, NODES, FINE = 14, 20, 110
"""Panels of the v axis, Chebyshev points in each, grid points in each."""
LARGEST_S = 1e4
"""Beyond this statistic PAS has reached its limit."""
_V_END = float(np.arcsinh(LARGEST_S / 2))
_STEP = _V_END / (PANELS * FINE)


def _to_fine() -> Floats:
    """Matrix from values at Chebyshev points of a panel to its grid points (barycentric form)."""
    k = np.arange(NODES)
    angles = np.pi * (k + 0.5) / NODES
    nodes, weights = np.cos(angles), (-1.0) ** k * np.sin(angles)
    targets = -1 + 2 * np.arange(FINE) / FINE
    terms = weights / (targets[:, None] - nodes)
    return np.asarray(terms / terms.sum(axis=1, keepdims=True))


_MATRIX = _to_fine()
_PANEL_POINTS = (
    (np.arange(PANELS)[:, None] + 0.5 * (1 + np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))) * FINE * _STEP
).reshape(-1)
"""Chebyshev points of all panels, in v."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Tables of PAS for some tests: (2, k, G), negative statistics first."""

    table: Floats

    def pas(self, s: Floats) -> Floats:
        """Read PAS off for statistics (B, k)."""
        sides, k, size = self.table.shape
        place = np.arcsinh(np.abs(s) * 0.5) / _STEP
        np.minimum(place, size - 4.0, out=place)
        begin = np.clip(place.astype(np.intp) - 2, 0, size - 6)
        x = place - begin
        row = (s > 0) * k + np.arange(k)
        return _six_points(self.table.reshape(-1), row * size + begin, x)


def _six_points(flat: Floats, start: NDArray[np.intp], x: Floats) -> Floats:
    """Lagrange interpolation through points 0 ... 5 at x, by Newton's forward differences."""
    total = flat[start + 5]
    # Neville's scheme written as nested products: p = f0 + x (D1 + (x-1)/2 (D2 + (x-2)/3 (D3 + ...)))
    f = [flat[start + i] for i in range(5)] + [total]
    for order in range(1, 6):
        for i in range(5, order - 1, -1):
            f[i] = f[i] - f[i - 1]
    value = f[5]
    for order in range(4, -1, -1):
        value = f[order] + (x - order) / (order + 1) * value
    return np.asarray(value)


def make_lookup(
    evidence: Callable[[Floats], Evidence], says: Evidence, context: Context, protocol: Protocol
) -> Lookup:
    """Build the tables of k tests.

    Parameters
    ----------
    evidence
        Gives the agent's evidence for signed statistics (n, k).
    says, context
        The human side of the same tests, (k,).
    protocol
        Turns both into PAS.
    """
    halves = []
    fine = np.sinh(np.arange(PANELS * FINE) * _STEP) * 2
    for sign in (-1.0, 1.0):
        k = says.log_bf.shape[-1]
        s = np.broadcast_to((sign * 2 * np.sinh(_PANEL_POINTS))[:, None], (_PANEL_POINTS.size, k))
        known = evidence(np.array(s))
        at = {name: _carried(getattr(known, name)) for name in ("log_bf", "prob_positive")}
        direction = np.where(np.isnan(known.direction[:1]), np.nan, sign) + 0 * fine[:, None]
        grid = _evidence(at["log_bf"], np.clip(at["prob_positive"], 0.0, 1.0), direction)
        halves.append(pas_of(says, grid, context, protocol).T)
    return Lookup(np.ascontiguousarray(halves))


def _carried(values: Floats) -> Floats:
    """Carry values at the points of all panels (P·N, k) to the grid (P·G, k)."""
    k = values.shape[-1]
    return np.asarray(np.einsum("gn,pnk->pgk", _MATRIX, values.reshape(PANELS, NODES, k)).reshape(-1, k))


def _evidence(log_bf: Floats, positive: Floats, direction: Floats) -> Evidence:
    """Evidence of which only what PAS needs is known."""
    nothing = np.broadcast_to(np.nan, log_bf.shape)
    known = {"log_bf": log_bf, "prob_positive": positive, "direction": direction}
    return Evidence(**{field.name: known.get(field.name, nothing) for field in fields(Evidence)})


def subset(says: Evidence, index: NDArray[np.intp]) -> Evidence:
    """Give the evidence of some tests."""
    return Evidence(*(getattr(says, field.name)[..., index] for field in fields(Evidence)))


def subset_context(context: Context, index: NDArray[np.intp]) -> Context:
    """Give the context of some tests."""
    return Context(*(getattr(context, field.name)[index] for field in fields(Context)))
