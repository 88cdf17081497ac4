"""Human effects with their selection for significance undone, and what changes with them."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from concord.errors import UndefinedError
from concord.people import aggregate
from concord.people.bounds import simulate_bounds
from concord.people.computed import Computed
from concord.people.referee.records import Selection
from concord.people.sizes import effect_sizes
from concord.records import Estimate
from concord.stats.agreement import concordance
from concord.stats.elementwise import Bools, Floats
from concord.stats.replication import selection_adjusted

_REACH = float(ndtri(0.975))
MOST_SIMULATIONS = 300
"""Simulated replications behind an adjusted ceiling."""


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Human d, adjusted where they were significant; NaN where there is none."""

    d: Floats
    se: Floats
    """Half the width of the 95 % interval over 1.96."""
    adjusted: Bools


def adjusted_effects(d: Floats, se: Floats) -> Adjusted:
    """Undo the selection of human effects by conditional maximum likelihood."""
    found = selection_adjusted(d, se)
    return Adjusted(found.effect, (found.high - found.low) / (2 * _REACH), found.adjusted)


def selection_of(work: Computed, errors: tuple[Floats, ...], adjusted: Adjusted, level: float) -> Selection:
    """Return sizes, ECS and ceilings against the adjusted human effects."""
    chosen = adjusted.adjusted
    scores = replace(work.scores, human_d=adjusted.d)
    sizes = effect_sizes(scores, (adjusted.se, errors[1]), work.layout, work.protocol, level)
    pas, ecs = _ceilings(work, adjusted)
    return Selection(
        n_adjusted=int(chosen.sum()),
        mean_published=_mean(np.abs(work.scores.human_d[chosen])),
        mean_adjusted=_mean(np.abs(adjusted.d[chosen])),
        ecs=_ecs(work, adjusted.d),
        size_ratio=sizes.size_ratio,
        ceiling_pas=pas,
        ceiling_ecs=ecs,
    )


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None


def _ecs(work: Computed, human: Floats) -> float | None:
    used = ~(np.isnan(human) | np.isnan(work.scores.agent_d))
    if used.sum() < aggregate.FEWEST_TESTS:
        return None
    weights = aggregate.ecs_weights(used, work.layout, work.protocol)[used]
    try:
        return float(concordance(human[used], work.scores.agent_d[used], weights))
    except UndefinedError:
        return None


def _ceilings(work: Computed, adjusted: Adjusted) -> tuple[Estimate | None, Estimate | None]:
    """Simulate perfect replications of the adjusted effects."""
    if not work.simulation.ceilings:
        return None, None
    simulation = simulate_bounds(
        *work.sides,
        work.context,
        work.layout,
        work.protocol,
        level=work.simulation.level,
        n_simulations=min(work.simulation.n_simulations, MOST_SIMULATIONS),
        rng=np.random.default_rng([work.seed, 2]),
        effects=(adjusted.d, adjusted.se),
    )
    if not simulation.ceilings:
        return None, None
    pas, ecs = (simulation.ceiling(metric) for metric in ("pas", "ecs"))
    return pas, ecs
