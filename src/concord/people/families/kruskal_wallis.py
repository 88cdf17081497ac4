"""Kruskal-Wallis tests: H is a one-way analysis of variance of ranks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from concord.people.evidence import Brief, Evidence, broadcast_like, given_first
from concord.people.families.base import (
    NO_D,
    Family,
    HumanEffects,
    Masks,
    TestKind,
    Truth,
    column,
    nothing_like,
    split_flags,
)
from concord.people.families.draft import Draft, check_ratio, check_whole_df, join_groups, known, one_df
from concord.people.families.f import FTests
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import pvalues
from concord.stats.elementwise import Floats

RANK_F_FLAG = "Bayes factor approximate: H scored as the F of the ranks"


@dataclass(frozen=True, slots=True)
class KruskalWallis(Family):
    """H with df = groups - 1 among n participants."""

    h: Floats
    df: Floats
    n: Floats
    direction: Floats
    p_value: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the tests of some sides."""
        return cls(*(column(sides, name) for name in ("statistic", "df1", "n", "direction", "p_value")))

    def _ranks(self) -> FTests:
        """Return the F of the ranks: F = (H/df)/((n - 1 - H)/(n - 1 - df)), without ties exact."""
        df2 = self.n - 1 - self.df
        h = np.minimum(self.h, (self.n - 1) * (1 - 1e-9))
        f = (h / self.df) / ((self.n - 1 - h) / df2)
        none = np.full(self.df.shape, np.nan)
        return FTests(
            design="between",
            f=f,
            df1=self.df,
            df2=df2,
            n=self.n,
            n1=none,
            n2=none,
            direction=self.direction,
            p_value=self.p_value,
        )

    def _p(self) -> Floats:
        return given_first(self.p_value, np.asarray(pvalues.p_chi_square(self.h, self.df)))

    def d(self, protocol: Protocol) -> Floats:
        """Return d of two groups with a given direction; more groups have none."""
        return self._ranks().d(protocol)

    def brief(self, protocol: Protocol) -> Brief:
        """Bayes factor of the F of the ranks: an approximation."""
        return self._ranks().brief(protocol)

    def evidence(self, protocol: Protocol) -> Evidence:
        """Add the p of H and the size of the effect."""
        return replace(self._ranks().evidence(protocol), p_value=self._p())

    def draw(self, rng: np.random.Generator, size: int) -> "KruskalWallis":
        """Draw noncentral chi-square around H; its signed root where two groups have a direction."""
        shape = (size, *self.h.shape)
        centre = np.maximum(0.0, self.h - self.df)
        return self._drawn(np.where(self.direction < 0, -1.0, 1.0) * np.sqrt(self.h), centre, shape, rng)

    def _drawn(
        self, centre_root: Floats, centre: Floats, shape: tuple[int, ...], rng: np.random.Generator
    ) -> "KruskalWallis":
        root = centre_root + rng.standard_normal(shape)
        many = rng.noncentral_chisquare(self.df, centre, shape)
        single = self.df == 1
        known = single & (np.abs(self.direction) == 1)
        h = np.minimum(np.where(single, root * root, many), self.n - 1)
        direction = np.where(known, np.sign(root), broadcast_like(self.direction, root))
        return replace(self, h=h, direction=direction, p_value=nothing_like(root))

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """Return those of the F of the ranks."""
        return self._ranks().human_effects(protocol)

    def needed(self) -> Masks:
        """Two groups draw from d, more from a strength."""
        return self._ranks().needed()

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "KruskalWallis":
        """Draw H around that of the true effect."""
        true = truth.needed_by(self.needed())
        root = true.d / np.sqrt(4 + true.d**2) * np.sqrt(self.n)
        explained = true.strength / (
            1 + true.strength
        )  # strength is that of an F of the ranks, H = (n - 1) η²
        drawn = self._drawn(root, explained * self.n, true.d.shape, rng)
        toward = true.directed(true.d.shape, rng)
        direction = np.where((self.df > 1) & (np.abs(self.direction) == 1), toward, drawn.direction)
        return replace(drawn, direction=direction)


class _KruskalWallis(TestKind):
    family, signed = KruskalWallis, False

    def complete(self, draft: Draft) -> None:
        """Take H with its degrees of freedom and the number of participants."""
        check_ratio(draft, "an H")
        one_df(draft, "df1", "df2")
        join_groups(draft)
        draft.n1 = draft.n2 = None
        draft.need("statistic", "df1", "n")
        check_whole_df(draft)
        if draft.n is not None and draft.df1 is not None and draft.n < draft.df1 + 2:
            draft.small("n", "n of at least df1 + 2: one more than there are groups")
        elif not draft.failed and known(draft.statistic) > known(draft.n) - 1:
            draft.fault("statistic", "an H of at most n - 1")

    def flags(self, row: TestRow, side: Side, protocol: Protocol) -> list[str]:
        """Name the approximation."""
        many = side.df1 is not None and side.df1 > 1
        return [RANK_F_FLAG, *(split_flags(side, protocol) if many else [])]

    def no_d(self, side: Side) -> str:
        """Name the missing sign."""
        if side.statistic is None:
            return NO_D
        many = side.df1 is not None and side.df1 > 1
        return "an H of more than two groups has no sign" if many else "direction of the H not given"

    def lacks_direction(self, side: Side) -> bool:
        """Two groups could have one."""
        return side.df1 == 1


KRUSKAL_WALLIS_KINDS = (
    _KruskalWallis(
        name="kruskal-wallis",
        needs="statistic (H), df1 and n",
        used=frozenset({"statistic", "df1", "df2", "n1", "n2", "n"}),
        reported=("H", "chi2"),
    ),
)
