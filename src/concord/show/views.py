"""How each result looks: one entry per type of result, for the terminal, a notebook and a picture."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType

from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.errors import OptionError
from concord.people.agents_files import AgentsResult
from concord.people.files import PeopleResult
from concord.people.predictions.files import PredictionResult
from concord.planning.people import ParticipantsPlan, PeoplePlan
from concord.planning.plan import PlanResult
from concord.planning.structure import StructurePlan
from concord.reasoning.compare import ReasoningRanking
from concord.reasoning.files import ReasoningResult
from concord.reasoning.hints.files import HintLeaderboard
from concord.reasoning.probes.files import ProbeResult
from concord.records import Presented
from concord.show import drawing
from concord.show.agents_terminal import agents_report
from concord.show.answer import (
    Answer,
    answer_lines,
    answer_of_people,
    answer_of_reasoning,
    answer_of_structure,
)
from concord.show.compare_terminal import compare_report
from concord.show.hints_terminal import hints_report
from concord.show.html import as_html
from concord.show.metrics_terminal import metrics_report
from concord.show.people_terminal import people_headline, people_report
from concord.show.plan_terminal import participants_lines, people_plan_lines, plan_lines, structure_plan_lines
from concord.show.predictions_terminal import predictions_report
from concord.show.probes_terminal import probes_report
from concord.show.ranking_terminal import ranking_report
from concord.show.reasoning_terminal import reasoning_gist, reasoning_headline, reasoning_report
from concord.show.structure_terminal import structure_gist, structure_headline, structure_report
from concord.show.svg import Picture
from concord.show.terminal import drawn, fitting, lines
from concord.structure.files import StructureResult


def _no_picture(result: Any, *_: str) -> Picture:
    raise OptionError(f"there is no picture of a {type(result).__name__}")


@dataclass(frozen=True, slots=True)
class View:
    """How one type of result looks."""

    report: Callable[[Any], RenderableType]
    """Everything a reader of the terminal should see."""
    gist: Callable[[Any], RenderableType] | None = None
    """The headline, for a notebook or a prompt; the report where a result has none."""
    plot: Callable[..., Picture] = _no_picture
    answer: Callable[[Any], Answer] | None = None
    """The question, the sentence and the headline numbers, before any table."""
    headline: Callable[[Any], RenderableType] | None = None
    """The one table that follows the answer where not everything is asked for."""

    def text(self, result: Any) -> str:
        """Return the gist as plain text."""
        whole = drawn(fitting(self._gist(result)))
        return "\n".join(line.rstrip() for line in whole.split("\n")).strip("\n")

    def html(self, result: Any) -> str:
        """Return the gist as HTML, everything escaped."""
        return as_html(self._gist(result))

    def _gist(self, result: Any) -> RenderableType:
        return (self.report if self.gist is None else self.gist)(result)


VIEWS: dict[type[Presented], View] = {
    PeopleResult: View(
        people_report,
        lambda result: Group(answer_lines(answer_of_people(result)), people_headline(result)),
        drawing.draw_people,
        answer=answer_of_people,
        headline=people_headline,
    ),
    StructureResult: View(
        structure_report,
        structure_gist,
        drawing.draw_structure,
        answer=answer_of_structure,
        headline=structure_headline,
    ),
    ReasoningResult: View(
        reasoning_report,
        reasoning_gist,
        drawing.draw_reasoning,
        answer=answer_of_reasoning,
        headline=reasoning_headline,
    ),
    AgentsResult: View(agents_report),
    PredictionResult: View(predictions_report),
    ProbeResult: View(probes_report),
    HintLeaderboard: View(hints_report),
    ReasoningRanking: View(ranking_report),
    CompareResult: View(compare_report, plot=drawing.draw_comparison),
    MetricCompareResult: View(metrics_report, plot=drawing.draw_metrics),
    PlanResult: View(lambda plan: lines(plan_lines(plan))),
    StructurePlan: View(lambda plan: lines(structure_plan_lines(plan))),
    PeoplePlan: View(lambda plan: lines(people_plan_lines(plan))),
    ParticipantsPlan: View(lambda plan: lines(participants_lines(plan))),
}


def view_of(result: Presented) -> View:
    """Return how a result looks."""
    return VIEWS[type(result)]
