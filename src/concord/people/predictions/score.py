"""Measured and predicted effects to numbers with intervals: jackknife-t over studies or interventions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from concord.errors import InputError, UndefinedError
from concord.people.predictions.conclusions import Conclusions, conclude
from concord.people.predictions.differences import agent_differences
from concord.people.predictions.files import PredictionResult
from concord.people.predictions.measured import CONCLUDED, REASONS, by_cluster, metric_values
from concord.people.predictions.result import METRICS, AgentAgreement, ScoredEffect
from concord.people.predictions.table import EffectPair, Prediction, PredictionTable
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats, or_none
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
MIN_CLUSTERS = 3


def score_predictions(table: PredictionTable, *, level: float = 0.95) -> PredictionResult:
    """Score every agent of a table of effects.

    Parameters
    ----------
    table
        From `concord.people.predictions.table.read_predictions`.
    level
        Nominal coverage of intervals.

    Raises
    ------
    InputError
        No agent predicted anything.
    """
    if not any(table.agents.values()):
        raise InputError("no row holds a prediction: the column 'agent_estimate' is empty")
    names = sorted(table.agents)
    what, codes = left_out(table.pairs)
    agents = tuple(_agent(name, table, codes, level=level) for name in names)
    measured = np.array([pair.estimate for pair in table.pairs])
    return PredictionResult(
        agents,
        tuple(_references(table, codes, level=level)),
        tuple(agent_differences(table, names, codes, level=level)),
        table.unit,
        len(table.pairs),
        float((measured > 0).mean()),
        what,
        level,
        table.inputs,
        table.warnings,
    )


def left_out(pairs: Sequence[EffectPair]) -> tuple[str, list[str]]:
    """Choose what is left out one at a time: studies, else interventions, else single effects."""
    for what, codes in (
        ("studies", [pair.study for pair in pairs]),
        ("interventions", [f"{pair.study}\n{pair.condition}" for pair in pairs]),
    ):
        if len(set(codes)) >= MIN_CLUSTERS:
            return what, codes
    return "effects", [str(i) for i in range(len(pairs))]


def _agent(name: str, table: PredictionTable, codes: Sequence[str], *, level: float) -> AgentAgreement:
    given = table.agents[name]
    chosen = [i for i, pair in enumerate(table.pairs) if pair.key in given]
    pairs = [table.pairs[i] for i in chosen]
    predictions = [given[pair.key] for pair in pairs]
    found = conclude(pairs, predictions)
    numbers = _agent_numbers(pairs, predictions, found, [codes[i] for i in chosen], level=level)
    scored = zip(pairs, predictions, found.pas.tolist(), found.passes.tolist(), strict=True)
    effects = tuple(ScoredEffect(h, a, or_none(pas), or_none(passes)) for h, a, pas, passes in scored)
    return AgentAgreement(name, numbers, len(chosen), len(table.pairs) - len(chosen), effects=effects)


def _agent_numbers(
    pairs: Sequence[EffectPair],
    predictions: Sequence[Prediction],
    found: Conclusions,
    codes: Sequence[str],
    *,
    level: float,
) -> dict[str, Estimate]:
    """Compute every number with its jackknife-t interval."""
    if len(pairs) < MIN_PAIRS:
        note = f"{len(pairs)} effects; at least {MIN_PAIRS} are needed"
        return {name: Estimate(None, n=len(pairs), note=note) for name in METRICS}
    whole = metric_values(pairs, predictions, found)
    labels = np.asarray(codes)
    without = [metric_values(pairs, predictions, found, labels != one) for one in dict.fromkeys(codes)]
    degrees = {"size_ratio": effective_clusters(*_size_parts(pairs, predictions, labels))}
    made = {
        name: _number_estimate(
            name,
            whole[name],
            np.array([part[name] for part in without]),
            len(pairs),
            level,
            degrees.get(name),
        )
        for name in METRICS
    }
    return made | {name: _with_note(made[name], found.note) for name in CONCLUDED}


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
    name: str, value: float, without: Floats, n: int, level: float, df: float | None
) -> Estimate:
    if np.isnan(value):
        return Estimate(None, n=n, note=REASONS.get(name, "undefined for these effects"))
    note = (
        "the noise of people's effects is as large as the error"
        if name == "rmse_adjusted" and value == 0
        else ""
    )
    try:
        interval = _interval(name, value, without, level, df)
    except UndefinedError as fault:
        return Estimate(value, n=n, note="; ".join(part for part in (note, f"no interval: {fault}") if part))
    return Estimate(value, interval, n=n, method=METRICS[name], note=note)


def _interval(name: str, value: float, without: Floats, level: float, df: float | None) -> Interval:
    """Return the jackknife-t interval; of a size ratio with as many degrees of freedom as effective clusters.

    With K - 1 degrees of freedom 5 to 7 % of agents whose effects are as large as people's are told
    otherwise, because a few clusters carry most of the sums; with the effective number at most 5 %.
    """
    if name != "size_ratio":
        return jackknife_t(value, without, level=level, scale=SCALES.get(name, "identity"))
    if value <= 0 or not (without > 0).all():
        raise UndefinedError("a ratio of 0 has no logarithm")
    found = jackknife_t(float(np.log(value)), np.log(without), level=level, df=df)
    return Interval(
        float(np.exp(found.low)), float(np.exp(found.high)), level, f"{found.method}, of the logarithm"
    )


def _references(table: PredictionTable, codes: Sequence[str], *, level: float) -> Iterator[AgentAgreement]:
    """Score what a reader compares with: no effect at all, all positive, the mean of all agents."""
    size = float(np.sqrt(np.mean([pair.estimate**2 for pair in table.pairs])))
    for name, value in (("no effect", 0.0), ("all positive", size)):
        given = [Prediction(value)] * len(table.pairs)
        numbers = _agent_numbers(table.pairs, given, conclude(table.pairs, given), codes, level=level)
        yield AgentAgreement(name, numbers, len(table.pairs), 0, is_reference=True)
    if len(table.agents) < 2:
        return
    means = {
        pair.key: Prediction(float(np.mean([given[pair.key].estimate for given in table.agents.values()])))
        for pair in table.pairs
        if all(pair.key in given for given in table.agents.values())
    }
    mean = PredictionTable(table.pairs, {"mean of all agents": means}, table.unit)
    found = _agent("mean of all agents", mean, codes, level=level)
    yield replace(found, is_reference=True, effects=())
