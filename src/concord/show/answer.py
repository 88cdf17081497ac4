"""The answer before the tables: the question, one sentence, and each headline number on its scale."""

from dataclasses import dataclass

from rich.console import Group
from rich.text import Text

from concord.kinds import Gauge
from concord.show.declared import gauge_lines
from concord.show.terminal import lines

__all__ = ["Gauge", "ShownAnswer", "answer_lines"]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """What a result says to somebody who reads three lines."""

    question: str
    sentences: tuple[str, ...]
    gauges: tuple[Gauge, ...]


def answer_lines(answer: ShownAnswer) -> Group:
    """Return the lines of an answer."""
    return Group(
        Text(answer.question, style="bold"), lines(answer.sentences), lines(gauge_lines(answer.gauges))
    )
