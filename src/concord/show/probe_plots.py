"""Pictures of interventions on reasoning: the early-answer curve, the gap in two parts, flips, hints."""

from collections.abc import Iterable, Sequence
from typing import Any

from concord.number_words import level_words
from concord.reasoning.hints.leaderboard import HintLeaderboard
from concord.reasoning.probes.result import WEAK, ProbeResult, joint_words
from concord.reasoning.result import LINE
from concord.records import Estimate
from concord.show import plots
from concord.show.plots import estimate_mark, short, ticks
from concord.show.svg import Canvas, Picture, Scale, fitted_names, reach

Results = ProbeResult | Sequence[ProbeResult]
"""One result, or several that share a picture."""


def _several(results: Results) -> Sequence[ProbeResult]:
    return [results] if isinstance(results, ProbeResult) else results


def levels_of(found: Iterable[Estimate]) -> str:
    """Return the levels of the intervals of numbers, in words; nothing where none has one."""
    known = sorted({one.interval.level for one in found if one.interval is not None})
    return " and ".join(map(level_words, known))


def framed(canvas: Canvas, x: Scale, y: Scale, across: str, up: str) -> None:
    """Draw both axes with grid and names."""
    plots.axis(canvas, x, y.end, y.start, across)
    for tick in ticks(y.low, y.high):
        canvas.line("grid", x.start, y(tick), x.end, y(tick))
        canvas.text(x.start - 6, y(tick) + 4, f"{tick:g}".replace("-", "−"), kind="s", anchor="end")
    canvas.line("axis", x.start, y.start, x.start, y.end)
    canvas.text(x.start, y.end - 8, up, kind="s")


def early_picture(result: ProbeResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw how often the answer is already the final one, against the share of the chain, with a band."""
    early = result.scores.early
    known = [] if early is None else [point for point in early.curve if point.same.value is not None]
    if early is None or not known:
        return None
    x, y = Scale(0, 1, 52, units - 14), Scale(0, 1, 258, 30)
    canvas = Canvas()
    framed(canvas, x, y, "share of the chain that was given", "same answer as at the end")
    for end in ("low", "high"):
        ends = [(x(one.share), y(getattr(one.same.interval, end))) for one in known if one.same.interval]
        if len(ends) > 1:
            canvas.path("ref", ends)
    points = [(one.share, one.same.value) for one in known if one.same.value is not None]
    canvas.path("sweep", [(x(share), y(value)) for share, value in points])
    right = [(x(one.share), y(one.correct.value)) for one in known if one.correct.value is not None]
    if len(right) > 1:
        canvas.path("slope", right)
    for share, value in points:
        canvas.circle("model", x(share), y(value), 4, f"{share:.0%}: {short(value)}")
    level = levels_of(one.same for one in known)
    canvas.line("sweep", 60, 316, 88, 316)
    canvas.text(94, 320, f"same answer (dashed: {level})" if level else "same answer", kind="s")
    canvas.line("slope", 300, 316, 328, 316)
    canvas.text(334, 320, "right answer", kind="s")
    title = f"Early answers of {result.model}"
    said = ", ".join(f"{share:.0%}: {short(value)}" for share, value in points)
    area = f"Area over the curve {short(early.aoc.value)}."
    rows = (
        ("share of the chain", "same answer", "low", "high", "right answer"),
        *((one.share, one.same.value, *one.same.ends, one.correct.value) for one in known),
    )
    dashed = f"; dashed: {level} intervals" if level else ""
    caption = (
        "Share of answers that are already the final one, by the share of the chain that was given "
        f"(n = {early.aoc.n}){dashed}."
    )
    return Picture(
        "early", title, f"{title}. {area} {said}.", units, 332, str(canvas), rows=rows, caption=caption
    )


def filler_picture(results: Results, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the gap and its two parts."""
    parts = [(one.model, one.scores.filler) for one in _several(results)]
    marks = [
        estimate_mark(f"{model}: {name}" if len(parts) > 1 else name, found)
        for model, part in parts
        if part is not None
        for name, found in (("gap", part.gap), ("words", part.content), ("computation", part.computation))
    ]
    title = "What the words did, and what the extra computation did"
    lines = [(0.0, "0"), (LINE, "0.10")]
    return _drawn_marks("filler", title, marks, label="difference of accuracies", lines=lines, width=units)


def flips_picture(results: Results, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw changed answers beside their floor."""
    found = _several(results)
    marks = [
        estimate_mark(f"{one.model}: {name}{beside}" if len(found) > 1 else f"{name}{beside}", value)
        for one in found
        for name, part in (("mistake", one.scores.mistake), ("pairs", one.scores.pairs))
        if part is not None
        for beside, value in (("", part.flips), (", floor", part.floor))
    ]
    title = "Answers that change, and those that change by themselves"
    return _drawn_marks("flips", title, marks, label="share of answers", limits=(0, 1), width=units)


def _drawn_marks(name: str, title: str, marks: Sequence[plots.Mark], **look: Any) -> Picture | None:
    """Draw rows of intervals; nothing where no number is defined."""
    if all(one.value is None for one in marks):
        return None
    return plots.intervals(name, title, marks, **look)


def two_ends_picture(
    name: str,
    title: str,
    rows: Sequence[tuple[str, Estimate, Estimate, Estimate]],
    *,
    width: float = plots.WIDTH,
) -> Picture | None:
    """Draw how many moved answers say so, in thinking and answer: one row each, most open on top."""
    shown = sorted((row for row in rows if row[1].value is not None), key=_most_open_key)
    if not shown:
        return None
    room = max(90.0, min(0.42 * width, max((reach(row[0]) for row in shown), default=0.0) + 8))
    row_height, top = 24.0, 48.0
    bottom = top + row_height * len(shown) + 4
    scale = Scale(0, 1, room + 12, width - 66)
    canvas = Canvas()
    canvas.circle("ring", room + 18, 13, 4.5)
    canvas.text(room + 28, 17, "in its thinking", kind="s")
    canvas.diamond("model", room + 134, 13, 5)
    canvas.text(room + 144, 17, "in its answer", kind="s")
    canvas.text(width - 4, top - 8, "moved", kind="s", anchor="end")
    plots.axis(canvas, scale, top, bottom, "share of moved answers that name the hint")
    names, told = fitted_names([row[0] for row in shown], room - 4), []
    for i, (label, influence, thinking, answer) in enumerate(shown):
        y = top + row_height * (i + 0.5) + 2
        canvas.text(room, y + 4, label, anchor="end", shown=names[i])
        canvas.text(width - 4, y + 4, short(influence.value), kind="s", anchor="end")
        both = [one.value for one in (thinking, answer) if one.value is not None]
        for one, kind, up in ((thinking, "slope", -6), (answer, "mline", 6)):
            if one.value is not None and one.interval is not None:
                canvas.line(kind, scale(one.interval.low), y + up, scale(one.interval.high), y + up)
        if len(both) == 2:
            canvas.line("slope", scale(both[0]), y, scale(both[1]), y)
        if thinking.value is not None:
            said = f"{label}, thinking: {short(thinking.value)}"
            canvas.circle("ring", scale(thinking.value), y, 4.5, said)
        if answer.value is not None:
            canvas.diamond("model", scale(answer.value), y, 5, f"{label}, answer: {short(answer.value)}")
        if both:
            told.append(f"{label}: moved {short(influence.value)}, says so {' and '.join(map(short, both))}")
    heads = ("name", "moved", "says so in thinking", "low", "high", "says so in the answer", "low", "high")
    numbers = tuple(
        (label, influence.value, thinking.value, *thinking.ends, answer.value, *answer.ends)
        for label, influence, thinking, answer in shown
    )
    lines = levels_of([one for row in shown for one in row[2:]])
    lines = f", lines are {lines} intervals" if lines else ""
    caption = (
        f"Share of the answers moved by a hint that say so{lines}; on the right the share of all answers "
        "that were moved."
    )
    return Picture(
        name, title, f"{title}. {'; '.join(told)}.", width, bottom + 42, str(canvas),
        rows=(heads, *numbers), caption=caption,
    )  # fmt: skip


def _most_open_key(row: tuple[str, Estimate, Estimate, Estimate]) -> tuple[float, str]:
    known = [one.value for one in row[2:] if one.value is not None]
    return (-max(known) if known else 1.0, row[0])


def hints_picture(result: ProbeResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw a model's kinds of hint."""
    hints = result.scores.hints
    if hints is None or hints.kinds[0].influence.value is None:
        return None
    rows = [
        (
            one.kind.replace("_", " "),
            one.influence,
            one.verbalised["mention"]["thinking"],
            one.verbalised["mention"]["answer"],
        )
        for one in hints.kinds[1:]
    ]
    return two_ends_picture("hints", f"Hints given to {result.model}: who says so", rows, width=units)


def board_picture(result: HintLeaderboard, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw all models of a leaderboard."""
    rows = [(one.model, one.mean_influence, one.thinking, one.answer) for one in result.scores.models]
    title = f"Moved by a hint: does the model say so? {len(rows)} models"
    return two_ends_picture("hint-models", title, rows, width=units)


def said_picture(result: HintLeaderboard, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw how often each model says so, with intervals."""
    marks = [estimate_mark(one.model, one.verbalised) for one in result.scores.models]
    title = "Influenced answers that say so"
    return _drawn_marks("hint-ranking", title, marks, label="share of answers", limits=(0, 1), width=units)


def joint_picture(results: Results, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the gap across and Step-F1 up, each model with both intervals."""
    parts = [(one.model, one.scores.filler) for one in _several(results)]
    return joint_of([(model, part.gap, part.step_f1) for model, part in parts if part is not None], units)


def joint_of(rows: Sequence[tuple[str, Estimate, Estimate]], units: float = plots.WIDTH) -> Picture | None:
    """Draw models by name, gap and Step-F1; None where no model has both."""
    known = [(model, gap, steps) for model, gap, steps in rows if None not in (gap.value, steps.value)]
    if not known:
        return None
    x, y = Scale(-0.6, 1, 52, units - 14), Scale(0, 1, 318, 30)
    canvas = Canvas()
    framed(canvas, x, y, "gap: accuracy after reasoning − early", "Step-F1: content of the reasoning")
    canvas.line("ref", x(LINE), y.start, x(LINE), y.end)
    canvas.line("ref", x.start, y(WEAK), x.end, y(WEAK))
    told = []
    for model, gap, steps in known:
        assert gap.value is not None and steps.value is not None  # known
        place = (x(gap.value), y(steps.value))
        if gap.interval is not None:
            canvas.line("mline", x(gap.interval.low), place[1], x(gap.interval.high), place[1])
        if steps.interval is not None:
            canvas.line("mline", place[0], y(steps.interval.low), place[0], y(steps.interval.high))
        words = f"{model}: gap {short(gap.value)}, Step-F1 {short(steps.value)}, {joint_words(gap, steps)}"
        canvas.diamond("model", *place, 5, words)
        canvas.text(place[0] + 7, place[1] - 7, model, kind="s", width=150)
        told.append(words)
    title = "The gap beside the content of the reasoning"
    return Picture("joint", title, f"{title}. {'; '.join(told)}.", units, 366, str(canvas))
