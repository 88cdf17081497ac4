"""Pictures of agreement with people, from the records themselves; None where there is nothing to draw."""

from concord.people.agents import AgentsResult
from concord.people.referee import RefereeResult, RefereeTest
from concord.people.result import AgentScores
from concord.show import plots
from concord.show.svg import Picture

MOST_ROWS = 40
"""Tests that the forest plot of differences shows: those that differ most."""


def _agent_mark(agent: AgentScores) -> plots.Mark:
    score, bounds = agent.pas, agent.pas.bounds
    return plots.Mark(
        agent.name,
        score.value,
        *score.estimate.ends,
        floor=None if bounds is None else bounds.floor.value,
        ceiling=None if bounds is None else bounds.ceiling.value,
    )


def agents_picture(result: AgentsResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw PAS of every agent with its interval, the highest first."""
    marks = [_agent_mark(agent) for agent in result.in_order() if agent.pas.value is not None]
    if not marks:
        return None
    return plots.intervals(
        "agents",
        f"PAS of {len(marks)} agents",
        marks,
        label="PAS: probability of the same conclusion",
        limits=(0, 1),
        level=result.level,
        width=units,
    )


def referee_picture(result: RefereeResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw agent minus human d of the tests that differ most, with the meta-analytic mean."""
    found = result.referee
    known = [(test, test.difference(found.level)) for test in found.tests]
    known = [(test, one) for test, one in known if one.interval is not None]
    known.sort(key=lambda pair: -abs(_distance(pair[0])))
    marks = [plots.Mark(_test_name(test), one.value, *one.ends) for test, one in known[:MOST_ROWS]]
    mean = found.difference.mean
    if mean.interval is not None:
        marks.insert(0, plots.Mark("mean of all tests", mean.value, *mean.ends, strong=True))
    if not marks:
        return None
    who = "the agent" if result.model is None else result.model
    return plots.intervals(
        "referee",
        f"Agent minus human d, {who}",
        marks,
        label="agent − human, d",
        lines=((0.0, "no difference"),),
        level=found.level,
        width=units,
    )


def _distance(test: RefereeTest) -> float:
    d, se = test.difference_d, test.difference_se
    return 0.0 if d is None or not se else d / se


def _test_name(test: RefereeTest) -> str:
    # a finding that its test names again says nothing
    finding = "" if test.finding in test.test else f" {test.finding}"
    return f"{test.study}{finding} {test.test}"
