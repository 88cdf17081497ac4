"""One number of an agent, why one may be undefined, and what is left out one at a time."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from concord.files.limits import LEFT_OUT
from concord.people.predictions.conclusions import NO_PRIOR
from concord.people.predictions.prepared import number_codes, prepare
from concord.people.predictions.table import EffectPair, Prediction
from concord.stats.elementwise import Floats, or_none

MIN_CLUSTERS = 3
REASONS = {
    "pearson": "an agent that predicts one number has no correlation",
    "pearson_within": "no outcome has two effects that differ",
    "spearman": "an agent that predicts one number has no correlation",
    "pearson_adjusted": "people's effects vary no more than their standard errors, or predictions not at all",
    "slope": "an agent that predicts one number has no slope",
    "intercept": "an agent that predicts one number has no line",
    "slope_adjusted": "predictions vary no more than their standard errors",
    "size_ratio": "people's effects, or the predictions, are no larger than their standard errors",
    "pas": NO_PRIOR,
    "apr": NO_PRIOR,
}
"""Why a number is undefined, by its name."""


def own_value(pairs: Sequence[EffectPair], predictions: Sequence[Prediction], metric: str) -> float | None:
    """Compute one number of one agent on these effects; None where it is undefined."""
    return or_none(prepare((pairs, predictions)).values()[metric])


def by_cluster(values: Sequence[float] | Floats, labels: NDArray[np.str_]) -> Floats:
    """Add up numbers of the same cluster."""
    _, codes = np.unique(labels, return_inverse=True)
    return np.asarray(np.bincount(codes, weights=np.asarray(values)), dtype=np.float64)


def left_out(pairs: Sequence[EffectPair]) -> tuple[str, list[str]]:
    """Choose what is left out one at a time: studies, else interventions, else single effects.

    Of more than `LEFT_OUT` of them groups are left out, each as large as the others or one larger: the
    variance is estimated as well from a thousand groups, and the work does not grow with their square.
    """
    for what, codes in (
        ("studies", [pair.study for pair in pairs]),
        ("interventions", [f"{pair.study}\n{pair.condition}" for pair in pairs]),
    ):
        if len(set(codes)) >= MIN_CLUSTERS:
            return _grouped(what, codes)
    return _grouped("effects", [str(i) for i in range(len(pairs))])


def _grouped(what: str, codes: list[str]) -> tuple[str, list[str]]:
    if len(set(codes)) <= LEFT_OUT:
        return what, codes
    return f"{LEFT_OUT:,} groups of {what}", [str(code % LEFT_OUT) for code in number_codes(codes).tolist()]
