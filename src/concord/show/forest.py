"""Forest plots: one row per test, people above the model.

The page's script draws the same rows beside the tests that a reader has filtered. It is given `FOREST` and
`span`'s rule, and a test in a browser holds its places against those of the picture drawn here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.number_words import level_words
from concord.show.plots import axis, short, span
from concord.show.svg import Canvas, Picture, Scale


@dataclass(frozen=True, slots=True)
class Geometry:
    """Places and sizes of a forest plot, in points."""

    label: float = 290.0
    """Width of the names; the drawing starts right of it."""
    width: float = 600.0
    before: float = 8.0
    after: float = 16.0
    """Room between the drawing's edges and the ends of the axis."""
    row: float = 28.0
    apart: float = 5.0
    """How far people are above the middle of a row, and the model below it."""
    dot: float = 4.0
    diamond: float = 5.0
    """Sizes of the two marks, from their middle."""
    least: float = 0.2
    """The axis reaches from minus this to this at least."""
    room: float = 0.05
    """Part of the axis that is added at either end where an effect reaches further."""


FOREST = Geometry()
TOP = 26.0

Numbers = tuple[float | None, float | None, float | None]
"""Value, low, high."""


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One row: people and model, each with an interval where it is known."""

    label: str
    people: Numbers
    model: Numbers


def forest(name: str, title: str, pairs: Sequence[ForestRow], *, level: float) -> Picture:
    """Draw one row per test: the human effect and the model's, each with its interval."""
    place = FOREST
    low, high = span(
        [v for p in pairs for v in (*p.people, *p.model)],
        at_least=(-place.least, place.least),
        room=place.room,
    )
    bottom = TOP + 4 + place.row * len(pairs)
    scale = Scale(low, high, place.label + place.before, place.width - place.after)
    canvas = Canvas()
    axis(canvas, scale, TOP, bottom, f"effect d with its {level_words(level)} interval")
    canvas.line("ref", scale(0), TOP, scale(0), bottom)
    canvas.circle("human", place.label + 14, 12, place.dot)
    canvas.text(place.label + 24, 16, "in people", kind="s")
    canvas.diamond("model", place.label + 104, 12, place.diamond)
    canvas.text(place.label + 114, 16, "in the model", kind="s")
    for i, pair in enumerate(pairs):
        y = TOP + place.row * (i + 0.5)
        canvas.text(place.label, y + 4, pair.label, anchor="end", width=place.label - 4)
        _arm(canvas, scale, y - place.apart, pair.people, people=True)
        _arm(canvas, scale, y + place.apart, pair.model, people=False)
    said = (
        f"{title}: {len(pairs)} tests, the human effect above the model's in each row, with "
        f"{level_words(level)} intervals where standard errors are known."
    )
    rows = (
        ("test", "people d", "low", "high", "model d", "low", "high"),
        *((pair.label, *pair.people, *pair.model) for pair in pairs),
    )
    lines = f"lines are {level_words(level)} intervals"
    caption = f"Effects d of {len(pairs)} tests in people and in the model; {lines}."
    return Picture(name, title, said, place.width, bottom + 42, str(canvas), rows=rows, caption=caption)


def _arm(canvas: Canvas, scale: Scale, y: float, numbers: Numbers, *, people: bool) -> None:
    value, low, high = numbers
    if value is None:
        return
    if low is not None and high is not None:
        canvas.line("pline" if people else "mline", scale(low), y, scale(high), y)
    if people:
        canvas.circle("human", scale(value), y, FOREST.dot, f"people: {short(value)}")
    else:
        canvas.diamond("model", scale(value), y, FOREST.diamond, f"model: {short(value)}")
