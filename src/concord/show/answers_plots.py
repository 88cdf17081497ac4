"""Pictures of answers, of predicted effects, of people with predictions, of what a model remembers."""

import math
import re
from dataclasses import replace
from operator import itemgetter

from concord.number_words import number, significant
from concord.people.answers.records import AgentAnswers, OutcomeAnswers
from concord.people.answers.result import AnswersResult, farthest_first
from concord.people.memory import MemoryResult, difference
from concord.people.mixed.result import CombineResult, SequentialResult
from concord.people.predictions.result import PredictionResult
from concord.show import plot_effects, plots
from concord.show.svg import Canvas, Picture, Scale, reach, stacked
from concord.words import say


def memory_picture(result: MemoryResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw what each study loses under another surface, and the mean over recognised studies."""
    marks = [
        plots.Mark(f"{one.study}: {one.variant}", change)
        for one in result.pairs
        if (change := difference(one.pas, one.variant_pas)) is not None
    ]
    if not marks:
        return None
    delta = result.delta_pas
    if delta.value is not None:
        marks.append(plots.estimate_mark("mean, recognised", delta, strong=True))
    return plots.intervals(
        "memory",
        "Does the model do better on the study as published?",
        marks,
        label="PAS of the original minus PAS of the variant",
        lines=[(0.0, "no difference")],
        width=units,
    )


_WHAT = {"mean": "mean answer", "share": "share", "difference": "difference"}


def combined_picture(result: CombineResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw every estimate from people alone and from people and predictions together."""
    title, parts = "People alone, and with predictions", []
    kinds = dict.fromkeys(one.kind for one in result.estimates)  # a mean and a share have no axis in common
    for kind in kinds:
        marks = [
            mark
            for one in result.estimates
            if one.kind == kind
            for mark in (
                plots.estimate_mark(f"{one.of}: {one.n_people:,} people", one.people_only, people=True),
                plots.estimate_mark(f"and {one.n_predictions:,} predictions", one.estimate),
            )
        ]
        if any(mark.value is not None for mark in marks):
            what = _WHAT.get(kind, "estimate")
            named = title if len(kinds) == 1 else what.capitalize()
            parts.append(plots.intervals("combined", named, marks, label=what, width=units))
    if len(parts) < 2:
        return next(iter(parts), None)
    drawn, caption = stacked(parts, units, columns=1), f"{title}. {parts[0].caption.split('. ', 1)[-1]}"
    return replace(drawn, name="combined", title=title, caption=caption)


def looks_picture(result: SequentialResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the interval at every look against the people bought, and the one that may be looked at once."""
    shown = [one for one in result.looks if one.estimate.interval is not None]
    if not shown:
        return None
    ends = [end for one in shown for end in one.estimate.ends if end is not None]
    x = Scale(0, max(one.n_people for one in shown) * 1.02, 60, units - 14)
    y = Scale(min(ends), max(ends) if max(ends) > min(ends) else min(ends) + 1, 250, 30)
    canvas = Canvas()
    plots.frame(canvas, x, y, "people asked", result.of)
    for kind, found in (("ref", [one.fixed for one in shown]), ("sweep", [one.estimate for one in shown])):
        known = [(x(one.n), y(i.low), y(i.high)) for one in found if (i := one.interval) is not None]
        for k in (1, 2) if len(known) > 1 else ():
            canvas.path(kind, [(place[0], place[k]) for place in known])
        if kind == "sweep":
            canvas.segments(kind, [(at, low, at, high) for at, low, high in known])
    words = [f"{one.n_people:,} people: {plots.short(one.estimate.value)}" for one in shown]
    for one, told in zip(shown, words, strict=True):
        if one.estimate.value is not None:
            canvas.circle("model", x(one.n_people), y(one.estimate.value), 4, told)
    canvas.line("sweep", 60, 308, 88, 308)
    canvas.text(94, 312, "holds at every look", kind="s")
    canvas.line("ref", 300, 308, 328, 308)
    canvas.text(334, 312, "if it were looked at once", kind="s")
    title = say("combine.looks.title")
    heads = ("people asked", "predictions", "estimate", "low", "high", "low, one look", "high, one look")
    rows = [
        (one.n_people, one.n_predictions, one.estimate.value, *one.estimate.ends, *one.fixed.ends)
        for one in shown
    ]
    caption = say("combine.looks.caption", of=result.of)
    said = f"{title}. {', '.join(words[-5:])}."
    return Picture("looks", title, said, units, 324, str(canvas), rows=(heads, *rows), caption=caption)


def errors_picture(result: PredictionResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the error of every agent and reference row with its interval, the smallest first."""
    if all(one.numbers["rmse"].value is None for one in result.agents):
        return None
    marks = [
        plots.estimate_mark(one.label, found)
        for one in (*result.by_error(), *result.references)
        if (found := one.numbers["rmse"]).value is not None
    ]
    furthest = max(end for mark in marks for end in (mark.value, mark.ends[1]) if end is not None)
    return plots.intervals(
        "prediction-errors",
        "Error of predicted effects",
        marks,
        label=f"root mean squared error, {result.unit}",
        limits=(0, 1.05 * furthest if furthest > 0 else 1.0),  # errors may all be 0
        width=units,
    )


def predicted_picture(
    result: PredictionResult, *, agent: str | None = None, units: float = plots.WIDTH
) -> Picture | None:
    """Draw the measured effects against those that one agent predicted, by default the nearest."""
    one = result.by_error()[0] if agent is None else result.agent(agent)
    if not one.effects:
        return None
    points = []
    for effect in one.effects:
        name = " · ".join(part for part in effect.people.key if part)
        sides = effect.with_ends(result.level)
        points.append(plot_effects.Effect(name, *sides, effect.people.outcome, effect.passes == 1))
    slope, intercept, correlation, error = (
        one.numbers[name].value for name in ("slope", "intercept", "pearson", "rmse")
    )
    return plot_effects.effects(
        "predicted-effects",
        f"Effects in people and as {one.agent} predicted them",
        points,
        slope=slope,
        intercept=intercept,
        predicted=True,
        said=f"r = {plots.short(correlation)}, RMSE = {plots.short(error)}",
        unit=result.unit,
        level=result.level,
        width=units,
    )


MOST_OUTCOMES = 8
"""Outcomes that are drawn one by one."""
MOST_RATIOS = 40
ANSWERS_WIDTH = 640.0
_ROW = 92.0
_TOP = 34.0
_NAMES = 190.0
"""Room for the longest names of outcomes."""


def histograms_picture(
    result: AnswersResult, *, agent: str | None = None, units: float = ANSWERS_WIDTH
) -> Picture | None:
    """Draw people above and the agent below a line, for the outcomes farthest from people."""
    # The pale band on the agent's side is where another sample of people of its size would end.
    one = _agent_or_nearest(result, agent)
    with_shares = (outcome for outcome in one.outcomes if outcome.human_shares)
    drawn = sorted(with_shares, key=farthest_first)[:MOST_OUTCOMES]
    if not drawn:
        return None
    who = _who(one)
    canvas = Canvas()
    canvas.rect("human", 4, 6, 10, 10)
    canvas.text(18, 15, "answers of people", kind="s")
    canvas.rect("model", 134, 6, 10, 10)
    canvas.text(148, 15, who, kind="s", width=140)
    after = 164 + min(140.0, reach(who))
    canvas.rect("band", after, 6, 10, 10)
    canvas.text(after + 14, 15, "another sample of people", kind="s", width=max(60.0, units - after - 18))
    names = [name for outcome in drawn for name in (outcome.name, outcome.study)]
    room = min(_NAMES, max(60.0, *(reach(name) + 12 for name in names)))
    for i, outcome in enumerate(drawn):
        _mirrored(canvas, outcome, _TOP + _ROW * i, (room, units - 10), result.level)
    said = "; ".join(_outcome_said(outcome) for outcome in drawn)
    title = f"Answers of people and of {who}"
    rows = [("outcome", "answer", "share of people", "share of model")]
    rows += [
        (outcome.outcome, label, number(h, 4), number(a, 4))
        for outcome in drawn
        for label, h, a in zip(outcome.labels, outcome.human_shares, outcome.agent_shares, strict=True)
    ]
    height = _TOP + _ROW * len(drawn) + 6
    caption = say("figures.caption.answers", level=result.level)
    return Picture(
        "answers", title, f"{title}. {said}.", units, height, str(canvas), rows=tuple(rows), caption=caption
    )


def _who(one: AgentAnswers) -> str:
    return say("shared.the_model") if one.agent == "agent" else one.agent


def _outcome_said(outcome: OutcomeAnswers) -> str:
    tvd = outcome.numbers.get("tvd")
    value = None if tvd is None else tvd.estimate.value
    return f"{outcome.outcome}: total variation distance {plots.short(value)}"


def _mirrored(
    canvas: Canvas, outcome: OutcomeAnswers, top: float, ends: tuple[float, float], level: float
) -> None:
    """Draw one outcome between two ends: bars of people up, of the agent down."""
    (left, right), half = ends, 34.0
    middle = top + half + 6
    highest = max(*outcome.human_shares, *outcome.agent_shares, 1e-9)
    scale = Scale(0.0, highest, 0.0, half)
    step = (right - left) / len(outcome.labels)
    canvas.text(4, middle - 4, outcome.name, kind="b", width=left - 12)
    canvas.text(4, middle + 12, outcome.study, kind="s", width=left - 12)
    bands = outcome.people_bands(level)
    shares = zip(outcome.labels, outcome.human_shares, outcome.agent_shares, bands, strict=True)
    for i, (label, p, q, (low, high)) in enumerate(shares):
        x = left + step * i + step * 0.1
        canvas.rect("human", x, middle - scale(p), step * 0.8, scale(p), note=f"{label}: people {p:.0%}")
        canvas.rect("band", x - step * 0.08, middle + scale(low), step * 0.96, scale(high) - scale(low))
        canvas.rect("model", x + step * 0.12, middle, step * 0.56, scale(q), note=f"{label}: model {q:.0%}")
    canvas.line("axis", left, middle, right, middle)
    every = max(1, math.ceil(len(outcome.labels) / 12))
    for i in range(0, len(outcome.labels), every):
        x = left + step * (i + 0.5)
        canvas.text(
            x, middle + half + 14, _tick(outcome.labels[i]), kind="s", anchor="middle", width=step * every
        )


def _tick(label: str) -> str:
    """Return the name of an answer; of a long fraction three digits."""
    return significant(float(label), 3) if re.fullmatch(r"-?\d+\.\d{3,}", label) else label


def _agent_or_nearest(result: AnswersResult, agent: str | None) -> AgentAnswers:
    """Return an agent, by default the one nearest to people."""
    return result.by_distance()[0] if agent is None else result.agent(agent)


def ratios_picture(
    result: AnswersResult, *, agent: str | None = None, units: float = plots.WIDTH
) -> Picture | None:
    """Draw the variance ratio of every outcome with its interval; 1 is as people."""
    one = _agent_or_nearest(result, agent)
    name = "variance_ratio" if "variance_ratio" in one.overall.numbers else "entropy_ratio"
    found = [(held.name, held.numbers[name].estimate) for held in one.outcomes if name in held.numbers]
    known = sorted(
        ((value, words, estimate) for words, estimate in found if (value := estimate.value) is not None),
        key=itemgetter(0),
    )
    if not known:
        return None
    marks = [plots.estimate_mark(words, estimate) for _, words, estimate in known[:MOST_RATIOS]]
    what = "Variance" if name == "variance_ratio" else "Entropy"
    high = max([1.5, *(min(mark.interval.high, 3.0) for mark in marks if mark.interval is not None)])
    return plots.intervals(
        "answer-ratios",
        f"{what} of answers: {_who(one)} against people",
        marks,
        label=f"{what.lower()} ratio",
        limits=(0, high),
        lines=[(1.0, "as people")],
        width=units,
    )


def groups_picture(
    result: AnswersResult, *, agent: str | None = None, units: float = plots.WIDTH
) -> Picture | None:
    """Draw the error of each group's mean with its interval; 0 is as people."""
    one = _agent_or_nearest(result, agent)
    marks = [
        plots.estimate_mark(f"{group.group} ({group.n_people})", group.error)
        for group in (() if one.groups is None else one.groups.groups)
        if group.error.value is not None
    ]
    if not marks:
        return None
    return plots.intervals(
        "answer-groups",
        "Error of groups' means" + ("" if one.agent == "agent" else f", {one.agent}"),
        marks,
        label="model minus people, in SDs of people",
        lines=[(0.0, "as people")],
        width=units,
    )


def leaderboard_picture(result: AnswersResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the median variance ratio of every agent with its interval; None of one agent alone."""
    marks = [
        plots.estimate_mark(one.agent, found.estimate)
        for one in result.by_distance()
        if (found := one.overall.numbers.get("variance_ratio")) is not None
        and found.estimate.value is not None
    ]
    if not marks or len(result.agents) == 1:
        return None
    return plots.intervals(
        "answer-agents",
        f"Median variance ratio of {len(marks)} models",
        marks,
        label="variance, model to people",
        lines=[(1.0, "as people")],
        width=units,
    )
