"""Results about answers compared: the same outcomes, studies the clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from concord.comparing.metrics import (
    ComparedModel,
    CompareRequest,
    MetricCompareResult,
    ResultKind,
    UnitWords,
    agent_name,
    check_names,
    distinct,
    known_metric,
    ranked_interval,
)
from concord.errors import MismatchError
from concord.files.contents import fingerprint_file
from concord.files.documents import folder_name, folder_with, holding_folder
from concord.people import NAME
from concord.people.answers.records import AgentAnswers
from concord.people.answers.result import AnswersResult
from concord.people.answers.score import metric_values, paired_difference
from concord.records import Interval
from concord.stats.pairs import MetricDifference, ModelPair, adjusted, standing

METRICS = ("tvd", "w1", "ks", "jsd", "variance_ratio", "person_r")
LOWER_IS_NEARER = ("tvd", "w1", "ks", "jsd")
WORDS = UnitWords("outcome", "outcomes", "study", "studies", least="3 studies", counts_units=True)


@dataclass(frozen=True, slots=True)
class _Compared:
    """One agent of a comparison and where it came from."""

    name: str
    source: str
    agent: AgentAnswers


def is_answers_folder(source: object) -> bool:
    """Whether a path is a folder with the files of `concord score answers`."""
    return folder_with(source, AnswersResult.FILE) is not None


def compare_answers_folders(asked: CompareRequest) -> MetricCompareResult:
    """Compare results about answers, outcome by outcome."""
    sources, names, metric, choices = asked.sources, asked.names, asked.metric, asked.choices
    folders = [(Path(source), AnswersResult.read(source)) for source in sources]
    agents = [(folder_name(folder), one) for folder, result in folders for one in result.agents]
    check_names(names, len(agents), "agents")
    own = distinct([agent_name(folder, one.agent) for folder, one in agents])
    called = own if names is None else list(names)
    models = [_Compared(name, place, one) for name, (place, one) in zip(called, agents, strict=True)]
    there = [name for name in METRICS if all(metric_values(one.agent, name) for one in models)]
    if not there:
        raise MismatchError("these results have no number in common: score the same kind of table for both")
    chosen = known_metric(there[0] if metric is None else metric.lower(), there)
    pairs = adjusted([_answers_pair(*pair, there, choices.level) for pair in combinations(models, 2)])
    values = {one.name: float(np.mean(list(metric_values(one.agent, chosen).values()))) for one in models}
    place = standing(chosen, values, pairs, level=choices.level, lowest_first=chosen in LOWER_IS_NEARER)
    return MetricCompareResult(
        NAME,
        WORDS,
        "answers as distributions · the same outcomes; variance ratios as logarithms",
        {"of": "answers"},
        tuple(
            ComparedModel(
                one.name, one.source, {"agent": one.agent.agent}, _own_interval(one, chosen, choices.level)
            )
            for one in models
        ),
        pairs,
        place,
        {"level": choices.level},
        tuple(
            fingerprint_file(holding_folder(folder, AnswersResult.FILE) / AnswersResult.FILE)
            for folder, _ in folders
        ),
    )


def _own_interval(one: _Compared, metric: str, level: float) -> Interval | None:
    """Return the interval of the mean over outcomes that ranks an agent, over studies as pairs are."""
    found = metric_values(one.agent, metric)
    values = np.array(list(found.values()))
    estimate, _ = paired_difference(values, [key.study for key in found], level=level)
    return ranked_interval(estimate, float(values.mean()) if values.size else None)


def _answers_pair(first: _Compared, second: _Compared, metrics: Sequence[str], level: float) -> ModelPair:
    found = []
    common: set[object] = set()
    for metric in metrics:
        one, two = (metric_values(side.agent, metric) for side in (first, second))
        both = [key for key in one if key in two]
        common.update(both)
        a, b = (np.array([side[key] for key in both]) for side in (one, two))
        estimate, p = paired_difference(a - b, [key.study for key in both], level=level)
        means = [float(side.mean()) if side.size else None for side in (a, b)]
        clusters = len({key.study for key in both})
        found.append(MetricDifference(metric, means[0], means[1], estimate, p, clusters))
    if not common:
        raise MismatchError(
            f"{first.name} and {second.name} have no outcome in common; answers compare outcome by outcome"
        )
    sizes = [len(side.agent.outcomes) - len(common) for side in (first, second)]
    return ModelPair(first.name, second.name, tuple(found), len(common), max(sizes[0], 0), max(sizes[1], 0))


KIND = ResultKind(
    f"{NAME} answers", "a result about answers", is_answers_folder, compare_answers_folders, alone=True
)
