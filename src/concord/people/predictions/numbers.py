"""Every number of an agent with its interval: jackknife-t over clusters, shared control groups known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from concord.errors import UndefinedError
from concord.people.predictions.controls import Sides, split_controls
from concord.people.predictions.measured import REASONS, by_cluster
from concord.people.predictions.moved import influence
from concord.people.predictions.prepared import CONCLUDED, number_codes, prepare, without_each
from concord.people.predictions.result import METRICS
from concord.people.predictions.table import EffectPair, Prediction
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import Scale, effective_clusters, jackknife_t
from concord.stats.predicted_effects import MIN_PAIRS

SCALES: Mapping[str, Scale] = {
    "pearson": "atanh",
    "pearson_adjusted": "atanh",
    "pearson_within": "atanh",
    "spearman": "atanh",
    "direction": "logit",
    "pas": "logit",
    "apr": "logit",
}
"""Where a number has ends, the scale on which its jackknife is taken; ``size_ratio`` is taken on its log."""


def agent_numbers(variants: Sequence[Sides], codes: Sequence[str], *, level: float) -> dict[str, Estimate]:
    """Compute every number with its jackknife-t interval."""
    pairs = variants[0][0]
    if len(pairs) < MIN_PAIRS:
        note = f"{len(pairs)} effects; at least {MIN_PAIRS} are needed"
        return {name: Estimate(None, n=len(pairs), note=note) for name in METRICS}
    labels = np.asarray(codes)
    prepared = [prepare(sides) for sides in variants]
    whole = _averaged([one.values() for one in prepared])
    without = [_averaged(found) for found in without_each(prepared, number_codes(codes))]
    degrees = {"size_ratio": effective_clusters(*_size_parts(*variants[0], labels))}
    # clusters that are studies hold their control groups whole; those of interventions share them
    split = split_controls(pairs, codes)
    shared = _averaged([influence(one).variance() for one in prepared]) if split else {}
    made = {
        name: _number_estimate(
            name,
            whole[name],
            np.array([part[name] for part in without]),
            len(pairs),
            level,
            degrees.get(name),
            shared.get(name, 0.0),
        )
        for name in METRICS
    }
    return made | {name: _with_note(made[name], prepared[0].note) for name in CONCLUDED}


def _averaged(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the means of numbers; NaN where one is undefined."""
    if len(found) == 1:
        return dict(found[0])
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def _with_note(estimate: Estimate, note: str) -> Estimate:
    """Say how conclusions were drawn, where there are any."""
    if estimate.value is None:
        return estimate
    return replace(estimate, note="; ".join(part for part in (estimate.note, note) if part))


def _size_parts(
    pairs: Sequence[EffectPair], predictions: Sequence[Prediction], labels: NDArray[np.str_]
) -> tuple[Floats, Floats]:
    """Return what every cluster adds to the sums of squared effects of agent and people, noise taken off."""
    errors = [one.se for one in predictions]
    known = None not in errors  # as in the size ratio itself: else predictions are taken as exact
    agent = [
        one.estimate**2 - (se**2 if known and se is not None else 0.0)
        for one, se in zip(predictions, errors, strict=True)
    ]
    people = [pair.estimate**2 - pair.se**2 for pair in pairs]
    return by_cluster(agent, labels), by_cluster(people, labels)


def _number_estimate(
    name: str, value: float, without: Floats, n: int, level: float, df: float | None, shared: float
) -> Estimate:
    if np.isnan(value):
        return Estimate(None, n=n, note=REASONS.get(name, "undefined for these effects"))
    note = (
        "the noise of people's effects is as large as the error"
        if name == "rmse_adjusted" and value == 0
        else ""
    )
    try:
        interval = _interval(name, value, without, level, df, shared)
    except UndefinedError as fault:
        return Estimate(value, n=n, note="; ".join(part for part in (note, f"no interval: {fault}") if part))
    return Estimate(value, interval, n=n, method=METRICS[name], note=note)


def _interval(
    name: str, value: float, without: Floats, level: float, df: float | None, shared: float
) -> Interval:
    """Return the jackknife-t interval; of a size ratio with as many degrees of freedom as effective clusters.

    With K - 1 degrees of freedom 5 to 7 % of agents whose effects are as large as people's are told
    otherwise, because a few clusters carry most of the sums; with the effective number at most 5 %.
    """
    if np.isnan(shared):
        raise UndefinedError("with its control group moved by its standard error the value is undefined")
    if name != "size_ratio":
        return jackknife_t(value, without, level=level, scale=SCALES.get(name, "identity"), shared=shared)
    if value <= 0 or not (without > 0).all():
        raise UndefinedError("a ratio of 0 has no logarithm")
    found = jackknife_t(float(np.log(value)), np.log(without), level=level, df=df, shared=shared / value**2)
    return Interval(
        float(np.exp(found.low)), float(np.exp(found.high)), level, f"{found.method}, of the logarithm"
    )
