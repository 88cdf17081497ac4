"""Wilcoxon signed-rank tests: W is the sum of the positive ranks, scored as t by its z."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, owens_t

from concord.people.evidence import SIGNED, Brief, Evidence, broadcast_like, capped, given_first
from concord.people.families.base import (
    HumanEffects,
    LocationFamily,
    TestKind,
    ToD,
    Truth,
    column,
    jzs,
    nothing_like,
)
from concord.people.families.draft import D_Z_FLAG, Z_AS_T_FLAG, Draft, in_words, known, one_sample, sign
from concord.people.protocol import Protocol
from concord.records import Side
from concord.stats import effects, pvalues
from concord.stats.elementwise import Floats
from concord.stats.pvalues import small_rank_p


@dataclass(frozen=True, slots=True)
class SignedRanks(LocationFamily):
    """Signed-rank tests of n pairs; the native effect is r = 2W/(n(n + 1)/2) - 1."""

    w: Floats
    n: Floats
    z: Floats
    """Reported z (ties included), positive where the first is higher; NaN where W gives it."""
    p_value: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the tests of some sides."""
        return cls(*(column(sides, name) for name in ("statistic", "n", "z", "p_value")))

    def _total(self) -> Floats:
        return self.n * (self.n + 1) / 2

    def _sigma(self) -> Floats:
        """Return the standard deviation of W under the null, without ties."""
        return np.sqrt(self.n * (self.n + 1) * (2 * self.n + 1) / 24)

    def _z(self) -> Floats:
        return given_first(self.z, (self.w - self._total() / 2) / self._sigma())

    def _p(self, protocol: Protocol) -> Floats:
        """Return p as given, else exact below ten pairs (no z was reported: no ties), else that of z."""
        return given_first(
            self.p_value, given_first(self._exact(protocol), np.asarray(pvalues.p_z(self._z())))
        )

    def _exact(self, protocol: Protocol) -> Floats:
        """Return exact p of few pairs without a reported z; NaN elsewhere."""
        if protocol.conversions == "published":
            return np.full_like(self.w, np.nan)
        return np.where(np.isnan(self.z), small_rank_p(self.w, self.n), np.nan)

    def _r(self) -> Floats:
        return 2 * self.w / self._total() - 1

    def d(self, protocol: Protocol) -> Floats:
        """Return d_z = Φ⁻¹((1 + r)/2)/√2: W counts pairs of pairs whose sum is positive."""
        r = self._r()
        inside = np.abs(r) < effects.LARGEST_R
        return np.where(inside, ndtri((1 + np.where(inside, r, 0.0)) / 2) / np.sqrt(2), np.nan)

    def brief(self, protocol: Protocol) -> Brief:
        """One-sample JZS with t = z: an approximation."""
        z = self._z()
        bf, positive = jzs(z, self.n, np.full_like(self.n, np.nan), protocol)
        return Brief(capped(bf, z * z, protocol), positive, np.sign(z), self.d(protocol))

    def with_brief(self, brief: Brief, protocol: Protocol, p_value: Floats | None = None) -> Evidence:
        """Add p of z and the rank-biserial correlation with its error."""
        z, r = self._z(), self._r()
        none = np.abs(r) >= effects.LARGEST_R
        return Evidence.of(
            brief,
            p_value=self._p(protocol) if p_value is None else p_value,
            effect=np.where(none, np.nan, r),
            effect_se=np.where(none, np.nan, _error(r, self.n)),
            form=np.full_like(z, SIGNED),
            n_eff=broadcast_like(self.n, z),
        )

    def is_significant(self, alpha: Floats, protocol: Protocol) -> NDArray[np.bool_]:
        """Compare with the critical value; of few pairs by their exact p."""
        exact = self._exact(protocol)
        return np.where(np.isnan(exact), np.abs(self._z()) > ndtri(1 - alpha / 2), exact < alpha)

    def draw(self, rng: np.random.Generator, size: int) -> "SignedRanks":
        """Draw normal r with its error."""
        return self._around(self._r(), rng, (size, *self.w.shape))

    def _around(self, r: Floats, rng: np.random.Generator, shape: tuple[int, ...]) -> "SignedRanks":
        edge = 1 - 1 / self._total()
        inside = np.clip(r, -edge, edge)
        drawn = np.clip(inside + _error(inside, self.n) * rng.standard_normal(shape), -1.0, 1.0)
        return replace(
            self, w=self._total() * (1 + drawn) / 2, z=nothing_like(drawn), p_value=nothing_like(drawn)
        )

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """R on the d scale: dd/dr = √π/2 · exp(d²)."""
        edge = 1 - 1 / self._total()
        r = np.clip(self._r(), -edge, edge)
        d = ndtri((1 + r) / 2) / np.sqrt(2)
        return HumanEffects.known(len(d), d=d, se=np.sqrt(np.pi) / 2 * np.exp(d * d) * _error(r, self.n))

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "SignedRanks":
        """Draw normal r around that of the true d."""
        true = truth.needed_by(self.needed())
        return self._around(2 * ndtr(np.sqrt(2) * true.d) - 1, rng, true.d.shape)

    def statistic(self) -> Floats:
        """Return the z of W."""
        return np.asarray((self.w - self._total() / 2) / self._sigma())

    def with_statistic(self, s: Floats) -> "SignedRanks":
        """Return the tests with other z."""
        return replace(self, w=self._total() / 2 + s * self._sigma(), z=s, p_value=nothing_like(s))


def _error(r: Floats, n: Floats) -> Floats:
    """Return the standard error of r for normal differences."""
    # W over n(n + 1)/2 estimates p = P(X₁ + X₂ > 0) = Φ(h); its variance is 4ζ/n with ζ = Var P(X₁ + X₂ > 0 |
    # X₁) = p(1 - p) - 2T(h, 1/√3), T Owen's function, and (2n + 1)/(2n + 2) of it is exact under the null.
    p = (1 + np.clip(r, -1 + 1e-12, 1 - 1e-12)) / 2
    zeta = p * (1 - p) - 2 * owens_t(ndtri(p), 1 / np.sqrt(3))
    return np.asarray(2 * np.sqrt(4 * np.maximum(zeta, 0.0) / n * (2 * n + 1) / (2 * n + 2)))


class _SignedRank(TestKind):
    family = SignedRanks
    always = (Z_AS_T_FLAG, D_Z_FLAG)
    without_d = "all ranks on one side have no finite d"

    def complete(self, draft: Draft) -> None:
        """Pairs and W, or a reported z in its place; a given direction decides which sum W is."""
        one_sample(draft)
        if draft.n is not None and draft.n < 1:
            draft.small("n", "n of at least 1 pair")
        elif draft.n is not None:
            _orient_w(draft, draft.n)
        draft.need("statistic", "n")

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Positive where the first of the pairs is higher."""
        if draft.statistic is None:
            return None
        return sign(draft.statistic - known(draft.n) * (known(draft.n) + 1) / 4), "statistic"

    def to_d(self, effect: float, d: float) -> ToD | None:
        """Convert the rank-biserial correlation."""
        return _of_signed_rank

    def translate(
        self, result: Any, values: dict[str, float | None], half: float
    ) -> tuple[dict[str, float | None], float]:
        """Take the z printed with W."""
        if result.kind == "W":
            return values | {"z": result.z}, half
        return super().translate(result, values, half)

    def check_sizes(self, draft: Draft) -> tuple[float | None, float | None]:
        """Return the number of pairs."""
        return draft.n, None

    def same_statistic(self, draft: Draft, said: float, tolerance: float) -> bool:
        """Accept the other sum: papers print either."""
        if draft.n is None or draft.statistic is None:
            return False
        return abs(draft.n * (draft.n + 1) / 2 - draft.statistic - said) <= tolerance


def _of_signed_rank(r: float) -> float:
    return NormalDist().inv_cdf((1 + r) / 2) / math.sqrt(2) if abs(r) < 1 else math.nan


def _orient_w(draft: Draft, n: float) -> None:
    """Check W, orient it by the direction, or derive it from z."""
    total = n * (n + 1) / 2
    if draft.statistic is None and draft.z is not None:
        size = abs(draft.z) if draft.direction is not None else draft.z
        oriented = size * (1 if draft.direction is None else draft.direction)
        draft.statistic = total / 2 + oriented * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        draft.source["statistic"] = draft.source.get("z", "z")
        draft.flags.append("W not given: derived from z without correction for ties")
    if draft.statistic is None:
        return
    if not 0 <= draft.statistic <= total:
        draft.fault("statistic", f"a W from 0 to n (n + 1)/2 = {in_words(total)}")
    elif draft.direction is None:
        if "statistic" in draft.given or draft.source.get("statistic") == "reported":
            text = "W is taken as the sum of the positive ranks; where a program prints the smaller sum"
            draft.note("statistic", f"{text} (scipy does), give {draft.side}_direction")
    elif draft.direction * sign(draft.statistic - total / 2) < 0:
        draft.statistic = total - draft.statistic
        draft.flags.append("W counted for the other sign: turned to agree with the direction")
    implied = sign(draft.statistic - total / 2)
    if draft.z is not None and implied * sign(draft.z) < 0:
        draft.z = -draft.z


WILCOXON_KINDS = (
    _SignedRank(
        name="wilcoxon",
        needs="statistic (W) and n",
        used=frozenset({"statistic", "n1", "n"}),
        reported=("W", "z"),
    ),
)
