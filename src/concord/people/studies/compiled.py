"""Experiments with their templates and expressions parsed once."""

from collections.abc import Mapping
from dataclasses import dataclass

from concord.people.studies.expressions import Expression, parse_expression
from concord.people.studies.format import Experiment, Item, Population, Step
from concord.people.studies.wording import BracedText, item_texts, limit_of, template


@dataclass(frozen=True, slots=True)
class CompiledStep:
    """A step with its parts parsed."""

    index: int
    spec: Step
    items: tuple[tuple[str, Item], ...]
    when: Expression | None
    shows: frozenset[str]
    """Answers and derived variables that its texts show."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """An experiment with its templates and expressions parsed once."""

    spec: Experiment
    population: Population
    steps: tuple[CompiledStep, ...]
    derived: tuple[tuple[str, Expression], ...]
    of_session: tuple[tuple[str, Expression], ...]
    feedback: tuple[tuple[str, Expression], ...]
    rounds: int
    texts: Mapping[str, BracedText]


def compile_experiment(spec: Experiment, population: Population) -> Compiled:
    """Parse the templates and expressions of an experiment."""
    texts = {name: template(text) for name, text in spec.texts.items()}
    group = spec.group
    return Compiled(
        spec,
        population,
        tuple(_compile_step(spec, i, step, texts) for i, step in enumerate(spec.steps)),
        tuple((name, parse_expression(text)) for name, text in spec.derived.items()),
        tuple((name, parse_expression(text)) for name, text in spec.of_session.items()),
        () if group is None else tuple((n, parse_expression(t)) for n, t in group.feedback.items()),
        1 if group is None else group.rounds,
        texts,
    )


def _compile_step(spec: Experiment, i: int, step: Step, texts: Mapping[str, BracedText]) -> CompiledStep:
    names = set(template(step.text).names)
    for item in step.ask:
        for text in item_texts(spec.items[item]):
            names |= template(text).names
    for piece in names & set(texts):
        names |= texts[piece].names
    shows = {name.removeprefix("answer.") for name in names if name.startswith("answer.")}
    shows |= {limit for item in step.ask if (limit := limit_of(spec.items[item])) is not None}
    when = None if step.when is None else parse_expression(step.when)
    return CompiledStep(i, step, tuple((name, spec.items[name]) for name in step.ask), when, frozenset(shows))
