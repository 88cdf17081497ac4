"""Whether there is anything to be consistent about: not at the floor, at the ceiling, or at chance."""

import numpy as np
from scipy import special

from concord.files.number_words import number
from concord.stats.clustered import clustered_mean
from concord.structure.definitions import Counted, column_means

FLOOR, CEILING = 0.05, 0.95
_LEVEL = 0.05
NOTHING = "nothing to be consistent about"


def gate_of(data: Counted, chance: float | None) -> str:
    """Return why there is nothing to be consistent about; empty where there is."""
    means = column_means(data.mean.T)
    there = ~np.isnan(means)
    mean = float(means[there].mean())
    reason = mean_gate(mean)
    if reason or chance is None:
        return reason
    units = data.units[there]
    error = clustered_mean(means[there], units) if len(set(units.tolist())) > 1 else None
    if error is not None and error.mean > chance:
        t = np.inf if error.se == 0 else (error.mean - chance) / error.se
        if special.stdtr(error.df, -t) < _LEVEL:
            return ""
    return f"{NOTHING}: a mean score of {number(mean)} is not shown to be above chance ({number(chance)})"


def mean_gate(mean: float) -> str:
    """Return why a mean score leaves nothing to be consistent about; empty where it does not."""
    if mean < FLOOR:
        return f"{NOTHING}: the mean score is {number(mean)}, below {FLOOR}"
    return f"{NOTHING}: the mean score is {number(mean)}, above {CEILING}" if mean > CEILING else ""
