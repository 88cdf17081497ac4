"""The rows of F tests: how they are completed, named and worded."""

from typing import Any, ClassVar

from concord.people.families.base import BOUND_FLAG, Batch, TestKind, split_flags
from concord.people.families.draft import Draft, in_words
from concord.people.families.f import FTests
from concord.people.families.samples import D_Z_FLAG, check_ratio, join_groups, one_sample
from concord.people.families.to_d import NO_D, ToD, first_that_gives, of_fisher_z
from concord.people.protocol import Protocol
from concord.records import Side, TestRow


class _FKind(TestKind):
    """What all F tests share."""

    design: ClassVar[str]

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Return none: an F shows none."""
        return None

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
        aliases="""
        f; f-test; f (anova); anova f; one-way; one-way anova; oneway; two-way anova; factorial anova; ancova;
        between; between-subjects; between-groups; between anova; between-subjects anova;
        between-groups anova; anova between; anova (between); f between;
        f (between); analysis of variance; one-way f
        """,
    ),
    _Within(
        name="anova-within",
        needs="statistic, df1 and df2",
        used=_F_USED,
        reported=("F", "t"),
        direction_from_report=True,
        aliases="""
        within; within-subjects; within anova; within-subjects anova; anova (within); repeated measures;
        repeated-measures anova; anova repeated measures; rm-anova; anova rm; f within; f (within);
        repeated measures f
        """,
    ),
    _Regression(
        name="regression",
        needs="statistic, df1 and df2",
        used=_F_USED,
        reported=("F", "t"),
        direction_from_report=True,
        aliases="""
        linear regression; multiple regression; simple regression; ols; ols regression; regression f;
        f regression; f (regression); linear model; lm; regression slope; regression slope t; regression t;
        slope; regression coefficient
        """,
    ),
)
