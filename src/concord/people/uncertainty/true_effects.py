"""What people say about true effects: their posterior, drawn, and effects with their selection undone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from concord.people.families.base import HumanEffects
from concord.people.protocol import Protocol
from concord.people.score.levels import used_tests
from concord.people.score.sides import SideTable
from concord.people.score.test_scores import TestScores
from concord.stats.elementwise import Bools, Floats
from concord.stats.replication import selection_adjusted
from concord.stats.true_effects import SELECTED_CHAINS, Chains, EffectStates, groups_of_chains


def human_effects(side: SideTable, protocol: Protocol) -> HumanEffects:
    """Read effects and their standard errors off the human side."""
    found = HumanEffects.empty(side.size)
    for index, family in side.families:
        found.place(index, family.human_effects(protocol))
    return found


def lacking(side: SideTable, people: HumanEffects) -> list[int]:
    """Return the tests of the agent's side that ask for a number which people do not give."""
    found: list[int] = []
    for index, family in side.families:
        found += [int(i) for i in np.asarray(index)[family.lacks(people.of(index))]]
    return sorted(found)


@dataclass(frozen=True, slots=True)
class EffectPopulation:
    """True effects: a share of exact nulls, the others normal around zero (orientation is arbitrary)."""

    null_share: float
    tau2: float
    """Variance of the true effects that are not null."""
    n_tests: int

    def draw(self, found: HumanEffects, rng: np.random.Generator, size: int) -> Floats:
        """Draw true effects given the human estimates: (size, T), NaN where a test has none."""
        d, var = found.d, found.se**2
        total = var + self.tau2
        log_slab = -0.5 * (d * d / total + np.log(total))
        log_null = -0.5 * (d * d / var + np.log(var))
        with np.errstate(divide="ignore"):
            odds = np.log(self.null_share) - np.log1p(-self.null_share) + log_null - log_slab
        null = 1 / (1 + np.exp(-np.clip(odds, -700, 700)))
        shape = (size, d.size)
        slab = d * self.tau2 / total + np.sqrt(self.tau2 * var / total) * rng.standard_normal(shape)
        return np.where(rng.random(shape) < null, 0.0, slab)


def fit_population(found: HumanEffects, p_values: Floats) -> EffectPopulation:
    """Null share from the human p-values above one half (Storey 2002), tau² by moments of d² - SE²."""
    known = ~np.isnan(found.d) & ~np.isnan(found.se)
    p = p_values[~np.isnan(p_values)]
    share = min(0.99, 2 * float(np.mean(p > 0.5))) if p.size else 0.0
    if not known.any():
        return EffectPopulation(share, 0.0, 0)
    excess = float(np.mean(found.d[known] ** 2 - found.se[known] ** 2))
    return EffectPopulation(share, max(0.0, excess) / (1 - share), int(known.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class NormalEffects:
    """True effects from the normal population."""

    population: EffectPopulation
    people: HumanEffects

    def draw(self, rows: NDArray[np.intp], rng: np.random.Generator) -> Floats:
        """Draw one row of true effects for each number, (size, T)."""
        return self.population.draw(self.people, rng, len(rows))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnEffects:
    """True effects given the human estimates, their distribution unknown.

    An effect without a usable standard error is taken as it is; NaN where a test has none.
    """

    observed: Floats
    usable: Bools
    states: EffectStates | None
    """What the chains of the usable effects visited; None where there is no usable one."""

    @classmethod
    def of(cls, found: HumanEffects, visited: Sequence[EffectStates]) -> "DrawnEffects":
        """Return the effects behind what the groups of `chains_behind` visited."""
        return cls(found.d, _usable(found), EffectStates.beside(visited) if visited else None)

    def draw(self, rows: NDArray[np.intp], rng: np.random.Generator) -> Floats:
        """Draw one row of true effects for each number, (size, T)."""
        drawn = np.broadcast_to(self.observed, (len(rows), self.observed.size)).copy()
        if self.states is not None:
            drawn[:, self.usable] = self.states.draw(rows, rng)
        return drawn


def _usable(found: HumanEffects) -> Bools:
    with np.errstate(invalid="ignore"):
        usable: Bools = np.isfinite(found.d) & np.isfinite(found.se) & (found.se > 0)
    return usable


def chains_behind(
    found: HumanEffects, n_draws: int, seed: np.random.SeedSequence, significant: Bools | None = None
) -> list[Chains]:
    """Return the groups of chains behind drawn effects; none where no effect is usable.

    Where it is given which are significant, their population is freed of being published for it.
    """
    usable = _usable(found)
    if not usable.any():
        return []
    d, se = found.d[usable], found.se[usable]
    if significant is None:
        return groups_of_chains(d, se, n_draws=n_draws, seed=seed)
    # the test decides on which side of its border an effect lies, not its standard error
    border, size = _REACH * se, np.abs(d)
    borders = np.where(significant[usable], np.minimum(border, 0.999 * size), np.maximum(border, size))
    return groups_of_chains(d, se, n_draws=n_draws, seed=seed, n_chains=SELECTED_CHAINS, borders=borders)


@dataclass(frozen=True, slots=True)
class EffectTally:
    """What drawn true effects of a block say about their population."""

    n_tests: int
    """Tests that have an effect."""
    n_nulls: int
    n_others: int
    squares: float
    """Sum over those that are not null."""

    @classmethod
    def of(cls, effects: Floats) -> "EffectTally":
        """Count the effects (size, T) of a block."""
        known = effects[:, ~np.isnan(effects).any(axis=0)]
        nulls = int(np.count_nonzero(known == 0))
        return cls(known.shape[1], nulls, known.size - nulls, float(np.sum(known * known)))

    @staticmethod
    def described(blocks: "Sequence[EffectTally]") -> EffectPopulation:
        """Describe drawn true effects: their share of nulls and the mean square of the others."""
        nulls, others = sum(block.n_nulls for block in blocks), sum(block.n_others for block in blocks)
        if not nulls + others:
            return EffectPopulation(0.0, 0.0, 0)
        squares = sum(block.squares for block in blocks)
        share = nulls / (nulls + others)
        return EffectPopulation(share, squares / others if others else 0.0, blocks[0].n_tests)


_REACH = float(ndtri(0.975))


@dataclass(frozen=True, slots=True)
class AdjustedEffects:
    """Human d, adjusted where they were significant; NaN where there is none."""

    d: Floats
    se: Floats
    """Half the width of the 95 % interval over 1.96."""
    adjusted: Bools


def adjusted_effects(scores: TestScores, human_se: Floats) -> AdjustedEffects:
    """Undo the selection of human effects by conditional maximum likelihood."""
    with np.errstate(invalid="ignore"):
        known = used_tests(scores) & np.isfinite(human_se) & (human_se > 0)
    found = selection_adjusted(np.where(known, scores.human_d, np.nan), np.where(known, human_se, np.nan))
    return AdjustedEffects(found.effect, (found.high - found.low) / (2 * _REACH), found.adjusted)
