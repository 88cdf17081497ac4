"""Families whose PAS is a smooth function of one signed statistic: how it is read, written and limited."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import Family, broadcast_like
from concord.people.families.counts import ChiSquares
from concord.people.families.means import Correlations, FTests, MannWhitney, TTests
from concord.people.lookup import Limits
from concord.people.protocol import Protocol
from concord.stats.elementwise import Floats

LARGEST_R = 1 - 2e-6
"""Correlations of simulated agents stay inside, where d exists: seven standard errors for n = 4."""
LARGEST_DF, LARGEST_DIRECTED_DF = 10, 5
"""Up to these (the second where p says how sure the direction is) tables are right to 1e-8."""
CAPPED_FROM = 10.0
"""|t| beyond which the capped rule gives one Bayes factor to all."""


def is_smooth(family: Family) -> bool:
    """Whether PAS of these tests is a smooth function of one signed statistic (up to a cap)."""
    if isinstance(family, FTests):
        return family.design != "within" or bool(np.all(family.df1 == 1))
    return isinstance(family, TTests | Correlations | MannWhitney | ChiSquares)


def statistic_of(family: Family) -> Floats:
    """Return the signed statistic of replicates (B, k) on the scale of t, for families that are smooth."""
    if isinstance(family, TTests):
        return family.t
    if isinstance(family, FTests):
        return np.where(family.direction < 0, -1.0, 1.0) * np.sqrt(family.f)
    if isinstance(family, ChiSquares):
        return np.where(family.direction < 0, -1.0, 1.0) * np.sqrt(family.chi2)
    if isinstance(family, Correlations):
        return np.arctanh(family.r) * np.sqrt(np.maximum(family.n - 3, 1.0))
    assert isinstance(family, MannWhitney)
    sigma = np.sqrt(family.n1 * family.n2 * (family.n1 + family.n2 + 1) / 12)
    return np.asarray((family.n1 * family.n2 / 2 - family.u) / sigma)


def with_statistic(family: Family, s: Floats) -> Family:
    """Return the tests with other statistics (n, k): the inverse of `statistic_of`."""
    nothing = np.full(s.shape, np.nan)
    if isinstance(family, TTests):
        return replace(family, t=s, p_value=nothing)
    if isinstance(family, FTests | ChiSquares):
        known = np.abs(family.direction) == 1
        direction = np.where(known, np.sign(s), broadcast_like(family.direction, s))
        if isinstance(family, FTests):
            return replace(family, f=s * s, direction=direction, p_value=nothing)
        return replace(family, chi2=s * s, direction=direction, p_value=nothing)
    if isinstance(family, Correlations):
        z = s / np.sqrt(np.maximum(family.n - 3, 1.0))
        return replace(family, r=np.clip(np.tanh(z), -LARGEST_R, LARGEST_R), p_value=nothing)
    assert isinstance(family, MannWhitney)
    sigma = np.sqrt(family.n1 * family.n2 * (family.n1 + family.n2 + 1) / 12)
    u = family.n1 * family.n2 / 2 - s * sigma
    return replace(family, u=u, z=s, p_value=nothing)


def limits_of(family: Family, protocol: Protocol) -> Limits:
    """Return where PAS ends to be smooth: at the cap of a protocol, and where r is held below 1."""
    if isinstance(family, Correlations):
        root = np.sqrt(np.maximum(family.n - 3, 1.0))
        cap = np.full(family.n.shape, np.inf)
        if protocol.capped and protocol.correlation == "one-sample-t":
            cap = np.arctanh(CAPPED_FROM / np.sqrt(family.n - 2 + CAPPED_FROM**2)) * root
        return Limits(cap, np.arctanh(LARGEST_R) * root)
    assert isinstance(family, TTests | FTests | MannWhitney | ChiSquares)
    unlimited = np.full(family.p_value.shape[-1], np.inf)
    capped = protocol.capped and not isinstance(family, ChiSquares)
    reach = (
        unlimited if isinstance(family, TTests | MannWhitney) else np.where(_is_steep(family), 0.0, np.inf)
    )
    return Limits(np.full_like(unlimited, CAPPED_FROM) if capped else unlimited, reach)


def _is_steep(family: FTests | ChiSquares) -> NDArray[np.bool_]:
    """Which tests rise too steeply for a panel: the p of many degrees of freedom is nearly a step."""
    df = family.df1 if isinstance(family, FTests) else family.df
    directed = np.abs(family.direction) == 1
    return np.asarray((df > LARGEST_DF) | (directed & (df > LARGEST_DIRECTED_DF)))


def pick(family: Family, test: NDArray[Any]) -> Family:
    """Return some of the tests (a mask or places), as they were read."""
    return _rebuilt(family, lambda value, own: value[test])


def pick_outcomes(family: Family, draw: NDArray[np.intp], test: NDArray[np.intp]) -> Family:
    """Return single outcomes of replicates (B, k) as tests of their own."""
    return _rebuilt(family, lambda value, own: value[draw, test] if own == 2 else value[test])


def _rebuilt(family: Family, change: Any) -> Family:
    """Change every array of a family, given it and how many axes it has beside those of a table."""
    record: Any = family
    changed = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, np.ndarray):
            changed[field.name] = change(value, value.ndim - 2 * (field.name == "tables"))
    rebuilt: Family = replace(record, **changed)
    return rebuilt
