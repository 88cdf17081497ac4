"""Agreement with people as a terminal table; sensible without colour and in a pipe."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from concord.people.files import closing_sentence
from concord.people.result import FindingResult, GroupResult, PeopleResult, Score
from concord.records import Interval
from concord.show.terminal import plain_table


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _interval(interval: Interval | None) -> str:
    return "–" if interval is None else f"[{interval.low:.2f}, {interval.high:.2f}]"


def people_report(scores: PeopleResult) -> RenderableType:
    """Return everything a reader of the terminal should see."""
    parts: list[RenderableType] = [_headline(scores), _groups(scores), _findings(scores.findings)]
    parts += [Text(line) for line in _notes(scores)]
    parts.append(Text("\n" + closing_sentence(scores), style="bold"))
    return Group(*parts)


def _headline(scores: PeopleResult) -> Table:
    title = f"Agreement with people · protocol {scores.protocol.name}"
    columns = (
        "metric",
        "value",
        "studies like these",
        "fresh participants",
        "floor",
        "ceiling",
        "place",
        "tests",
        "left out",
    )
    table = plain_table(title, columns)
    rows = (
        ("PAS  same conclusion", scores.pas),
        ("ECS  same effects", scores.ecs),
        ("APR  pass rate", scores.apr),
        ("ECS-strict", scores.beside.ecs_strict),
    )
    for name, score in rows:
        table.add_row(
            name, *_cells(score), *_bounds(score), str(score.estimate.n), str(score.estimate.n_left_out)
        )
    return table


def _cells(score: Score) -> tuple[str, str, str]:
    return _number(score.value), _interval(score.interval), _interval(score.fresh)


def _bounds(score: Score) -> tuple[str, str, str]:
    """Return floor, ceiling and place; dashes where a metric has none."""
    if score.bounds is None:
        return "–", "–", "–"
    ends = (score.bounds.floor, score.bounds.ceiling, score.bounds.place)
    return _number(ends[0].value, 2), _number(ends[1].value, 2), _number(ends[2].value, 2)


def _groups(scores: PeopleResult) -> Table:
    table = plain_table(
        "\nBy domain and study",
        ("", "PAS", "interval", "place", "ECS", "interval", "place", "APR", "findings", "tests"),
    )
    loose = [study for study in scores.studies if study.domain is None]
    for domain in scores.domains:
        table.add_row(*_group_row(domain, domain.name), style="bold")
        for study in scores.studies:
            if study.domain == domain.name:
                table.add_row(*_group_row(study, "  " + study.name))
    for study in loose:
        table.add_row(*_group_row(study, study.name))
    return table


def _group_row(group: GroupResult, name: str) -> tuple[str, ...]:
    pas, ecs = group.pas, group.ecs
    return (
        name,
        _number(pas.value),
        _interval(pas.interval),
        _bounds(pas)[2],
        _number(ecs.value),
        _interval(ecs.interval),
        _bounds(ecs)[2],
        _number(group.apr.value, 2),
        str(group.n_findings),
        f"{group.n_tests_scored}/{group.n_tests}",
    )


def _findings(findings: Sequence[FindingResult]) -> Table:
    """Return the four quadrants, each with how many findings fall there and the first few of them."""
    table = plain_table("\nWhere findings stand", ("reading", "findings", "examples"), text_columns=1)
    table.columns[2].justify, table.columns[2].no_wrap = "left", False
    readings = dict.fromkeys(f.reading for f in findings if f.reading is not None)
    for reading in readings:
        inside = [f for f in findings if f.reading == reading]
        table.add_row(Text(str(reading)), str(len(inside)), Text(", ".join(_examples(inside))))
    undefined = [f for f in findings if f.reading is None]
    if undefined:
        table.add_row(
            "no place: PAS or magnitude undefined", str(len(undefined)), Text(", ".join(_examples(undefined)))
        )
    return table


def _examples(findings: Sequence[FindingResult]) -> list[str]:
    names = [f"{f.study} {f.finding}" for f in findings[:3]]
    return [*names, "…"] if len(findings) > 3 else names


def _notes(scores: PeopleResult) -> Iterator[str]:
    beside = scores.beside
    yield "\nBeside them"
    yield (
        f"  r = {_number(beside.pearson)}, slope of agent on human d = {_number(beside.caricature_slope)}, "
        f"concordance about zero = {_number(beside.concordance_about_zero)}"
    )
    yield (
        f"  APR over human-significant tests = {_number(beside.apr_human_significant)}; "
        f"human nulls kept = {_number(beside.nulls_kept)} of {beside.n_human_nulls}"
    )
    yield "  outcomes: " + ", ".join(f"{n} {outcome}" for outcome, n in scores.outcomes.items())
    yield "  floor: agents without effects; ceiling: perfect replications; both at the agent's n" + (
        f" ({scores.n_simulations} simulated)" if scores.n_simulations else f": {scores.bounds_note}"
    )
    for name, score in (("PAS", scores.pas), ("ECS", scores.ecs), ("APR", scores.apr)):
        for note in (score.estimate.note, score.fresh_note):
            if note:
                yield f"  {name}: {note}"
