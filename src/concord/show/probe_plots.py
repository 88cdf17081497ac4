"""Pictures of interventions on reasoning: the early-answer curve, the gap in two parts, flips, hints."""

from collections.abc import Sequence

from concord.errors import OptionError
from concord.reasoning.hints.leaderboard import HintLeaderboard, HintModel
from concord.reasoning.probes.result import EarlyScores, ProbeResult
from concord.reasoning.result import LINE
from concord.records import Estimate
from concord.show import plots
from concord.show.plots import Mark, short, ticks
from concord.show.svg import Canvas, Picture, Scale, fitted_names, reach

WEAK = 0.5
"""Step-F1 below which content is called weak, where the whole interval lies there."""


def estimate_mark(label: str, found: Estimate) -> Mark:
    """Return a number with its interval as a row of a chart."""
    level = None if found.interval is None else found.interval.level
    return Mark(label, found.value, *found.ends, level=level)


def framed(canvas: Canvas, x: Scale, y: Scale, across: str, up: str) -> None:
    """Draw both axes with grid and names."""
    plots.axis(canvas, x, y.end, y.start, across)
    for tick in ticks(y.low, y.high):
        canvas.line("grid", x.start, y(tick), x.end, y(tick))
        canvas.text(x.start - 6, y(tick) + 4, f"{tick:g}".replace("-", "−"), kind="s", anchor="end")
    canvas.line("axis", x.start, y.start, x.start, y.end)
    canvas.text(x.start, y.end - 8, up, kind="s")


def early_picture(model: str, early: EarlyScores) -> Picture:
    """Draw how often the answer is already the final one, against the share of the chain, with a band."""
    known = [
        (point.share, point.same, point.correct) for point in early.curve if point.same.value is not None
    ]
    if not known:
        raise OptionError(f"{model}: {early.aoc.note}; there is no curve to draw")
    x, y = Scale(0, 1, 52, plots.WIDTH - 14), Scale(0, 1, 258, 30)
    canvas = Canvas()
    framed(canvas, x, y, "share of the chain that was given", "same answer as at the end")
    for end in ("low", "high"):
        ends = [
            (x(share), y(getattr(same.interval, end)))
            for share, same, _ in known
            if same.interval is not None
        ]
        if len(ends) > 1:
            canvas.path("ref", ends)
    canvas.path("sweep", [(x(share), y(same.value)) for share, same, _ in known if same.value is not None])
    right = [(x(share), y(correct.value)) for share, _, correct in known if correct.value is not None]
    if len(right) > 1:
        canvas.path("slope", right)
    for share, same, _ in known:
        if same.value is not None:
            canvas.circle("model", x(share), y(same.value), 4, f"{share:.0%}: {short(same.value)}")
    canvas.line("sweep", 60, 316, 88, 316)
    canvas.text(94, 320, "same answer (dashed: 95 %)", kind="s")
    canvas.line("slope", 300, 316, 328, 316)
    canvas.text(334, 320, "right answer", kind="s")
    title = f"Early answers of {model}"
    said = ", ".join(f"{share:.0%}: {short(same.value)}" for share, same, _ in known)
    area = f"Area over the curve {short(early.aoc.value)}."
    rows = (
        ("share of the chain", "same answer", "low", "high", "right answer"),
        *((share, same.value, *same.ends, correct.value) for share, same, correct in known),
    )
    caption = (
        f"Share of answers that are already the final one, by the share of the chain that was given "
        f"(n = {early.aoc.n}); dashed: 95 % intervals."
    )
    return Picture(
        "early", title, f"{title}. {area} {said}.", plots.WIDTH, 332, str(canvas), rows=rows, caption=caption
    )


def filler_picture(results: Sequence[ProbeResult]) -> Picture:
    """Draw the gap and its two parts."""
    marks = []
    for result in results:
        part = result.scores.filler
        if part is not None:
            prefix = f"{result.model}: " if len(results) > 1 else ""
            marks += [
                estimate_mark(f"{prefix}gap", part.gap),
                estimate_mark(f"{prefix}words", part.content),
                estimate_mark(f"{prefix}computation", part.computation),
            ]
    lines = [(0.0, "0"), (LINE, "0.10")]
    title = "What the words did, and what the extra computation did"
    return plots.intervals("filler", title, marks, label="difference of accuracies", lines=lines)


def flips_picture(results: Sequence[ProbeResult]) -> Picture:
    """Draw changed answers beside their floor."""
    marks = []
    for result in results:
        prefix = f"{result.model}: " if len(results) > 1 else ""
        for name, part in (("mistake", result.scores.mistake), ("pairs", result.scores.pairs)):
            if part is not None:
                marks.append(estimate_mark(f"{prefix}{name}", part.flips))
                marks.append(estimate_mark(f"{prefix}{name}, floor", part.floor))
    title = "Answers that change, and those that change by themselves"
    return plots.intervals("flips", title, marks, label="share of answers", limits=(0, 1))


def two_ends_picture(
    name: str,
    title: str,
    rows: Sequence[tuple[str, Estimate, Estimate, Estimate]],
    *,
    width: float = plots.WIDTH,
) -> Picture:
    """Draw how many moved answers say so, in thinking and answer: one row each, most open on top."""
    shown = sorted((row for row in rows if row[1].value is not None), key=_most_open_key)
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
    known = any(thinking.interval or answer.interval for _, _, thinking, answer in shown)
    lines = ", lines are 95 % intervals" if known else ""
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


def hints_picture(result: ProbeResult) -> Picture:
    """Draw a model's kinds of hint."""
    if result.scores.hints is None:
        raise OptionError(f"{result.model} was given no hints; there is nothing to draw")
    rows = [
        (
            one.kind.replace("_", " "),
            one.influence,
            one.verbalised["mention"]["thinking"],
            one.verbalised["mention"]["answer"],
        )
        for one in result.scores.hints.kinds[1:]
    ]
    return two_ends_picture("hints", f"Hints given to {result.model}: who says so", rows)


def mean_influence(one: HintModel) -> Estimate:
    """Return the mean influence over kinds of hint, without an interval."""
    known = [found.value for found in one.influence.values() if found.value is not None]
    if not known:
        return Estimate(None, note="influence is not given")
    return Estimate(sum(known) / len(known), None, len(known), note="mean over kinds of hint")


def board_picture(result: HintLeaderboard) -> Picture:
    """Draw all models of a leaderboard."""
    rows = [(one.model, mean_influence(one), one.thinking, one.answer) for one in result.scores.models]
    return two_ends_picture(
        "hint-models", f"Moved by a hint: does the model say so? {len(rows)} models", rows
    )


def said_picture(result: HintLeaderboard) -> Picture:
    """Draw how often each model says so, with intervals."""
    marks = [estimate_mark(one.model, one.verbalised) for one in result.scores.models]
    return plots.intervals(
        "hint-ranking", "Influenced answers that say so", marks, label="share of answers", limits=(0, 1)
    )


def joint_words(gap: Estimate, step_f1: Estimate) -> str:
    """Name the quadrant of gap and content, from their intervals only.

    Examples
    --------
    >>> from concord.records import Interval
    >>> large = Estimate(0.3, Interval(0.2, 0.4, 0.95, ""))
    >>> joint_words(large, Estimate(0.1, Interval(0.05, 0.2, 0.95, "")))
    'large gap, weak content'
    >>> joint_words(large, Estimate(0.45, Interval(0.3, 0.6, 0.95, "")))
    'undecided'
    """
    if gap.interval is None or step_f1.interval is None:
        return "undecided"
    large = gap.interval.low > LINE or None if gap.interval.high > LINE else False
    weak = step_f1.interval.high < WEAK or None if step_f1.interval.low < WEAK else False
    if large is None or weak is None:
        return "undecided"
    return f"{'large' if large else 'no large'} gap, {'weak' if weak else 'good'} content"


def joint_picture(rows: Sequence[tuple[str, Estimate, Estimate]]) -> Picture:
    """Draw the gap across and Step-F1 up, each model with both intervals."""
    x, y = Scale(-0.6, 1, 52, plots.WIDTH - 14), Scale(0, 1, 318, 30)
    canvas = Canvas()
    framed(canvas, x, y, "gap: accuracy after reasoning − early", "Step-F1: content of the reasoning")
    canvas.line("ref", x(LINE), y.start, x(LINE), y.end)
    canvas.line("ref", x.start, y(WEAK), x.end, y(WEAK))
    told = []
    for model, gap, steps in rows:
        if gap.value is None or steps.value is None:
            continue
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
    return Picture("joint", title, f"{title}. {'; '.join(told)}.", plots.WIDTH, 366, str(canvas))


def draw_probes(result: ProbeResult, kind: str = "early") -> Picture:
    """Draw what interventions found."""
    if kind == "early":
        if result.scores.early is None:
            raise OptionError(f"{result.model} was not asked for early answers; draw another kind")
        return early_picture(result.model, result.scores.early)
    made = {"filler": filler_picture, "flips": flips_picture}
    if kind in made:
        return made[kind]([result])
    if kind == "hints":
        return hints_picture(result)
    raise OptionError(f"there is no picture {kind!r}; there are early, filler, flips, hints")


def draw_board(result: HintLeaderboard, kind: str = "models") -> Picture:
    """Draw a leaderboard of hints: ``models`` (by default) or ``ranking``."""
    made = {"models": board_picture, "ranking": said_picture}
    if kind not in made:
        raise OptionError(f"there is no picture {kind!r}; there are {', '.join(made)}")
    return made[kind](result)
