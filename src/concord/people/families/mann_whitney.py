"""Mann-Whitney tests: U counted for group 2, scored as t by its z."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from concord.people.evidence import SIGNED, Brief, Evidence, broadcast_like, capped, given_first
from concord.people.families.base import (
    HumanEffects,
    LocationFamily,
    TestKind,
    ToD,
    Truth,
    column,
    first_that_gives,
    jzs,
    nothing_like,
    of_rank_biserial,
)
from concord.people.families.draft import Z_AS_T_FLAG, Draft, in_words, join_groups, known, sign
from concord.people.protocol import Protocol
from concord.records import Side
from concord.stats import effects, pvalues
from concord.stats.elementwise import Floats
from concord.stats.pvalues import small_rank_p


@dataclass(frozen=True, slots=True)
class MannWhitney(LocationFamily):
    """Mann-Whitney tests, U counted for group 2."""

    u: Floats
    n1: Floats
    n2: Floats
    z: Floats
    """Reported z (ties included), group 1 higher positive; NaN where U gives it."""
    p_value: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the tests of some sides."""
        return cls(*(column(sides, name) for name in ("statistic", "n1", "n2", "z", "p_value")))

    def _sigma(self) -> Floats:
        return np.sqrt(self.n1 * self.n2 * (self.n1 + self.n2 + 1) / 12)

    def _z(self) -> Floats:
        """Return z, positive where group 1 is higher: as reported, else from U, without ties."""
        return given_first(self.z, (self.n1 * self.n2 / 2 - self.u) / self._sigma())

    def _p(self, protocol: Protocol) -> Floats:
        """Return p as given, else exact below ten a group (no z was reported: no ties), else that of z."""
        return given_first(
            self.p_value, given_first(self._exact(protocol), np.asarray(pvalues.p_z(self._z())))
        )

    def _exact(self, protocol: Protocol) -> Floats:
        """Return exact p of few observations without a reported z; NaN elsewhere."""
        if protocol.conversions == "published":
            return np.full_like(self.u, np.nan)
        return np.where(np.isnan(self.z), small_rank_p(self.u, self.n1, self.n2), np.nan)

    def _r(self, protocol: Protocol) -> Floats:
        r = np.asarray(effects.rank_biserial(self.u, self.n1, self.n2))
        # published: 2U/(n1 n2) - 1, since the source counts U for group 1
        return -r if protocol.conversions == "published" else r

    def d(self, protocol: Protocol) -> Floats:
        """Return the d-equivalent of the rank-biserial correlation, as the protocol converts."""
        r = self._r(protocol)
        refined = protocol.conversions == "refined"
        return np.asarray(effects.d_from_rank_biserial(r) if refined else effects.d_from_r(r))

    def brief(self, protocol: Protocol) -> Brief:
        """Two-sample JZS with t = z: an approximation."""
        z = self._z()
        bf, positive = jzs(z, self.n1, self.n2, protocol)
        return Brief(capped(bf, z * z, protocol), positive, np.sign(z), self.d(protocol))

    def with_brief(self, brief: Brief, protocol: Protocol, p_value: Floats | None = None) -> Evidence:
        """Add p and the rank-biserial correlation with its error."""
        z, r = self._z(), self._r(protocol)
        method = "hanley-mcneil" if protocol.conversions == "refined" else "simple"
        se = np.asarray(effects.rank_biserial_se(r, self.n1, self.n2, method=method))
        none = np.abs(r) >= effects.LARGEST_R
        return Evidence.of(
            brief,
            p_value=self._p(protocol) if p_value is None else p_value,
            effect=np.where(none, np.nan, r),
            effect_se=np.where(none, np.nan, se),
            form=np.full_like(z, SIGNED),
            n_eff=broadcast_like(self.n1 + self.n2, z),
        )

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Compare with the critical value; of few observations by their exact p."""
        exact = self._exact(protocol)
        return np.where(np.isnan(exact), np.abs(self._z()) > ndtri(1 - alpha / 2), exact < alpha)

    def draw(self, rng: np.random.Generator, size: int) -> "MannWhitney":
        """Draw normal rank-biserial with the Hanley-McNeil standard error."""
        r = np.asarray(effects.rank_biserial(self.u, self.n1, self.n2))
        inside = np.clip(r, -1 + 1 / (self.n1 * self.n2), 1 - 1 / (self.n1 * self.n2))
        se = np.asarray(effects.rank_biserial_se(inside, self.n1, self.n2, method="hanley-mcneil"))
        drawn = np.clip(r + se * rng.standard_normal((size, *r.shape)), -1.0, 1.0)
        return self._with_r(drawn)

    def _with_r(self, r: Floats) -> "MannWhitney":
        u = 0.5 * self.n1 * self.n2 * (1 - r)
        return replace(self, u=u, z=nothing_like(u), p_value=nothing_like(u))

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """Rank-biserial correlation on the d scale, with the Hanley-McNeil error."""
        edge = 1 - 1 / (self.n1 * self.n2)
        r = np.clip(np.asarray(effects.rank_biserial(self.u, self.n1, self.n2)), -edge, edge)
        se = np.asarray(effects.rank_biserial_se(r, self.n1, self.n2, method="hanley-mcneil"))
        if protocol.conversions == "refined":
            d = np.sqrt(2) * ndtri((1 + r) / 2)
            slope = np.sqrt(np.pi) * np.exp(d**2 / 4)
        else:
            d, slope = 2 * r / np.sqrt(1 - r**2), 2 * (1 - r**2) ** -1.5
            d = -d if protocol.conversions == "published" else d
        return HumanEffects.known(len(d), d=d, se=slope * se)

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "MannWhitney":
        """Draw normal rank-biserial around that of the true d."""
        true = truth.needed_by(self.needed())
        edge = 1 - 1 / (self.n1 * self.n2)
        r = np.clip(rank_from_d(true.d, protocol), -edge, edge)
        se = np.asarray(effects.rank_biserial_se(r, self.n1, self.n2, method="hanley-mcneil"))
        return self._with_r(np.clip(r + se * rng.standard_normal(r.shape), -1.0, 1.0))

    def statistic(self) -> Floats:
        """Return the z of U."""
        return np.asarray((self.n1 * self.n2 / 2 - self.u) / self._sigma())

    def with_statistic(self, s: Floats) -> "MannWhitney":
        """Return the tests with other z."""
        return replace(self, u=self.n1 * self.n2 / 2 - s * self._sigma(), z=s, p_value=nothing_like(s))


def rank_from_d(d: Floats, protocol: Protocol) -> Floats:
    """Return the rank-biserial correlation of a d, as the protocol converts."""
    if protocol.conversions == "refined":
        return np.asarray(2 * ndtr(d / np.sqrt(2)) - 1)
    r = d / np.sqrt(4 + d**2)
    return np.asarray(-r if protocol.conversions == "published" else r)


def _of_shift(r: float) -> float:
    """Convert a rank-biserial r by √2 Φ⁻¹((1 + r)/2)."""
    return math.sqrt(2) * NormalDist().inv_cdf((1 + r) / 2) if abs(r) < 1 else math.nan


class _MannWhitney(TestKind):
    family = MannWhitney
    always = (Z_AS_T_FLAG,)
    without_d = "|r| at its limit has no finite d"

    def complete(self, draft: Draft) -> None:
        """Two groups and U counted for group 2, or a reported z in its place."""
        join_groups(draft)
        if draft.n1 is not None and draft.n2 is not None:
            if min(draft.n1, draft.n2) < 1:
                draft.small("n1" if draft.n1 < 1 else "n2", "n1 and n2 of at least 1")
            else:
                _orient_u(draft, draft.n1, draft.n2)
        draft.need("statistic", "n1", "n2")

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Group 1 higher is positive."""
        if draft.statistic is None:
            return None
        return sign(known(draft.n1) * known(draft.n2) / 2 - draft.statistic), "statistic"

    def to_d(self, effect: float, d: float) -> ToD | None:
        """Convert the rank-biserial correlation."""
        curved = first_that_gives((of_rank_biserial, _of_shift), effect, d)
        return super().to_d(effect, d) if curved is None else curved

    def translate(
        self, result: Any, values: dict[str, float | None], half: float
    ) -> tuple[dict[str, float | None], float]:
        """Take the z printed with U."""
        if result.kind == "U":
            return values | {"z": result.z}, half
        return super().translate(result, values, half)

    def same_statistic(self, draft: Draft, said: float, tolerance: float) -> bool:
        """Papers print the U of either group."""
        if draft.n1 is None or draft.n2 is None or draft.statistic is None:
            return False
        return abs(draft.n1 * draft.n2 - draft.statistic - said) <= tolerance


def _orient_u(draft: Draft, n1: float, n2: float) -> None:
    """Check U, give z the sign that U implies, or derive U from z; group 1 higher is positive."""
    # A given direction is the truth: U, or z, is turned to agree with it.
    if draft.statistic is None and draft.z is not None:
        z = draft.z if draft.direction in (None, 0) else abs(draft.z) * known(draft.direction)
        draft.statistic = n1 * n2 / 2 - z * math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12)
        draft.source["statistic"] = draft.source.get("z", "z")
        draft.flags.append("U not given: derived from z without correction for ties")
    if draft.statistic is None:
        return
    if not 0 <= draft.statistic <= n1 * n2:
        draft.fault("statistic", f"a U from 0 to n1 * n2 = {in_words(n1 * n2)}")
        return
    draft.statistic = _of_group_2(draft, draft.statistic, n1 * n2)
    implied = sign(n1 * n2 / 2 - draft.statistic)
    if draft.z is not None and implied * sign(draft.z) < 0:
        draft.note("reported", "z has the sign opposite to that of U (counted for group 2); U decides")
        draft.z = -draft.z


def _of_group_2(draft: Draft, u: float, pairs: float) -> float:
    """Return the U of group 2, from one counted for group 1 or from the smaller one."""
    if draft.u_of == "group1":
        u = pairs - u
    if draft.direction is not None and draft.direction != 0:
        if sign(pairs / 2 - u) * draft.direction < 0:
            u = pairs - u
            draft.flags.append("U counted for the other group: turned to agree with the direction")
    elif draft.u_of == "smaller":
        expected = f"{draft.side}_direction as well: the smaller U does not say which group is higher"
        draft.fault("u_of", expected)
    elif draft.u_of is None and draft.source.get("statistic") != "z":
        draft.note(
            "statistic",
            "U is taken as counted for group 2; scipy and R count group 1, SPSS the smaller: give "
            f"{draft.side}_u_of (group1, group2, smaller) or {draft.side}_direction",
        )
    return u


MANN_WHITNEY_KINDS = (
    _MannWhitney(
        name="mann-whitney",
        needs="statistic (U), n1 and n2",
        used=frozenset({"statistic", "n1", "n2", "n", "u_of"}),
        reported=("U", "z"),
    ),
)
