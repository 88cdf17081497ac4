"""Agents compared on people's answers and on predicted effects: the same outcomes, the same effects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from concord.comparing.kinds import (
    ComparedSide,
    CompareRequest,
    Lineup,
    PairByPair,
    Stored,
    Ways,
    at_level,
    ranked_interval,
)
from concord.errors import MismatchError
from concord.people.answers.result import AnswersResult
from concord.people.answers.score import metric_values, paired_difference
from concord.people.predictions.measures import left_out, own_value
from concord.people.predictions.result import AgentAgreement, PredictionResult, ScoredEffect
from concord.people.predictions.score import paired_differences
from concord.records import Interval
from concord.stats.pairs import MetricDifference, ModelPair

ANSWER_METRICS = ("tvd", "w1", "ks", "jsd", "variance_ratio", "person_r")
PREDICTION_METRICS = ("rmse", "pearson", "direction", "pas", "apr")
EffectKey = tuple[str, str, str]


def _agent_side(folder: str, agent: str, scores: object) -> ComparedSide:
    """Return an agent, called by its folder where the table gave it no name."""
    return ComparedSide(folder if agent == "agent" else agent, folder, {"agent": agent}, scores)


def _answering_agents(results: Sequence[Stored[AnswersResult]], metric: str | None) -> Lineup:
    sides = [_agent_side(one.name, agent.agent, agent) for one in results for agent in one.result.agents]
    there = [name for name in ANSWER_METRICS if all(metric_values(side.scores, name) for side in sides)]
    if not there:
        raise MismatchError("these results have no number in common: score the same kind of table for both")
    return Lineup(
        sides=sides,
        how="answers as distributions · the same outcomes; variance ratios as logarithms",
        metrics=there,
        usual=there[0],
        about={"of": "answers"},
    )


def _answers_interval(side: ComparedSide, metric: str, ranked: float | None, level: float) -> Interval | None:
    """Return the interval of the mean over outcomes that ranks an agent, over studies as pairs are."""
    found = metric_values(side.scores, metric)
    values = np.array(list(found.values()))
    estimate, _ = paired_difference(values, [key.study for key in found], level=level)
    return ranked_interval(estimate, ranked)


def _same_outcomes(
    first: ComparedSide, second: ComparedSide, metrics: Sequence[str], asked: CompareRequest
) -> ModelPair:
    found = []
    common: set[object] = set()
    for metric in metrics:
        one, two = (metric_values(side.scores, metric) for side in (first, second))
        both = [key for key in one if key in two]
        common.update(both)
        a, b = (np.array([side[key] for key in both]) for side in (one, two))
        studies = [key.study for key in both]
        estimate, p = paired_difference(a - b, studies, level=asked.choices.level)
        means = [float(side.mean()) if side.size else None for side in (a, b)]
        found.append(MetricDifference(metric, means[0], means[1], estimate, p, len(set(studies))))
    if not common:
        raise MismatchError(
            f"{first.name} and {second.name} have no outcome in common; answers compare outcome by outcome"
        )
    only = [max(len(side.scores.outcomes) - len(common), 0) for side in (first, second)]
    return ModelPair(first.name, second.name, tuple(found), len(common), only[0], only[1])


ANSWERING = Ways(
    AnswersResult.read,
    _answering_agents,
    PairByPair(
        pair=_same_outcomes,
        value=lambda side, metric, sides: float(np.mean(list(metric_values(side.scores, metric).values()))),
        interval=_answers_interval,
        lowest_first=("tvd", "w1", "ks", "jsd"),
    ),
)


@dataclass(frozen=True, slots=True)
class _Predictor:
    """What is compared of an agent that predicted effects."""

    agent: AgentAgreement
    effects: Mapping[EffectKey, ScoredEffect]
    """Every effect it predicted, by its name."""


def _predicting_agents(results: Sequence[Stored[PredictionResult]], metric: str | None) -> Lineup:
    for one in results:
        if any(agent.n and not agent.effects for agent in one.result.agents):
            raise MismatchError(
                f"{one.name} holds no single effects: score its table again with this version"
            )
    units = {one.result.unit for one in results}
    if len(units) > 1:
        raise MismatchError(f"effects are in different units: {', '.join(map(repr, sorted(units)))}")
    return Lineup(
        sides=[
            _agent_side(
                one.name,
                agent.agent,
                _Predictor(agent, {effect.people.key: effect for effect in agent.effects}),
            )
            for one in results
            for agent in one.result.agents
        ],
        how=f"predicted effects, {next(iter(units))} · the same effects of people",
        metrics=PREDICTION_METRICS,
        usual=PREDICTION_METRICS[0],
        about={"of": "predictions"},
    )


def _over_common(side: ComparedSide, metric: str, sides: Sequence[ComparedSide]) -> float | None:
    """Compute an agent's number over the effects that all agents predicted."""
    common = [key for key in sides[0].scores.effects if all(key in one.scores.effects for one in sides)]
    effects = [side.scores.effects[key] for key in common]
    return own_value([effect.people for effect in effects], [effect.agent for effect in effects], metric)


def _same_effects(
    first: ComparedSide, second: ComparedSide, metrics: Sequence[str], asked: CompareRequest
) -> ModelPair:
    one, two = first.scores.effects, second.scores.effects
    both = [key for key in one if key in two]
    if not both:
        raise MismatchError(f"{first.name} and {second.name} have no effect in common")
    other = next((key for key in both if _measured(one[key]) != _measured(two[key])), None)
    if other is not None:
        raise MismatchError(f"{first.name} and {second.name}: people's effect of {other!r} is not the same")
    pairs = [one[key].people for key in both]
    sides = [[effects[key].agent for key in both] for effects in (one, two)]
    _, codes = left_out(pairs)
    gaps = paired_differences(pairs, sides, codes, level=asked.choices.level)
    found = [
        MetricDifference(
            name,
            own_value(pairs, sides[0], name),
            own_value(pairs, sides[1], name),
            *gaps[name],
            len(set(codes)),
        )
        for name in metrics
    ]
    only = [len(effects) - len(both) for effects in (one, two)]
    return ModelPair(first.name, second.name, tuple(found), len(both), only[0], only[1])


def _measured(effect: ScoredEffect) -> tuple[float, float]:
    return effect.people.estimate, effect.people.se


PREDICTING = Ways(
    PredictionResult.read,
    _predicting_agents,
    PairByPair(
        pair=_same_effects,
        value=_over_common,
        interval=lambda side, metric, ranked, level: at_level(
            ranked_interval(side.scores.agent.numbers.get(metric), ranked), level
        ),
        lowest_first=("rmse",),
    ),
)
