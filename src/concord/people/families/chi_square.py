"""Chi-square tests of contingency tables, with or without the table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from concord.people.evidence import (
    Brief,
    Evidence,
    broadcast_like,
    given_first,
    no_effects,
    toward_where_known,
)
from concord.people.families.base import (
    NO_D,
    Batch,
    HumanEffects,
    Masks,
    SmoothFamily,
    SmoothRange,
    TestKind,
    Truth,
    column,
    directed_by,
    is_steep,
    nothing_like,
    split_flags,
)
from concord.people.families.contingency import Tables, check_table, table_sign
from concord.people.families.draft import (
    Draft,
    check_ratio,
    check_whole_df,
    in_words,
    join_groups,
    known,
    one_df,
    one_sample,
)
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import bayes, pvalues
from concord.stats.elementwise import Floats


def _p_chi_square(chi2: Floats, df: Floats) -> Floats:
    return np.asarray(pvalues.p_chi_square(chi2, df))


@dataclass(frozen=True, slots=True)
class ChiSquares(SmoothFamily):
    """Chi-square statistics published without their table."""

    chi2: Floats
    df: Floats
    n: Floats
    direction: Floats
    p_value: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the statistics of some sides."""
        return cls(*(column(sides, name) for name in ("statistic", "df1", "n", "direction", "p_value")))

    def d(self, protocol: Protocol) -> Floats:
        """Without its table a chi-square has no effect size."""
        return np.full(self.chi2.shape, np.nan)

    def brief(self, protocol: Protocol) -> Brief:
        """BIC approximation; a direction only where one was given."""
        return self._brief(self.p_value, protocol)

    def _brief(self, p_value: Floats, protocol: Protocol) -> Brief:
        direction = np.where((self.direction == 0) & (self.chi2 > 0), np.nan, self.direction)
        direction = broadcast_like(direction, self.chi2)
        return Brief(
            log_bf=np.asarray(bayes.log_bf_chi_square_bic(self.chi2, self.df, self.n)),
            prob_positive=toward_where_known(direction, p_value, _p_chi_square, self.chi2, self.df),
            direction=direction,
            effect_d=np.full(self.chi2.shape, np.nan)
            if protocol.conversions == "published"
            else self._d_of_phi(direction),
        )

    def _d_of_phi(self, direction: Floats) -> Floats:
        """Return d = 2 phi / sqrt(1 - phi²), phi² = chi²/N: one degree of freedom, and a direction."""
        phi = np.sqrt(np.minimum(self.chi2 / self.n, 1 - 1e-9)) * direction
        known = (self.df == 1) & (np.abs(direction) == 1)
        return np.where(known, 2 * phi / np.sqrt(1 - phi**2), np.nan)

    def evidence(self, protocol: Protocol) -> Evidence:
        """Add p; no effect in a form of its own, so that Z is undefined."""
        p = given_first(self.p_value, _p_chi_square(self.chi2, self.df))
        n_eff = broadcast_like(self.n, self.chi2)
        return Evidence.of(self._brief(p, protocol), p_value=p, n_eff=n_eff, **no_effects(self.chi2))

    def draw(self, rng: np.random.Generator, size: int) -> Self:
        """Draw a signed normal root for df = 1, noncentral chi-square for more."""
        shape = (size, *self.chi2.shape)
        root = np.where(self.direction < 0, -1.0, 1.0) * np.sqrt(self.chi2) + rng.standard_normal(shape)
        many = rng.noncentral_chisquare(self.df, np.maximum(0.0, self.chi2 - self.df), shape)
        known = (self.df == 1) & (np.abs(self.direction) == 1)
        direction = np.where(known, np.sign(root), broadcast_like(self.direction, root))
        chi2 = np.where(self.df == 1, root * root, many)
        return replace(self, chi2=chi2, direction=direction, p_value=np.full(shape, np.nan))

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """D of phi where df = 1, with the given sign (positive without one); a strength for all."""
        phi = np.sqrt(np.minimum(self.chi2 / self.n, 1 - 1e-9)) * np.where(self.direction < 0, -1.0, 1.0)
        one = self.df == 1
        return HumanEffects.known(
            len(phi),
            d=np.where(one, 2 * phi / np.sqrt(1 - phi**2), np.nan),
            se=np.where(one, 2 / np.sqrt(self.n), np.nan),
            strength=np.maximum(0.0, self.chi2 - self.df) / self.n,
            direction=self.direction,
        )

    def needed(self) -> Masks:
        """Df = 1 draws from d, more from a strength."""
        single = self.df == 1
        return {"d": single, "strength": ~single}

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> Self:
        """Draw, for df = 1, the square of a signed normal root; more: noncentral chi-square."""
        true = truth.needed_by(self.needed())
        shape = true.d.shape
        root = true.d / np.sqrt(4 + true.d**2) * np.sqrt(self.n) + rng.standard_normal(shape)
        many = rng.noncentral_chisquare(self.df, true.strength * self.n, shape)
        one = self.df == 1
        direction = np.where(one, np.sign(root), true.directed(shape, rng))
        direction = np.where(np.abs(self.direction) == 1, direction, broadcast_like(self.direction, root))
        chi2 = np.where(one, root * root, many)
        return replace(self, chi2=chi2, direction=direction, p_value=nothing_like(root))

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Compare with the critical value."""
        return np.asarray(self.chi2 > chdtri(self.df, alpha))

    def statistic(self) -> Floats:
        """Return the signed root."""
        return np.where(self.direction < 0, -1.0, 1.0) * np.sqrt(self.chi2)

    def with_statistic(self, s: Floats) -> Self:
        """Return the tests with other roots."""
        return replace(self, chi2=s * s, direction=directed_by(s, self.direction), p_value=nothing_like(s))

    def limits(self, protocol: Protocol) -> SmoothRange:
        """Nowhere for many degrees of freedom; no protocol caps a chi-square."""
        unlimited = np.full(self.p_value.shape[-1], np.inf)
        return SmoothRange(unlimited, np.where(is_steep(self.df, self.direction), 0.0, np.inf))


class _ChiSquare(TestKind):
    def complete(self, draft: Draft) -> None:
        """Take a contingency table, or its chi-square with df and n."""
        check_ratio(draft, "a chi-square")
        one_df(draft, "df1", "df2")
        join_groups(draft)
        draft.n1 = draft.n2 = None
        if draft.table is not None:
            check_table(draft, draft.table)
            return
        draft.need("statistic", "df1", "n")
        if draft.n is not None and draft.n < 2:
            draft.small("n", "n of at least 2, for a contingency table to exist")
        check_whole_df(draft)
        if not draft.failed and known(draft.statistic) > known(draft.n) * known(draft.df1):
            expected = f"at most n * df = {in_words(known(draft.n) * known(draft.df1))}: no table gives more"
            draft.fault("statistic", expected)

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Return the sign of the difference of the rates of a 2 x 2 table."""
        return table_sign(draft.table)

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """Tables of one shape and sampling together, statistics without a table together."""
        if side.table is not None:
            return Batch(Tables, (len(side.table), len(side.table[0]), row.sampling))
        return None if side.statistic is None else Batch(ChiSquares)

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Without its table the evidence is approximate, and with a larger one the direction is."""
        found = []
        if side.table is None or protocol.chi_square == "bic-yates":
            found.append(BIC_FLAG)
        larger = side.table is not None and (len(side.table) > 2 or len(side.table[0]) > 2)
        return found + (split_flags(side, protocol) if larger or side.table is None else [])

    def no_d(self, side: Side) -> str:
        """One degree of freedom with a direction has a d (phi); a larger table has none."""
        if side.table is not None:
            return "a table larger than 2 x 2 has no d"
        if side.statistic is None:
            return NO_D
        return "needs a direction, or the 2 x 2 table" if side.df1 == 1 else "more than 2 x 2 cells have no d"

    def no_pas(self, side: Side) -> str:
        """Name the empty margin, which leaves no chi-square."""
        return "the table's chi-square is undefined (an empty margin)"

    def lacks_direction(self, side: Side) -> bool:
        """Df = 1 without a table could have one."""
        return side.table is None and side.df1 == 1


BIC_FLAG = "Bayes factor approximate: BIC from the chi-square"


CHI_SQUARE_KINDS = (
    _ChiSquare(
        name="chi-square",
        needs="table, or statistic, df1 and n",
        used=frozenset({"statistic", "df1", "df2", "n1", "n2", "n", "table"}),
        reported=("chi2",),
    ),
)


@dataclass(frozen=True, slots=True)
class CochranQ(ChiSquares):
    """Q as the chi-square it follows; n participants are the observations of its BIC."""


class _CochranQ(TestKind):
    family, signed = CochranQ, False
    without_d = "a Q has no effect size without its rates"

    def complete(self, draft: Draft) -> None:
        """Take Q with its degrees of freedom and the number of participants."""
        check_ratio(draft, "a Q")
        one_df(draft, "df1", "df2")
        one_sample(draft)
        draft.need("statistic", "df1", "n")
        check_whole_df(draft)
        if draft.n is not None and draft.n < 2:
            draft.small("n", "n of at least 2 participants")
        elif not draft.failed and known(draft.statistic) > known(draft.n) * known(draft.df1):
            draft.fault("statistic", "a Q of at most n * df1")

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the approximation."""
        return [BIC_FLAG, *split_flags(side, protocol)]

    def lacks_direction(self, side: Side) -> bool:
        """Two conditions could have one."""
        return side.df1 == 1


COCHRAN_KINDS = (
    _CochranQ(
        name="cochran-q",
        needs="statistic (Q), df1 and n",
        used=frozenset({"statistic", "df1", "df2", "n1", "n"}),
        reported=("Q", "chi2"),
    ),
)
