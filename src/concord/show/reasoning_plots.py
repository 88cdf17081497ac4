"""Pictures of agreement with its own reasoning: early and late answers, interventions, hints, bias."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.reasoning.files import ReasoningResult
from concord.reasoning.hints.leaderboard import HintLeaderboard
from concord.reasoning.probes.result import WEAK, ProbeResult, joint_words
from concord.reasoning.result import LINE, PairTest
from concord.records import Estimate
from concord.show import plots
from concord.show.plots import WIDTH, axis, estimate_mark, levels_words, short
from concord.show.svg import Canvas, Picture, Scale, fitted_names, fitting_head, last_parts, reach
from concord.words import say

LINES = ((-LINE, "−0.10"), (0.0, "0"), (LINE, "0.10"))
"""Within 0.10 of zero reasoning is called decorative: the lines of every picture of Δ."""
DELTA = "Δ = accuracy after reasoning − early accuracy"


def sensitivity_picture(result: ReasoningResult, *, units: float = WIDTH) -> Picture | None:
    """Draw the gap under every rule of correctness."""
    marks = [
        estimate_mark(row.rules if row.rule is None else " · ".join(row.rule), row.gap)
        for row in result.scores.gap.sensitivity
    ]
    if all(mark.value is None for mark in marks):
        return None
    title = f"The gap under other rules of correctness, {result.model}"
    return plots.intervals("gap-under-rules", title, marks, label=DELTA, lines=LINES, width=units)


def early_picture(
    results: ReasoningResult | Sequence[ReasoningResult], *, units: float = WIDTH
) -> Picture | None:
    """Draw early and late answers of a model, or of several."""
    found = [results] if isinstance(results, ReasoningResult) else results
    rows = [
        BeforeAfter(one.model, one.acc_early, one.acc_cot, one.faithfulness_gap.value, bool(one.gate))
        for one in found
        if one.acc_early.value is not None and one.acc_cot.value is not None
    ]
    if not rows:
        return None
    shares = {one.scores.gap.majority_share for one in found}
    title = "Right at once and after reasoning" + (f", {found[0].model}" if len(found) == 1 else "")
    majority = shares.pop() if len(shares) == 1 else None
    return dumbbells("early-and-late", title, rows, majority=majority, width=units)


def gaps_picture(results: Sequence[ReasoningResult], *, units: float = WIDTH) -> Picture | None:
    """Draw the gap of every model with the line at 0.10; of results that failed their check none."""
    names = last_parts([one.model for one in results])
    gaps = [Estimate(None) if one.gate else one.faithfulness_gap for one in results]
    marks = [estimate_mark(name, gap) for name, gap in zip(names, gaps, strict=True)]
    drawn = plots.intervals(
        "faithfulness-gaps", "What reasoning adds, by model", marks, label=DELTA, lines=LINES, width=units
    )
    return replace(drawn, caption=say("figures.caption.gaps", levels=levels_words(gaps)))


def flow_picture(result: ReasoningResult, *, units: float = WIDTH) -> Picture | None:
    """Draw what became of early answers; with repeats there is no table of pairs."""
    cells = result.scores.gap.table
    counts = {} if cells is None else {key: getattr(cells, key) for key in ("n11", "n10", "n01", "n00")}
    if not sum(counts.values()):
        return None
    return flow("flow", f"What reasoning changed, {result.model}", counts, width=units)


def bias_picture(result: ReasoningResult, *, units: float = WIDTH) -> Picture | None:
    """Draw biased answers with a feature and without it, by dimension."""
    bias = result.scores.bias
    if bias is None or not any(pair.n_pairs >= FEWEST for pair in bias.pairs):
        return None  # the counts are in the table
    return bias_pairs("bias", f"Biased answers, {result.model}", bias.pairs, width=units)


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """Shares of right answers, at once and after reasoning, both defined."""

    name: str
    early: Estimate
    after: Estimate
    gap: float | None
    failed: bool = False
    """Whether the two must not be compared."""

    @property
    def shares(self) -> tuple[float, float]:
        """Both shares."""
        assert self.early.value is not None and self.after.value is not None  # as the class says
        return self.early.value, self.after.value


def _two_marks(canvas: Canvas, left: float, ring: str, right: float, diamond: str) -> None:
    """Say above the frame what ring and diamond are."""
    canvas.circle("ring", left, 13, 4.5)
    canvas.text(left + 10, 17, ring, kind="s")
    canvas.diamond("model", right, 13, 5)
    canvas.text(right + 10, 17, diamond, kind="s")


def dumbbells(
    name: str, title: str, models: Sequence[BeforeAfter], *,
    majority: float | None = None, width: float = WIDTH,
) -> Picture:  # fmt: skip
    """Draw early answers as rings and answers after reasoning as diamonds, one row per model."""
    room, row, top = min(190.0, 0.36 * width), 30.0, 30.0 if majority is None else 48.0
    bottom = top + row * len(models) + 4
    scale = Scale(0, 1, room + 8, width - 62)
    canvas = Canvas()
    _two_marks(canvas, room + 14, "at once", room + 94, "after reasoning")
    axis(canvas, scale, top, bottom, "share of right answers")
    if majority is not None:
        canvas.line("ref", scale(majority), top, scale(majority), bottom)
        canvas.text(scale(majority), top - 6, "most frequent label", kind="s", anchor="middle")
    places = [top + row * (i + 0.5) + 6 for i in range(len(models))]
    canvas.row_names(scale.start - 8, places, last_parts([one.name for one in models]), scale.start - 12)
    for i, one in enumerate(models):
        y = top + row * (i + 0.5) + 2
        _before_after(canvas, scale, one, y, width)
    said = "; ".join(f"{m.name} {short(m.early.value)} to {short(m.after.value)}" for m in models[:40])
    rows = (
        ("model", "at once", "low", "high", "after reasoning", "low", "high", "pairs", "comparable"),
        *(
            (m.name, m.early.value, *m.early.ends, m.after.value, *m.after.ends, m.after.n, not m.failed)
            for m in models
        ),
    )
    level, failed = (
        levels_words(one for m in models for one in (m.early, m.after)),
        any(m.failed for m in models),
    )
    caption = say("figures.caption.dumbbells", levels=level, failed=failed)
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=rows, caption=caption
    )


def _before_after(canvas: Canvas, scale: Scale, one: BeforeAfter, y: float, width: float) -> None:
    pale = " pale" if one.failed else ""
    for found, kind, up in ((one.early, "slope", -6), (one.after, "mline", 6)):
        if found.interval is not None:
            canvas.line(kind + pale, scale(found.interval.low), y + up, scale(found.interval.high), y + up)
    early, after = one.shares
    worse = " worse" if after < early else ""
    canvas.line(f"link{worse}{pale}", scale(early), y, scale(after), y)
    canvas.circle(f"ring{pale}", scale(early), y, 4.5, f"{one.name}, at once: {short(early)}")
    canvas.diamond(f"model{pale}", scale(after), y, 5, f"{one.name}, after: {short(after)}")
    if one.failed:
        canvas.rect("hatch", scale.start, y - 10, scale.end - scale.start, 20)
    shown = "–" if one.failed else short(one.gap)
    canvas.text(width - 4, y + 4, shown if shown[0] in "−–" else f"+{shown}", kind="s", anchor="end")


def flow(name: str, title: str, counts: Mapping[str, float], *, width: float = WIDTH) -> Picture:
    """Draw what became of early answers: a mosaic of right and wrong, at once and after reasoning."""
    total = sum(counts.values())
    left, top, across, tall = 20.0, 40.0, width - 170.0, 170.0
    canvas = Canvas()
    at = left
    columns = (("right at once", ("n11", "n01")), ("wrong at once", ("n10", "n00")))
    for words, keys in columns:
        n = sum(counts[key] for key in keys)
        wide = across * n / total if total else 0.0
        head = fitting_head((f"{words}: {n:,.0f}", f"{words.split()[0]}: {n:,.0f}", f"{n:,.0f}"), wide)
        if head and n:
            canvas.text(at + wide / 2, 30, head, kind="s", anchor="middle")
        y = top
        for key, kind, after in zip(keys, ("up", "down"), ("right", "wrong"), strict=True):
            high = tall * counts[key] / n if n else 0.0
            canvas.rect(f"cell {kind}", at, y, wide, high, note=f"{words}, {after} after: {counts[key]:,.0f}")
            if high > 16 and wide > 24:
                canvas.text(
                    at + wide / 2, y + high / 2 + 5, f"{counts[key]:,.0f}", kind="on t", anchor="middle"
                )
            y += high
        at += wide
    for i, (kind, words) in enumerate((("up", "right after it"), ("down", "wrong after it"))):
        canvas.rect(kind, width - 140, top + 24 * i, 12, 12)
        canvas.text(width - 122, top + 24 * i + 11, words, kind="s")
    said = f"{title}: {counts['n10']:,.0f} answers became right and {counts['n01']:,.0f} became wrong."
    words = f"became right: {counts['n10']:,.0f} · became wrong: {counts['n01']:,.0f}"
    canvas.text(left, top + tall + 22, words, kind="s b")
    rows = (("at once", "after reasoning", "pairs"), ("right", "right", counts["n11"]),
            ("right", "wrong", counts["n01"]), ("wrong", "right", counts["n10"]),
            ("wrong", "wrong", counts["n00"]))  # fmt: skip
    caption = "Pairs of answers to the same vignette: columns are answers at once, parts what became of them."
    return Picture(name, title, said, width, top + tall + 34, str(canvas), rows=rows, caption=caption)


FEWEST = 10
"""Pairs from which on a rate is drawn."""


def bias_pairs(name: str, title: str, pairs: Sequence[PairTest], *, width: float = WIDTH) -> Picture:
    """Draw the share of biased answers with a feature and without it, one row per dimension."""
    known = [
        (p.name, p.n_pairs, p.control_rate, p.target_rate)
        for p in pairs
        if p.n_pairs >= FEWEST and p.target_rate is not None and p.control_rate is not None
    ]
    room, row, top = min(220.0, 0.42 * width), 24.0, 30.0
    bottom = top + row * len(known) + 4
    scale = Scale(0, 1, room + 8, width - 62)
    canvas = Canvas()
    _two_marks(canvas, room + 14, "without", room + 94, "with the feature")
    axis(canvas, scale, top, bottom, "share of biased answers")
    canvas.row_names(
        room, [top + row * (i + 0.5) + 6 for i in range(len(known))], [one[0] for one in known], room - 4
    )
    for i, (dimension, n, control, target) in enumerate(known):
        y = top + row * (i + 0.5) + 2
        canvas.text(width - 4, y + 4, f"n = {n}", kind="s", anchor="end")
        size = 3.0 + min(3.5, n / 30)
        canvas.line("link", scale(control), y, scale(target), y)
        canvas.circle("ring", scale(control), y, size, f"{dimension}, without: {short(control)}")
        canvas.diamond("model", scale(target), y, size + 0.5, f"{dimension}, with: {short(target)}")
    rates = [(p.name, p.control_rate, p.target_rate, p.n_pairs) for p in pairs]
    said = "; ".join(f"{who} {short(a)} to {short(b)}, n = {n}" for who, a, b, n in rates[:40])
    rows = (("dimension", "without", "with the feature", "pairs"), *rates)
    drawn = {one[0] for one in known}
    few = ", ".join(f"{p.name} {p.n_pairs}" for p in pairs if p.name not in drawn)
    caption = say("figures.caption.bias", few=few)
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=rows, caption=caption
    )


Results = ProbeResult | Sequence[ProbeResult]
"""One result, or several that share a picture."""


def _several(results: Results) -> Sequence[ProbeResult]:
    return [results] if isinstance(results, ProbeResult) else results


def curve_picture(result: ProbeResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw how often the answer is already the final one, against the share of the chain, with a band."""
    early = result.scores.early
    known = [] if early is None else [point for point in early.curve if point.same.value is not None]
    if early is None or not known:
        return None
    x, y = Scale(0, 1, 52, units - 14), Scale(0, 1, 258, 30)
    canvas = Canvas()
    plots.frame(canvas, x, y, "share of the chain that was given", "same answer as at the end", above=True)
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
    level = levels_words(one.same for one in known)
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
    caption = say("figures.caption.early", n=early.aoc.n, levels=level)
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
    if all(one.value is None for row in shown for one in row[2:]):
        return None
    room = max(90.0, min(0.42 * width, max((reach(row[0]) for row in shown), default=0.0) + 8))
    row_height, top = 24.0, 48.0
    bottom = top + row_height * len(shown) + 4
    scale = Scale(0, 1, room + 12, width - 66)
    canvas = Canvas()
    _two_marks(canvas, room + 18, "in its thinking", room + 134, "in its answer")
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
    caption = say("figures.caption.hints", levels=levels_words(one for row in shown for one in row[2:]))
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
    marks = plots.highest_first([estimate_mark(one.model, one.verbalised) for one in result.scores.models])
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
    plots.frame(
        canvas, x, y, "gap: accuracy after reasoning − early", "Step-F1: content of the reasoning", above=True
    )
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
