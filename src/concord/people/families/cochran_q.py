"""Cochran's Q: the same participants answer yes or no in several conditions."""

from dataclasses import dataclass

from concord.people.families.base import NO_D, Batch, TestKind, split_flags
from concord.people.families.chi_square import BIC_FLAG, ChiSquares
from concord.people.families.draft import Draft
from concord.people.families.samples import check_ratio, check_whole_df, known, one_df, one_sample
from concord.people.protocol import Protocol
from concord.records import Side, TestRow


@dataclass(frozen=True, slots=True)
class CochranQ(ChiSquares):
    """Q as the chi-square it follows; n participants are the observations of its BIC."""


class _CochranQ(TestKind):
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

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Return none: a Q shows none."""
        return None

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """All such tests are computed together."""
        return None if side.statistic is None else Batch(CochranQ)

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the approximation."""
        return [BIC_FLAG, *split_flags(side, protocol)]

    def no_d(self, side: Side) -> str:
        """Name what is missing: the rates of the conditions."""
        return NO_D if side.statistic is None else "a Q has no effect size without its rates"

    def lacks_direction(self, side: Side) -> bool:
        """Two conditions could have one."""
        return side.df1 == 1


COCHRAN_KINDS = (
    _CochranQ(
        name="cochran-q",
        needs="statistic (Q), df1 and n",
        used=frozenset({"statistic", "df1", "df2", "n1", "n"}),
        reported=("Q", "chi2"),
        aliases="cochran; cochran's q; cochran q test; cochran's q test; q; cochrans_q",
    ),
)
