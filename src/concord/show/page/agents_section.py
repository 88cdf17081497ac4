"""Many agents on the same tests as a section of the page."""

from collections.abc import Sequence

from concord.errors import FileFormatError, OptionError
from concord.people import NAME
from concord.people.agents import DOCUMENT, AgentScores, AgentsResult, read
from concord.people.result import Score
from concord.records import Estimate
from concord.show import plots
from concord.show.agents_terminal import answer, in_order
from concord.show.citations import CONCORD, METHODS
from concord.show.further_methods import agents_methods
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.svg import Picture

MOST_DRAWN = 20
"""Agents up to which the picture is not folded."""


def _read_agents(source: ResultFile) -> AgentsResult:
    if source.file is None or source.file.name != DOCUMENT:
        raise FileFormatError(f"is not called {DOCUMENT}, so its agents are not shown")
    return read(source.file.parent)


def _score_estimate(score: Score) -> Estimate:
    return Estimate(score.value, score.interval)


def _agent_mark(agent: AgentScores) -> plots.Mark:
    score, ends, bounds = agent.pas, agent.pas.interval, agent.pas.bounds
    return plots.Mark(
        agent.name,
        score.value,
        None if ends is None else ends.low,
        None if ends is None else ends.high,
        floor=None if bounds is None else bounds.floor.value,
        ceiling=None if bounds is None else bounds.ceiling.value,
    )


WIDE = 760.0
"""Units of the drawing on the page: names of designs are long."""


def agents_picture(result: AgentsResult, *, width: float = plots.WIDTH) -> Picture:
    """Draw PAS of every agent with its interval, the highest first."""
    marks = [_agent_mark(agent) for agent in in_order(result)]
    title = f"PAS of {len(marks)} agents"
    return plots.intervals(
        "agents", title, marks, label="PAS: probability of the same conclusion", limits=(0, 1), width=width
    )


def draw_agents(result: AgentsResult, kind: str = "pas", *, units: float = plots.WIDTH) -> Picture:
    """Draw every agent of a leaderboard."""
    if kind != "pas":
        raise OptionError(f"there is no picture {kind!r} of many agents; expected pas")
    return agents_picture(result, width=units)


def _agent_row(agent: AgentScores) -> list[fragments.Cell]:
    scores = [_score_estimate(score) for score in (agent.pas, agent.ecs, agent.apr)]
    return [agent.name, *scores, float(agent.n_tests - agent.n_missing)]


def _drawn_agents(result: AgentsResult, i: int, *, alone: bool) -> str:
    bounds = any(agent.pas.bounds is not None for agent in result.agents)
    caption = "Lines are 95 % intervals for other studies like these."
    if bounds:
        caption += " Ticks: what agents without any effect, and what a perfect replication would score."
    drawn = fragments.figure(agents_picture(result, width=WIDE), f"agents{i}", caption)
    return (
        drawn
        if alone and len(result.agents) <= MOST_DRAWN
        else fragments.folded("Drawn, one row per agent", drawn)
    )


def _heading_of(result: AgentsResult) -> str:
    tests = max((agent.n_tests for agent in result.agents), default=0)
    return f"{len(result.agents)} agents on the same {tests} tests"


def _show_agents(records: Sequence[AgentsResult]) -> str:
    columns: list[fragments.Heading | str] = [
        "agent",
        *(fragments.Heading(name) for name in ("PAS", "ECS", "APR")),
        fragments.Heading("tests", digits=0),
    ]
    return fragments.fragment(
        *(
            fragments.fragment(
                *([fragments.subheading(_heading_of(result))] if len(records) > 1 else []),
                fragments.paragraph(answer(result)),
                _drawn_agents(result, i, alone=len(records) == 1),
                fragments.table(
                    f"agents-{i}", "Every agent on the same tests", columns, map(_agent_row, in_order(result))
                ),
            )
            for i, result in enumerate(records)
        )
    )


SECTION = Section(
    name="agents",
    question=NAME,
    heading="Many agents",
    file=DOCUMENT,
    key="standings",
    read=_read_agents,
    show=_show_agents,
    pictures=lambda records: [agents_picture(result) for result in records],
    says=lambda result: [answer(result)],
    who=lambda result: [agent.name for agent in result.agents],
    methods=agents_methods,
    cites=(CONCORD, METHODS["holm1979"]),
)
