"""The answer before the tables: the question, one sentence, and each headline number on its scale."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Group
from rich.text import Text

from concord.records import Interval
from concord.show.numbers import interval, number
from concord.show.terminal import lines

BAR = 24
"""Cells of the bar that a number is drawn on."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number on its scale."""

    name: str
    value: float | None
    interval: Interval | None
    scale: tuple[float, float]
    signed: bool = False


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """What a result says to somebody who reads three lines."""

    question: str
    sentences: tuple[str, ...]
    gauges: tuple[Gauge, ...]


def answer_lines(answer: ShownAnswer) -> Group:
    """Return the lines of an answer."""
    return Group(
        Text(answer.question, style="bold"), lines(answer.sentences), lines(_gauge_lines(answer.gauges))
    )


def _gauge_lines(gauges: tuple[Gauge, ...]) -> Iterator[str]:
    if not gauges:
        return
    width = max(len(one.name) for one in gauges)
    for one in gauges:
        low, high = (f"{end:g}" for end in one.scale)
        ends = interval(one.interval, 2, sign=one.signed)
        value = number(one.value, 2, sign=one.signed)
        yield f"{one.name:<{width}}  {value:>5} {ends:<14}  {low:>2} {bar(one)} {high}"


def bar(gauge: Gauge, cells: int = BAR) -> str:
    """Draw a number and its interval between the ends of its scale; beyond an end it lies at the end.

    Examples
    --------
    >>> bar(Gauge("PAS", 0.5, Interval(0.25, 1.0, 0.95, ""), (0.0, 1.0)), 9)
    '▕  ──●────▏'
    >>> bar(Gauge("PAS", None, None, (0.0, 1.0)), 5)
    '▕     ▏'
    """
    low, high = gauge.scale

    def cell(value: float) -> int:
        share = (min(max(value, low), high) - low) / (high - low)
        return min(cells - 1, int(share * cells))

    drawn = [" "] * cells
    if gauge.interval is not None:
        for i in range(cell(gauge.interval.low), cell(gauge.interval.high) + 1):
            drawn[i] = "─"
    if gauge.value is not None:
        drawn[cell(gauge.value)] = "●"
    return f"▕{''.join(drawn)}▏"
