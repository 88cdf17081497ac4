"""Measured and predicted effects to numbers with intervals: jackknife-t over studies or interventions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from concord.errors import InputError
from concord.people.predictions.conclusions import conclude
from concord.people.predictions.differences import agent_differences
from concord.people.predictions.files import PredictionResult
from concord.people.predictions.human_half import half_row
from concord.people.predictions.measured import left_out
from concord.people.predictions.numbers import agent_numbers
from concord.people.predictions.respondents import Respondents
from concord.people.predictions.result import AgentAgreement, ScoredEffect
from concord.people.predictions.table import Prediction, PredictionTable
from concord.stats.elementwise import or_none


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
    """Score what a reader compares with: no effect at all, all positive, the mean of all agents."""
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
    mean = PredictionTable(table.pairs, {"mean of all agents": means}, table.unit)
    found = _agent("mean of all agents", mean, codes, level=level)
    yield replace(found, is_reference=True, effects=())
