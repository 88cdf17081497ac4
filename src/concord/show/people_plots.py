"""Pictures of agreement with people, of every kind of result; None where there is nothing to draw."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

from concord.errors import OptionError
from concord.number_words import level_words
from concord.people.agent_tables import choices_of
from concord.people.agents import AgentsResult
from concord.people.files import PeopleResult
from concord.people.picture_numbers import (
    calibration_bins,
    d_interval,
    expected_conclusions,
    lost_points,
    same_conclusions,
)
from concord.people.referee import RefereeResult, RefereeTest
from concord.people.result import TestResult
from concord.people.studies.results import StudiesResult
from concord.people.tables import group_rows
from concord.reading.records import ReadOutcome
from concord.show import plot_effects, plots
from concord.show.plot_models import score_mark
from concord.show.svg import Canvas, Picture, Scale
from concord.words import say

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
    """Return the tests that ECS uses."""
    for test in scores.compared_effects():
        human, agent = test.human_effect_d, test.agent_effect_d
        if human is not None and agent is not None:
            yield plot_effects.Effect(
                f"{test.study}: {test.test}",
                (human, *d_ends(test, "human", scores.level)),
                (agent, *d_ends(test, "agent", scores.level)),
                "" if test.domain is None else test.domain,
                test.replicates is True,
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
        middle=scores.mean_human_effect,
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
    states = list(enumerate(plot_effects.STATES))
    counts = {(p, m): found.get((i, j), 0.0) for (i, p), (j, m) in product(states, states)}
    title, same = f"Conclusions of people and of {who}", same_conclusions(found)
    return plot_effects.mosaic("conclusions", title, counts, same=same, width=units)


def losses_picture(result: Scored, *, labels: str = "full", units: float = plots.WIDTH) -> Picture | None:
    """Draw where points are lost; without a ceiling there is nothing to lose them against."""
    scores, who = _people(result, labels)
    lost = lost_points(scores.pas, scores.studies)
    return plot_effects.losses("losses", f"Where {who} loses points", lost, width=units) if lost else None


def calibration_picture(
    result: Scored, *, labels: str = "full", units: float = plots.WIDTH
) -> Picture | None:
    """Draw how often tests of like PAS came to the same verdict on both sides; None of few tests."""
    scores, who = _people(result, labels)
    bins = calibration_bins(scores.tests, scores.level)
    if not bins:
        return None
    x, y = Scale(0, 1, 52, units - 14), Scale(0, 1, 258, 30)
    canvas = Canvas()
    plots.frame(canvas, x, y, say("people.calibration.across"), say("people.calibration.up"), above=True)
    canvas.line("ref", x(0), y(0), x(1), y(1))
    for one in bins:
        canvas.line("mline", x(one.pas), y(one.low), x(one.pas), y(one.high))
        canvas.circle("model", x(one.pas), y(one.same), 4)
    title = say("people.calibration.title", model=who)
    said = "; ".join(f"{plots.short(one.pas)}: {plots.short(one.same)} of {one.n}" for one in bins)
    rows = (("PAS, mean", "same verdict", "low", "high", "tests"), *bins)
    n = sum(one.n for one in bins)
    caption = say("people.calibration.caption", n=n, level=scores.level)
    return Picture(
        "calibration", title, f"{title}. {said}.", units, 306, str(canvas), rows=rows, caption=caption
    )


def _by_study(
    result: Scored, metric: str, label: str, limits: tuple[float, float], labels: str, units: float
) -> Picture | None:
    scores, who = _people(result, labels)
    marks = [
        score_mark(row.group.name, getattr(row.group, metric), inner=True, strong=row.is_domain)
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
    level = scores.level
    pairs = [
        (
            test.test,
            (test.human_effect_d, *d_ends(test, "human", level)),
            (test.agent_effect_d, *d_ends(test, "agent", level)),
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
    marks = [score_mark(agent.name, agent.pas) for agent in result.in_order() if agent.pas.value is not None]
    if not marks:
        return None
    return plots.intervals(
        "agents",
        f"PAS of {len(marks)} models",
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
        f"PAS of {len(shown)} models by what was chosen",
        [plots.estimate_mark(agent.name, agent.pas.estimate) for agent in shown],
        choices,
        label="PAS: probability of the same conclusion",
        lines=lines,
        width=units,
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
    who = "the model" if result.model is None else result.model
    return plots.intervals(
        "referee",
        f"Effects of {who} minus people's",
        marks,
        label="model − people, d",
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
