"""Predicted effects as a section of the page: every agent against people, effect by effect."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from concord.errors import FileFormatError
from concord.people import NAME
from concord.people.predictions.files import DOCUMENT, PredictionResult, read
from concord.people.predictions.result import METRICS, AgentAgreement, ScoredEffect
from concord.records import Estimate
from concord.show import plot_effects, plots
from concord.show.citations import CONCORD
from concord.show.citations import METHODS as CITED
from concord.show.further_methods import predictions_methods
from concord.show.numbers import typeset
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.predictions_terminal import COLUMNS, answer, by_error
from concord.show.svg import Picture

MOST_DRAWN = 6
"""Agents whose effects are drawn one by one."""


def _read_predictions(source: ResultFile) -> PredictionResult:
    if source.file is None or source.file.name != DOCUMENT:
        raise FileFormatError(f"is not called {DOCUMENT}, so its predictions are not shown")
    return read(source.file.parent)


def effects_picture(result: PredictionResult, one: AgentAgreement) -> Picture | None:
    """Draw the measured effects against those that one agent predicted."""
    if not one.effects:
        return None
    points = [_effect_point(effect, result.level) for effect in one.effects]
    slope, intercept = (_number_value(one, name) for name in ("slope", "intercept"))
    correlation, error = (_number_value(one, name) for name in ("pearson", "rmse"))
    # the line is of people on agent, and people lie across: turned round
    turned = slope is not None and slope != 0 and intercept is not None
    return plot_effects.effects(
        "predicted-effects",
        f"Effects in people and as {one.agent} predicted them",
        points,
        slope=1 / slope if turned and slope is not None else None,
        intercept=-intercept / slope if turned and slope is not None and intercept is not None else None,
        said=f"r = {plots.short(correlation)}, RMSE = {plots.short(error)}",
        unit=result.unit,
    )


def _number_value(one: AgentAgreement, name: str) -> float | None:
    found = one.numbers.get(name)
    return None if found is None else found.value


def _effect_point(effect: ScoredEffect, level: float) -> plot_effects.Effect:
    h, a = effect.people, effect.agent
    name = " · ".join(part for part in h.key if part)
    reach = 1.96 if level == 0.95 else 0.0
    people = (h.estimate, h.estimate - reach * h.se, h.estimate + reach * h.se)
    ends = (None, None) if a.se is None else (a.estimate - reach * a.se, a.estimate + reach * a.se)
    return plot_effects.Effect(name, people, (a.estimate, *ends), h.outcome, effect.passes == 1)


def errors_picture(result: PredictionResult) -> Picture:
    """Draw the error of every agent and reference row with its interval, the smallest first."""
    marks = [
        plots.Mark(
            f"({one.agent})" if one.is_reference else one.agent,
            found.value,
            *found.ends,
        )
        for one in (*by_error(result), *result.references)
        if (found := one.numbers.get("rmse", Estimate(None))).value is not None
    ]
    furthest = max(end for mark in marks for end in (mark.value, mark.high) if end is not None)
    return plots.intervals(
        "prediction-errors",
        "Error of predicted effects",
        marks,
        label=f"root mean squared error, {result.unit}",
        limits=(0, 1.05 * furthest if furthest > 0 else 1.0),  # errors may all be 0
    )


def _prediction_pictures(result: PredictionResult) -> Iterator[tuple[Picture, str]]:
    if any(one.numbers["rmse"].value is not None for one in result.agents if "rmse" in one.numbers):
        yield errors_picture(result), f"Lines are {result.level:.0%} intervals; brackets: reference rows."
    for one in by_error(result)[:MOST_DRAWN]:
        drawn = effects_picture(result, one)
        if drawn is not None:
            yield drawn, "Filled: significant in the human direction. The dashed line is the same effect."


def _agent_row(one: AgentAgreement, metrics: Iterable[str]) -> list[fragments.Cell]:
    name = f"({one.agent})" if one.is_reference else one.agent
    numbers = [one.numbers.get(metric) for metric in metrics]
    return [name, *numbers, float(one.n), float(one.n_missing)]


def _agents_table(result: PredictionResult, key: str, metrics: Mapping[str, str]) -> str:
    """Return one row per agent and reference; metrics by what heads them."""
    heads: list[fragments.Heading | str] = [
        "agent",
        *map(fragments.Heading, metrics),
        *(fragments.Heading(words, digits=0) for words in ("effects", "missing")),
    ]
    rows = [_agent_row(one, metrics.values()) for one in (*by_error(result), *result.references)]
    return fragments.table(key, f"{result.n_effects} effects, {result.unit}", heads, rows)


def _show_predictions(records: Sequence[PredictionResult]) -> str:
    parts = []
    for i, result in enumerate(records):
        figures = [
            fragments.figure(picture, f"predictions{i}-{j}", caption)
            for j, (picture, caption) in enumerate(_prediction_pictures(result))
        ]
        every = {words: name for name, words in METRICS.items()}
        notes = dict.fromkeys(one.numbers["pas"].note for one in result.agents if "pas" in one.numbers)
        parts += [
            fragments.paragraph(typeset(answer(result))),
            fragments.figures(*figures),
            _agents_table(result, f"predictions{i}", COLUMNS),
            fragments.folded(
                "Every number",
                _agents_table(result, f"predictions{i}-all", every),
            ),
            *(fragments.paragraph(f"PAS and APR: {note}.", soft=True) for note in notes if note),
        ]
    return fragments.fragment(*parts)


def _every_prediction_picture(records: Sequence[PredictionResult]) -> list[Picture]:
    return [picture for result in records for picture, _ in _prediction_pictures(result)]


SECTION = Section(
    name="predictions",
    question=NAME,
    heading="Predicted effects",
    file=DOCUMENT,
    key="all_positive",
    read=_read_predictions,
    show=_show_predictions,
    pictures=_every_prediction_picture,
    says=lambda result: [typeset(answer(result))],
    who=lambda result: [one.agent for one in result.agents],
    methods=predictions_methods,
    cites=(CONCORD, CITED["holm1979"]),
)
