"""What `concord demo` says on one screen: three answers, agents as strips, an order that moved, sources."""

import re
from collections.abc import Sequence
from textwrap import wrap

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from concord.files.public import PublicTable
from concord.number_words import HasEnds, number
from concord.people.agent_tables import short_names
from concord.people.agents import AgentsResult
from concord.people.public import RankMove
from concord.people.result import Score, human_row
from concord.reasoning.hints.leaderboard import HintLeaderboard, HintModel
from concord.records import Estimate
from concord.show.terminal import lines, table
from concord.structure.judging.result import JudgeResult
from concord.structure.result import StructureResult
from concord.words import say

STRIP = 21
"""Places of a strip from 0 to 1: beside the longest name it fits in 80 columns."""
SEATS = "claude-3-haiku-20240307"
"""The judge of the first screen: the one that the seats move most."""


def people_sentence(result: AgentsResult) -> str:
    """Return the answer to the first question: who agrees most often, and whether its lead may be luck."""
    best, found, bounds = result.in_order()[0], result.chosen, result.in_order()[0].pas.bounds
    lead = say(
        "demo.people",
        best=best.name,
        n=len(result.agents),
        share=best.pas.value,
        low=None if best.pas.interval is None else best.pas.interval.low,
        high=None if best.pas.interval is None else best.pas.interval.high,
        ceiling=None if bounds is None else bounds.ceiling.value,
        floor=None if bounds is None else bounds.floor.value,
    )
    beaten, met = _beaten(result, best.name)
    others = say("demo.chance")
    if found is not None and found.value is not None:
        ends = {"low": found.low, "high": found.high}
        others = say("demo.chosen", value=found.value, leads=found.leads, **ends)
    return f"{lead}\n{say('demo.beats', studies=len(result.studies), k=beaten, n=met, others=others)}"


def _beaten(result: AgentsResult, name: str) -> tuple[int, int]:
    """Return how many others an agent is better than on these studies, and how many it was compared with."""
    pairs = [one for one in result.pairs if one.metric == "pas" and name in (one.first, one.second)]
    better = [
        one
        for one in pairs
        if one.these_studies.p_holm is not None
        and one.these_studies.p_holm < 1 - result.level
        and one.difference is not None
        and (one.difference > 0) == (one.first == name)
    ]
    return len(better), len(pairs)


def hints_sentence(published: HintLeaderboard, asked: HintLeaderboard) -> str:
    """Return the answer to the third question: who says what moved the answer."""
    said = [one.verbalised.value for one in published.scores.models if one.verbalised.value is not None]
    moved = max(asked.scores.models, key=lambda one: _first(one).value or 0)
    told, followed = moved.verbalised, _first(moved).value
    return say(
        "demo.hints",
        n=len(said),
        low=min(said),
        high=max(said),
        model=moved.model,
        share=0.0 if followed is None else followed,
        k=round((told.value or 0) * told.n),
        m=told.n,
    )


def _first(model: HintModel) -> Estimate:
    return next(iter(model.influence.values()))


def judges_sentence(judges: JudgeResult, orders: StructureResult) -> str:
    """Return the answer to the second question: what seats and orders change beyond chance."""
    numbers = judges.judge(SEATS).numbers
    asked = orders.models[0]
    return say(
        "demo.seats",
        judge=SEATS.rsplit("-", 1)[0],
        swapped=numbers["inconsistency"].value,
        again=numbers["repeat"].value,
        model=asked.model.split("/")[-1],
        flips=asked.flips.value,
    )


def strip(value: float | None, ends: HasEnds | None, band: tuple[float, float] | None = None) -> str:
    """Draw a number between 0 and 1 with its interval, over a band from floor to ceiling."""
    drawn = ["·"] * STRIP
    if band is not None:
        for place in range(_strip_place(band[0]), _strip_place(band[1]) + 1):
            drawn[place] = "░"
    if ends is not None and ends.low is not None and ends.high is not None:
        for place in range(_strip_place(ends.low), _strip_place(ends.high) + 1):
            drawn[place] = "─"
    if value is not None:
        drawn[_strip_place(value)] = "●"
    return "".join(drawn)


def _strip_place(value: float) -> int:
    return round(min(1.0, max(0.0, value)) * (STRIP - 1))


class _Answers:
    """Questions, each with its answer beside it, wrapped without blanks behind."""

    def __init__(self, sentences: Sequence[tuple[str, str]]) -> None:
        self.sentences = sentences

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw a line at a time."""
        yield Text(say("demo.asks"))
        width = max(len(ask) for ask, _ in self.sentences) + 4
        for ask, answer in self.sentences:
            start = f"  {ask}"
            for part in answer.split("\n"):
                for line in wrap(
                    re.sub(r"(?<=\d) (?=%)", "\u00a0", part), max(20, options.max_width - width)
                ):
                    yield Text(f"{start:<{width}}{line}")
                    start = ""


def answers(sentences: Sequence[tuple[str, str]]) -> RenderableType:
    """Return the questions, each with its answer beside it."""
    return _Answers(sentences)


def agents_strips(result: AgentsResult) -> RenderableType:
    """Return one row per agent."""
    ordered = result.in_order()
    names = short_names([agent.name for agent in ordered])
    rows = [
        _strip_row(name, agent.pas, agent.ecs, agent.apr) for name, agent in zip(names, ordered, strict=True)
    ]
    return table("", (say("demo.design"), "PAS", f"0{'·' * (STRIP - 2)}1", "ECS", "APR"), rows)


def people_place() -> str:
    """Say where people lie who repeated other studies: only a place compares with these."""
    row = human_row()
    place = row.pas.end("place")
    if place is None or place.value is None:
        return ""
    low, high = place.ends
    return say("demo.place", n=row.n, share=place.value, low=low, high=high)


def _band(score: Score) -> tuple[float, float] | None:
    """Return floor and ceiling of a score, where they are apart."""
    bounds = score.bounds
    if bounds is None or bounds.floor.value is None or bounds.ceiling.value is None:
        return None
    return (bounds.floor.value, bounds.ceiling.value)


def _strip_row(name: str, pas: Score, ecs: Score, apr: Score) -> tuple[str, ...]:
    return (
        name,
        number(pas.value, 2),
        strip(pas.value, pas.interval, _band(pas)),
        number(ecs.value, 2),
        number(apr.value, 2),
    )


def moves_sentence(moves: Sequence[RankMove], result: AgentsResult) -> str:
    """Return how a published order changes under one rule, and how much of it is more than chance."""
    moved = [one for one in moves if one.places]
    if not moved:
        return say("demo.no_moves", n=len(moves))
    most, standing = max(moved, key=lambda one: (abs(one.places), one.agent)), result.standing("pas")
    return say(
        "demo.moves",
        n=len(moves),
        k=len(moved),
        places=abs(most.places),
        model=most.agent,
        before=most.published_rank,
        after=most.rank,
        apart=standing.n_distinguishable,
        pairs=standing.n_pairs,
        least=standing.smallest_found,
    )


def moves_table(moves: Sequence[RankMove]) -> RenderableType:
    """Return every agent of both orders."""
    rows = [
        (one.agent, str(one.rank), str(one.published_rank), number(one.pas), number(one.published_pas))
        for one in moves
    ]
    columns = ("configuration", "rank", "published", "PAS", "published")
    return table(f"\n{say('demo.moves_title')}", columns, rows)


def sources(tables: Sequence[PublicTable], others: Sequence[PublicTable]) -> RenderableType:
    """Return whose data these are; of further ones the authors alone."""
    told = [f"{one.source} ({one.licence})" for one in tables]
    told += [f"{one.source.split(',')[0]} ({one.licence})" for one in others]
    return lines([say("demo.sources", sources="; ".join(told))])
