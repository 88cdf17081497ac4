"""Pictures of answers: mirrored histograms with the band of people, variance ratios, means of groups."""

import math
from collections.abc import Sequence

from concord.people.answers.result import AgentAnswers, GroupSummary, OutcomeAnswers
from concord.show import plots
from concord.show.numbers import number
from concord.show.svg import Canvas, Picture, Scale, reach

MOST_OUTCOMES = 8
"""Outcomes that are drawn one by one."""
MOST_RATIOS = 40
WIDTH = 640.0
_ROW = 92.0
_TOP = 34.0
_NAMES = 190.0
"""Room for the longest names of outcomes."""


def histograms_picture(one: AgentAnswers) -> Picture | None:
    """Draw people above and the agent below a line, for the outcomes farthest from people.

    The pale band on the agent's side is where another sample of people of its size would end.
    """
    drawn = [outcome for outcome in one.outcomes if outcome.human_shares]
    drawn = sorted(drawn, key=_distance_first)[:MOST_OUTCOMES]
    if not drawn:
        return None
    canvas = Canvas()
    canvas.rect("human", 4, 6, 10, 10)
    canvas.text(18, 15, "answers of people", kind="s")
    canvas.rect("model", 134, 6, 10, 10)
    canvas.text(148, 15, one.agent, kind="s", width=140)
    after = 164 + min(140.0, reach(one.agent))
    canvas.rect("band", after, 6, 10, 10)
    canvas.text(after + 14, 15, "another sample of people would end here (95 %)", kind="s")
    names = [name for outcome in drawn for name in (_outcome_name(outcome), outcome.study)]
    room = min(_NAMES, max(60.0, *(reach(name) + 12 for name in names)))
    for i, outcome in enumerate(drawn):
        _mirrored(canvas, outcome, _TOP + _ROW * i, room)
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
        "where another sample of people would end (95 %)."
    )
    return Picture(
        "answers", title, f"{title}. {said}.", WIDTH, height, str(canvas), rows=tuple(rows), caption=caption
    )


def _outcome_name(outcome: OutcomeAnswers) -> str:
    return f"{outcome.outcome} {outcome.condition}".strip()


def _distance_first(outcome: OutcomeAnswers) -> float:
    tvd = outcome.numbers.get("tvd")
    return 0.0 if tvd is None or tvd.estimate.value is None else -tvd.estimate.value


def _outcome_said(outcome: OutcomeAnswers) -> str:
    tvd = outcome.numbers.get("tvd")
    value = None if tvd is None else tvd.estimate.value
    return f"{outcome.outcome}: total variation distance {plots.short(value)}"


def _mirrored(canvas: Canvas, outcome: OutcomeAnswers, top: float, room: float) -> None:
    """Draw one outcome: bars of people up, of the agent down."""
    left, right, half = room, WIDTH - 10, 34.0
    middle = top + half + 6
    highest = max(*outcome.human_shares, *outcome.agent_shares, 1e-9)
    scale = Scale(0.0, highest, 0.0, half)
    step = (right - left) / len(outcome.labels)
    canvas.text(4, middle - 4, _outcome_name(outcome), kind="b", width=room - 12)
    canvas.text(4, middle + 12, outcome.study, kind="s", width=room - 12)
    for i, (label, p, q) in enumerate(
        zip(outcome.labels, outcome.human_shares, outcome.agent_shares, strict=True)
    ):
        x = left + step * i + step * 0.1
        canvas.rect("human", x, middle - scale(p), step * 0.8, scale(p), note=f"{label}: people {p:.0%}")
        low, high = _people_band(p, outcome)
        canvas.rect("band", x - step * 0.08, middle + scale(low), step * 0.96, scale(high) - scale(low))
        canvas.rect("model", x + step * 0.12, middle, step * 0.56, scale(q), note=f"{label}: agent {q:.0%}")
    canvas.line("axis", left, middle, right, middle)
    every = max(1, math.ceil(len(outcome.labels) / 12))
    for i in range(0, len(outcome.labels), every):
        x = left + step * (i + 0.5)
        canvas.text(x, middle + half + 14, outcome.labels[i], kind="s", anchor="middle", width=step * every)


def _people_band(p: float, outcome: OutcomeAnswers) -> tuple[float, float]:
    """Return where 95 % of other samples of people of the agent's size lie, around the share seen."""
    reach = 1.96 * math.sqrt(p * (1 - p) * (1 / max(outcome.n_people, 1) + 1 / max(outcome.n_agent, 1)))
    return max(0.0, p - reach), min(1.0, p + reach)


def ratios_picture(one: AgentAnswers) -> Picture | None:
    """Draw the variance ratio of every outcome with its interval; 1 is as people."""
    name = "variance_ratio" if "variance_ratio" in one.overall.numbers else "entropy_ratio"
    found = [(outcome, outcome.numbers[name].estimate) for outcome in one.outcomes if name in outcome.numbers]
    known = [(outcome, estimate) for outcome, estimate in found if estimate.value is not None]
    if not known:
        return None
    known.sort(key=lambda pair: 0.0 if pair[1].value is None else pair[1].value)
    marks = [
        plots.Mark(
            f"{outcome.outcome} {outcome.condition}".strip(),
            estimate.value,
            *estimate.ends,
        )
        for outcome, estimate in known[:MOST_RATIOS]
    ]
    what = "Variance" if name == "variance_ratio" else "Entropy"
    title = f"{what} of answers, {one.agent} to people"
    high = max(1.5, *(min(mark.high if mark.high is not None else 0.0, 3.0) for mark in marks))
    return plots.intervals(
        "answer-ratios",
        title,
        marks,
        label=f"{what.lower()} ratio",
        limits=(0, high),
        lines=[(1.0, "as people")],
    )


def groups_picture(one: AgentAnswers, groups: GroupSummary) -> Picture | None:
    """Draw the error of each group's mean with its interval; 0 is as people."""
    marks = [
        plots.Mark(
            f"{group.group} ({group.n_people})",
            group.error.value,
            *group.error.ends,
        )
        for group in groups.groups
    ]
    if not marks:
        return None
    title = f"Error of groups' means, {one.agent}"
    return plots.intervals(
        "answer-groups",
        title,
        marks,
        label="agent minus people, in SDs of people",
        lines=[(0.0, "as people")],
    )


def leaderboard_picture(agents: Sequence[AgentAnswers]) -> Picture | None:
    """Draw the median variance ratio of every agent with its interval."""
    marks = []
    for one in agents:
        found = one.overall.numbers.get("variance_ratio")
        if found is None or found.estimate.value is None:
            continue
        ends = found.estimate.interval
        low, high = (None, None) if ends is None else (ends.low, ends.high)
        marks.append(plots.Mark(one.agent, found.estimate.value, low, high))
    if not marks:
        return None
    title = f"Median variance ratio of {len(marks)} agents"
    return plots.intervals(
        "answer-agents", title, marks, label="variance, agent to people", lines=[(1.0, "as people")]
    )
