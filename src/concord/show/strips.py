"""Small drawings for the rows of the first screen: a number on its axis, an early answer and a late one."""

from dataclasses import dataclass

from concord.show.svg import Canvas, Scale

WIDTH, HEIGHT = 150.0, 26.0
_MIDDLE = HEIGHT / 2


@dataclass(frozen=True, slots=True)
class Strip:
    """A number with its interval, and what it may be measured against."""

    value: float | None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    failed: bool = False
    """Whether a check of its own says that the number must not be read."""


def _drawing(canvas: Canvas) -> str:
    size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}"'
    return f'<svg class="strip" {size} aria-hidden="true" focusable="false">{canvas}</svg>'


def strip(mark: Strip, limits: tuple[float, float], *, zero: float | None = None) -> str:
    """Draw one number on an axis that all rows share."""
    scale = Scale(*limits, 6, WIDTH - 6)
    canvas = Canvas()
    canvas.line("grid", 6, HEIGHT - 2, WIDTH - 6, HEIGHT - 2)
    if mark.floor is not None and mark.ceiling is not None:
        left, right = sorted((scale(mark.floor), scale(mark.ceiling)))
        canvas.rect("band", left, 3, right - left, HEIGHT - 6)
    if zero is not None:
        canvas.line("ref", scale(zero), 2, scale(zero), HEIGHT - 2)
    if mark.value is not None:
        if mark.low is not None and mark.high is not None:
            wide = mark.high - mark.low > 0.8 * (limits[1] - limits[0])
            ends = scale(mark.low), scale(mark.high)
            canvas.line("mline pale" if wide or mark.failed else "mline", ends[0], _MIDDLE, ends[1], _MIDDLE)
        canvas.diamond("model pale" if mark.failed else "model", scale(mark.value), _MIDDLE, 5.5)
    if mark.failed:
        canvas.rect("hatch", 6, 3, WIDTH - 12, HEIGHT - 6)
    return _drawing(canvas)


def dumbbell(early: float | None, after: float | None, limits: tuple[float, float], *, failed: bool) -> str:
    """Draw an early answer as a ring and the answer after reasoning as an arrow's head."""
    scale = Scale(*limits, 6, WIDTH - 6)
    canvas = Canvas()
    canvas.line("grid", 6, HEIGHT - 2, WIDTH - 6, HEIGHT - 2)
    if early is not None and after is not None:
        kind = " pale" if failed else ""
        worse = " worse" if after < early else ""
        start, end = scale(early), scale(after)
        canvas.line(f"link{worse}{kind}", start, _MIDDLE, end, _MIDDLE)
        canvas.circle(f"ring{kind}", start, _MIDDLE, 4.5)
        canvas.diamond(f"model{kind}", end, _MIDDLE, 5.5)
    if failed:
        canvas.rect("hatch", 6, 3, WIDTH - 12, HEIGHT - 6)
    return _drawing(canvas)
