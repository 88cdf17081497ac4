"""Families of tests on counts, and of what is known by its p-value alone."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from concord.people.evidence import (
    MAGNITUDE,
    SIGNED,
    Brief,
    Evidence,
    broadcast_like,
    given_first,
    toward,
    toward_where_known,
)
from concord.people.protocol import Protocol
from concord.stats import bayes, contingency, effects, pearson, pvalues, two_rates
from concord.stats.elementwise import Floats


def _no_effects(like: Floats) -> dict[str, Floats]:
    """Fields of a family that has no effect size."""
    nothing = np.full(like.shape, np.nan)
    return {
        "effect": nothing,
        "effect_se": nothing,
        "form": np.full(like.shape, MAGNITUDE),
    }


@dataclass(frozen=True, slots=True)
class Tables:
    """Contingency tables of one shape and one sampling plan: ``tables`` is (..., k, R, C)."""

    tables: Floats
    sampling: str
    direction: Floats
    """Given direction, used for tables larger than 2 x 2."""
    p_value: Floats

    def d(self, protocol: Protocol) -> Floats:
        """Return the d-equivalent of the log odds ratio; larger tables have none."""
        if not self._two_by_two:
            return np.full(self.tables.shape[:-2], np.nan)
        return np.asarray(effects.d_from_log_odds(effects.log_odds_ratio(self.tables)))

    def brief(self, protocol: Protocol) -> Brief:
        """Gûnel-Dickey from the table; a 2 x 2 table has the direction of its rates."""
        return self._brief(protocol, self.p_value)

    def _brief(self, protocol: Protocol, p_value: Floats) -> Brief:
        bf = self._log_bf(protocol)
        if self._two_by_two:
            return Brief(bf, self._prob_positive(protocol), self._rate_difference(), self.d(protocol))
        direction = broadcast_like(self.direction, bf)
        flat = np.arange(bf.size).reshape(bf.shape)
        positive = toward_where_known(direction, p_value, self._p_of, flat)
        return Brief(bf, positive, direction, self.d(protocol))

    @property
    def _two_by_two(self) -> bool:
        return self.tables.shape[-2:] == (2, 2)

    def _p_of(self, flat: NDArray[np.intp]) -> Floats:
        """p-values of some tables, by their place."""
        tables = self.tables.reshape(-1, *self.tables.shape[-2:])[flat]
        result = pearson.chi_square(tables, yates=False)
        return np.asarray(pvalues.p_chi_square(result.statistic, result.df))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Put p and the log odds ratio beside."""
        total = self.tables.sum(axis=(-2, -1))
        p = given_first(self.p_value, np.asarray(pvalues.p_chi_square(*self._chi_square(yates=False))))
        rest = self._effects() if self._two_by_two else _no_effects(total)
        return Evidence.of(self._brief(protocol, p), p_value=p, n_eff=total, **rest)

    def _chi_square(self, *, yates: bool) -> tuple[Floats, Floats]:
        """Pearson's statistic and its df; NaN where a margin is empty."""
        result = pearson.chi_square(self.tables, yates=yates)
        return np.asarray(result.statistic), np.asarray(result.df, dtype=np.float64)

    def _log_bf(self, protocol: Protocol) -> Floats:
        if protocol.chi_square == "gunel-dickey":
            return np.asarray(contingency.log_bf_contingency(self.tables, sampling=self.sampling))
        chi2, df = self._chi_square(yates=self._two_by_two)
        total = self.tables.sum(axis=(-2, -1))
        return np.asarray(bayes.log_bf_chi_square_bic(chi2, df, total))

    def _rate_difference(self) -> Floats:
        """Sign of rate 1 - rate 2 = sign(ad - bc); no direction where a group is empty."""
        a, b, c, d = (self.tables[..., i, j] for i in (0, 1) for j in (0, 1))
        return np.where((a + b > 0) & (c + d > 0), np.sign(a * d - b * c), np.nan)

    def _prob_positive(self, protocol: Protocol) -> Floats:
        if protocol.split != "exact":
            return np.full(self.tables.shape[:-2], np.nan)
        a, b, c, d = (self.tables[..., i, j] for i in (0, 1) for j in (0, 1))
        return np.asarray(two_rates.prob_first_rate_higher(a, a + b, c, c + d))

    def _effects(self) -> dict[str, Floats]:
        log_odds = np.asarray(effects.log_odds_ratio(self.tables))
        return {
            "effect": log_odds,
            "effect_se": np.asarray(effects.log_odds_ratio_se(self.tables)),
            "form": np.full_like(log_odds, SIGNED),
        }

    def draw(self, rng: np.random.Generator, size: int) -> "Tables":
        """Each row keeps its total and redraws its cells; half a count keeps empty cells possible."""
        totals = self.tables.sum(axis=-1)
        shares = (self.tables + 0.5) / (self.tables + 0.5).sum(axis=-1, keepdims=True)
        shape = (size, *totals.shape)
        fresh = rng.multinomial(np.broadcast_to(totals.astype(np.int64), shape), shares)
        return replace(self, tables=fresh.astype(np.float64), p_value=np.full(shape[:-1], np.nan))


def _p_chi_square(chi2: Floats, df: Floats) -> Floats:
    return np.asarray(pvalues.p_chi_square(chi2, df))


@dataclass(frozen=True, slots=True)
class ChiSquares:
    """Chi-square statistics published without their table."""

    chi2: Floats
    df: Floats
    n: Floats
    direction: Floats
    p_value: Floats

    def d(self, protocol: Protocol) -> Floats:
        """Without its table a chi-square has no effect size."""
        return np.full(self.chi2.shape, np.nan)

    def brief(self, protocol: Protocol) -> Brief:
        """BIC approximation; a direction only where one was given."""
        return self._brief(self.p_value)

    def _brief(self, p_value: Floats) -> Brief:
        direction = np.where((self.direction == 0) & (self.chi2 > 0), np.nan, self.direction)
        direction = broadcast_like(direction, self.chi2)
        return Brief(
            log_bf=np.asarray(bayes.log_bf_chi_square_bic(self.chi2, self.df, self.n)),
            prob_positive=toward_where_known(direction, p_value, _p_chi_square, self.chi2, self.df),
            direction=direction,
            effect_d=np.full(self.chi2.shape, np.nan),
        )

    def evidence(self, protocol: Protocol) -> Evidence:
        """Put p beside; no effect size."""
        p = given_first(self.p_value, _p_chi_square(self.chi2, self.df))
        n_eff = broadcast_like(self.n, self.chi2)
        return Evidence.of(self._brief(p), p_value=p, n_eff=n_eff, **_no_effects(self.chi2))

    def draw(self, rng: np.random.Generator, size: int) -> "ChiSquares":
        """Draw a signed normal root for df = 1, noncentral chi-square for more."""
        shape = (size, *self.chi2.shape)
        root = np.where(self.direction < 0, -1.0, 1.0) * np.sqrt(self.chi2) + rng.standard_normal(shape)
        many = rng.noncentral_chisquare(self.df, np.maximum(0.0, self.chi2 - self.df), shape)
        known = (self.df == 1) & (np.abs(self.direction) == 1)
        direction = np.where(known, np.sign(root), broadcast_like(self.direction, root))
        chi2 = np.where(self.df == 1, root * root, many)
        return replace(self, chi2=chi2, direction=direction, p_value=np.full(shape, np.nan))


def _above_chance(k: Floats, chance: Floats) -> Floats:
    """Sign of k - n p0; 29 of 100 against .29 is 0, though the product in floats is not 29."""
    return np.where(np.isclose(k, chance, rtol=1e-9, atol=0.0), 0.0, np.sign(k - chance))


@dataclass(frozen=True, slots=True)
class Binomials:
    """Binomial and sign tests."""

    k: Floats
    n: Floats
    p0: Floats
    p_value: Floats

    def brief(self, protocol: Protocol) -> Brief:
        """Uniform prior on the rate against p0."""
        positive = np.full(self.k.shape, np.nan)
        if protocol.split == "exact":
            positive = self._each_once(bayes.prob_positive_binomial)
        bf = np.asarray(bayes.log_bf_binomial(self.k, self.n, self.p0))
        return Brief(bf, positive, _above_chance(self.k, self.n * self.p0), self.d(protocol))

    def _each_once(self, function: Callable[[Floats, Floats, Floats], Floats | float]) -> Floats:
        """Return a function of (k, n, p0); of replicates each distinct outcome is computed once."""
        if self.k.ndim == 1:
            return np.asarray(function(self.k, self.n, self.p0))
        codes = np.arange(self.n.size) * (self.n.max() + 1) + self.k
        _, first, back = np.unique(codes, return_index=True, return_inverse=True)
        test = first % self.n.size
        values = np.asarray(function(self.k.reshape(-1)[first], self.n[test], self.p0[test]))
        return values[back].reshape(self.k.shape)

    def d(self, protocol: Protocol) -> Floats:
        """Return the d-equivalent of the rate, as the protocol converts."""
        if protocol.conversions == "refined":
            effect = effects.proportion_log_odds(self.k, self.n, self.p0)
            return np.asarray(effects.d_from_log_odds(effect))
        p0 = 0.5 if protocol.conversions == "published" else self.p0
        return np.asarray(effects.d_from_proportion(self.k, self.n, p0))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Put p and the native effect beside."""
        effect, se = self._effects(protocol)
        return Evidence.of(
            self.brief(protocol),
            p_value=given_first(self.p_value, self._each_once(pvalues.p_binomial)),
            effect=effect,
            effect_se=se,
            form=np.full_like(effect, SIGNED),
            n_eff=broadcast_like(self.n, self.k),
        )

    def _effects(self, protocol: Protocol) -> tuple[Floats, Floats]:
        if protocol.conversions == "refined":
            effect = np.asarray(effects.proportion_log_odds(self.k, self.n, self.p0))
            return effect, np.asarray(effects.proportion_log_odds_se(self.k, self.n))
        return self.k / self.n, np.asarray(effects.proportion_se(self.k, self.n))

    def draw(self, rng: np.random.Generator, size: int) -> "Binomials":
        """Fresh successes at the smoothed rate (k + 1/2)/(n + 1)."""
        shape = (size, *self.k.shape)
        k = rng.binomial(self.n.astype(np.int64), (self.k + 0.5) / (self.n + 1), shape)
        return replace(self, k=k.astype(np.float64), p_value=np.full(shape, np.nan))


@dataclass(frozen=True, slots=True)
class PValues:
    """What is scored by the bound on its p-value: p alone, and variance ratios."""

    p_value: Floats
    direction: Floats
    n_eff: Floats
    ratio: Floats
    """F of a variance ratio; NaN for a p-value alone."""
    df1: Floats
    df2: Floats

    def p(self) -> Floats:
        """Return the p-value, that of the variance ratio where none was given."""
        return given_first(self.p_value, np.asarray(pvalues.p_variance_ratio(self.ratio, self.df1, self.df2)))

    def d(self, protocol: Protocol) -> Floats:
        """Without more than a p-value or a ratio there is no effect size."""
        return np.full(np.broadcast_shapes(self.p_value.shape, self.ratio.shape), np.nan)

    def brief(self, protocol: Protocol) -> Brief:
        """Vovk-Sellke bound; no effect size."""
        return self._brief(self.p())

    def _brief(self, p: Floats) -> Brief:
        direction = broadcast_like(np.where(self.direction == 0, np.nan, self.direction), p)
        bf = np.asarray(bayes.log_bf_bound(p))
        return Brief(bf, toward(direction, p), direction, np.full(p.shape, np.nan))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Put p beside."""
        p = self.p()
        n_eff = broadcast_like(self.n_eff, p)
        return Evidence.of(self._brief(p), p_value=p, n_eff=n_eff, **_no_effects(p))

    def draw(self, rng: np.random.Generator, size: int) -> "PValues":
        """Draw a normal z around that of the observed p; a variance ratio times a fresh F."""
        shape = (size, *self.p_value.shape)
        sign = np.where(self.direction < 0, -1.0, 1.0)
        z = sign * -ndtri(np.maximum(self.p(), 1e-300) / 2) + rng.standard_normal(shape)
        is_ratio = ~np.isnan(self.ratio)
        df1, df2 = np.where(is_ratio, self.df1, 1.0), np.where(is_ratio, self.df2, 1.0)
        ratio = self.ratio * rng.f(df1, df2, shape)
        known = np.abs(self.direction) == 1
        p = np.where(is_ratio, np.nan, 2 * ndtr(-np.abs(z)))
        direction = np.where(known & ~is_ratio, np.sign(z), broadcast_like(self.direction, z))
        return replace(self, p_value=p, direction=direction, ratio=ratio)
