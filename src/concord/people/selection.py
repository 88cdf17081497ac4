"""Human effects with their selection for significance undone."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from concord.people.aggregate import used_tests
from concord.people.scored import TestScores
from concord.stats.elementwise import Bools, Floats
from concord.stats.replication import selection_adjusted

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
