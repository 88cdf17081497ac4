"""What the human side says about true effects, and their empirical-Bayes posterior."""

from dataclasses import dataclass

import numpy as np

from concord.people.families.truth import HumanEffects
from concord.people.protocol import Protocol
from concord.people.sides import SideTable
from concord.stats.elementwise import Floats
from concord.stats.true_effects import draw_true_effects


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


def drawn_effects(
    found: HumanEffects, size: int, rng: np.random.Generator, n_chains: int | None = None
) -> Floats:
    """Draw true effects given the human estimates, their distribution unknown: (size, T).

    An effect without a usable standard error is taken as it is; NaN where a test has none.
    """
    with np.errstate(invalid="ignore"):
        usable = np.isfinite(found.d) & np.isfinite(found.se) & (found.se > 0)
    drawn = np.broadcast_to(found.d, (size, found.d.size)).copy()
    if usable.any():
        drawn[:, usable] = draw_true_effects(
            found.d[usable], found.se[usable], n_draws=size, rng=rng, n_chains=n_chains
        )
    return drawn


def described(effects: Floats) -> EffectPopulation:
    """Describe drawn true effects: their share of nulls and the mean square of the others."""
    known = effects[:, ~np.isnan(effects).any(axis=0)]
    if not known.size:
        return EffectPopulation(0.0, 0.0, 0)
    share = float(np.mean(known == 0))
    others = known[known != 0]
    return EffectPopulation(share, float(np.mean(others**2)) if others.size else 0.0, known.shape[1])
