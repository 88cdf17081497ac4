"""What the human side says about true effects: estimates with errors, and their empirical-Bayes posterior.

Effects stand on the d scale of the protocol. Tests without a signed effect (F with df1 > 1, larger tables,
p-values alone) have a strength instead: noncentrality a participant, by moments.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from concord.people.evidence import Family
from concord.people.families.counts import Binomials, ChiSquares, PValues, Tables
from concord.people.families.means import Correlations, FTests, MannWhitney, TTests
from concord.people.protocol import Protocol
from concord.people.sides import SideTable
from concord.stats import effects, pearson
from concord.stats.elementwise import Floats

ODDS_TO_D = float(np.sqrt(3) / np.pi)
"""d-equivalent of a log odds ratio of 1."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Human effects of T tests; NaN where a test has none of the kind."""

    d: Floats
    se: Floats
    strength: Floats
    """Noncentrality a participant (F, chi-square) or of the test itself (p-values), without a sign."""
    log_ratio: Floats
    """Log of a variance ratio, shrunken by its own error."""
    base: Floats
    """Mean logit of the two rates of a 2 x 2 table."""
    direction: Floats
    """Given direction of tests without a signed effect; NaN where there is none."""
    shares: dict[int, tuple[Floats, Floats]]
    """Cell shares within rows of larger tables: without an effect, and as people had them, shrunken."""


def human_effects(side: SideTable, protocol: Protocol) -> Effects:
    """Read effects and their standard errors off the human side."""
    d, se, strength, log_ratio, base, direction = (np.full(side.size, np.nan) for _ in range(6))
    found = Effects(d, se, strength, log_ratio, base, direction, shares={})
    for index, family in side.families:
        _fill(found, index, family, protocol)
    return found


def _fill(found: Effects, index: NDArray[np.intp], family: Family, protocol: Protocol) -> None:
    """Write what one family says at its tests' places."""
    if isinstance(family, Tables) and family.tables.shape[-2:] != (2, 2):
        _fill_tables(found, index, family)
        return
    if isinstance(family, Tables):
        found.base[index] = _base(family.tables)
    if isinstance(family, FTests):
        found.strength[index] = _f_strength(family)
        found.direction[index] = family.direction
    if isinstance(family, ChiSquares):
        found.strength[index] = np.maximum(0.0, family.chi2 - family.df) / family.n
        found.direction[index] = family.direction
    if isinstance(family, PValues):
        _fill_p(found, index, family)
        return
    found.d[index], found.se[index] = _signed(family, protocol)


def _signed(family: Family, protocol: Protocol) -> tuple[Floats, Floats]:
    """Effects on the d scale with their standard errors; NaN where a test has no single effect."""
    if isinstance(family, TTests):
        n2 = np.where(np.isnan(family.n2), np.inf, family.n2)
        d = np.asarray(effects.cohens_d(family.t, family.n1, n2))
        return d, np.asarray(effects.cohens_d_se(d, family.n1, np.where(np.isnan(family.n2), 0.0, family.n2)))
    if isinstance(family, Correlations):
        z = np.arctanh(np.clip(family.r, -effects.LARGEST_R, effects.LARGEST_R))
        return _from_z(z, family.n - 3)
    if isinstance(family, FTests):
        return _single_f(family)
    if isinstance(family, MannWhitney):
        return _rank(family, protocol)
    if isinstance(family, Binomials):
        return _rate(family, protocol)
    if isinstance(family, Tables):
        log_odds = np.asarray(effects.log_odds_ratio(family.tables))
        return ODDS_TO_D * log_odds, ODDS_TO_D * np.asarray(effects.log_odds_ratio_se(family.tables))
    assert isinstance(family, ChiSquares)
    phi = np.sqrt(np.minimum(family.chi2 / family.n, 1 - 1e-9)) * np.where(family.direction < 0, -1.0, 1.0)
    one = family.df == 1
    d = 2 * phi / np.sqrt(1 - phi**2)
    return np.where(one, d, np.nan), np.where(one, 2 / np.sqrt(family.n), np.nan)


def _from_z(z: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Carry Fisher's z to d = 2 sinh z."""
    return 2 * np.sinh(z), 2 * np.cosh(z) / np.sqrt(np.maximum(weight, 1.0))


def _single_f(family: FTests) -> tuple[Floats, Floats]:
    """F with df1 = 1 as t with the given sign (positive without one)."""
    t = np.where(family.direction < 0, -1.0, 1.0) * np.sqrt(family.f)
    if family.design == "regression":
        d, se = _from_z(np.arcsinh(t / np.sqrt(family.df2)), family.df2 - 1)
    else:
        n1, n2 = f_cells(family)
        d = np.asarray(effects.cohens_d(t, n1, n2))
        se = np.asarray(effects.cohens_d_se(d, n1, np.where(np.isinf(n2), 0.0, n2)))
    one = family.df1 == 1
    return np.where(one, d, np.nan), np.where(one, se, np.nan)


def f_cells(family: FTests) -> tuple[Floats, Floats]:
    """Sizes of the two cells behind an F with df1 = 1; the second is infinite within subjects."""
    if family.design == "within":
        return family.df2 + 1, np.full_like(family.df2, np.inf)
    half = family.n / 2
    return np.where(np.isnan(family.n1), half, family.n1), np.where(np.isnan(family.n2), half, family.n2)


def _f_strength(family: FTests) -> Floats:
    """Noncentrality a participant by moments: E F = (df1 + lambda) df2 / (df1 (df2 - 2))."""
    centre = family.df1 * (family.f * np.maximum(family.df2 - 2, 0.0) / family.df2 - 1)
    return np.asarray(np.maximum(0.0, centre) / family.n)


def _rank(family: MannWhitney, protocol: Protocol) -> tuple[Floats, Floats]:
    """Rank-biserial correlation on the d scale, with the Hanley-McNeil error."""
    edge = 1 - 1 / (family.n1 * family.n2)
    r = np.clip(np.asarray(effects.rank_biserial(family.u, family.n1, family.n2)), -edge, edge)
    se = np.asarray(effects.rank_biserial_se(r, family.n1, family.n2, method="hanley-mcneil"))
    if protocol.conversions == "refined":
        d = np.sqrt(2) * ndtri((1 + r) / 2)
        slope = np.sqrt(np.pi) * np.exp(d**2 / 4)
    else:
        d, slope = 2 * r / np.sqrt(1 - r**2), 2 * (1 - r**2) ** -1.5
        d = -d if protocol.conversions == "published" else d
    return d, slope * se


def _rate(family: Binomials, protocol: Protocol) -> tuple[Floats, Floats]:
    """Rates on the d scale; half a success and half a failure keep the error from vanishing."""
    rate = (family.k + 0.5) / (family.n + 1)
    se = np.sqrt(rate * (1 - rate) / (family.n + 1))
    if protocol.conversions == "refined":
        logit = np.log(rate / (1 - rate)) - np.log(family.p0 / (1 - family.p0))
        return ODDS_TO_D * logit, ODDS_TO_D * se / (rate * (1 - rate))
    p0 = np.full_like(family.p0, 0.5) if protocol.conversions == "published" else family.p0
    scale = 2 / np.sqrt(p0 * (1 - p0))
    return scale * (family.k / family.n - p0), scale * se


def _base(tables: Floats) -> Floats:
    """Mean logit of both rates, half a count added to every cell."""
    filled = tables + 0.5
    logits = np.log(filled[..., 0] / filled[..., 1])
    return np.asarray(logits.mean(axis=-1))


def _fill_p(found: Effects, index: NDArray[np.intp], family: PValues) -> None:
    """Read p-values by the noncentrality of their z, variance ratios by their log as well."""
    is_ratio = ~np.isnan(family.ratio)
    z = -ndtri(np.clip(family.p(), 1e-300, 1.0) / 2)
    found.strength[index] = np.maximum(0.0, z * z - 1)
    found.direction[index] = family.direction
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.log(family.ratio)
        kept = np.maximum(0.0, 1 - (2 / family.df1 + 2 / family.df2) / log_ratio**2)
    found.log_ratio[index] = np.where(is_ratio, np.where(log_ratio == 0, 0.0, kept * log_ratio), np.nan)


def _fill_tables(found: Effects, index: NDArray[np.intp], family: Tables) -> None:
    """Shares of larger tables: pooled over rows, and the observed ones shrunken by (chi2 - df)/chi2.

    Empty rows and columns say nothing: chi2 and df are those of the table without them.
    """
    found.direction[index] = family.direction
    for place, table in zip(index, family.tables, strict=True):
        held = table[table.any(axis=1)][:, table.any(axis=0)]
        df = (held.shape[0] - 1) * (held.shape[1] - 1)
        chi2 = float(pearson.chi_square(held).statistic) if df else 0.0
        found.strength[place] = max(0.0, chi2 - df) / table.sum()
        weight = 1 - df / chi2 if chi2 > df else 0.0
        filled = table + 0.5
        pooled = np.broadcast_to(filled.sum(axis=0) / filled.sum(), table.shape)
        own = filled / filled.sum(axis=1, keepdims=True)
        found.shares[int(place)] = (np.array(pooled), weight * own + (1 - weight) * pooled)


def needed(family: Family) -> dict[str, NDArray[np.bool_]]:
    """Which of the tests draw from which human number (names of `Effects`); larger tables from shares."""
    if isinstance(family, FTests):
        single = family.df1 == 1
        return {"d": single, "strength": ~single}
    if isinstance(family, ChiSquares):
        single = family.df == 1
        return {"d": single, "strength": ~single}
    if isinstance(family, PValues):
        is_ratio = ~np.isnan(family.ratio)
        return {"log_ratio": is_ratio, "strength": ~is_ratio}
    if isinstance(family, Tables):
        two = family.tables.shape[-2:] == (2, 2)
        return {"d": np.ones(len(family.tables), dtype=np.bool_)} if two else {}
    assert isinstance(family, TTests | Correlations | MannWhitney | Binomials)
    return {"d": np.ones(len(family.p_value), dtype=np.bool_)}


def lacking(side: SideTable, people: Effects) -> list[int]:
    """Return the tests of the agent's side that ask for a number which people do not give."""
    found: list[int] = []
    for index, family in side.families:
        missing = np.zeros(len(index), dtype=np.bool_)
        for kind, used in needed(family).items():
            missing |= used & np.isnan(getattr(people, kind)[index])
        if isinstance(family, Tables) and family.tables.shape[-2:] != (2, 2):
            known = [people.shares.get(int(i)) for i in index]
            missing |= np.array([pair is None or pair[0].shape != family.tables.shape[-2:] for pair in known])
        found += [int(i) for i in np.asarray(index)[missing]]
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Population:
    """True effects: a share of exact nulls, the others normal around zero (orientation is arbitrary)."""

    null_share: float
    tau2: float
    """Variance of the true effects that are not null."""
    n_tests: int

    def draw(self, found: Effects, rng: np.random.Generator, size: int) -> Floats:
        """Draw true effects given the human estimates: (size, T), NaN where a test has none."""
        d, var = found.d, found.se**2
        total = var + self.tau2
        log_slab = -0.5 * (d * d / total + np.log(total))
        log_null = -0.5 * (d * d / var + np.log(var))
        with np.errstate(divide="ignore"):
            odds = np.log(self.null_share) - np.log1p(-self.null_share) + log_null - log_slab
        null = 1 / (1 + np.exp(-np.clip(odds, -700, 700)))
        shape = (size, d.size)
        slab = d * self.tau2 / total + np.sqrt(self.tau2 * var / total) * rng.standard_normal(shape)
        return np.where(rng.random(shape) < null, 0.0, slab)


def fit_population(found: Effects, p_values: Floats) -> Population:
    """Null share from the human p-values above one half (Storey 2002), tau² by moments of d² - SE²."""
    known = ~np.isnan(found.d) & ~np.isnan(found.se)
    p = p_values[~np.isnan(p_values)]
    share = min(0.99, 2 * float(np.mean(p > 0.5))) if p.size else 0.0
    if not known.any():
        return Population(share, 0.0, 0)
    excess = float(np.mean(found.d[known] ** 2 - found.se[known] ** 2))
    return Population(share, max(0.0, excess) / (1 - share), int(known.sum()))


def rank_from_d(d: Floats, protocol: Protocol) -> Floats:
    """Rank-biserial correlation of a d, as the protocol converts."""
    if protocol.conversions == "refined":
        return np.asarray(2 * ndtr(d / np.sqrt(2)) - 1)
    r = d / np.sqrt(4 + d**2)
    return np.asarray(-r if protocol.conversions == "published" else r)


def rate_from_d(d: Floats, p0: Floats, protocol: Protocol) -> Floats:
    """Rate of a d, as the protocol converts; kept inside 0 and 1."""
    if protocol.conversions == "refined":
        return np.asarray(1 / (1 + np.exp(-(np.log(p0 / (1 - p0)) + d / ODDS_TO_D))))
    centre = np.full_like(p0, 0.5) if protocol.conversions == "published" else p0
    return np.clip(centre + d * np.sqrt(centre * (1 - centre)) / 2, 0.0, 1.0)
