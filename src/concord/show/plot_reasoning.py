"""Pictures of agreement with its own reasoning: early and late answers, their flow, bias and its silence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.show.plots import WIDTH, axis, short
from concord.show.svg import Canvas, Picture, Scale, fitting_head, last_parts


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """Shares of right answers, at once and after reasoning; each with its interval where known."""

    name: str
    early: tuple[float, float | None, float | None]
    after: tuple[float, float | None, float | None]
    n: int | None = None
    failed: bool = False
    """Whether the two must not be compared."""


def dumbbells(
    name: str, title: str, models: Sequence[BeforeAfter], *,
    majority: float | None = None, width: float = WIDTH,
) -> Picture:  # fmt: skip
    """Draw early answers as rings and answers after reasoning as diamonds, one row per model."""
    room, row, top = min(190.0, 0.36 * width), 30.0, 30.0 if majority is None else 48.0
    bottom = top + row * len(models) + 4
    scale = Scale(0, 1, room + 8, width - 62)
    canvas = Canvas()
    canvas.circle("ring", room + 14, 13, 4.5)
    canvas.text(room + 24, 17, "at once", kind="s")
    canvas.diamond("model", room + 94, 13, 5)
    canvas.text(room + 104, 17, "after reasoning", kind="s")
    axis(canvas, scale, top, bottom, "share of right answers")
    if majority is not None:
        canvas.line("ref", scale(majority), top, scale(majority), bottom)
        canvas.text(scale(majority), top - 6, "most frequent label", kind="s", anchor="middle")
    places = [top + row * (i + 0.5) + 6 for i in range(len(models))]
    canvas.row_names(scale.start - 8, places, last_parts([one.name for one in models]), scale.start - 12)
    for i, one in enumerate(models):
        y = top + row * (i + 0.5) + 2
        _before_after(canvas, scale, one, y, width)
    said = "; ".join(f"{m.name} {short(m.early[0])} to {short(m.after[0])}" for m in models[:40])
    rows = (
        ("model", "at once", "low", "high", "after reasoning", "low", "high", "pairs", "comparable"),
        *((m.name, *m.early, *m.after, m.n, not m.failed) for m in models),
    )
    caption = (
        "Share of right answers at once and after reasoning, with 95 % intervals, on the same vignettes."
    )
    if any(m.failed for m in models):
        caption += " Hatched: the early replies held reasoning, so the two cannot be compared."
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=rows, caption=caption
    )


def _before_after(canvas: Canvas, scale: Scale, one: BeforeAfter, y: float, width: float) -> None:
    pale = " pale" if one.failed else ""
    for ends, kind, up in ((one.early, "slope", -6), (one.after, "mline", 6)):
        if ends[1] is not None and ends[2] is not None:
            canvas.line(kind + pale, scale(ends[1]), y + up, scale(ends[2]), y + up)
    worse = " worse" if one.after[0] < one.early[0] else ""
    canvas.line(f"link{worse}{pale}", scale(one.early[0]), y, scale(one.after[0]), y)
    canvas.circle(f"ring{pale}", scale(one.early[0]), y, 4.5, f"{one.name}, at once: {short(one.early[0])}")
    canvas.diamond(f"model{pale}", scale(one.after[0]), y, 5, f"{one.name}, after: {short(one.after[0])}")
    if one.failed:
        canvas.rect("hatch", scale.start, y - 10, scale.end - scale.start, 20)
    shown = "–" if one.failed else short(one.after[0] - one.early[0])
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
        head = fitting_head((f"{words}: {n:.0f}", f"{words.split()[0]}: {n:.0f}", f"{n:.0f}"), wide)
        if head and n:
            canvas.text(at + wide / 2, 30, head, kind="s", anchor="middle")
        y = top
        for key, kind, after in zip(keys, ("up", "down"), ("right", "wrong"), strict=True):
            high = tall * counts[key] / n if n else 0.0
            canvas.rect(f"cell {kind}", at, y, wide, high, note=f"{words}, {after} after: {counts[key]:.0f}")
            if high > 16 and wide > 24:
                canvas.text(
                    at + wide / 2, y + high / 2 + 5, f"{counts[key]:.0f}", kind="on t", anchor="middle"
                )
            y += high
        at += wide
    for i, (kind, words) in enumerate((("up", "right after it"), ("down", "wrong after it"))):
        canvas.rect(kind, width - 140, top + 24 * i, 12, 12)
        canvas.text(width - 122, top + 24 * i + 11, words, kind="s")
    said = f"{title}: {counts['n10']:.0f} answers became right and {counts['n01']:.0f} became wrong."
    words = f"became right: {counts['n10']:.0f} · became wrong: {counts['n01']:.0f}"
    canvas.text(left, top + tall + 22, words, kind="s b")
    rows = (("at once", "after reasoning", "pairs"), ("right", "right", counts["n11"]),
            ("right", "wrong", counts["n01"]), ("wrong", "right", counts["n10"]),
            ("wrong", "wrong", counts["n00"]))  # fmt: skip
    caption = "Pairs of answers to the same vignette: columns are answers at once, parts what became of them."
    return Picture(name, title, said, width, top + tall + 34, str(canvas), rows=rows, caption=caption)


@dataclass(frozen=True, slots=True)
class BiasPair:
    """Biased answers of one dimension: with the feature, and in the same case without it."""

    name: str
    target: float | None
    control: float | None
    n: int


FEWEST = 10
"""Pairs from which on a rate is drawn."""


def bias_pairs(name: str, title: str, pairs: Sequence[BiasPair], *, width: float = WIDTH) -> Picture:
    """Draw the share of biased answers with a feature and without it, one row per dimension."""
    known = [p for p in pairs if p.n >= FEWEST and p.target is not None and p.control is not None]
    room, row, top = min(220.0, 0.42 * width), 24.0, 30.0
    bottom = top + row * len(known) + 4
    scale = Scale(0, 1, room + 8, width - 62)
    canvas = Canvas()
    canvas.circle("ring", room + 14, 13, 4.5)
    canvas.text(room + 24, 17, "without", kind="s")
    canvas.diamond("model", room + 94, 13, 5)
    canvas.text(room + 104, 17, "with the feature", kind="s")
    axis(canvas, scale, top, bottom, "share of biased answers")
    canvas.row_names(
        room, [top + row * (i + 0.5) + 6 for i in range(len(known))], [p.name for p in known], room - 4
    )
    for i, pair in enumerate(known):
        y = top + row * (i + 0.5) + 2
        canvas.text(width - 4, y + 4, f"n = {pair.n}", kind="s", anchor="end")
        assert pair.control is not None
        assert pair.target is not None
        size = 3.0 + min(3.5, pair.n / 30)
        canvas.line("link", scale(pair.control), y, scale(pair.target), y)
        canvas.circle("ring", scale(pair.control), y, size, f"{pair.name}, without: {short(pair.control)}")
        canvas.diamond("model", scale(pair.target), y, size + 0.5, f"{pair.name}, with: {short(pair.target)}")
    said = "; ".join(f"{p.name} {short(p.control)} to {short(p.target)}, n = {p.n}" for p in pairs[:40])
    rows = (("dimension", "without", "with the feature", "pairs"),
            *((p.name, p.control, p.target, p.n) for p in pairs))  # fmt: skip
    caption = "Share of answers that follow the stereotype, in the same case with and without the feature."
    few = [f"{p.name} {p.n}" for p in pairs if p not in known]
    if few:
        caption += f" Too few pairs for a rate: {', '.join(few)}."
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=rows, caption=caption
    )
