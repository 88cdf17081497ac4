"""Measured and predicted effects to numbers with intervals: jackknife-t over studies or interventions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy import special

from concord.errors import InputError, UndefinedError
from concord.people.predictions.conclusions import NO_PRIOR, Conclusions, conclude
from concord.people.predictions.files import PredictionResult
from concord.people.predictions.result import METRICS, AgentAgreement, AgentDifference, ScoredEffect
from concord.people.predictions.table import EffectPair, Prediction, PredictionTable
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats, or_none
from concord.stats.intervals import Scale, jackknife_t
from concord.stats.multiple import holm
from concord.stats.predicted_effects import MIN_PAIRS, predicted_effects, within_outcomes

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
COMPARED = ("pearson", "rmse", "direction", "pas", "apr")
MIN_CLUSTERS = 3
_REASONS = {
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
CONCLUDED = ("pas", "apr")
"""Means over effects of what each lets one conclude."""


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
        tuple(_differences(table, names, codes, level=level)),
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
    numbers = _numbers(pairs, predictions, found, [codes[i] for i in chosen], level=level)
    scored = zip(pairs, predictions, found.pas.tolist(), found.passes.tolist(), strict=True)
    effects = tuple(ScoredEffect(h, a, or_none(pas), or_none(passes)) for h, a, pas, passes in scored)
    return AgentAgreement(name, numbers, len(chosen), len(table.pairs) - len(chosen), effects=effects)


def _numbers(
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
    made = {
        name: _number_estimate(
            name, whole[name], np.array([part[name] for part in without]), len(pairs), level
        )
        for name in METRICS
    }
    return made | {name: _with_note(made[name], found.note) for name in CONCLUDED}


def _with_note(estimate: Estimate, note: str) -> Estimate:
    """Say how conclusions were drawn, where there are any."""
    if estimate.value is None:
        return estimate
    return replace(estimate, note="; ".join(part for part in (estimate.note, note) if part))


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
    fit = predicted_effects(h, a, human_se=s, agent_se=e if known else None)
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


def _number_estimate(name: str, value: float, without: Floats, n: int, level: float) -> Estimate:
    if np.isnan(value):
        return Estimate(None, n=n, note=_REASONS.get(name, "undefined for these effects"))
    note = (
        "the noise of people's effects is as large as the error"
        if name == "rmse_adjusted" and value == 0
        else ""
    )
    try:
        interval = _interval(name, value, without, level)
    except UndefinedError as fault:
        return Estimate(value, n=n, note="; ".join(part for part in (note, f"no interval: {fault}") if part))
    return Estimate(value, interval, n=n, method=METRICS[name], note=note)


def _interval(name: str, value: float, without: Floats, level: float) -> Interval:
    if name != "size_ratio":
        return jackknife_t(value, without, level=level, scale=SCALES.get(name, "identity"))
    if value <= 0 or not (without > 0).all():
        raise UndefinedError("a ratio of 0 has no logarithm")
    found = jackknife_t(float(np.log(value)), np.log(without), level=level)
    return Interval(
        float(np.exp(found.low)), float(np.exp(found.high)), level, f"{found.method}, of the logarithm"
    )


def _references(table: PredictionTable, codes: Sequence[str], *, level: float) -> Iterator[AgentAgreement]:
    """Score what a reader compares with: no effect at all, all positive, the mean of all agents."""
    size = float(np.sqrt(np.mean([pair.estimate**2 for pair in table.pairs])))
    for name, value in (("no effect", 0.0), ("all positive", size)):
        given = [Prediction(value)] * len(table.pairs)
        numbers = _numbers(table.pairs, given, conclude(table.pairs, given), codes, level=level)
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


def _differences(
    table: PredictionTable, names: Sequence[str], codes: Sequence[str], *, level: float
) -> list[AgentDifference]:
    """Compare all pairs of agents on the effects both predicted, Holm's correction per metric."""
    rows = [
        _difference(table, first, second, codes, metric, level=level)
        for metric in COMPARED
        for first, second in combinations(names, 2)
    ]
    adjusted: list[AgentDifference] = []
    for metric in COMPARED:
        own = [row for row in rows if row.metric == metric]
        p = np.array([np.nan if row.p_value is None else row.p_value for row in own])
        for row, value in zip(own, holm(p) if own else [], strict=True):
            adjusted.append(
                AgentDifference(
                    row.first, row.second, metric, row.difference, row.p_value,
                    None if np.isnan(value) else float(value),
                )
            )  # fmt: skip
    return adjusted


def _difference(
    table: PredictionTable, first: str, second: str, codes: Sequence[str], metric: str, *, level: float
) -> AgentDifference:
    """Compare two agents of a table on the effects both predicted."""
    one, two = table.agents[first], table.agents[second]
    chosen = [i for i, pair in enumerate(table.pairs) if pair.key in one and pair.key in two]
    pairs = [table.pairs[i] for i in chosen]
    sides = [[given[pair.key] for pair in pairs] for given in (one, two)]
    found = paired_difference(pairs, sides[0], sides[1], [codes[i] for i in chosen], metric, level=level)
    return AgentDifference(first, second, metric, *found, None)


def paired_difference(
    pairs: Sequence[EffectPair],
    first: Sequence[Prediction],
    second: Sequence[Prediction],
    codes: Sequence[str],
    metric: str,
    *,
    level: float,
) -> tuple[Estimate, float | None]:
    """Compute a paired jackknife, first minus second, and its p-value: both lose the same cluster at a time.

    Parameters
    ----------
    pairs, first, second
        Effects of people, and two agents' predictions of them.
    codes
        Cluster of each effect.
    metric
        One of `METRICS`.
    level
        Nominal coverage.
    """
    n = len(pairs)
    if n < MIN_PAIRS:
        note = f"{n} effects predicted by both; at least {MIN_PAIRS} are needed"
        return Estimate(None, n=n, note=note), None
    sides = [(side, conclude(pairs, side)) for side in (first, second)]
    labels = np.asarray(codes)

    def gap(kept: object = None) -> float:
        left, right = (metric_values(pairs, *side, kept)[metric] for side in sides)
        return left - right

    value = gap()
    if np.isnan(value):
        return Estimate(None, n=n, note=_REASONS.get(metric, "undefined")), None
    without = np.array([gap(labels != label) for label in dict.fromkeys(codes)])
    try:
        interval = jackknife_t(value, without, level=level)
    except UndefinedError as fault:
        return Estimate(value, n=n, note=f"no interval: {fault}"), None
    return Estimate(value, interval, n=n, method="paired jackknife-t"), _jackknife_p(value, without)


def _jackknife_p(value: float, without: Floats) -> float:
    """Compute the two-sided p of no difference from the jackknife's standard error and Student's t."""
    k = without.size
    se = float(np.sqrt((k - 1) / k * np.sum((without - without.mean()) ** 2)))
    return float(2 * special.stdtr(k - 1, -abs(value) / se))
