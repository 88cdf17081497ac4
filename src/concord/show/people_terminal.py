"""Agreement with people as a terminal table; sensible without colour and in a pipe."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from concord.people.files import PeopleResult
from concord.people.result import EffectSizes, FindingResult, GroupResult, Score
from concord.people.studies.results import StudiesResult
from concord.people.words.sentences import closing_sentence
from concord.show.answer import Gauge, ShownAnswer, answer_lines
from concord.show.numbers import UNDEFINED, interval, number
from concord.show.terminal import cells, lines, table


def studies_report(scored: StudiesResult) -> RenderableType:
    """Return what a reader should see of studies scored from replies: their numbers."""
    return people_report(scored.result)


def studies_gist(scored: StudiesResult) -> Group:
    """Return the answer and the headline of studies, for a notebook or a prompt."""
    return people_gist(scored.result)


def studies_answer(scored: StudiesResult) -> Group:
    """Return the answer of studies scored from replies."""
    return people_answer(scored.result)


def studies_headline(scored: StudiesResult) -> Table:
    """Return the headline numbers of studies scored from replies."""
    return people_headline(scored.result)


def people_answer(result: PeopleResult) -> Group:
    """Return the answer about people."""
    who = "" if result.model is None else f" · {result.model}"
    scores = (
        ("PAS", result.pas, (0.0, 1.0)),
        ("ECS", result.ecs, (-1.0, 1.0)),
        ("APR", result.apr, (0.0, 1.0)),
    )
    return answer_lines(
        ShownAnswer(
            f"Does it agree with people?{who} · protocol {result.protocol.name}",
            (closing_sentence(result), *(f"Assumed: {line}." for line in result.assumptions)),
            tuple(Gauge(name, one.value, one.interval, scale, scale[0] < 0) for name, one, scale in scores),
        )
    )


def people_gist(result: PeopleResult) -> Group:
    """Return the answer and the headline, for a notebook or a prompt."""
    return Group(people_answer(result), people_headline(result))


def people_report(scores: PeopleResult) -> RenderableType:
    """Return everything a reader of the terminal should see."""
    parts: list[RenderableType] = [people_headline(scores), _groups_table(scores), _findings(scores.findings)]
    parts.append(lines(_notes(scores)))
    if scores.referee is not None:
        parts.append(lines(["\nFor the referee", *(f"  {line}" for line in scores.referee.sentences())]))
    return Group(*parts)


def people_headline(scores: PeopleResult) -> Table:
    """Return the headline numbers with floor, ceiling and place."""
    title = f"Agreement with people · protocol {scores.protocol.name}"
    columns = (
        "metric",
        "value",
        "other studies like these",
        "new participants",
        "floor",
        "ceiling",
        "place",
        "twins",
        "tests",
        "left out",
    )
    # about zero: what ECS is whichever way tests are coded
    zero = number(scores.companions.concordance_about_zero, 2)
    shown = (
        ("PAS  same conclusion", scores.pas),
        (f"ECS  same effects ({zero} about zero)", scores.ecs),
        ("APR  pass rate", scores.apr),
        ("ECS-strict", scores.companions.ecs_strict),
    )
    rows = [
        (
            name,
            *_score_cells(score),
            *_bounds_cells(score),
            _among_twins(score),
            str(score.estimate.n),
            str(score.estimate.n_left_out),
        )
        for name, score in shown
    ]
    return table(title, columns, rows)


def _score_cells(score: Score) -> tuple[str, str, str]:
    return number(score.value), interval(score.interval), interval(score.new_participants)


def _bounds_cells(score: Score) -> tuple[str, str, str]:
    """Return floor, ceiling and place; dashes where a metric has none."""
    if score.bounds is None:
        return UNDEFINED, UNDEFINED, UNDEFINED
    ends = (score.bounds.floor, score.bounds.ceiling, score.bounds.place)
    return number(ends[0].value, 2), number(ends[1].value, 2), number(ends[2].value, 2)


def _among_twins(score: Score) -> str:
    """Return the percentile among perfect replications."""
    share = None if score.bounds is None else score.bounds.percentile
    return UNDEFINED if share is None else f"{share:.0%}"


def _groups_table(scores: PeopleResult) -> Table:
    made = table(
        "\nBy domain and study",
        ("", "PAS", "interval", "place", "ECS", "interval", "place", "APR", "findings", "tests"),
    )
    loose = [study for study in scores.studies if study.domain is None]
    for domain in scores.domains:
        made.add_row(*cells(_group_row(domain, domain.name)), style="bold")
        for study in scores.studies:
            if study.domain == domain.name:
                made.add_row(*cells(_group_row(study, "  " + study.name)))
    for study in loose:
        made.add_row(*cells(_group_row(study, study.name)))
    return made


def _group_row(group: GroupResult, name: str) -> tuple[str, ...]:
    pas, ecs = group.pas, group.ecs
    return (
        name,
        number(pas.value),
        interval(pas.interval),
        _bounds_cells(pas)[2],
        number(ecs.value),
        interval(ecs.interval),
        _bounds_cells(ecs)[2],
        number(group.apr.value, 2),
        str(group.n_findings),
        f"{group.n_tests_scored}/{group.n_tests}",
    )


def _findings(findings: Sequence[FindingResult]) -> Table:
    """Return the four quadrants, each with how many findings fall there and the first few of them."""
    readings = dict.fromkeys(f.reading for f in findings if f.reading is not None)
    placed = [(str(reading), [f for f in findings if f.reading == reading]) for reading in readings]
    undefined = [f for f in findings if f.reading is None]
    if undefined:
        placed.append(("no place: PAS or magnitude undefined", undefined))
    rows = [(name, str(len(inside)), ", ".join(_examples(inside))) for name, inside in placed]
    return table("\nWhere findings lie", ("reading", "findings", "examples"), rows, words=("examples",))


def _examples(findings: Sequence[FindingResult]) -> list[str]:
    names = [f"{f.study} {f.finding}" for f in findings[:3]]
    return [*names, "…"] if len(findings) > 3 else names


def _notes(scores: PeopleResult) -> Iterator[str]:
    companions = scores.companions
    yield "\nCompanion numbers"
    zero = number(companions.concordance_about_zero)
    yield f"  r = {number(companions.pearson)}, concordance about zero = {zero}"
    yield from _size_lines(scores.sizes)
    yield (
        f"  APR over human-significant tests = {number(companions.apr_human_significant)}; "
        f"human nulls kept = {number(companions.nulls_kept)} of {companions.n_human_nulls}"
    )
    yield "  outcomes: " + ", ".join(f"{n} {outcome}" for outcome, n in scores.outcomes.items())
    yield "  floor: agents without effects; ceiling: perfect replications; both at the agent's n" + (
        f" ({scores.n_simulations} simulated)" if scores.n_simulations else f": {scores.bounds_note}"
    )
    yield from _interval_notes(scores)


def _interval_notes(scores: PeopleResult) -> Iterator[str]:
    """Word why intervals and places are withheld, when they miss, and what they rest on."""
    named = (("PAS", scores.pas), ("ECS", scores.ecs), ("APR", scores.apr))
    if any(score.bounds is not None for _, score in named):
        yield "  twins: share of perfect replications that score lower (any share is as likely for one)"
    yield from (
        f"  place of {name} = {number(score.bounds.place.value, 2)} {interval(score.bounds.place.interval)}"
        for name, score in named
        if score.bounds is not None and score.bounds.place.value is not None
    )
    for name, score in named:
        place = "" if score.bounds is None else score.bounds.place.note
        for note in (score.estimate.note, score.new_participants_note, place and f"place {place}"):
            if note:
                yield f"  {name}: {note}"
    others = [(name, score) for name, score in named if score.new_participants_otherwise]
    if others:
        spans = "; ".join(
            f"{name} {' or '.join(map(interval, s.new_participants_otherwise))}" for name, s in others
        )
        rho = scores.protocol.within_study
        yield f"  new participants: tests of a study correlate {rho:g}; with 0 or 0.8: {spans}"


def _size_lines(sizes: EffectSizes | None) -> Iterator[str]:
    """Word how large effects are, and ECS under other codings."""
    if sizes is None:
        return
    shown = (
        ("size ratio of effects", sizes.size_ratio),
        ("slope of agent on human d (attenuated)", sizes.slope),
        ("corrected for the errors of the human d", sizes.slope_corrected),
        ("calibration β, human on agent d", sizes.calibration),
        ("β adjusted for the errors of the agent d", sizes.calibration_adjusted),
    )
    for name, one in shown:
        yield f"  {name} = {number(one.value)} {interval(one.interval)}{f'; {one.note}' if one.note else ''}"
    codings = sizes.ecs_codings
    if codings["as_given"] is not None:
        yield (
            f"  ECS as coded = {number(codings['as_given'])}, all human effects positive = "
            f"{number(codings['human_positive'])}, one test coded otherwise = "
            f"{number(codings['lowest_one_flip'])} to {number(codings['highest_one_flip'])}"
        )
