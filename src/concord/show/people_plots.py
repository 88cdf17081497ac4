"""Pictures of agreement with people, of every kind of result; None where there is nothing to draw."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from operator import itemgetter

from concord.errors import OptionError
from concord.number_words import level_words, number
from concord.people.agent_tables import choices_of
from concord.people.agents import AgentsResult
from concord.people.answers.records import AgentAnswers, OutcomeAnswers
from concord.people.answers.result import AnswersResult, farthest_first
from concord.people.files import PeopleResult
from concord.people.memory import MemoryResult, difference
from concord.people.mixed.result import CombineResult, SequentialResult
from concord.people.picture_numbers import d_interval, expected_conclusions, lost_points, same_conclusions
from concord.people.predictions.result import PredictionResult
from concord.people.referee import RefereeResult, RefereeTest
from concord.people.result import Score, TestResult
from concord.people.studies.results import StudiesResult
from concord.people.tables import group_rows
from concord.reading.records import ReadOutcome
from concord.show import plot_effects, plots
from concord.show.svg import Canvas, Picture, Scale, reach, stacked

Scored = PeopleResult | StudiesResult
Ends = tuple[float | None, float | None]
MOST_ROWS = 40
"""Tests that the forest plot of differences shows: those that differ most."""


def _people(result: Scored, labels: str) -> tuple[PeopleResult, str]:
    """Return the scores of a result, and what its model is called in a picture."""
    scores = result.result if isinstance(result, StudiesResult) else result
    if labels not in ("full", "short"):
        raise OptionError(f"labels are {labels!r}, expected full or short")
    name = scores.model if scores.model else "the model"
    return scores, name.rstrip("/").rsplit("/", 1)[-1] if labels == "short" else name


def d_ends(test: TestResult, who: str, level: float) -> Ends:
    """Return the ends of the interval of an effect; none where it has none."""
    found = d_interval(test, who, level)
    return (None, None) if found is None else (found.low, found.high)


def _points(scores: PeopleResult) -> Iterator[plot_effects.Effect]:
    """Return the tests that ECS uses, with finite effects."""
    for test in scores.tests:
        human, agent = test.human_effect_d, test.agent_effect_d
        if human is not None and agent is not None and test.in_ecs and math.isfinite(human + agent):
            yield plot_effects.Effect(
                f"{test.study}: {test.test}",
                (human, *d_ends(test, "human", scores.level)),
                (agent, *d_ends(test, "agent", scores.level)),
                "" if test.domain is None else test.domain,
                test.verdict == "replicates",
            )


def effects_picture(result: Scored, *, labels: str = "full", units: float = plots.WIDTH) -> Picture | None:
    """Draw effects in people against effects in the model, of the tests that ECS uses."""
    scores, who = _people(result, labels)
    points = list(_points(scores))
    if not points:
        return None
    slope = scores.companions.caricature_slope
    said = [f"ECS {plots.short(scores.ecs.value)}"] if scores.ecs.value is not None else []
    said += [f"slope {plots.short(slope)}"] if slope is not None else []
    ends = None if scores.sizes is None else scores.sizes.slope.interval
    return plot_effects.effects(
        "effect-profile",
        f"Effects of {who} beside the human ones",
        points,
        slope=slope,
        intercept=scores.companions.caricature_intercept,
        slopes=None if ends is None else (ends.low, ends.high),
        said=", ".join(said),
        level=scores.level,
        width=units,
    )


def conclusions_picture(
    result: Scored, *, labels: str = "full", units: float = plots.WIDTH
) -> Picture | None:
    """Draw the conclusions of people against those of the model, as expected numbers of tests."""
    scores, who = _people(result, labels)
    found = expected_conclusions(scores.tests)
    if not found:
        return None
    states = plot_effects.STATES
    counts = {
        (states[i], states[j]): found.get((i, j), 0.0)
        for i, j in product(range(len(states)), range(len(states)))
    }
    title, same = f"Conclusions of people and of {who}", same_conclusions(found)
    return plot_effects.mosaic("conclusions", title, counts, same=same, width=units)


def losses_picture(result: Scored, *, labels: str = "full", units: float = plots.WIDTH) -> Picture | None:
    """Draw where points are lost; without a ceiling there is nothing to lose them against."""
    scores, who = _people(result, labels)
    lost = lost_points(scores.pas, scores.studies)
    return plot_effects.losses("losses", f"Where {who} loses points", lost, width=units) if lost else None


def _score_mark(name: str, score: Score, *, strong: bool = False) -> plots.Mark:
    bounds = score.bounds
    return plots.Mark(
        name,
        score.value,
        score.interval,
        score.fresh.interval,
        floor=None if bounds is None else bounds.floor.value,
        ceiling=None if bounds is None else bounds.ceiling.value,
        strong=strong,
    )


def _by_study(
    result: Scored, metric: str, label: str, limits: tuple[float, float], labels: str, units: float
) -> Picture | None:
    scores, who = _people(result, labels)
    marks = [
        _score_mark(row.group.name, getattr(row.group, metric), strong=row.is_domain)
        for row in group_rows(scores)
    ]
    if all(mark.value is None for mark in marks):
        return None
    level = level_words(scores.level)
    return plots.intervals(
        f"{metric}-by-study",
        f"{metric.upper()} by study, {who}",
        marks,
        label=label,
        limits=limits,
        key=(f"{level}: other studies like these", f"{level}: new participants"),
        width=units,
    )


def pas_picture(result: Scored, *, labels: str = "full", units: float = plots.WIDTH) -> Picture | None:
    """Draw PAS of every study with its intervals, floor and ceiling."""
    return _by_study(result, "pas", "PAS: probability of the same conclusion", (0, 1), labels, units)


def ecs_picture(result: Scored, *, labels: str = "full", units: float = plots.WIDTH) -> Picture | None:
    """Draw ECS of every study with its intervals, floor and ceiling."""
    return _by_study(result, "ecs", "ECS: concordance of effect sizes", (-1, 1), labels, units)


def forest_picture(
    result: Scored, *, agent: str | None = None, labels: str = "full", units: float = plots.WIDTH
) -> Picture | None:
    """Draw the tests of one study, by default the first."""
    scores, who = _people(result, labels)
    study = next((one.study for one in scores.tests), None) if agent is None else agent
    tests = [test for test in scores.tests if test.study == study]
    if all(test.human_effect_d is None and test.agent_effect_d is None for test in tests):
        return None
    pairs = [
        plot_effects.ForestRow(
            test.test,
            (test.human_effect_d, *d_ends(test, "human", scores.level)),
            (test.agent_effect_d, *d_ends(test, "agent", scores.level)),
        )
        for test in tests
    ]
    return plot_effects.forest("forest", f"Effects of {study}, people and {who}", pairs, level=scores.level)


_NO_ANSWER = "no answer"
_OUTCOMES: dict[str, tuple[str, ...]] = {
    _NO_ANSWER: (),
    "refused": (ReadOutcome.REFUSED,),
    "unreadable": (ReadOutcome.UNREADABLE, ReadOutcome.SEVERAL, ReadOutcome.OUT_OF_RANGE),
    "read": (ReadOutcome.OK,),
}
"""Outcomes of answers as a picture joins them; all others are no answer."""


def outcomes_picture(result: StudiesResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw what became of the answers of each study, those with most that could not be read first."""
    rows = []
    for study, counted in result.outcomes.items():
        n = sum(counted.values())
        if n:
            found = Counter({part: 0 for part in _OUTCOMES})
            for outcome, times in counted.items():
                found[next((part for part, some in _OUTCOMES.items() if outcome in some), _NO_ANSWER)] += (
                    times
                )
            rows.append((study, tuple(times / n for times in found.values())))
    rows.sort(key=lambda one: one[1][-1])
    return plots.shares(
        "outcomes", "What became of the answers", rows, tuple(_OUTCOMES), label="share of answers",
        caption="Answers of each study that were read, could not be read, were refused or did not come.",
        width=units,
    ) if rows else None  # fmt: skip


def agents_picture(result: AgentsResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw PAS of every agent with its interval, the highest first."""
    marks = [_agent_mark(agent.name, agent.pas) for agent in result.in_order() if agent.pas.value is not None]
    if not marks:
        return None
    return plots.intervals(
        "agents",
        f"PAS of {len(marks)} agents",
        marks,
        label="PAS: probability of the same conclusion",
        limits=(0, 1),
        width=units,
    )


def specifications_picture(result: AgentsResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw PAS of all agents from the highest to the lowest, below it which choices each is made of."""
    shown = [agent for agent in result.in_order() if agent.pas.value is not None]
    choices = choices_of([agent.name for agent in shown])
    if len(shown) < 3:
        return None
    found = result.chosen
    words = "the best, on studies that it was not chosen on"
    lines = [] if found is None or found.value is None else [(found.value, words)]
    return plots.specifications(
        "specifications",
        f"PAS of {len(shown)} agents by what was chosen",
        [plots.estimate_mark(agent.name, agent.pas.estimate) for agent in shown],
        choices,
        label="PAS: probability of the same conclusion",
        lines=lines,
        width=units,
    )


def _agent_mark(name: str, pas: Score) -> plots.Mark:
    bounds = pas.bounds
    return plots.Mark(
        name,
        pas.value,
        pas.interval,
        floor=None if bounds is None else bounds.floor.value,
        ceiling=None if bounds is None else bounds.ceiling.value,
    )


def referee_picture(result: RefereeResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw agent minus human d of the tests that differ most, with the meta-analytic mean."""
    found = result.referee
    known = [(test, test.difference(found.level)) for test in found.tests]
    known = [(test, one) for test, one in known if one.interval is not None]
    known.sort(key=lambda pair: -abs(_distance(pair[0])))
    marks = plots.highest_first(
        [plots.estimate_mark(_test_name(test), one) for test, one in known[:MOST_ROWS]]
    )
    mean = found.difference.mean
    if mean.interval is not None:
        marks.insert(0, plots.estimate_mark("mean of all tests", mean, strong=True))
    if not marks:
        return None
    who = "the agent" if result.model is None else result.model
    return plots.intervals(
        "referee",
        f"Agent minus human d, {who}",
        marks,
        label="agent − human, d",
        lines=((0.0, "no difference"),),
        width=units,
    )


def _distance(test: RefereeTest) -> float:
    d, se = test.difference_d, test.difference_se
    return 0.0 if d is None or not se else d / se


def _test_name(test: RefereeTest) -> str:
    # a finding that its test names again says nothing
    finding = "" if test.finding in test.test else f" {test.finding}"
    return f"{test.study}{finding} {test.test}"


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
_MOST_LOOKS = 25
"""Looks that are drawn at most: the last, and others at even steps before it."""


def combined_picture(result: CombineResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw every estimate from people alone and from people and predictions together."""
    title, parts = "People alone, and with predictions", []
    for kind in dict.fromkeys(
        one.kind for one in result.estimates
    ):  # a mean and a share have no axis in common
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
            parts.append(plots.intervals("combined", title, marks, label=what, width=units))
    if len(parts) < 2:
        return next(iter(parts), None)
    return replace(stacked(parts, units, columns=1), name="combined", title=title)


def looks_picture(result: SequentialResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the interval after every batch, against the people bought."""
    step = -(-len(result.looks) // _MOST_LOOKS)
    shown = result.looks[::-step][::-1]
    marks = [plots.estimate_mark(f"{one.n_people:,} people", one.estimate) for one in shown]
    if all(mark.value is None for mark in marks):
        return None
    return plots.intervals("looks", "After every batch of people", marks, label=result.of, width=units)


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
    ends_here = f"another sample of people would end here ({level_words(result.level)})"
    canvas = Canvas()
    canvas.rect("human", 4, 6, 10, 10)
    canvas.text(18, 15, "answers of people", kind="s")
    canvas.rect("model", 134, 6, 10, 10)
    canvas.text(148, 15, one.agent, kind="s", width=140)
    after = 164 + min(140.0, reach(one.agent))
    canvas.rect("band", after, 6, 10, 10)
    canvas.text(after + 14, 15, ends_here, kind="s", width=max(60.0, units - after - 18))
    names = [name for outcome in drawn for name in (outcome.name, outcome.study)]
    room = min(_NAMES, max(60.0, *(reach(name) + 12 for name in names)))
    for i, outcome in enumerate(drawn):
        _mirrored(canvas, outcome, _TOP + _ROW * i, (room, units - 10), result.level)
    said = "; ".join(_outcome_said(outcome) for outcome in drawn)
    title = f"Answers of people and of {one.agent}"
    rows = [("outcome", "answer", "share of people", "share of agent")]
    rows += [
        (outcome.outcome, label, number(h, 4), number(a, 4))
        for outcome in drawn
        for label, h, a in zip(outcome.labels, outcome.human_shares, outcome.agent_shares, strict=True)
    ]
    height = _TOP + _ROW * len(drawn) + 6
    caption = (
        "Shares of answers: people above the line, the agent below; each outcome has its own height. Pale: "
        f"where another sample of people would end ({level_words(result.level)})."
    )
    return Picture(
        "answers", title, f"{title}. {said}.", units, height, str(canvas), rows=tuple(rows), caption=caption
    )


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
        canvas.rect("model", x + step * 0.12, middle, step * 0.56, scale(q), note=f"{label}: agent {q:.0%}")
    canvas.line("axis", left, middle, right, middle)
    every = max(1, math.ceil(len(outcome.labels) / 12))
    for i in range(0, len(outcome.labels), every):
        x = left + step * (i + 0.5)
        canvas.text(x, middle + half + 14, outcome.labels[i], kind="s", anchor="middle", width=step * every)


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
        f"{what} of answers, {one.agent} to people",
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
        f"Error of groups' means, {one.agent}",
        marks,
        label="agent minus people, in SDs of people",
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
        f"Median variance ratio of {len(marks)} agents",
        marks,
        label="variance, agent to people",
        lines=[(1.0, "as people")],
        width=units,
    )
