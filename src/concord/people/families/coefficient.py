"""Regression coefficients with their standard errors: linear, logistic, odds ratios."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from concord.people.evidence import SIGNED, Brief, Evidence, broadcast_like, given_first
from concord.people.families.base import (
    ODDS_TO_D,
    Batch,
    HumanEffects,
    LocationFamily,
    TestKind,
    Truth,
    column,
    noncentral_t,
    nothing_like,
)
from concord.people.families.draft import Draft, check_df, n_from_df, one_df, one_sample
from concord.people.families.f import FTests
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import pvalues
from concord.stats.elementwise import Floats

Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Coefficients(LocationFamily):
    """Coefficients b with standard errors; ``logistic`` ones are log odds."""

    logistic: bool
    b: Floats
    se: Floats
    df: Floats
    """Degrees of freedom of the residual; n - 2 where they were not given."""
    n: Floats
    p_value: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the coefficients of some sides."""
        b, se, df, n, p = (column(sides, name) for name in ("statistic", "se", "df2", "n", "p_value"))
        return cls(bool(design[0]), b, se, given_first(df, n - 2), n, p)

    def _f(self) -> FTests:
        """Return the F with df1 = 1 of the same coefficient."""
        t, none = self.b / self.se, np.full(self.n.shape, np.nan)
        one, direction = np.ones_like(self.n), np.sign(t)
        return FTests(
            design="regression",
            f=t * t,
            df1=one,
            df2=self.df,
            n=self.n,
            n1=none,
            n2=none,
            direction=direction,
            p_value=self.p_value,
        )

    def d(self, protocol: Protocol) -> Floats:
        """Return b√3/π of log odds; of a linear coefficient d of the partial correlation."""
        return ODDS_TO_D * self.b if self.logistic else self._f().d(protocol)

    def brief(self, protocol: Protocol) -> Brief:
        """JZS of a regression with t = b/SE; for log odds an approximation."""
        return replace(self._f().brief(protocol), effect_d=self.d(protocol))

    def with_brief(self, brief: Brief, protocol: Protocol, p_value: Floats | None = None) -> Evidence:
        """Add p, and the coefficient itself as the native effect: both sides have the same scale."""
        return Evidence.of(
            brief,
            p_value=self._p() if p_value is None else p_value,
            effect=self.b,
            effect_se=broadcast_like(self.se, self.b),
            form=np.full_like(self.b, SIGNED),
            n_eff=broadcast_like(self.n, self.b),
        )

    def _p(self) -> Floats:
        t = self.b / self.se
        return given_first(
            self.p_value, np.asarray(pvalues.p_z(t) if self.logistic else pvalues.p_t(t, self.df))
        )

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Compare with the critical value."""
        critical = ndtri(1 - alpha / 2) if self.logistic else stdtrit(self.df, 1 - alpha / 2)
        return np.asarray(np.abs(self.b / self.se) > critical)

    def draw(self, rng: np.random.Generator, size: int) -> "Coefficients":
        """Draw normal log odds around the observed ones; noncentral t of linear coefficients."""
        if self.logistic:
            return self.with_statistic(self.b / self.se + rng.standard_normal((size, *self.b.shape)))
        return self.with_statistic(noncentral_t(rng, self.b / self.se, self.df, size))

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """D of the coefficient with its error."""
        if self.logistic:
            return HumanEffects.known(len(self.b), d=ODDS_TO_D * self.b, se=ODDS_TO_D * self.se)
        return self._f().human_effects(protocol)

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "Coefficients":
        """Draw around the true d, at the agent's own standard error."""
        d = truth.needed_by(self.needed()).d
        noise = rng.standard_normal(d.shape)
        if self.logistic:
            return self.with_statistic(d / ODDS_TO_D / self.se + noise)
        z = np.arcsinh(d / 2) + noise / np.sqrt(np.maximum(self.df - 1, 1.0))
        return self.with_statistic(np.sinh(z) * np.sqrt(self.df))

    def statistic(self) -> Floats:
        """Return b/SE."""
        return self.b / self.se

    def with_statistic(self, s: Floats) -> "Coefficients":
        """Return the tests with other b/SE."""
        return replace(self, b=s * self.se, p_value=nothing_like(s))


class _Coefficient(TestKind):
    family, signed = Coefficients, True
    logistic: ClassVar[bool] = False

    def complete(self, draft: Draft) -> None:
        """Take b with its SE, or the SE of a 95 % interval, and n or the degrees of freedom."""
        one_df(draft, "df2", "df1")
        one_sample(draft)
        self._take_scale(draft)
        _se_from_interval(draft)
        n_from_df(draft, 2)
        draft.need("statistic", "se", "n")
        if draft.se is not None and draft.se <= 0:
            draft.fault("se", "a standard error above 0")
        if draft.n is None:
            return
        if draft.n < 4:
            draft.small("n", "n of at least 4, for a coefficient to be tested")
        elif not self.logistic:
            check_df(draft, draft.n - 2, "n - 2 (as in a model with more terms)")

    def _take_scale(self, draft: Draft) -> None:
        """Leave a coefficient as it is."""

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """Linear coefficients together, log odds together."""
        return None if side.statistic is None or side.se is None else Batch(Coefficients, (self.logistic,))

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the approximation of log odds."""
        return ["Bayes factor approximate: Wald z scored as t"] if self.logistic else []


class _Logistic(_Coefficient):
    logistic = True


class _OddsRatio(_Logistic):
    def _take_scale(self, draft: Draft) -> None:
        """Take logs of the ratio and of the ends of its interval."""
        for name in ("statistic", "ci_low", "ci_high"):
            value = getattr(draft, name)
            if value is None:
                continue
            if value <= 0:
                draft.fault(name, "an odds ratio above 0")
            else:
                setattr(draft, name, math.log(value))


def _se_from_interval(draft: Draft) -> None:
    """Take the SE from a 95 % interval: its width over 2 · 1.96."""
    if draft.ci_low is None or draft.ci_high is None:
        return
    if draft.ci_high <= draft.ci_low:
        draft.fault("ci_high", "an upper end above the lower one")
    elif draft.se is None:
        draft.se = (draft.ci_high - draft.ci_low) / (2 * Z95)
        draft.source["se"] = draft.source.get("ci_low", "ci_low")
        draft.flags.append("SE not given: taken from the interval as one of 95 %")


_USED = frozenset({"statistic", "se", "ci_low", "ci_high", "df1", "df2", "n1", "n"})

COEFFICIENT_KINDS = (
    _Coefficient(
        name="coefficient",
        needs="statistic (b), se (or ci_low and ci_high) and n (or df2)",
        used=_USED,
        reported=("b",),
    ),
    _Logistic(
        name="logistic",
        needs="statistic (b, log odds), se (or ci_low and ci_high) and n",
        used=_USED,
        reported=("b",),
    ),
    _OddsRatio(
        name="odds-ratio",
        needs="statistic (odds ratio), ci_low and ci_high (or se of its log) and n",
        used=_USED,
        reported=("OR",),
    ),
)
