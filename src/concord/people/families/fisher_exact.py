"""Fisher's exact test of a 2 x 2 table: its p is exact, all else is that of the table."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from concord.people.evidence import Evidence, given_first
from concord.people.families.base import Batch, TestKind
from concord.people.families.contingency import Tables, check_table, table_sign
from concord.people.families.draft import Draft
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True)
class FisherTables(Tables):
    """2 x 2 tables with the exact p: Gûnel-Dickey Bayes factor, log odds ratio, drawn row by row."""

    def evidence(self, protocol: Protocol) -> Evidence:
        """Return the evidence of the table with Fisher's p."""
        p = given_first(self.p_value, p_fisher(self.tables))
        return replace(Tables.evidence(self, protocol), p_value=p)


def p_fisher(tables: Floats) -> Floats:
    """Return two-sided p-values of 2 x 2 tables (..., 2, 2): all tables no likelier than the one seen."""
    # Fisher (1935), Journal of the Royal Statistical Society, 98, 39-82.
    flat = tables.reshape(-1, 4)
    distinct, back = np.unique(flat, axis=0, return_inverse=True)
    p = np.array([_p_one(*cells) for cells in distinct])
    return p[back.reshape(-1)].reshape(tables.shape[:-2])


def _p_one(a: float, b: float, c: float, d: float) -> float:
    row, other, column = a + b, c + d, a + c
    first = np.arange(max(0.0, column - other), min(row, column) + 1)
    log = -(
        gammaln(first + 1) + gammaln(row - first + 1)
        + gammaln(column - first + 1) + gammaln(other - column + first + 1)
    )  # fmt: skip
    seen = log[int(a - first[0])]
    weights = np.exp(log - log.max())
    # ties are ties within rounding, as R and scipy take them
    return float(min(1.0, weights[log <= seen + 1e-7].sum() / weights.sum()))


class _FisherExact(TestKind):
    family = FisherTables

    def complete(self, draft: Draft) -> None:
        """Take a 2 x 2 table."""
        draft.need("table")
        if draft.table is None:
            return
        if len(draft.table) != 2 or len(draft.table[0]) != 2:
            draft.fault("table", "a 2 x 2 table [[a, b], [c, d]], groups in rows")
        else:
            check_table(draft, draft.table)

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Return the sign of the difference of the rates."""
        return table_sign(draft.table)

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """Tables of one sampling together."""
        return None if side.table is None else Batch(FisherTables, (2, 2, row.sampling))


FISHER_KINDS = (
    _FisherExact(
        name="fisher-exact",
        needs="table (2 x 2)",
        used=frozenset({"table", "n"}),
        reported=(),
    ),
)
