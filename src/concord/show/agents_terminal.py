"""Many agents as a leaderboard: the answer first, then a row per agent beside floor, ceiling and people."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType

from concord.people.agents import AgentPair, AgentScores, AgentsResult
from concord.people.protocol import STANDARD
from concord.people.public import human_row
from concord.people.result import Score
from concord.show.numbers import UNDEFINED, interval, interval_words, number, p_words
from concord.show.terminal import lines, table
from concord.show.ties import joined_names, leaders
from concord.stats.multiple import distinguishable

MOST_PAIRS = 6
"""Pairs that the screen names; files hold all of them."""
_COLUMNS = ("agent", "PAS", "interval", "place", "ECS", "interval", "APR", "tests", "group")
LONGEST_NAME = 36
"""Characters of a name on the screen; files hold it whole."""
MOST_LETTERS = 8
"""Groups up to which a column of letters is easier to read than their number."""


def agents_report(result: AgentsResult) -> RenderableType:
    """Return everything a reader of the terminal should see: the answer first."""
    ordered = in_order(result)
    title = f"\nAgreement of {len(ordered)} agents with people · protocol {result.protocol.name}"
    names = short_names([agent.name for agent in ordered])
    rows = [_agent_cells(result, agent, name) for agent, name in zip(ordered, names, strict=True)]
    # a column that says nothing of any agent is left out: given PAS have neither effects nor places
    kept = [j for j in range(len(_COLUMNS)) if any(row[j] != UNDEFINED for row in rows)]
    shown = [[row[j] for j in kept] for row in (*rows, *_beside(result))]
    return Group(
        lines([answer(result)]),
        table(title, [_COLUMNS[j] for j in kept], shown),
        lines(_what_it_rests_on(result)),
    )


def short_names(names: Sequence[str]) -> list[str]:
    """Cut long names in their middle, where they stay distinct."""
    half = LONGEST_NAME // 2
    short = [name if len(name) <= LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}" for name in names]
    return short if len(set(short)) == len(short) else list(names)


def in_order(result: AgentsResult) -> list[AgentScores]:
    """Return agents from the highest PAS to the lowest; those without one last."""
    return sorted(result.agents, key=_best_first)


def _best_first(agent: AgentScores) -> tuple[bool, float]:
    value = agent.pas.value
    return (value is None, 0.0 if value is None else -value)


def answer(result: AgentsResult) -> str:
    """Return the finding in a sentence or two: who leads, and from how many it cannot be distinguished."""
    ordered = in_order(result)
    best, tied = ordered[0], leaders([(agent.name, agent.pas.value) for agent in ordered])
    if best.pas.value is None:
        return f"None of the {len(result.agents)} agents has a PAS."
    shown = f"{number(best.pas.value, 2)} ({interval_words(best.pas.interval)})"
    has = "has the highest PAS" if len(tied) == 1 else "have the same PAS, the highest"
    lead = f"{joined_names(tied, whose='agents')} {has}, {shown}"
    if len(result.agents) == 1:
        return lead + "."
    standing = result.standing("pas")
    if not standing.n_pairs:
        return f"{lead}; no pair of agents can be tested: too few studies, or no spread between them."
    alike = {name for group in standing.groups if best.name in group for name in group} - {best.name}
    others = (
        "every other agent is distinguishable from it"
        if not alike
        else "no other agent can be distinguished from it"
        if len(alike) == len(result.agents) - 1
        else f"{len(alike)} of the {len(result.agents) - 1} others cannot be distinguished from it"
    )
    return (
        f"{lead}; {others}. {standing.n_distinguishable} of {standing.n_pairs} pairs of agents are "
        f"distinguishable (paired by study, Holm, {1 - result.level:.2g})."
    )


def _agent_cells(result: AgentsResult, agent: AgentScores, name: str) -> tuple[str, ...]:
    counted = max(agent.pas.estimate.n, agent.ecs.estimate.n)
    return (
        name,
        number(agent.pas.value),
        interval(agent.pas.interval),
        _bound(agent.pas, "place"),
        number(agent.ecs.value),
        interval(agent.ecs.interval),
        number(agent.apr.value, 2),
        f"{counted}/{agent.n_tests}",
        _group_letters(result, agent.name),
    )


def _bound(score: Score, name: str) -> str:
    return UNDEFINED if score.bounds is None else number(getattr(score.bounds, name).value, 2)


def _group_letters(result: AgentsResult, name: str) -> str:
    """Return a letter for each group that an agent belongs to, as in a compact letter display."""
    if len(result.standing("pas").groups) < 2:
        return UNDEFINED
    places = [i for i, group in enumerate(result.standing("pas").groups) if name in group]
    if not places:
        return UNDEFINED
    many = len(result.standing("pas").groups) > MOST_LETTERS
    words = [str(i + 1) if many else chr(ord("a") + i) for i in places]
    return f"{words[0]}–{words[-1]}" if many and len(words) > 2 else (" " if many else "").join(words)


def _beside(result: AgentsResult) -> Iterator[tuple[str, ...]]:
    """Return the rows to read the others by: simulated agents, and people who repeated studies of people."""
    for end, who in (("floor", "agents without effects"), ("ceiling", "perfect replications")):
        pas, ecs = (_end(result, metric, end) for metric in ("pas", "ecs"))
        if (pas[0], ecs[0]) != (UNDEFINED, UNDEFINED):
            yield (f"({end}: {who})", *pas, number(0.0 if end == "floor" else 1.0, 2), *ecs, "", "", "")
    if result.protocol == STANDARD:
        row = human_row()
        numbers = (number(row.pas.value), interval(row.pas.interval), _bound(row.pas, "place"))
        effects = (number(row.ecs.value), interval(row.ecs.interval), number(row.apr.value, 2))
        yield (f"(people: {row.n} other studies, run again)", *numbers, *effects, str(row.n), "")


def _end(result: AgentsResult, metric: str, end: str) -> tuple[str, str]:
    """Return a floor or a ceiling, and its range where agents were asked with other sample sizes."""
    scores: Sequence[Score] = [getattr(agent, metric) for agent in result.agents]
    found = [getattr(score.bounds, end).value for score in scores if score.bounds is not None]
    known = [value for value in found if value is not None]
    if not known:
        return UNDEFINED, ""
    low, high = number(min(known), 2), number(max(known), 2)
    return number(sum(known) / len(known)), "" if low == high else f"{low} to {high}"


def _what_it_rests_on(result: AgentsResult) -> Iterator[str]:
    yield ""
    yield (
        f"Intervals: {result.level:.0%}, other studies like these ({len(result.studies)} here). "
        + (
            "Agents that share a letter or number of a group cannot be distinguished."
            if len(result.standing("pas").groups) > 1
            else "No two agents can be distinguished."
        )
    )
    yield from _pairs_apart(result)
    lacking = [agent for agent in result.agents if agent.n_missing]
    if lacking:
        named = ", ".join(f"{agent.n_missing} {agent.name}" for agent in lacking[:5])
        more = f" and {len(lacking) - 5} more agents" if len(lacking) > 5 else ""
        yield f"Tests that an agent lacks and others have: {named}{more}."
    reasons = dict.fromkeys(agent.ecs.estimate.note for agent in result.agents if agent.ecs.value is None)
    for reason in reasons:
        yield f"ECS: {reason}"


def _pairs_apart(result: AgentsResult) -> Iterator[str]:
    if result.pairs_note:
        yield result.pairs_note
    apart = [row for row in result.pairs if row.metric == "pas" and _is_apart(row, result.level)]
    apart.sort(key=lambda row: -abs(0.0 if row.difference is None else row.difference))
    for row in apart[:MOST_PAIRS]:
        difference, names = row.difference, (row.first, row.second)
        if difference is not None and difference < 0:
            difference, names = -difference, (row.second, row.first)
        yield f"  {names[0]} − {names[1]}: {number(difference, 2, sign=True)} ({p_words(row.p_holm)})"
    if len(apart) > MOST_PAIRS:
        yield f"  and {len(apart) - MOST_PAIRS} more pairs, in agents.json"


def _is_apart(row: AgentPair, level: float) -> bool:
    return distinguishable(row.p_holm, level=level)
