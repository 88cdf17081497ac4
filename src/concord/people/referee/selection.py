"""What changes once the selection of human effects for significance is undone."""

from dataclasses import replace

import numpy as np

from concord.errors import UndefinedError
from concord.people import aggregate
from concord.people.referee.records import Selection
from concord.people.sizes import size_ratio
from concord.people.work import ScoredTests
from concord.stats.agreement import concordance
from concord.stats.elementwise import Floats


def selection_of(work: ScoredTests, errors: tuple[Floats, ...], level: float) -> Selection:
    """Return sizes, ECS and ceilings against the adjusted human effects."""
    adjusted = work.adjusted
    chosen = adjusted.adjusted
    scores = replace(work.scores, human_d=adjusted.d)
    return Selection(
        n_adjusted=int(chosen.sum()),
        mean_published=_average(np.abs(work.scores.human_d[chosen])),
        mean_adjusted=_average(np.abs(adjusted.d[chosen])),
        ecs=_concordance_with(work, adjusted.d),
        size_ratio=size_ratio(scores, (adjusted.se, errors[1]), work.layout, work.protocol, level),
        ceiling_pas=work.simulation.adjusted_ceiling("pas"),
        ceiling_ecs=work.simulation.adjusted_ceiling("ecs"),
    )


def _average(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None


def _concordance_with(work: ScoredTests, human: Floats) -> float | None:
    used = ~(np.isnan(human) | np.isnan(work.scores.agent_d))
    if used.sum() < aggregate.FEWEST_TESTS:
        return None
    weights = aggregate.ecs_weights(used, work.layout, work.protocol)[used]
    try:
        return float(concordance(human[used], work.scores.agent_d[used], weights))
    except UndefinedError:
        return None
