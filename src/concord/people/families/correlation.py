"""Correlations: Pearson, and rank correlations scored as such."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from concord.people.evidence import SIGNED, Brief, Evidence, broadcast_like, capped, given_first
from concord.people.families.base import (
    CAPPED_FROM,
    HumanEffects,
    LocationFamily,
    SmoothRange,
    TestKind,
    ToD,
    Truth,
    column,
    d_from_fisher_z,
    evaluate,
    first_that_gives,
    jzs,
    nothing_like,
    of_fisher_z,
)
from concord.people.families.draft import Draft, check_df, n_from_df, one_df, one_sample
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import correlation, effects, pvalues
from concord.stats.elementwise import Floats, quick_atanh, quick_tanh

PERFECT_FLAG = (
    "r of 1 is taken as exact, and its Bayes factor is infinite; printed with two digits it may be 0.995"
)
LARGEST_R = 1 - 2e-6
"""Correlations of simulated agents stay inside, where d exists: seven standard errors for n = 4."""


@dataclass(frozen=True, slots=True)
class Correlations(LocationFamily):
    """Pearson (or rank) correlations."""

    r: Floats
    n: Floats
    p_value: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the correlations of some sides."""
        return cls(*(column(sides, name) for name in ("statistic", "n", "p_value")))

    def d(self, protocol: Protocol) -> Floats:
        """Return the d-equivalent 2r/sqrt(1 - r²)."""
        return np.asarray(effects.d_from_r(self.r))

    def brief(self, protocol: Protocol) -> Brief:
        """Exact Bayes factor and direction, or the protocol's other rule."""
        return Brief(*self._bf(protocol), np.sign(self.r), self.d(protocol))

    def with_brief(self, brief: Brief, protocol: Protocol, p_value: Floats | None = None) -> Evidence:
        """Add p and Fisher's z."""
        z = self._fisher_z()
        return Evidence.of(
            brief,
            p_value=self._p() if p_value is None else p_value,
            effect=z,
            effect_se=broadcast_like(np.asarray(effects.correlation_se(self.n)), z),
            form=np.full_like(z, SIGNED),
            n_eff=broadcast_like(self.n, z),
        )

    def _fisher_z(self) -> Floats:
        """Return Fisher's z as an effect; the quick way for replicates, which need no last digit."""
        if self.r.ndim == 1:
            return np.asarray(effects.correlation_z(self.r))
        inside = np.abs(self.r) < effects.LARGEST_R
        return np.where(inside, quick_atanh(np.where(inside, self.r, 0.0)), np.nan)

    def _bf(self, protocol: Protocol) -> tuple[Floats, Floats]:
        if protocol.correlation == "one-sample-t":
            with np.errstate(divide="ignore"):
                t = self.r * np.sqrt((self.n - 2) / ((1 - self.r) * (1 + self.r)))
            finite = np.clip(t, -1e6, 1e6)  # far above where the cap of this protocol sets in
            bf, positive = jzs(finite, self.n, np.full_like(self.n, np.nan), protocol)
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

    def _p(self) -> Floats:
        return given_first(self.p_value, np.asarray(pvalues.p_correlation(self.r, self.n)))

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Compare with the critical value."""
        t = stdtrit(self.n - 2, 1 - alpha / 2)
        return np.asarray(np.abs(self.r) > t / np.sqrt(self.n - 2 + t * t))

    def draw(self, rng: np.random.Generator, size: int) -> "Correlations":
        """Draw normal Fisher z around the observed one."""
        shape = (size, *self.r.shape)
        centre = np.arctanh(np.clip(self.r, -effects.LARGEST_R, effects.LARGEST_R))
        z = centre + rng.standard_normal(shape) / np.sqrt(np.maximum(self.n - 3, 1.0))
        r = np.clip(quick_tanh(z), -1 + 1e-15, 1 - 1e-15)
        return replace(self, r=r, p_value=np.full(shape, np.nan))

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """Fisher's z carried to d."""
        z = np.arctanh(np.clip(self.r, -effects.LARGEST_R, effects.LARGEST_R))
        d, se = d_from_fisher_z(z, self.n - 3)
        return HumanEffects.known(len(d), d=d, se=se)

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "Correlations":
        """Draw normal Fisher z around that of the true d."""
        true = truth.needed_by(self.needed())
        error = 1 / np.sqrt(np.maximum(self.n - 3, 1.0))
        z = np.arcsinh(true.d / 2) + error * rng.standard_normal(true.d.shape)
        r = np.clip(np.tanh(z), -LARGEST_R, LARGEST_R)
        return replace(self, r=r, p_value=nothing_like(r))

    def statistic(self) -> Floats:
        """Return Fisher's z in units of its error."""
        return quick_atanh(self.r) * np.sqrt(np.maximum(self.n - 3, 1.0))

    def with_statistic(self, s: Floats) -> "Correlations":
        """Return the tests with other z."""
        z = s / np.sqrt(np.maximum(self.n - 3, 1.0))
        return replace(self, r=np.clip(np.tanh(z), -LARGEST_R, LARGEST_R), p_value=nothing_like(s))

    def limits(self, protocol: Protocol) -> SmoothRange:
        """At the cap of a protocol that scores r as t, and where r is held below 1."""
        root = np.sqrt(np.maximum(self.n - 3, 1.0))
        cap = np.full(self.n.shape, np.inf)
        if protocol.capped and protocol.correlation == "one-sample-t":
            cap = np.arctanh(CAPPED_FROM / np.sqrt(self.n - 2 + CAPPED_FROM**2)) * root
        return SmoothRange(cap, np.arctanh(LARGEST_R) * root)


class _Correlation(TestKind):
    family, signed = Correlations, True
    without_d = "|r| at its limit has no finite d"

    def complete(self, draft: Draft) -> None:
        """Complete a correlation: n, or df + 2, and a coefficient from -1 to 1."""
        one_df(draft, "df2", "df1")
        one_sample(draft)
        n_from_df(draft, 2)
        if draft.statistic is not None and abs(draft.statistic) > 1:
            draft.fault("statistic", "a correlation from -1 to 1")
        draft.need("statistic", "n")
        if draft.n is None:
            return
        if draft.n < 3:
            draft.small("n", "n of at least 3, for a correlation to be tested")
        else:
            check_df(draft, draft.n - 2, "n - 2 (as in a partial correlation)")

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Nothing is approximated; a perfect correlation is a rounded one."""
        if side.statistic is None or abs(side.statistic) != 1:
            return []
        return [PERFECT_FLAG]

    def to_d(self, effect: float, d: float) -> ToD | None:
        """Convert Fisher's z."""
        curved = first_that_gives((of_fisher_z,), effect, d)
        return super().to_d(effect, d) if curved is None else curved

    def check_sizes(self, draft: Draft) -> tuple[float | None, float | None]:
        """Return the number of pairs."""
        return draft.n, draft.n2


CORRELATION_KINDS = (
    _Correlation(
        name="correlation",
        needs="statistic and n (or df2)",
        used=frozenset({"statistic", "df1", "df2", "n1", "n"}),
        reported=("r",),
    ),
)
