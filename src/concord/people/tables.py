"""The tables of a result about people: what its files, the terminal, the page and a paper show of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import resources
from operator import attrgetter
from typing import Any, NamedTuple

from concord.kinds import FILE, PAGE, PAPER, TERMINAL, Column, PictureOf, Table, unread_table
from concord.number_words import interval, number
from concord.people.result import METRICS, FindingResult, GroupResult, Score, TestResult
from concord.records import Estimate
from concord.words import catalogue, say

MOST_GROUPS = 60
"""Studies of which the page shows every number; of more, files hold them."""
DETAILED_COLUMNS: Mapping[str, str] = json.loads(
    (resources.files("concord.people") / "data" / "detailed_columns.json").read_text("utf-8")
)
"""Columns of `detailed_stats.csv` and the fields they come from."""


def _listed_cell(field: str, test: TestResult) -> str:
    return "; ".join(getattr(test, field))


DETAILED = Table(
    "detailed",
    rows=lambda result: result.tests,
    file="detailed_stats.csv",
    on=(),
    columns=tuple(
        Column(name, partial(_listed_cell, field) if field in ("flags", "reasons") else attrgetter(field))
        for name, field in DETAILED_COLUMNS.items()
    ),
)


class ScoreRow(NamedTuple):
    """A score with its name."""

    name: str
    score: Score
    aside: str = ""
    """What is said beside the name where there is room."""
    of: str = ""
    """The domain or study; empty for the whole."""
    agent: str = ""


def _headline(result: Any) -> list[ScoreRow]:
    zero = result.companions.concordance_about_zero
    return [
        ScoreRow("PAS  same conclusion", result.pas),
        # about zero: what ECS is whichever way tests are coded
        ScoreRow("ECS  same effects", result.ecs, "" if zero is None else f" ({number(zero, 2)} about zero)"),
        ScoreRow("APR  pass rate", result.apr),
        ScoreRow("ECS-strict", result.companions.ecs_strict),
    ]


def _end_value(name: str, row: ScoreRow) -> float | None:
    found = row.score.end(name)
    return None if found is None else found.value


def _end(name: str, row: ScoreRow) -> Estimate | None:
    return row.score.end(name)


SCORE_COLUMNS = (
    Column("value", lambda row: row.score.estimate, digits=3, ends=2),
    Column("new", lambda row: row.score.new_participants, "new participants"),
    *(Column(name, partial(_end_value, name), on=(TERMINAL,)) for name in ("floor", "ceiling")),
    *(Column(name, partial(_end, name), on=(PAGE, PAPER), optional=True) for name in ("floor", "ceiling")),
    Column("place", partial(_end, "place")),
    Column("twins", lambda row: row.score.among_twins, "above reruns", optional=True),
    Column("n", lambda row: row.score.estimate.n, "tests", count=True),
    Column("left_out", lambda row: row.score.estimate.n_left_out, "left out", count=True),
    Column(
        "otherwise",
        lambda row: " or ".join(map(interval, row.score.new_participants_otherwise)),
        "new participants, tests of a study correlating 0 or 0.8",
        words=True,
        on=(PAGE, PAPER),
        optional=True,
    ),
)
"""What screens show of a row that has a score."""


def _headline_note(result: Any) -> str:
    bounded = result.pas.bounds is not None
    bounds = (
        say("people.one.bounds_named") if bounded else say("people.one.bounds_none", note=result.bounds_note)
    )
    return say("people.one.headline_note", bounds=bounds, zero=result.companions.concordance_about_zero)


def _title(what: str, result: Any) -> str:
    return say("people.one.heading_of", model=result.model, what=what, protocol=result.protocol.name)


HEADLINE = Table(
    "headline",
    rows=_headline,
    title=partial(_title, ""),
    note=_headline_note,
    columns=(
        Column("name", title="metric", words=True, on=(TERMINAL,)),
        Column("name", lambda row: row.name + row.aside, "metric", words=True, on=(PAGE, PAPER)),
        *SCORE_COLUMNS,
    ),
)


class GroupRow(NamedTuple):
    """A domain or a study, under the name that tables show."""

    name: str
    group: GroupResult
    is_domain: bool


def group_rows(result: Any) -> Iterator[GroupRow]:
    """Return each domain with its studies, then the studies without one."""
    for domain in result.domains:
        yield GroupRow(domain.name, domain, True)
        yield from (GroupRow(f"  {s.name}", s, False) for s in result.studies if s.domain == domain.name)
    yield from (GroupRow(study.name, study, False) for study in result.studies if study.domain is None)


def _of_group(metric: str, row: GroupRow) -> Estimate:
    score: Score = getattr(row.group, metric)
    return score.estimate


def _place_of(metric: str, row: GroupRow) -> float | None:
    score: Score = getattr(row.group, metric)
    return _end_value("place", ScoreRow("", score))


GROUPS = Table(
    "groups",
    rows=group_rows,
    title="By domain and study",
    on=(TERMINAL, PAGE),
    columns=(
        Column("name", title="domain or study", words=True),
        Column(
            "domain",
            lambda row: "all of it" if row.is_domain else row.group.domain,
            "of domain",
            words=True,
            on=(PAGE,),
            optional=True,
        ),
        Column("pas", partial(_of_group, "pas"), "PAS", digits=3, ends=2),
        Column("pas_place", partial(_place_of, "pas"), "place", optional=True),
        Column("ecs", partial(_of_group, "ecs"), "ECS", digits=3, ends=2),
        Column("ecs_place", partial(_place_of, "ecs"), "place of ECS", optional=True),
        Column("apr", partial(_of_group, "apr"), "APR"),
        Column("ecs_strict", partial(_of_group, "ecs_strict"), "ECS-strict", on=(PAGE,)),
        Column("normalised", lambda row: row.group.normalised_pas, "PAS, normalised", on=(PAGE,)),
        Column("n_studies", lambda row: row.group.n_studies, "studies", count=True, on=(PAGE,)),
        Column("n_findings", lambda row: row.group.n_findings, "findings", count=True),
        Column("n_scored", lambda row: row.group.n_tests_scored, "tests scored", count=True),
        Column("n_tests", lambda row: row.group.n_tests, "tests", count=True),
        Column(
            "n_effects", lambda row: row.group.n_tests_with_effects, "with effects", count=True, on=(PAGE,)
        ),
    ),
)
STUDIES = Table(
    "studies",
    rows=lambda result: result.studies,
    title=partial(_title, "by study"),
    on=(PAPER,),
    note=lambda result: "Intervals speak of other findings like these.",
    columns=(
        Column("name", title="Study", words=True),
        Column("pas", lambda one: one.pas.estimate, "PAS"),
        Column("ecs", lambda one: one.ecs.estimate, "ECS"),
        Column("apr", lambda one: one.apr.estimate, "APR"),
        Column("n_tests_scored", title="Tests", count=True),
    ),
)


def _every_score(result: Any) -> Iterator[ScoreRow]:
    groups = [*result.domains, *(result.studies if len(result.studies) <= MOST_GROUPS else ())]
    for group in groups:
        yield from (ScoreRow(_NAMES[name], getattr(group, name), of=group.name) for name in METRICS)


_NAMES = {"pas": "PAS", "ecs": "ECS", "apr": "APR", "ecs_strict": "ECS-strict"}
EVERY_SCORE = Table(
    "scores",
    rows=_every_score,
    title="Every score of domains and studies",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("of", title="domain or study", words=True),
        Column("name", title="metric", words=True),
        *SCORE_COLUMNS,
    ),
)


class ReadingRow(NamedTuple):
    """Findings that lie in one quadrant."""

    name: str
    reading: str
    findings: Sequence[FindingResult]


def _readings(result: Any) -> Iterator[ReadingRow]:
    """Yield the quadrants with the findings that lie there, most first."""
    held: dict[tuple[str, str], list[FindingResult]] = {}
    for one in result.findings:
        key = ("no place", "PAS or magnitude is undefined")
        held.setdefault((one.quadrant, one.reading) if one.quadrant and one.reading else key, []).append(one)
    for (name, reading), inside in sorted(held.items(), key=lambda entry: -len(entry[1])):
        yield ReadingRow(name, reading, inside)


def _examples(row: ReadingRow) -> str:
    names = ", ".join(f"{one.study} {one.finding}" for one in row.findings[:3])
    return names + (" …" if len(row.findings) > 3 else "")


READINGS = Table(
    "readings",
    rows=_readings,
    title="Where findings lie",
    note=lambda result: "Evidence agrees with PAS at least 0.5, magnitude with ECS-strict at least 0.04.",
    on=(TERMINAL, PAGE),
    columns=(
        Column("name", title="quadrant", words=True, on=(PAGE,)),
        Column("reading", words=True),
        Column("n", lambda row: len(row.findings), "findings", count=True),
        Column("examples", _examples, "such as", words=True),
    ),
)


class NumberRow(NamedTuple):
    """A companion number with its name."""

    name: str
    value: Estimate | float | int | None


_MEASURES = (
    *("normalised_pas", "pearson", "caricature_slope", "caricature_intercept", "concordance_about_zero"),
    *("share_without_effects", "apr_human_significant", "apr_all", "nulls_kept", "n_human_nulls"),
)
_SIZES = (*("size_ratio", "median_ratio", "slope", "slope_corrected", "calibration", "calibration_adjusted"),)


def _measure(name: str, value: Estimate | float | int | None) -> NumberRow:
    """Return a number under the name that readers know it by; one that a file adds keeps its own."""
    known = f"people.measure.of_{name}" in catalogue("people")
    return NumberRow(say(f"people.measure.of_{name}") if known else name, value)


def _companions(result: Any) -> Iterator[NumberRow]:
    yield from (_measure(name, getattr(result.companions, name)) for name in _MEASURES)
    if result.sizes is not None:
        yield from (_measure(name, getattr(result.sizes, name)) for name in _SIZES)
        if (undone := result.sizes.selected) is not None:
            yield _measure("selected_size_ratio", undone.size_ratio)
            yield _measure("selected_median_ratio", undone.median_ratio)
        yield from (_measure(name, value) for name, value in result.sizes.ecs_codings.items())
    found = result.diagnosis
    for values, n in (
        (found.correlations, found.n_correlated),
        (found.ecs_test_by_direction, found.n_by_direction),
    ):
        for name, value in values.items():
            note = "" if value is not None else "too few tests, or no spread"
            yield _measure(name, Estimate(value, None, n.get(name, 0), note=note))
    if result.null_share is not None:
        yield _measure("null_share", result.null_share)
        yield _measure("tau2", result.tau2)


COMPANIONS = Table(
    "companions",
    rows=_companions,
    title="Other measures of the same tests",
    on=(TERMINAL, PAGE),
    folded=True,
    columns=(
        Column("name", title="number", words=True),
        Column("value", digits=3, ends=2),
        Column(
            "n",
            lambda row: row.value.n if isinstance(row.value, Estimate) and row.value.n else None,
            "tests",
            count=True,
        ),
    ),
)
FINDINGS = Table(
    "findings",
    rows=lambda result: result.findings,
    title="Findings",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("study", words=True),
        Column("sub_study", title="sub-study", words=True, optional=True),
        Column("finding", words=True),
        Column("n_scored", title="tests scored", count=True),
        Column("n_tests", title="tests", count=True),
        Column("pas", title="PAS"),
        Column("normalised_pas", title="PAS, normalised"),
        Column("ecs_strict", title="ECS-strict"),
        Column("apr", title="APR"),
        Column("reading", words=True),
        Column("usual_reason", title="usual reason", words=True, optional=True),
    ),
)
TESTS = Table(
    "tests",
    rows=lambda result: result.tests,
    title="Every test, in people and in the model",
    on=(PAPER,),
    columns=(
        Column("test", lambda one: f"{one.study}: {one.test}", "Test", words=True),
        Column("human_effect_d", title="People d"),
        Column("human_p", title="People p", p=True),
        Column("agent_effect_d", title="Model d"),
        Column("agent_p", title="Model p", p=True),
        Column("pas", title="PAS"),
    ),
)
REFEREE = Table(
    "referee",
    rows=lambda result: () if result.referee is None else tuple(result.referee.sentences()),
    on=(TERMINAL,),
    columns=(Column("for_the_referee", str, "Further checks", words=True),),
)
UNREAD = unread_table("unread.csv")
LEFT_OUT = Table(
    "left_out",
    rows=lambda result: result.left_out,
    title="Cells that could not be read, and what to do about them",
    file="left_out.csv",
    on=(PAGE,),
    folded=True,
    optional=True,
    columns=(
        Column("file", words=True, on=(FILE,)),
        Column("sheet", words=True, on=(FILE,)),
        Column("row", count=True),
        Column("column", words=True),
        Column("value", words=True),
        Column("reason", words=True),
        Column("what_to_do", title="what to do", words=True),
        Column("part", title="left out", words=True),
        Column("agent", words=True, optional=True),
        Column("expected", words=True, on=()),
    ),
)
TABLES = (
    DETAILED, HEADLINE, GROUPS, STUDIES, READINGS, COMPANIONS, EVERY_SCORE, FINDINGS, TESTS, REFEREE,
    UNREAD, LEFT_OUT,
)  # fmt: skip

_DRAWN = ("effects", "conclusions", "losses", "pas", "ecs")
PICTURES = (
    *(PictureOf(name, f"people_plots.{name}_picture") for name in _DRAWN),
    PictureOf("scatter", "people_plots.effects_picture", on_page=False),
    PictureOf("calibration", "people_plots.calibration_picture", on_page=False),
    PictureOf(
        "forest",
        "people_plots.forest_picture",
        on_page=False,
        each=lambda result: [study.name for study in result.studies],
    ),
    PictureOf("strip", "plot_models.strip_picture", on_page=False, small=True),
)
