"""Results about predicted effects compared: the same effects of people, the same study left out at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from concord.comparing.metrics import (
    ComparedModel,
    CompareRequest,
    MetricCompareResult,
    ResultKind,
    UnitWords,
    agent_name,
    at_level,
    check_names,
    distinct,
    known_metric,
    ranked_interval,
)
from concord.errors import MismatchError
from concord.files.contents import fingerprint_file
from concord.files.documents import folder_name, folder_with, holding_folder
from concord.people import NAME
from concord.people.predictions.measures import left_out, own_value
from concord.people.predictions.result import AgentAgreement, PredictionResult, ScoredEffect
from concord.people.predictions.score import paired_differences
from concord.stats.pairs import MetricDifference, ModelPair, adjusted, standing

METRICS = ("rmse", "pearson", "direction", "pas", "apr")
LOWER_IS_BETTER = ("rmse",)
WORDS = UnitWords(
    "effect",
    "effects",
    "study or intervention",
    "studies or interventions",
    least="3 studies or interventions",
)
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Predictor:
    """One agent of a comparison and where it came from."""

    name: str
    source: str
    agent: AgentAgreement

    @property
    def effects(self) -> dict[Key, ScoredEffect]:
        """Every effect it predicted, by its name."""
        return {one.people.key: one for one in self.agent.effects}


def is_predictions_folder(source: object) -> bool:
    """Whether a path is a folder with the files of predicted effects."""
    return folder_with(source, PredictionResult.FILE) is not None


def compare_predictions(asked: CompareRequest) -> MetricCompareResult:
    """Compare results about predicted effects."""
    names, metric, choices = asked.names, asked.metric, asked.choices
    folders = [(Path(source), _read_predictions_folder(Path(source))) for source in asked.sources]
    units = {result.unit for _, result in folders}
    if len(units) > 1:
        raise MismatchError(f"effects are in different units: {', '.join(map(repr, sorted(units)))}")
    agents = [(folder_name(folder), one) for folder, result in folders for one in result.agents]
    check_names(names, len(agents), "agents")
    own = distinct([agent_name(folder, one.agent) for folder, one in agents])
    called = own if names is None else list(names)
    models = [_Predictor(name, place, one) for name, (place, one) in zip(called, agents, strict=True)]
    chosen = known_metric(METRICS[0] if metric is None else metric.lower(), METRICS)
    pairs = adjusted([_predictions_pair(*pair, choices.level) for pair in combinations(models, 2)])
    common = [key for key in models[0].effects if all(key in one.effects for one in models)]
    values = {one.name: _over_common(one, common, chosen) for one in models}
    place = standing(chosen, values, pairs, level=choices.level, lowest_first=chosen in LOWER_IS_BETTER)
    return MetricCompareResult(
        NAME,
        WORDS,
        f"predicted effects, {next(iter(units))} · the same effects of people",
        {"of": "predictions"},
        tuple(
            ComparedModel(
                one.name,
                one.source,
                {"agent": one.agent.agent},
                at_level(ranked_interval(one.agent.numbers.get(chosen), values[one.name]), choices.level),
            )
            for one in models
        ),
        pairs,
        place,
        {"level": choices.level},
        tuple(
            fingerprint_file(holding_folder(folder, PredictionResult.FILE) / PredictionResult.FILE)
            for folder, _ in folders
        ),
    )


def _read_predictions_folder(source: Path) -> PredictionResult:
    result = PredictionResult.read(source)
    if any(one.n and not one.effects for one in result.agents):
        raise MismatchError(f"{source.name} holds no single effects: score its table again with this version")
    return result


def _over_common(one: _Predictor, common: Sequence[Key], metric: str) -> float | None:
    """Compute an agent's number over the effects that all agents predicted."""
    effects = [one.effects[key] for key in common]
    return own_value([effect.people for effect in effects], [effect.agent for effect in effects], metric)


def _predictions_pair(first: _Predictor, second: _Predictor, level: float) -> ModelPair:
    one, two = first.effects, second.effects
    both = [key for key in one if key in two]
    if not both:
        raise MismatchError(f"{first.name} and {second.name} have no effect in common")
    other = next((key for key in both if _measured(one[key]) != _measured(two[key])), None)
    if other is not None:
        raise MismatchError(f"{first.name} and {second.name}: people's effect of {other!r} is not the same")
    pairs = [one[key].people for key in both]
    sides = [[effects[key].agent for key in both] for effects in (one, two)]
    _, codes = left_out(pairs)
    gaps = paired_differences(pairs, sides, codes, level=level)
    found = [
        MetricDifference(
            name,
            own_value(pairs, sides[0], name),
            own_value(pairs, sides[1], name),
            *gaps[name],
            len(set(codes)),
        )
        for name in METRICS
    ]
    only = [len(effects) - len(both) for effects in (one, two)]
    return ModelPair(first.name, second.name, tuple(found), len(both), only[0], only[1])


def _measured(effect: ScoredEffect) -> tuple[float, float]:
    return effect.people.estimate, effect.people.se


KIND = ResultKind(
    f"{NAME} predictions",
    "a result about predicted effects",
    is_predictions_folder,
    compare_predictions,
    alone=True,
)
