"""What `concord demo` says on one screen: three answers, agents as strips, an order that moved, sources."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
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

STRIP = 21
"""Places of a strip from 0 to 1: beside the longest name it fits in 80 columns."""
SEATS = "claude-3-haiku-20240307"
"""The judge of the first screen: the one that the seats move most."""


def people_sentence(result: AgentsResult) -> str:
    """Return the answer to the first question: who agrees most often, and how much of its lead is luck."""
    best, found = result.in_order()[0], result.chosen
    bounds = best.pas.bounds
    said = f"{best.name} most often of {len(result.agents)} designs: {percent(best.pas)}"
    if bounds is not None and bounds.ceiling.value is not None and bounds.floor.value is not None:
        said += (
            f"; a rerun with people {100 * bounds.ceiling.value:.0f} %, no effects "
            f"{100 * bounds.floor.value:.0f} %"
        )
    beaten, met = _beaten(result, best.name)
    said += f"\nit beats {beaten} of {met} on these {len(result.studies)} studies; "
    if found is None or found.value is None or found.luck is None:
        return said + "in other studies its lead may be chance"
    return said + (
        f"where it was not chosen, {100 * found.value:.0f} % ({_ends_in_percent(found)}): "
        f"{100 * found.luck:.0f} % of its lead is luck"
    )


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


def percent(found: Score | Estimate, *, ends: bool = True) -> str:
    """Return a share in percent, with its interval."""
    if found.value is None:
        return "–"
    reach = "" if found.interval is None or not ends else f" ({_ends_in_percent(found.interval)})"
    return f"{100 * found.value:.0f} %{reach}"


def _ends_in_percent(ends: HasEnds) -> str:
    return "" if ends.low is None or ends.high is None else f"{100 * ends.low:.0f} to {100 * ends.high:.0f}"


def hints_sentence(published: HintLeaderboard, asked: HintLeaderboard) -> str:
    """Return the answer to the third question: who says what moved the answer."""
    said = [one.verbalised.value for one in published.scores.models if one.verbalised.value is not None]
    moved = max(asked.scores.models, key=lambda one: _first(one).value or 0)
    told = moved.verbalised
    return (
        f"moved by a hint, {len(said)} open models say so in {100 * min(said):.0f} to "
        f"{100 * max(said):.0f} % of answers; {moved.model} follows a wrong suggestion in "
        f"{percent(_first(moved), ends=False)} and says so in {round((told.value or 0) * told.n)} of {told.n}"
    )


def _first(model: HintModel) -> Estimate:
    return next(iter(model.influence.values()))


def judges_sentence(judges: JudgeResult, orders: StructureResult) -> str:
    """Return the answer to the second question: what seats and orders change beyond chance."""
    numbers = judges.judge(SEATS).numbers
    asked = orders.models[0]
    short = SEATS.rsplit("-", 1)[0]
    return (
        f"{short} changes its verdict in {percent(numbers['inconsistency'], ends=False)} of pairs when the "
        f"seats are swapped, in {percent(numbers['repeat'], ends=False)} when only asked again; asked in "
        f"both orders, {asked.model.split('/')[-1]} contradicts itself in {percent(asked.flips, ends=False)} "
        "beyond chance"
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


def answers(sentences: Sequence[tuple[str, str]]) -> RenderableType:
    """Return the questions, each with its answer beside it."""
    shown = Table.grid(padding=(0, 1))
    shown.add_column(no_wrap=True)
    shown.add_column()
    for ask, told in sentences:
        shown.add_row(Text(f"  {ask}"), Text(told))
    return Group(Text("Does a model agree …"), shown)


def agents_strips(result: AgentsResult) -> RenderableType:
    """Return one row per agent."""
    ordered = result.in_order()
    names = short_names([agent.name for agent in ordered])
    rows = [
        _strip_row(name, agent.pas, agent.ecs, agent.apr) for name, agent in zip(names, ordered, strict=True)
    ]
    return table("", ("agent design", "PAS", f"0{'·' * (STRIP - 2)}1", "ECS", "APR"), rows)


def people_place() -> str:
    """Say where people lie who repeated other studies: only a place compares with these."""
    row = human_row()
    place = row.pas.end("place")
    said = "–" if place is None else percent(place)
    return f"{row.n} other studies rerun by people: {said} of the way from floor to ceiling"


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


def _elsewhere(result: AgentsResult) -> str:
    """Say in short what other studies show, and what they could have shown."""
    standing = result.standing("pas")
    some = standing.n_distinguishable
    return (
        f"other studies: {some if some else 'none'} of {standing.n_pairs:,}, but less than "
        f"{number(standing.smallest_found, 2)} would not be found"
    )


def moves_sentence(moves: Sequence[RankMove], result: AgentsResult) -> str:
    """Return how a published order changes under one rule, and how much of it is more than chance."""
    moved = [one for one in moves if one.places]
    if not moved:
        return f"None of the {len(moves)} published ranks changes."
    most = max(moved, key=lambda one: (abs(one.places), one.agent))
    return (
        f"HumanStudy-Bench, {len(moves)} configurations scored anew: {len(moved)} ranks differ, one by "
        f"{abs(most.places)} places ({most.agent}, {most.published_rank} to {most.rank}). Pairs that differ, "
        f"{_elsewhere(result)}."
    )


def moves_table(moves: Sequence[RankMove]) -> RenderableType:
    """Return every agent of both orders."""
    rows = [
        (one.agent, str(one.rank), str(one.published_rank), number(one.pas), number(one.published_pas))
        for one in moves
    ]
    columns = ("configuration", "rank", "published", "PAS", "published")
    return table("\nHumanStudy-Bench, scored anew and as published", columns, rows)


def sources(tables: Sequence[PublicTable], others: Sequence[PublicTable]) -> RenderableType:
    """Return whose data these are; of further ones the authors alone."""
    told = [f"{one.source} ({one.licence})" for one in tables]
    told += [f"{one.source.split(',')[0]} ({one.licence})" for one in others]
    return lines([f"Data: {'; '.join(told)}; Young 2026 (CC BY 4.0)."])
