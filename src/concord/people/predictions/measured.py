"""Every number of one agent on some effects, and why one may be undefined."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from concord.people.predictions.conclusions import NO_PRIOR, Conclusions, conclude
from concord.people.predictions.controls import shared_controls, shared_noise
from concord.people.predictions.result import METRICS
from concord.people.predictions.table import EffectPair, Prediction
from concord.stats.elementwise import Floats, or_none
from concord.stats.predicted_effects import MIN_PAIRS, predicted_effects, within_outcomes

MIN_CLUSTERS = 3
CONCLUDED = ("pas", "apr")
"""Means over effects of what each lets one conclude."""
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


def metric_values(
    pairs: Sequence[EffectPair], predictions: Sequence[Prediction], found: Conclusions, kept: object = None
) -> dict[str, float]:
    """Compute every number on some of the effects; NaN where undefined.

    Parameters
    ----------
    pairs, predictions, found
        Effects of people, an agent's predictions, and what they let one conclude.
    kept
        Which of them, all by default.
    """
    chosen = np.ones(len(pairs), dtype=bool) if kept is None else np.asarray(kept)
    h, s = (np.array([getattr(pair, name) for pair in pairs])[chosen] for name in ("estimate", "se"))
    a = np.array([one.estimate for one in predictions])[chosen]
    e = np.array([np.nan if one.se is None else one.se for one in predictions])[chosen]
    known = not np.isnan(e).any()
    if h.size < MIN_PAIRS:
        return dict.fromkeys(METRICS, np.nan)
    shared = shared_noise(shared_controls(pairs, predictions), chosen)
    fit = predicted_effects(h, a, human_se=s, agent_se=e if known else None, shared=shared)
    outcomes = [pair.outcome for pair, there in zip(pairs, chosen, strict=True) if there]
    inside = predicted_effects(within_outcomes(h, outcomes), within_outcomes(a, outcomes), human_se=s)
    apart = ("pearson_within", *CONCLUDED)
    values = {name: float(getattr(fit, name)) for name in METRICS if name not in apart}
    concluded = {"pas": _mean_known(found.pas[chosen]), "apr": _mean_known(found.passes[chosen])}
    return values | {"pearson_within": float(inside.pearson)} | concluded


def own_value(pairs: Sequence[EffectPair], predictions: Sequence[Prediction], metric: str) -> float | None:
    """Compute one number of one agent on these effects; None where it is undefined."""
    return or_none(metric_values(pairs, predictions, conclude(pairs, predictions))[metric])


def _mean_known(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def by_cluster(values: Sequence[float] | Floats, labels: NDArray[np.str_]) -> Floats:
    """Add up numbers of the same cluster."""
    _, codes = np.unique(labels, return_inverse=True)
    return np.asarray(np.bincount(codes, weights=np.asarray(values)), dtype=np.float64)


def left_out(pairs: Sequence[EffectPair]) -> tuple[str, list[str]]:
    """Choose what is left out one at a time: studies, else interventions, else single effects."""
    for what, codes in (
        ("studies", [pair.study for pair in pairs]),
        ("interventions", [f"{pair.study}\n{pair.condition}" for pair in pairs]),
    ):
        if len(set(codes)) >= MIN_CLUSTERS:
            return what, codes
    return "effects", [str(i) for i in range(len(pairs))]
