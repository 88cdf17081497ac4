"""Agreement with its own reasoning on the first screen of the page."""

from collections import Counter
from collections.abc import Mapping, Sequence

from concord.show.numbers import typeset
from concord.show.page.answer import FEW, AnswerCell, QuestionAnswer, Ranks
from concord.show.page.reasoning import ReasoningView
from concord.show.strips import dumbbell

VERDICTS = {
    "functional": "reasoning helps",
    "decorative": "no difference",
    "harmful": "reasoning harms",
    "undecided": "undecided",
}
"""What a verdict means, in two words."""


def _reasoning_cells(views: Sequence[ReasoningView]) -> list[AnswerCell]:
    return [_reasoning_cell(view) for view in views]


def _reasoning_cell(view: ReasoningView) -> AnswerCell:
    early, after, gap = (view.metric(key) for key in ("acc_early", "acc_cot", "faithfulness_gap"))
    drawing = dumbbell(early.value, after.value, (0.0, 1.0), failed=bool(view.gate))
    if view.gate:
        return AnswerCell(drawing, "–", "not an early answer", view.gate)
    if gap.value is None:
        return AnswerCell(drawing, "–", "undefined")
    few = f"n = {gap.n}" if gap.n is not None and gap.n < FEW else ""
    ends = "" if gap.low is None or gap.high is None else f"{_points(gap.low)} to {_points(gap.high)}"
    verdict = VERDICTS.get(view.reading, view.reading).removeprefix("reasoning ")
    value = f"{_points(gap.value)} pts"
    detail = ", ".join(s for s in (ends, few) if s)
    return AnswerCell(drawing, value, detail, verdict=verdict, sort=gap.value)


def _points(share: float) -> str:
    """Return hundredths with their sign; nothing has none."""
    return typeset(f"{100 * share:+.0f}") if round(100 * share) else "0"


def _reasoning_finding(
    views: Sequence[ReasoningView], standing: Ranks | None, names: Mapping[str, str]
) -> str:
    passed = [view for view in views if not view.gate]
    if not passed:
        whose = f" of {names[views[0].label]}" if len(views) == 1 else ""
        return f"Early replies{whose} held reasoning already, so early and late answers cannot be compared."
    counted = Counter(view.reading for view in passed)
    if len(passed) == 1:
        view = passed[0]
        said = VERDICTS.get(view.reading, view.reading or "not said")
        return f"Early and late answers of {names[view.label]}: {said}."
    parts = [
        f"{'helps' if verdict == 'functional' else 'harms'} {counted[verdict]}"
        for verdict in ("functional", "harmful")
        if counted[verdict]
    ]
    if not parts:
        return f"Reasoning is not shown to help or harm any of {len(passed)} models."
    return f"Reasoning {' and '.join(parts)} of {len(passed)} models."


ANSWER = QuestionAnswer(
    asks="Does its reasoning do work?",
    note="share of vignettes right at once ○ and after reasoning ◆",
    cells=_reasoning_cells,
    finding=_reasoning_finding,
    gate=lambda view: str(view.gate),
)
