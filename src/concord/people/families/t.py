"""t tests: one sample, pairs, two groups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from concord.people.evidence import SIGNED, Brief, Evidence, broadcast_like, capped, given_first
from concord.people.families.base import (
    HumanEffects,
    LocationFamily,
    TestKind,
    Truth,
    column,
    jzs,
    noncentral_t,
    nothing_like,
    t_of_d,
)
from concord.people.families.draft import (
    D_Z_FLAG,
    Draft,
    check_df,
    in_words,
    join_groups,
    n_from_df,
    one_df,
    one_sample,
)
from concord.people.protocol import Protocol
from concord.records import Side
from concord.stats import effects, pvalues
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True)
class TTests(LocationFamily):
    """One-sample and paired (``n2`` NaN) or two-sample t tests."""

    t: Floats
    n1: Floats
    n2: Floats
    df: Floats
    """Degrees of freedom of the p-value where they were given (Welch), NaN otherwise."""
    p_value: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the t tests of some sides."""
        n1 = given_first(column(sides, "n1"), column(sides, "n"))
        n2, df, p = (column(sides, name) for name in ("n2", "df2", "p_value"))
        return cls(column(sides, "statistic"), n1, n2, df, p)

    def d(self, protocol: Protocol) -> Floats:
        """Return Cohen's d."""
        return np.asarray(effects.cohens_d(self.t, self.n1, np.where(np.isnan(self.n2), np.inf, self.n2)))

    def brief(self, protocol: Protocol) -> Brief:
        """JZS Bayes factor with the exact direction."""
        bf, positive = jzs(self.t, self.n1, self.n2, protocol)
        return Brief(capped(bf, self.t**2, protocol), positive, np.sign(self.t), self.d(protocol))

    def with_brief(self, brief: Brief, protocol: Protocol, p_value: Floats | None = None) -> Evidence:
        """Add p and the error of d."""
        two = ~np.isnan(self.n2)
        d = brief.effect_d
        return Evidence.of(
            brief,
            p_value=self._p() if p_value is None else p_value,
            effect=d,
            effect_se=np.asarray(effects.cohens_d_se(d, self.n1, np.where(two, self.n2, 0.0))),
            form=np.full_like(d, SIGNED),
            n_eff=broadcast_like(np.where(two, self.n1 + self.n2, self.n1), self.t),
        )

    def _p_df(self) -> Floats:
        return given_first(self.df, self._whole_df())

    def _p(self) -> Floats:
        return given_first(self.p_value, np.asarray(pvalues.p_t(self.t, self._p_df())))

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Compare with the critical value."""
        return np.asarray(np.abs(self.t) > stdtrit(self._p_df(), 1 - alpha / 2))

    def draw(self, rng: np.random.Generator, size: int) -> "TTests":
        """Noncentral t around the observed statistic, corrected for its small-sample inflation."""
        t = noncentral_t(rng, self.t, self._whole_df(), size)
        return replace(self, t=t, p_value=np.full_like(t, np.nan))

    def _whole_df(self) -> Floats:
        return np.where(np.isnan(self.n2), self.n1 - 1, self.n1 + self.n2 - 2)

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """Cohen's d with its error."""
        d = self.d(protocol)
        other = np.where(np.isnan(self.n2), 0.0, self.n2)
        return HumanEffects.known(len(d), d=d, se=np.asarray(effects.cohens_d_se(d, self.n1, other)))

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "TTests":
        """Noncentral t of the true d."""
        true = truth.needed_by(self.needed())
        t = t_of_d(true.d, self.n1, self.n2, self._whole_df(), rng)
        return replace(self, t=t, p_value=nothing_like(t))

    def statistic(self) -> Floats:
        """Return t."""
        return self.t

    def with_statistic(self, s: Floats) -> "TTests":
        """Return the tests with other t."""
        return replace(self, t=s, p_value=nothing_like(s))


class _TKind(TestKind):
    """What all t tests share."""

    family, signed = TTests, True


class _IndependentT(_TKind):
    def complete(self, draft: Draft) -> None:
        """Two groups: n1 and n2, or their total split equally, from n or from df + 2."""
        one_df(draft, "df2", "df1")
        join_groups(draft)
        derived = draft.n is None
        n_from_df(draft, 2)
        if derived:
            join_groups(draft)
        if draft.n is None and draft.df2 is not None:
            draft.fault(
                "df2", "n1 and n2 (or n) beside it: Welch's degrees of freedom do not say how many took part"
            )
            return
        if draft.n is not None and draft.n1 is None and draft.n2 is None:
            draft.n1 = draft.n2 = draft.n / 2
            draft.source["n1"] = draft.source["n2"] = draft.source.get("n", "n")
            origin = "df + 2" if derived else "n"
            draft.flags.append(f"group sizes not given: N = {in_words(draft.n)} ({origin}) split equally")
        draft.need("statistic", "n1", "n2")
        if draft.n1 is None or draft.n2 is None or draft.n is None:
            return
        if min(draft.n1, draft.n2) < 1 or draft.n < 3:
            low = "n2" if draft.n2 < 1 <= draft.n1 else "n1"
            draft.small(low, "n1 and n2 of at least 1 and at least 3 together, for a two-sample t to exist")
        else:
            check_df(draft, draft.n - 2, "n1 + n2 - 2 (as in Welch's test or a model with more terms)")


class _OneSampleT(_TKind):
    always = (D_Z_FLAG,)

    def complete(self, draft: Draft) -> None:
        """One sample or pairs: n, or df + 1."""
        one_df(draft, "df2", "df1")
        one_sample(draft)
        n_from_df(draft, 1)
        draft.need("statistic", "n")
        if draft.n is None:
            return
        if draft.n < 2:
            draft.small("n", "n of at least 2, for a t to exist")
        else:
            check_df(draft, draft.n - 1, "n - 1")


T_KINDS = (
    _IndependentT(
        name="t-independent",
        needs="statistic and n1, n2 (or n, or df2)",
        used=frozenset({"statistic", "df1", "df2", "n1", "n2", "n"}),
        reported=("t",),
    ),
    _OneSampleT(
        name="t-paired",
        needs="statistic and n (or df2)",
        used=frozenset({"statistic", "df1", "df2", "n1", "n2", "n"}),
        reported=("t",),
    ),
    _OneSampleT(
        name="t-one-sample",
        needs="statistic and n (or df2)",
        used=frozenset({"statistic", "df1", "df2", "n1", "n"}),
        reported=("t",),
    ),
)
