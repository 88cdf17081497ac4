"""Families of tests on means: t, F, correlation, and Mann-Whitney scored as t."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import (
    MAGNITUDE,
    MAGNITUDE_Z,
    SIGNED,
    Brief,
    Evidence,
    broadcast_like,
    capped,
    evaluate,
    given_first,
    toward_where_known,
)
from concord.people.protocol import Protocol
from concord.stats import bayes, correlation, effects, pvalues
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True)
class TTests:
    """One-sample and paired (``n2`` NaN) or two-sample t tests."""

    t: Floats
    n1: Floats
    n2: Floats
    df: Floats
    """Degrees of freedom of the p-value where they were given (Welch), NaN otherwise."""
    p_value: Floats

    def d(self, protocol: Protocol) -> Floats:
        """Return Cohen's d."""
        return np.asarray(effects.cohens_d(self.t, self.n1, np.where(np.isnan(self.n2), np.inf, self.n2)))

    def brief(self, protocol: Protocol) -> Brief:
        """JZS Bayes factor with the exact direction."""
        bf, positive = _jzs(self.t, self.n1, self.n2, protocol)
        return Brief(capped(bf, self.t**2, protocol), positive, np.sign(self.t), self.d(protocol))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Put p and the error of d beside."""
        brief, two = self.brief(protocol), ~np.isnan(self.n2)
        df = given_first(self.df, np.where(two, self.n1 + self.n2 - 2, self.n1 - 1))
        d = brief.effect_d
        return Evidence.of(
            brief,
            p_value=given_first(self.p_value, np.asarray(pvalues.p_t(self.t, df))),
            effect=d,
            effect_se=np.asarray(effects.cohens_d_se(d, self.n1, np.where(two, self.n2, 0.0))),
            form=np.full_like(d, SIGNED),
            n_eff=broadcast_like(np.where(two, self.n1 + self.n2, self.n1), self.t),
        )

    def draw(self, rng: np.random.Generator, size: int) -> "TTests":
        """Noncentral t around the observed statistic, corrected for its small-sample inflation."""
        df = np.where(np.isnan(self.n2), self.n1 - 1, self.n1 + self.n2 - 2)
        t = _noncentral_t(rng, self.t, df, size)
        return replace(self, t=t, p_value=np.full_like(t, np.nan))


def _noncentral_t(rng: np.random.Generator, t: Floats, df: Floats, size: int) -> Floats:
    shape = (size, *t.shape)
    centre = t * (1 - 3 / (4 * df - 1))
    return np.asarray((rng.standard_normal(shape) + centre) / np.sqrt(rng.chisquare(df, shape) / df))


def _jzs(t: Floats, n1: Floats, n2: Floats, protocol: Protocol) -> tuple[Floats, Floats]:
    """Log BF and P(positive) of t tests (..., k) with one (n2 NaN) or two samples (k,)."""
    bf, positive = np.full(t.shape, np.nan), np.full(t.shape, np.nan)
    two = ~np.isnan(n2)
    for chosen, sizes in ((two, (n1[two], n2[two])), (~two, (n1[~two],))):
        if chosen.any():
            bf[..., chosen], positive[..., chosen] = evaluate(
                lambda t, *sizes: np.asarray(bayes.log_bf_t(t, *sizes, r=protocol.r_t)),
                lambda t, *sizes: np.asarray(bayes.prob_positive_t(t, *sizes, r=protocol.r_t)),
                t[..., chosen],
                *sizes,
                protocol=protocol,
            )
    return bf, positive


def _p_f(f: Floats, df1: Floats, df2: Floats) -> Floats:
    return np.asarray(pvalues.p_f(f, df1, df2))


@dataclass(frozen=True, slots=True)
class FTests:
    """F tests of one design: ``between`` groups, ``within`` subjects, or ``regression``."""

    design: str
    f: Floats
    df1: Floats
    df2: Floats
    n: Floats
    n1: Floats
    n2: Floats
    direction: Floats
    """Given direction; NaN or 0 where the effect has no sign."""
    p_value: Floats

    def _signed(self) -> tuple[Floats, Floats]:
        """Direction, NaN where an effect has none, and the root of F with that sign."""
        direction = np.where((self.direction == 0) & (self.f > 0), np.nan, self.direction)
        direction = broadcast_like(direction, self.f)
        return direction, np.where(direction < 0, -1.0, 1.0) * np.sqrt(self.f)

    def d(self, protocol: Protocol) -> Floats:
        """Return d of a signed F with df1 = 1; of others where the protocol takes effects without a sign."""
        direction, t = self._signed()
        if protocol.include_unsigned:
            many = np.asarray(effects.d_from_f(self.f, self.df1, self.df2))
            return np.where(self.df1 == 1, self._single_d(t), many)
        signed = (self.df1 == 1) & ~np.isnan(direction)
        return np.where(signed, self._single_d(t), np.nan) if signed.any() else np.full(t.shape, np.nan)

    def brief(self, protocol: Protocol) -> Brief:
        """Bayes factor by design; an F has a direction where one was given."""
        return self._brief(protocol, self.p_value)

    def _brief(self, protocol: Protocol, p_value: Floats) -> Brief:
        direction, t = self._signed()
        bf, positive = self._bf(t, protocol)
        many = np.broadcast_to(self.df1 > 1, t.shape)
        if many.any():
            others = np.where(many, direction, np.nan)
            by_p = toward_where_known(others, p_value, _p_f, self.f, self.df1, self.df2)
            positive = np.where(many, by_p, positive)
        positive = np.where(np.isnan(direction), np.nan, positive)
        return Brief(capped(bf, self.f, protocol), positive, direction, self.d(protocol))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Put p, native effect and its error beside."""
        p = given_first(self.p_value, _p_f(self.f, self.df1, self.df2))
        brief = self._brief(protocol, p)
        effect, se = self._effects(self._signed()[1])
        return Evidence.of(
            brief,
            p_value=p,
            effect=effect,
            effect_se=se,
            form=self._form(broadcast_like(self.df1 == 1, self.f) > 0, brief.direction),
            n_eff=broadcast_like(self.n, self.f),
        )

    def _form(self, single: NDArray[np.bool_], direction: Floats) -> Floats:
        size = np.where(single & (self.design == "regression"), MAGNITUDE_Z, MAGNITUDE)
        return np.where(single & ~np.isnan(direction), SIGNED, size)

    def _cell(self) -> Floats:
        """Participants a cell: harmonic mean of two known cells, else equal cells."""
        known = 2 * self.n1 * self.n2 / (self.n1 + self.n2)
        return given_first(np.where(self.df1 == 1, known, np.nan), self.n / (self.df1 + 1))

    def _bf(self, t: Floats, protocol: Protocol) -> tuple[Floats, Floats]:
        """Log BF, and P(positive) where df1 = 1, from the signed root of F."""
        if protocol.f_rule == "regression" or self.design == "regression":
            return self._bf_regression(t, protocol)
        if self.design == "between":
            return self._bf_between(t, protocol)
        bound = np.asarray(bayes.log_bf_bound(broadcast_like(self.p_value, t)))
        positive, single = np.full(t.shape, np.nan), self.df1 == 1
        if single.any():
            n = self.df2[single] + 1
            bound[..., single], positive[..., single] = _jzs(
                t[..., single], n, np.full_like(n, np.nan), protocol
            )
        return bound, positive

    def _bf_regression(self, t: Floats, protocol: Protocol) -> tuple[Floats, Floats]:
        r = protocol.r_f

        def log_bf(t: Floats, df1: Floats, df2: Floats, n: Floats) -> Floats:
            return np.asarray(bayes.log_bf_regression(t * t, df1, df2, n, r=r))

        def positive(t: Floats, df1: Floats, df2: Floats, n: Floats) -> Floats:
            return np.asarray(bayes.prob_positive_f(t, df2, a=n * r * r, m=n - 1))

        return evaluate(log_bf, positive, t, self.df1, self.df2, self.n, protocol=protocol)

    def _bf_between(self, t: Floats, protocol: Protocol) -> tuple[Floats, Floats]:
        r = protocol.r_f

        def log_bf(t: Floats, df1: Floats, df2: Floats, cell: Floats) -> Floats:
            return np.asarray(bayes.log_bf_anova(t * t, df1, df2, cell_n=cell, r=r))

        def positive(t: Floats, df1: Floats, df2: Floats, cell: Floats) -> Floats:
            return np.asarray(bayes.prob_positive_f(t, df2, a=cell * r * r))

        return evaluate(log_bf, positive, t, self.df1, self.df2, self._cell(), protocol=protocol)

    def _effects(self, t: Floats) -> tuple[Floats, Floats]:
        """Native effect and its standard error."""
        many = np.asarray(effects.d_from_f(self.f, self.df1, self.df2))
        many_se = np.asarray(effects.d_from_f_se(many, self.n))
        one, one_se = self._single_effects(t)
        single = self.df1 == 1
        return np.where(single, one, many), np.where(single, one_se, many_se)

    def _single_d(self, t: Floats) -> Floats:
        """Return d of an F with df1 = 1, from its signed root."""
        if self.design == "regression":
            return np.asarray(effects.d_from_r(t / np.sqrt(t * t + self.df2)))
        if self.design == "within":
            return np.asarray(effects.cohens_d(t, self.df2 + 1))
        n1, n2 = given_first(self.n1, self.n / 2), given_first(self.n2, self.n / 2)
        return np.asarray(effects.cohens_d(t, n1, n2))

    def _single_effects(self, t: Floats) -> tuple[Floats, Floats]:
        if self.design == "regression":
            z = np.asarray(effects.correlation_z(t / np.sqrt(t * t + self.df2)))
            return z, broadcast_like(np.asarray(effects.correlation_se(self.df2 + 2)), z)
        d = self._single_d(t)
        if self.design == "within":
            return d, np.asarray(effects.cohens_d_se(d, self.df2 + 1))
        n1, n2 = given_first(self.n1, self.n / 2), given_first(self.n2, self.n / 2)
        return d, np.asarray(effects.cohens_d_se(d, n1, n2))

    def draw(self, rng: np.random.Generator, size: int) -> "FTests":
        """Signed noncentral t for df1 = 1, noncentral F for more."""
        shape = (size, *self.f.shape)
        sign = np.where(self.direction < 0, -1.0, 1.0)
        t = _noncentral_t(rng, sign * np.sqrt(self.f), self.df2, size)
        centre = np.maximum(0.0, self.df1 * (self.f * np.maximum(self.df2 - 2, 0.0) / self.df2 - 1))
        top = rng.noncentral_chisquare(self.df1, centre, shape) / self.df1
        many = top / (rng.chisquare(self.df2, shape) / self.df2)
        single = self.df1 == 1
        known = single & (np.abs(self.direction) == 1)
        direction = np.where(known, np.sign(t), broadcast_like(self.direction, t))
        f = np.where(single, t * t, many)
        # a within-subjects F with df1 > 1 is scored by its given p alone: the fresh p is that of the fresh F
        by_p = (self.design == "within") & ~single & ~np.isnan(self.p_value)
        p = np.where(by_p, np.asarray(pvalues.p_f(f, self.df1, self.df2)), np.nan)
        return replace(self, f=f, direction=direction, p_value=p)


@dataclass(frozen=True, slots=True)
class Correlations:
    """Pearson (or rank) correlations."""

    r: Floats
    n: Floats
    p_value: Floats

    def d(self, protocol: Protocol) -> Floats:
        """Return the d-equivalent 2r/sqrt(1 - r²)."""
        return np.asarray(effects.d_from_r(self.r))

    def brief(self, protocol: Protocol) -> Brief:
        """Exact Bayes factor and direction, or the protocol's other rule."""
        return Brief(*self._bf(protocol), np.sign(self.r), self.d(protocol))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Put p and Fisher's z beside."""
        z = np.asarray(effects.correlation_z(self.r))
        return Evidence.of(
            self.brief(protocol),
            p_value=given_first(self.p_value, np.asarray(pvalues.p_correlation(self.r, self.n))),
            effect=z,
            effect_se=broadcast_like(np.asarray(effects.correlation_se(self.n)), z),
            form=np.full_like(z, SIGNED),
            n_eff=broadcast_like(self.n, z),
        )

    def _bf(self, protocol: Protocol) -> tuple[Floats, Floats]:
        if protocol.correlation == "one-sample-t":
            with np.errstate(divide="ignore"):
                t = self.r * np.sqrt((self.n - 2) / ((1 - self.r) * (1 + self.r)))
            finite = np.clip(t, -1e6, 1e6)  # far above where the cap of this protocol sets in
            bf, positive = _jzs(finite, self.n, np.full_like(self.n, np.nan), protocol)
            return capped(bf, finite**2, protocol), positive

        def log_bf(r: Floats, n: Floats) -> Floats:
            if protocol.correlation == "wetzels":
                return np.asarray(correlation.log_bf_correlation_wetzels(r, n))
            return np.asarray(correlation.log_bf_correlation(r, n, kappa=protocol.kappa))

        def share(r: Floats, n: Floats) -> Floats:
            return np.asarray(correlation.prob_positive_correlation(r, n, kappa=protocol.kappa))

        if self.r.ndim == 1:
            return evaluate(log_bf, share, self.r, self.n, protocol=protocol)
        # replicates are smooth in Fisher's z, not in r
        return evaluate(
            lambda z, n: log_bf(np.tanh(z), n),
            lambda z, n: share(np.tanh(z), n),
            np.arctanh(self.r),
            self.n,
            protocol=protocol,
        )

    def draw(self, rng: np.random.Generator, size: int) -> "Correlations":
        """Draw normal Fisher z around the observed one."""
        shape = (size, *self.r.shape)
        centre = np.arctanh(np.clip(self.r, -effects.LARGEST_R, effects.LARGEST_R))
        z = centre + rng.standard_normal(shape) / np.sqrt(np.maximum(self.n - 3, 1.0))
        r = np.clip(np.tanh(z), -1 + 1e-15, 1 - 1e-15)
        return replace(self, r=r, p_value=np.full(shape, np.nan))


@dataclass(frozen=True, slots=True)
class MannWhitney:
    """Mann-Whitney tests, U counted for group 2."""

    u: Floats
    n1: Floats
    n2: Floats
    z: Floats
    """Reported z (ties included), group 1 higher positive; NaN where U gives it."""
    p_value: Floats

    def _z(self) -> Floats:
        """Return z, positive where group 1 is higher: as reported, else from U, without ties."""
        sigma = np.sqrt(self.n1 * self.n2 * (self.n1 + self.n2 + 1) / 12)
        return given_first(self.z, (self.n1 * self.n2 / 2 - self.u) / sigma)

    def _r(self, protocol: Protocol) -> Floats:
        r = np.asarray(effects.rank_biserial(self.u, self.n1, self.n2))
        # published: 2U/(n1 n2) - 1, since the source counts U for group 1
        return -r if protocol.conversions == "published" else r

    def d(self, protocol: Protocol) -> Floats:
        """Return the d-equivalent of the rank-biserial correlation, as the protocol converts."""
        r = self._r(protocol)
        refined = protocol.conversions == "refined"
        return np.asarray(effects.d_from_rank_biserial(r) if refined else effects.d_from_r(r))

    def brief(self, protocol: Protocol) -> Brief:
        """Two-sample JZS with t = z: an approximation."""
        z = self._z()
        bf, positive = _jzs(z, self.n1, self.n2, protocol)
        return Brief(capped(bf, z * z, protocol), positive, np.sign(z), self.d(protocol))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Put p and the rank-biserial correlation with its error beside."""
        z, r = self._z(), self._r(protocol)
        method = "hanley-mcneil" if protocol.conversions == "refined" else "simple"
        se = np.asarray(effects.rank_biserial_se(r, self.n1, self.n2, method=method))
        none = np.abs(r) >= effects.LARGEST_R
        return Evidence.of(
            self.brief(protocol),
            p_value=given_first(self.p_value, np.asarray(pvalues.p_z(z))),
            effect=np.where(none, np.nan, r),
            effect_se=np.where(none, np.nan, se),
            form=np.full_like(z, SIGNED),
            n_eff=broadcast_like(self.n1 + self.n2, z),
        )

    def draw(self, rng: np.random.Generator, size: int) -> "MannWhitney":
        """Draw normal rank-biserial with the Hanley-McNeil standard error."""
        r = np.asarray(effects.rank_biserial(self.u, self.n1, self.n2))
        inside = np.clip(r, -1 + 1 / (self.n1 * self.n2), 1 - 1 / (self.n1 * self.n2))
        se = np.asarray(effects.rank_biserial_se(inside, self.n1, self.n2, method="hanley-mcneil"))
        fresh = np.clip(r + se * rng.standard_normal((size, *r.shape)), -1.0, 1.0)
        u = 0.5 * self.n1 * self.n2 * (1 - fresh)
        nothing = np.full_like(u, np.nan)
        return replace(self, u=u, z=nothing, p_value=nothing)
