"""F tests (between groups, within subjects, regression): their numbers, and their rows in a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from concord.people.evidence import (
    MAGNITUDE,
    MAGNITUDE_Z,
    SIGNED,
    Brief,
    Evidence,
    broadcast_like,
    capped,
    given_first,
    toward_where_known,
)
from concord.people.families.base import (
    BOUND_FLAG,
    NO_D,
    Batch,
    HumanEffects,
    Masks,
    SmoothFamily,
    SmoothRange,
    TestKind,
    ToD,
    Truth,
    column,
    d_from_fisher_z,
    directed_by,
    evaluate,
    first_that_gives,
    is_steep,
    jzs,
    noncentral_t,
    nothing_like,
    of_fisher_z,
    split_flags,
    t_limits,
    t_of_d,
)
from concord.people.families.draft import D_Z_FLAG, Draft, check_ratio, in_words, join_groups, one_sample
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import bayes, effects, pvalues
from concord.stats.bayes import log_bf_within
from concord.stats.elementwise import Floats


def p_of_f(f: Floats, df1: Floats, df2: Floats) -> Floats:
    """Return p-values of F."""
    return np.asarray(pvalues.p_f(f, df1, df2))


@dataclass(frozen=True, slots=True)
class FTests(SmoothFamily):
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

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the F tests of some sides of one design."""
        names = ("statistic", "df1", "df2", "n", "n1", "n2", "direction", "p_value")
        return cls(str(design[0]), *(column(sides, name) for name in names))

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
            by_p = toward_where_known(others, p_value, p_of_f, self.f, self.df1, self.df2)
            positive = np.where(many, by_p, positive)
        positive = np.where(np.isnan(direction), np.nan, positive)
        return Brief(capped(bf, self.f, protocol), positive, direction, self.d(protocol))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Add p, native effect and its error."""
        p = given_first(self.p_value, p_of_f(self.f, self.df1, self.df2))
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
        """Participants per cell: harmonic mean of two known cells, else equal cells."""
        known = 2 * self.n1 * self.n2 / (self.n1 + self.n2)
        return given_first(np.where(self.df1 == 1, known, np.nan), self.n / (self.df1 + 1))

    def _bf(self, t: Floats, protocol: Protocol) -> tuple[Floats, Floats]:
        """Log BF, and P(positive) where df1 = 1, from the signed root of F."""
        if protocol.f_rule == "regression" or self.design == "regression":
            return self._bf_regression(t, protocol)
        if self.design == "between":
            return self._bf_between(t, protocol)
        if protocol.within_f == "bic":
            bound = np.asarray(log_bf_within(self.f, self.df1, self.df2))
        else:
            bound = np.asarray(bayes.log_bf_bound(broadcast_like(self.p_value, t)))
        positive, single = np.full(t.shape, np.nan), self.df1 == 1
        if single.any():
            n = self.df2[single] + 1
            bound[..., single], positive[..., single] = jzs(
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
        t = noncentral_t(rng, sign * np.sqrt(self.f), self.df2, size)
        centre = np.maximum(0.0, self.df1 * (self.f * np.maximum(self.df2 - 2, 0.0) / self.df2 - 1))
        top = rng.noncentral_chisquare(self.df1, centre, shape) / self.df1
        many = top / (rng.chisquare(self.df2, shape) / self.df2)
        single = self.df1 == 1
        known = single & (np.abs(self.direction) == 1)
        direction = np.where(known, np.sign(t), broadcast_like(self.direction, t))
        f = np.where(single, t * t, many)
        # by the bound, a within-subjects F with df1 > 1 is scored by its given p: the new p is the new F's
        by_p = (self.design == "within") & ~single & ~np.isnan(self.p_value)
        p = np.where(by_p, np.asarray(pvalues.p_f(f, self.df1, self.df2)), np.nan)
        return replace(self, f=f, direction=direction, p_value=p)

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """F with df1 = 1 as t with the given sign (positive without one); a strength for every F."""
        t = np.where(self.direction < 0, -1.0, 1.0) * np.sqrt(self.f)
        if self.design == "regression":
            d, se = d_from_fisher_z(np.arcsinh(t / np.sqrt(self.df2)), self.df2 - 1)
        else:
            n1, n2 = self._two_cells()
            d = np.asarray(effects.cohens_d(t, n1, n2))
            se = np.asarray(effects.cohens_d_se(d, n1, np.where(np.isinf(n2), 0.0, n2)))
        one = self.df1 == 1
        centre = self.df1 * (self.f * np.maximum(self.df2 - 2, 0.0) / self.df2 - 1)
        return HumanEffects.known(
            len(d),
            d=np.where(one, d, np.nan),
            se=np.where(one, se, np.nan),
            strength=np.asarray(np.maximum(0.0, centre) / self.n),
            direction=self.direction,
        )

    def _two_cells(self) -> tuple[Floats, Floats]:
        """Sizes of the two cells behind an F with df1 = 1; the second is infinite within subjects."""
        if self.design == "within":
            return self.df2 + 1, np.full_like(self.df2, np.inf)
        half = self.n / 2
        return given_first(self.n1, half), given_first(self.n2, half)

    def needed(self) -> Masks:
        """df1 = 1 draws from d, more from a strength."""
        single = self.df1 == 1
        return {"d": single, "strength": ~single}

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "FTests":
        """Draw, for df1 = 1, the square of a t with its sign; for more, noncentral F."""
        true = truth.needed_by(self.needed())
        shape = true.d.shape
        if self.design == "regression":
            z = np.arcsinh(true.d / 2) + rng.standard_normal(shape) / np.sqrt(np.maximum(self.df2 - 1, 1.0))
            t = np.sinh(z) * np.sqrt(self.df2)
        else:
            n1, n2 = self._two_cells()
            t = t_of_d(true.d, n1, n2, self.df2, rng)
        top = rng.noncentral_chisquare(self.df1, true.strength * self.n, shape) / self.df1
        many = top / (rng.chisquare(self.df2, shape) / self.df2)
        single = self.df1 == 1
        f = np.where(single, t * t, many)
        direction = np.where(single, np.sign(t), true.directed(shape, rng))
        direction = np.where(np.abs(self.direction) == 1, direction, broadcast_like(self.direction, f))
        by_p = (self.design == "within") & ~single & ~np.isnan(self.p_value)
        p = nothing_like(f)
        if by_p.any():
            p[:, by_p] = p_of_f(f[:, by_p], self.df1[by_p], self.df2[by_p])
        return replace(self, f=f, direction=direction, p_value=p)

    @property
    def smooth(self) -> SmoothFamily | None:
        """Within subjects with df1 > 1 the evidence rests on p alone, and is not smooth."""
        return self if self.design != "within" or bool(np.all(self.df1 == 1)) else None

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Compare with the critical value."""
        return np.asarray(self.f > fdtri(self.df1, self.df2, 1 - alpha))

    def statistic(self) -> Floats:
        """Return the signed root of F."""
        return np.where(self.direction < 0, -1.0, 1.0) * np.sqrt(self.f)

    def with_statistic(self, s: Floats) -> "FTests":
        """Return the tests with other roots."""
        return replace(self, f=s * s, direction=directed_by(s, self.direction), p_value=nothing_like(s))

    def limits(self, protocol: Protocol) -> SmoothRange:
        """At the cap of the protocol, and nowhere for many degrees of freedom."""
        reach = np.where(is_steep(self.df1, self.direction), 0.0, np.inf)
        return t_limits(self.p_value.shape[-1], protocol, reach)


class _FKind(TestKind):
    """What all F tests share."""

    family, signed = FTests, False

    design: ClassVar[str]

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """F tests of one design are computed together."""
        return None if side.statistic is None else Batch(FTests, (self.design,))

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Many degrees of freedom have a direction only by its p."""
        return split_flags(side, protocol) if side.df1 is not None and side.df1 > 1 else []

    def no_d(self, side: Side) -> str:
        """Name the missing sign: an F has one by a given direction, with df1 = 1."""
        if side.statistic is None:
            return NO_D
        many = side.df1 is not None and side.df1 > 1
        return "an F with df1 > 1 has no sign" if many else "direction of the F not given"

    def lacks_direction(self, side: Side) -> bool:
        """df1 = 1 could have one."""
        return side.df1 == 1

    def translate(
        self, result: Any, values: dict[str, float | None], half: float
    ) -> tuple[dict[str, float | None], float]:
        """F of a t: its square, with one degree of freedom."""
        if result.kind == "t" and result.statistic is not None:
            squared = values | {"statistic": result.statistic**2, "df1": 1.0}
            return squared, half * (2 * abs(result.statistic) + half)
        return super().translate(result, values, half)


class _Between(_FKind):
    design = "between"

    def complete(self, draft: Draft) -> None:
        """Between groups: N is n, or n1 + n2 of two groups, or df1 + df2 + 1."""
        if draft.df1 is not None and draft.df1 > 1:
            for name in ("n1", "n2"):
                if getattr(draft, name) is not None:
                    draft.note(name, "not used: an F with df1 > 1 has more than two groups")
                    setattr(draft, name, None)
        join_groups(draft)
        _check_f(draft, least_n=2 + (1 if draft.df1 is None else draft.df1))
        if draft.too_small is None and _total_n(draft):
            draft.flags.append("N not given: taken as df1 + df2 + 1")
            join_groups(draft)
        for name in ("n1", "n2"):
            if getattr(draft, name) is not None and getattr(draft, name) < 1:
                draft.small(name, "n1 and n2 of at least 1")

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Cells are taken as equal where they are not known."""
        found = []
        if side.df1 is not None and side.n is not None:
            if side.df1 == 1 and (side.n1 is None or side.n2 is None):
                found.append("two equal cells assumed")
            elif side.df1 > 1 and (side.n / (side.df1 + 1)) % 1:
                found.append("Bayes factor approximate: cells cannot be equal")
        return found + super().flags(row, side, protocol)


class _Regression(_FKind):
    design = "regression"

    def complete(self, draft: Draft) -> None:
        """Regression: N is n or df1 + df2 + 1."""
        one_sample(draft)
        _check_f(draft, least_n=2 + (1 if draft.df1 is None else draft.df1))
        if draft.too_small is None:
            _total_n(draft)

    def to_d(self, effect: float, d: float) -> ToD | None:
        """Convert Fisher's z, the native effect of df1 = 1."""
        curved = first_that_gives((of_fisher_z,), effect, d)
        return super().to_d(effect, d) if curved is None else curved


WITHIN_FLAG = "Bayes factor of the within-subject F is a BIC approximation"


class _Within(_FKind):
    design = "within"

    def complete(self, draft: Draft) -> None:
        """Within subjects: n is given, or df2 / df1 + 1."""
        one_sample(draft)
        _check_f(draft, least_n=2)
        if draft.df1 is None or draft.df2 is None or draft.too_small is not None:
            return
        people = draft.df2 / draft.df1 + 1
        # Corrected degrees of freedom are printed rounded, and so is their ratio.
        slack = 1e-9 if draft.df1.is_integer() and draft.df2.is_integer() else 0.02 * people
        if draft.n is None:
            draft.n = float(max(2, round(people)))
            if abs(draft.n - people) > slack:
                draft.flags.append(f"n not given: df2 / df1 + 1 rounded to {in_words(draft.n)}")
        elif draft.n < people - slack:
            draft.fault(
                "df2", f"at most df1 * (n - 1) = {in_words(draft.df1 * (draft.n - 1))} degrees of freedom"
            )
        elif draft.n > people + slack:
            draft.note("df2", "the degrees of freedom are not df1 * (n - 1) (as in a design with groups)")

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """df1 = 1 is a paired t; more is scored by BIC, or by the bound on its p-value."""
        found = []
        if side.df1 is not None and side.df1 > 1:
            if protocol.within_f == "bic":
                found.append(WITHIN_FLAG)
            elif side.p_value is not None:
                found.append(BOUND_FLAG)
        if side.df1 == 1:
            found.append(D_Z_FLAG)
        return found + super().flags(row, side, protocol)

    def no_pas(self, side: Side) -> str:
        """Without its p there is no evidence."""
        return "a within-subjects F with df1 > 1 scored by the bound needs its p_value"

    def takes_p(self, draft: Draft) -> bool:
        """More than two conditions."""
        return draft.df1 is not None and draft.df1 > 1


def _check_f(draft: Draft, *, least_n: float) -> None:
    """Check what every F has: the value and both degrees of freedom."""
    check_ratio(draft, "an F")
    draft.need("statistic", "df1", "df2")
    for name in ("df1", "df2"):
        value = getattr(draft, name)
        if value is not None and value < 1:
            draft.small(name, "degrees of freedom of at least 1, for an F to exist")
    if draft.df2 is None and draft.n is not None and draft.n < least_n:
        draft.small("n", f"n of at least {in_words(least_n)}, for an F to exist")


def _total_n(draft: Draft) -> bool:
    """Take N as df1 + df2 + 1 where it is not given; check it where it is. True when it was taken so."""
    if draft.df1 is None or draft.df2 is None:
        return False
    total = draft.df1 + draft.df2 + 1
    if draft.n is None:
        draft.n = total if total.is_integer() else None
        draft.need("n")
        return draft.n is not None
    if total > draft.n:
        bound = in_words(draft.n - 1 - draft.df1)
        draft.fault("df2", f"at most n - 1 - df1 = {bound} degrees of freedom")
    elif total < draft.n:
        draft.note("df2", "the degrees of freedom are not n - 1 - df1 (as in a design with more terms)")
    return False


_F_USED = frozenset({"statistic", "df1", "df2", "n1", "n"})

F_KINDS = (
    _Between(
        name="anova",
        needs="statistic, df1 and df2",
        used=_F_USED | {"n2"},
        reported=("F", "t"),
        direction_from_report=True,
    ),
    _Within(
        name="anova-within",
        needs="statistic, df1 and df2",
        used=_F_USED,
        reported=("F", "t"),
        direction_from_report=True,
    ),
    _Regression(
        name="regression",
        needs="statistic, df1 and df2",
        used=_F_USED,
        reported=("F", "t"),
        direction_from_report=True,
    ),
)
