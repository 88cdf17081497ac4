"""How each result looks: one entry per type of result, for the terminal, a notebook and a picture."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.errors import OptionError
from concord.people.result import PeopleResult
from concord.planning.people import Participants, PeoplePlan
from concord.planning.plan import PlanResult
from concord.reasoning.files import ReasoningResult
from concord.reasoning.ranking import Ranking
from concord.records import Presented
from concord.show import drawing
from concord.show.compare_terminal import compare_report
from concord.show.metrics_terminal import metrics_report
from concord.show.notebook import as_html
from concord.show.people_terminal import people_report
from concord.show.plan_terminal import participants_lines, people_plan_lines, plan_lines
from concord.show.ranking_terminal import ranking_html, ranking_report, ranking_text
from concord.show.reasoning_terminal import as_html as reasoning_html
from concord.show.reasoning_terminal import as_text as reasoning_text
from concord.show.reasoning_terminal import reasoning_report
from concord.show.structure_terminal import structure_html, structure_text
from concord.show.svg import Picture
from concord.show.terminal import drawn
from concord.structure.files import StructureResult


def _no_picture(result: Any, *_: str) -> Picture:
    raise OptionError(f"there is no picture of a {type(result).__name__}")


@dataclass(frozen=True, slots=True)
class View:
    """How one type of result looks."""

    report: Callable[[Any], RenderableType]
    """Everything a reader of the terminal should see."""
    text: Callable[[Any], str]
    """The same or the gist of it as plain text."""
    html: Callable[[Any], str]
    """For a notebook; everything escaped."""
    plot: Callable[..., Picture] = _no_picture


def _tables(report: Callable[[Any], RenderableType], plot: Callable[..., Picture]) -> View:
    """Return the view of a result that is tables and lines everywhere."""
    return View(report, lambda result: drawn(report(result)), lambda result: as_html(report(result)), plot)


def _lines(lines: Callable[[Any], Iterable[str]]) -> View:
    """Return the view of a result that is lines of text everywhere."""

    def text(result: Any) -> str:
        return "\n".join(lines(result))

    return View(lambda result: Text(text(result)), text, lambda result: f"<pre>{escape(text(result))}</pre>")


VIEWS: dict[type[Presented], View] = {
    PeopleResult: _tables(lambda result: people_report(result), drawing.draw_people),
    StructureResult: View(
        lambda result: Text(structure_text(result)), structure_text, structure_html, drawing.draw_structure
    ),
    ReasoningResult: View(reasoning_report, reasoning_text, reasoning_html, drawing.draw_reasoning),
    Ranking: View(ranking_report, ranking_text, ranking_html),
    CompareResult: _tables(compare_report, drawing.draw_comparison),
    MetricCompareResult: _tables(metrics_report, drawing.draw_metrics),
    PlanResult: _lines(plan_lines),
    PeoplePlan: _lines(people_plan_lines),
    Participants: _lines(participants_lines),
}


def view_of(result: Presented) -> View:
    """Return how a result looks."""
    return VIEWS[type(result)]
