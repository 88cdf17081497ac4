"""Binomial and sign tests: successes in trials against a rate."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from concord.people.evidence import SIGNED, Brief, Evidence, broadcast_like, given_first
from concord.people.families.base import (
    ODDS_TO_D,
    Batch,
    Family,
    HumanEffects,
    Masks,
    TestKind,
    ToD,
    Truth,
    column,
    nothing_like,
)
from concord.people.families.contingency import numbered
from concord.people.families.draft import Draft, in_words, known, one_sample, sign
from concord.people.protocol import Protocol
from concord.records import Side, TestRow
from concord.stats import bayes, effects, pvalues
from concord.stats.elementwise import Floats


def _above_chance(k: Floats, chance: Floats) -> Floats:
    """Sign of k - n p0; 29 of 100 against .29 is 0, though the product in floats is not 29."""
    return np.where(np.isclose(k, chance, rtol=1e-9, atol=0.0), 0.0, np.sign(k - chance))


@dataclass(frozen=True, slots=True)
class Binomials(Family):
    """Binomial and sign tests."""

    k: Floats
    n: Floats
    p0: Floats
    p_value: Floats

    @classmethod
    def from_sides(cls, sides: Sequence[Side], *design: Any) -> Self:
        """Return the tests of some sides."""
        return cls(*(column(sides, name) for name in ("k", "n", "p0", "p_value")))

    def brief(self, protocol: Protocol) -> Brief:
        """Uniform prior on the rate against p0."""
        positive = np.full(self.k.shape, np.nan)
        if protocol.split == "exact":
            positive = self._each_once(bayes.prob_positive_binomial)
        bf = np.asarray(bayes.log_bf_binomial(self.k, self.n, self.p0))
        return Brief(bf, positive, _above_chance(self.k, self.n * self.p0), self.d(protocol))

    def _each_once(self, function: Callable[[Floats, Floats, Floats], Floats | float]) -> Floats:
        """Return a function of (k, n, p0); of replicates each distinct outcome is computed once."""
        if self.k.ndim == 1:
            return np.asarray(function(self.k, self.n, self.p0))
        codes = np.arange(self.n.size) * (self.n.max() + 1) + self.k
        _, first, back = np.unique(codes, return_index=True, return_inverse=True)
        test = first % self.n.size
        values = np.asarray(function(self.k.reshape(-1)[first], self.n[test], self.p0[test]))
        return values[back].reshape(self.k.shape)

    def d(self, protocol: Protocol) -> Floats:
        """Return the d-equivalent of the rate, as the protocol converts."""
        if protocol.conversions == "refined":
            effect = effects.proportion_log_odds(self.k, self.n, self.p0)
            return np.asarray(effects.d_from_log_odds(effect))
        p0 = 0.5 if protocol.conversions == "published" else self.p0
        return np.asarray(effects.d_from_proportion(self.k, self.n, p0))

    def evidence(self, protocol: Protocol) -> Evidence:
        """Add p and the native effect."""
        effect, se = self._effects(protocol)
        return Evidence.of(
            self.brief(protocol),
            p_value=given_first(self.p_value, self._each_once(pvalues.p_binomial)),
            effect=effect,
            effect_se=se,
            form=np.full_like(effect, SIGNED),
            n_eff=broadcast_like(self.n, self.k),
        )

    def _effects(self, protocol: Protocol) -> tuple[Floats, Floats]:
        if protocol.conversions == "refined":
            effect = np.asarray(effects.proportion_log_odds(self.k, self.n, self.p0))
            return effect, np.asarray(effects.proportion_log_odds_se(self.k, self.n))
        return self.k / self.n, np.asarray(effects.proportion_se(self.k, self.n))

    def draw(self, rng: np.random.Generator, size: int) -> "Binomials":
        """Draw successes at the smoothed rate (k + 1/2)/(n + 1)."""
        shape = (size, *self.k.shape)
        k = rng.binomial(self.n.astype(np.int64), (self.k + 0.5) / (self.n + 1), shape)
        return replace(self, k=k.astype(np.float64), p_value=np.full(shape, np.nan))

    def human_effects(self, protocol: Protocol) -> HumanEffects:
        """Rates on the d scale; half a success and half a failure keep the error from vanishing."""
        rate = (self.k + 0.5) / (self.n + 1)
        se = np.sqrt(rate * (1 - rate) / (self.n + 1))
        if protocol.conversions == "refined":
            logit = np.log(rate / (1 - rate)) - np.log(self.p0 / (1 - self.p0))
            return HumanEffects.known(len(se), d=ODDS_TO_D * logit, se=ODDS_TO_D * se / (rate * (1 - rate)))
        p0 = np.full_like(self.p0, 0.5) if protocol.conversions == "published" else self.p0
        scale = 2 / np.sqrt(p0 * (1 - p0))
        return HumanEffects.known(len(se), d=scale * (self.k / self.n - p0), se=scale * se)

    def needed(self) -> Masks:
        """Every test draws from d."""
        return {"d": np.ones(len(self.p_value), dtype=np.bool_)}

    def replicate(self, truth: Truth, protocol: Protocol, rng: np.random.Generator) -> "Binomials":
        """Draw successes at the true rate."""
        true = truth.needed_by(self.needed())
        p0 = np.broadcast_to(self.p0, true.d.shape)
        rate = p0 if true.null else rate_from_d(true.d, np.array(p0), protocol)
        k = rng.binomial(self.n.astype(np.int64), rate, true.d.shape).astype(np.float64)
        return replace(self, k=k, p_value=nothing_like(k))

    def outcome_codes(self) -> tuple[NDArray[np.int64], int] | None:
        """Return the successes, which say all."""
        return numbered(self.k.astype(np.int64), self.n.astype(np.int64) + 1)


def rate_from_d(d: Floats, p0: Floats, protocol: Protocol) -> Floats:
    """Return the rate of a d, as the protocol converts; kept inside 0 and 1."""
    if protocol.conversions == "refined":
        return np.asarray(1 / (1 + np.exp(-(np.log(p0 / (1 - p0)) + d / ODDS_TO_D))))
    centre = np.full_like(p0, 0.5) if protocol.conversions == "published" else p0
    return np.clip(centre + d * np.sqrt(centre * (1 - centre)) / 2, 0.0, 1.0)


class _Binomial(TestKind):
    family = Binomials

    def complete(self, draft: Draft) -> None:
        """Successes in trials, against p0."""
        one_sample(draft)
        draft.need("k", "n")
        if draft.p0 is None:
            draft.p0 = 0.5
            draft.flags.append("p0 not given: taken as 0.5")
        if draft.n is None:
            return
        if draft.k is not None and draft.k > draft.n:
            draft.fault("k", f"at most n = {in_words(draft.n)}")
        elif draft.n < 1:
            draft.small("n", "n of at least 1")

    def observed_sign(self, draft: Draft) -> tuple[int, str] | None:
        """Above or below chance."""
        if draft.k is None:
            return None
        chance = known(draft.n) * known(draft.p0)
        level = math.isclose(draft.k, chance, rel_tol=1e-9)
        return (0 if level else sign(draft.k - chance)), "k"

    def batch(self, row: TestRow, side: Side) -> Batch | None:
        """All such tests are computed together."""
        return None if side.k is None else Batch(Binomials)

    def to_d(self, effect: float, d: float) -> ToD | None:
        """Convert a log odds, or a rate."""
        if math.isclose(d, effect * ODDS_TO_D, rel_tol=1e-6):
            return super().to_d(effect, d)
        # the conversion 2(p − p0)/√(p0(1 − p0)) with the p0 by which a rate has this d
        # squared and ordered by p0: (4 + d²)p0² − (8p + d²)p0 + 4p² = 0
        a, b, c = 4 + d * d, 8 * effect + d * d, 4 * effect * effect
        root = math.copysign(math.sqrt(max(0.0, b * b - 4 * a * c)), d)
        p0 = (b - root) / (2 * a)
        scale = math.sqrt(p0 * (1 - p0)) if 0 < p0 < 1 else math.nan
        return lambda p: 2 * (p - p0) / scale

    def share(self, draft: Draft, other: Draft) -> None:
        """Take p0 from the other side: both answer the same question."""
        if draft.p0 is None and other.p0 is not None:
            draft.p0 = other.p0
            draft.source["p0"] = "p0"
            draft.flags.append(f"p0 not given: taken from the {other.side} side, {other.p0:g}")


BINOMIAL_KINDS = (
    _Binomial(
        name="binomial",
        needs="k and n",
        used=frozenset({"k", "n1", "n", "p0"}),
        reported=("binomial",),
    ),
)
