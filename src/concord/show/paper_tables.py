"""Tables for a paper: LaTeX, Markdown and Word, from the numbers of a result."""

from collections.abc import Callable
from typing import Any

from concord.errors import OptionError
from concord.people.files import PeopleResult
from concord.people.result import Score
from concord.people.studies.results import StudiesResult
from concord.show.numbers import interval, number, p_value
from concord.show.paper import PaperTable


def _score_cells(name: str, score: Score) -> tuple[str, ...]:
    bounds = score.bounds
    ends = (None, None) if bounds is None else (bounds.floor.value, bounds.ceiling.value)
    return (name, number(score.value, 2), interval(score.interval), *(number(end, 2) for end in ends))


def _whose(result: PeopleResult) -> str:
    return result.model if result.model else "the model"


def _people_headline(result: PeopleResult) -> PaperTable:
    scores = (("PAS", result.pas), ("ECS", result.ecs), ("APR", result.apr))
    n = sum(result.outcomes.values())
    return PaperTable(
        f"Agreement with people of {_whose(result)}",
        ("Metric", "Value", "95 % interval", "Floor", "Ceiling"),
        tuple(_score_cells(name, score) for name, score in scores),
        f"{len(result.studies)} studies, {n} tests, protocol {result.protocol.name}. Intervals speak of "
        "other studies like these; floor: agents without effects; ceiling: a perfect replication.",
    )


def _people_studies(result: PeopleResult) -> PaperTable:
    rows = [
        (
            g.name, number(g.pas.value, 2), interval(g.pas.interval),
            *(number(score.value, 2) for score in (g.ecs, g.apr)), str(g.n_tests_scored),
        )
        for g in result.studies
    ]  # fmt: skip
    title = f"Agreement with people of {_whose(result)}, by study"
    columns = ("Study", "PAS", "95 % interval", "ECS", "APR", "Tests")
    note = "Intervals of PAS speak of other findings like these; a dash: too few for one, or undefined."
    return PaperTable(title, columns, tuple(rows), note)


def _people_tests(result: PeopleResult) -> PaperTable:
    rows = [
        (
            f"{one.study}: {one.test}", number(one.human_effect_d, 2), p_value(one.human_p),
            number(one.agent_effect_d, 2), p_value(one.agent_p), number(one.pas, 2),
        )
        for one in result.tests
    ]  # fmt: skip
    columns = ("Test", "People d", "People p", "Model d", "Model p", "PAS")
    return PaperTable("Every test, in people and in the model", columns, tuple(rows))


TABLES: dict[str, dict[str, Callable[[Any], PaperTable]]] = {
    "PeopleResult": {"headline": _people_headline, "studies": _people_studies, "tests": _people_tests},
}
"""Tables of each type of result, by their names."""


def paper_table(result: Any, name: str = "headline") -> PaperTable:
    """Return a table of a result."""
    if isinstance(result, StudiesResult):
        result = result.result
    known = TABLES.get(type(result).__name__, {})
    if name not in known:
        given = f"expected {', '.join(known)}" if known else "there are tables of results of the questions"
        raise OptionError(f"there is no table {name!r} of a {type(result).__name__}; {given}")
    return known[name](result)
