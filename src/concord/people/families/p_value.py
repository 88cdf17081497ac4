"""What is known by its p-value alone, and variance ratios, which are scored by theirs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy.special import ndtr, ndtri

from concord.people.evidence import Brief, Evidence, broadcast_like, given_first, no_effects, toward
from concord.people.families.base import (
    BOUND_FLAG,
    Batch,
    Family,
    HumanEffects,
    Masks,
    TestKind,
    Truth,
    column,
    split_flags,
)
from concord.people.families.draft import Draft, check_ratio, in_words, join_groups
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import bayes, pvalues
from concord.stats.bayes import log_bf_variance_ratio
from concord.stats.elementwise import Floats, on_columns


@dataclass(frozen=True, slots=True)
class PValues(Family):
    """What is scored by the bound on its p-value: p alone, and variance ratios."""

    p_value: Floats
    direction: Floats
    n_eff: Floats
    ratio: Floats
    """F of a variance ratio; NaN for a p-value alone."""
    df1: Floats
    df2: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the p-values and variance ratios of some sides."""
        p, direction, ratio, df1, df2 = (
            column(sides, name) for name in ("p_value", "direction", "statistic", "df1", "df2")
        )
        n_eff = np.where(np.isnan(ratio), 1.0, df1 + df2 + 2)
        return cls(p, direction, n_eff, ratio, df1, df2)

    def p(self) -> Floats:
        """Return the p-value, that of the variance ratio where none was given."""
        return given_first(self.p_value, np.asarray(pvalues.p_variance_ratio(self.ratio, self.df1, self.df2)))

    def d(self, protocol: Protocol) -> Floats:
        """Without more than a p-value or a ratio there is no effect size."""
        return np.full(np.broadcast_shapes(self.p_value.shape, self.ratio.shape), np.nan)

    def brief(self, protocol: Protocol) -> Brief:
        """Vovk-Sellke bound, or the Bayes factor of a variance ratio; no effect size."""
        return self._brief(self.p(), protocol)

    def _brief(self, p: Floats, protocol: Protocol) -> Brief:
        direction = broadcast_like(np.where(self.direction == 0, np.nan, self.direction), p)
        bf = np.asarray(bayes.log_bf_bound(p))
        if protocol.variance_ratio == "beta":
            bf = np.where(np.isnan(self.ratio), bf, self._log_bf_ratio())
        return Brief(bf, toward(direction, p), direction, np.full(p.shape, np.nan))

    def _log_bf_ratio(self) -> Floats:
        """Return the Bayes factors of variance ratios; NaN for p-values alone."""
        found = np.full(self.ratio.shape, np.nan)
        columns = ~np.isnan(self.df1)
        design = self.df1[columns], self.df2[columns]
        with np.errstate(divide="ignore"):  # an F of 0 has no Bayes factor
            log_f = np.log(self.ratio[..., columns])
        if self.ratio.ndim == 2:  # replicates, interpolated a column at a time
            found[..., columns] = on_columns([_log_bf_of_log], log_f, *design)[0]
        elif columns.any():
            found[columns] = _log_bf_of_log(log_f, *design)
        return found

    def evidence(self, protocol: Protocol) -> Evidence:
        """Add p."""
        p = self.p()
        n_eff = broadcast_like(self.n_eff, p)
        return Evidence.of(self._brief(p, protocol), p_value=p, n_eff=n_eff, **no_effects(p))

    def draw(self, rng: np.random.Generator, size: int) -> "PValues":
        """Draw a normal z around that of the observed p; a variance ratio times a new F."""
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

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """Read p-values by the noncentrality of their z, variance ratios by their log as well."""
        is_ratio = ~np.isnan(self.ratio)
        z = -ndtri(np.clip(self.p(), 1e-300, 1.0) / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_ratio = np.log(self.ratio)
            kept = np.maximum(0.0, 1 - (2 / self.df1 + 2 / self.df2) / log_ratio**2)
        return HumanEffects.known(
            len(z),
            strength=np.maximum(0.0, z * z - 1),
            direction=self.direction,
            log_ratio=np.where(is_ratio, np.where(log_ratio == 0, 0.0, kept * log_ratio), np.nan),
        )

    def needed(self) -> Masks:
        """Draw a variance ratio from its log, a p-value from the strength of its z."""
        is_ratio = ~np.isnan(self.ratio)
        return {"log_ratio": is_ratio, "strength": ~is_ratio}

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "PValues":
        """Draw a normal z around that of people; a variance ratio times a new F."""
        true = truth.needed_by(self.needed())
        shape = true.d.shape
        sign = true.directed(shape, rng)
        z = sign * np.sqrt(true.strength) + rng.standard_normal(shape)
        is_ratio = ~np.isnan(self.ratio)
        df1, df2 = np.where(is_ratio, self.df1, 1.0), np.where(is_ratio, self.df2, 1.0)
        ratio = np.where(is_ratio, np.exp(true.log_ratio) * rng.f(df1, df2, shape), np.nan)
        p = np.where(is_ratio, np.nan, 2 * ndtr(-np.abs(z)))
        known = (np.abs(self.direction) == 1) & ~is_ratio
        direction = np.where(known, np.sign(z), broadcast_like(self.direction, z))
        return replace(self, p_value=p, direction=direction, ratio=ratio)


def _log_bf_of_log(log_f: Floats, df1: Floats, df2: Floats) -> Floats:
    return np.asarray(log_bf_variance_ratio(np.exp(log_f), df1, df2))


class _ByBound(TestKind):
    """What is scored by a bound on its p-value."""

    family, signed = PValues, False

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """Both types are computed together."""
        return Batch(PValues) if side.p_value is not None or side.statistic is not None else None

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the bound."""
        return [BOUND_FLAG, *split_flags(side, protocol)]

    def no_d(self, side: Side) -> str:
        """There is none."""
        return f"a {self.name} has no effect size"

    def lacks_direction(self, side: Side) -> bool:
        """Only a given one counts."""
        return True


RATIO_FLAG = "Bayes factor of the variance ratio has a Beta(1/2, 1/2) prior on the share of precision"


class _VarianceRatio(_ByBound):
    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the prior, or the bound; a ready p-value alone stays a bound."""
        rule = RATIO_FLAG if protocol.variance_ratio == "beta" else BOUND_FLAG
        return [rule, *split_flags(side, protocol)]

    def complete(self, draft: Draft) -> None:
        """Two variances: df1 and df2, or n1 - 1 and n2 - 1."""
        check_ratio(draft, "an F")
        for df, n in (("df1", "n1"), ("df2", "n2")):
            given, size = getattr(draft, df), getattr(draft, n)
            if size is None:
                continue
            if given is None:
                setattr(draft, df, size - 1)
                draft.source[df] = draft.source.get(n, n)
            elif given > size - 1:
                draft.fault(df, f"at most {n} - 1 = {in_words(size - 1)} degrees of freedom")
            elif given < size - 1:
                draft.note(df, f"the degrees of freedom are not {n} - 1")
        draft.need("statistic", "df1", "df2")
        for df in ("df1", "df2"):
            if getattr(draft, df) is not None and getattr(draft, df) < 1:
                draft.small(df, "degrees of freedom of at least 1, for a variance to exist")

    def excuses(self, result: Any, check: Any) -> bool:
        """Accept the p of a two-sided test, twice the tail of F."""
        if check.p_low is None or check.p_high is None:
            return False
        low, high = result.p_bounds()
        return bool(2 * check.p_low <= high and 2 * check.p_high >= low)


class _PValue(_ByBound):
    def complete(self, draft: Draft) -> None:
        """Take a p-value alone."""
        join_groups(draft)
        draft.need("p_value")

    def core(self, draft: Draft) -> bool:
        """Take the p-value as the result."""
        return draft.p_value is not None

    def takes_p(self, draft: Draft) -> bool:
        """Nothing else is taken."""
        return True

    def translate(
        self, result: Any, values: dict[str, float | None], half: float
    ) -> tuple[dict[str, float | None], float]:
        """No number but the p-value is used."""
        return {}, 0.0

    def reported_p(self, result: Any) -> float | None:
        """Compute p from a printed z, which says more than its rounded p."""
        if result.kind == "z" and result.statistic is not None and result.statistic_relation == "=":
            return math.erfc(abs(result.statistic) / math.sqrt(2))
        return None


P_VALUE_KINDS = (
    _VarianceRatio(
        name="variance-ratio",
        needs="statistic, df1 and df2 (or n1 and n2)",
        used=frozenset({"statistic", "df1", "df2", "n1", "n2"}),
        reported=("F",),
    ),
    _PValue(
        name="p-value",
        needs="p_value",
        used=frozenset({"n1", "n2", "n"}),
        reported=(),
    ),
)
