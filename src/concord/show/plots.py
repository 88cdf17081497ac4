"""The pictures of a report, drawn here as SVG: small, without a browser, the same in page, file, notebook."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from concord.number_words import MINUS, interval, interval_words, level_words, number
from concord.records import Estimate, Interval
from concord.show.svg import SCREEN, Canvas, Picture, Scale, last_parts, reach
from concord.words import say

WIDTH = SCREEN
_SHORT_LABEL, _LONG_LABEL = 70.0, 220.0
_BOLD = 1.12
"""How much wider bold letters are."""
"""Room for the names of rows, at least and at most."""
_ROW, _NARROW_ROW, _FEW_ROWS, _TWO_LINES = 24.0, 15.5, 30, 28.0
"""Height of a row; of more rows than these each is narrower."""
_BROAD = 560.0
"""Pictures from this width on have the ends of intervals behind each row, narrower ones the value alone."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One row of a chart of intervals; ``None`` is undefined."""

    label: str
    value: float | None
    interval: Interval | None = None
    inner: Interval | None = None
    """The second, usually narrower interval."""
    floor: float | None = None
    ceiling: float | None = None
    strong: bool = False
    people: bool = False
    """Of people, not of a model."""

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Both ends of its interval."""
        return (None, None) if self.interval is None else (self.interval.low, self.interval.high)

    @property
    def inner_ends(self) -> tuple[float | None, float | None]:
        """Both ends of the second interval."""
        return (None, None) if self.inner is None else (self.inner.low, self.inner.high)


def estimate_mark(label: str, found: Estimate, *, strong: bool = False, people: bool = False) -> Mark:
    """Return a number with its interval, which knows its level, as a row of a chart."""
    return Mark(label, found.value, found.interval, strong=strong, people=people)


def highest_first(marks: Sequence[Mark]) -> list[Mark]:
    """Return rows from the highest number on, undefined ones last."""
    return sorted(marks, key=lambda mark: (mark.value is None, -(0.0 if mark.value is None else mark.value)))


def levels_words(found: Iterable[Mark | Estimate]) -> str:
    """Return the levels of the intervals of rows or numbers; nothing where none has one."""
    levels = sorted({one.interval.level for one in found if one.interval is not None})
    return " and ".join(map(level_words, levels))


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return round numbers inside a range."""
    span = high - low
    rough = span / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 10) + 0.0 for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _tick_words(tick: float) -> str:
    return f"{tick:g}".replace("-", MINUS)


def fitting_ticks(scale: Scale) -> list[float]:
    """Return round numbers along a horizontal axis whose words do not touch each other."""
    found: list[float] = []
    for count in (5, 4, 3, 2, 1):
        found = ticks(scale.low, scale.high, count)
        widest = max([reach(_tick_words(tick)) for tick in found], default=0.0)
        apart = [] if len(found) < 2 else scale.all(found[:2])
        if not apart or abs(apart[1] - apart[0]) > widest + 6:
            break
    return found


def short(value: float | None, digits: int = 2) -> str:
    """Round for a picture or the page."""
    return number(value, digits).replace("-", MINUS)


def span(
    values: Sequence[float | None], *, at_least: tuple[float, float] | None = None, room: float = 0.05
) -> tuple[float, float]:
    """Return a range that holds all defined values, a little wider, never empty."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    known += [] if at_least is None else list(at_least)
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    wider = 0.0 if at_least == (low, high) else room * (high - low)
    return float(low - wider), float(high + wider)


def axis(canvas: Canvas, scale: Scale, top: float, bottom: float, label: str) -> None:
    """Draw a horizontal axis with its grid and its name."""
    found = fitting_ticks(scale)
    for tick, x in zip(found, scale.all(found), strict=True):
        canvas.line("grid", x, top, x, bottom)
        canvas.text(x, bottom + 16, _tick_words(tick), kind="s", anchor="middle")
    canvas.line("axis", scale.start, bottom, scale.end, bottom)
    # below the middle of the axis, or as far left of it as a long name needs to end inside the picture
    middle = min((scale.start + scale.end) / 2, scale.end + 14 - reach(label) / 2)
    canvas.text(middle, bottom + 34, label, kind="s", anchor="middle")


def intervals(
    name: str,
    title: str,
    marks: Sequence[Mark],
    *,
    label: str,
    limits: tuple[float, float] | None = None,
    lines: Sequence[tuple[float, str]] = (),
    key: Sequence[str] = (),
    width: float = WIDTH,
) -> Picture:
    """Draw one row per name: a dot, its interval, the inner interval, floor and ceiling."""
    ends = [e for m in marks for e in (m.value, *m.ends, *m.inner_ends, m.floor, m.ceiling)]
    low, high = limits if limits is not None else span([*ends, *(value for value, _ in lines)])
    named = _bounds_named(marks)
    top = 12.0 + 16.0 * (len(lines) + len(named) > 0)
    wide = [reach(m.label) * (_BOLD if m.strong else 1.0) + 4 for m in marks]
    many = len(marks) > _FEW_ROWS
    most = max(_LONG_LABEL, (0.54 if many else 0.4) * width)
    room = max([_SHORT_LABEL, *(min(one, most) for one in wide)])
    # a name in two lines needs a higher row; of many rows each name has one line
    row = _NARROW_ROW if many else _ROW if all(one <= room for one in wide) else _TWO_LINES
    bottom = top + row * len(marks) + 4
    values = [_said(m, brackets=True) if width >= _BROAD else short(m.value) for m in marks]
    right = max((reach(one) for one in values), default=0.0) * 0.9 + 8
    scale = Scale(low, high, room + 8, width - 16 - right)
    canvas = Canvas()
    rows_at = [top + row * (i + 0.5) + 2 for i in range(len(marks))]
    for y, mark in zip(rows_at, marks, strict=True):
        if mark.floor is not None and mark.ceiling is not None:
            left, end = sorted((scale(mark.floor), scale(mark.ceiling)))
            canvas.rect("band", left, y - row / 2, end - left, row)
    axis(canvas, scale, top, bottom, label)
    for x in scale.all([value for value, _ in lines]):
        canvas.line("ref", x, top, x, bottom)
    _line_names(canvas, scale, [*lines, *named], top)
    names_at = [y + 4 for y in rows_at]
    strong = [m.strong for m in marks]
    labels = [m.label for m in marks]
    canvas.row_names(scale.start - 8, names_at, labels, room - 4, strong=strong, one_line=many)
    for y, mark, value in zip(rows_at, marks, values, strict=True):
        _interval_row(canvas, scale, y, mark)
        canvas.text(width - 4, y + 4, value, kind="s", anchor="end")
    if key:
        inner = any(m.inner is not None for m in marks)
        _legend(canvas, bottom + 54, key, inner=inner, bounds=any(m.floor is not None for m in marks))
    description = "; ".join(f"{m.label}: {_said(m)}" for m in marks[:40])
    more = f"; and {len(marks) - 40} more" if len(marks) > 40 else ""
    height = bottom + 42 + (46 if key else 0)
    heads = ("name", "value", "low", "high", "inner low", "inner high", "floor", "ceiling")
    rows = tuple((m.label, m.value, *m.ends, *m.inner_ends, m.floor, m.ceiling) for m in marks)
    told = f"{title}. {description}{more}."
    return Picture(
        name,
        title,
        told,
        width,
        height,
        str(canvas),
        rows=(heads, *rows),
        caption=_interval_caption(label, marks, key),
    )


def specifications(
    name: str,
    title: str,
    marks: Sequence[Mark],
    choices: Mapping[str, Sequence[bool]],
    *,
    label: str,
    lines: Sequence[tuple[float, str]] = (),
    width: float = WIDTH,
) -> Picture:
    """Draw a specification curve: estimates from the highest to the lowest, below each what was chosen."""
    ends = [e for m in marks for e in (m.value, *m.ends)]
    low, high = span([*ends, *(value for value, _ in lines)], at_least=(0, 1))
    left = max([52.0, *(min(reach(one) + 12, 0.34 * width) for one in choices)])
    x, y = Scale(-0.5, len(marks) - 0.5, left, width - 14), Scale(low, high, 230, 14)
    canvas = Canvas()
    for tick in ticks(low, high):
        canvas.line("grid", x.start, y(tick), x.end, y(tick))
        canvas.text(x.start - 6, y(tick) + 4, _tick_words(tick), kind="s", anchor="end")
    for height, _ in lines:
        canvas.line("ref", x.start, y(height), x.end, y(height))
    places = [(mark, value, x(i)) for i, mark in enumerate(marks) if (value := mark.value) is not None]
    for mark, _, across in places:
        if mark.interval is not None:
            canvas.line("mline", across, y(mark.interval.low), across, y(mark.interval.high))
    for mark, value, across in places:
        canvas.circle(
            "model", across, y(value), 4 if len(marks) < 40 else 2.5, f"{mark.label}: {_said(mark)}"
        )
    down = [252.0 + 18 * i for i in range(len(choices))]
    canvas.row_names(left - 8, [one + 4 for one in down], list(choices), left - 12)
    for at, (choice, held) in zip(down, choices.items(), strict=True):
        canvas.line("grid", x.start, at, x.end, at)
        for (mark, _, across), is_held in zip(places, held, strict=True):
            if is_held:
                canvas.circle("dot", across, at, 3, f"{mark.label}: {choice}")
    heads = ("name", "value", "low", "high", *choices)
    rows = [
        (mark.label, mark.value, *mark.ends, *(held[i] for held in choices.values()))
        for i, mark in enumerate(marks)
    ]
    what = {"label": f"{label[:1].upper()}{label[1:]}", "levels": levels_words(marks), "dots": bool(choices)}
    caption = say("figures.caption.specifications", **what)
    caption += "".join(f" Dashed: {words}." for _, words in lines)
    said = "; ".join(f"{mark.label}: {_said(mark)}" for mark in marks[:40])
    tall = 250.0 + 18 * len(choices)
    return Picture(
        name, title, f"{title}. {said}.", width, tall, str(canvas), rows=(heads, *rows), caption=caption
    )


def _interval_caption(label: str, marks: Sequence[Mark], key: Sequence[str]) -> str:
    """Say what the axis measures and what lines, bands and ticks are, so that a figure can stand alone."""
    said = [f"{label[:1].upper()}{label[1:]}."]
    drawn = levels_words(marks)
    if drawn and not key:
        said.append(f"Lines are {drawn} intervals.")
    if drawn and key:
        line, pale = (one.replace(":", " interval,", 1) for one in key[:2])
        band = f"; pale band: {pale}" if any(m.inner is not None for m in marks) else ""
        said.append(f"Line: {line}{band}.")
    if any(m.floor is not None for m in marks):
        said.append(
            "Shaded: from what models that show no effects to what a perfect replication would score."
        )
    return " ".join(said)


def _legend(canvas: Canvas, y: float, key: Sequence[str], *, inner: bool, bounds: bool) -> None:
    """Say what dot, line, pale band and ticks are, where there are any."""
    canvas.line("mline", 20, y, 48, y)
    canvas.circle("model", 34, y, 4.5)
    canvas.text(54, y + 4, key[0], kind="s")
    if inner:
        canvas.line("wide", 250, y, 278, y)
        canvas.text(284, y + 4, key[1], kind="s")
    if bounds:
        canvas.rect("band", 20, y + 12, 28, 15)
        canvas.text(
            54, y + 24, "from the floor (no effects) to the ceiling (a perfect replication)", kind="s"
        )


def _bounds_named(marks: Sequence[Mark]) -> list[tuple[float, str]]:
    """Return where floor and ceiling are named, once for all rows: above those of the first."""
    for mark in marks:
        if mark.floor is not None and mark.ceiling is not None:
            return [(mark.floor, "no effects"), (mark.ceiling, "replication")]
    return []


def _line_names(canvas: Canvas, scale: Scale, lines: Sequence[tuple[float, str]], top: float) -> None:
    """Name places above the frame; a name that would touch the one before it is left out."""
    free = -math.inf
    for value, words in sorted(lines):
        x, half = scale(value), 4.0 * len(words)
        if x - half > free:
            canvas.text(x, top - 6, words, kind="s", anchor="middle")
            free = x + half


def _said(mark: Mark, *, brackets: bool = False) -> str:
    if mark.value is None:
        return short(None) if brackets else "undefined"
    if mark.interval is None:
        return short(mark.value)
    ends = interval(mark.interval) if brackets else f"({interval_words(mark.interval)})"
    return f"{number(mark.value, 2)} {ends}".replace("-", MINUS)


def _interval_row(canvas: Canvas, scale: Scale, y: float, mark: Mark) -> None:
    if mark.value is None:
        canvas.text(scale.start + 4, y + 4, "undefined", kind="s")
        return
    drawn = ((mark.inner, "wide"), (mark.interval, "pline" if mark.people else "mline"))
    for ends, kind in drawn:
        if ends is not None:
            left, right = scale.all([ends.low, ends.high])
            canvas.line(kind, left, y, right, y)
    note = f"{mark.label}: {_said(mark)}"
    canvas.circle("human" if mark.people else "model", scale(mark.value), y, 4.5, note)


def frame(canvas: Canvas, x: Scale, y: Scale, across: str, up: str, *, above: bool = False) -> None:
    """Draw both axes with grid and names, that of the upright one beside it or above."""
    axis(canvas, x, y.end, y.start, across)
    found = ticks(y.low, y.high)
    for tick, height in zip(found, y.all(found), strict=True):
        canvas.line("grid", x.start, height, x.end, height)
        canvas.text(x.start - 6, height + 4, _tick_words(tick), kind="s", anchor="end")
    canvas.line("axis", x.start, y.start, x.start, y.end)
    if above:
        canvas.text(x.start, y.end - 8, up, kind="s")
    else:
        canvas.turned(14, (y.start + y.end) / 2, -90, up, anchor="middle")


def shares(
    name: str, title: str, rows: Sequence[tuple[str, Sequence[float | None]]], parts: Sequence[str], *,
    label: str, caption: str, width: float = WIDTH,
) -> Picture:  # fmt: skip
    """Draw what a whole is made of, one bar per row; at most four parts."""
    room, row = min(190.0, 0.36 * width), 24.0
    scale = Scale(0, 1, room + 8, width - 14)
    top = 44.0
    bottom = top + row * len(rows)
    canvas = Canvas()
    at = 8.0
    for i, words in enumerate(parts):
        canvas.rect(f"share{i}", at, 8, 12, 12)
        canvas.text(at + 18, 18, words, kind="s")
        at += 34 + 7.2 * len(words)
    axis(canvas, scale, top - 6, bottom, label)
    called = last_parts([one for one, _ in rows])
    canvas.row_names(room, [top + row * i + 15 for i in range(len(rows))], called, room - 4)
    for i, (one, held) in enumerate(rows):
        start = 0.0
        for j, share in enumerate(held):
            if share is None or share <= 0:
                continue
            left, end = scale(start), scale(start + share)
            note = f"{one}, {parts[j]}: {short(share)}"
            canvas.rect(f"cell share{j}", left, top + row * i + 3, end - left, row - 7, note=note)
            start += share
    said = "; ".join(
        f"{one}: {', '.join(f'{parts[j]} {short(share)}' for j, share in enumerate(held))}"
        for one, held in rows[:20]
    )
    numbers = ((label, *parts), *((one, *held) for one, held in rows))
    return Picture(
        name, title, f"{title}. {said}.", width, bottom + 42, str(canvas), rows=numbers, caption=caption
    )
