"""z tests: one sample, two groups, and two proportions (with their table, or by z alone)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from concord.people.evidence import Brief, Evidence, given_first
from concord.people.families.base import Batch, TestKind, Truth, nothing_like
from concord.people.families.contingency import Tables, check_table, table_sign
from concord.people.families.draft import Z_AS_T_FLAG, Draft, join_groups, one_sample
from concord.people.families.t import TTests
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import pvalues
from concord.stats.elementwise import Floats


@dataclass(frozen=True, slots=True)
class ZTests(TTests):
    """t tests whose standard deviation is known: p and draws are normal, d = z√(1/n1 + 1/n2) or z/√n."""

    def with_brief(self, brief: Brief, protocol: Protocol, p_value: Floats | None = None) -> Evidence:
        """Add the error of d as for a t, and the p of z."""
        p = given_first(self.p_value, np.asarray(pvalues.p_z(self.t))) if p_value is None else p_value
        return TTests.with_brief(self, brief, protocol, p)

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Compare with the critical value."""
        return np.asarray(np.abs(self.t) > ndtri(1 - alpha / 2))

    def draw(self, rng: np.random.Generator, size: int) -> "ZTests":
        """Draw normal z around the observed one."""
        z = self.t + rng.standard_normal((size, *self.t.shape))
        return replace(self, t=z, p_value=nothing_like(z))

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "ZTests":
        """Draw normal z around that of the true d."""
        d = truth.needed_by(self.needed()).d
        other = np.where(np.isnan(self.n2), np.inf, self.n2)
        z = d / np.sqrt(1 / self.n1 + 1 / other) + rng.standard_normal(d.shape)
        return replace(self, t=z, p_value=nothing_like(z))


class _ZTest(TestKind):
    family, signed = ZTests, True

    def complete(self, draft: Draft) -> None:
        """Take a 2 x 2 table of two proportions, or z with n, or with n1 and n2."""
        if draft.table is not None:
            if len(draft.table) != 2 or len(draft.table[0]) != 2:
                draft.fault("table", "a 2 x 2 table [[a, b], [c, d]], groups in rows")
                return
            draft.statistic = draft.n1 = draft.n2 = None
            check_table(draft, draft.table)
            return
        if draft.n1 is not None or draft.n2 is not None:
            join_groups(draft)
            draft.need("statistic", "n1", "n2")
        else:
            one_sample(draft)
            draft.need("statistic", "n")
        if draft.n is not None and draft.n < 2:
            draft.small("n", "n of at least 2")

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Return the sign of z, or of the difference of two rates."""
        return super().observed_sign(draft) if draft.table is None else table_sign(draft.table)

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """Two proportions are a table with fixed rows; all z together."""
        if side.table is not None:
            return Batch(Tables, (2, 2, "indep_rows"))
        return None if side.statistic is None else Batch(ZTests)

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the approximation, and the scale of one sample."""
        if side.table is not None:
            return []
        return [Z_AS_T_FLAG]

    def translate(
        self, result: Any, values: dict[str, float | None], half: float
    ) -> tuple[dict[str, float | None], float]:
        """Take z as the statistic itself."""
        return values, half


Z_KINDS = (
    _ZTest(
        name="z-test",
        needs="statistic (z) and n, or n1 and n2; or table",
        used=frozenset({"statistic", "n1", "n2", "n", "table"}),
        reported=("z",),
    ),
)
