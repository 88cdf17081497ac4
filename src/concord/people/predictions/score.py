"""Measured and predicted effects to numbers with intervals: jackknife-t; agents against each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from concord.errors import InputError, UndefinedError
from concord.files.limits import COMPARED_IN_PAIRS, PREDICTOR_PARTS
from concord.people.differences import AgentDifference, with_holm
from concord.people.predictions.measures import (
    CONCLUDED,
    REASONS,
    Influence,
    Prepared,
    Sides,
    by_cluster,
    conclude,
    difference_variance,
    influence,
    left_out,
    number_codes,
    prepare,
    split_controls,
    without_each,
)
from concord.people.predictions.respondents import N_SPLITS, Respondents, effects_of, half_effects
from concord.people.predictions.result import (
    METRICS,
    AgentAgreement,
    PredictionResult,
    ScoredEffect,
)
from concord.people.predictions.table import EffectPair, Prediction, PredictionTable
from concord.records import Estimate, Interval
from concord.stats.elementwise import Floats, or_none
from concord.stats.intervals import Scale, effective_clusters, jackknife_t
from concord.stats.predicted_effects import MIN_PAIRS

COMPARED = ("pearson", "rmse", "direction", "pas", "apr")


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One agent on the effects that two have in common: values, and those without one cluster at a time."""

    prepared: Prepared
    values: Floats
    without: Floats
    influence: Influence | None
    """Of control groups that lie in several clusters."""


def agent_differences(
    table: PredictionTable, names: Sequence[str], codes: Sequence[str], *, level: float
) -> tuple[list[AgentDifference], tuple[str, ...]]:
    """Compare all pairs of agents on the effects both predicted, Holm's correction per metric."""
    given = {name: np.array([pair.key in table.agents[name] for pair in table.pairs]) for name in names}
    note = _too_many(given, codes)
    if note:
        return [], (note,)
    parts: dict[tuple[str, bytes], _Part] = {}

    def part(name: str, both: NDArray[np.bool_]) -> _Part:
        """Return what an agent has on some effects; most pairs of agents have the same ones in common."""
        known = parts.get((name, both.tobytes()))
        if known is None:
            chosen = np.flatnonzero(both).tolist()
            pairs = [table.pairs[i] for i in chosen]
            predictions = [table.agents[name][pair.key] for pair in pairs]
            known = _jackknifed(pairs, predictions, [codes[i] for i in chosen])
            parts[name, both.tobytes()] = known
        return known

    rows = []
    for first, second in combinations(names, 2):
        both = given[first] & given[second]
        if both.sum() < MIN_PAIRS:
            found = _too_few(int(both.sum()))
        else:
            labels = np.asarray(codes)[both]
            found = _paired(part(first, both), part(second, both), labels, level=level)
        rows += [AgentDifference(first, second, metric, *found[metric], None) for metric in COMPARED]
    adjusted = [with_holm([row for row in rows if row.metric == metric]) for metric in COMPARED]
    return [row for own in adjusted for row in own], ()


def _too_many(given: Mapping[str, NDArray[np.bool_]], codes: Sequence[str]) -> str:
    """Say that agents are not compared, where that would take minutes; else nothing."""
    # Agents that predicted the same effects are counted once each; those of which every pair has other
    # effects in common have their numbers computed anew for each other agent.
    n = len(given)
    kinds = len({mask.tobytes() for mask in given.values()})
    computed = n * kinds * len(set(codes))
    if n <= COMPARED_IN_PAIRS and computed <= PREDICTOR_PARTS:
        return ""
    return (
        f"{n:,} models are not compared with each other: pairs are compared for at most "
        f"{COMPARED_IN_PAIRS:,} models, and fewer where each predicted other effects; score those that "
        "matter in a table of their own"
    )


def paired_differences(
    pairs: Sequence[EffectPair],
    sides: Sequence[Sequence[Prediction]],
    codes: Sequence[str],
    *,
    level: float,
) -> Mapping[str, tuple[Estimate, float | None]]:
    """Compute a paired jackknife of every metric, first minus second, and its p-value."""
    if len(pairs) < MIN_PAIRS:
        return _too_few(len(pairs))
    first, second = (_jackknifed(pairs, side, codes) for side in sides)
    return _paired(first, second, np.asarray(codes), level=level)


def _too_few(n: int) -> dict[str, tuple[Estimate, float | None]]:
    note = f"{n} effects predicted by both; at least {MIN_PAIRS} are needed"
    return {metric: (Estimate(None, n=n, note=note), None) for metric in COMPARED}


def _jackknifed(
    pairs: Sequence[EffectPair], predictions: Sequence[Prediction], codes: Sequence[str]
) -> _Part:
    prepared = prepare((pairs, predictions))
    values = prepared.values()
    without = [found for (found,) in without_each([prepared], number_codes(codes))]
    return _Part(
        prepared,
        np.array([values[metric] for metric in COMPARED]),
        np.array([[found[metric] for metric in COMPARED] for found in without]),
        influence(prepared) if split_controls(pairs, codes) else None,
    )


def _paired(
    first: _Part, second: _Part, labels: NDArray[np.str_], *, level: float
) -> dict[str, tuple[Estimate, float | None]]:
    values, without = first.values - second.values, first.without - second.without
    shared: Mapping[str, float] = {}
    if first.influence is not None and second.influence is not None:
        shared = difference_variance(first.influence, second.influence)
    # the errors of a few clusters may carry both sums of squares
    squares = (by_cluster((one.a - one.h) ** 2, labels) for one in (first.prepared, second.prepared))
    degrees = {"rmse": effective_clusters(*squares)}
    n = first.prepared.h.size
    return {
        metric: _gap_estimate(
            metric, float(values[i]), without[:, i], n, level, degrees.get(metric), shared.get(metric, 0.0)
        )
        for i, metric in enumerate(COMPARED)
    }


def _gap_estimate(
    metric: str, value: float, without: Floats, n: int, level: float, df: float | None, shared: float
) -> tuple[Estimate, float | None]:
    """Return a difference with its interval, and the p of none."""
    if np.isnan(value):
        return Estimate(None, n=n, note=REASONS.get(metric, "undefined")), None
    try:
        if np.isnan(shared):
            raise UndefinedError("with a control group moved by its standard error the value is undefined")
        interval = jackknife_t(value, without, level=level, df=df, shared=shared)
    except UndefinedError as fault:
        return Estimate(value, n=n, note=f"no interval: {fault}"), None
    p = _jackknife_p(value, without, df, shared)
    return Estimate(value, interval, n=n, method="paired jackknife-t"), p


def _jackknife_p(value: float, without: Floats, df: float | None, shared: float) -> float:
    """Compute the two-sided p of no difference from the jackknife's standard error and Student's t."""
    k = without.size
    own = (k - 1) / k * float(np.sum((without - without.mean()) ** 2))
    degrees = (k - 1 if df is None else min(df, k - 1)) * ((own + shared) / own) ** 2
    return float(2 * special.stdtr(degrees, -abs(value) / np.sqrt(own + shared)))


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


NAME = "human half"


def half_row(
    people: Respondents, pairs: Sequence[EffectPair], codes: Sequence[str], *, level: float, seed: int
) -> AgentAgreement:
    """Score people against people: the mean over random splits of the participants into halves."""
    effects = effects_of(people, pairs)
    rng = np.random.default_rng(seed)
    drawn: list[Sides | None] = [half_effects(people, effects, rng) for _ in range(N_SPLITS)]
    splits = [one for one in drawn if one is not None]
    if len(splits) < N_SPLITS:
        raise InputError(
            "a half of the people has too few answers of a condition, or answers that do not vary"
        )
    place = {pair.key: code for pair, code in zip(pairs, codes, strict=True)}
    numbers = agent_numbers(splits, [place[one.pair.key] for one in effects], level=level)
    note = f"mean of {N_SPLITS} splits of {people.n_persons} people into halves"
    said = {
        name: replace(one, note="; ".join(part for part in (one.note, note) if part))
        for name, one in numbers.items()
    }
    return AgentAgreement(NAME, said, len(effects), len(pairs) - len(effects), is_reference=True)


def score_predictions(
    table: PredictionTable, *, level: float = 0.95, people: Respondents | None = None, seed: int = 0
) -> PredictionResult:
    """Score every agent of a table of effects."""
    if not any(table.agents.values()):
        raise InputError("no row holds a prediction: the column 'agent_estimate' is empty")
    names = sorted(table.agents)
    what, codes = left_out(table.pairs)
    agents = tuple(_agent(name, table, codes, level=level) for name in names)
    measured = np.array([pair.estimate for pair in table.pairs])
    half = [] if people is None else [half_row(people, table.pairs, codes, level=level, seed=seed)]
    more = () if people is None else people.warnings
    differences, uncompared = agent_differences(table, names, codes, level=level)
    return PredictionResult(
        agents,
        (*_references(table, codes, level=level), *half),
        tuple(differences),
        table.unit,
        len(table.pairs),
        float((measured > 0).mean()),
        what,
        level,
        (*table.inputs, *(() if people is None else people.inputs)),
        (*table.warnings, *more, *uncompared),
        table.left_out,
    )


def _agent(name: str, table: PredictionTable, codes: Sequence[str], *, level: float) -> AgentAgreement:
    given = table.agents[name]
    chosen = [i for i, pair in enumerate(table.pairs) if pair.key in given]
    pairs = [table.pairs[i] for i in chosen]
    predictions = [given[pair.key] for pair in pairs]
    found = conclude(pairs, predictions)
    numbers = agent_numbers([(pairs, predictions)], [codes[i] for i in chosen], level=level)
    scored = zip(pairs, predictions, found.pas.tolist(), found.passes.tolist(), strict=True)
    effects = tuple(ScoredEffect(h, a, or_none(pas), or_none(passes)) for h, a, pas, passes in scored)
    return AgentAgreement(name, numbers, len(chosen), len(table.pairs) - len(chosen), effects=effects)


def _references(table: PredictionTable, codes: Sequence[str], *, level: float) -> Iterator[AgentAgreement]:
    """Score what a reader compares with: no effect at all, all positive, the mean of all models."""
    size = float(np.sqrt(np.mean([pair.estimate**2 for pair in table.pairs])))
    for name, value in (("no effect", 0.0), ("all positive", size)):
        given = [Prediction(value)] * len(table.pairs)
        numbers = agent_numbers([(table.pairs, given)], codes, level=level)
        yield AgentAgreement(name, numbers, len(table.pairs), 0, is_reference=True)
    if len(table.agents) < 2:
        return
    means = {
        pair.key: Prediction(float(np.mean([given[pair.key].estimate for given in table.agents.values()])))
        for pair in table.pairs
        if all(pair.key in given for given in table.agents.values())
    }
    mean = PredictionTable(table.pairs, {"mean of all models": means}, table.unit)
    found = _agent("mean of all models", mean, codes, level=level)
    yield replace(found, is_reference=True, effects=())
