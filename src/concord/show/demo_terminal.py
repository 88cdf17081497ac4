"""What `concord demo` says on one screen: three answers, agents as strips, an order that moved, sources."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from concord.files.public import PublicTable
from concord.number_words import HasEnds, interval_words, number
from concord.people.agent_tables import short_names
from concord.people.agents import AgentsResult
from concord.people.public import RankMove
from concord.people.result import Score, human_row
from concord.reasoning.files import ReasoningResult
from concord.show.terminal import lines, table
from concord.structure.result import StructureResult

STRIP = 21
"""Places of a strip from 0 to 1: beside the longest name it fits in 80 columns."""
SMALL = "a 135M-parameter model, recorded"


def people_sentence(result: AgentsResult) -> str:
    """Return the answer to the first question: who scores highest, between what, and who differs."""
    best, standing, found = result.in_order()[0], result.standing("pas"), result.chosen
    said = (
        f"Of {len(result.agents)} agent designs {best.name} scores highest: PAS {number(best.pas.value, 2)} "
        f"({interval_words(best.pas.interval)})"
    )
    if found is not None and found.luck is not None:
        said += (
            f", but {number(found.value, 2)} ({interval_words(found)}) on studies that the best was not "
            f"chosen on: {found.luck * 100:.0f} % of its lead is luck"
        )
    return (
        f"{said}. New people: {standing.n_distinguishable_here} of {standing.n_pairs_here} pairs differ; "
        f"{_elsewhere(result)}."
    )


def _elsewhere(result: AgentsResult) -> str:
    """Say in short what other studies show, and what they could have shown."""
    standing = result.standing("pas")
    some = standing.n_distinguishable
    return (
        f"other studies: {some if some else 'none'} of {standing.n_pairs:,}, but less than "
        f"{number(standing.smallest_found, 2)} would not be found"
    )


def structure_sentence(result: StructureResult) -> str:
    """Return the answer to the second question."""
    return " ".join(_labelled(model.model, model.sentence) for model in result.models)


def reasoning_sentence(result: ReasoningResult) -> str:
    """Return the answer to the third question."""
    gap = result.scores.gap
    return _labelled(str(result.model), f"{gap.verdict}: {gap.verdict_reason}.")


def _labelled(model: str, sentence: str) -> str:
    """Put what the model is between its name and what is said of it."""
    return f"{model} ({SMALL}): {sentence.removeprefix(f'{model}: ')}"


def strip(value: float | None, ends: HasEnds | None) -> str:
    """Draw a number between 0 and 1 with its interval.

    >>> from concord.records import Interval
    >>> strip(0.5, Interval(0.25, 0.75, 0.95, ""))
    '·····─────●─────·····'
    >>> strip(None, None)
    '·····················'
    """
    drawn = ["·"] * STRIP
    if ends is not None and ends.low is not None and ends.high is not None:
        for place in range(_strip_place(ends.low), _strip_place(ends.high) + 1):
            drawn[place] = "─"
    if value is not None:
        drawn[_strip_place(value)] = "●"
    return "".join(drawn)


def _strip_place(value: float) -> int:
    return round(min(1.0, max(0.0, value)) * (STRIP - 1))


def answers(sentences: Sequence[tuple[str, str]]) -> RenderableType:
    """Return the questions, each with its answer."""
    return Group(*(Text(f"{i}. {ask} {told}") for i, (ask, told) in enumerate(sentences, 1)))


def agents_strips(result: AgentsResult) -> RenderableType:
    """Return one row per agent, and people who repeated studies of people."""
    ordered = result.in_order()
    names = short_names([agent.name for agent in ordered])
    rows = [
        _strip_row(name, agent.pas, agent.ecs, agent.apr) for name, agent in zip(names, ordered, strict=True)
    ]
    people = human_row()
    rows.append(_strip_row(f"(people: {people.n} other studies)", people.pas, people.ecs, people.apr))
    return table("", ("agent design", "PAS", f"0{'·' * (STRIP - 2)}1", "ECS", "APR"), rows)


def _strip_row(name: str, pas: Score, ecs: Score, apr: Score) -> tuple[str, ...]:
    return (
        name,
        number(pas.value, 2),
        strip(pas.value, pas.interval),
        number(ecs.value, 2),
        number(apr.value, 2),
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


def source_lines(tables: Sequence[PublicTable]) -> Iterator[str]:
    """Return whose data these are, one line each."""
    for one in tables:
        yield f"{one.source} ({one.licence}): {one.holds}."


def sources(tables: Sequence[PublicTable]) -> RenderableType:
    """Return whose data these are."""
    return lines([f"Data: {told}" for told in source_lines(tables)])
