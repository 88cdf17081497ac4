"""Agents that never were: fresh samples at the agent's own n from given true effects, or from none."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from concord.errors import UndefinedError
from concord.people.evidence import Family, broadcast_like
from concord.people.families.counts import Binomials, ChiSquares, PValues, Tables
from concord.people.families.means import Correlations, FTests, MannWhitney, TTests
from concord.people.protocol import Protocol
from concord.people.smooth import LARGEST_R
from concord.people.truth import ODDS_TO_D, Effects, f_cells, needed, rank_from_d, rate_from_d
from concord.stats import effects, pvalues
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True)
class Truth:
    """True effects of T tests in B simulated agents."""

    d: Floats
    """(B, T); zeros for agents without effects."""
    people: Effects
    null: bool
    """No effect anywhere: strengths, ratios and directions of people do not count."""

    def of(self, index: NDArray[np.intp]) -> "Truth":
        """Return the truth about some tests, renumbered."""
        human = self.people
        kept = {name: getattr(human, name)[index] for name in Effects.__slots__ if name != "shares"}
        shares = {i: human.shares[int(place)] for i, place in enumerate(index) if int(place) in human.shares}
        return Truth(self.d[:, index], Effects(**kept, shares=shares), self.null)

    def needed_by(self, family: Family) -> "_Part":
        """Return what these tests, one family, draw from; a number they need and people lack is an error."""
        human, needs = self.people, needed(family)
        none = np.zeros(self.d.shape[-1])

        def number(kind: str, values: Floats) -> Floats:
            used = needs.get(kind, none > 0)
            if np.isnan(values[..., used]).any():
                raise UndefinedError(f"people have no {kind} for a test whose simulation needs it")
            return np.where(np.isnan(values), 0.0, values)

        return _Part(
            d=number("d", self.d),
            strength=none if self.null else number("strength", human.strength),
            log_ratio=none if self.null else number("log_ratio", human.log_ratio),
            direction=none + np.nan if self.null else human.direction,
            base=human.base,
            null=self.null,
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """Numbers of one family; 0 where a test neither has nor uses the number."""

    d: Floats
    strength: Floats
    log_ratio: Floats
    direction: Floats
    base: Floats
    null: bool


def replicate(family: Family, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> Family:
    """Return the tests of a family with fresh samples from their true effects, one a row of `truth.d`."""
    if isinstance(family, Tables) and family.tables.shape[-2:] != (2, 2):
        return _tables(family, truth, rng)
    return _redrawn(family, truth.needed_by(family), protocol, rng)


def _redrawn(family: Family, part: _Part, protocol: Protocol, rng: np.random.Generator) -> Family:
    if isinstance(family, TTests):
        return _t_tests(family, part, rng)
    if isinstance(family, FTests):
        return _f_tests(family, part, rng)
    if isinstance(family, Correlations):
        return _correlations(family, part, rng)
    if isinstance(family, MannWhitney):
        return _ranks(family, part, protocol, rng)
    if isinstance(family, Binomials):
        return _rates(family, part, protocol, rng)
    if isinstance(family, Tables):
        return _two_by_two(family, part, rng)
    if isinstance(family, ChiSquares):
        return _chi_squares(family, part, rng)
    assert isinstance(family, PValues)
    return _p_values(family, part, rng)


def _nothing(like: Floats) -> Floats:
    return np.full(like.shape, np.nan)


def _t(d: Floats, n1: Floats, n2: Floats, df: Floats, rng: np.random.Generator) -> Floats:
    """Noncentral t of a true d; an infinite (or missing) n2 is a single sample."""
    other = np.where(np.isnan(n2), np.inf, n2)
    centre = d / np.sqrt(1 / n1 + 1 / other)
    noise = rng.standard_normal(d.shape)
    return np.asarray((noise + centre) / np.sqrt(rng.chisquare(df, d.shape) / df))


def _t_tests(family: TTests, part: _Part, rng: np.random.Generator) -> TTests:
    df = np.where(np.isnan(family.n2), family.n1 - 1, family.n1 + family.n2 - 2)
    t = _t(part.d, family.n1, family.n2, df, rng)
    return replace(family, t=t, p_value=_nothing(t))


def _f_tests(family: FTests, part: _Part, rng: np.random.Generator) -> FTests:
    """Draw, for df1 = 1, the square of a t with its sign; for more, noncentral F."""
    shape = part.d.shape
    if family.design == "regression":
        z = np.arcsinh(part.d / 2) + rng.standard_normal(shape) / np.sqrt(np.maximum(family.df2 - 1, 1.0))
        t = np.sinh(z) * np.sqrt(family.df2)
    else:
        n1, n2 = f_cells(family)
        t = _t(part.d, n1, n2, family.df2, rng)
    top = rng.noncentral_chisquare(family.df1, part.strength * family.n, shape) / family.df1
    many = top / (rng.chisquare(family.df2, shape) / family.df2)
    single = family.df1 == 1
    f = np.where(single, t * t, many)
    direction = np.where(single, np.sign(t), _directed(part, shape, rng))
    direction = np.where(np.abs(family.direction) == 1, direction, broadcast_like(family.direction, f))
    by_p = (family.design == "within") & ~single & ~np.isnan(family.p_value)
    p = _nothing(f)
    if by_p.any():
        p[:, by_p] = np.asarray(pvalues.p_f(f[:, by_p], family.df1[by_p], family.df2[by_p]))
    return replace(family, f=f, direction=direction, p_value=p)


def _directed(part: _Part, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Directions of tests whose effect has none of its own: that of people, or a coin toss."""
    coin = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
    known = np.abs(part.direction) == 1
    return np.where(known, np.broadcast_to(part.direction, shape), coin)


def _correlations(family: Correlations, part: _Part, rng: np.random.Generator) -> Correlations:
    error = 1 / np.sqrt(np.maximum(family.n - 3, 1.0))
    z = np.arcsinh(part.d / 2) + error * rng.standard_normal(part.d.shape)
    r = np.clip(np.tanh(z), -LARGEST_R, LARGEST_R)
    return replace(family, r=r, p_value=_nothing(r))


def _ranks(family: MannWhitney, part: _Part, protocol: Protocol, rng: np.random.Generator) -> MannWhitney:
    edge = 1 - 1 / (family.n1 * family.n2)
    r = np.clip(rank_from_d(part.d, protocol), -edge, edge)
    se = np.asarray(effects.rank_biserial_se(r, family.n1, family.n2, method="hanley-mcneil"))
    fresh = np.clip(r + se * rng.standard_normal(r.shape), -1.0, 1.0)
    u = 0.5 * family.n1 * family.n2 * (1 - fresh)
    return replace(family, u=u, z=_nothing(u), p_value=_nothing(u))


def _rates(family: Binomials, part: _Part, protocol: Protocol, rng: np.random.Generator) -> Binomials:
    p0 = np.broadcast_to(family.p0, part.d.shape)
    rate = p0 if part.null else rate_from_d(part.d, np.array(p0), protocol)
    k = rng.binomial(family.n.astype(np.int64), rate, part.d.shape).astype(np.float64)
    return replace(family, k=k, p_value=_nothing(k))


def _two_by_two(family: Tables, part: _Part, rng: np.random.Generator) -> Tables:
    """Both rates around the mean logit of people (of the agent, where people have no table)."""
    filled = family.tables + 0.5
    own = np.log(filled[..., 0] / filled[..., 1]).mean(axis=-1)
    base = np.where(np.isnan(part.base), own, part.base)
    half = part.d / ODDS_TO_D / 2
    totals = family.tables.sum(axis=-1).astype(np.int64)
    first = rng.binomial(totals[:, 0], expit(base + half), part.d.shape)
    second = rng.binomial(totals[:, 1], expit(base - half), part.d.shape)
    cells = np.stack([first, totals[:, 0] - first, second, totals[:, 1] - second], axis=-1)
    tables = cells.reshape(*part.d.shape, 2, 2).astype(np.float64)
    return replace(family, tables=tables, p_value=_nothing(part.d))


def _tables(family: Tables, truth: Truth, rng: np.random.Generator) -> Tables:
    """Larger tables: each row keeps its total, cells follow the shares of people or the pooled ones."""
    size = len(truth.d)
    part = truth.needed_by(family)
    shares = np.array([truth.people.shares[i][0 if truth.null else 1] for i in range(len(family.tables))])
    totals = family.tables.sum(axis=-1).astype(np.int64)
    fresh = rng.multinomial(np.broadcast_to(totals, (size, *totals.shape)), shares).astype(np.float64)
    drawn = _directed(part, part.d.shape, rng)
    direction = np.where(np.abs(family.direction) == 1, drawn, broadcast_like(family.direction, part.d))
    return replace(family, tables=fresh, direction=direction, p_value=_nothing(part.d))


def _chi_squares(family: ChiSquares, part: _Part, rng: np.random.Generator) -> ChiSquares:
    """Draw, for df = 1, the square of a signed normal root; more: noncentral chi-square."""
    shape = part.d.shape
    root = part.d / np.sqrt(4 + part.d**2) * np.sqrt(family.n) + rng.standard_normal(shape)
    many = rng.noncentral_chisquare(family.df, part.strength * family.n, shape)
    one = family.df == 1
    direction = np.where(one, np.sign(root), _directed(part, shape, rng))
    direction = np.where(np.abs(family.direction) == 1, direction, broadcast_like(family.direction, root))
    return replace(family, chi2=np.where(one, root * root, many), direction=direction, p_value=_nothing(root))


def _p_values(family: PValues, part: _Part, rng: np.random.Generator) -> PValues:
    """Draw a normal z around that of people; a variance ratio times a fresh F."""
    shape = part.d.shape
    sign = _directed(part, shape, rng)
    z = sign * np.sqrt(part.strength) + rng.standard_normal(shape)
    is_ratio = ~np.isnan(family.ratio)
    df1, df2 = np.where(is_ratio, family.df1, 1.0), np.where(is_ratio, family.df2, 1.0)
    ratio = np.where(is_ratio, np.exp(part.log_ratio) * rng.f(df1, df2, shape), np.nan)
    p = np.where(is_ratio, np.nan, 2 * ndtr(-np.abs(z)))
    known = (np.abs(family.direction) == 1) & ~is_ratio
    direction = np.where(known, np.sign(z), broadcast_like(family.direction, z))
    return replace(family, p_value=p, direction=direction, ratio=ratio)
