"""Measured and predicted effects to numbers with intervals: jackknife-t over studies or interventions."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.errors import InputError, UndefinedError
from concord.people.predictions.files import PredictionResult
from concord.people.predictions.result import METRICS, AgentAgreement, AgentDifference
from concord.people.predictions.table import EffectPair, Prediction, PredictionTable
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats
from concord.stats.intervals import Scale, effective_clusters, jackknife_t
from concord.stats.multiple import holm
from concord.stats.predicted_effects import MIN_PAIRS, predicted_effects, within_outcomes

SCALES: Mapping[str, Scale] = {
    "pearson": "atanh",
    "pearson_adjusted": "atanh",
    "pearson_within": "atanh",
    "spearman": "atanh",
    "direction": "logit",
}
"""Where a number has ends, the scale on which its jackknife is taken; ``size_ratio`` is taken on its log."""
COMPARED = ("pearson", "rmse", "direction")
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
}


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
    what, codes = _left_out(table.pairs)
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


def _left_out(pairs: Sequence[EffectPair]) -> tuple[str, list[str]]:
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
    numbers = _numbers(
        [table.pairs[i] for i in chosen],
        [given[table.pairs[i].key] for i in chosen],
        [codes[i] for i in chosen],
        level=level,
    )
    return AgentAgreement(name, numbers, len(chosen), len(table.pairs) - len(chosen))


def _numbers(
    pairs: Sequence[EffectPair], predictions: Sequence[Prediction], codes: Sequence[str], *, level: float
) -> dict[str, Estimate]:
    """Compute every number with its jackknife-t interval."""
    if len(pairs) < MIN_PAIRS:
        note = f"{len(pairs)} effects; at least {MIN_PAIRS} are needed"
        return {name: Estimate(None, n=len(pairs), note=note) for name in METRICS}
    whole = _metric_values(pairs, predictions)
    labels = np.asarray(codes)
    without = [_metric_values(pairs, predictions, labels != one) for one in dict.fromkeys(codes)]
    degrees = {"size_ratio": effective_clusters(*_size_parts(pairs, predictions, labels))}
    return {
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
    return _by_cluster(agent, labels), _by_cluster(people, labels)


def _by_cluster(values: Sequence[float] | Floats, labels: NDArray[np.str_]) -> Floats:
    """Add up numbers of the same cluster."""
    _, codes = np.unique(labels, return_inverse=True)
    return np.asarray(np.bincount(codes, weights=np.asarray(values)), dtype=np.float64)


def _metric_values(
    pairs: Sequence[EffectPair], predictions: Sequence[Prediction], kept: object = None
) -> dict[str, float]:
    """Compute every number on some of the effects; NaN where undefined."""
    chosen = np.ones(len(pairs), dtype=bool) if kept is None else np.asarray(kept)
    h, s = (np.array([getattr(pair, name) for pair in pairs])[chosen] for name in ("estimate", "se"))
    a = np.array([one.estimate for one in predictions])[chosen]
    e = np.array([np.nan if one.se is None else one.se for one in predictions])[chosen]
    known = not np.isnan(e).any()
    if h.size < MIN_PAIRS:
        return dict.fromkeys(METRICS, np.nan)
    found = predicted_effects(h, a, human_se=s, agent_se=e if known else None)
    outcomes = [pair.outcome for pair, there in zip(pairs, chosen, strict=True) if there]
    inside = predicted_effects(within_outcomes(h, outcomes), within_outcomes(a, outcomes), human_se=s)
    values = {name: float(getattr(found, name)) for name in METRICS if name != "pearson_within"}
    return values | {"pearson_within": float(inside.pearson)}


def _number_estimate(
    name: str, value: float, without: Floats, n: int, level: float, df: float | None
) -> Estimate:
    if np.isnan(value):
        return Estimate(None, n=n, note=_REASONS.get(name, "undefined for these effects"))
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
        numbers = _numbers(table.pairs, [Prediction(value)] * len(table.pairs), codes, level=level)
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
    yield AgentAgreement(found.agent, found.numbers, found.n, found.n_missing, is_reference=True)


def _differences(
    table: PredictionTable, names: Sequence[str], codes: Sequence[str], *, level: float
) -> list[AgentDifference]:
    """Compare all pairs of agents on the effects both predicted, Holm's correction per metric."""
    rows = [
        row
        for first, second in combinations(names, 2)
        for row in _pair_differences(table, first, second, codes, level=level)
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


def _pair_differences(
    table: PredictionTable, first: str, second: str, codes: Sequence[str], *, level: float
) -> list[AgentDifference]:
    """Compute a paired jackknife of every metric: both agents lose the same cluster at a time."""
    one, two = table.agents[first], table.agents[second]
    chosen = [i for i, pair in enumerate(table.pairs) if pair.key in one and pair.key in two]
    pairs = [table.pairs[i] for i in chosen]
    labels = np.asarray([codes[i] for i in chosen])
    sides = [[given[pair.key] for pair in pairs] for given in (one, two)]
    if len(pairs) < MIN_PAIRS:
        note = f"{len(pairs)} effects predicted by both; at least {MIN_PAIRS} are needed"
        nothing = Estimate(None, n=len(pairs), note=note)
        return [AgentDifference(first, second, metric, nothing, None, None) for metric in COMPARED]

    def gaps(kept: object = None) -> list[float]:
        left, right = (_metric_values(pairs, side, kept) for side in sides)
        return [left[metric] - right[metric] for metric in COMPARED]

    values = gaps()
    without = np.array([gaps(labels != label) for label in dict.fromkeys(labels.tolist())])
    # the errors of a few clusters may carry both sums of squares
    degrees = {"rmse": _effective_errors(pairs, sides, labels)}
    found = []
    for i, metric in enumerate(COMPARED):
        left_out = without[:, i]
        estimate, p = _gap_estimate(metric, values[i], left_out, len(pairs), level, degrees.get(metric))
        found.append(AgentDifference(first, second, metric, estimate, p, None))
    return found


def _gap_estimate(
    metric: str, value: float, without: Floats, n: int, level: float, df: float | None
) -> tuple[Estimate, float | None]:
    """Return a difference with its interval, and the p of none."""
    if np.isnan(value):
        return Estimate(None, n=n, note=_REASONS.get(metric, "undefined")), None
    try:
        interval = jackknife_t(value, without, level=level, df=df)
    except UndefinedError as fault:
        return Estimate(value, n=n, note=f"no interval: {fault}"), None
    return Estimate(value, interval, n=n, method="paired jackknife-t"), _jackknife_p(value, without, df)


def _effective_errors(
    pairs: Sequence[EffectPair], sides: Sequence[Sequence[Prediction]], labels: NDArray[np.str_]
) -> float:
    """Return how many clusters are effectively behind the squared errors of two agents."""
    squares = (
        [(one.estimate - pair.estimate) ** 2 for one, pair in zip(side, pairs, strict=True)] for side in sides
    )
    return effective_clusters(*(_by_cluster(one, labels) for one in squares))


def _jackknife_p(value: float, without: Floats, df: float | None) -> float:
    """Compute the two-sided p of no difference from the jackknife's standard error and Student's t."""
    k = without.size
    se = float(np.sqrt((k - 1) / k * np.sum((without - without.mean()) ** 2)))
    return float(2 * special.stdtr(k - 1 if df is None else min(df, k - 1), -abs(value) / se))
